"""A nest for certain types: out of the cache, or analysed, built and kept there."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from looptx import forks
from looptx.errors import BuildFailed, LooptxError
from looptx.model.types import Type
from looptx.native.analysis.function import ENTRY, NOT_NATIVE
from looptx.native.analysis.function_text import FunctionText
from looptx.native.cache import store
from looptx.native.call.dispatch import Version
from looptx.native.compile import build, keys, load
from looptx.native.compile import compiler as cc
from looptx.native.diagnostics.notes import Notes
from looptx.native.diagnostics.records import error_from, record_of

if TYPE_CHECKING:
    from looptx.native.analysis.exception_order import NestCode


def specialise(
    key: str,
    source: FunctionText,
    live_in: Sequence[str],
    types: Sequence[Type],
    code_of: Callable[[Mapping[str, Type]], NestCode],
    flags: Sequence[str] = (),
) -> Version:
    """The native version of a nest.

    Args:
        key: from ``keys.nest_key``.
        source: the function, for the places of kept errors.
        live_in: the names the nest reads.
        types: theirs.
        code_of: proves the nest and prints its Cython module; called on a miss only.
        flags: the compiler's for this kernel alone; they are in the key.

    Raises:
        LooptxError: refused by the proof, not compilable, or the build failed.
    """
    start = time.perf_counter()

    @functools.cache
    def code() -> NestCode:
        try:
            return code_of(dict(zip(live_in, types, strict=True)))
        except LooptxError as error:
            if error.code in NOT_NATIVE:
                store.save_record(key, record_of(error, source.shift))
            raise

    def make() -> Version:
        # Whoever waited finds what the first one made, be it a nest or a reason.
        with store.lock(key):
            version = _known(key, source, types, start)
            if version is None:
                entry = _build(key, code(), flags)
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
    """The version in the cache."""
    entry = store.find(key)
    if entry is None:
        return None
    try:
        return _load(entry, types, start, "cache")
    except FileNotFoundError:
        return None


def _build(key: str, code: NestCode, flags: Sequence[str]) -> store.Entry:
    """Compile into a private directory and publish it."""
    with forks.IMPORTS:
        from looptx.native.diagnostics import bug_reports

    compiler = cc.find()
    module = f"_looptx_{key[:24]}"
    with store.workspace() as directory:
        draft = directory / "entry"
        draft.mkdir()
        with bug_reports.kept(draft):
            text, parallel = code.module(), code.parallel
            built = build.build(text, module, draft, openmp=parallel, flags=flags)
        (draft / f"{module}.pyx").rename(draft / store.TEXT)
        facts = {
            "compiler": " ".join(compiler.argv),
            "version": cc.version(compiler),
            "notes": code.notes.as_record(),
        }
        library = built.library.name
        entry = store.publish(key, draft, library, module, facts)
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
    run, notes = getattr(module, ENTRY), Notes.from_record(entry.facts["notes"])
    return Version(run, tuple(types), seconds, origin, entry.text, notes)
