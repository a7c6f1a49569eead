"""What is decorated, in words, and as others see it."""

from __future__ import annotations

import inspect
import types


def mark_coroutine(kernel: object) -> None:
    """Let others see that a call gives a coroutine, as far as this Python can."""
    mark = getattr(inspect, "markcoroutinefunction", None)
    if mark is not None:
        mark(kernel)
        return
    from asyncio import coroutines

    kernel._is_coroutine = coroutines._is_coroutine  # type: ignore[attr-defined]


def kind(value: object) -> str:
    """The kind of the decorated object, in words."""
    name = getattr(value, "__qualname__", "")
    if isinstance(value, type):
        return f"the class `{name}`"
    if isinstance(value, types.BuiltinFunctionType):
        return f"`{name}`, which is not written in Python"
    return f"an object of type `{type(value).__qualname__}`"
