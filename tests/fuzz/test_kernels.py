"""The judge of decorated functions sees what does not raise, and what does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from fuzz.native import kernels as native_kernels
from fuzz.native.kernels import NATIVE, REFUSED, UNREADABLE, Decorated, drawn
from looptx.errors import Refused

PLAIN = NATIVE[0]


def silent(**_: object) -> Callable[[Any], Any]:
    """A decorator that leaves everything as it is."""
    return lambda function: function


def loud(**_: object) -> Callable[[Any], Any]:
    """A decorator whose kernels always refuse."""

    def refuse(*_: object) -> None:
        raise Refused("LX202", "refused", hint="none")

    return lambda function: refuse


def other(**_: object) -> Callable[[Any], Any]:
    """A decorator whose kernels do nothing."""
    return lambda function: lambda *_: None


@pytest.mark.parametrize(
    ("made", "decorator", "kind"),
    [
        (Decorated((PLAIN,), -1, -1, True, "warn"), silent, ""),
        (Decorated((PLAIN,), -1, -1, True, "warn"), loud, "raises"),
        (Decorated((PLAIN,), -1, 0, False, "warn"), other, "computes something else"),
        (Decorated((REFUSED,), 0, 0, False, "warn"), silent, "raises nothing"),
        (Decorated((REFUSED,), 0, 0, False, "warn"), loud, ""),
        *(
            (Decorated((PLAIN, body), -1, -1, True, "warn"), silent, "raises nothing")
            for body in UNREADABLE
        ),
        (Decorated((PLAIN, UNREADABLE[0]), -1, -1, False, "warn"), silent, ""),
        (Decorated((NATIVE[2],), -1, -1, False, "raise"), silent, ""),
        (Decorated((NATIVE[2],), -1, -1, True, "raise"), loud, ""),
    ],
)
def test_what_a_kernel_does_is_judged(
    made: Decorated, decorator: Callable[..., Any], kind: str, tmp_path: Path
) -> None:
    module = native_kernels.imported(made.text(), tmp_path)
    with mock.patch("looptx.kernel", decorator):
        found = native_kernels.judged(made, module)
    assert (found.kind if found else "") == kind


def test_all_sorts_are_drawn() -> None:
    made = [drawn(seed) for seed in range(300)]
    assert made == [drawn(seed) for seed in range(300)]
    assert any(one.refused >= 0 and one.refused == one.caught for one in made)
    assert any(one.strict and not one.readable and len(one.bodies) > 1 for one in made)
    assert {one.state for one in made} == {"ignore", "raise", "warn"}


def test_an_error_that_the_function_swallows_is_seen() -> None:
    made = Decorated((PLAIN,), -1, 0, True, "ignore", native_kernels.FOREIGN)
    assert native_kernels.tried(made)[0] is None
    with mock.patch("looptx.native.diagnostics.notices.Notices.hold"):
        found, _ = native_kernels.tried(made)
    assert found is not None and found.kind == "raises nothing"
    several = [native_kernels.foreign(seed) for seed in range(20)]
    assert any(one.strict and one.caught == 0 for one in several)
