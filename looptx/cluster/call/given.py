"""What a call with arrays of dask's is given, and which of it comes back changed."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from looptx.cluster.call.kinds import is_array
from looptx.cluster.graph.nodes import Apart, Layout
from looptx.cluster.lazy.checks import is_dask, wrong
from looptx.cluster.lazy.parameters import written
from looptx.cluster.lazy.standins import Standin, refused
from looptx.errors import Place
from looptx.native.analysis.arguments import signature_of
from looptx.native.diagnostics.notices import RESUMED
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.native.call.prepared import Prepared


class Given:
    """The arguments of a call, of which those that are arrays are stood for.

    Args:
        function: that is called. args, kwargs: what it is given.

    Attributes:
        function: as written. args, kwargs: what it is called with.
        arrays: the stand-ins, in order. place: of the function.

    Raises:
        LooptxError: LX604 for an array of dask's that cannot be given.
    """

    def __init__(
        self,
        function: types.FunctionType,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:
        try:
            bound = signature_of(function).bind(*args, **kwargs)
        except TypeError:
            function(*args, **kwargs)
            raise
        code = function.__code__
        self.function = function
        self.place = Place(code.co_filename, code.co_firstlineno, 1)
        self.arrays: list[Standin] = []
        if code.co_flags & RESUMED:
            raise refused(
                "a generator, or a coroutine, runs when it is asked to",
                "call it with NumPy's arrays: `A.compute()`",
                self.place,
            )
        for name, value in bound.arguments.items():
            if is_dask(value):
                error = wrong(name, value, self.place)
                if error is not None:
                    raise error
                sizes = tuple(tuple(map(int, one)) for one in value.chunks)
                shape = tuple(map(sum, sizes))
                one = Standin(shape, value.dtype, name, value, sizes)
            elif is_array(value):
                one = Standin(tuple(value.shape), value.dtype, name, value)
            else:
                continue
            self.arrays.append(one)
            bound.arguments[name] = one
        self.args, self.kwargs = bound.args, bound.kwargs


def are_lazy(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether any argument of a call is an array of dask's."""
    return any(map(is_dask, (*args, *kwargs.values())))


def layout(client: Any) -> Layout:
    """The workers that tasks are made for, which run whenever dask runs them.

    Args:
        client: as ``kernel.on`` was given it.
    """
    if client is None or isinstance(client, int):
        return Layout(client or 1)
    return Apart()


def placed(client: Any) -> None:
    """See that dask's scheduler finds workers for the tasks of lazy calls.

    Args:
        client: as ``kernel.on`` was given it.

    Raises:
        LooptxError: LX602, it does not answer.
    """
    if isinstance(layout(client), Apart):
        from looptx.cluster.runners.futures import placing

        placing(client)


def changes(function: types.FunctionType, prepared: Prepared) -> tuple[str, ...]:
    """The parameters that a function may write, which come back as new arrays.

    Args:
        function: the function. prepared: its nests.
    """
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = {name for one in prepared.dispatchers for name in one.info.written}
    tree = parsed(prepared.source.text)
    return written(tree, names, code.co_varnames[:count])
