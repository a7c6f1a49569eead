"""Lists of lists that loops append: all elements in one list, and the ends of each row.

``table.append(row)`` behind ``row = []`` in the same block is a loop that appends the
elements of ``row`` to those of all rows, and ``spans.append((begin, end))``. Nobody has
a row that is as new as that but the table, which may as well get a copy of it behind
the loop. Rows may differ in size.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.naming import Taken
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    always,
    edited,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, parted
from looptx.source.spelling.lists.grown.tables import Finder, Table, appends, row_of
from looptx.source.spelling.lists.noted import Rows, of_rows
from looptx.source.spelling.lists.operations import Parents, parents
from looptx.source.spelling.lists.written import expression, placed, statement
from looptx.source.spelling.whole.reading.axes import literal


@spelling(appends)
def with_appended_rows(function: Function, scope: Scope) -> Changes:
    """Loops append no lists to lists."""
    if scope.wild:
        return
    nodes = own_nodes(function)
    around = parents(nodes)
    found = [
        one
        for one in Finder(scope, nodes, around).tables()
        if all(map(row_of, one.appended))
    ]
    if found:
        yield from _Spelling(scope, around).changes(found)


class _Spelling:
    """Spells lists of rows.

    Args:
        scope: of the function. around: what its nodes stand in.
    """

    def __init__(self, scope: Scope, around: Parents) -> None:
        self.taken = Taken(scope.identifiers)
        self.function = scope.function
        self.inserted = Insertions(around)
        self.counted: dict[ast.AST, Change] = {}

    def changes(self, found: Sequence[Table]) -> Iterator[tuple[ast.AST, Change]]:
        """The changes of the function.

        Args:
            found: its lists of rows.
        """
        noted = []
        for one in found:
            cells, spans = self.taken.again(one.name), self.taken.again(one.name)
            noted.append(Rows(one.name, cells, spans))
            front = [statement(f"{name} = []") for name in (cells, spans)]
            self.inserted.before(one.loop, *parted(front, one.loop))
            last = parted([statement(noted[-1].made)], one.loop)
            self.inserted.behind(one.loop, *last)
            for use in one.counted:
                self.counted[use] = always(placed(expression(spans), use))
        yield from self.counted.items()
        for one, rows in zip(found, noted, strict=True):
            for node, stmt in one.read:
                made = self._looked_up(node, stmt, rows.cells, rows.spans)
                yield node, always(made)
            for stmt in one.appended:
                yield stmt, always(self._appended(stmt, rows.cells, rows.spans))
        yield from self.inserted.changes({self.function: of_rows(noted)})

    def _appended(self, stmt: ast.Expr, cells: str, spans: str) -> ast.stmt:
        """What appends a row.

        Args:
            stmt: as it is written. cells, spans: the names of what has all rows.
        """
        row = row_of(stmt)
        at, begin = self.taken.new("at"), self.taken.new("begin")
        lines = [
            statement(f"{begin} = len({cells})"),
            statement(f"for {at} in range(len({row})): {cells}.append({row}[{at}])"),
        ]
        self.inserted.before(stmt, *parted(lines, stmt))
        return placed(statement(f"{spans}.append(({begin}, len({cells})))"), stmt)

    def _looked_up(
        self, node: ast.expr, stmt: ast.stmt, cells: str, spans: str
    ) -> ast.expr:
        """What stands for an element of a row, or for how many a row has.

        Args:
            node: as it is written. stmt: where it stands.
            cells, spans: the names of what has all rows.
        """
        begin, end = self.taken.new("begin"), self.taken.new("end")
        row = node.args[0] if isinstance(node, ast.Call) else node
        assert isinstance(row, ast.Subscript)
        if row is node:
            assert isinstance(row.value, ast.Subscript)
            row = row.value
        which = self._text(row.slice)
        lines = []
        if literal(row.slice) is None:
            number = self.taken.new("row")
            lines.append(f"{number} = {which}")
            which = number
        lines.append(f"{begin}, {end} = {spans}[{which}]")
        made = f"{end} - {begin}"
        if isinstance(node, ast.Subscript):
            size, at = self.taken.new("size"), self.taken.new("at")
            lines += [
                f"{size} = {end} - {begin}",
                # No truth of NumPy, and 64 bits.
                f"{at} = int(+({self._text(node.slice)}) | 0)",
                f"if {at} < -{size} or {at} >= {size}: raise IndexError",
                f"if {at} < 0: {at} += {size}",
            ]
            made = f"{cells}[{begin} + {at}]"
        self.inserted.before(stmt, *parted([*map(statement, lines)], stmt))
        return placed(expression(made), node)

    def _text(self, node: ast.expr) -> str:
        """The text of an expression in which tables are counted."""
        return ast.unparse(edited(node, self.counted))
