"""A nest for certain types: out of the cache, or analysed, built and kept there."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence

from looptx import forks
from looptx.errors import BuildFailed, LooptxError
from looptx.model.types import Type
from looptx.native.analysis.function import ENTRY
from looptx.native.analysis.function_text import FunctionText
from looptx.native.cache import store
from looptx.native.call.dispatch import Version
from looptx.native.compile import build, keys, load, shared
from looptx.native.compile import compiler as cc
from looptx.native.diagnostics.records import error_from, record_of

NOT_NATIVE = ("LX503", "LX504")
"""Failures that depend on the nest and its types alone: they are kept like results."""


def specialise(
    key: str,
    source: FunctionText,
    live_in: Sequence[str],
    types: Sequence[Type],
    text_of: Callable[[Mapping[str, Type]], str],
    flags: Sequence[str] = (),
) -> Version:
    """The native version of a nest.

    Args:
        key: from ``keys.nest_key``.
        source: the function, for the places of kept errors.
        live_in: the names the nest reads.
        types: theirs.
        text_of: proves the nest and prints its Cython text; called on a miss only.
        flags: the compiler's for this kernel alone; they are in the key.

    Raises:
        LooptxError: refused by the proof, not compilable, or the build failed.
    """
    start = time.perf_counter()

    @functools.cache
    def text() -> str:
        try:
            return text_of(dict(zip(live_in, types, strict=True)))
        except LooptxError as error:
            if error.code in NOT_NATIVE:
                store.save_record(key, record_of(error, source.shift))
            raise

    def make() -> Version:
        # Whoever waited finds what the first one made, be it a nest or a reason.
        with store.lock(key):
            version = _known(key, source, types, start)
            if version is None:
                entry = _build(key, text(), flags)
                version = _load(entry, types, start, "compiled")
        return version

    version = _known(key, source, types, start)
    if version is None:
        with forks.IMPORTS:
            from looptx.native.cache import eviction

        version = store.carry_out(make)
        eviction.trim()
    return version


def _known(
    key: str, source: FunctionText, types: Sequence[Type], start: float
) -> Version | None:
    """The version kept in the cache.

    Raises:
        LooptxError: it is kept that there can be none.
    """
    version = _cached(key, types, start)
    if version is None:
        record = store.load_record(key) or {}
        error = error_from(record, source.filename, source.shift)
        if error is not None:
            raise error
    return version


def _cached(key: str, types: Sequence[Type], start: float) -> Version | None:
    """The version kept in the cache; one whose shared module is gone is thrown out."""
    entry = store.find(key)
    if entry is None:
        return None
    if not shared.provide(entry.needs):
        store.discard(key)
        return None
    try:
        return _load(entry, types, start, "cache")
    except FileNotFoundError:
        return None


def _build(key: str, text: str, flags: Sequence[str]) -> store.Entry:
    """Compile into a private directory and publish it."""
    with forks.IMPORTS:
        from looptx.native.diagnostics import bug_reports

    compiler = cc.find()
    module = f"_looptx_{key[:24]}"
    with store.workspace() as directory:
        draft = directory / "entry"
        draft.mkdir()
        with bug_reports.kept(draft):
            built = build.build(text, module, draft, flags=flags)
        (draft / f"{module}.pyx").rename(draft / store.TEXT)
        made = {"compiler": " ".join(compiler.argv), "version": cc.version(compiler)}
        library = built.library.name
        entry = store.publish(key, draft, library, module, built.shared, made=made)
    keys.remember_compiler()
    return entry


def _load(
    entry: store.Entry, types: Sequence[Type], start: float, origin: str
) -> Version:
    """The version that an entry holds.

    Raises:
        BuildFailed: LX502 when it cannot be loaded.
        FileNotFoundError: it was thrown out meanwhile, as other processes do.
    """
    try:
        module = load.load(entry.library, entry.module)
    except BuildFailed:
        if entry.library.exists():
            raise
        raise FileNotFoundError(f"{entry.library} was thrown out") from None
    seconds = time.perf_counter() - start
    return Version(getattr(module, ENTRY), tuple(types), seconds, origin, entry.text)
