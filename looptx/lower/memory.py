"""What temporaries take, before and after: the lines of reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from looptx.looptree.text import format_expr
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Const, mul, rewrite
from looptx.model.storage import Buffer
from looptx.model.types import Type


def memory(buffers: Iterable[Buffer], types: Mapping[str, Type]) -> Iterator[str]:
    """``temp T: 8 * n * m bytes -> 8 bytes per thread`` for each temporary."""
    for buffer in buffers:
        own = buffer.allocation
        if own is None:
            continue
        dtype = own.dtype(types)
        unit = "bytes" if dtype else "elements"
        size = Const(DTYPES[dtype].size if dtype in DTYPES else 1)
        before, after = (
            format_expr(rewrite(mul(size, *extents), {}))
            for extents in (own.shape, buffer.extents)
        )
        each = " per thread" if buffer.private else ""
        if own.made and not own.given:
            one = after == "1"
            yield f"cache {buffer.name}: {after} {unit[: -1 if one else None]}{each}"
        else:
            word = "scratch" if own.given else "temp"
            yield f"{word} {buffer.name}: {before} {unit} -> {after} {unit}{each}"
