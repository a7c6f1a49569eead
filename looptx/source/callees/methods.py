"""The methods of a module's classes that others of them call, where nothing overrides.

Which they are the class of an object says, at a call: a file alone does not. This is
what is to be expected of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.errors import Place
from looptx.model.callees.callee import Callee
from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.callees.expressions import RECURSIVE
from looptx.source.callees.module import Functions
from looptx.source.callees.reading import HINT, Text, callee_of
from looptx.source.names.imports import arguments, scope_imports
from looptx.source.names.scope import GIVEN

_WRAPPED = ("staticmethod", "classmethod")


def methods(tree: ast.Module, file: str) -> dict[str, Callee]:
    """The methods that a module's methods call, by the qualified name of the caller.

    What the caller names follows it, as in ``C.step..self.cost``.

    Args:
        tree: the module. file: what places call it.
    """
    functions = Functions(tree, file, scope_imports(tree, {}))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {name: one for each in classes for name, one in _of(each, file, functions)}


def _of(
    owner: ast.ClassDef, file: str, functions: Functions
) -> Iterator[tuple[str, Callee]]:
    """Those of one class.

    Args:
        owner: the class. file, functions: as of ``_Class``.
    """
    own = {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}
    known = _Class(own, file, functions)
    for caller in own.values():
        base = known.receiver(caller)
        for node in walked(caller):
            name = dotted(node.func) if isinstance(node, ast.Call) else ""
            found = known.of(base, name) if base else None
            if found is not None:
                yield f"{owner.name}.{caller.name}{GIVEN}{name}", found


@dataclass
class _Class:
    """The methods of a class.

    Attributes:
        own: by name. file: what places call the module.
        functions: what else the module has.
    """

    own: dict[str, ast.FunctionDef]
    file: str
    functions: Functions
    _reading: list[str] = field(default_factory=list)

    def receiver(self, node: ast.FunctionDef) -> str:
        """What a method calls its object; empty where it has none."""
        names = [one.arg for one in arguments(node)]
        plain = not {dotted(one) for one in node.decorator_list} & {*_WRAPPED}
        return names[0] if names and plain else ""

    def of(self, base: str, name: str) -> Callee | None:
        """A method of an object.

        Args:
            base: what the object is called. name: what is called.
        """
        head, _, tail = name.partition(".")
        node = self.own.get(tail)
        if head != base or node is None:
            return None
        kinds = {dotted(one) for one in node.decorator_list}
        if not kinds <= {*_WRAPPED, "looptx.kernel"}:
            return None
        place = Place(self.file, node.lineno, node.col_offset + 1)
        if tail in self._reading:
            return Callee(tail, place, refused=RECURSIVE, hint=HINT)
        self._reading.append(tail)
        inner = _Inside(self, self.receiver(node))
        imports = self.functions.outer
        static = "staticmethod" in kinds
        text = Text(node, self.file, f"{tail} of", imports, inner, receiver=not static)
        found = callee_of(text)
        self._reading.pop()
        if static:
            return found
        whole = f"{base}.__class__" if "classmethod" in kinds else base
        return found.bound([ast.parse(whole, mode="eval").body])


@dataclass
class _Inside:
    """What names mean in a method.

    Attributes:
        known: the class. base: what the object is called.
    """

    known: _Class
    base: str

    def callee(self, name: str) -> Callee | None:
        """The function of the user that a (dotted) name is, if it is one."""
        return self.known.of(self.base, name) or self.known.functions.callee(name)

    def number(self, name: str) -> ast.expr | None:
        """The number that a name is."""
        return self.known.functions.number(name)
