"""Numbers that objects hold, assigned in the loops of their methods."""

from __future__ import annotations

import copy
import shutil
from typing import Any

import numpy as np
import pytest

import looptx

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning"),
]


class Clock:
    """Counts, sums, searches, and ends in several ways."""

    ticks = 0

    def __init__(self, n: int) -> None:
        self.u, self.v = np.linspace(-1.0, 2.0, n), np.zeros(n)
        self.t, self.n, self.best, self.where = 0.0, 0, -np.inf, (0)
        self.narrow = np.float32(0.5)

    def now(self, i):
        return self.u[i] * self.t

    def sums(self):
        for x in self.u:
            self.t += x

    def steps(self):
        for _k in range(3):
            for i in range(self.u.shape[0]):
                self.v[i] += self.u[i] * self.t
            self.t += 0.5
            self.n += 1
        return self.t, self.n

    def searches(self):
        for i in range(self.u.shape[0]):
            if self.u[i] > self.best:
                self.best = self.u[i]
                self.where = i
        self.n = self.where

    def narrows(self):
        while self.t < 2:
            self.t += 0.25
            self.narrow += 1

    def raises(self):
        for i in range(self.u.shape[0]):
            self.t += self.u[i]
            self.v[i] = self.t
            if self.t < -1:
                raise ValueError(self.t)

    # What follows is Python's: it may not be what it looks like.

    def calls(self):
        for i in range(self.u.shape[0]):
            self.v[i] = self.now(i)
            self.t += 1.0

    def defaults(self):
        for _i in range(self.u.shape[0]):
            self.ticks += 1

    def others(self, other):
        for _i in range(self.u.shape[0]):
            self.t = self.t + other.t + 1

    def whole(self):
        for i in range(self.u.shape[0]):
            self.v += self.u[i]


class Logged(Clock):
    """Its class has a say in what is assigned."""

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        self.__dict__.setdefault("log", []).append(name)


class Managed(Clock):
    @property
    def t(self):
        return self.__dict__["t"]

    @t.setter
    def t(self, value):
        self.__dict__["t"] = value
        self.__dict__["sets"] = self.__dict__.get("sets", 0) + 1


class Slotted:
    __slots__ = ("__weakref__", "t", "u")

    def __init__(self, n: int) -> None:
        self.u, self.t = np.ones(n), 0.0


NATIVE = ["sums", "steps", "searches", "narrows", "raises"]
OTHERS = ["calls", "defaults", "others", "whole"]


def outcome(function: Any, *args: Any) -> str:
    """What a call gives, or raises, and what its object holds then."""
    try:
        found = repr(function(*args))
    except Exception as error:
        found = repr(error)
    held = args[0]
    names = getattr(held, "__slots__", None) or vars(held)
    values = {name: getattr(held, name) for name in names if name != "__weakref__"}
    kinds = {name: type(value) for name, value in values.items()}
    arrays = {x: y.tobytes() for x, y in values.items() if isinstance(y, np.ndarray)}
    return f"{found} {values} {kinds} {arrays}"


@pytest.mark.parametrize("name", [*NATIVE, *OTHERS])
def test_members(name: str) -> None:
    function = getattr(Clock, name)
    kernel = looptx.kernel(function)
    for kind in (Clock, Logged, Managed):
        for n in (0, 1, 7):
            ours, theirs = kind(n), kind(n)
            more = (ours,), (theirs,)
            given = [one if name == "others" else () for one in more]
            expected = outcome(function, theirs, *given[1])
            assert outcome(kernel, ours, *given[0]) == expected
        if kind is Clock:
            calls = sum(nest.calls for nest in kernel.report().nests)
            assert bool(calls) == (name in NATIVE)


def test_slots_and_arrays_are_left_to_python() -> None:
    function = Clock.sums
    kernel = looptx.kernel(function)
    for one in (Slotted(3), Clock(3)):
        if isinstance(one, Clock):
            one.t = np.zeros(2)  # type: ignore[assignment]
        ours, theirs = copy.copy(one), copy.deepcopy(one)
        assert outcome(kernel, ours) == outcome(function, theirs)


def test_what_is_said_of_an_attribute_that_stays() -> None:
    kernel = looptx.kernel(Clock.others)
    one = Clock(3)
    kernel(one, one)
    text = str(kernel.report())
    assert "`self.t` may change anything where it is assigned" in text
    kernel = looptx.kernel(Clock.calls)
    kernel(one)
    assert "LX301 `self.t` is read by a function, and assigned" in str(kernel.report())
    kernel = looptx.kernel(Clock.sums)
    kernel(Logged(3))
    assert "self.t is no plain number of its object" in str(kernel.report())
