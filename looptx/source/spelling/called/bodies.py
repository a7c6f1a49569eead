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

from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.source.callees.reading import is_number
from looptx.source.callees.refusals import Refused, told
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import SCOPES, arguments, bound_names
from looptx.source.spelling.called.arrays import is_filled, stored_into
from looptx.source.spelling.called.known import check_known
from looptx.source.spelling.called.lost import live
from looptx.source.spelling.called.parts import Part, axes, is_sliced, part
from looptx.source.spelling.called.renaming import Own, Renamed
from looptx.source.spelling.called.results import ranks_in
from looptx.source.spelling.called.targets import branched, ended
from looptx.source.spelling.called.within import Kept, is_inside
from looptx.source.spelling.edits import ROW, marked

FOREIGN = (
    (SCOPES | COMPREHENSIONS)
    | (ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom | ast.Await | ast.Import)
    | (ast.ImportFrom | ast.Try | ast.With | ast.AsyncFor | ast.AsyncWith | ast.Delete)
    | (ast.NamedExpr | ast.Starred | ast.Match)
)
"""What a function may not do: others see it, or its names are told otherwise."""


@dataclass
class Body(Own):
    """A function in the place of one call.

    Attributes:
        copied: whether its value goes into elements at once, and is nowhere else.
        targets: the names that its value gets, or its parts; none for other uses.
        made: gets those of them that arrays have which it makes.
    """

    copied: bool = False
    targets: Sequence[str] = ()
    made: set[str] = field(default_factory=set)

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
        given = frozenset(one.arg for one in arguments(node))
        results = self._results(call, frozenset(stored) - given)
        if not self.copied and any(map(is_filled(inside, results), inside)):
            raise Refused(call, "returns an array that it makes")
        check_known(node.body, given, frozenset(stored))
        whole = frozenset(name for name in added if added[name] == stored[name])
        first = [*self._given(call, frozenset(stored), whole)]
        for name, target_name in results.items():
            self.own[name] = ast.Name(target_name, ast.Load())
        self.made.update(results.values())
        for name in stored:
            self.own.setdefault(
                name, ast.Name(self.names.taken.again(name), ast.Load())
            )
        arrays = {*self._arrays(call, frozenset(stored))}
        self._views(node.body, {x: stored[x] - added[x] for x in stored})
        lines = copy.deepcopy(node.body)
        if ast.get_docstring(node) is not None:
            del lines[0]
        lines = live(lines, self.written)
        renamed = [Renamed(self).visit(stmt) for stmt in lines]
        return [*first, *ended(branched(renamed, arrays), target)]

    def _arrays(self, call: ast.Call, stored: frozenset[str]) -> Iterator[str]:
        """The arrays of its own that the function names, as the caller calls them.

        Args:
            call: the call. stored: the names that the function binds.
        """
        for name, count in ranks_in(self.written, call, self.names.ranks).items():
            one = self.own.get(name)
            if isinstance(one, ast.Name):
                self.names.ranks.setdefault(one.id, count)
                if name in stored:
                    yield one.id

    def _results(self, call: ast.Call, own: frozenset[str]) -> dict[str, str]:
        """The arrays that it makes and returns, with the names that the caller has.

        Args:
            call: the call. own: the names that the function gives values, and no other.
        """
        match self.written.node.body[-1]:
            case ast.Return(ast.Name(name)):
                names = [name]
            case ast.Return(ast.Tuple(elts)):
                names = [dotted(one) for one in elts]
            case _:
                return {}
        inside = [x for x in ast.walk(self.written.node) if isinstance(x, ast.Return)]
        read = {x.id for x in ast.walk(call) if isinstance(x, ast.Name)}
        fits = len(inside) == 1 and len({*self.targets}) == len(names)
        if not fits or not read.isdisjoint(self.targets):
            return {}
        filled = stored_into(ast.walk(self.written.node))
        pairs = zip(names, self.targets, strict=True)
        return {x: target for x, target in pairs if x in own & filled}

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
        body = [*ast.walk(self.written.node)]
        for name, value in pairs:
            if any(isinstance(x, ast.Starred | ast.NamedExpr) for x in ast.walk(value)):
                raise Refused(value, "is given arguments that it does not tell apart")
            count = axes(value, self.names.ranks) if name in whole else 0
            if count:
                # An array stays the same one then.
                self.changed[name] = count
            kept = bool(count) or name not in stored
            view = part(value, self.names.ranks)
            if view is not None and (view.is_bounded or view.is_picked(name, body)):
                # Its bounds are told where it has a name.
                view = None
            if kept and (isinstance(value, ast.Name) or is_number(value)):
                self.own[name] = value
            elif kept and view is not None:
                self.parts[name], self.own[name] = view, view.whole()
                yield from looked_up(view, self.names.kept)
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
        own = self.names.taken.again(name)
        self.own[name] = ast.Name(own, ast.Load())
        self.names.values[own] = value
        return ast.Assign([ast.Name(own, ast.Store())], value)


def looked_up(view: Part, kept: Kept) -> Iterator[ast.stmt]:
    """What looks a part of an array up, as a call does that is given it.

    Args:
        view: the part. kept: the positions that are known to be inside.
    """
    first = view.axes[0]
    if not (view.is_row or is_inside(view, kept)):
        places = (ast.Slice() if isinstance(x, ast.Slice) else x for x in view.indices)
        row = Part(view.array, (*places,))
    elif first:
        row = Part(view.array, view.indices[:first])
    else:
        return
    yield marked(ast.Expr(row.whole()), ROW)
