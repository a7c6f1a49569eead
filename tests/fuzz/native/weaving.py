"""A function as the decorator rebuilds it, with versions of nests from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TypeAlias

from looptx.model.types import Type
from looptx.native.analysis.function_text import FunctionText
from looptx.native.analysis.nest_info import NestInfo
from looptx.native.call import rebuild
from looptx.native.call.dispatch import Dispatcher, Version

Specialise: TypeAlias = Callable[[int, tuple[Type, ...]], Version]
"""Gives the version of a nest, by number, for some types."""


def woven(
    original: FunctionType,
    text: str,
    infos: Sequence[NestInfo],
    specialise: Specialise,
) -> tuple[FunctionType, list[Dispatcher]]:
    """The function with its nests dispatched, and the dispatchers.

    Args:
        original: the function as it stands. text: its source.
        infos: its nests. specialise: gives their versions.
    """

    def making(number: int) -> Callable[[tuple[Type, ...]], Version]:
        return lambda types: specialise(number, types)

    dispatchers = [
        Dispatcher(info, making(number)) for number, info in enumerate(infos)
    ]
    names = [f"_native_{number}" for number in range(len(infos))]
    sites = [info.site(name) for info, name in zip(infos, names, strict=True)]
    called = dict(zip(names, dispatchers, strict=True))
    source = FunctionText(text, "case.py")
    return rebuild.rebuild(original, source, sites, called), dispatchers
