"""The functions that a module imports from other files of its package, as these are.

At a call a name leads to the function that it has by then. This is what is to be
expected of a file by itself: nothing is imported, as nothing is run.
"""

from __future__ import annotations

import ast
from itertools import takewhile
from pathlib import Path

from looptx.errors import LooptxError
from looptx.model.callees.callee import Callee
from looptx.model.lines import NEWLINE
from looptx.model.records import replace
from looptx.model.trees import dotted
from looptx.native.ahead.jitted import without_numba
from looptx.parsers.unwarned import parsed
from looptx.source.ast_tools import walked
from looptx.source.callees.module import Functions
from looptx.source.callees.reading import Text
from looptx.source.names.imports import (
    FUNCTIONS,
    arguments,
    bound_names,
    own_nodes,
    resolve,
    scope_imports,
)
from looptx.source.names.scope import Function
from looptx.source.spelling.headers import with_indices, with_ranges
from looptx.source.text.encoding import decode

_MOST_STEPS = 8
"""So many files hand on a function that one of them has."""


def imported(tree: ast.Module, file: str) -> dict[str, Callee]:
    """The functions of other files that a module calls, by their full names.

    Args:
        tree: the module. file: its path.
    """
    files = _Files()
    names = scope_imports(tree, {})
    calls = (x.func for x in walked(tree) if isinstance(x, ast.Call) and dotted(x.func))
    found = {}
    for full in {resolve(call, names) for call in calls}:
        callee = files.function(full, Path(file))
        if callee is not None:
            found[full] = callee
    return found


def expected(text: str, tree: ast.Module, file: Path) -> str:
    """The text of a module as kernels of looptx would have it, each line in its place.

    Its functions have no decorators of Numba, and what it imports from files of its
    package says its names.

    Args:
        text: it. tree: of the text. file: its path.
    """
    lines = NEWLINE.split(without_numba(text, tree))
    for node in walked(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            names = _names("." * node.level + (node.module or ""), file)
            at, start = node.lineno - 1, node.col_offset
            if names and node.end_lineno == node.lineno:
                head, _, rest = lines[at][start:].partition("*")
                lines[at] = lines[at][:start] + head + ", ".join(names) + rest
    return "\n".join(lines)


def _names(module: str, user: Path) -> list[str]:
    """What a star imports, if it is from a file of the package.

    Args:
        module, user: as of ``_path``.
    """
    path = _path(module, user)
    found = path and _read(path)
    nodes = own_nodes(found) if found else []
    return sorted(name for name in {*bound_names(nodes)} if name[0] != "_")


def _read(path: Path) -> ast.Module | None:
    """The module of a file; None where it cannot be read."""
    try:
        text = decode(path.read_bytes(), str(path)).text
        return parsed(expected(text, parsed(text), path))
    except (LooptxError, OSError, SyntaxError, ValueError, RecursionError):
        return None


class _Files:
    """Modules by their files."""

    def __init__(self) -> None:
        self._modules: dict[Path, _Elsewhere | None] = {}

    def function(self, full: str, user: Path, steps: int = 0) -> Callee | None:
        """A function by the full name that a module has for it.

        Args:
            full: the name, with a dot in front for each level of a relative import.
            user: the file of the module. steps: how many files have handed it on.
        """
        module, _, name = full.rpartition(".")
        path = _path(module, user) if module else None
        found = self._module(path) if path and path != user else None
        if found is None or steps == _MOST_STEPS:
            return None
        return found.callee(name) or found.handed(name, steps + 1)

    def _module(self, path: Path) -> _Elsewhere | None:
        if path not in self._modules:
            tree = _read(path)
            self._modules[path] = _Elsewhere(self, tree, path) if tree else None
        return self._modules[path]


class _Elsewhere(Functions):
    """The functions of another file than the one that is read.

    Args:
        files: where others are. tree: the module. path: of the file.
    """

    def __init__(self, files: _Files, tree: ast.Module, path: Path) -> None:
        super().__init__(tree, str(path), scope_imports(tree, {}))
        self._files = files
        self._path = path

    def callee(self, name: str) -> Callee | None:
        """A function by the name that it has in the module."""
        if "." not in name:
            return super().callee(name) or self.handed(name)
        full = resolve(ast.parse(name, mode="eval").body, self.outer)
        return self._files.function(full, self._path)

    def handed(self, name: str, steps: int = 0) -> Callee | None:
        """A function that the module imports.

        Args:
            name: it. steps: how many files have handed it on.
        """
        full = self.outer.get(name, "")
        return self._files.function(full, self._path, steps) if "." in full else None

    def number(self, name: str) -> ast.expr | None:
        """A number of the module, as it is written: the caller's names are others."""
        return next((value for one, value, _ in self._constants if one == name), None)

    def _text(self, name: str, node: Function) -> Text:
        module = ast.Module([node], [])
        # What a loop goes over is an array, as at a call.
        arrays = [one.arg for one in arguments(node)]
        tree = with_indices(with_ranges(module, self.outer), self.outer, arrays)
        (own,) = tree.body
        assert isinstance(own, FUNCTIONS)
        return replace(super()._text(name, own), own=f"{self._path.stem}_{name}")


def _path(module: str, user: Path) -> Path | None:
    """The file of a module, if the package of another one has it.

    Args:
        module: its full name, as of ``_Files.function``. user: the other one's file.
    """
    name, user = module.lstrip("."), user.absolute()
    level = len(module) - len(name)
    if level > len(user.parents):
        return None
    if level:
        top = user.parents[level - 1]
    else:
        inside = takewhile(lambda x: (x / "__init__.py").is_file(), user.parents)
        top = [user, *inside][-1].parent
    path = top.joinpath(*name.split("."))
    ways = path.with_suffix(".py"), path / "__init__.py"
    return next((one for one in ways if one.is_file()), None)
