"""A decorated function, validated: ``kernel.validate()``."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence

from looptx.errors import LooptxError, Malformed, Place
from looptx.lower.types import annotated
from looptx.native.call.prepared import Prepared
from looptx.native.diagnostics import bug_reports
from looptx.validation import Subject, Validation, merged, validate

_TEXT = "the text of `inspect_python()`"
_PLAIN = (int, float, complex, str, bytes)


def validated(
    prepared: Prepared,
    function: types.FunctionType,
    wanted: Sequence[Mapping[str, object]],
) -> Validation:
    """Compare a function with its rewritten form, for the types it was called with.

    Args:
        prepared: its nests.
        function: the original.
        wanted: the sizes, as ``validation.validate`` takes them.

    Returns:
        What was compared, of all its nests.

    Raises:
        LooptxError: those of ``validate``.
    """
    reading = prepared.analysis()
    met = prepared.known_types()
    parts = reading.planned(met)
    after = reading.written(parts)
    values = _numbers(function)
    results = []
    try:
        for kernel, planned in parts:
            if planned:
                known = {**annotated(kernel), **met}
                subject = Subject(
                    reading.module, kernel, planned, after, known, values, _TEXT
                )
                results.append(validate(subject, wanted))
    except (LooptxError, *bug_reports.PASSING):
        raise
    except Exception as error:
        raise bug_reports.reported(error, prepared.source.own) from None
    if not results:
        raise Malformed(
            "LX107",
            f"no nest of {function.__qualname__} has directives: nothing is rewritten",
            Place(prepared.source.filename, function.__code__.co_firstlineno),
            hint="write a directive such as `# looptx: parallel i` above a loop",
        )
    return merged(function.__qualname__, results)


def _numbers(function: types.FunctionType) -> dict[str, object]:
    """The plain values of the global and captured names of a function."""
    around = inspect.getclosurevars(function)
    named = {**around.globals, **around.nonlocals}
    return {name: value for name, value in named.items() if isinstance(value, _PLAIN)}
