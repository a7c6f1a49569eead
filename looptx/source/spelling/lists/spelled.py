"""Lists of a loop, spelled as arrays, and what the function gives and gets for them.

``out.append(x)`` is ``cells[n] = x`` with ``n += 1``, ``x = stack.pop()`` is ``n -= 1``
with ``x = cells[n]``, ``len(out)`` is ``n``; of elements that are tuples each part has
an array. What Python raises of a list that is too short leaves the nest: its loops say
so. The arrays are as long as any list can be, of memory that is only there where it is
used (see ``emit.cython.memory``), and hold Python's numbers as well as NumPy's.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.naming import LIST, Taken
from looptx.model.nests.made import LONGEST
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    always,
    edited,
    in_turn,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, together
from looptx.source.spelling.lists.finding import Regions
from looptx.source.spelling.lists.names import Names
from looptx.source.spelling.lists.noted import Listed, noting
from looptx.source.spelling.lists.operations import (
    METHODS,
    Operation,
    What,
    display,
    is_there,
    parents,
    parted,
)
from looptx.source.spelling.lists.regions import Begins, Region
from looptx.source.spelling.lists.written import (
    expression,
    placed,
    statement,
    stored,
)
from looptx.source.spelling.whole.reading.axes import literal

_IS_LIST = "{}.__class__ is [].__class__"
_GIVEN = "{} if {} else ().__eq__(0)"
"""What a nest is given for a list that it appends to; `NotImplemented` for no list."""


def _adds(node: ast.AST) -> bool:
    """Whether a node is what a list has, and arrays have not."""
    return isinstance(node, ast.Attribute) and node.attr in METHODS


@spelling(_adds)
def with_lists(function: Function, scope: Scope) -> Changes:
    """Loops have arrays for the lists that they fill and empty."""
    if scope.wild:
        return
    nodes = own_nodes(function)
    around = parents(nodes)
    finder = Regions(scope, nodes, around)
    regions = [*finder.found()]
    spelling = _Spelling(scope, around)
    for region in regions:
        spelling.spell(region, [x for x in regions if x.loop is region.loop])
    if finder.names:
        yield from spelling.changes(finder.why)


LOAD = ast.Load()


class _Spelling:
    """Collects the changes of a function.

    Args:
        scope: the function. around: what its nodes stand in.
    """

    def __init__(self, scope: Scope, around: Mapping[ast.AST, ast.AST]) -> None:
        self.scope = scope
        self.around = around
        self.taken = Taken(scope.identifiers)
        self.listed: dict[str, Listed] = {}
        self.given: dict[str, str] = {}
        self.nodes: dict[ast.AST, Change] = {}
        self.before: list[tuple[ast.stmt, ast.stmt]] = []
        self.behind: list[tuple[ast.stmt, ast.stmt]] = []
        self.begun: dict[ast.AST, list[ast.stmt]] = {}

    def changes(self, why: Mapping[str, str]) -> Iterator[tuple[ast.AST, Change]]:
        """All changes.

        Args:
            why: other lists are none.
        """
        inserted = Insertions(self.around)
        for place, stmt in self.before:
            inserted.before(place, self._placed(stmt, place))
        for place, stmt in self.behind:
            inserted.behind(place, self._placed(stmt, place))
        into: dict[ast.AST, list[Change]] = {x: [y] for x, y in self.nodes.items()}
        for node, change in inserted.changes():
            into.setdefault(node, []).append(change)
        for loop, lines in self.begun.items():
            into.setdefault(loop, []).append(_beginning(lines, self.taken.new("once")))
        noted = noting(self.listed, self.given, why)
        into.setdefault(self.scope.function, []).append(noted)
        for node, several in into.items():
            yield node, in_turn(several)

    def _placed(self, stmt: ast.stmt, place: ast.stmt) -> ast.stmt:
        """A statement in its final spelling, at the place of another one.

        Args:
            stmt: it; its expressions may be of the source. place: the other one.
        """
        made = copy.deepcopy(edited(stmt, self.nodes))
        assert isinstance(made, ast.stmt)
        return placed(made, place)

    def spell(self, region: Region, others: Sequence[Region]) -> None:
        """Spell a list in its loop.

        Args:
            region: these. others: the regions of all lists of the loop.
        """
        name, collected = region.name, region.begins is Begins.GIVEN
        own = Names(
            tuple(
                self.taken.new(f"{name}{LIST}{k}")
                for k in range(region.parts(self.scope))
            ),
            self.taken.new(f"{name}{LIST}count"),
            self.taken.new(f"{name}{LIST}start") if region.is_queue else "",
            self.taken.new(f"{name}{LIST}base") if collected else "",
            collected,
        )
        old = len(region.first)
        about = collected, region.used, old, region.private, region.array
        note = Listed(name, own.cells, own.count, *about)
        self.listed |= dict.fromkeys(own.cells, note)
        if collected:
            given = [x for x in others if x.begins is Begins.GIVEN and x is not region]
            tests = [_IS_LIST.format(name), *(f"{name} is not {x.name}" for x in given)]
            self.given[own.count] = _GIVEN.format("0", " and ".join(tests))
            self.given[own.base] = _GIVEN.format(f"len({name})", tests[0])
            # Loops around this one do not know the list.
            self.before.append((region.loop, statement(f"{own.count} = 0")))
            self.before.append((region.loop, statement(f"{own.base} = len([*{name}])")))
        elif region.begins is Begins.MADE:
            self._begin(region, own)
        for stmt in region.displays:
            self._made(stmt, own)
        for one in region.operations:
            self._operation(one, own)

    def _begin(self, region: Region, own: Names) -> None:
        """What a loop begins with whose list is made in front of it.

        Args:
            region: it. own: the names of its list.
        """
        lines = self.begun.setdefault(region.loop, [])
        held: dict[ast.stmt, list[ast.expr]] = {}
        number = 0
        for one in region.put:
            names = [
                self.taken.new(f"{region.name}{LIST}first_{k}")
                for k in range(len(own.cells))
            ]
            held.setdefault(one.stmt, []).extend(
                ast.Name(name, ast.Store()) for name in names
            )
            if one.taken is not None:
                self._take(one.taken, ", ".join(names))
                continue
            for at, name in enumerate(names):
                lines.append(statement(f"{own.cells[at]}[{number}] = {name}"))
                part = f"[{at}]" if len(names) > 1 else ""
                self.given[name] = f"{region.name}[{number}]{part}"
            number += 1
        assert region.front is not None
        for stmt in (region.front, *(one.stmt for one in region.put)):
            self.nodes[stmt] = self._taking(held.get(stmt, []), own)
        lines.append(statement(f"{own.count} = {len(region.first)}"))
        if own.start:
            lines.append(statement(f"{own.start} = 0"))

    def _made(self, stmt: ast.stmt, own: Names) -> None:
        """What makes a list in a loop; its elements may be those of the one before.

        Args:
            stmt: the statement. own: the names of the list.
        """
        found = display(stmt, self.scope)
        assert found is not None
        count = len(found[1])
        cells = [stored(f"{x}[{k}]") for k in range(count) for x in own.cells]
        self.nodes[stmt] = self._taking(cells, own)
        self.behind.append((stmt, statement(f"{own.count} = {count}")))
        if own.start:
            self.behind.append((stmt, statement(f"{own.start} = 0")))

    def _taking(self, targets: Sequence[ast.expr], own: Names) -> Change:
        """What becomes of a statement that makes a list, or appends to it.

        Args:
            targets: what gets the parts of all elements. own: the names of the list.
        """

        def change(node: ast.AST) -> ast.AST:
            if not targets:
                return placed(ast.Pass(), node)
            parts = [
                part
                for value in self._elements(node)
                for part in (parted(value, self.scope) if own.cells[1:] else (value,))
            ]
            if len(targets) == 1:
                return placed(ast.Assign([targets[0]], parts[0]), node)
            whole = ast.Tuple([*targets], ast.Store())
            return placed(ast.Assign([whole], ast.Tuple(parts, LOAD)), node)

        return change

    def _elements(self, node: ast.AST) -> Sequence[ast.expr]:
        """The elements that a statement puts into a list."""
        match node:
            case ast.Expr(ast.Call(ast.Attribute(_, "append"), [value])):
                return [value]
            case ast.Expr(ast.Call(_, [ast.Tuple(values) | ast.List(values)])):
                return values
        assert isinstance(node, ast.stmt)
        found = display(node, self.scope)
        assert found is not None
        return found[1]

    def _operation(self, one: Operation, own: Names) -> None:
        """Spell one operation on a list.

        Args:
            one: it. own: the names of the list.
        """
        match one.what:
            case What.APPEND:
                self._append(one, own)
            case What.POP:
                self._leave(one, f"{own.length} <= 0")
                self.before.append((one.stmt, statement(f"{own.count} -= 1")))
                self._take(one, own.element(own.count, None))
            case What.FIRST:
                self._leave(one, f"{own.length} <= 0")
                self.before.append((one.stmt, statement(f"{own.start} += 1")))
                self._take(one, own.element(f"{own.start} - 1", None))
                begin = f"if {own.start} >= {own.count}: {own.start} = {own.count} = 0"
                self.behind.append((one.stmt, statement(begin)))
            case What.CLEAR:
                made = statement(f"{own.count} = {own.start or 0}")
                self.nodes[one.stmt] = always(placed(made, one.stmt))
            case What.COUNT:
                self._become(one.node, own.length)
            case What.TRUTH:
                self._become(one.node, f"{own.length} > 0")
            case What.LOAD | What.STORE:
                self._element(one, own)

    def _take(self, one: Operation, text: str) -> None:
        """Put an element in the place of what takes it.

        Args:
            one: the operation. text: the element.
        """
        if isinstance(one.stmt, ast.Expr) and one.stmt.value is one.node:
            self.nodes[one.stmt] = always(placed(ast.Pass(), one.stmt))
        else:
            self._become(one.node, text)

    def _append(self, one: Operation, own: Names) -> None:
        """Spell what appends.

        Args:
            one: the operation. own: the names of the list.
        """
        more = len(one.values)
        self._leave(one, f"{own.count} > {LONGEST - more}")
        cells = [
            stored(f"{x}[{own.count} + {k}]") for k in range(more) for x in own.cells
        ]
        self.nodes[one.stmt] = self._taking(cells, own)
        self.behind.append((one.stmt, statement(f"{own.count} += {more}")))

    def _element(self, one: Operation, own: Names) -> None:
        """Spell an element that is looked at or replaced.

        Args:
            one: the operation. own: the names of the list.
        """
        assert one.at is not None
        number = literal(one.at)
        if number is None:
            at = f"int(+({ast.unparse(one.at)}) | 0)"  # No bool, and 64 bits.
            beyond = f"{at} < -{own.length} or {at} >= {own.length}"
            at = f"({at} if {at} >= 0 else {at} + {own.length})"
        elif number < 0:
            at, beyond = "", f"{own.length} < {-int(number)}"
        else:
            at, beyond = f"{int(number)}", f"{own.length} <= {int(number)}"
        if not is_there(one, self.around):
            self._leave(one, beyond)
        if not at:
            at = f"{own.count} - {-int(number or 0)}"
        elif own.start:
            at = f"{own.start} + ({at})"
        part = None if one.part is None else one.part % len(own.cells)
        if one.beside:
            pairs = zip(own.cells, one.beside, strict=True)
            unlike = (f"{cells}[{at}] != {ast.unparse(x)}" for cells, x in pairs)
            text = f"({' or '.join(unlike)})"
            assert isinstance(one.node, ast.Compare)
            same = isinstance(one.node.ops[0], ast.Eq)
            self._become(one.node, f"not {text}" if same else text)
        else:
            self._become(one.node, own.element(at, part))

    def _become(self, node: ast.expr, text: str) -> None:
        """Put a text in the place of an expression."""
        made = expression(text)
        if isinstance(getattr(node, "ctx", None), ast.Store):
            made.ctx = ast.Store()  # type: ignore[attr-defined]
        self.nodes[node] = always(placed(made, node))

    def _leave(self, one: Operation, test: str) -> None:
        """Leave the nest where Python would raise.

        Args:
            one: the operation. test: that it would.
        """
        self.before.append((one.stmt, statement(f"if {test}: raise IndexError")))


def _beginning(lines: Sequence[ast.stmt], name: str) -> Change:
    """The change to a loop that begins with some lines.

    Args:
        lines: they. name: of the variable of the loop around both.
    """

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.stmt)
        return together(lines, node, name)

    return change
