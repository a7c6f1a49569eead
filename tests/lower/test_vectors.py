"""Loops in explicit vectors: every byte as CPython leaves it, and none beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, copied
from kit.guarded import Guarded
from kit.together import compiled

import looptx
from looptx.looptree.nodes import Call, For, Let
from looptx.lower.vectors.blocks import whole
from looptx.model.execution.marks import Marks
from looptx.model.expr import Const, Min, Var, add
from looptx.native.ahead.extension import extension_text
from looptx.native.compile.tuned import tuned

SIZES = (0, 1, 2, 7, 8, 9, 16, 31, 37)


@looptx.kernel
def update(x, y, a):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] += a * x[i] - y[i] / -x[i]


@looptx.kernel
def backwards(x, y):
    n = x.shape[0]
    # looptx: vectorize i 4
    for i in range(n):
        y[n - 1 - i] = -x[i] + x[n - 1 - i]


@looptx.kernel
def gathered(x, y):
    # looptx: vectorize i 4
    for i in range(y.shape[0] // 3):
        y[3 * i + 1] = x[2 * i] * x[i] + i


@looptx.kernel
def columns(A, B):
    # looptx: vectorize i 8
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            A[i, j] += B[j, i] * B[0, i]


@looptx.kernel
def with_scalars(x, y):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        twice = x[i] + x[i]
        y[i] = twice * twice
        twice = y[i] - i
        y[i] *= twice


@looptx.kernel
def blocks(A, B, C):
    # looptx: split i 3 | split j 8 | reorder i j k ii jj | unroll ii | vectorize jj 4
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel
def odd_blocks(A, B, C):
    # looptx: split i 2 | split j 15 | reorder i j k ii jj | vectorize jj 8
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel
def four(A, B):
    # looptx: vectorize k 8
    for i in range(A.shape[0]):
        for k in range(4):
            A[i, k] += B[i, k] * A[i, 4]


@looptx.kernel
def ninety_nine(A, x):
    # looptx: vectorize k 8
    for i in range(A.shape[0]):
        for k in range(1, 100):
            half = x[k] * 0.5
            A[i, k] = half + k


@looptx.kernel
def strides(x, y):
    n = x.shape[0]
    # looptx: vectorize i 4
    for i in range(n - 1, -1, -1):
        y[i] = y[i] / x[i] + i
    # looptx: vectorize i 4
    for i in range(1, n, 3):
        y[i - 1] += x[i] * y[i + 1]


@looptx.kernel
def alone(x):
    # looptx: vectorize i 1
    for i in range(x.shape[0]):
        x[i] += 1.0


@looptx.kernel
def packed(A, B, C):
    # looptx: tile i=4 j=16 k=3 | reorder j k i kk jj ii
    # looptx: cache_read B at k packed as PB | cache_read A at i packed as PA
    # looptx: tile ii=2 jj=8 | reorder jj ii kk iii jjj | vectorize jjj 4
    # looptx: cache_write C at ii
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel
def neighbours(A, x):
    # looptx: split j 8 | reorder j i jj | vectorize jj 4
    for i in range(A.shape[0]):
        for j in range(x.shape[0] - 1):
            x[j + 1] += A[i, j] + x[0]


@looptx.kernel
def chosen(x, y, z, a):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] = x[i] if x[i] > a and not (z[i] == y[i] or a < 0) else -z[i]
        z[i] = min(x[i], y[i], x[0]) + max(z[i], x[i] if i != 2 else y[i])


@looptx.kernel
def late(x, y):
    # looptx: vectorize i 8
    for i in range(y.shape[0]):
        y[i] = x[i - 9] if i > 8 else y[i]


@looptx.kernel
def functions(x, y, z):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] = np.sqrt(abs(x[i])) + np.minimum(y[i], x[i]) - np.fabs(z[i])
        z[i] = np.maximum(y[i], z[i]) if np.floor(x[i]) != 0 else 0 + x[i]


@looptx.kernel
def signs(x, y):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] = np.sign(x[i]) * 3


@looptx.kernel
def by_bytes(c, x, y):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] = x[i] * 2.0 if c[i] else x[i] + y[i]


@looptx.kernel
def bytes_read(c, x, y):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] = x[i] + (x[i] * 2.0 if c[i] else 1.0)


@looptx.kernel
def ramps(x, y, k, n):
    # looptx: vectorize i 8
    for i in range(n):
        x[i] = i * 0.5 - (3 - 2 * i) * n
        y[i] = i * i - i // 2 if i != 3 else i
        k[n - 1 - i] = 7 - 5 * i


@looptx.kernel
def widths(x, y, k, m):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] += x[i] * k[i] + m[i]
        m[i] += k[i] * 3 - m[i] * i


@looptx.kernel
def under_conditions(c, x, y):
    # looptx: vectorize i
    for i in range(c.shape[0]):
        if c[i] > 0.5:
            y[i] += x[i] * 2.0


@looptx.kernel
def small(x, y):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        y[i] = x[i] + y[i]


@looptx.kernel
def in_threads(A, x):
    # looptx: parallel i | vectorize j 8
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = A[i, j] * x[j] + x[i]


@looptx.kernel(
    "pad back.i 1 | fuse there back as i f | skew i t by 2 | tile t=8 i=64",
    "reorder t i tt f ii | vectorize ii 8",
)
def overlapping(x, y, steps):
    for t in range(steps):
        # looptx: nest there
        for i in range(1, x.shape[0] - 1):
            y[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1])
        # looptx: nest back
        for i in range(1, x.shape[0] - 1):
            x[i] = 0.33333 * (y[i - 1] + y[i] + y[i + 1])


def same(kernel: Any, *given: Any, native: int = 1) -> None:
    """Check that a kernel does what its function does, but for the bits of NaNs."""
    before, outcomes = calls(kernel), []
    for function in (kernel, kernel.py_func):
        args = [copied(a) if isinstance(a, np.ndarray) else a for a in given]
        with np.errstate(all="ignore"):
            returned = repr(function(*args))
        arrays = [a for a in args if isinstance(a, np.ndarray)]
        outcomes.append((returned, *map(plain, arrays)))
    assert outcomes[0] == outcomes[1]
    assert calls(kernel) == before + native


def plain(array: np.ndarray) -> bytes:
    """The bytes of an array; where NaNs meet, the processor chooses one."""
    found = array.copy()
    if found.dtype.kind == "f":
        found[np.isnan(found)] = np.nan
    return found.tobytes()


def special(n: int, dtype: str = "float64") -> np.ndarray:
    """Numbers with zeros of both signs, infinities and NaN among them."""
    rng = np.random.default_rng(n)
    found = (rng.random(n) * 100 - 50).astype(dtype)
    if np.dtype(dtype).kind == "f":
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324], dtype)
        found[::3] = np.resize(odd, len(found[::3]))
    return found


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for most of what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("vectors"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    x, whole, square = special(9), special(9, "int64"), special(81).reshape(9, 9)
    for dtype in ("float64", "float32"):
        same_type = special(9, dtype)
        yield update, same_type, same_type, same_type.dtype.type(2.5)
        yield chosen, same_type, same_type, same_type, 0.5
        yield functions, same_type, same_type, same_type
        for other in ("int32", "int64"):
            yield widths, same_type, x, special(9, "int32"), special(9, other)
    for dtype in ("float64", "float32", "int64", "int32"):
        yield backwards, special(9, dtype), special(9, dtype)
    for dtype in ("float64", "float32", "int32"):
        yield blocks, *[special(81, dtype).reshape(9, 9) for _ in range(3)]
    yield from ((of, square, square, square) for of in (odd_blocks, packed))
    yield from ((columns, A, square) for A in (square, np.asfortranarray(square)))
    yield overlapping, x, x, 1
    yield gathered, special(19), x
    yield from ((of, x, x) for of in (with_scalars, small))
    yield four, special(15).reshape(3, 5), special(12).reshape(3, 4)
    yield ninety_nine, special(300).reshape(3, 100), special(100)
    yield alone, x
    yield from ((of, x, special(19)) for of in (strides, late))
    yield from ((of, square, x) for of in (neighbours, in_threads))
    yield under_conditions, x, x, x
    yield from ((of, x > 0, x, x) for of in (by_bytes, bytes_read))
    yield ramps, x, whole, whole, 9
    yield small, *[np.zeros(9, "int16") for _ in range(2)]
    yield update, x[::2], x[::2], 0.5
    yield in_threads, square[:, ::2], special(18)[::2]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_neighbours(n: int, dtype: str) -> None:
    scale = np.dtype(dtype).type(2.5)
    same(update, special(n, dtype), special(n + 1, dtype)[1:], scale)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_backwards(n: int, dtype: str) -> None:
    same(backwards, special(n, dtype), special(n, dtype))


@pytest.mark.parametrize("steps", [0, 1, 8, 9])
@pytest.mark.parametrize("n", [*SIZES, 130, 257])
def test_vectors_written_out_that_overlap(n: int, steps: int) -> None:
    same(overlapping, special(n), special(n), steps)


@pytest.mark.parametrize("n", SIZES)
def test_gathered(n: int) -> None:
    same(gathered, special(2 * n + 1), special(n))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 1, 5])
def test_columns(n: int, m: int) -> None:
    if m == 0:
        return
    B = special(m * n).reshape(m, n)
    same(columns, special(n * m).reshape(n, m), B)
    fortran = np.asfortranarray(special(n * m).reshape(n, m))
    same(columns, fortran, B)


@pytest.mark.parametrize("n", SIZES)
def test_scalars_are_vectors(n: int) -> None:
    same(with_scalars, special(n), special(n))


@pytest.mark.parametrize("n", [0, 1, 7, 16, 17])
@pytest.mark.parametrize("m", [0, 1, 8, 13, 16])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_blocks(n: int, m: int, dtype: str) -> None:
    A, B = special(n * 5, dtype).reshape(n, 5), special(m * 5, dtype).reshape(5, m)
    same(blocks, A, B, special(n * m, dtype).reshape(n, m))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("m", [0, 1, 14, 15, 31])
def test_blocks_that_are_no_power_of_two(n: int, m: int) -> None:
    A, B = special(n * 5).reshape(n, 5), special(m * 5).reshape(5, m)
    same(odd_blocks, A, B, special(n * m).reshape(n, m))


def test_what_is_left_of_a_block_has_vectors_of_fewer_lanes() -> None:
    odd_blocks(np.ones((4, 2)), np.ones((2, 15)), np.zeros((4, 15)))
    text = odd_blocks.inspect_cython()
    for lanes, at in ((8, 0), (4, 8), (2, 12)):
        if lanes * 8 <= tuned().vector:
            cell = f"C[i * C_0 + j{f' + {at}' * (at > 0)}]"
            assert f" = (<lx_f64x{lanes}*>&{cell})[0]" in text
    assert " = C[i * C_0 + j + 14]\n" in text


def test_the_rest_of_a_loop_has_vectors_of_fewer_lanes() -> None:
    with_scalars(np.ones(9), np.ones(9))
    text = with_scalars.inspect_cython()
    lanes = [n for n in (8, 4, 2) if n * 8 <= tuned().vector]
    places = [text.index(f"(<lx_f64x{n}*>&y[") for n in lanes]
    assert places == sorted(places)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_constant_counts(n: int) -> None:
    same(four, special(n * 5).reshape(n, 5), special(n * 4).reshape(n, 4))
    same(ninety_nine, special(n * 100).reshape(n, 100), special(100))
    if n:
        assert "lx_f64x" in four.inspect_cython()
        assert "without explicit" not in str(four.report())


@pytest.mark.parametrize("n", SIZES)
def test_one_lane_is_no_vector(n: int) -> None:
    same(alone, special(n))
    if n:
        assert "no two iterations are side by side" in str(alone.report())


@pytest.mark.parametrize("n", SIZES)
def test_steps(n: int) -> None:
    same(strides, special(n), special(n + 1), native=2)
    if n > 2:
        assert "lx_reverse_f64x" in strides.inspect_cython()


def hint(line: str, dtype: str = "float64") -> str:
    """What helps, in what is said when a loop with that line is compiled ahead."""
    text = f"""import looptx
def f(x, y, n):
    # looptx: vectorize i
    for i in range(n):
        {line}
"""
    (said,) = extension_text(text, "f.py", dtypes=[dtype]).ordered
    assert said.code == "LX506"
    return said.hint


def test_the_hint_is_that_of_the_reason() -> None:
    leave = "leave `vectorize` out"
    assert hint("x[i] = y[i]", "int16").startswith("compute in float64, float32, int64")
    assert (
        hint("for j in range(i): x[i] += y[j]")
        == f"vectorize an innermost loop, or {leave}"
    )


@pytest.mark.parametrize("n", [0, 1, 3, 8, 11])
@pytest.mark.parametrize("m", [0, 1, 8, 16, 23, 33])
def test_blocks_inside_blocks(n: int, m: int) -> None:
    A, B = special(n * 7).reshape(n, 7), special(m * 7).reshape(7, m)
    same(packed, A, B, special(n * m).reshape(n, m))


@pytest.mark.parametrize("n", SIZES)
def test_cells_beside_a_block(n: int) -> None:
    if n:
        same(neighbours, special(n * 3).reshape(3, n), special(n))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "int64", "int32", "int8", "uint8"]
)
def test_signs(n: int, dtype: str) -> None:
    x = special(n, dtype)
    if dtype.startswith("float"):
        x[1::3], x[2::3] = -0.0, x[2::3] - np.dtype(dtype).type(5)
    same(signs, x, np.ones(n, dtype))
    if n and dtype != "float16":
        assert "lx_sign_" in signs.inspect_cython()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("a", [-1.0, 0.0, 2.5])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_conditions_are_masks(n: int, a: float, dtype: str) -> None:
    arrays = (special(n + shift, dtype)[shift:] for shift in range(3))
    same(chosen, *arrays, a)
    if n:
        assert "lx_choose_" in chosen.inspect_cython()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.filterwarnings("ignore:looptx")
def test_cells_under_conditions_are_used_only_there(n: int, end: bool) -> None:
    """Neither those of lanes where the condition fails, nor any that there are not."""
    for there in {n, n // 2}:
        c = special(n)
        c[there:] = np.resize([np.nan, 0.5, -1.0], n - there)
        given = c, special(there), special(there)
        ours = [Guarded(one.nbytes).array(one, end=end) for one in given]
        theirs = [one.copy() for one in ours]
        with np.errstate(all="ignore"):
            under_conditions(*ours)
            under_conditions.py_func(*theirs)
        assert [plain(one) for one in ours] == [plain(one) for one in theirs]


@pytest.mark.parametrize("n", SIZES)
def test_what_is_not_there_is_not_read(n: int) -> None:
    x = Guarded(n * 8).array(special(n), end=False)
    ours, theirs = special(n + 9), special(n + 9)
    late(x, ours)
    late.py_func(x, theirs)
    assert plain(ours) == plain(theirs)
    assert calls(late) or n < 9
    if calls(late):
        text = late.inspect_cython()
        assert "i_cut" in text
        assert "lx_get_" not in text


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions(n: int, dtype: str) -> None:
    same(functions, *(special(n + shift, dtype)[shift:] for shift in range(3)))


@pytest.mark.parametrize("n", SIZES)
def test_truth_is_loaded_in_vectors(n: int) -> None:
    c = np.arange(n) % 7 % 3 == 0
    for kernel in (by_bytes, bytes_read):
        same(kernel, c, special(n), special(n))
        # Any byte but 0 is True.
        c.view("uint8")[: n // 2] *= 0xA4
        same(kernel, c, special(n), special(n))
        lanes = tuned().vector // 8
        assert f"lx_from_u8_i64x{lanes}" in kernel.inspect_cython() or not n


@pytest.mark.parametrize("n", SIZES)
def test_ramps(n: int) -> None:
    same(ramps, special(n), special(n, "int64"), special(n, "int64"), n)
    if n:
        lanes = tuned().vector // 8
        text = ramps.inspect_cython()
        steps = ", ".join(map(str, range(lanes)))
        assert f"lx_splat_i64x{lanes}(i) + lx_lanes_i64x{lanes}({steps})" in text
        assert f"lx_lanes_i64x{lanes}(i," not in text


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("wide", ["float64", "float32"])
@pytest.mark.parametrize("whole", ["int32", "int64"])
def test_types_of_several_widths(n: int, wide: str, whole: str) -> None:
    x, y = special(n, wide), special(n)
    same(widths, x, y, special(n, "int32") * 70000, special(n, whole) * 1000)


def test_a_loop_without_vectors_says_why() -> None:
    x = special(9)
    same(small, x.astype("int16"), x.astype("int16"))
    line = small.py_func.__code__.co_firstlineno + 4
    reason = (
        f"runs without explicit vectors: line {line}: there are no vectors of int16"
    )
    assert reason in str(small.report())
    same(small, x, special(9))
    assert "lx_f64x" in small.inspect_cython()


def test_a_block_whose_end_is_known_late_is_not_written_out() -> None:
    index = {"i": Var("i")}
    tile = For(
        "jj", Var("j"), Min((Var("n"), add(Var("j"), Const(8)))), 1, (Call("s", index),)
    )
    tile = replace(tile, marks=Marks(vectorize=4))
    inside = For("k", Const(0), Var("m"), 1, (Let("j", Var("k")), tile))
    outside = For("k", Const(0), Var("m"), 1, (tile,))
    assert whole(inside) is None
    assert whole(outside) is not None


def test_cells_of_a_block_are_registers() -> None:
    blocks(np.ones((4, 2)), np.ones((2, 9)), np.zeros((4, 9)))
    text = blocks.inspect_cython()
    assert (
        "C_2 += lx_splat_f64x4(A[i * A_0 + k]) * (<lx_f64x4*>&B[k * B_0 + j])" in text
    )
    assert "(<lx_f64x4*>&C[i * C_0 + j])[0] = C_2" in text
    packed(np.ones((4, 2)), np.ones((2, 9)), np.zeros((4, 9)))
    text = packed.inspect_cython()
    assert "C_cache_2 += lx_splat_f64x4(" in text


@pytest.mark.parametrize("n", SIZES)
def test_in_threads(n: int) -> None:
    same(in_threads, special(n * n).reshape(n, n), special(n))


@pytest.mark.parametrize("layout", [np.s_[::2], np.s_[::-1], np.s_[1:], np.s_[::-3]])
@pytest.mark.parametrize("n", SIZES)
def test_strided_arrays(n: int, layout: slice) -> None:
    x, y = special(n * 3 + 1)[layout], special(n * 3 + 1)[layout]
    same(update, x, y, 0.5)
    rows = special(n * 9).reshape(9, n)
    same(in_threads, rows[:, layout], special(max(n, 27) * 3 + 1)[layout])


def test_arrays_that_overlap_run_as_written() -> None:
    for shift in range(4):
        ours, theirs = special(40), special(40)
        with np.errstate(all="ignore"):
            update(ours[shift:], ours[: 40 - shift], 2.0)
            update.py_func(theirs[shift:], theirs[: 40 - shift], 2.0)
        assert plain(ours) == plain(theirs)


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_no_byte_outside_is_touched(n: int, end: bool) -> None:
    def place(*arrays: np.ndarray) -> list[np.ndarray]:
        return [Guarded(one.nbytes).array(one, end=end) for one in arrays]

    def check(kernel: Any, *arrays: np.ndarray) -> None:
        ours = place(*arrays)
        theirs = [one.copy() for one in arrays]
        more = (0.5,) if kernel is chosen else ()
        kernel(*ours, *more)
        kernel.py_func(*theirs, *more)
        for one, two in zip(ours, theirs, strict=True):
            assert plain(one) == plain(two)

    with np.errstate(all="ignore"):
        check(backwards, special(n), special(n))
        check(with_scalars, special(n), special(n))
        check(in_threads, special(n * n).reshape(n, n), special(n))
        check(blocks, np.ones((n, 3)), np.ones((3, n)), np.ones((n, n)))
        check(chosen, *(special(n) for _ in range(3)))
        check(gathered, special(2 * n + 1), special(n))


def every_other(A: np.ndarray, y: np.ndarray, x: np.ndarray) -> float:
    total = 0.0
    for i in range(0, A.shape[0], 2):
        t = 0.0
        for j in range(A.shape[1]):
            t = t * 0.5 + A[i, j]
        y[i] = t
    for i in range(x.shape[0] - 1, -1, -3):
        total += x[i]
    return total


@pytest.mark.parametrize("n", SIZES)
def test_loops_in_steps_that_are_split(n: int) -> None:
    given = np.arange(3.0 * n).reshape(n, 3), np.zeros(n), np.arange(float(n))
    kernel = looptx.kernel(
        "split n0.i 4 | vectorize n0.ii | reassociate total",
        "split n1.i 7 as k kk | vectorize n1.kk",
        strict=True,
    )(every_other)
    same(kernel, *given, native=2)


def downwards(x: np.ndarray) -> float:
    total = 0.0
    for i in range(x.shape[0] - 1, -1, -1):
        total += x[i]
    return total


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float16", "uint8", "complex64", "complex128"])
@pytest.mark.parametrize("split", ["", "split i 4 as j i | "])
def test_loops_in_steps_of_types_without_vectors(
    n: int, dtype: str, split: str
) -> None:
    text = f"{split}reassociate total | vectorize i"
    kernel = looptx.kernel(text, strict=True)(downwards)
    same(kernel, np.arange(n).astype(dtype))


def doubled(x: np.ndarray, y: np.ndarray) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        y[i] = x[i] * 2.0
        total += y[i]
    return total


@pytest.mark.parametrize("name", ["end", "end_2", "lane", "i_0", "total_lanes", "new"])
@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_loops_may_have_any_name(name: str, dtype: str) -> None:
    kernel = looptx.kernel(
        f"reassociate total | split i 8 as i {name} | vectorize {name}", strict=True
    )(doubled)
    same(kernel, np.arange(37).astype(dtype), np.zeros(37, dtype))
