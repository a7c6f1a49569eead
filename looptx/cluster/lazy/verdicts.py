"""The exception of a lazy call: that of the loops as written.

Where a nest may raise, no result is there before all its tasks are done. If one of them
raised, the function runs as written, on all that was given, and raises what there is to
raise: on a cluster as a task that takes the chunks, and else from their arrays.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from dask._task_spec import List, Task, TaskRef

from looptx.cluster.graph.nodes import Key, Node
from looptx.cluster.work import cells, chunks, failing, reductions
from looptx.cluster.work.boxes import Box, slices
from looptx.model.records import dataclass, field

MOST = 1 << 24
"""So many bytes of arrays that are not dask's go with a verdict, and no more."""


@dataclass
class Whole:
    """An array of dask's, as a verdict has it.

    Attributes:
        shape, dtype: of it.
        chunks: the tasks that make those that other tasks take cells of.
        array: itself, in the process where the call was made.
    """

    shape: tuple[int, ...]
    dtype: str
    chunks: list[tuple[Any, Box]] = field(default_factory=list)
    array: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Whole, (self.shape, self.dtype, self.chunks)

    def filled(self, chunks: Sequence[Any]) -> Any:
        """The array; other cells are read by nobody.

        Args:
            chunks: what their tasks gave.
        """
        array = np.zeros(self.shape, self.dtype)
        for (_, box), chunk in zip(self.chunks, chunks, strict=True):
            array[slices(box, (0,) * len(box))] = chunk
        return array


class Verdict:
    """Raises what a call raises, if one of its tasks did.

    Args:
        name: of the call. function: as written.
        args, kwargs: what it is given, with ``Whole`` in the place of dask's arrays.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        self.name = name
        self.given = function, tuple(args), dict(kwargs)

    @property
    def wholes(self) -> list[Whole]:
        """The arrays of dask's that it is given."""
        _, args, kwargs = self.given
        return [x for x in (*args, *kwargs.values()) if isinstance(x, Whole)]

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        others = [*self.given[1], *self.given[2].values()]
        packed = b""
        if sum(int(getattr(one, "nbytes", 0)) for one in others) <= MOST:
            # Where it cannot travel, the first task that raised says what it was.
            with contextlib.suppress(Exception):
                packed = cloudpickle.dumps(self.given)
        return _received, (self.name, packed)

    def __call__(self, *flags: Any) -> None:
        """Raise, unless no task has.

        Args:
            flags: what the last tasks gave.
        """
        found = failing.first(flags)
        if found is None:
            return
        error: Exception | None = None
        with contextlib.suppress(Exception):
            error = self._as_written()
        raise error or found.error

    def _as_written(self) -> Exception | None:
        """What the function raises."""
        function, args, kwargs = self.given
        wholes = self.wholes
        distributed: Any = sys.modules.get("distributed")
        try:
            distributed.get_worker()
        except (AttributeError, ValueError):
            arrays = [one.array.compute(scheduler="synchronous") for one in wholes]
            return as_written(function, args, kwargs, arrays)
        key = f"{self.name}-as-written"
        given = [List(*(TaskRef(key) for key, _ in one.chunks)) for one in wholes]
        task = Task(key, from_chunks, self, List(*given))
        with distributed.worker_client() as client:
            found: Exception | None = client.get({key: task}, key)
        return found


def _received(name: str, packed: bytes) -> Verdict:
    if not packed:
        return Verdict(name, _unknown, (), {})
    import cloudpickle

    return Verdict(name, *cloudpickle.loads(packed))


def _unknown() -> None:
    """Stands for a function that could not travel."""


def from_chunks(verdict: Verdict, given: Sequence[Sequence[Any]]) -> Exception | None:
    """What the function of a verdict raises.

    Args:
        verdict: it. given: the chunks of its arrays.
    """
    function, args, kwargs = verdict.given
    pairs = zip(verdict.wholes, given, strict=True)
    arrays = [one.filled(own) for one, own in pairs]
    return as_written(function, args, kwargs, arrays)


def as_written(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    arrays: Sequence[Any],
) -> Exception | None:
    """What a function raises; what it prints was printed.

    Args:
        function: the function. args, kwargs: what it is given.
        arrays: in the place of dask's.
    """
    left = iter(arrays)

    def own(value: Any) -> Any:
        return next(left) if isinstance(value, Whole) else value

    given, named = [*map(own, args)], {name: own(x) for name, x in kwargs.items()}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*given, **named)
    except Exception as error:
        return error
    return None


RUNS = cells.run, reductions.combine
"""What tasks do that may raise."""


def ends(nodes: Sequence[Node]) -> tuple[list[Node], dict[Key, Box]]:
    """The tasks of which no other that may raise has cells, and what all these take.

    Args:
        nodes: the tasks of a call.

    Returns:
        The tasks, and the chunks of dask's, with their cells.
    """
    passed, taken = set[int](), dict[Key, Box]()
    for one in (one for node in nodes if node.function in RUNS for one in node.inputs):
        if one.function is chunks.taken:
            taken[one.inputs[0].key] = one.given[1]
        passed.add(id(one.inputs[0] if one.function is cells.cut else one))
    some = (one for one in nodes if one.function in RUNS and id(one) not in passed)
    return [*some], taken
