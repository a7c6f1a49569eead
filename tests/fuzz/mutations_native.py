"""Faults in native code, and in what looptx does with text that is no directive."""

from __future__ import annotations

from functools import partial

from fuzz.mutation import Mutation

_native = partial(Mutation, tier="native")
_text = partial(Mutation, tier="text")

NATIVE = (
    _native(
        "alias-test-skipped",
        "emit/cython/layouts.py",
        "if {one, two} & written and",
        "if not {one, two} and",
        "A[i, j] = B[i, j] where B is a view of A: reorder j i",
    ),
    _native(
        "subscripts-unchecked",
        "emit/cython/entry.py",
        "outside(self.scope.planned.inside(),",
        "outside(And(()),",
        "x[i + 1] = 1 for as many i as x has cells: split i 4",
    ),
    _native(
        "division-rounds-towards-zero",
        "emit/cython/helpers.py",
        '"int64_t q = a / b; return q - (q * b != a && (a < 0) != (b < 0));"',
        '"return a / b;"',
        "x[i] = (i - n) // 2: split i 4",
    ),
    _native(
        "remainder-rounds-towards-zero",
        "emit/cython/helpers.py",
        '"int64_t m = a % b; return m + (m && (m < 0) != (b < 0) ? b : 0);"',
        '"return a % b;"',
        "for i in range(2, n): x[i] = 1: unroll i 4",
    ),
    _native(
        "negative-subscript-left-alone",
        "emit/cython/helpers.py",
        '"return i < 0 ? i + n : i;"',
        '"return i;"',
        "x[i] = y[i - 1] from i = 0 on: split i 4",
    ),
    _native(
        "absolute-value-of-an-integer-lost",
        "emit/cython/helpers.py",
        '"return i < 0 ? -i : i;"',
        '"return i;"',
        "x[i] = abs(y[i]) in int64: split i 4",
    ),
    _native(
        "blocks-without-the-rest",
        "emit/cython/helpers.py",
        "(n / parts * part + n % parts * part / parts)",
        "(n / parts * part)",
        "s += x[i]: reassociate s, parallel i",
    ),
    _native(
        "lanes-without-a-tail",
        "emit/cython/helpers.py",
        '"return high > low ? high - (high - low) % size : low;"',
        '"return high > low ? high + (low - high) % size + size : low;"',
        "s += x[i]: reassociate s, vectorize i",
    ),
    _native(
        "first-block-uncombined",
        "lower/loops/parallel.py",
        "lines.append(For(part.name, number(0), blocks, (*combining,)))",
        "lines.append(For(part.name, number(1), blocks, (*combining,)))",
        "s += x[i]: reassociate s, parallel i",
    ),
    _native(
        "product-begins-with-zero",
        "lower/loops/reductions.py",
        'return number(-1 if self.op == "&" and dtype != "bool" else 1)',
        'return number(-1 if self.op == "&" and dtype != "bool" else 0)',
        "s *= x[i]: reassociate s, parallel i",
    ),
    _native(
        "maximum-begins-with-infinity",
        "lower/loops/reductions.py",
        'return literal(math.inf if self.op == "min" else -math.inf)',
        "return literal(math.inf)",
        "s = max(s, x[i]): reassociate s, parallel i",
    ),
    _native(
        "cell-in-a-register-not-stored",
        "lower/loops/nodes.py",
        "*(Assign(cell, variable) for cell, variable in kept.items()),",
        "",
        "x[i] += A[i, j]: split i 4",
    ),
    _native(
        "native-temporary-not-cleared",
        "lower/loops/nodes.py",
        "return self._fill(held, node, frame)",
        "return []",
        "T = np.zeros(m); for i, for j: T[j] += A[i, j]; B[i, j] = T[j]: temp T",
    ),
    _native(
        "returned-scalar-lost",
        "lower/nest.py",
        "body.append(Assign(place, value))",
        "body.append(Assign(place, number(0)))",
        "s += x[i], returned: split i 4",
    ),
    _native(
        "falling-loop-without-its-step",
        "lower/loops/functions.py",
        "return None if node.step == 1 else number(node.step)",
        "return None if node.step == 1 else number(abs(node.step))",
        "for i in range(n, 0, -1): x[i] = 1: split i 4",
    ),
    _native(
        "tie-of-min-and-max-taken-from-the-left",
        "emit/cython/prelude.py",
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
