"""Faults after which looptx does something else than the directives say.

Most of them run the loops in an order that is legal as well: only the tier that knows
what directives mean can find them.
"""

from __future__ import annotations

from functools import partial

from fuzz.mutation import Mutation

_meaning = partial(Mutation, tier="meaning")

MEANING = (
    _meaning(
        "reorder-ignored",
        "directives/reorder.py",
        "[find(schedule, loop).uid for loop in self.order]",
        "sorted(find(schedule, loop).uid for loop in self.order)",
        "for i, for j: A[i, j] = 1: reorder j i",
    ),
    _meaning(
        "reorder-of-three-turned-round",
        "directives/reorder.py",
        "following = iter(order)",
        "following = iter((order[0], *reversed(order[1:])))",
        "for i, for j, for k: A[i, j] = 1: reorder k i j",
    ),
    _meaning(
        "statement-beside-a-loop-changes-sides",
        "directives/reorder.py",
        '(*beside(d, "before"), *parts(tree), *beside(d, "after"))',
        '(*beside(d, "after"), *parts(tree), *beside(d, "before"))',
        "for i: x[i] = 1, for j, for k: A[j, k] = 1: reorder k j",
    ),
    _meaning(
        "statement-leaves-one-loop-too-many",
        "directives/reorder.py",
        "loops = {level.dim.uid for level in own}",
        "loops = {own[0].dim.uid}",
        "for i, for j: x[i] = 1, for k: A[j, k] = 1: reorder i k j",
    ),
    _meaning(
        "loops-of-later-nests-first-in-the-list",
        "model/dims.py",
        "next(path[0] for path in left if path[0] not in inner)",
        "next(path[0] for path in reversed(left) if path[0] not in inner)",
        "fuse n0 n1 partial=1 with j and l not fused: reorder f l i",
    ),
    _meaning(
        "common-loop-changed-in-one-nest",
        "directives/names.py",
        'if len(uids) == 1 and set(name) & set(".#"):',
        "if len(uids) == 1:",
        "fuse n0 n1 partial=1 with j not fused, on n1: reorder f j i, split i 2",
    ),
    _meaning(
        "f-taken-for-a-variable",
        "directives/fuse.py",
        "check_new(loop_names(schedule), self.names[rank:], *old)",
        "check_new(used(schedule), self.names[rank:], *old)",
        "def g(A, n): fuse n0 n1 as i A",
    ),
    _meaning(
        "directive-about-another-nest-stays-where-it-stands",
        "scope.py",
        "return homes.pop() if len(homes) == 1 else at",
        "return at",
        "for i: on it `split n1.j 2`, for j",
    ),
    _meaning(
        "blocks-inside-their-own-loop",
        "model/schedule.py",
        "lambda band: Band(outer, Band(inner, band.body))",
        "lambda band: Band(inner, Band(outer, band.body))",
        "x[i] = 1: split i 4",
    ),
    _meaning(
        "sizes-of-tile-swapped",
        "directives/tile.py",
        "zip(dims, self.sizes, strict=True)",
        "zip(dims, self.sizes[::-1], strict=True)",
        "for i, for j: A[i, j] = 1: tile i=2 j=3",
    ),
    _meaning(
        "parts-rounded-down",
        "directives/split.py",
        "return max(1, -(-count // self.parts))",
        "return max(1, count // self.parts)",
        "for i in range(5): x[i] = 1: split i parts=2",
    ),
    _meaning(
        "size-off-by-one-from-the-second-on",
        "directives/split.py",
        "schedule, _, dim = cut(schedule, dim, size, names)",
        "schedule, _, dim = cut(schedule, dim, size + (number > 0), names)",
        "x[i] = 1: split i 4 2",
    ),
    _meaning(
        "factor-of-skew-ignored",
        "directives/skew.py",
        "return cls(loop, along, by, int(below), place=place, source=source)",
        "return cls(loop, along, 1, int(below), place=place, source=source)",
        "for i, for j: A[i, j] = 1: skew i j by 2, reorder j i",
    ),
    _meaning(
        "negative-factor-of-skew-taken-as-positive",
        "directives/skew.py",
        'by = bounded(rest[1], "factor", least=1 - LIMIT)',
        'by = abs(bounded(rest[1], "factor", least=1 - LIMIT))',
        "for i, for j: A[i, j] = 1: skew j i by -1, reorder j i",
    ),
    _meaning(
        "pad-on-the-other-side",
        "directives/pad.py",
        'count = bounded(clause.operands[1], "number of positions", least=0)',
        'count = -bounded(clause.operands[1], "number of positions", least=0)',
        "x[i] = 1: pad i 1, split i 4",
    ),
    _meaning(
        "order-of-fused-nests-as-in-the-text",
        "directives/fusion.py",
        "for number, each in enumerate(parts)",
        "for number, each in enumerate("
        "sorted(parts, key=lambda x: min(statements(x.tree))))",
        "x[i] = 1 and y[i] = 1: fuse n1 n0",
    ),
    _meaning(
        "shallow-nest-at-the-second-position",
        "directives/fusion.py",
        "values.update(dict.fromkeys(statements(each.tree), Const(0)))",
        "values.update(dict.fromkeys(statements(each.tree), Const(1)))",
        "for i, for j: A[i, j] = 1 and for i: x[i] = 1: fuse n0 n1",
    ),
    _meaning(
        "unfused-loop-leaves-the-fusing-dimension",
        "directives/fusion.py",
        "return with_dims(tree, change)",
        "return tree",
        "two nests of two loops: fuse n0 n1 partial=1, reorder j f",
    ),
    _meaning(
        "fused-loops-meet-by-position",
        "directives/alignment.py",
        "result[name] = mul(Const(step), distance)",
        "result[name] = Const(0)",
        "for i in range(1, n): x[i] = 1 and for i in range(n): y[i] = 1: fuse n0 n1",
    ),
    _meaning(
        "nest-between-goes-behind",
        "directives/between.py",
        "elif any(_shares(nest, child, other) for other in (*held, *after)):",
        "elif child not in own:",
        "x[i] = 1, y[i] = 1 and x[i] = 2: fuse n0 n2",
    ),
    _meaning(
        "loops-of-one-name-counted-from-behind",
        "directives/names.py",
        "found = found[int(number) - 1 : int(number)]",
        "found = found[::-1][int(number) - 1 : int(number)]",
        "for i: for j: A[i, j] = 1, for j: A[i, j] = 2: split j#1 2",
    ),
    _meaning(
        "positions-counted-from-zero",
        "model/schedule.py",
        "start = first_value(nest, nest.loops[loop])",
        "start = first_value(nest, nest.loops[loop]) if step < 0 else Const(0)",
        "for i in range(1, n): x[i] = 1: split i 4",
    ),
    _meaning(
        "last-iteration-before-the-least-of-stops-lost",
        "poly/astloops.py",
        "start, stop, step = loop_bounds(node, names, wide=self.wide)",
        "start, stop, step = loop_bounds(node, names, wide=self.wide)\n"
        "        stop = sub(stop, Const(1)) if type(stop) is Min else stop",
        "x[i] = 1: split i 4",
    ),
    _meaning(
        "split-loses-the-mark-of-unroll",
        "directives/split.py",
        "Marks(None, marks.vectorize, marks.unroll, marks.unroll_below)",
        "Marks(None, marks.vectorize, None, marks.unroll_below)",
        "x[i] = 1: unroll i 2, split i 4",
    ),
    _meaning(
        "one-copy-too-few",
        "looptree/unroll.py",
        "factor = node.marks.unroll\n",
        "factor = node.marks.unroll and node.marks.unroll - 1\n",
        "x[i] = 1: unroll i 3",
    ),
    _meaning(
        "unrolled-copies-in-pairs-swapped",
        "looptree/unroll.py",
        "value = add(first, Const(number * node.step))",
        "value = add(first, Const((number ^ (count % 2 == 0)) * node.step))",
        "x[i] = 1: unroll i 2",
    ),
)
