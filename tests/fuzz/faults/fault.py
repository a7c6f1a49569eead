"""A deliberate fault in looptx: a piece of its syntax tree replaced by another."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ANY = re.compile("[A-Z]")
"""The names that stand for any expression, the same wherever the name is."""

Bound = dict[str, ast.expr]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault.

    Attributes:
        name: a few words with hyphens.
        room: the folder or module of looptx it is in.
        owner: the function, method or constant of that room, by its qualified name.
        old: the pattern of what is replaced; it fits once in the definition.
        new: what stands there instead.
        what: the smallest program that shows it, with its directives behind a colon.
        tier: of the fuzzer that is to find it.
        found: the seeds of the cases that found it last.
    """

    name: str
    room: str
    owner: str
    old: str
    new: str
    what: str
    tier: str = "python"
    found: range = range(0)

    def apply(self, package: Path) -> None:
        """Change the module in a copy of the package."""
        path, text = self.changed(package)
        path.write_text(text, "utf-8")

    def changed(self, package: Path) -> tuple[Path, str]:
        """The module that has the fault, and its text then.

        Raises:
            ValueError: the pattern does not fit exactly once, or a name is unknown.
        """
        places = [
            (path, owner, place)
            for path in modules(package, self.room)
            for owner in _definitions(path, self.owner)
            for place in self._fits(owner)
        ]
        if len(places) != 1:
            where = f"{len(places)} times in {self.owner} of {self.room}"
            raise ValueError(f"{self.name}: the pattern fits {where}")
        ((path, owner, found),) = places
        tree = ast.parse(path.read_text("utf-8"))
        new = ast.parse(self.new)
        given = {one.arg for one in ast.walk(new) if isinstance(one, ast.arg)}
        given |= {
            one.id
            for one in ast.walk(new)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        if unknown := _names(new) - given - _names(tree) - {*dir(builtins)}:
            raise ValueError(f"{self.name}: the module has no {', '.join(unknown)}")
        # The tree is read anew: what is kept is not to be changed.
        line = owner.lineno  # type: ignore[attr-defined]
        (same,) = (
            node
            for name, node in definitions(tree)
            if name == self.owner and node.lineno == line  # type: ignore[attr-defined]
        )
        again = self._fits(same)
        assert len(again) == 1 and len(found) == len(again[0])
        self._put(again[0])
        return path, ast.unparse(ast.fix_missing_locations(tree)) + "\n"

    def _fits(self, owner: ast.AST) -> list[tuple[Any, str, int, Bound]]:
        """The places in a definition: node, field, position, and what is bound."""
        old, whole = _pattern(self.old, self.new)
        kind = ast.stmt if whole else ast.expr
        found = []
        for node in ast.walk(owner):
            for field, value in ast.iter_fields(node):
                each = value if isinstance(value, list) else [value]
                for at, one in enumerate(each):
                    bound: Bound = {}
                    if isinstance(one, kind) and fits(old, one, bound):
                        found.append((node, field, at, bound))
        return found

    def _put(self, place: tuple[Any, str, int, Bound]) -> None:
        node, field, at, bound = place
        _, whole = _pattern(self.old, self.new)
        new = [_Filled(bound).visit(x) for x in ast.parse(self.new).body]
        value = getattr(node, field)
        if whole:
            value[at : at + 1] = new
        elif isinstance(value, list):
            value[at] = new[0].value
        else:
            setattr(node, field, new[0].value)


def _names(tree: ast.AST) -> set[str]:
    """The names that are used or bound, but for those that stand for anything."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(name) | ast.arg(name) | ast.FunctionDef(name):
                found.add(name)
            case ast.ClassDef(name) | ast.alias(name, None) | ast.alias(_, str(name)):
                found.add(name)
    return {name for name in found if not ANY.fullmatch(name)}


def modules(package: Path, room: str) -> Iterator[Path]:
    """The modules of a room."""
    alone = package / f"{room}.py"
    if alone.exists():
        yield alone
    yield from sorted((package / room).rglob("*.py"))


@cache
def _parsed(path: Path, text: str) -> ast.Module:
    return ast.parse(text)


def _definitions(path: Path, owner: str) -> Iterator[ast.AST]:
    text = path.read_text("utf-8")
    if owner.rpartition(".")[2] in text:
        tree = _parsed(path, text)
        yield from (node for name, node in definitions(tree) if name == owner)


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Functions, classes and constants by their qualified names."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name) | ast.ClassDef(name):
                yield prefix + name, node
                yield from definitions(node, f"{prefix}{name}.")
            case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
                if not isinstance(tree, ast.FunctionDef):
                    yield prefix + name, node


def _pattern(old: str, new: str) -> tuple[ast.AST, bool]:
    """What is looked for, and whether that is a statement."""
    (found,) = ast.parse(old).body
    put = ast.parse(new).body
    whole = not all(isinstance(x, ast.Expr) for x in (found, *put))
    return (found if whole or not isinstance(found, ast.Expr) else found.value), whole


def fits(pattern: object, node: object, bound: Bound) -> bool:
    """Whether a tree is what a pattern says; ``bound`` gets what its letters are."""
    if isinstance(pattern, ast.Name) and ANY.fullmatch(pattern.id):
        if not isinstance(node, ast.expr):
            return False
        known = bound.setdefault(pattern.id, node)
        return ast.unparse(known) == ast.unparse(node)
    if isinstance(pattern, ast.AST):
        return type(pattern) is type(node) and all(
            fits(value, getattr(node, name, None), bound)
            for name, value in ast.iter_fields(pattern)
            if name not in ("ctx", "kind", "type_comment")
        )
    if isinstance(pattern, list):
        return (
            isinstance(node, Sequence)
            and len(pattern) == len(node)
            and all(fits(x, y, bound) for x, y in zip(pattern, node, strict=True))
        )
    return type(pattern) is type(node) and pattern == node


class _Filled(ast.NodeTransformer):
    """Puts what letters stand for in their places."""

    def __init__(self, bound: Mapping[str, ast.expr]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = self.bound.get(node.id)
        if known is None:
            return node
        copied = ast.parse(ast.unparse(known), mode="eval").body
        if isinstance(copied, ast.Name):
            copied.ctx = node.ctx
        return copied
