"""Faults in directives, and in the loops that looptx writes."""

from __future__ import annotations

from fuzz.mutation import Mutation

DIRECTIVES = (
    Mutation(
        "split-again-forgets-the-first-size",
        "model/schedule.py",
        "weights[part] = weights.get(part, 0) + weight * factor",
        "weights[part] = weights.get(part, 0) + factor",
        "x[i] = 1: split i 4, split i 2",
    ),
    Mutation(
        "skew-undone-with-the-wrong-sign",
        "directives/skew.py",
        "weights[along.uid] = weights.get(along.uid, 0) - change",
        "weights[along.uid] = weights.get(along.uid, 0) + change",
        "A[i, j] = 1: skew i j",
    ),
    Mutation(
        "pad-undone-by-one",
        "directives/pad.py",
        "Const(-self.count * value.weights.get(uid, 0))",
        "Const(-value.weights.get(uid, 0))",
        "x[i] = 1: pad i 2",
    ),
)

GENERATION = (
    Mutation(
        "falling-loop-written-rising",
        "poly/coordinates.py",
        "return index is not None and index.step < 0",
        "return False",
        "for i in range(n, 0, -1): x[i] = x[i + 1]: split i 4",
    ),
    Mutation(
        "falling-bound-still-the-least",
        "poly/astloops.py",
        "return maximum(*map(_negated, args))",
        "return minimum(*map(_negated, args))",
        "for i in range(n, 0, -1): x[i] = 1: split i 4",
    ),
    Mutation(
        "value-with-its-phase",
        "poly/astloops.py",
        "counted = sub(Var(dim.name), phase)",
        "counted = Var(dim.name)",
        "x[i] = 1: split i 2, skew i ii by -1",
    ),
    Mutation(
        "guard-off-by-one",
        "poly/astexpr.py",
        '_OP.ge: ">="',
        '_OP.ge: ">"',
        "x[i] = 1, A[i, j] = 1 for i, for j: split i 4, split j 4, reorder j i",
    ),
    Mutation(
        "floor-division-truncates",
        "poly/astexpr.py",
        "_OP.fdiv_q: floordiv,",
        "_OP.fdiv_q: lambda a, b: neg(floordiv(neg(a), b)),",
        "A[i, j] = 1: skew i j, split i 4, reorder j i",
    ),
    Mutation(
        "row-of-a-collapsed-loop-too-early",
        "poly/unfold.py",
        "positions, place = product.rows, floordiv(value, width)",
        "positions, place = product.rows, floordiv(add(value, ONE), width)",
        "A[i, j] = 1: collapse i j as z, split z 4",
    ),
)

TREE = (
    Mutation(
        "column-without-its-step",
        "looptree/merge.py",
        "add(inner.start, mul(Const(inner.step), column))",
        "add(inner.start, column)",
        "for j in range(0, m, 2): A[i, j] = 1: collapse i j",
    ),
    Mutation(
        "rows-told-by-the-number-of-rows",
        "looptree/merge.py",
        "row, column = floordiv(position, columns), mod(position, columns)",
        "row, column = floordiv(position, rows), mod(position, rows)",
        "for i in range(n), for j in range(m): A[i, j] = 1: collapse i j",
    ),
    Mutation(
        "unrolled-remainder-lost",
        "looptree/unroll.py",
        "return (main, rest)",
        "return (main,)",
        "x[i] = 1: unroll i 2",
    ),
    Mutation(
        "last-unrolled-group-lost",
        "looptree/unroll.py",
        "last = sub(node.stop, Const(stride - node.step))",
        "last = sub(node.stop, Const(stride))",
        "x[i] = 1: unroll i 2",
    ),
    Mutation(
        "unrolled-loop-of-negative-count-runs",
        "looptree/unroll.py",
        "if facts.nonnegative(span):\n            return after",
        "if span:\n            return after",
        "for i in range(2, n): x[i] = 1: unroll i 4",
    ),
    Mutation(
        "needed-guard-dropped",
        "looptree/redundant.py",
        "gap = sub(loop.start, loop.stop) if loop.step > 0 "
        "else sub(loop.stop, loop.start)",
        "gap = sub(loop.stop, loop.start) if loop.step > 0 "
        "else sub(loop.start, loop.stop)",
        "if n > 2: for j: A[i, j] = 1: split i 4",
    ),
    Mutation(
        "bound-off-by-one-counts-as-least",
        "model/expr/algebra.py",
        "return apart.at_most(0) if kind is Min",
        "return apart.at_most(1) if kind is Min",
        "x[i] = 1 up to n, y[i] = 1 up to n + 1: fuse n0 n1, split i 4",
    ),
    Mutation(
        "count-rounded-down",
        "model/expr/algebra.py",
        "return floordiv(add(span, Const(step - 1)), step)",
        "return floordiv(span, step)",
        "for i in range(0, n, 2), for j: A[i, j] = 1: collapse i j",
    ),
    Mutation(
        "carry-of-a-division-lost",
        "model/expr/algebra.py",
        "return add(total(whole, carry), _quotient(rest, constant, divisor))",
        "return add(total(whole, 0), _quotient(rest, constant, divisor))",
        "for i in range(4, n): x[i] = 1: pad i 2, split i 2",
    ),
    Mutation(
        "comparison-off-by-one",
        "model/expr/conditions.py",
        'return Compare(">", left, sub(right, ONE))',
        'return Compare(">", left, right)',
        "if i + 1 >= n: x[i] = 1: split i 4",
    ),
    Mutation(
        "negation-off-by-one",
        "model/expr/conditions.py",
        '_NEGATED = {"<": ">=",',
        '_NEGATED = {"<": ">",',
        "if i < j: A[i, j] = 1, else: A[i, j] = 2: split i 4",
    ),
)

TEXT = (
    Mutation(
        "parentheses-lost",
        "syntax/substitution.py",
        "least = CHOICE if new.lpar else _least(around, old)",
        "least = CHOICE",
        "x[2 * i] = 1: unroll i 2",
    ),
    Mutation(
        "subtracted-loop-added",
        "syntax/substitution.py",
        "values.append(value if isinstance(sign, cst.Add) else neg(value))",
        "values.append(value)",
        "x[i - j + 9] = 1: unroll j 2",
    ),
    Mutation(
        "remark-lost",
        "syntax/loops.py",
        "body.statement(undirected(written), about.behind)",
        "body.statement(undirected(written))",
        "x[i] = 1  # remark: split i 4",
    ),
    Mutation(
        "nothing-done-where-an-assumption-fails",
        "syntax/region.py",
        "other.add(undirected(line))",
        'other.line("pass")',
        "x[i] = 1: assume n % 2 == 0, split i 2",
    ),
    Mutation(
        "sizes-left-to-numpy",
        "looptree/sizes.py",
        "needed = Names().union(*map(self._needed, nodes(block)))",
        "needed = Names()",
        "x[0] = i: split i 2",
    ),
    Mutation(
        "another-min-called",
        "looptree/choices.py",
        'case Min(args) if "min" in hidden',
        'case Min(args) if "min" in ()',
        "def min(*_): ..., x[i] = 1: split i 4, reorder ii i",
    ),
    Mutation(
        "directive-above-def-stays",
        "rewriting.py",
        "region.undirect(module.parsed.place(module.definition(kernel)))",
        "pass",
        "two nests: fuse n0 n1 above the def",
    ),
)
