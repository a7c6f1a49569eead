"""Tuples with names, as the numbers that they are made of.

``pair = (i, j)`` is ``pair_0, pair_1 = i, j``, but for what the names begin with,
``pair[0]`` is ``pair_0``, and wherever else ``pair`` stands it is both: a tuple cannot
change, so that nobody can tell it from another one with the same elements. The function
that runs has the name as it is: ``noted`` are the parts, which a nest is given and
gives back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.naming import HELD, RESULT, free
from looptx.source.ast_tools import walked
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling

MOST_PARTS = 16
"""Parts of a tuple: each is a variable of its own."""


def noted(function: Function) -> Mapping[str, str]:
    """The parts of the tuples of a function, as expressions of its own: ``pair[0]``."""
    found = vars(function).get("parts", {})
    assert isinstance(found, dict)
    return found


def joined(parts: Mapping[str, str], left: Sequence[str]) -> Iterator[str]:
    """What makes tuples of the parts that a nest leaves; nobody reads others.

    Where the nest came to no tuple it leaves ``...`` in place of each part.

    Args:
        parts: as of ``noted``. left: the names that the nest leaves.
    """
    tuples: dict[str, list[str]] = {}
    for name, text in parts.items():
        tuples.setdefault(text.partition("[")[0], []).append(name)
    for whole, names in tuples.items():
        places = [left.index(name) for name in names if name in left]
        if places:
            found = (name if name in left else "None" for name in names)
            made = f"{RESULT}[{places[0]}] is not ..."
            yield f"if {made}: {whole} = ({', '.join(found)},)"


def _made(node: ast.AST) -> dict[str, ast.Tuple]:
    """The tuples that a statement makes, by the names that it gives to them."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Tuple([_, *_]) as value):
            return {name: value}
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
            pairs = zip(targets, values, strict=False)
            single = len(targets) == len(values)
            return {
                target.id: value
                for target, value in pairs
                if single and isinstance(target, ast.Name)
                if isinstance(value, ast.Tuple) and value.elts
            }
    return {}


def _flat(node: ast.AST) -> ast.AST:
    """An assignment of several things without the tuples that are among them."""
    match node:
        case ast.Assign([ast.Tuple(targets) as whole], ast.Tuple(values) as given):
            pairs = [
                pair
                for target, value in zip(targets, values, strict=True)
                for pair in _pairs(target, value)
            ]
            whole = _with(whole, [target for target, _ in pairs])
            given = _with(given, [value for _, value in pairs])
            made = ast.Assign([whole], given, node.type_comment)
            return ast.copy_location(made, node)
    return node


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is assigned to what."""
    match target, value:
        case ast.Tuple(own), ast.Tuple(given) if len(own) == len(given):
            return [*zip(own, given, strict=True)]
    return [(target, value)]


def _with(node: ast.Tuple, parts: list[ast.expr]) -> ast.Tuple:
    """A tuple of other parts."""
    return ast.copy_location(ast.Tuple(parts, node.ctx), node)


@spelling(_made)
def with_parts(function: Function, scope: Scope) -> Changes:
    """Tuples that loops make have no names."""
    if scope.wild:
        return
    nodes = own_nodes(function)
    made: dict[str, list[ast.Tuple]] = {}
    for node in nodes:
        for name, value in _made(node).items():
            made.setdefault(name, []).append(value)
    inside = {
        name
        for loop in nodes
        if isinstance(loop, ast.For | ast.While)
        for part in walked(loop)
        for name in _made(part)
    }
    given = {one.arg for one in arguments(function)} | scope.shared
    taken = set(scope.identifiers)
    texts: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    for name, tuples in made.items():
        counts = {len(one.elts) for one in tuples}
        whole = len(scope.bindings.get(name, ())) == len(tuples)
        plain = all(map(_is_number, (x for one in tuples for x in one.elts)))
        if whole and plain and len(counts) == 1 and name in inside - given:
            count = counts.pop()
            if count <= MOST_PARTS:
                parts[name] = [free(f"{HELD}{name}_{k}", taken) for k in range(count)]
                taken.update(parts[name])
                texts |= {x: f"{name}[{k}]" for k, x in enumerate(parts[name])}
    if not parts:
        return
    for node in nodes:
        yield from _spelled(node, parts)
        if parts.keys() & _made(node).keys():
            yield node, _flat

    yield function, noting(texts)


def noting(texts: Mapping[str, str]) -> Change:
    """The change of a function that has names for other Python."""

    def change(node: ast.AST) -> ast.AST:
        vars(node)["parts"] = {**vars(node).get("parts", {}), **texts}
        return node

    return change


def _is_number(node: ast.expr) -> bool:
    """Whether a part of a tuple may be a number."""
    match node:
        case ast.Constant(value):
            return isinstance(value, int | float | complex)
    others = ast.Tuple | ast.List | ast.Starred | ast.Dict | ast.Set | ast.JoinedStr
    return not isinstance(node, others)


def _spelled(
    node: ast.AST, parts: Mapping[str, Sequence[str]]
) -> Iterator[tuple[ast.AST, Change]]:
    """What a node becomes where the names of tuples are.

    Args:
        node: it. parts: those of the tuples, by name.
    """
    match node:
        case ast.Subscript(ast.Name(name), index) if name in parts:
            number = _literal(index)
            own = parts[name]
            if number is not None and -len(own) <= number < len(own):
                yield node, always(_part(own[number], ast.Load(), node))
        case ast.Name(name, context) if name in parts:
            whole: list[ast.expr] = [_part(x, context, node) for x in parts[name]]
            yield node, always(ast.copy_location(ast.Tuple(whole, context), node))


def _part(name: str, context: ast.expr_context, place: ast.AST) -> ast.Name:
    """A part of a tuple.

    Args:
        name: the part. context: whether it is read. place: what stands there.
    """
    made = ast.copy_location(ast.Name(name, context), place)
    vars(made)["part"] = True
    return made


def is_part(node: ast.expr) -> bool:
    """Whether an expression is a part of a tuple, which the source names as a whole."""
    return "part" in vars(node)


def _literal(node: ast.expr) -> int | None:
    """The number that a subscript says."""
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            return -value
        case ast.Constant(int(value)) if type(value) is int:
            return value
    return None
