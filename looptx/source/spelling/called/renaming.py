"""The statements of a function in the names that they have in the place of a call."""

from __future__ import annotations

import ast
import copy

from looptx.model.callees.callee import Written
from looptx.model.functions import lookup
from looptx.model.functions.rows import FILLED
from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.source.callees.refusals import Refused
from looptx.source.names.imports import resolve
from looptx.source.spelling.called.names import Names
from looptx.source.spelling.called.parts import Part, literal


@dataclass
class Own:
    """What the names of a function mean in the place of a call.

    Attributes:
        written: the function. names: those of what calls it.
        own: what its names are there.
        changed: the arguments that are arrays which it changes as a whole, with how
            many axes they have. parts: those that are parts of arrays.
    """

    written: Written
    names: Names
    own: dict[str, ast.expr] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)

    def outside(self, name: str) -> ast.expr:
        """What a name means in the function that is none of its own.

        Raises:
            Refused: it means nothing where the call stands.
        """
        full = resolve(ast.Name(name, ast.Load()), self.written.imports)
        if full and not full.startswith((".", "?")):
            return ast.Name(self.names.outside(name, full), ast.Load())
        number = self.held(name)
        hidden = isinstance(number, ast.Name) and number.id in self.names.bound
        if number is None or hidden:
            raise Refused(self.written.node, f"uses the `{name}` of its module")
        return number

    def held(self, name: str) -> ast.expr | None:
        """The number that a (dotted) name is outside of the function, if it is one."""
        local = not name or name.partition(".")[0] in self.own
        return None if local else self.written.outside.number(name)


class Renamed(ast.NodeTransformer):
    """Gives the names of a function those that they have in the place of a call."""

    def __init__(self, body: Own) -> None:
        self.body = body

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The name that stands for one, or what is given for it."""
        own = self.body.own.get(node.id)
        if own is None:
            return self.body.outside(node.id)
        if isinstance(own, ast.Name):
            return ast.Name(own.id, node.ctx)
        return copy.deepcopy(own)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """An assignment, but for what gives a part a name."""
        match node.targets:
            case [ast.Name(name)] if name in self.body.parts:
                return ast.Pass()
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """What changes an array, which no number may be instead."""
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        self.generic_visit(node)
        if name in self.body.changed:
            own = self.body.own[name]
            if isinstance(own, ast.Name):
                whole = (ast.Slice() for _ in range(self.body.changed[name]))
                node.target = Part(own.id, (*whole,)).whole(ast.Store())
            else:
                node.target = self.body.parts[name].whole(ast.Store())
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A part of a part of an array, or an extent of one."""
        match node:
            case ast.Subscript(ast.Name(name)) if name in self.body.parts:
                node.slice = self.visit(node.slice)
                return self.body.parts[name].at(node)
            case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), index) if (
                name in self.body.parts and (axis := literal(index)) is not None
            ):
                return self._extent(name, node, axis)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """What a part of an array says of itself."""
        match node:
            case ast.Attribute(ast.Name(name), "ndim" | "size" | "shape") if (
                name in self.body.parts
            ):
                return self.body.parts[name].told(node, self.body.names.outside)
            case ast.Attribute(ast.Name(name), "dtype") if name in self.body.parts:
                return _dtype(self.body.parts[name])
        held = self.body.held(dotted(node))
        if held is not None:
            return held
        self.generic_visit(node)
        return node

    def _extent(self, name: str, node: ast.AST, axis: int) -> ast.expr:
        """How long a part of an array is along an axis.

        Args:
            name: of the argument. node: what asks for that. axis: the axis.
        """
        return self.body.parts[name].extent(node, axis, self.body.names.outside)

    def _alike(self, node: ast.Call, own: str) -> ast.expr:
        """What asks for an array by its size and type, not by a part of one axis.

        Args:
            node: a call of a function that makes one alike. own: the part.
        """
        view, named = self.body.parts[own], {one.arg for one in node.keywords}
        row = lookup(resolve(node.func, self.body.written.imports))
        single = len(view.axes) == 1 and named <= {"dtype", FILLED}
        size = self._extent(own, node, 0) if single else None
        self.generic_visit(node)
        if size is None or not isinstance(node.func, ast.Attribute):
            return node
        if "dtype" not in named and len(node.args) <= row.dtype:
            node.keywords.append(ast.keyword("dtype", _dtype(view)))
        node.func.attr = node.func.attr.removesuffix("_like")
        node.args[0] = size
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, which knows the function of the user that it is of."""
        match node:
            case ast.Call(ast.Name("len") as length, [ast.Name(own)], []) if (
                own in self.body.parts
                and resolve(length, self.body.written.imports) == "builtins.len"
            ):
                return self._extent(own, node, 0)
            case ast.Call(ast.Attribute() as like, [ast.Name(own), *_]) if (
                own in self.body.parts
                and lookup(resolve(like, self.body.written.imports)).like
            ):
                return self._alike(node, own)
        name = dotted(node.func)
        local = name.partition(".")[0] in self.body.own
        callee = None if local or not name else self.body.written.outside.callee(name)
        if callee is None:
            self.generic_visit(node)
            return node
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        node.func = ast.Name(self.body.names.function(name, callee), ast.Load())
        return node


def _dtype(view: Part) -> ast.expr:
    """The type of the elements of a part."""
    return ast.Attribute(ast.Name(view.array, ast.Load()), "dtype", ast.Load())
