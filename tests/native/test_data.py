"""Attributes of objects: which are data for a nest, and which are code of the user."""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import shutil
import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest

import looptx
from looptx.native import data
from looptx.native.ahead import inplace
from looptx.native.data import Code, given

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)
pytestmark = pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")


class Plain:
    scale = 0.5

    def __init__(self, n: int) -> None:
        self.x, self.t, self.calls, self.w = np.linspace(1.0, 2.0, n), 1.0, 0, 2.0


class Summing(Plain):
    """What is read depends on what is written."""

    @property
    def w(self):
        return self.x.sum()

    @w.setter
    def w(self, value):
        pass


class First(Summing):
    @property
    def w(self):
        return self.x[0] if len(self.x) else 0.0

    @w.setter
    def w(self, value):
        pass


class Counting(Summing):
    @property
    def w(self):
        self.calls += 1
        return float(self.calls)

    @w.setter
    def w(self, value):
        pass


class Missing(Plain):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        del self.w

    def __getattr__(self, name):
        if name != "w":
            raise AttributeError(name)
        self.calls += 1
        return float(self.calls)


class Looked(Plain):
    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return (
            found + object.__getattribute__(self, "x").sum() if name == "w" else found
        )


class Described:
    def __get__(self, holder, kind=None):
        return holder.x.sum()

    def __set__(self, holder, value):
        pass


class Descriptor(Plain):
    w = Described()  # type: ignore[assignment]


class Cached(Plain):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        del self.w

    @functools.cached_property
    def w(self):
        self.calls += 1
        return self.x.sum()


class Sized(Plain):
    """Properties that only read data, and compute numbers of it."""

    @property
    def n(self):
        return len(self.x)

    @property
    def m(self):
        return self.x.shape[0]

    @property
    def y(self):
        return self.x

    @property
    def half(self):
        return -self.t * 0.5


CODE = [Summing, First, Counting, Missing, Looked, Descriptor, Cached]


def spread(b):
    for i in range(b.x.shape[0]):
        b.x[i] += b.w


def sized(b):
    for j in range(b.m):
        for i in range(b.n):
            b.y[i] = b.y[i] * b.half + b.scale + j


def clocked(b):
    for i in range(b.x.shape[0]):
        b.x[i] = b.half
        b.t += 1.0


def left(function: Any, b: Any) -> tuple[Any, ...]:
    """What a call leaves in its object."""
    function(b)
    return b.x.tolist(), b.calls, b.t, sorted(vars(b))


def native(kernel: Any) -> int:
    return sum(nest.calls for nest in kernel.report().nests)


@needs_compiler
@pytest.mark.parametrize("kind", CODE)
def test_code_runs_as_often_as_it_is_written(kind) -> None:
    kernel = looptx.kernel(spread)
    for n in (0, 1, 7):
        assert left(kernel, kind(n)) == left(spread, kind(n))
    assert not native(kernel)
    assert left(kernel, Plain(5)) == left(spread, Plain(5))
    assert native(kernel) == 1


@needs_compiler
def test_a_property_is_named_where_loops_run_as_python() -> None:
    kernel = looptx.kernel(spread)
    kernel(Summing(3))
    why = "b.w is a property of `Summing` that may differ in each iteration"
    assert why in str(kernel.report())
    kernel = looptx.kernel(spread)
    kernel(Missing(3))
    assert "b.w is what `Missing.__getattr__` computes" in str(kernel.report())


@needs_compiler
def test_properties_that_only_read_data_are_data() -> None:
    kernel = looptx.kernel(sized)
    for n in (0, 1, 7):
        assert left(kernel, Sized(n)) == left(sized, Sized(n))
    assert native(kernel) == 3


@needs_compiler
def test_a_property_of_what_the_loops_assign_is_none() -> None:
    kernel = looptx.kernel(clocked)
    assert left(kernel, Sized(5)) == left(clocked, Sized(5))
    assert not native(kernel)


@needs_compiler
def test_a_class_that_gets_a_property_between_calls() -> None:
    kind = type("Changing", (Plain,), {})
    kernel = looptx.kernel(spread)
    kernel(kind(5))
    one = kind(5)
    kind.w = property(lambda self: self.x.sum())  # type: ignore[attr-defined]
    assert left(kernel, copy.deepcopy(one)) == left(spread, one)
    assert native(kernel) == 1


@needs_compiler
def test_methods_read_properties() -> None:
    class Holder(Summing):
        def share(self, i):
            return self.x[i] * self.w

    def shared(b):
        for i in range(b.x.shape[0]):
            b.x[i] = b.share(i)

    assert left(looptx.kernel(shared), Holder(5)) == left(shared, Holder(5))


class _Private:
    """Its names are others outside."""

    def __init__(self, n: int) -> None:
        self.__x, self.__rate = np.ones(n), 0.5

    @looptx.kernel
    def grow(self):
        for i in range(len(self.__x)):
            self.__x[i] += self.__rate * i
        return self.__x


@needs_compiler
def test_private_names() -> None:
    assert _Private(4).grow().tolist() == [1.0, 1.5, 2.0, 2.5]
    assert native(_Private.grow) == 1


class Level(enum.Enum):
    LOW = 2


Pair = collections.namedtuple("Pair", "x w")


@dataclasses.dataclass
class Record:
    x: float
    w: float = 2.0


@dataclasses.dataclass(slots=True)
class Slots:
    x: float
    w: float = 2.0


class Half:
    __slots__ = ("w",)

    def __getattr__(self, name):
        return 3.0


module = types.ModuleType("module")
module.w = 2.0  # type: ignore[attr-defined]
lazy = types.ModuleType("lazy")
lazy.__getattr__ = lambda name: 2.0  # type: ignore[method-assign]
cached = Cached(3)
cached.w  # noqa: B018  # now it is in the dictionary
records = np.array([(1.0, 2.0)], [("x", "f8"), ("w", "f8")]).view(np.recarray)
simple = types.SimpleNamespace(w=2.0)


@pytest.mark.parametrize(
    "holder",
    [
        *(Plain(3), Plain, Pair(1.0, 2.0), Record(1.0), Slots(1.0), Record),
        *(module, cached, records, simple),
    ],
)
def test_what_is_held_is_data(holder) -> None:
    name = "scale" if holder is Plain else "w"
    assert np.all(given(holder, name) == getattr(holder, name))


def test_other_data() -> None:
    assert given(Level.LOW, "value") == 2
    assert given(given(Level, "LOW"), "value") == 2
    assert given(np.ones((2, 3)), "T").shape == (3, 2)
    with pytest.raises(AttributeError):
        given(Plain(3), "other")


@pytest.mark.parametrize(
    "value",
    [
        *("3", "2.5", "-self.w", "not self.w", "~self.calls", "self.w < self.t"),
        *("self.t * self.t", "(self.w + 1) ** 2 / self.w - self.calls % 2"),
        *("self.pair[-1]", "len(self.pair)", "self.scale", "self.calls << 2 | 1"),
    ],
)
def test_a_property_of_numbers_is_data(value: str) -> None:
    """In the bytecode of every Python."""
    scope: dict[str, Any] = {}
    exec(f"def it(self):\n    return {value}\n", scope)
    kind = type("Kind", (Plain,), {"it": property(scope["it"]), "pair": (1.0, 2.0)})
    assert given(kind(3), "it") == kind(3).it  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "holder", [*(kind(3) for kind in CODE), lazy, Half(), records[0]]
)
def test_what_code_tells_is_none(holder) -> None:
    before = copy.copy(vars(holder)) if hasattr(holder, "__dict__") else {}
    try:
        found = given(holder, "w")
    except AttributeError:
        assert isinstance(holder, Half)
        return
    assert isinstance(found, Code)
    assert given(found, "more") is found
    if isinstance(holder, Plain):
        assert vars(holder)["calls"] == before["calls"]


SPREAD = """
def spread(b):
    # looptx: unroll i 2
    for i in range(len(b.x)):
        b.x[i] += b.w
"""


@needs_compiler
def test_built_modules_ask_too(tmp_path) -> None:
    path = tmp_path / "spreading.py"
    path.write_text(SPREAD)
    inplace.build_file(path, SPREAD)
    program = (
        "import sys, warnings, numpy as np, spreading\n"
        "class Plain:\n"
        "    def __init__(self):\n"
        "        self.x, self.w = np.ones(5), 2.0\n"
        "class Summing:\n"
        "    def __init__(self):\n"
        "        self.x = np.ones(5)\n"
        "    @property\n"
        "    def w(self):\n"
        "        return self.x.sum()\n"
        "one = Plain()\n"
        "with warnings.catch_warnings():\n"
        "    warnings.simplefilter('error')\n"
        "    spreading.spread(one)\n"
        "print(one.x.tolist())\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    one = Summing()\n"
        "    spreading.spread(one)\n"
        "print(one.x.tolist(), *(one.message for one in caught))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    why = "it reads a property of `Summing` that may differ in each iteration"
    assert done.stdout.splitlines() == [
        "[3.0, 3.0, 3.0, 3.0, 3.0]",
        "[6.0, 11.0, 21.0, 41.0, 81.0] looptx: spread.n0 runs as plain Python: " + why,
    ]


def test_a_slice_is_no_number_in_the_bytecode_of_later_pythons(monkeypatch) -> None:
    """From 3.12 on ``x[a:b]`` is an operation of its own, on three values."""

    class Part(Plain):
        @property
        def sliced(self):
            return self.x[0:2] * 2.0

    steps = (
        *(("LOAD_FAST", "self"), ("LOAD_ATTR", "x"), ("LOAD_CONST", 0)),
        *(("LOAD_CONST", 2), ("BINARY_SLICE", None), ("LOAD_CONST", 2.0)),
        *(("BINARY_OP", 5), ("RETURN_VALUE", None)),
    )
    stream = [
        types.SimpleNamespace(opname=name, arg=0, argval=value, argrepr="*")
        for name, value in steps
    ]
    fake = types.SimpleNamespace(get_instructions=lambda _: stream)
    assert isinstance(given(Part(3), "sliced"), Code)
    data._steps.cache_clear()
    monkeypatch.setattr(data, "dis", fake)
    assert isinstance(given(Part(3), "sliced"), Code)
    data._steps.cache_clear()
