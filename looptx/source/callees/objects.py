"""What a function takes of the objects that it is given, as arguments of its own.

``p.mass[i]`` in a function of ``p`` is an element of an array that it is given as
``p.mass``: a call with ``cloud`` in place of ``p`` gives it ``cloud.mass``. (Argument
promotion, as LLVM calls it: of an object only the members that are used are passed.)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping

from looptx.model.callees.callee import Callee
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.callees.refusals import Refused
from looptx.source.names.imports import arguments
from looptx.source.names.scope import Function

_OF_ARRAYS = ("shape", "real", "imag")
"""Attributes of what is itself a value; of an argument alone they make no object."""

Objects = Mapping[str, tuple[str, ...]]
"""The arguments that are objects, each with the (dotted) names that it stands for."""


def promoted(
    node: Function, callee: Callable[[str], Callee | None], receiver: bool
) -> tuple[Function, Objects]:
    """A function whose arguments are the members that it uses of objects.

    They are its last arguments, given by keyword alone.

    Args:
        node: the function. callee: finds functions of the user by what calls name.
        receiver: whether its first argument is an object whatever it does with it.

    Raises:
        Refused: it assigns a member of one.
    """
    names = [one.arg for one in arguments(node)]
    heads = {dotted(x).partition(".")[0] for x in _attributes(node)}
    surely = frozenset(names[:1] if receiver else ())
    maybe = (heads & {*names}) | surely
    if not maybe:
        return node, {}
    node = copy.deepcopy(node)
    _Explicit(callee).generic_visit(node)
    found = {
        name: members
        for name in names
        if name in maybe
        and (members := _members(node, name)) is not None
        and (name in surely or not all(map(_is_of_array, members)))
    }
    for part in walked(node):
        stored = not isinstance(getattr(part, "ctx", ast.Load()), ast.Load)
        head, _, member = dotted(part).partition(".")
        if stored and member and head in found:
            raise Refused(part, f"assigns the attribute `{dotted(part)}`")
    taken = {one for members in found.values() for one in members}
    for member in sorted(taken):
        if any(map(_is_mangled, member.split("."))):
            raise Refused(node, f"uses `{member}`, which has another name elsewhere")
    _Named(taken, callee).generic_visit(node)
    given = node.args
    for kind in (given.posonlyargs, given.args, given.kwonlyargs):
        for one in kind:
            if one.arg in found:
                one.annotation = None
    given.kwonlyargs += map(ast.arg, sorted(taken))
    given.kw_defaults += [None] * len(taken)
    return node, {name: tuple(sorted(members)) for name, members in found.items()}


def _is_of_array(member: str) -> bool:
    return member.split(".")[1] in _OF_ARRAYS


def _attributes(node: Function) -> Iterator[ast.Attribute]:
    return (x for x in walked(node) if isinstance(x, ast.Attribute) and dotted(x))


def _members(node: Function, name: str) -> frozenset[str] | None:
    """The members of an argument that a function uses; None where it uses it itself."""
    called = {x.func for x in walked(node) if isinstance(x, ast.Call)}
    chains = [x for x in _attributes(node) if dotted(x).partition(".")[0] == name]
    inner = {x.value for x in chains}
    for part in walked(node):
        if isinstance(part, ast.Name) and part.id == name and part not in inner:
            return None
    tops = (x for x in chains if x not in inner and x not in called)
    return frozenset(map(_member, tops))


def _member(node: ast.expr) -> str:
    """The (dotted) name of a member of an object, without what is asked of that."""
    assert isinstance(node, ast.Attribute)
    outer = isinstance(node.value, ast.Attribute)
    return dotted(node.value if outer and node.attr in _OF_ARRAYS else node)


@dataclass
class _Explicit(ast.NodeTransformer):
    """Calls functions with the members of the objects that they are given.

    Attributes:
        callee: as of ``promoted``.
    """

    callee: Callable[[str], Callee | None]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        found = self.callee(dotted(node.func)) if dotted(node.func) else None
        if found is None or found.refused or not found.objects:
            return node
        return found.explicit(node)


@dataclass
class _Named(ast.NodeTransformer):
    """Names members of objects as the arguments that are given for them.

    Attributes:
        taken: the names of members. callee: as of ``promoted``.
    """

    taken: set[str]
    callee: Callable[[str], Callee | None]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if dotted(node.func):
            # What is called keeps the name that it has.
            node.args = [self.visit(one) for one in node.args]
            node.keywords = [self.visit(one) for one in node.keywords]
            return node
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if dotted(node) in self.taken:
            return ast.copy_location(ast.Name(dotted(node), node.ctx), node)
        return self.generic_visit(node)


def _is_mangled(name: str) -> bool:
    """Whether a class gives a name of its own to an attribute that is called so."""
    return name.startswith("__") and not name.endswith("__")
