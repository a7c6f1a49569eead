"""Records are the dataclasses of the standard library, made in another way."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from looptx.model import records

T = TypeVar("T")
Maker = Callable[..., Any]


def families(dataclass: Maker) -> dict[str, type[Any]]:
    """Classes of all kinds, made by one decorator."""

    @dataclass(frozen=True, slots=True)
    class Point:
        """Of two."""

        x: float
        y: float = 0.5
        kind: ClassVar[str] = "point"

    @dataclass(frozen=True)
    class Base:
        """With what is named alone."""

        place: int = field(default=3, compare=False, repr=False, kw_only=True)
        name: str

    @dataclass(frozen=True, slots=True)
    class Derived(Base):
        """Of another."""

        parts: tuple[Any, ...] = ()
        known: dict[str, int] = field(default_factory=dict, hash=False)

    @dataclass(slots=True)
    class Changing:
        """Of which fields are assigned."""

        left: int
        items: list[int] = field(default_factory=list)
        made: int = field(init=False)
        number: int = field(init=False, default=4)
        own: list[int] = field(init=False, default_factory=list)

        def __post_init__(self) -> None:
            self.made = self.left + 1

    @dataclass(frozen=True, eq=False)
    class Alone(Generic[T]):
        """Only itself."""

        value: T

    @dataclass(frozen=True)
    class Own:
        """With functions of its own."""

        value: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and abs(self.value) == abs(other.value)

        def __hash__(self) -> int:
            return abs(self.value)

        def __repr__(self) -> str:
            return "own"

    @dataclass
    class Empty:
        """Of nothing."""

    found = (Point, Base, Derived, Changing, Alone, Own, Empty)
    return {one.__name__: one for one in found}


STANDARD, OURS = families(dataclasses.dataclass), families(records.dataclass)
NAN = math.nan
GIVEN: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Point": [((1,), {}), ((1, 0.5), {}), ((), {"y": 2, "x": 1}), ((NAN,), {})],
    "Base": [(("a",), {}), (("a",), {"place": 4}), ((), {"name": "b"})],
    "Derived": [
        (("a",), {}),
        (("a", (1,)), {"place": 4}),
        (("a", (1,), {"b": 2}), {}),
        (("a", ([],)), {}),
    ],
    "Changing": [((1,), {}), ((1, [2]), {}), ((), {"left": 2, "items": []})],
    "Alone": [((1,), {}), ((1,), {})],
    "Own": [((1,), {}), ((-1,), {}), ((2,), {})],
    "Empty": [((), {}), ((), {})],
}
WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (), {}),
    ("Point", (1, 2, 3), {}),
    ("Base", ("a", 3), {}),
    ("Changing", (1,), {"made": 2}),
    ("Empty", (1,), {}),
]


def said(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a call gives, or that it raises and what."""
    try:
        return call(*given, **named)
    except TypeError as error:
        return str(error).rpartition(".")[2]


@pytest.mark.parametrize("name", GIVEN)
def test_all_that_they_do_is_the_same(name: str) -> None:
    pairs = [
        (STANDARD[name](*given, **named), OURS[name](*given, **named))
        for given, named in GIVEN[name]
    ]
    for one, two in pairs:
        shown = repr(one).replace(STANDARD[name].__qualname__, "")
        assert repr(two).replace(OURS[name].__qualname__, "") == shown
        assert said(dataclasses.asdict, one) == said(dataclasses.asdict, two)
        if name != "Alone":
            assert said(hash, one) == said(hash, two)
        same = [one == other for other, _ in pairs]
        assert [two == other for _, other in pairs] == same
        assert one.__eq__(0) is two.__eq__(0)
        assert type(one).__match_args__ == type(two).__match_args__
        assert hasattr(one, "__dict__") == hasattr(two, "__dict__")


@pytest.mark.parametrize("name,given,named", WRONG)
def test_wrong_arguments_are_told(
    name: str, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    message = said(STANDARD[name], *given, **named)
    assert "__init__" in message and said(OURS[name], *given, **named) == message


def test_defaults_are_made_anew() -> None:
    one, two = OURS["Changing"](1), OURS["Changing"](1)
    one.items.append(2)
    one.own.append(3)
    assert (two.items, two.own, two.made) == ([], [], 2)


def test_what_goes_round_is_shown() -> None:
    one = OURS["Changing"](1)
    one.items.append(one)
    assert "..." in repr(one)


@records.dataclass(frozen=True, slots=True)
class Kept:
    """Of a module."""

    x: int
    parts: tuple[int, ...] = ()


def test_copies_are_equal() -> None:
    one = Kept(1, (2,))
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    assert records.replace(one, x=3) == Kept(3, (2,)) == dataclasses.replace(one, x=3)
    base = OURS["Derived"]("a", place=5)
    assert records.replace(base, parts=(1,)).place == 5
    assert len({one, Kept(1, (2,)), Kept(1)}) == 2
