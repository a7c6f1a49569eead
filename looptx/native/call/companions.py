"""The nests of a function that are compiled together with the one that is called.

Most of what a compiler reads of a module is not the loops, so one module of six nests
costs a third of six. The types of the others are foreseen: a name has the type of the
literal that it is given between the nests, or of what the nest in front leaves in it,
or else the one that it has in the nest that is called, or of its value in the call of
the function by then. An array of which nothing is known is taken to hold what the known
ones do, a number that an earlier nest leaves to be an element of it, and any other
number to be a float. A nest that turns out to have other types is compiled for these
when it is called.

A nest with complex numbers stays alone. What keeps the compiler from fusing products
and sums in it (see ``compile.fma``) would make other nests slower.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from looptx.errors import LooptxError
from looptx.model.dtypes import DTYPES
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.native.analysis.function import ENTRY, Analysis
from looptx.native.call.arguments import Foreign, classify

if TYPE_CHECKING:
    from looptx.native.analysis.exception_order import NestCode


class Companion(NamedTuple):
    """A nest that another brings with it.

    Attributes:
        key: under which it is looked for.
        name: of its entry.
        code: its functions.
    """

    key: str
    name: str
    code: NestCode


def met(code: types.CodeType) -> dict[str, Type]:
    """The types of what has a value in the innermost call of a function.

    Args:
        code: of the function; what runs of it has its name and its file.
    """
    found: dict[str, Type] = {}
    frame = sys._getframe()
    while frame.f_back is not None and not _is_of(frame.f_code, code):
        frame = frame.f_back
    if _is_of(frame.f_code, code):
        values = frame.f_locals
        for name, value in values.items():
            with contextlib.suppress(Foreign):
                found[name] = classify(value, False)
        if sys.version_info < (3, 13):
            values.clear()  # A copy, which would keep arrays until the call ends.
    return found


def _is_of(one: types.CodeType, code: types.CodeType) -> bool:
    return (one.co_name, one.co_filename) == (code.co_name, code.co_filename)


def companions(
    analysis: Analysis,
    number: int,
    code: NestCode,
    known: Mapping[str, Type],
    wanted: Callable[[int, tuple[Type, ...]], str],
) -> Iterator[Companion]:
    """The other nests of a function, as far as they can be compiled before a call.

    Args:
        analysis: of the function.
        number: of the nest that is called. code: it.
        known: the types of the names it reads.
        wanted: gives the key of a nest for certain types, "" where it is kept.
    """
    from looptx.native.analysis.rebound import last_line, literals
    from looptx.native.analysis.signature import live_types

    tree, behind = analysis.module.parsed.tree, 0
    held = {kind.dtype for kind in known.values() if isinstance(kind, ArrayType)}
    default = held.pop() if len(held) == 1 else "float64"
    known = dict(known)
    around = analysis.around[number]
    for other, (kernel, nest, _) in enumerate(analysis.parts):
        line, left = nest.place.line, code.section.left if other == number else ()
        if other > number:
            known |= literals(tree, behind, line)
        # What is wrong with it is told when it is called.
        with contextlib.suppress(LooptxError, RecursionError, MemoryError):
            types = live_types(kernel, nest, known, default)
            live = dict(zip(nest.given, types, strict=True))
            live |= {name: known[name] for name in live.keys() & known.keys()}
            alone = any(map(_is_complex, (*live.values(), *known.values())))
            apart = other == number or analysis.around[other] != around
            key = not apart and not alone and wanted(other, (*live.values(),))
            if key:
                name = f"{ENTRY}_{other}"
                found = analysis.entry(other, live, name)
                left = found.section.left if other > number else ()
                yield Companion(key, name, found)
        known = {
            **dict.fromkeys(nest.live_out, ScalarType(default)),
            **known,
            **dict(left),
        }
        behind = max(behind, last_line(tree, line))


def _is_complex(kind: Type) -> bool:
    return DTYPES[kind.dtype].is_complex
