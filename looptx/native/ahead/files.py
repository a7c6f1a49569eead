"""The functions that a module imports from other files of its package, as these are.

At a call a name leads to the function that it has by then. This is what is to be
expected of a file by itself: nothing is imported, as nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
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


def expected(
    text: str, tree: ast.Module, file: Path, users: frozenset[Path] = frozenset()
) -> str:
    """The text of a module as kernels of looptx would have it, each line in its place.

    Its functions have no decorators of Numba, and what it imports from files of its
    package says its names.

    Args:
        text: it. tree: of the text. file: its path.
        users: the files that are read for what they import from this one.
    """
    lines = NEWLINE.split(without_numba(text, tree))
    for node in walked(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            module = "." * node.level + (node.module or "")
            names = _names(module, file, users | {file.absolute()})
            at, start = node.lineno - 1, node.col_offset
            if names and node.end_lineno == node.lineno:
                # Columns count bytes.
                before = lines[at].encode()[:start].decode()
                head, _, rest = lines[at].removeprefix(before).partition("*")
                lines[at] = before + head + ", ".join(names) + rest
    return "\n".join(lines)


def _names(module: str, user: Path, users: frozenset[Path]) -> list[str]:
    """What a star imports, if it is from a file of the package.

    Args:
        module, user: as of ``_path``. users: as of ``expected``.
    """
    path = _path(module, user)
    found = _read(path, users) if path and path not in users else None
    for node in found.body if found else ():
        match node:
            case ast.Assign([ast.Name("__all__")], ast.List(names) | ast.Tuple(names)):
                texts = (one.value for one in names if isinstance(one, ast.Constant))
                return sorted({one for one in texts if isinstance(one, str)})
    nodes = own_nodes(found) if found else []
    return sorted(name for name in {*bound_names(nodes)} if name[0] != "_")


def _read(path: Path, users: frozenset[Path] = frozenset()) -> ast.Module | None:
    """The module of a file; None where it cannot be read.

    Args:
        path: of the file. users: as of ``expected``.
    """
    try:
        text = decode(path.read_bytes(), str(path)).text
        return parsed(expected(text, parsed(text), path, users))
    except (LooptxError, OSError, SyntaxError, ValueError, RecursionError):
        return None


class _Files:
    """Modules by their files."""

    def __init__(self) -> None:
        self._modules: dict[Path, _Elsewhere | None] = {}
        self._asked: set[tuple[Path, str]] = set()

    def function(self, full: str, user: Path) -> Callee | None:
        """A function by the full name that a module has for it.

        Args:
            full: the name, with a dot in front for each level of a relative import.
            user: the file of the module.
        """
        with self._of(full, user) as (found, name):
            return found.callee(name) if found else None

    def number(self, full: str, user: Path) -> ast.expr | None:
        """A number that another file gives a name.

        Args:
            full, user: as of ``function``.
        """
        with self._of(full, user) as (found, name):
            return found.number(name) if found else None

    @contextmanager
    def _of(self, full: str, user: Path) -> Iterator[tuple[_Elsewhere | None, str]]:
        """The module that has a name, and what it calls that.

        There is none while it is asked for the same: files may import one another.

        Args:
            full, user: as of ``function``.
        """
        module, _, name = full.rpartition(".")
        path = _path(module, user) if module else None
        if path is None and module.startswith(".."):
            # ``from . import x`` makes ``..x`` of a name.
            path = _path(module[1:], user)
        if path is None or path == user.absolute() or (path, name) in self._asked:
            yield None, name
            return
        self._asked.add((path, name))
        try:
            yield self._module(path), name
        finally:
            self._asked.discard((path, name))

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
        """A function by the (dotted) name that it has in the module."""
        own = super().callee(name)
        return own or self._files.function(self._full(name), self._path)

    def number(self, name: str) -> ast.expr | None:
        """A number of the module, as it is written: the caller's names are others."""
        own = (value for one, value, _ in self._constants if one == name)
        return next(own, None) or self._files.number(self._full(name), self._path)

    def _full(self, name: str) -> str:
        return resolve(ast.parse(name, mode="eval").body, self.outer)

    def _text(self, name: str, node: Function) -> Text:
        module = ast.Module([node], [])
        # What a loop goes over is an array, as at a call.
        arrays = [one.arg for one in arguments(node)]
        tree = with_indices(with_ranges(module, self.outer), self.outer, arrays)
        (own,) = tree.body
        assert isinstance(own, FUNCTIONS)
        used = {x.id for x in walked(own) if isinstance(x, ast.Name)}
        imports = {
            one: full
            for one, full in self.outer.items()
            if one not in used or self._files.number(full, self._path) is None
        }
        text = super()._text(name, own)
        return replace(text, own=f"{self._path.stem}_{name}", imports=imports)


def _path(module: str, user: Path) -> Path | None:
    """The file of a module, if it is in the package, or folder, of another one.

    Args:
        module: its full name, as of ``_Files.function``. user: the other one's file.
    """
    name, user = module.lstrip("."), user.absolute()
    level = len(module) - len(name)
    if level > len(user.parents):
        return None
    inside = [*takewhile(lambda x: (x / "__init__.py").is_file(), user.parents)]
    if level:
        top = user.parents[level - 1]
    elif inside and name.partition(".")[0] != inside[-1].name:
        # What stands beside a package is another one.
        return None
    else:
        top = [user, *inside][-1].parent
    path = top.joinpath(*name.split("."))
    ways = path.with_suffix(".py"), path / "__init__.py"
    return next((one for one in ways if one.is_file()), None)
