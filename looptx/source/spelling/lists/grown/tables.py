"""The lists of lists of a function that loops fill with rows which nobody else has."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.must_execute import jumps
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.generated import is_target
from looptx.source.spelling.lists.operations import (
    LISTS,
    Parents,
    What,
    display,
    kind_of,
    operation,
    statement,
    uses,
)
from looptx.source.spelling.stretches import PURE

_LOOPS = ast.For | ast.While
_OTHER = (
    *(ast.Yield, ast.YieldFrom, ast.Await, ast.Try, ast.TryStar, ast.With, ast.Match),
    *(ast.Dict, ast.Set, ast.DictComp, ast.SetComp, ast.Lambda, ast.JoinedStr),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Delete),
)
"""What no loop is native with, however its lists are spelled."""

_ASIDE = frozenset(
    ("print", "input", "open", "str", "repr", "format", "sorted", "next")
)
"""Builtins that no native loop calls."""

_INNER = (ast.comprehension, ast.GeneratorExp, ast.ListComp)
"""What evaluates its parts as often as it goes round."""

_UNLIKE = (ast.ListComp, ast.NamedExpr, ast.Lambda, ast.Await)
"""What a comprehension that is spelled as loops has not inside."""


def appends(node: ast.AST) -> bool:
    """Whether a node may be the call that appends a list that has a name."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(), "append"), [ast.Name()], []):
            return True
    return False


def _is_row(node: ast.expr) -> bool:
    """Whether an expression is a call that appends what may be a row."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(), "append"), [value], []):
            return isinstance(value, ast.Name) or is_new(value)
    return False


def is_new(node: ast.AST | None) -> bool:
    """Whether an expression makes a list that loops can make as well."""
    match node:
        case ast.List(elements):
            return not any(isinstance(x, ast.Starred) for x in elements)
        case ast.ListComp(_, over):
            parts = [*walked(node)][1:]
            plain = all(is_target(one.target) and not one.is_async for one in over)
            return plain and not any(isinstance(x, _UNLIKE) for x in parts)
        case ast.BinOp(ast.List([each]), ast.Mult(), count):
            return _is_pure(each) and _is_pure(count)
    return False


@dataclass(frozen=True)
class Table:
    """A list of rows.

    Attributes:
        name: of it. loop: the loop that fills it, in front of which it is made.
        appended: the statements that append rows to it.
        counted: its name where it is asked how many it has.
        read: the elements of its rows, and how many a row has, with the statements.
    """

    name: str
    loop: ast.stmt
    appended: Sequence[ast.Expr]
    counted: Sequence[ast.Name]
    read: Sequence[tuple[ast.expr, ast.stmt]]


class Finder:
    """Finds the lists of rows of a function.

    Args:
        scope: the function. nodes: all of it. around: what they stand in.
    """

    def __init__(self, scope: Scope, nodes: Sequence[ast.AST], around: Parents) -> None:
        self.scope = scope
        self.nodes = nodes
        self.around = around

    def tables(self) -> Iterator[Table]:
        """They, where they are filled in loops around which are no others."""
        found = [*self._block(self.scope.function.body)]
        rows = {
            row: self._is_made_anew(row, found) or self._is_renewed(row, found)
            for row in map(row_of, _all(found))
        }
        rows[""] = True
        return (one for one in found if all(rows[row_of(x)] for x in one.appended))

    def _block(self, body: Sequence[ast.stmt]) -> Iterator[Table]:
        """Those of a block.

        Args:
            body: its statements.
        """
        for at, stmt in enumerate(body):
            if isinstance(stmt, ast.If):
                yield from self._block(stmt.body)
                yield from self._block(stmt.orelse)
            for name in _begun(stmt, self.scope):
                behind = (x for x in body[at + 1 :] if any(uses(walked(x), name)))
                loop = next(behind, None)
                if name not in self.scope.shared and isinstance(loop, _LOOPS):
                    table = self._table(name, loop)
                    yield from () if table is None else (table,)

    def _table(self, name: str, loop: ast.For | ast.While) -> Table | None:
        """A list as one of rows, if a loop does nothing else with it.

        Args:
            name: of the list. loop: the first statement that uses it.
        """
        appended: list[ast.Expr] = []
        counted: list[ast.Name] = []
        read: list[tuple[ast.expr, ast.stmt]] = []
        for use in uses(walked(loop), name):
            outer = self.around[use]
            match outer:
                case ast.Attribute(_, "append"):
                    stmt = self.around[self.around[outer]]
                    if not (isinstance(stmt, ast.Expr) and _is_row(stmt.value)):
                        return None
                    appended.append(stmt)
                case ast.Call(ast.Name("len"), [ast.Name()], []):
                    counted.append(use)
                case ast.Subscript(ctx=ast.Load()) if node := self._read(outer):
                    read.append((node, statement(node, self.around)))
                case _:
                    return None
        hidden = any(map(self.scope.hides, ("len", "int", "range")))
        native = not any(map(_is_other, walked(loop))) and not any(jumps(loop.orelse))
        given = name, loop, appended, counted, read
        return Table(*given) if appended and native and not hidden else None

    def _read(self, row: ast.Subscript) -> ast.expr | None:
        """What is looked up in a row of a table, if native code can look it up before.

        Args:
            row: the row.
        """
        node = self.around[row]
        match node:
            case ast.Subscript(value, at, ast.Load()) if value is row:
                places = [row.slice, at]
            case ast.Call(ast.Name("len"), [_], []):
                places = [row.slice]
            case _:
                return None
        stmt = statement(node, self.around)
        plain = isinstance(
            stmt, ast.Assign | ast.AugAssign | ast.Expr | ast.If | ast.For
        )
        part: ast.AST = node
        while part is not stmt:
            part = self.around[part]
            plain &= not isinstance(part, _INNER)
            if isinstance(stmt, ast.For):
                plain &= part is stmt or part in walked(stmt.iter)
        named = any(isinstance(x, ast.NamedExpr) for x in walked(stmt))
        parts = [x for one in places for x in walked(one)]
        pure = all(map(_is_pure, places))
        rows = any(
            isinstance(x, ast.Subscript) and isinstance(x.value, ast.Subscript)
            for x in parts
        )
        return node if plain and pure and not (named or rows) else None

    def _is_made_anew(self, row: str, tables: Sequence[Table]) -> bool:
        """Whether nobody has a row but the list that it is appended to.

        Args:
            row: its name. tables: the lists of rows.
        """
        known: set[ast.AST] = set()
        made = 0
        for stmt in _all(tables):
            if row_of(stmt) == row:
                stmts = self._since_made(row, stmt)
                made += bool(stmts)
                known |= {node for one in stmts for node in walked(one)}
        return (
            row not in self.scope.shared
            and made == len(self.scope.bindings.get(row, ()))
            and all(use in known for use in uses(self.nodes, row))
        )

    def _is_renewed(self, row: str, tables: Sequence[Table]) -> bool:
        """Whether a name gets another row behind each that is appended, and no other.

        Args:
            row: the name. tables: the lists of rows.
        """
        loops = {one.loop for one in tables if row in map(row_of, one.appended)}
        loop = loops.pop()
        own = sum(isinstance(x.ctx, ast.Store) for x in uses(self.nodes, row))
        given = len(self.scope.bindings.get(row, ())) != own
        if loops or given or row in self.scope.shared:
            return False
        inside = {*walked(loop)}
        for use in uses(self.nodes, row):
            stmt = statement(use, self.around)
            if use not in inside and use.lineno > loop.lineno:
                continue  # What it is behind the loop was not appended in it.
            if isinstance(use.ctx, ast.Store):
                good = self._makes(stmt, row)
            elif any(stmt in one.appended for one in tables):
                good = use in inside and self._is_followed(stmt, row)
            else:
                good = use in inside and self._is_own(use)
            if not good:
                return False
        return True

    def _is_followed(self, appended: ast.stmt, row: str) -> bool:
        """Whether a row is made anew behind a statement, before anything is done to it.

        Args:
            appended: the statement, which appends it. row: its name.
        """
        body = self._block_of(appended)
        for stmt in body[body.index(appended) + 1 :]:
            if self._makes(stmt, row):
                return True
            if any(jumps([stmt])) or any(uses(walked(stmt), row)):
                return False
        return False

    def _block_of(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements of a block."""
        fields = (block for _, block in ast.iter_fields(self.around[stmt]))
        return next(x for x in fields if isinstance(x, list) and stmt in x)

    def _since_made(self, row: str, appended: ast.Expr) -> Sequence[ast.stmt]:
        """The statements of a block from the one that makes a row on; none without it.

        Args:
            row: its name. appended: the statement that appends it.
        """
        body = self._block_of(appended)
        last = body.index(appended)
        for first in reversed(range(last)):
            if self._makes(body[first], row):
                inner = (use for stmt in body[first:last] for use in walked(stmt))
                own = all(map(self._is_own, uses([*inner], row)))
                return body[first : last + 1] if own else []
        return []

    def _makes(self, stmt: ast.stmt, row: str) -> bool:
        """Whether a statement makes a row.

        Args:
            stmt: it. row: the name of the row.
        """
        shown = display(stmt, self.scope)
        if shown is not None:
            return shown[0] == row and kind_of(stmt, self.scope) == LISTS
        match stmt:
            case ast.Assign([ast.Name(name)], value):
                alone = not any(uses(walked(value), row))
                return name == row and alone and is_new(value)
        return False

    def _is_own(self, use: ast.Name) -> bool:
        """Whether nobody else gets a row where its name is used."""
        if isinstance(use.ctx, ast.Store):
            return True
        one = operation(use, self.scope, self.around)
        return one is not None and one.what is not What.RETURN


def _all(tables: Sequence[Table]) -> list[ast.Expr]:
    """The statements that append rows to lists."""
    return [stmt for one in tables for stmt in one.appended]


def row_of(stmt: ast.Expr) -> str:
    """The name of the row that a statement appends; empty for one without."""
    call = stmt.value
    assert isinstance(call, ast.Call)
    (row,) = call.args
    return row.id if isinstance(row, ast.Name) else ""


def _is_pure(node: ast.expr) -> bool:
    """Whether an expression is the same if it is evaluated before its statement."""
    return all(isinstance(x, PURE) or _is_length(x) for x in walked(node))


def _is_length(node: ast.AST) -> bool:
    """Whether a node is the length of what has a name."""
    match node:
        case ast.Call(ast.Name("len"), [ast.Name()], []):
            return True
    return False


def _begun(stmt: ast.stmt, scope: Scope) -> Iterator[str]:
    """The names that a statement gives lists without elements.

    Args:
        stmt: it. scope: of the function.
    """
    shown = display(stmt, scope)
    if shown is not None and not shown[1] and kind_of(stmt, scope) == LISTS:
        yield shown[0]
    match stmt:
        case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
            pairs = zip(names, values, strict=False)
            yield from (
                x.id for x, y in pairs if isinstance(x, ast.Name) and _is_empty(y)
            )


def _is_empty(value: ast.expr) -> bool:
    """Whether an expression is a list without elements."""
    return isinstance(value, ast.List) and not value.elts


def _is_other(node: ast.AST) -> bool:
    """Whether no loop is native that has a node in it."""
    match node:
        case ast.Call(ast.Name(name)):
            return name in _ASIDE
        case ast.Constant(str()):
            return True
    return isinstance(node, _OTHER)
