"""Cython's passes over a text, without those for what generated code never has.

Cython goes through the tree of a text forty times, each time for something of the
language. A fifth of its time is spent on closures, classes, buffers, fused types,
signatures and other things that no text of looptx has: what it writes is the same C
without these passes. In other threads, and for others, Cython stays as it is; so does a
Cython of another version than was tried.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

NEEDLESS = frozenset(
    {
        "AdjustDefByDirectives",
        "AutoCpdefFunctionDefinitions",
        "CoerceCppTemps",
        "ConsolidateOverflowCheck",
        "CreateClosureClasses",
        "DecoratorTransform",
        "DropRefcountingTransform",
        "EmbedSignature",
        "FindInvalidUseOfFusedTypes",
        "FlattenInListTransform",
        "ForwardDeclareTypes",
        "InjectGilHandling",
        "InlineDefNodeCalls",
        "IntroduceBufferAuxiliaryVars",
        "MarkClosureVisitor",
        "MarkOverflowingArithmetic",
        "TrackNumpyAttributes",
        "TransformBuiltinMethods",
        "WithTransform",
    }
)
"""The classes of these passes."""

TRIED = "3.3."
"""How the versions of Cython begin that they were left out of."""

_here = threading.local()


def install() -> None:
    """Have Cython leave passes out where ``fewer`` says so, if it can be."""
    import Cython
    from Cython.Compiler import Pipeline

    every: Any = Pipeline.create_pyx_pipeline
    if hasattr(every, "every") or not Cython.__version__.startswith(TRIED):
        return

    def chosen(*given: Any, **named: Any) -> list[Any]:
        passes = every(*given, **named)
        if not getattr(_here, "fewer", False):
            return list(passes)
        return [one for one in passes if type(one).__name__ not in NEEDLESS]

    chosen.every = every  # type: ignore[attr-defined]
    Pipeline.create_pyx_pipeline = chosen


@contextlib.contextmanager
def fewer() -> Iterator[None]:
    """Where Cython compiles a text of looptx's."""
    _here.fewer = True
    try:
        yield
    finally:
        _here.fewer = False
