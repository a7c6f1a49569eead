"""Where a function's Python may look at arrays, outside of its nests.

Arrays hold what tasks gave only when that was brought home. In front of a statement
that may see what they hold, or do what cannot be done twice, stands a *look*, which
does that. None is needed where numbers are computed of numbers and of the shapes of
arrays, where names are given to arrays, and in front of loops and branches that ask for
no more. What is a number is known when the function runs: looks ask for that.
"""

from __future__ import annotations

import ast
import builtins
import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from looptx.cluster.call.kinds import is_zarr
from looptx.cluster.call.making import made
from looptx.cluster.lazy.standins import Standin
from looptx.errors import LooptxError, Place
from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.native.diagnostics.notices import WOVEN
from looptx.native.runtime import Places, Site

CODE = "LX603"
LOOK = f"{WOVEN}look"
LOCALS = f"{WOVEN}locals"

_SHAPES = ("shape", "size", "ndim", "dtype", "itemsize", "nbytes")
_CALLED = ("len", "range", "min", "max", "abs", "int", "float", "bool", "round")
_DTYPES = ("int", "float", "bool", "complex")
_LIKE = (0, "a", "prototype")
_MODULES: Mapping[str, types.ModuleType] = {"numpy": np, "math": math}


@dataclass(slots=True)
class Needs:
    """What names must be for a statement to see no elements of arrays.

    Attributes:
        numbers: those of numbers, and tuples of such. shaped: those of arrays, too.
        called: those of builtins.
        once: whether the statement does what cannot be done twice, as a call may be
            that has to run as written after all.
    """

    numbers: set[str] = field(default_factory=set)
    shaped: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    once: bool = False

    def met(self, meaning: Callable[[str], Any], again: bool) -> bool:
        """Whether they are.

        Args:
            meaning: of a name. again: whether the call may have to be done twice.

        Raises:
            LookupError: a name has none.
        """
        return (
            not (self.once and again)
            and all(_is_number(meaning(name)) for name in self.numbers)
            and all(_is_shaped(meaning(name)) for name in self.shaped)
            and all(meaning(x) is getattr(builtins, x) for x in self.called)
        )


@dataclass(frozen=True, slots=True)
class Look:
    """A place where Python may look at arrays.

    Attributes:
        line, column: of the statement. text: its first line.
        needs: what names must be for it not to; None where it may whatever they are.
    """

    line: int
    column: int
    text: str
    needs: Needs | None

    def reason(self, filename: str) -> LooptxError:
        """Why arrays are brought home.

        Args:
            filename: of the function.
        """
        return LooptxError(
            CODE,
            f"`{self.text}` may use what tasks compute",
            Place(filename, self.line, self.column),
            hint="from there on each nest is waited for; see `looptx explain LX603`",
        )


class Looking:
    """Puts looks into a function.

    Args:
        text: its source. imports: what its names mean. sites: its nests.

    Attributes:
        looks: that were put there; the numbers they are called with.
    """

    def __init__(
        self, text: str, imports: Mapping[str, str], sites: Sequence[Site]
    ) -> None:
        self.looks: list[Look] = []
        self._imports = imports
        self._sites = {(site.line, site.column): site for site in sites}
        self._places = Places(text)
        self._tests: list[tuple[ast.stmt, Needs]] = []

    def change(self, function: ast.FunctionDef) -> None:
        """Put them there.

        Args:
            function: its tree.
        """
        said = [
            n for n in ast.walk(function) if isinstance(n, ast.Global | ast.Nonlocal)
        ]
        first = self._look(said[0], None) if said else []
        function.body = [*first, *self._block(function.body)]

    def _block(self, body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        rest = iter(body)
        for stmt in rest:
            site = self._sites.get(self._places.of(stmt))
            if site is None or not isinstance(
                stmt, ast.For | ast.While | ast.Assign | ast.AugAssign | ast.Return
            ):
                yield from self._statement(stmt)
                continue
            region: list[ast.stmt] = [stmt]
            while region[-1].lineno < site.last:
                region.append(next(rest))
            needs = Needs()
            if not self._is_blind(site, region, needs):
                yield from self._look(stmt, None)
            elif needs != Needs():
                yield from self._look(stmt, needs)
            yield from region

    def _is_blind(self, site: Site, region: Sequence[ast.stmt], needs: Needs) -> bool:
        """Whether what stands around a native nest sees no elements.

        Args:
            site: the nest. region: its statements. needs: gets what names must be.
        """
        beside = [
            stmt
            for stmt in region
            if any(a <= stmt.lineno <= b for a, b in (*site.hoisted, *site.sunk))
        ]
        for stmt in ast.parse("\n".join(site.then)).body:
            match stmt:
                case ast.If(ast.Name(), body, []):
                    # Arrays are exchanged where the nest has said so.
                    beside += body
                case _:
                    beside.append(stmt)
        plain = all(name.isidentifier() for name in site.live_in) and not site.returns
        return plain and all(self._simple(stmt, needs) for stmt in beside)

    def _statement(self, stmt: ast.stmt) -> Iterator[ast.stmt]:
        """A statement with the look in front of it, and those inside."""
        needs = Needs()
        match stmt:
            case ast.If(test):
                known = self._number(test, needs)
            case ast.While(test):
                known = self._number(test, needs)
            case ast.For(ast.Name(), ast.Call(ast.Name("range")) as call):
                known = self._number(call, needs)
            case ast.Continue():
                for loop, asked in self._tests[-1:]:
                    yield from self._look(loop, asked, stmt)
                known = True
            case _:
                known = self._simple(stmt, needs)
        if not known:
            yield from self._look(stmt, None)
            yield stmt
            return
        if needs != Needs():
            yield from self._look(stmt, needs)
        if isinstance(stmt, ast.If | ast.While | ast.For):
            self._inside(stmt, needs)
        yield stmt

    def _inside(self, stmt: ast.If | ast.While | ast.For, needs: Needs) -> None:
        """Put looks into a loop or branch; a ``while`` asks again after each iteration.

        Args:
            stmt: the statement. needs: what names in its head must be.
        """
        again = [] if isinstance(stmt, ast.If) else [(stmt, Needs())]
        if isinstance(stmt, ast.While):
            again = [(stmt, needs)]
        self._tests += again
        body = [*self._block(stmt.body)]
        if again and again[0][1] != Needs():
            body += self._look(stmt, needs, stmt.body[-1])
        stmt.body = body
        del self._tests[len(self._tests) - len(again) :]
        stmt.orelse = [*self._block(stmt.orelse)]

    def _simple(self, stmt: ast.stmt, needs: Needs) -> bool:
        """Whether a statement without others sees no elements.

        Args:
            stmt: the statement. needs: gets what names must be.
        """
        match stmt:
            case ast.Pass() | ast.Break() | ast.Expr(ast.Constant()):
                return True
            case ast.Import(names):
                return all(one.name in _MODULES for one in names)
            case ast.ImportFrom(module, _, 0):
                return module in _MODULES
            case ast.Assert(test, None | ast.Constant()):
                return self._number(test, needs)
            case ast.Expr(ast.Call(ast.Name("print"), args, keywords)):
                needs.once = True
                needs.called.add("print")
                given = [*args, *(one.value for one in keywords)]
                to = any(one.arg not in ("sep", "end", "flush") for one in keywords)
                return not to and all(self._number(one, needs) for one in given)
            case ast.Return(None) | ast.AnnAssign(ast.Name(), value=None):
                return True
            case ast.Return(ast.expr() as value):
                return self._passed(value, needs)
            case ast.AugAssign(ast.Name(name), _, value):
                needs.numbers.add(name)
                return self._number(value, needs)
            case ast.AnnAssign(ast.Name(), value=ast.expr() as value):
                return self._passed(value, needs) or self._made(value, needs)
            case ast.Assign(targets, value):
                if all(isinstance(one, ast.Name) for one in targets):
                    return self._passed(value, needs) or self._made(value, needs)
                if not all(map(_are_names, targets)):
                    return False
                if isinstance(value, ast.Tuple):
                    return self._passed(value, needs)
                return self._number(value, needs)
        return False

    def _passed(self, value: ast.expr, needs: Needs) -> bool:
        """Whether a value is a number, what a name stands for, or a tuple of such.

        Args:
            value: as written. needs: gets what names must be.
        """
        if isinstance(value, ast.Tuple):
            return all(self._passed(one, needs) for one in value.elts)
        return isinstance(value, ast.Name) or self._number(value, needs)

    def _made(self, value: ast.expr, needs: Needs) -> bool:
        """Whether a value is a new array.

        Args:
            value: as written. needs: gets what names must be.
        """
        match value:
            case ast.Call(ast.Attribute(ast.Name(name), "copy"), []):
                # What is no array is not copied before arrays are at home.
                needs.shaped.add(name)
                return not value.keywords
            case ast.Call(function, args, keywords) if full := made(
                function, self._imports
            ):
                given: dict[object, ast.expr] = {x.arg: x.value for x in keywords}
                given |= dict(enumerate(args))
                like = _LIKE if full.endswith("_like") else ()
                return None not in given and all(
                    self._argument(one, needs, shaped=at in like)
                    for at, one in given.items()
                )
        return False

    def _argument(self, node: ast.expr, needs: Needs, *, shaped: bool) -> bool:
        """Whether what makes arrays may be given a value.

        Args:
            node: the value. needs: gets what names must be.
            shaped: whether it asks for the shape and the type of that, and no more.
        """
        if isinstance(node, ast.Name) and (shaped or node.id in _DTYPES):
            known = needs.shaped if shaped else needs.called
            known.add(node.id)
            return True
        return self._number(node, needs)

    def _number(self, node: ast.expr | None, needs: Needs) -> bool:
        """Whether an expression is made of numbers and shapes of arrays.

        Args:
            node: the expression. needs: gets what names must be.
        """

        def each(*nodes: ast.expr | None) -> bool:
            return all(self._number(one, needs) for one in nodes)

        match node:
            case None | ast.Constant():
                return True
            case ast.Name(name):
                needs.numbers.add(name)
                return True
            case ast.Attribute(ast.Name(name), attribute) if attribute in _SHAPES:
                needs.shaped.add(name)
                return True
            case ast.Attribute():
                return self._is_constant(node)
            case ast.Subscript(base, index):
                return each(base, index)
            case ast.Slice(lower, upper, step):
                return each(lower, upper, step)
            case ast.Tuple(elements):
                return each(*elements)
            case ast.UnaryOp(_, operand):
                return each(operand)
            case ast.BinOp(left, _, right):
                return each(left, right)
            case ast.BoolOp(_, values) | ast.JoinedStr(values):
                return each(*values)
            case ast.FormattedValue(value, _, form):
                return each(value, form)
            case ast.IfExp(test, body, orelse):
                return each(test, body, orelse)
            case ast.Compare(left, [ast.Is() | ast.IsNot()], [right]):
                return all(self._passed(one, needs) for one in (left, right))
            case ast.Compare(left, _, others):
                return each(left, *others)
            case ast.Call(ast.Name("len"), [ast.Name(name)], []):
                needs.called.add("len")
                needs.shaped.add(name)
                return True
            case ast.Call(ast.Name(name), args, []) if name in _CALLED:
                needs.called.add(name)
                return each(*args)
        return False

    def _is_constant(self, node: ast.Attribute) -> bool:
        """Whether an attribute of a module is a number or a type."""
        first, _, rest = dotted(node).partition(".")
        module = _MODULES.get(self._imports.get(first, ""))
        return isinstance(getattr(module, rest, None), type | float)

    def _look(
        self, stmt: ast.stmt, needs: Needs | None, place: ast.stmt | None = None
    ) -> list[ast.stmt]:
        """The look in front of a statement.

        Args:
            stmt: the statement. needs: what names must be for there to be none.
            place: what it stands at, if that is something else.
        """
        if needs == Needs():
            return []
        text = ast.unparse(stmt).partition("\n")[0]
        self.looks.append(Look(stmt.lineno, stmt.col_offset + 1, text, needs))
        call = f"{LOOK}({len(self.looks) - 1}, {LOCALS}())"
        made = ast.parse(call).body
        for node in ast.walk(made[0]):
            if isinstance(node, ast.stmt | ast.expr):
                ast.copy_location(node, place or stmt)
                node.end_lineno = node.lineno
                # It is no nest, which is told by its line and column.
                node.col_offset = node.end_col_offset = 0
        return made


def _are_names(target: ast.expr) -> bool:
    """Whether what is assigned to is a name, or a tuple of names."""
    elements = target.elts if isinstance(target, ast.Tuple) else [target]
    return all(isinstance(one, ast.Name) for one in elements)


def _is_number(value: object) -> bool:
    """Whether nothing but a number, or several, or a text can come of a value."""
    if type(value) is tuple:
        return all(map(_is_number, value))
    plain = int, float, bool, complex, str, types.NoneType
    return type(value) in plain or isinstance(value, np.number | np.bool_)


def _is_shaped(value: object) -> bool:
    """Whether a value has a shape, or a length, that says nothing of elements."""
    plain = np.ndarray, np.memmap, Standin, tuple, list
    return type(value) in plain or is_zarr(value) or _is_number(value)
