"""Kernels that are methods, and what they call: of objects, bound, or given."""

from __future__ import annotations

import abc
import copy
import functools
import math
import shutil
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import looptx

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]


SIZES = (0, 1, 7)


class Wave:
    """Arrays and numbers of an object, with methods of every kind."""

    scale = 0.75

    def __init__(self, n: int, speed: float = 0.5) -> None:
        self.u = np.linspace(-1.0, 2.0, n)
        self.v = np.zeros(n)
        self.speed = speed
        self.n = n

    def cost(self, i):
        return self.u[i] * self.speed + self.scale

    def bent(self, i, by=2.0):
        if self.cost(i) > 0.5:
            return self.cost(i) * by
        return self.limited(by - i, low=-1.5)

    @staticmethod
    def limited(x, low=0.0):
        return low if x < low else x

    @classmethod
    def scaled(cls, x):
        return x * cls.scale

    def put(self, i, x):
        self.v[i] = x + self.u[i]

    def summed(self, upto):
        total = 0.0
        for k in range(upto):
            total += self.cost(k) * self.u[k]
        return total

    @looptx.kernel(strict=True)
    def costs(self):
        for i in range(self.n):
            self.v[i] = self.cost(i)

    @looptx.kernel(strict=True)
    def bends(self):
        for i in range(self.n):
            self.v[i] += self.bent(i) - self.bent(i, by=self.speed)

    @looptx.kernel(strict=True)
    def scales(self):
        for i in range(len(self.u)):
            self.v[i] = self.scaled(self.u[i]) + self.limited(self.u[i])

    @looptx.kernel(strict=True)
    def puts(self):
        for i in range(self.u.shape[0]):
            self.put(i, self.summed(i))


class Slots(abc.ABC):
    """An object without a dictionary, of an abstract class."""

    __slots__ = ("rate", "u", "v")

    def __init__(self, n: int) -> None:
        self.u, self.v, self.rate = np.arange(n) * 0.5, np.zeros(n), 3

    @abc.abstractmethod
    def rule(self, x): ...

    @looptx.kernel(strict=True)
    def step(self):
        for i in range(self.u.shape[0]):
            self.v[i] = self.rule(self.u[i])


class Linear(Slots):
    __slots__ = ()

    def rule(self, x):
        return x * self.rate


class Square(Slots):
    __slots__ = ()

    def rule(self, x):
        return x * x + self.rate


@dataclass
class Cloud:
    mass: np.ndarray
    at: np.ndarray
    dt: float = 0.25


def pull(cloud, i, j):
    gap = cloud.at[j] - cloud.at[i]
    return cloud.mass[j] * gap / (abs(gap) + cloud.dt)


def moved(cloud, i, by):
    cloud.at[i] += by * cloud.dt


@looptx.kernel(strict=True)
def forces(cloud, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[0]):
            out[i] += pull(cloud, i, j)
    for i in range(out.shape[0]):
        moved(cloud, i, out[i])


@looptx.kernel(strict=True)
def mapped(f, x, out):
    for i in range(x.shape[0]):
        out[i] = f(x[i])


class Affine:
    def __init__(self, a: float) -> None:
        self.a = a

    def __call__(self, x):
        return self.a * x + 1

    def other(self, x):
        return x - self.a


def power(a, x, *, b=0.5):
    return a * x + b


AFFINE = Affine(1.5)
HALVED = functools.partial(power, 0.5, b=2)


@looptx.kernel(strict=True)
def of_globals(x, out):
    for i in range(x.shape[0]):
        out[i] = AFFINE(x[i]) + HALVED(x[i]) * AFFINE.other(x[i])


class Solver:
    """Calls what it holds."""

    def __init__(self, n: int, f: Any) -> None:
        self.wave, self.f, self.out = Wave(n), f, np.zeros(n)

    @looptx.kernel(strict=True)
    def run(self):
        for i in range(self.wave.n):
            self.out[i] = self.f(self.wave.u[i]) + self.wave.cost(i)


def state(value: Any) -> Any:
    """The arrays of an object, and of those in it."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    names = getattr(type(value), "__slots__", None) or getattr(value, "__dict__", {})
    return {name: state(getattr(value, name)) for name in names}


def same(kernel: Any, *args: Any) -> None:
    """A kernel does with copies of its arguments what its function does."""
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    before = calls(kernel)
    assert kernel(*ours) == kernel.py_func(*theirs)
    assert [state(one) for one in ours] == [state(one) for one in theirs]
    assert calls(kernel) > before


def calls(kernel: Any) -> int:
    return sum(nest.calls for nest in kernel.report().nests)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["costs", "bends", "scales", "puts"])
def test_methods(name: str, n: int) -> None:
    same(getattr(Wave, name), Wave(n))


@pytest.mark.parametrize("n", SIZES)
def test_each_class_has_its_methods(n: int) -> None:
    for _ in range(2):
        for one in (Linear(n), Square(n)):
            same(Slots.step, one)


@pytest.mark.parametrize("n", SIZES)
def test_functions_of_objects(n: int) -> None:
    at = np.linspace(0.0, 1.0, n)
    same(forces, Cloud(at + 1, at), np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
def test_arguments_that_are_called(n: int) -> None:
    x, local = np.linspace(0.0, 1.0, n), 2.5
    for f in (
        Wave.limited,
        lambda x: x + 1,
        lambda x: x * local,
        Affine(2.0),
        Affine(3.0).other,
        functools.partial(power, 3),
        functools.partial(power, 3, b=0.125),
    ):
        same(mapped, f, x, np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
def test_globals_that_are_called(n: int) -> None:
    same(of_globals, np.linspace(0.0, 1.0, n), np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
def test_members_that_are_called(n: int) -> None:
    for f in (math.fabs, Affine(0.5), Affine(0.5).other, Wave.limited):
        one = Solver(n, f)
        if f is math.fabs:
            Solver.run.py_func(one)
        else:
            same(Solver.run, one)


def watched() -> Any:
    class Watched:
        def __init__(self) -> None:
            self.u, self.v = np.arange(4.0), np.zeros(4)

        def rule(self, x):
            return x + 1

        @looptx.kernel
        def step(self):
            for i in range(4):
                self.v[i] = self.rule(self.u[i])
            return self.v[3]

    return type("Own", (type("Middle", (Watched,), {}),), {})


def _on_the_class(kind: Any, one: Any) -> None:
    kind.rule = lambda self, x: x * 7


def _on_the_object(kind: Any, one: Any) -> None:
    one.rule = lambda x: x * 7


def _by_property(kind: Any, one: Any) -> None:
    kind.rule = property(lambda self: lambda x: x * 7)


def _by_code(kind: Any, one: Any) -> None:
    kind.rule.__code__ = (lambda self, x: x * 7).__code__


def _as_static(kind: Any, one: Any) -> None:
    kind.rule = staticmethod(lambda x: x * 7)


def _by_another_class(kind: Any, one: Any) -> None:
    one.__class__ = type("Other", (kind,), {"rule": lambda self, x: x * 7})


def _by_lookup(kind: Any, one: Any) -> None:
    kind.__getattribute__ = lambda self, name: (
        (lambda x: x * 7) if name == "rule" else object.__getattribute__(self, name)
    )


def _by_a_base(kind: Any, one: Any) -> None:
    middle = kind.__bases__[0]
    base = type("Base", middle.__bases__, {"rule": lambda self, x: x * 7})
    middle.__bases__ = (base,)


CHANGES = [
    _on_the_class,
    _on_the_object,
    _by_property,
    _by_code,
    _as_static,
    _by_another_class,
    _by_lookup,
    _by_a_base,
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_seen(change: Any) -> None:
    own = watched()
    one, other = own(), own()
    assert one.step() == 4.0 and one.step() == 4.0
    assert calls(own.step) == 2
    change(own, one)
    assert one.step() == 21.0
    assert other.step() == other.rule(other.u[3])


class Renamed:
    """Changes what it calls between its nests, and in a loop around one."""

    def __init__(self) -> None:
        self.u, self.v = np.arange(4.0), np.zeros(4)

    def rule(self, x):
        return x + 1

    @looptx.kernel
    def behind(self):
        for i in range(4):
            self.v[i] = self.rule(self.u[i])
        self.rule = lambda x: -x
        for i in range(4):
            self.v[i] += self.rule(self.u[i]) * 10

    @looptx.kernel
    def around(self):
        for t in range(3):
            for i in range(4):
                self.v[i] += self.rule(self.u[i])
            self.rule = lambda x: -x


@pytest.mark.parametrize("name", ["behind", "around"])
def test_what_a_kernel_changes_is_seen(name: str) -> None:
    for _ in range(2):
        ours, theirs = Renamed(), Renamed()
        getattr(Renamed, name)(ours)
        getattr(Renamed, name).py_func(theirs)
        assert ours.v.tobytes() == theirs.v.tobytes()


def test_many_functions_are_no_burden(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that is given ever other functions stops to look at them."""
    monkeypatch.setattr("looptx.native.call.asked.MOST", 2)
    x, out = np.arange(4.0), np.zeros(4)

    @looptx.kernel
    def every(f, x, out):
        for i in range(4):
            out[i] = f(x[i])

    for number in (0, 1, 2, 3, 1, 0):
        every(lambda x, by=number: x + by, x, out)
        assert out[3] == 3.0 + number
    assert calls(every) in (2, 3, 4)


def test_partial_that_is_changed() -> None:
    x, out = np.arange(4.0), np.zeros(4)
    f = functools.partial(power, 2.0, b=1)
    for b in (1, 3, 1.0):
        f.keywords["b"] = b
        mapped(f, x, out)
        assert out.tolist() == [2.0 * one + b for one in x]


def test_looking_has_no_effects() -> None:
    """No property, and no code of the user, runs more often than Python runs it."""
    seen = []

    class Told:
        def __init__(self) -> None:
            self.u = np.arange(4.0)

        @property
        def rule(self):
            seen.append("rule")
            return math.fabs

        @looptx.kernel
        def step(self):
            for i in range(2):
                self.u[i] = self.rule(self.u[i])

    one = Told()
    for count in (2, 4, 6):
        one.step()
        assert len(seen) == count


class Hidden:
    def __init__(self, n: int) -> None:
        self.__u, self.v = np.arange(float(n)), np.zeros(n)

    def own(self, i):
        return self.__u[i]


class Hiding(Hidden):
    """Its own `__u` is another one."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.__u = np.full(n, 9.0)

    @looptx.kernel
    def step(self):
        for i in range(len(self.v)):
            self.v[i] = self.own(i)

    @looptx.kernel
    def each(self):
        for i in range(len(self.v)):
            self.v[i] = self.own(i)
            yield self.v[i]


@pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")
def test_private_names_are_those_of_their_class() -> None:
    one = Hiding(4)
    one.step()
    assert one.v.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert list(one.each()) == [0.0, 1.0, 2.0, 3.0]


class Secret(Wave):
    def __twice(self, i):
        return self.u[i] * 2.0

    def doubled(self):
        for i in range(len(self.u)):
            self.v[i] = self.__twice(i)


class More(Secret):
    """Its method of that name is another one."""

    def __twice(self, i):
        return self.u[i] * 3.0


def test_private_methods_are_those_of_their_class() -> None:
    kernel = looptx.kernel(Secret.doubled)
    for kind in (Secret, More):
        one, other = kind(7), kind(7)
        kernel(one)
        Secret.doubled(other)
        assert one.v.tobytes() == other.v.tobytes()
    assert sum(nest.calls for nest in kernel.report().nests) == 2


class Below(Wave):
    def cost(self, i):
        return super().cost(i) - 1.0

    @looptx.kernel
    def step(self):
        for i in range(len(self.u)):
            self.v[i] = self.cost(i)


def test_a_method_that_uses_super_is_named() -> None:
    one = Below(5)
    with pytest.warns(RuntimeWarning) as caught:
        one.step()
    assert one.v.tolist() == [one.cost(i) for i in range(5)]
    (warned,) = caught
    assert "`cost` calls `super().cost`" in str(warned.message)


@pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")
def test_members_that_share_memory() -> None:
    at = np.arange(5.0)
    for mass in (at, at[::-1], at + 1):
        ours, theirs = at.copy(), at.copy()
        shared = [one if mass is at else one[::-1] for one in (ours, theirs)]
        if mass.base is None and mass is not at:
            shared = [mass, mass]
        out = [np.zeros(5), np.zeros(5)]
        forces_of = looptx.kernel(forces.py_func)
        forces_of(Cloud(shared[0], ours), out[0])
        forces.py_func(Cloud(shared[1], theirs), out[1])
        assert out[0].tobytes() == out[1].tobytes()
        assert ours.tobytes() == theirs.tobytes()


def test_what_functions_hold_is_not_kept() -> None:
    """A kernel keeps no arrays of the functions that it was given alive."""
    import gc
    import weakref

    class Big(np.ndarray):
        pass

    big = np.zeros(3).view(Big)
    seen = weakref.ref(big)

    def made(big):
        return lambda x: x if x < 0 else x + 1 if big is None else x + 2

    x, out = np.arange(4.0), np.zeros(4)
    gc.freeze()  # to collect would be seconds: there are a million objects of tests
    try:
        looptx.kernel(mapped.py_func)(made(big), x, out)
        assert out.tolist() == [2.0, 3.0, 4.0, 5.0]
        del big
        gc.collect()
        assert seen() is None
    finally:
        gc.unfreeze()
