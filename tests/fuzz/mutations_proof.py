"""Faults in what looptx reads, and in what it proves."""

from __future__ import annotations

from fuzz.mutation import Mutation

_WRITES = "if not (source_access.write or sink_access.write):"

SOURCE = (
    Mutation(
        "one-read-of-each-array",
        "source/nests/statements/accesses.py",
        "return tuple(dict.fromkeys(few))",
        "return tuple({(one.array, one.write): one for one in few}.values())",
        "A[i, j] = A[i - 1, j + 1] + A[i, j]: reorder j i",
    ),
    Mutation(
        "else-under-its-own-condition",
        "source/nests/builder.py",
        "other = negate(cond)",
        "other = cond",
        "if i > j: A[i, j] = 1, else: A[i, j] = 2: split i 4",
    ),
    Mutation(
        "remainder-in-subscript-ignored",
        "source/nests/sizes/affine.py",
        "return mod(ours, number)",
        "return ours",
        "x[i % 3] = B[i, j]: parallel i",
    ),
    Mutation(
        "statement-moved-over-a-nest",
        "source/nests/joining.py",
        "if movable and self._again(stmt) and self._free(stmt, earlier):",
        "if movable and self._again(stmt):",
        "q = x[0] between a nest that writes x and another: fuse n0 n1",
    ),
)

PROOF = (
    Mutation(
        "flow-dependence-dropped",
        "poly/dependences.py",
        _WRITES,
        "if not sink_access.write:",
        "A[i, j] = A[i - 1, j + 1]: reorder j i",
    ),
    Mutation(
        "anti-dependence-dropped",
        "poly/dependences.py",
        _WRITES,
        "if not source_access.write:",
        "A[i, j] = A[i + 1, j - 1]: reorder j i",
    ),
    Mutation(
        "output-dependence-dropped",
        "poly/dependences.py",
        _WRITES,
        "if source_access.write == sink_access.write:",
        "x[i + j] = B[i, j]: reorder j i",
    ),
    Mutation(
        "order-within-an-iteration-dropped",
        "poly/order.py",
        "(ahead if decided < 0 else level)",
        "level",
        "a nest that writes x[i] and one that reads it: fuse n1 n0",
    ),
    Mutation(
        "falling-loop-proven-as-rising",
        "poly/order.py",
        "up = self.spaces.nest.loops[loop].step > 0",
        "up = True",
        "for i in range(n, 0, -1), for j: A[i, j] = A[i + 1, j + 1]: reorder j i",
    ),
    Mutation(
        "float-sums-reordered",
        "poly/legality.py",
        "return target in schedule.reassociate or target in integers",
        "return True",
        "s += A[i, j]: reorder j i",
    ),
    Mutation(
        "parallel-carries-anything",
        "poly/legality.py",
        "inner.apply_range(unequal).apply_range(other.reverse())",
        "inner.apply_range(other.reverse())",
        "x[i] = x[i - 1]: parallel i",
    ),
    Mutation(
        "parallel-checked-at-any-outer-iterations",
        "poly/legality.py",
        "return equal & inner",
        "return inner",
        "A[i, j] = A[i - 1, j + 1]: parallel j",
    ),
    Mutation(
        "vector-loop-unchecked",
        "poly/analysis.py",
        "or band.dim.marks.vectorize is not None",
        "",
        "x[i] = x[i - 1]: vectorize i",
    ),
    Mutation(
        "returned-scalar-private",
        "poly/lives.py",
        "if name in nest.live_out:",
        "if name in nest.arrays:",
        "t = x[i], returned: parallel i",
    ),
    Mutation(
        "guard-forgotten",
        "poly/spaces.py",
        "known = self._guarded[key] = result & guard",
        "known = self._guarded[key] = result",
        "if i > 0: x[i] = 1: split i 4",
    ),
    Mutation(
        "stride-two-forgotten",
        "poly/spaces.py",
        "if abs(loop.step) != 1:",
        "if abs(loop.step) > 2:",
        "for i in range(0, n, 2): x[i] = 1: split i 4",
    ),
    Mutation(
        "floor-read-as-ceiling",
        "poly/spaces.py",
        "return scaled.floor()",
        "return scaled.ceil()",
        "x[i // 2] = y[i]: split i 2",
    ),
    Mutation(
        "least-bound-read-as-greatest",
        "poly/spaces.py",
        "return reduce(isl.PwAff.min, map(visit, args))",
        "return reduce(isl.PwAff.max, map(visit, args))",
        "for j in range(min(i, n)): A[i, j] = 1: reorder j i",
    ),
    Mutation(
        "loop-variable-ends-with-its-first-value",
        "poly/bounds.py",
        "last = given.lexmax()",
        "last = given.lexmin()",
        "for i in range(n), i is returned: split i 4",
    ),
)

CAUTION = (
    Mutation(
        "integer-sums-kept-in-order",
        "poly/legality.py",
        "return target in schedule.reassociate or target in integers",
        "return target in schedule.reassociate",
        "s += k[i] of integers: reorder j i",
    ),
    Mutation(
        "scalars-never-private",
        "poly/lives.py",
        "if name in temporaries or (life.loops and life.first.is_empty()):",
        "if name in temporaries:",
        "t = x[i]; y[i] = t: parallel i",
    ),
    Mutation(
        "assumption-ignored",
        "poly/spaces.py",
        "self.context = self._context_set(assumes)",
        "self.context = self._context_set(())",
        "if n > m: x[i] = x[i - 1]: assume n <= m, parallel i",
    ),
    Mutation(
        "nothing-moves-between-nests",
        "source/nests/joining.py",
        "movable = self._moves(stmt) and alone and (_is_quiet(stmt) or not caught)",
        "movable = False",
        "q = 1 between two nests: fuse n0 n1",
    ),
    Mutation(
        "no-temporary-is-clear",
        "poly/inside.py",
        "if not bad.is_empty():",
        "if not domain.is_empty():",
        "T[i] = x[i]; y[i] = T[i]: temp T",
    ),
    Mutation(
        "depth-three-is-too-much",
        "poly/dependences.py",
        "if pairs > MOST_PAIRS:",
        "if pairs > MOST_PAIRS or any(len(one.loops) > 2 for one, _ in uses):",
        "for i, for j, for k: A[i, j] = 1: split i 4",
    ),
)

STORAGE = (
    Mutation(
        "temporary-lives-too-briefly",
        "poly/storage.py",
        "if any(other.uid != dim.uid for other in level) or not self._stays(dim):",
        "if any(other.uid != dim.uid for other in level):",
        "T[i] = x[i]; y[i] = T[i - 1]: temp T",
    ),
    Mutation(
        "window-one-position-short",
        "poly/windows.py",
        "yield apart + 1 if apart < WIDEST else 0",
        "yield max(apart, 1) if apart < WIDEST else 0",
        "T[i] = x[i]; y[i] = T[i - 1]: temp T",
    ),
    Mutation(
        "buffer-one-cell-short",
        "poly/storage.py",
        "extent = add(expression(self.spaces, most), Const(1))",
        "extent = expression(self.spaces, most)",
        "a nest that writes T[i] and one that reads it: fuse n0 n1, temp T",
    ),
    Mutation(
        "stale-temporary",
        "poly/storage.py",
        "filled=self._fills(),",
        "filled=self._fills() and not self.axes,",
        "T = np.zeros(m); for i, for j: T[j] += A[i, j]; B[i, j] = T[j]: temp T",
    ),
)
