"""A nest for certain types: out of the cache, or analysed, built and kept there."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from looptx import forks
from looptx.errors import BuildFailed, LooptxError
from looptx.model.program import Kernel, Nest
from looptx.model.types import Type
from looptx.native.analysis.arguments import signature_of
from looptx.native.analysis.function import ENTRY, NOT_NATIVE
from looptx.native.analysis.function_text import FunctionText
from looptx.native.cache import store
from looptx.native.call.dispatch import Dispatcher, Version
from looptx.native.compile import build, collector, keys, load
from looptx.native.compile import compiler as cc
from looptx.native.diagnostics.notes import Notes
from looptx.native.diagnostics.records import error_from, record_of

if TYPE_CHECKING:
    from looptx.native.analysis.exception_order import NestCode
    from looptx.native.analysis.signature import Signature
    from looptx.native.call.companions import Companion


def specialise(
    key: str,
    source: FunctionText,
    live_in: Sequence[str],
    types: Sequence[Type],
    code_of: Callable[[Mapping[str, Type]], NestCode],
    flags: Sequence[str] = (),
    companions: Callable[[NestCode], Iterable[Companion]] | None = None,
) -> Version:
    """The native version of a nest.

    Args:
        key: from ``keys.nest_key``.
        source: the function.
        live_in: the names the nest reads.
        types: theirs.
        code_of: proves the nest and prints its Cython module; called on a miss only.
        flags: the compiler's for this kernel alone; they are in the key.
        companions: nests to compile with it; called on a miss only.

    Raises:
        LooptxError: refused by the proof, not compilable, or the build failed.
    """
    start = time.perf_counter()

    @functools.cache
    def code() -> NestCode:
        try:
            with collector.paused():
                return code_of(dict(zip(live_in, types, strict=True)))
        except LooptxError as error:
            if error.code in NOT_NATIVE:
                store.save_record(key, record_of(error, source.above))
            raise

    built: list[store.Entry] = []

    def make() -> Version:
        # Whoever waited finds what the first one made, be it a nest or a reason.
        with store.lock(key):
            version = _known(key, source, types, start)
            if version is None:
                own = code()
                with collector.paused():
                    others = tuple(companions(own)) if companions else ()
                entry = _built(key, source, own, flags, others)
                built.append(entry)
                version = _load(entry, source, types, start, "compiled")
        return version

    version = _known(key, source, types, start)
    if version is None:
        with forks.IMPORTS:
            from looptx.native.cache import eviction

        version = store.carry_out(make)
        for entry in built:
            eviction.make_room(entry)
    return version


def compiled(
    dispatchers: Sequence[Dispatcher],
    parts: Sequence[tuple[Kernel, Nest, Any]],
    function: FunctionType,
    signature: Signature,
) -> None:
    """Compile every nest of a function for the types of its arguments.

    Args:
        dispatchers: of its nests. parts: these, with their functions.
        function: it. signature: one type per parameter.

    Raises:
        LooptxError: LX102 for the signature, LX503 when it does not say enough, and
            whatever proof and build say.
    """
    from looptx.native.analysis.signature import live_types, parse

    known = parse(signature, list(signature_of(function).parameters))
    for dispatcher, (kernel, nest, _) in zip(dispatchers, parts, strict=True):
        try:
            version = dispatcher.version(live_types(kernel, nest, known))
            if isinstance(version, LooptxError) and version.code != "LX501":
                raise version
        except LooptxError:
            if not dispatcher.info.silent:
                raise


def _known(
    key: str, source: FunctionText, types: Sequence[Type], start: float
) -> Version | None:
    """The version kept in the cache.

    Raises:
        LooptxError: it is kept that there can be none.
    """
    entry = store.find(key)
    record = (store.load_record(key) or {}) if entry is None else {}
    error = error_from(record, source.filename, source.above)
    if error is not None:
        raise error
    entry = entry or _bringing(record)
    try:
        return _load(entry, source, types, start, "cache", record) if entry else None
    except FileNotFoundError:
        return None


def kept(key: str) -> bool:
    """Whether something is kept of a nest: a version, or why there is none."""
    if store.find(key) is not None:
        return True
    record = store.load_record(key) or {}
    return "code" in record or _bringing(record) is not None


def _bringing(record: Mapping[str, Any]) -> store.Entry | None:
    """The entry of the nest that brought the one of a record with it."""
    return store.find(record["with"]) if "with" in record else None


def _built(
    key: str,
    source: FunctionText,
    code: NestCode,
    flags: Sequence[str],
    companions: Sequence[Companion],
) -> store.Entry:
    """The new entry of a nest, without its companions where they do not compile.

    Args:
        key, source, flags: as for ``specialise``.
        code: of the nest. companions: of it.
    """
    try:
        return _build(key, source, code, flags, companions)
    except BuildFailed as error:
        if error.code != "LX502" or not companions:
            raise
        return _build(key, source, code, flags, ())


def _build(
    key: str,
    source: FunctionText,
    code: NestCode,
    flags: Sequence[str],
    companions: Sequence[Companion],
) -> store.Entry:
    """Compile into a private directory and publish it.

    Args:
        key, source, code, flags, companions: as for ``_built``.
    """
    with forks.IMPORTS:
        from looptx.emit.cython import module_text
        from looptx.native.diagnostics import bug_reports

    compiler = cc.find()
    module = f"_looptx_{key[:24]}"
    with store.workspace() as directory:
        draft = directory / "entry"
        draft.mkdir()
        with bug_reports.kept(draft):
            codes = [code, *(one.code for one in companions)]
            sections = [one.section for one in codes]
            uses = {
                "openmp": any(one.parallel for one in codes),
                "vectors": any(section.vector for section in sections),
            }
            text = module_text(sections)
            more = cc.ALIGNED if any(section.arrays for section in sections) else ()
            if any(section.tiles for section in sections):
                more = cc.TILES
            built = build.build(text, module, draft, flags=(*flags, *more), **uses)
        (draft / f"{module}.pyx").rename(draft / store.TEXT)
        facts = {
            "compiler": " ".join(compiler.argv),
            "version": cc.version(compiler),
            "notes": code.notes.moved(-source.above).as_record(),
        }
        library = built.library.name
        entry = store.publish(key, draft, library, module, facts)
    for one in companions:
        notes = one.code.notes.moved(-source.above).as_record()
        store.save_record(one.key, {"with": key, "entry": one.name, "notes": notes})
    keys.remember_compiler()
    return entry


def _load(
    entry: store.Entry,
    source: FunctionText,
    types: Sequence[Type],
    start: float,
    origin: str,
    record: Mapping[str, Any] | None = None,
) -> Version:
    """The version that an entry holds.

    Args:
        entry: of the nest, or of the one that brought it.
        source: the function.
        types, start, origin: of the version.
        record: of a nest that another one brought.

    Raises:
        BuildFailed: LX502 when it cannot be loaded.
        FileNotFoundError: it was thrown out meanwhile, as other processes do, or does
            not hold the version any longer.
    """
    try:
        module = load.load(entry.library, entry.module)
    except BuildFailed:
        if entry.library.exists():
            raise
        raise FileNotFoundError(f"{entry.library} was thrown out") from None
    seconds = time.perf_counter() - start
    facts = record or {"entry": ENTRY, **entry.facts}
    run = getattr(module, facts["entry"], None)
    if run is None:
        raise FileNotFoundError(f"{entry.library} was made again, without this nest")
    notes = Notes.from_record(facts["notes"]).moved(source.above)
    return Version(run, tuple(types), seconds, origin, entry.text, notes)
