"""Exceptions of lazy tasks, as values: which was the first is known when all are done.

What needs cells of a task that raised cannot run, and passes on what it was given.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from looptx.errors import LooptxError


class Failed:
    """What a task gives that raised.

    Args:
        number: of the task, in the order in which they were made.
        error: the exception.
    """

    def __init__(self, number: int, error: Exception) -> None:
        self.number = number
        self.error = error


class Passing:
    """What a task does that gives its exception, or the first that it was given.

    Args:
        function: what it does otherwise. number: of the task.
    """

    def __init__(self, function: Callable[..., Any], number: int) -> None:
        self.function = function
        self.number = number

    def __call__(self, *given: Any) -> Any:
        """Do what the function does."""
        found = first(given)
        if found is not None:
            return found
        try:
            return self.function(*given)
        except (LooptxError, MemoryError):
            raise
        except Exception as error:
            return Failed(self.number, _packed(error))


def first(given: tuple[Any, ...]) -> Failed | None:
    """The first of the exceptions that tasks gave, if there are any."""
    found = (one for one in given if isinstance(one, Failed))
    return min(found, key=lambda one: one.number, default=None)


def flag(given: Any) -> Failed | None:
    """What a task raised."""
    return first((given,))


def behind(function: Callable[..., Any], *given: Any) -> Any:
    """Do something when it is known that no task raised, which is the last argument.

    Args:
        function: what is done. given: to it, but for the last.
    """
    return function(*given[:-1])


def _packed(error: Exception) -> Exception:
    """An exception that may travel."""
    error.__traceback__ = error.__context__ = error.__cause__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
