"""A nest for certain types: out of the cache, or analysed, built and kept there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from looptx.errors import BuildFailed, LooptxError, Place
from looptx.model.types import Type
from looptx.native import build, cache, load, shared
from looptx.native import compiler as cc
from looptx.native.dispatch import Version
from looptx.native.host import FunctionText
from looptx.native.reading import ENTRY

NOT_NATIVE = ("LX503", "LX504")
"""Failures that depend on the nest and its types alone: they are kept like results."""


def nest_key(kernel_key: str, label: str, types: Sequence[Type]) -> str:
    """The cache key of a compiled nest."""
    return cache.digest(
        kernel_key,
        label,
        *map(str, types),
        cache.machine(),
        np.__version__,
        os.environ.get("CC", ""),
        " ".join((*cc.REQUIRED, *cc.OPTIONAL)),
    )


def specialise(
    key: str,
    source: FunctionText,
    live_in: Sequence[str],
    types: Sequence[Type],
    text_of: Callable[[Mapping[str, Type]], str],
) -> Version:
    """The native version of a nest.

    Args:
        key: from ``nest_key``.
        source: the function, for the places of kept errors.
        live_in: the names the nest reads.
        types: theirs.
        text_of: proves the nest and prints its Cython text; called on a miss only.

    Raises:
        LooptxError: refused by the proof, not compilable, or the build failed.
    """
    start = time.perf_counter()
    version = _cached(key, types, start)
    if version is not None:
        return version
    failed = _error_from(cache.load_record(key) or {}, source)
    if failed is not None:
        raise failed
    try:
        text = text_of(dict(zip(live_in, types, strict=True)))
    except LooptxError as error:
        if error.code in NOT_NATIVE:
            cache.save_record(key, _record_of(error, source.shift))
        raise
    cc.find()
    with cache.lock(key):
        version = _cached(key, types, start)
        if version is None:
            version = _load(_build(key, text), types, start, "compiled")
    return version


def _cached(key: str, types: Sequence[Type], start: float) -> Version | None:
    """The version kept in the cache; one whose shared module is gone is thrown out."""
    entry = cache.find(key)
    if entry is None:
        return None
    if not shared.provide(entry.needs):
        cache.discard(key)
        return None
    return _load(entry, types, start, "cache")


def _build(key: str, text: str) -> cache.Entry:
    """Compile into a private directory and publish it."""
    module = f"_looptx_{key[:24]}"
    with cache.workspace() as directory:
        draft = directory / "entry"
        draft.mkdir()
        built = build.build(text, module, draft)
        (draft / f"{module}.pyx").rename(draft / cache.TEXT)
        return cache.publish(key, draft, built.library.name, module, built.shared)


def _load(
    entry: cache.Entry, types: Sequence[Type], start: float, origin: str
) -> Version:
    module = load.load(entry.library, entry.module)
    seconds = time.perf_counter() - start
    return Version(getattr(module, ENTRY), tuple(types), seconds, origin, entry.text)


def _record_of(error: LooptxError, shift: int) -> dict[str, object]:
    """The JSON form of an error; its line is counted in the function's text."""
    place = error.place
    return {
        "code": error.code,
        "message": error.message,
        "detail": list(error.detail),
        "hint": error.hint,
        "source": error.source,
        "place": [place.line - shift, place.column] if place else None,
    }


def _error_from(record: Mapping[str, Any], source: FunctionText) -> LooptxError | None:
    """The error of a record; None when it is none."""
    try:
        place = None
        if record["place"]:
            line, column = record["place"]
            place = Place(source.filename, line + source.shift, column)
        return BuildFailed(
            record["code"],
            record["message"],
            place,
            detail=tuple(record["detail"]),
            hint=record["hint"],
            source=record["source"],
        )
    except (KeyError, TypeError):
        return None
