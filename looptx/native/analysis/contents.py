"""What a function's text holds: nests, and loops that are none; kept in the cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from looptx.errors import BuildFailed, LooptxError
from looptx.model.records import dataclass
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import FunctionText
from looptx.native.analysis.nest_info import NestInfo
from looptx.native.diagnostics.records import error_from, record_of


@dataclass(frozen=True, slots=True)
class Contents:
    """The loops of a function.

    Attributes:
        nests: those that may be native, in source order.
        left: why others are not.
        beside: why loops that are no nests, beside these, are none.
    """

    nests: tuple[NestInfo, ...]
    left: tuple[LooptxError, ...] = ()
    beside: tuple[LooptxError, ...] = ()

    @staticmethod
    def of(reading: Analysis) -> Contents:
        """What was read of a function."""
        source = reading.source
        left, beside = (
            _errors([record_of(error, source.above) for error in errors], source)
            for errors in (reading.left, reading.beside)
        )
        return Contents(reading.nests(), left, beside)

    def as_record(self, source: FunctionText) -> dict[str, Any]:
        """The JSON form."""
        return {
            "nests": [info.moved(-source.above).as_record() for info in self.nests],
            "left": [record_of(error, source.above) for error in self.left],
            "beside": [record_of(error, source.above) for error in self.beside],
        }

    @staticmethod
    def from_record(record: Mapping[str, Any], source: FunctionText) -> Contents:
        """The value of a JSON form, which may be of a function that has moved since.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        infos = map(NestInfo.from_record, record["nests"])
        nests = tuple(info.moved(source.above) for info in infos)
        told = (_errors(record[kind], source) for kind in ("left", "beside"))
        return Contents(nests, *told)

    def lacking(self, name: str) -> str:
        """What a function of this name runs as plain Python, and why; or ``""``."""
        count = len(self.left)
        if not self.nests:
            reason = f": {self.left[0]}" if count else ""
            return f"{name} has no loop that can be native; it runs as Python{reason}"
        if not count:
            return ""
        loops = "a loop" if count == 1 else f"{count} loops"
        verb = "runs" if count == 1 else "run"
        return f"{loops} of {name} {verb} as plain Python: {self.left[0]}"

    def demanded(self, name: str) -> LooptxError | None:
        """The error where a function of this name is to run natively, and does not."""
        if self.nests and not self.left:
            return None
        first = next(iter(self.left), None)
        reason = f"{first.code} {first.message}" if first else "it has no loop"
        error = BuildFailed(
            "LX504",
            f"{name} cannot run natively: {reason}",
            first.place if first else None,
            source=first.source if first else "",
            hint=first.hint if first else "without strict=True it runs as written",
        )
        error.also = self.left[1:]
        return error


def _errors(records: Any, source: FunctionText) -> tuple[LooptxError, ...]:
    """The errors of records.

    Raises:
        ValueError: one is none.
    """
    found = [error_from(one, source.filename, source.above) for one in records]
    errors = tuple(error for error in found if error is not None)
    if len(errors) < len(found):
        raise ValueError("a record is no error")
    return errors
