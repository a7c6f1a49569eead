"""How names, attributes and elements get their values in a namespace.

Every form of Python that binds a name is here: what is not known by its form may give
the name anything.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from looptx.source.ast_tools import walked
from looptx.source.flow.places import ANYTHING
from looptx.source.names.imports import FUNCTIONS, dotted, imported
from looptx.source.names.namespaces import Namespace, binding_name
from looptx.source.names.scope import is_swap, unpacked


@dataclass(frozen=True, slots=True)
class Binding:
    """One way a value gets somewhere.

    Attributes:
        target: a name; or an attribute or a subscript.
        value: what it is, or is taken from: an expression, or the definition of a
            function or class; a text is the name of its memory.
        part: whether it is one of several parts of the value.
    """

    target: str | ast.Attribute | ast.Subscript
    value: ast.AST | str
    part: bool = False


@dataclass(frozen=True, slots=True)
class Swap:
    """``A, B = B, A``: the same arrays under exchanged (dotted) names."""

    names: frozenset[str]


def bindings(space: Namespace) -> list[Binding | Swap]:
    """All of a namespace, without those of the namespaces inside it."""
    found: list[Binding | Swap] = []
    known: set[ast.AST] = set()

    def bind(target: ast.expr, value: ast.expr, part: bool = False) -> None:
        """A target gets a value, or a part of it."""
        match target:
            case ast.Name(name):
                known.add(target)
                found.append(Binding(name, value, part))
            case ast.Attribute() | ast.Subscript():
                found.append(Binding(target, value, part))
            case ast.Starred(inside):
                bind(inside, value, True)
            case ast.Tuple() | ast.List():
                for element, own in unpacked(target, value):
                    if own is None:
                        bind(element, value, True)
                    elif isinstance(target, ast.Tuple) and is_swap(target, value):
                        known.update(walked(element))
                        found.append(Swap(frozenset((dotted(element), dotted(own)))))
                    else:
                        bind(element, own, part)

    for node in space.nodes:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                bind(target, value)
            case ast.AnnAssign(target=target):
                known.add(target)
            case ast.NamedExpr(target, value):
                bind(target, value)
            case ast.AugAssign(target, op, value):
                sum_ = ast.BinOp(_read(target), op, value)
                bind(target, ast.copy_location(sum_, node))
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                bind(node.target, node.iter, True)
            case ast.withitem(context, ast.expr() as target):
                bind(target, context, True)
            case ast.Match(subject, cases):
                for part in (part for case in cases for part in walked(case.pattern)):
                    if binding_name(part):
                        known.add(part)
                        found.append(Binding(binding_name(part), subject, part=True))
            case ast.Import() | ast.ImportFrom():
                found += (Binding(name, meaning) for name, meaning in imported(node))
            case _ if isinstance(node, FUNCTIONS | ast.ClassDef):
                known.add(node)
                found.append(Binding(node.name, node))
    unknown = (node for node in space.nodes if node not in known)
    return [
        *found,
        *(Binding(name, ANYTHING) for name in map(binding_name, unknown) if name),
    ]


def _read(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment as the expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
