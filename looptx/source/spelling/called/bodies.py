"""The body of a function in the place of a call, in names that nothing else has.

What it is given stands for its arguments where that is a name, a number or a part of an
array, and is bound once, in the order of the call, where it is more. A ``return`` gives
its value to names; what follows one under a condition is the other branch of that.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.callees.reading import is_number
from looptx.source.callees.refusals import Refused, told
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import SCOPES, arguments, bound_names
from looptx.source.spelling.called.arrays import is_filled
from looptx.source.spelling.called.known import check_known
from looptx.source.spelling.called.lost import live
from looptx.source.spelling.called.parts import Part, axes, is_sliced, part
from looptx.source.spelling.called.renaming import Own, Renamed
from looptx.source.spelling.called.within import is_inside
from looptx.source.spelling.edits import ROW, marked

FOREIGN = (
    (SCOPES | COMPREHENSIONS)
    | (ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom | ast.Await | ast.Import)
    | (ast.ImportFrom | ast.Try | ast.With | ast.AsyncFor | ast.AsyncWith | ast.Delete)
    | (ast.NamedExpr | ast.Starred | ast.Match)
)
"""What a function may not do: others see it, or its names are told otherwise."""

MOST = 100
"""So many statements of a function are written in the place of a call."""


@dataclass
class Body(Own):
    """A function in the place of one call.

    Attributes:
        always: whether the statement of the caller makes the call itself, in any case
            and with what its own names hold.
        copied: whether its value goes into elements at once, and is nowhere else.
    """

    always: bool = False
    copied: bool = False

    def statements(
        self, call: ast.Call, target: Callable[[ast.expr | None], Sequence[ast.stmt]]
    ) -> list[ast.stmt]:
        """What a call does.

        Args:
            call: the call. target: what becomes of the value of the function.

        Raises:
            Refused: it cannot stand there.
        """
        node = self.written.node
        for one in ast.walk(node):
            if one is node:
                continue
            if isinstance(one, FOREIGN):
                raise Refused(one, told(one))
        inside = [x for stmt in node.body for x in ast.walk(stmt)]
        stored = Counter(bound_names(inside))
        added = Counter(
            x.target.id
            for x in inside
            if isinstance(x, ast.AugAssign) and isinstance(x.target, ast.Name)
        )
        if not self.copied and any(map(is_filled(inside), inside)):
            raise Refused(call, "returns an array that it makes")
        given = frozenset(one.arg for one in arguments(node))
        check_known(node.body, given, frozenset(stored))
        whole = frozenset(name for name in added if added[name] == stored[name])
        first = [*self._given(call, frozenset(stored), whole)]
        for name in stored:
            self.own.setdefault(name, ast.Name(self.names.new(name), ast.Load()))
        self._views(node.body, {x: stored[x] - added[x] for x in stored})
        lines = copy.deepcopy(node.body)
        if ast.get_docstring(node) is not None:
            del lines[0]
        lines = live(lines, self.written)
        renamed = [Renamed(self).visit(stmt) for stmt in lines]
        return [*first, *_ended(renamed, target)]

    def _given(
        self, call: ast.Call, stored: frozenset[str], whole: frozenset[str]
    ) -> Iterator[ast.stmt]:
        """What binds the arguments that are more than names, in their order.

        Args:
            call: the call. stored: the names that the function binds.
            whole: those that it binds only as what ``+=`` and the like leave.
        """
        given = self.written.node.args
        positional = [one.arg for one in (*given.posonlyargs, *given.args)]
        by_name = {one.arg for one in (*given.args, *given.kwonlyargs)}
        if given.vararg or given.kwarg or len(call.args) > len(positional):
            raise Refused(call, "takes other arguments")
        pairs = [*zip(positional, call.args, strict=False)]
        pairs += [(one.arg or "", one.value) for one in call.keywords]
        rest = [x for x, _ in pairs[len(call.args) :]]
        if len({x for x, _ in pairs}) < len(pairs) or not by_name.issuperset(rest):
            raise Refused(call, "takes other arguments")
        for name, value in pairs:
            if any(isinstance(x, ast.Starred | ast.NamedExpr) for x in ast.walk(value)):
                raise Refused(value, "is given arguments that it does not tell apart")
            count = axes(value, self.names.ranks) if name in whole else 0
            if count:
                # An array stays the same one then.
                self.changed[name] = count
            kept = bool(count) or name not in stored
            view = part(value, self.names.ranks)
            if kept and (isinstance(value, ast.Name) or is_number(value)):
                self.own[name] = value
            elif kept and view is not None:
                self.parts[name], self.own[name] = view, view.whole()
                self._look(call, name, view)
                yield from looked_up(view)
            else:
                yield self._bound(name, value)
        for one in arguments(self.written.node):
            name = one.arg
            if name in self.own:
                continue
            if name not in self.written.defaults:
                raise Refused(call, "has defaults that are no numbers")
            value = self.written.defaults[name]
            if not is_number(value):
                raise Refused(call, "has defaults that are no numbers")
            if name in stored:
                yield self._bound(name, value)
            else:
                self.own[name] = value

    def _views(self, body: Sequence[ast.stmt], bound: Mapping[str, int]) -> None:
        """Note the names that are given slices of parts: these are parts, too.

        Args:
            body: of the function. bound: how often it binds each of its names.
        """
        for stmt in body:
            match stmt:
                case ast.Assign(
                    [ast.Name(name)], ast.Subscript(ast.Name(of)) as value
                ) if bound[name] == 1 and of in self.parts and is_sliced(value):
                    made = self.parts[of].at(copy.deepcopy(value))
                    view = part(made, self.names.ranks)
                    if view is not None:
                        self.parts[name], self.own[name] = view, view.whole()
                        self.changed[name] = len(view.axes)

    def _bound(self, name: str, value: ast.expr) -> ast.stmt:
        """What gives an argument its value."""
        own = self.names.new(name)
        self.own[name] = ast.Name(own, ast.Load())
        return ast.Assign([ast.Name(own, ast.Store())], value)

    def _look(self, call: ast.Call, name: str, view: Part) -> None:
        """See to it that a part is looked at, as a call does that is given it.

        Args:
            call: the call. name: the argument. view: the part.

        Raises:
            Refused: its subscripts may be none, and nobody sees it.
        """
        text = ast.unparse(view.whole())
        if view.is_row or text in self.names.seen or is_inside(view, self.names.kept):
            return
        if not self._is_sure(name):
            raise Refused(call, f"may not come to look at `{name}`")
        if self.always:
            self.names.seen.add(text)

    def _is_sure(self, name: str) -> bool:
        """Whether a part is surely used: its subscripts are looked at there."""
        for stmt in self.written.node.body:
            inside = [*ast.walk(stmt)]
            called = {
                value
                for x in inside
                if isinstance(x, ast.Call) and dotted(x.func)
                if self.written.outside.callee(dotted(x.func)) is not None
                for value in (*x.args, *(one.value for one in x.keywords))
            }
            aside = called.union(*map(_measured, inside))
            uses = [x for x in inside if isinstance(x, ast.Name) and x.id == name]
            if any(x not in aside for x in uses):
                simple = isinstance(stmt, ast.Assign | ast.AugAssign)
                maybe = any(isinstance(x, ast.IfExp | ast.BoolOp) for x in inside)
                return simple and not maybe
            if any(isinstance(x, ast.Return | ast.Raise) for x in inside):
                return False
        return False


def _measured(node: ast.AST) -> Sequence[ast.expr]:
    """What is only asked for its size, which looks at no subscript but the sliced."""
    match node:
        case ast.Attribute(value, "shape" | "ndim" | "size"):
            return [value]
        case ast.Call(ast.Name("len"), [value]):
            return [value]
    return []


def looked_up(view: Part) -> Iterator[ast.stmt]:
    """What looks a part of an array up, as a call does that is given it."""
    first = view.axes[0]
    if first:
        row = Part(view.array, view.indices[:first])
        yield marked(ast.Expr(row.whole()), ROW)


def _ended(
    lines: Sequence[ast.stmt], target: Callable[[ast.expr | None], Sequence[ast.stmt]]
) -> list[ast.stmt]:
    """Statements whose ``return`` gives the value to something, to be gone on behind.

    Args:
        lines: of a function. target: what takes the value.

    Raises:
        Refused: a loop is left by ``return``.
    """
    if len(lines) > MOST:
        raise Refused(lines[0], "has too many statements")
    found: list[ast.stmt] = []
    for at, stmt in enumerate(lines):
        returns = any(isinstance(x, ast.Return) for x in ast.walk(stmt))
        if not returns:
            found.append(stmt)
            continue
        rest = lines[at + 1 :]
        match stmt:
            case ast.Return(value):
                return [*found, *target(value)]
            case ast.If(test, body, orelse):
                then, other = (
                    _ended([*copy.deepcopy(x), *copy.deepcopy(rest)], target)
                    for x in (body, orelse)
                )
                return [*found, ast.If(test, then or [ast.Pass()], other)]
        raise Refused(stmt, "returns out of a loop")
    return [*found, *target(None)]
