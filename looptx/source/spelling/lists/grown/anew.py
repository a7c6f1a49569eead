"""Rows of lists that are made at once, made by loops: ``t.append([f(j) for j in x])``.

They get a name, and elements one by one; ``row = [0] * n`` appends as many. That is
done for those alone that a list of rows gets (see ``tables``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.naming import Taken
from looptx.model.nests.made import LONGEST
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.inserted import Insertions, parted
from looptx.source.spelling.lists.generated import looped, renamed
from looptx.source.spelling.lists.grown.tables import Finder, Table, is_new, row_of
from looptx.source.spelling.lists.operations import Parents, parents, uses
from looptx.source.spelling.lists.written import placed, statement


@spelling(is_new)
def with_rows_anew(function: Function, scope: Scope) -> Changes:
    """Rows have names, and get their elements one by one."""
    if scope.wild:
        return
    nodes = own_nodes(function)
    around = parents(nodes)
    yield from _Anew(scope, around).changes([*Finder(scope, nodes, around).tables()])


class _Anew:
    """Spells rows.

    Args:
        scope: of the function. around: what its nodes stand in.
    """

    def __init__(self, scope: Scope, around: Parents) -> None:
        self.taken = Taken(scope.identifiers)
        self.around = around
        self.inserted = Insertions(around)

    def changes(self, tables: Sequence[Table]) -> Iterator[tuple[ast.AST, Change]]:
        """The changes of the function.

        Args:
            tables: its lists of rows.
        """
        for stmt in (stmt for one in tables for stmt in one.appended):
            if not row_of(stmt):
                assert isinstance(stmt.value, ast.Call)
                row = self.taken.again("row")
                lines = self._made(row, stmt.value.args[0])
                self.inserted.before(stmt, *parted(lines, stmt))
                table = ast.unparse(stmt.value.func)
                yield stmt, always(placed(statement(f"{table}({row})"), stmt))
        rows = {row_of(stmt) for one in tables for stmt in one.appended}
        stores = (
            self.around[use]
            for one in tables
            for row in sorted(rows)
            for use in uses([*ast.walk(one.loop)], row)
            if isinstance(use.ctx, ast.Store)
        )
        for made in dict.fromkeys(stores):
            match made:
                case ast.Assign([ast.Name(row)], value) if is_new(value) and not any(
                    uses([*ast.walk(value)], row)
                ):
                    first, *lines = self._made(row, value)
                    self.inserted.behind(made, *parted(lines, made))
                    yield made, always(placed(first, made))
        yield from self.inserted.changes()

    def _made(self, row: str, value: ast.expr) -> list[ast.stmt]:
        """Statements that make a row.

        Args:
            row: its name. value: what makes it as it is written.
        """
        match value:
            case ast.ListComp():
                given = renamed(value, {}, self.taken.again)
                last = statement(f"{row}.append({ast.unparse(given.elt)})")
                return [statement(f"{row} = []"), *looped(given.generators, [last])]
            case ast.BinOp(ast.List([each]), _, count):
                at, one, size = map(self.taken.again, ("at", "one", "size"))
                lines = (
                    f"{row} = []",
                    # Where there are none it is evaluated, too.
                    f"{one} = {ast.unparse(each)}",
                    f"{size} = {ast.unparse(count)}",
                    f"if {size} > {LONGEST}: raise IndexError",
                    f"for {at} in range({size}): {row}.append({one})",
                )
                return [*map(statement, lines)]
        assert isinstance(value, ast.List)
        added = (statement(f"{row}.append({ast.unparse(x)})") for x in value.elts)
        return [statement(f"{row} = []"), *added]
