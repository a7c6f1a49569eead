"""Faults in native code, and in what looptx does with text that is no directive."""

from __future__ import annotations

from functools import partial

from fuzz.mutation import Mutation

_native = partial(Mutation, tier="native")
_text = partial(Mutation, tier="text")

NATIVE = (
    _native(
        "alias-test-skipped",
        "emit/layouts.py",
        "if {one, two} & written and",
        "if not {one, two} and",
        "A[i, j] = B[i, j] where B is a view of A: reorder j i",
    ),
    _native(
        "subscripts-unchecked",
        "emit/guards.py",
        "outside(self.scope.planned.inside(),",
        "outside(And(()),",
        "x[i + 1] = 1 for as many i as x has cells: split i 4",
    ),
    _native(
        "division-rounds-towards-zero",
        "emit/helpers.py",
        '"int64_t q = a / b; return q - (q * b != a && (a < 0) != (b < 0));"',
        '"return a / b;"',
        "x[i] = (i - n) // 2: split i 4",
    ),
    _native(
        "remainder-rounds-towards-zero",
        "emit/helpers.py",
        '"int64_t m = a % b; return m + (m && (m < 0) != (b < 0) ? b : 0);"',
        '"return a % b;"',
        "for i in range(2, n): x[i] = 1: unroll i 4",
    ),
    _native(
        "negative-subscript-left-alone",
        "emit/helpers.py",
        '"return i < 0 ? i + n : i;"',
        '"return i;"',
        "x[i] = y[i - 1] from i = 0 on: split i 4",
    ),
    _native(
        "absolute-value-of-an-integer-lost",
        "emit/helpers.py",
        '"return i < 0 ? -i : i;"',
        '"return i;"',
        "x[i] = abs(y[i]) in int64: split i 4",
    ),
    _native(
        "blocks-without-the-rest",
        "emit/helpers.py",
        "(n / parts * part + n % parts * part / parts)",
        "(n / parts * part)",
        "s += x[i]: reassociate s, parallel i",
    ),
    _native(
        "lanes-without-a-tail",
        "emit/helpers.py",
        '"return high > low ? high - (high - low) % size : low;"',
        '"return high > low ? high + (low - high) % size + size : low;"',
        "s += x[i]: reassociate s, vectorize i",
    ),
    _native(
        "first-block-uncombined",
        "emit/cloops.py",
        'lines.append(f"for {number} in range({blocks}):")',
        'lines.append(f"for {number} in range(1, {blocks}):")',
        "s += x[i]: reassociate s, parallel i",
    ),
    _native(
        "product-begins-with-zero",
        "emit/reductions.py",
        'return "-1" if self.op == "&" and dtype != "bool" else "1"',
        'return "-1" if self.op == "&" and dtype != "bool" else "0"',
        "s *= x[i]: reassociate s, parallel i",
    ),
    _native(
        "maximum-begins-with-infinity",
        "emit/reductions.py",
        'return "lx_inf" if self.op == "min" else "-lx_inf"',
        'return "lx_inf"',
        "s = max(s, x[i]): reassociate s, parallel i",
    ),
    _native(
        "cell-in-a-register-not-stored",
        "emit/cloops.py",
        '*indent([f"{text} = {variable}" for text, variable in kept.items()]),',
        "",
        "x[i] += A[i, j]: split i 4",
    ),
    _native(
        "native-temporary-not-cleared",
        "emit/cloops.py",
        "return self._fill(held, node, frame)",
        "return []",
        "T = np.zeros(m); for i, for j: T[j] += A[i, j]; B[i, j] = T[j]: temp T",
    ),
    _native(
        "returned-scalar-lost",
        "emit/cython.py",
        'body.append(f"{out}[0] = {variable}")',
        'body.append(f"{out}[0] = 0")',
        "s += x[i], returned: split i 4",
    ),
    _native(
        "falling-loop-without-its-step",
        "emit/cloops.py",
        'return f"{start}, {stop}, {node.step}"',
        'return f"{start}, {stop}, {abs(node.step)}"',
        "for i in range(n, 0, -1): x[i] = 1: split i 4",
    ),
    _native(
        "tie-of-min-and-max-taken-from-the-left",
        "emit/runtime.py",
        'body = f"return b {sign} a ? b : a;"',
        'body = f"return a {sign} b ? a : b;"',
        "x[i] = max(x[i], y[i]) of a NaN and a number: split i 4",
    ),
)

WORDS = (
    _text(
        "new-name-unchecked",
        "language/grammar.py",
        "words.check_new_name(token)",
        "pass",
        "split i 4 as i i-1",
    ),
    _text(
        "error-of-the-grammar-without-a-place",
        "language/grammar.py",
        "raise error.at(directive.place, directive.source) from None",
        "raise",
        "split i=",
    ),
    _text(
        "null-byte-unforeseen",
        "source/text/parse.py",
        "except ValueError as error:",
        "except ZeroDivisionError as error:",
        "a byte 0 in a file",
    ),
)
