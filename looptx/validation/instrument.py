"""A function as the code that is run: its loops counted, its free orders shown.

Whatever the values are, symbols or hashes, loops ask a ``Counter`` for their iterations
and statements that combine in any order are calls of ``COMBINE``. What cannot be run at
all is found here.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Sized
from typing import Any

from looptx.model.trees import dotted
from looptx.source.names.imports import imported
from looptx.source.names.scope import Scope
from looptx.source.nests.statements.reductions import combination
from looptx.validation.symbols.cells import TooMuch, Unrunnable
from looptx.validation.symbols.functions import Functions

LOOP = "_looptx_loop"
"""``LOOP(line, iterable)``: what a loop runs over."""

TICK = "_looptx_tick"
"""``TICK(line)``: an iteration of a ``while``."""

COMBINE = "_looptx_combine"
"""``COMBINE(name, op, old, term, held, part)``: what a statement on ``name`` combines.

``held`` is the array or number of that name, ``part`` the name of the term, if any.
"""

_FOREIGN = (ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith)


class Counter:
    """Counts iterations, and notes which loops have any.

    Args:
        limit: how many iterations there may be, and parts of ``made``.
        made: what is made meanwhile.
        loops: how often loops may begin.
    """

    def __init__(self, limit: int, made: Sized = (), loops: int = 10**9) -> None:
        self.count = 0
        self.ran: set[int] = set()
        self.limit = limit
        self.made = made
        self.loops = loops

    def tick(self, line: int) -> None:
        """An iteration begins.

        Raises:
            TooMuch: it is more than there may be.
        """
        self.count += 1
        self.ran.add(line)
        if self.count + len(self.made) > self.limit:
            raise TooMuch

    def each(self, line: int, over: Iterable[Any]) -> Iterator[Any]:
        """The iterations of a loop, one by one."""
        for one in over:
            self.tick(line)
            yield one

    def all(self, line: int, over: range) -> range:
        """The iterations of a loop, counted as it begins."""
        self.loops -= 1
        if over:
            self.count += len(over) - 1
            self.tick(line)
        if self.loops < 0:
            raise TooMuch
        return over


def instrumented(scope: Scope, combined: Collection[str]) -> ast.FunctionDef:
    """A function, without its decorators, defaults and annotations, as it is to run.

    Args:
        scope: the function, and what its names mean.
        combined: the scalars and arrays whose combining statements become calls.

    Returns:
        A tree of its own.

    Raises:
        Unrunnable: what it contains cannot be run; its ``line`` says where.
    """
    definition = scope.function
    if isinstance(definition, ast.AsyncFunctionDef):
        raise at_line(Unrunnable("an async function"), definition)
    bare = copy.deepcopy(definition)
    bare.args.defaults = []
    bare.args.kw_defaults = [None] * len(bare.args.kwonlyargs)
    made = _Instrumenter(scope, frozenset(combined)).visit(bare)
    assert isinstance(made, ast.FunctionDef)
    return ast.fix_missing_locations(made)


def at_line(error: Unrunnable, node: ast.AST) -> Unrunnable:
    """The error, with the line of a node."""
    error.line = getattr(node, "lineno", 0)
    return error


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a function by its name."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class _Instrumenter(ast.NodeTransformer):
    """Changes a function in place."""

    def __init__(self, scope: Scope, names: frozenset[str]) -> None:
        self.scope = scope
        self.names = names
        self.bound: dict[str, None] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _FOREIGN):
            raise at_line(Unrunnable(f"`{type(node).__name__.lower()}`"), node)
        return super().generic_visit(node)

    def visit(self, node: ast.AST) -> Any:
        if self.names and isinstance(node, ast.stmt):
            combined = self._combined(node)
            if combined is not None:
                return combined
        return super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        node.returns = None
        outer, self.bound = self.bound, {}
        self.generic_visit(node)
        if self.bound:
            # Of one name once: it may not be used before it is said to be global.
            node.body.insert(0, ast.copy_location(ast.Global([*self.bound]), node))
        self.bound = outer
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        made = ast.Assign([node.target], node.value)
        self.generic_visit(made)
        return ast.copy_location(made, node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.stmt:
        """Its names are known from the reading of the module."""
        self.bound |= dict.fromkeys(name for name, _ in imported(node))
        return ast.copy_location(ast.Pass(), node)

    visit_ImportFrom = visit_Import

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        own = [name for name in node.names if name in self.scope.bindings]
        return node if own else ast.copy_location(ast.Global(node.names), node)

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.iter = call(LOOP, ast.Constant(node.lineno), node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        tick = ast.Expr(call(TICK, ast.Constant(node.lineno)))
        node.body.insert(0, ast.copy_location(tick, node))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        raise at_line(Unrunnable("a class"), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr.startswith("__"):
            raise at_line(Unrunnable(f"the attribute `{node.attr}`"), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        full = self.scope.resolve(node.func)
        text = dotted(node.func)
        if self.scope.callee(node) is not None:
            return self.generic_visit(node)
        if isinstance(node.func, ast.Name):
            own = node.func.id in self.scope.bindings
            if not own and not Functions.knows(full):
                raise at_line(Unrunnable(f"the call of `{text}`"), node)
        elif full and not Functions.knows(full):
            raise at_line(Unrunnable(f"the call of `{full}`"), node)
        return self.generic_visit(node)

    def _combined(self, node: ast.stmt) -> ast.stmt | None:
        """``s = COMBINE("s", "+", s, x)`` for ``s += x``."""
        found = combination(node, self.scope)
        if found is None:
            return None
        target, (op, operand) = found
        array = base(target)
        name = dotted(array)
        if name not in self.names:
            return None
        old, held = copy.deepcopy(target), copy.deepcopy(array)
        old.ctx = held.ctx = ast.Load()  # type: ignore[attr-defined]
        term = self.visit(copy.deepcopy(operand))
        part = ast.Constant(dotted(base(operand)))
        given = [ast.Constant(name), ast.Constant(op), old, term, held, part]
        made = ast.Assign([target], call(COMBINE, *given))
        return ast.fix_missing_locations(ast.copy_location(made, node))


def base(node: ast.expr) -> ast.expr:
    """The array of an element; anything else is itself."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node
