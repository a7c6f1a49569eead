"""Imports without the names that nothing uses any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import libcst as cst

from looptx.syntax.concrete import Line

Imported: TypeAlias = tuple[str, str | None, str | None]
"""Module, member (None for the module itself) and alias."""


def without(line: Line, names: Sequence[Imported]) -> list[Line]:
    """An import statement without some of its names; nothing if none is left.

    Args:
        line: the statement.
        names: what goes.
    """
    match line:
        case cst.SimpleStatementLine(
            body=[cst.Import(names=[*own]) | cst.ImportFrom(names=[*own])]
        ) if len(own) == len(names):
            return []
    # libcst's own visitors take a tenth of a second to be imported.
    from libcst.codemod import CodemodContext
    from libcst.codemod.visitors import RemoveImportsVisitor

    context = CodemodContext()
    for module, member, alias in names:
        RemoveImportsVisitor.remove_unused_import(context, module, member, alias)
    frame = cst.Module([line.with_changes(leading_lines=())])
    left = RemoveImportsVisitor(context).transform_module(frame).body
    return [one.with_changes(leading_lines=line.leading_lines) for one in left]
