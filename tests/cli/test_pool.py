"""Many files at once, and one that takes its process down."""

from __future__ import annotations

import os

from looptx.cli import pool


def square(number: int) -> int:
    if number < 0:
        os._exit(11)
    return number * number


def gone(number: int) -> int:
    return -1000


def test_results_come_in_order() -> None:
    expected = [(number, number * number) for number in range(20)]
    for jobs in (0, 1, 3):
        assert list(pool.each(square, range(20), gone, jobs)) == expected


def test_nothing_to_do() -> None:
    assert list(pool.each(square, [], gone)) == []


def test_only_the_culprit_is_lost() -> None:
    found = list(pool.each(square, [1, -2, 3, 4], gone, 2))
    assert found == [(1, 1), (-2, -1000), (3, 9), (4, 16)]
