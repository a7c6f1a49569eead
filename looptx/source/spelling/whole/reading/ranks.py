"""How many axes the arrays of a function have, as far as it says that anywhere.

That may be wrong of a call: native code looks at the arrays that it is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from looptx.model.functions import FILLED, lookup
from looptx.model.trees import dotted
from looptx.source.ast_tools import once, walked
from looptx.source.names.axes import said
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope, annotation_text
from looptx.source.spelling.edits import axes_given
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.repeated import repeated

_LINES = ("numpy.arange", "numpy.linspace")
"""Functions that make arrays of one axis."""

_COMPLEX = re.compile(r"(np\.|numpy\.)?(complex|cdouble)\w*\[")

_AXES = re.compile(r"\[[\s:,1]*:[\s:,1]*\]$")
"""The axes in ``float64[:, ::1]``."""


def known_ranks(function: Function, scope: Scope, axes: Mapping[str, int]) -> Ranks:
    """The axes that each array has at least, by (dotted) name.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    known = _of_function(scope)
    found = next((ranks for given, ranks in known if given is axes), None)
    if found is None:
        found = _ranks(function, scope, axes)
        known.append((axes, found))
    return Ranks(found)


@once
def _of_function(_scope: Scope) -> list[tuple[Mapping[str, int], Ranks]]:
    """What has been found of a function, with what was given."""
    return []


def _ranks(function: Function, scope: Scope, axes: Mapping[str, int]) -> Ranks:
    """As ``known_ranks``.

    Args:
        function, scope, axes: as there.
    """
    found = Ranks()
    if isinstance(axes, Ranks):
        found.complex |= axes.complex
        found.single |= axes.single
        found.wide |= axes.wide
    for node in walked(function):
        for name, count in _said(node, scope):
            found[name] = max(found.get(name, 0), count)
    found.pop("", None)
    kept = (x for x, how in scope.bindings.items() if {y.kind for y in how} == {"arg"})
    found.kept |= {*kept} - scope.shared
    for one in arguments(function):
        if _COMPLEX.match(annotation_text(one.annotation)):
            found.complex.add(one.arg)
        if one.arg in axes:
            found[one.arg] = max(found.get(one.arg, 0), axes[one.arg])
    _infer(function, scope, found)
    while found.single - found.ones:
        extents = Extents(scope, found, "")
        new = repeated(own_nodes(function), extents) - found.ones
        if not new:
            break
        found.ones |= new
        _infer(function, scope, found)
    return found


def _infer(function: Function, scope: Scope, found: Ranks) -> None:
    """Add the axes of what is computed of arrays, and gets a name.

    Args:
        function, scope: as of ``known_ranks``. found: what is known by then.
    """
    extents = Extents(scope, found, "")
    shapes: dict[str, list[list[str]]] = {}
    for node in own_nodes(function):
        match node:
            case ast.Assign([ast.Name(name)], ast.Name(other)) if found.get(other):
                found[name] = max(found.get(name, 0), found[other])
            case ast.Assign([ast.Name(name)], ast.Name() | ast.Constant()):
                continue
            case ast.Assign([ast.Name(name)], ast.Call() as call) if axes_given(call):
                found[name] = max(found.get(name, 0), axes_given(call))
            case ast.Assign([ast.Name(name)], value):
                with suppress(Unlike):
                    counts = extents.of(value)
                    found[name] = max(found.get(name, 0), len(counts))
                    shapes.setdefault(name, []).append(counts)
                    if extents.is_complex(value):
                        found.complex.add(name)
    for name, known in shapes.items():
        if found[name] == 0:
            del found[name]
        elif len(known) == len(scope.bindings.get(name, ())):
            axes = [*enumerate(zip(*known, strict=False))]
            wide = {f"{array}.shape[{at}]" for array, at in found.wide}
            found.ones |= {(name, at) for at, one in axes if {*one} == {"1"}}
            found.wide |= {(name, at) for at, one in axes if wide.issuperset(one)}


def _nested(node: ast.expr) -> int:
    """How many axes an array has at least that is made of lists in lists."""
    if not isinstance(node, ast.List | ast.Tuple):
        return 0
    return 1 + min(map(_nested, node.elts), default=0)


def _said(node: ast.AST, scope: Scope) -> Iterator[tuple[str, int]]:
    """What a node says."""
    match node:
        case ast.arg(name, annotation) if annotation is not None:
            found = _AXES.search(annotation_text(annotation))
            if found:
                yield name, found.group().count(",") + 1
        case ast.Assign([ast.Name(name)], ast.Call(called, [shape, *_])):
            row = lookup(scope.resolve(called))
            if row.fill in ("", "0", "1", FILLED) and not row.like:
                yield name, len(shape.elts) if isinstance(shape, ast.Tuple) else 1
            elif row.name in _LINES:
                yield name, 1
            elif row.name == "numpy.array":
                yield name, _nested(shape)
        case _:
            # What is between further brackets may be of the elements of a list.
            yield from ((dotted(array), axes) for array, axes in said(node))
