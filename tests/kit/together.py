"""Kernels whose nests are compiled together: most of a small module is not its nest."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from kit import kept
from kit.calls import outcome
from looptx.emit.cython import module_text
from looptx.model.types import Type
from looptx.native.analysis import function
from looptx.native.analysis.exception_order import NestCode
from looptx.native.analysis.function_text import FunctionText
from looptx.native.call import prepared
from looptx.native.call.dispatch import Version
from looptx.native.call.specialise import specialise
from looptx.native.compile import load

MODULE = "_looptx_together_{}"
"""A process loads a name once: it is that of the text."""


class Nests:
    """The nests that kernels have asked for.

    Until they are built, the loops run as written.
    """

    def __init__(self) -> None:
        self.waiting: dict[str, NestCode] = {}
        self._versions: dict[tuple[str, int], Version] = {}
        self._entries: dict[str, Callable[..., Any]] = {}

    def specialise(
        self,
        key: str,
        source: FunctionText,
        live_in: Sequence[str],
        types: Sequence[Type],
        code_of: Callable[[Mapping[str, Type]], NestCode],
        flags: Sequence[str] = (),
        _companions: object = None,
    ) -> Version:
        """What a kernel takes for the native version of a nest."""
        assert not flags, "all are compiled with the same"
        if (key, source.above) in self._versions:
            return self._versions[key, source.above]
        name = f"nest{len(self.waiting) + len(self._entries)}"
        with mock.patch.object(function, "ENTRY", name):
            code = code_of(dict(zip(live_in, types, strict=True)))
        self.waiting[name] = code

        def entry(*values: Any) -> Any:
            # Not taken, as by an entry of other types: the next call asks again.
            known = self._entries.get(name)
            return known(*values) if known is not None else NotImplemented

        text = code.section.text.replace(name, function.ENTRY)
        made = Version(entry, tuple(types), 0, "compiled", text, code.notes)
        self._versions[key, source.above] = made
        return made

    def known(self, key: str, source: FunctionText, *given: Any) -> Version:
        """The version that was made of a nest, or one of its own."""
        made = self._versions.get((key, source.above))
        return made if made is not None else specialise(key, source, *given)

    def build(self, folder: Path) -> None:
        """Compile what was asked for."""
        codes = list(self.waiting.values())
        if codes:
            sections = [code.section for code in codes]
            text, vectors = module_text(sections), any(s.vector for s in sections)
            parallel = any(code.parallel for code in codes)
            made = kept.built(text, MODULE, folder, openmp=parallel, vectors=vectors)
            module = load.load(made.library, made.module)
            self._entries = {name: getattr(module, name) for name in self.waiting}
        self.waiting = {}


@contextlib.contextmanager
def together() -> Iterator[Nests]:
    """Kernels give their nests to this instead of compiling them one by one."""
    nests = Nests()
    with mock.patch.object(prepared, "specialise", nests.specialise):
        yield nests


def compiled(calls: Iterable[tuple[Any, ...]], folder: Path) -> None:
    """Compile kernels for what they will be called with, all as one module.

    Args:
        calls: kernels, each with arguments of the types that it will get.
        folder: where the module goes, empty.
    """
    with together() as nests:
        for kernel, *given in calls:
            outcome(kernel, *given)
        nests.build(folder)
