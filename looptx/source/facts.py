"""Sizes that are known to be equal where a nest starts.

``n, m = A.shape`` makes ``A.shape[0]`` another text for ``n`` until one of them
changes. Facts are followed through the statements before the nest; whatever may change
a name forgets what was known of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from looptx.source.calls import is_known
from looptx.source.imports import dotted
from looptx.source.integers import Kinds
from looptx.source.liveness import binds
from looptx.source.parse import blocks
from looptx.source.scope import Scope, unpacked
from looptx.source.walking import walked

_LIKE = frozenset(f"numpy.{name}_like" for name in ("zeros", "ones", "empty", "full"))
_SHAPED = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "full"))
_MAX_RANK = 8


class Facts:
    """Classes of equal parameter texts at one point of a function."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.classes: list[list[str]] = []

    @classmethod
    def before(cls, kinds: Kinds, nest: ast.stmt) -> Facts:
        """What holds where ``nest`` starts, of names the nest does not bind."""
        facts = cls(kinds)
        facts._walk(kinds.scope.function.body, nest)
        facts._forget(binds([nest]))
        return facts

    def canonical(self) -> dict[str, str]:
        """``{text: the text to use instead}``; plain names are preferred."""
        found: dict[str, str] = {}
        for members in self.classes:
            chosen = min(members, key=self._rank)
            found.update((text, chosen) for text in members if text != chosen)
        return found

    def equal(self, live_in: Iterable[str]) -> dict[str, str]:
        """The facts about names in ``live_in``; the text to use is one of those."""
        known = set(live_in)
        found: dict[str, str] = {}
        for members in self.classes:
            usable = [text for text in members if text.partition(".shape[")[0] in known]
            chosen = min(usable, key=self._rank, default="")
            found.update((text, chosen) for text in usable if text != chosen)
        return found

    def _rank(self, text: str) -> int:
        """Names first, then sizes of what the function is given, then all others."""
        if "[" not in text:
            return 0
        bindings = self.kinds.scope.bindings.get(text.partition(".shape[")[0], [])
        return 1 if all(one.kind == "arg" for one in bindings) else 2

    def _walk(self, body: Sequence[ast.stmt], nest: ast.stmt) -> bool:
        for stmt in body:
            if stmt is nest:
                return True
            if any(node is nest for node in walked(stmt)):
                changed = ast.Expr(stmt.test) if isinstance(stmt, ast.If) else stmt
                self._forget(binds([changed]))
                self._forget(_attributes(changed))
                self._calls(changed)
                for block in blocks(stmt):
                    known = [list(members) for members in self.classes]
                    if self._walk(block, nest):
                        return True
                    self.classes = known
                return True
            self._statement(stmt)
        return False

    def _statement(self, stmt: ast.stmt) -> None:
        bound = binds([stmt])
        pairs: list[tuple[str, str]] = []
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
            pairs = list(self._learn(stmt.targets[0], stmt.value))
        elif isinstance(stmt, ast.AnnAssign) and stmt.value is not None:
            pairs = list(self._learn(stmt.target, stmt.value))
        self._calls(stmt)
        self._forget(bound)
        self._forget(_attributes(stmt))
        for ours, theirs in pairs:
            if not _mentions(theirs, bound):
                self._join(ours, theirs)

    def _learn(self, target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
        """(text over the target, equal text over the value) after an assignment."""
        if isinstance(target, ast.Tuple | ast.List):
            for element, part in unpacked(target, value):
                if part is not None and not isinstance(element, ast.Starred):
                    yield from self._learn(element, part)
            return
        name = dotted(target)
        if not name:
            return
        size = size_text(value, self.kinds)
        if size:
            yield name, size
        other = self._same_shape(value)
        if other:
            rank = max(self.kinds.rank(name), self.kinds.rank(other))
            for axis in range(min(rank, _MAX_RANK)):
                yield f"{name}.shape[{axis}]", f"{other}.shape[{axis}]"
        for axis, part in enumerate(self._shape(value)):
            extent = size_text(part, self.kinds)
            if extent:
                yield f"{name}.shape[{axis}]", extent

    def _same_shape(self, value: ast.expr) -> str:
        """The array whose shape a new value has."""
        if dotted(value) in self.kinds.arrays:
            return dotted(value)
        if isinstance(value, ast.Call):
            shape = any(keyword.arg in ("shape", None) for keyword in value.keywords)
            name = self.kinds.scope.resolve(value.func)
            if value.args and not shape and (name in _LIKE or name == "numpy.copy"):
                return dotted(value.args[0])
            if isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
                return "" if name else dotted(value.func.value)
            if name in _SHAPED and value.args:
                first = value.args[0]
                if isinstance(first, ast.Attribute) and first.attr == "shape":
                    return dotted(first.value)
        return ""

    def _shape(self, value: ast.expr) -> list[ast.expr]:
        """The extents of a new array, where they are written out."""
        if not isinstance(value, ast.Call) or not value.args:
            return []
        if self.kinds.scope.resolve(value.func) not in _SHAPED:
            return []
        first = value.args[0]
        if isinstance(first, ast.Tuple | ast.List):
            starred = any(isinstance(part, ast.Starred) for part in first.elts)
            return [] if starred else first.elts
        return [first] if self.kinds.is_integer(first) else []

    def _join(self, first: str, second: str) -> None:
        if first == second:
            return
        meeting = [m for m in self.classes if first in m or second in m]
        self.classes = [m for m in self.classes if m not in meeting]
        joined = dict.fromkeys(text for members in meeting for text in members)
        joined.update(dict.fromkeys((first, second)))
        self.classes.append(list(joined))

    def _forget(self, names: Iterable[str]) -> None:
        gone = frozenset(names)
        if gone:
            kept = ([t for t in m if not _mentions(t, gone)] for m in self.classes)
            self.classes = [members for members in kept if len(members) > 1]

    def _calls(self, stmt: ast.stmt) -> None:
        """An unknown call may change attributes and globals."""
        scope = self.kinds.scope
        for node in walked(stmt):
            if isinstance(node, ast.Call):
                name = scope.resolve(node.func)
                if isinstance(node.func, ast.Attribute) and node.func.attr == "resize":
                    self._forget((dotted(node.func.value),))
                if not (
                    name.startswith("numpy.") or is_known(name) or scope.is_range(node)
                ):
                    texts = {text for members in self.classes for text in members}
                    bases = {text.partition(".shape[")[0] for text in texts}
                    self._forget(
                        base
                        for base in bases
                        if "." in base
                        or base not in scope.bindings
                        or base in scope.shared
                    )


def size_text(node: ast.expr, kinds: Kinds) -> str:
    """The text of a plain size (``n``, ``self.n``, ``A.shape[0]``), or empty."""
    match node:
        case ast.Name() | ast.Attribute():
            return dotted(node) if kinds.is_integer(node) else ""
        case ast.Subscript(
            value=ast.Attribute(value=base, attr="shape"), slice=ast.Constant(int(axis))
        ):
            return f"{dotted(base)}.shape[{axis}]" if dotted(base) and axis >= 0 else ""
        case ast.Call(function, [argument], []):
            if kinds.scope.resolve(function) == "builtins.len" and dotted(argument):
                return f"{dotted(argument)}.shape[0]"
    return ""


def spelled(scope: Scope) -> dict[str, str]:
    """``{"x.shape[0]": "len(x)"}`` for what a function only takes the length of.

    It may be a list, which has no shape.
    """
    nodes = list(walked(scope.function))
    shaped = {
        dotted(node.value)
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr == "shape"
    }
    measured = {
        dotted(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call)
        and len(node.args) == 1
        and scope.resolve(node.func) == "builtins.len"
    }
    return {f"{name}.shape[0]": f"len({name})" for name in measured - shaped if name}


def _mentions(text: str, names: frozenset[str]) -> bool:
    parts = text.partition("[")[0].split(".")
    return any(".".join(parts[:count]) in names for count in range(1, len(parts) + 1))


def _attributes(stmt: ast.stmt) -> Iterator[str]:
    """The attributes a statement assigns."""
    for node in walked(stmt):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield dotted(node)
            if node.attr == "shape":
                yield dotted(node.value)
