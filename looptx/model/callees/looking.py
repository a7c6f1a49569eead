"""Which elements of arrays the statements of a function read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.model.callees.callee import Callee
from looptx.model.callees.cells import Read, Test, known
from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted

Meant: TypeAlias = "dict[str, ast.expr | None]"
"""What names stand for, in what the function is given; None for what is not known."""


def reads(
    body: Sequence[ast.stmt],
    callees: Mapping[str, Callee],
    arrays: Mapping[str, int],
    meanings: Iterable[str],
) -> tuple[Read, ...]:
    """The elements that a function reads.

    Args:
        body: its statements. callees: the functions that it calls.
        arrays: the parameters that it subscripts.
        meanings: the names of functions and constants that it uses.
    """
    found = _Reads(callees, arrays, [])
    found.block(body, dict.fromkeys(meanings), ())
    unique = {_text(one): one for one in found.reads}
    return tuple(unique.values())


def _text(one: Read) -> str:
    parts = [x and ast.dump(x) for x in (*one.indices, *(y.value for y in one.tests))]
    return f"{one.array} {parts} {[x.holds for x in one.tests]}"


@dataclass
class _Reads:
    """Collects the elements that statements read.

    Attributes:
        callees, arrays: as in ``reads``. reads: those found.
    """

    callees: Mapping[str, Callee]
    arrays: Mapping[str, int]
    reads: list[Read]

    def block(
        self, code: Sequence[ast.stmt], meant: Meant, tests: tuple[Test, ...]
    ) -> tuple[Meant, tuple[Test, ...]] | None:
        """What names stand for behind statements, and what holds there.

        Args:
            code: the statements. meant: what names stand for before them.
            tests: what holds there.

        Returns:
            None where all ways return.
        """
        for node in code:
            match node:
                case ast.Return(ast.expr() as value):
                    self._look(value, meant, tests)
                    return None
                case ast.If(test, body, orelse):
                    ends = self._branches(test, body, orelse, meant, tests)
                    if ends is None:
                        return None
                    meant, tests = ends
                case ast.Assign([target], value):
                    self._look(value, meant, tests)
                    meant = {**meant, **dict(_given(target, value, meant))}
        return meant, tests

    def _branches(
        self,
        test: ast.expr,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        meant: Meant,
        tests: tuple[Test, ...],
    ) -> tuple[Meant, tuple[Test, ...]] | None:
        """What stands behind an ``if``.

        Args:
            test, body, orelse: its parts. meant, tests: as in ``block``.
        """
        self._look(test, meant, tests)
        value = known(test, meant)
        ends = [
            self.block(branch, meant, (*tests, Test(value, holds)))
            for branch, holds in ((body, True), (orelse, False))
        ]
        first, second = ends
        if first is None or second is None:
            return first or second
        names = {*first[0], *second[0]}
        same = {x: _same(first[0].get(x), second[0].get(x)) for x in names}
        return same, tests

    def _look(self, node: ast.AST, meant: Meant, tests: tuple[Test, ...]) -> None:
        """Note what an expression reads.

        Args:
            node: the expression. meant, tests: as in ``block``.
        """
        always, perhaps = [*ast.iter_child_nodes(node)], list[tuple[ast.AST, Test]]()
        match node:
            case ast.Subscript(ast.Name(name), place) if name in self.arrays:
                at = place.elts if isinstance(place, ast.Tuple) else [place]
                self.reads.append(Read(name, tuple(known(x, meant) for x in at), tests))
            case ast.Call(function) if callee := self.callees.get(dotted(function)):
                self.reads += self._called(callee, node, meant, tests)
            case ast.IfExp(test, value, other):
                told = known(test, meant)
                always = [test]
                perhaps = [(value, Test(told, True)), (other, Test(told, False))]
            case ast.BoolOp(op, [first, *others]):
                told = known(first, meant)
                rest = others[0] if len(others) == 1 else ast.BoolOp(op, others)
                always = [first]
                perhaps = [(rest, Test(told, isinstance(op, ast.And)))]
            case ast.Compare(left, _, [first, *others]):
                always = [left, first]
                perhaps = [(one, Test(None, True)) for one in others]
        for one in always:
            self._look(one, meant, tests)
        for one, when in perhaps:
            self._look(one, meant, (*tests, when))

    def _called(
        self, callee: Callee, call: ast.Call, meant: Meant, tests: tuple[Test, ...]
    ) -> Iterator[Read]:
        """What another function reads.

        Args:
            callee: the function. call: of it. meant, tests: as in ``block``.
        """
        given = callee.given(call) or {}
        values = {name: known(value, meant) for name, value in given.items()}
        for one in callee.cells:
            found = one.given(values)
            yield replace(found, tests=(*tests, *found.tests))


def _given(
    target: ast.expr, value: ast.expr, meant: Meant
) -> Iterator[tuple[str, ast.expr | None]]:
    """What names stand for that are assigned.

    Args:
        target: a name, or several. value: what it gets. meant: as in ``block``.
    """
    if isinstance(target, ast.Name):
        yield target.id, known(value, meant)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=True):
            yield from _given(one, part, meant)
    elif isinstance(target, ast.Tuple):
        for one in target.elts:
            yield from ((name, None) for name, _ in _given(one, value, meant))


def _same(one: ast.expr | None, other: ast.expr | None) -> ast.expr | None:
    """What both ways give a name."""
    alike = one is not None and other is not None and ast.dump(one) == ast.dump(other)
    return one if alike else None
