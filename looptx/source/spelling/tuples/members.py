"""Numbers that objects hold and loops assign, as variables of the function.

``self.t += dt`` is ``t += dt``, but for what the name begins with: a nest is given what
the object holds, and the object gets what the nest leaves. The function that runs has
the attribute as it is. That is the same where the object is a plain one: its own
dictionary has the number, and its class has nothing to say about it. At each call the
nest is given something else where that is not so. (Register promotion of fields:
Cooper and Lu, PLDI 1997.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.naming import HELD, OF, Taken
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope, members
from looptx.source.spelling.edits import Changes, always, spelling

_OBJECT = "().__class__.__base__"
_NUMBERS = "((0).__class__, (0.0).__class__, (0j).__class__, True.__class__)"

_GIVEN = " ".join(
    f"""
{{base}}.__dict__.get({{attr!r}}, ...)
if {{base}}.__class__.__setattr__ is {_OBJECT}.__setattr__
and {{base}}.__class__.__getattribute__ is {_OBJECT}.__getattribute__
and not [{HELD}one for {HELD}one in {{base}}.__class__.__mro__
if {{attr!r}} in {HELD}one.__dict__
and {HELD}one.__dict__[{{attr!r}}].__class__ not in {_NUMBERS}]
else ...
""".split()
)
"""What a nest is given for a number: `...` where its class may have a say in it."""


def given(function: Function) -> dict[str, str]:
    """What nests are given for the numbers of a function, by name."""
    found = members(function).items()
    pairs = ((name, *text.split(".")) for name, text in found)
    return {name: _GIVEN.format(base=base, attr=attr) for name, base, attr in pairs}


def assigned(function: Function) -> tuple[str, ...]:
    """The attributes that loops of a function assign."""
    return tuple({text.partition(".")[2]: None for text in members(function).values()})


def restored(function: Function, left: Sequence[str]) -> Iterator[str]:
    """What gives objects the numbers that a nest leaves.

    Args:
        function: it. left: the names that the nest leaves.
    """
    for name, text in members(function).items():
        if name in left:
            yield f"{text} = {name}"


def _assigned(node: ast.AST) -> str:
    """The name of an object's number that a node assigns; empty for others."""
    match node:
        case ast.Attribute(ast.Name(), _, ast.Store()):
            return dotted(node)
    return ""


@spelling(_assigned)
def with_members(function: Function, scope: Scope) -> Changes:
    """Loops assign no numbers of objects."""
    own = own_nodes(function)
    loops = [node for node in own if isinstance(node, ast.For | ast.While)]
    found = {_assigned(part) for loop in loops for part in walked(loop)} - {""}
    taken = Taken(scope.identifiers)
    names: dict[str, str] = {}
    for text in sorted(found):
        if not scope.wild and _is_number(text, function, scope):
            names[text] = taken.new(text.replace(".", OF))
    if not names:
        return
    for node in own:
        if isinstance(node, ast.Attribute) and dotted(node) in names:
            made = ast.Name(names[dotted(node)], node.ctx)
            yield node, always(ast.copy_location(made, node))
    texts = {name: text for text, name in names.items()}

    def change(node: ast.AST) -> ast.AST:
        vars(node)["members"] = texts
        return node

    yield function, change


def _is_number(text: str, function: Function, scope: Scope) -> bool:
    """Whether an attribute may be a number that has no other name.

    Args:
        text: the attribute. function, scope: where it is assigned.
    """
    base, _, attr = text.partition(".")
    kinds = [one.kind for one in scope.bindings.get(base, ())]
    if kinds != ["arg"] or base in scope.shared or attr.startswith("__"):
        return False
    own = {*own_nodes(function)}
    for node in walked(function):
        match node:
            case ast.Attribute(value, other, context) if other == attr:
                same = dotted(node) == text and node in own
                if not same or isinstance(context, ast.Del):
                    return False
            case ast.Attribute(value) | ast.Subscript(value) | ast.Starred(value):
                if dotted(value) == text:
                    return False
            case ast.For(iter=value) | ast.comprehension(iter=value):
                if dotted(value) == text:
                    return False
            case ast.Call(called) if dotted(called) == text:
                return False
    return base in {one.arg for one in arguments(function)}
