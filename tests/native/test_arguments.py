"""Which values native code takes, and as what; what is counted when it does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from looptx.errors import BuildFailed, Refused
from looptx.model.types import ArrayType, ScalarType
from looptx.native.analysis.nest_info import NestInfo
from looptx.native.call.arguments import Foreign, classify, classify_all
from looptx.native.call.dispatch import GUARD, Dispatcher, Owner, Version

INFO = NestInfo("f.n0", 1, ("A", "x"), ("s",), ("A",), "parallel i")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, ScalarType("bool", weak=True)),
        (1, ScalarType("int64", weak=True)),
        (1.0, ScalarType("float64", weak=True)),
        (1j, ScalarType("complex128", weak=True)),
        (np.float64(1), ScalarType("float64")),
        (np.float32(1), ScalarType("float32")),
        (np.bool_(True), ScalarType("bool")),
        (np.uint8(1), ScalarType("uint8")),
        (np.zeros(3), ArrayType("float64", 1, "C")),
        (np.zeros(6)[::2], ArrayType("float64", 1, "A")),
        (np.zeros((2, 3), np.int32), ArrayType("int32", 2, "C")),
        (np.zeros((2, 3)).T, ArrayType("float64", 2, "F")),
        (np.zeros((4, 4))[::2], ArrayType("float64", 2, "A")),
        (np.zeros((0, 3), bool), ArrayType("bool", 2, "C")),
        (np.zeros(3, complex), ArrayType("complex128", 1, "C")),
    ],
)
def test_types(value, expected):
    assert classify(value, written=True) == expected


class Mine(np.ndarray):
    pass


def unaligned():
    """An array whose cells lie at odd addresses."""
    return np.zeros(17, np.uint8)[1:].view(np.float64)


def read_only():
    """An array that cannot be written."""
    array = np.zeros(3)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "NoneType"),
        ([1.0], "list"),
        ("text", "str"),
        (np.zeros(3).view(Mine), "subclass"),
        (np.ma.zeros(3), "subclass"),
        (np.zeros(1).view(np.recarray), "subclass"),
        (np.zeros(3, object), "object"),
        (np.zeros(3, ">f8"), ">f8"),
        (np.zeros(3, np.clongdouble), "clongdouble"),
        (np.zeros(3, "f8,f8"), "f0"),
        (np.zeros(()), "0 dimensions"),
        (np.longlong(3), "longlong"),
        (unaligned(), "aligned"),
        (read_only(), "read-only"),
    ],
)
def test_foreign_values(value, reason):
    with pytest.raises(Foreign, match=reason):
        classify(value, written=True)


def test_a_read_only_array_may_be_read():
    assert classify(read_only(), written=False) == ArrayType("float64", 1)


def test_the_name_is_in_the_reason():
    with pytest.raises(Foreign, match="x is a value of type list"):
        classify_all(("A", "x"), (np.zeros(1), []), ())


def dispatcher(entry, strict=False, made=None):
    """A dispatcher whose versions all are ``entry``."""

    def make(types):
        if made is not None:
            made.append(types)
        if isinstance(entry, Exception):
            raise entry
        return Version(entry, types, 0.0, "compiled", Path("nest.pyx"))

    return Dispatcher(INFO, make, Owner(strict))


def guarded(A, x, threads):
    """An entry whose guard always fails."""
    return None if type(A) is np.ndarray else NotImplemented


def test_one_version_per_types():
    made = []
    run = dispatcher(lambda A, x, threads: (x,), made=made)
    assert run(np.zeros(2), 1.0) == (1.0,)
    assert run(np.zeros(3), 2.0) == (2.0,)
    assert len(made) == 1
    assert run.calls == 2
    assert not run.fallbacks


def test_other_types_get_another_version():
    made = []

    def entry(A, x, threads):
        return (x,) if made[-1][1] == classify(x, written=False) else NotImplemented

    run = dispatcher(entry, made=made)
    run(np.zeros(2), 1.0)
    run(np.zeros(2), 1)
    assert [types[1].dtype for types in made] == ["float64", "int64"]


def test_contiguous_arrays_do_not_end_in_the_strided_version():
    made = []
    run = dispatcher(lambda A, x, threads: (x,), made=made)
    run(np.zeros(4)[::2], 1.0)
    run(np.zeros(2), 1.0)
    assert [types[0].layout for types in made] == ["A", "C"]


def test_fallbacks_are_counted_by_reason():
    run = dispatcher(guarded)
    assert run(np.zeros(2), 1.0) is None
    assert run(np.zeros(2), 1.0) is None
    assert run([], 1.0) is None
    assert run.fallbacks == {
        GUARD: 2,
        "A is a value of type list: `np.array` makes an array of it": 1,
    }


def test_strict_raises():
    run = dispatcher(guarded, strict=True)
    with pytest.raises(BuildFailed, match="check"):
        run(np.zeros(2), 1.0)
    with pytest.raises(BuildFailed, match="list") as caught:
        run([], 1.0)
    assert caught.value.code == "LX504"


def test_a_refusal_is_raised_every_time():
    made = []
    run = dispatcher(Refused("LX201", "refused"), made=made)
    for _ in range(2):
        with pytest.raises(Refused):
            run(np.zeros(2), 1.0)
    assert len(made) == 1


def test_what_cannot_be_compiled_warns_once_and_falls_back():
    run = dispatcher(BuildFailed("LX504", "no"))
    with pytest.warns(RuntimeWarning, match="LX504 no"):
        assert run(np.zeros(2), 1.0) is None
    assert run(np.zeros(2), 1.0) is None
    assert run.fallbacks == {"LX504 no": 2}
    with pytest.raises(BuildFailed):
        dispatcher(BuildFailed("LX504", "no"), strict=True)(np.zeros(2), 1.0)
