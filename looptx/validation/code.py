"""The text of a function as code that runs on symbols, and nothing else.

The function is compiled alone, without its decorators, defaults and annotations; the
names it uses mean what ``functions`` says or the inputs it is given, so that none of
the user's other code runs. Loops count their iterations, and statements that combine
into a target whose order is free become calls.
"""

from __future__ import annotations

import ast
import copy
import dis
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from looptx.model.trees import dotted
from looptx.source.names.imports import arguments, imported
from looptx.source.names.scope import Function, Scope
from looptx.source.nests.statements.reductions import combination
from looptx.validation.symbols.cells import TooMuch
from looptx.validation.symbols.functions import Functions, Unrunnable
from looptx.validation.symbols.table import is_whole

_FILE = "<symbols>"
_TICK = "_looptx_tick"
_COMBINE = "_looptx_combine"
_INTEGRAL = "_looptx_integral"
_DISORDER = "_looptx_disorder"
_FOREIGN = (ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did.

    Attributes:
        result: what the function returned. error: what it raised, with its ``line``.
        iterations: of all loops. ran: the lines of the loops with an iteration.
        globals: the global names after the run.
        printed: what each call of ``print`` was given.
    """

    result: Any
    error: Exception | None
    line: int
    iterations: int
    ran: frozenset[int]
    globals: Mapping[str, Any]
    printed: list[Any]


class Code:
    """A function, ready to run.

    Args:
        definition: its syntax tree, which stays as it is.
        imports: what names around it mean.
        free: the names of scalars and arrays whose combining statements have no order;
            integral: those that have none as far as they combine integers.
        disordered: the lines of loops to be run backwards, but for the last iteration,
            which leaves behind what is read after the loop.

    Attributes:
        scope: its names. given: the names of its arguments. outside: the names it takes
            from around it that no import and no builtin explains.
        mixed: the lines of loops that had another order so far.
        floats: the names in ``integral`` that combined something else so far.
        loops: the lines of its loops. literal: the largest whole number in its text.

    Raises:
        Unrunnable: what it contains cannot be run; its ``line`` says where.
    """

    def __init__(
        self,
        definition: Function,
        imports: Mapping[str, str],
        free: Collection[str] = (),
        integral: Collection[str] = (),
        disordered: Collection[int] = (),
    ) -> None:
        self.scope = Scope(definition, imports)
        self.mixed: set[int] = set()
        self.floats: set[str] = set()
        self.given = tuple(argument.arg for argument in arguments(definition))
        self.name = definition.name
        if isinstance(definition, ast.AsyncFunctionDef):
            raise at_line(Unrunnable("an async function"), definition)
        prepare = _Prepare(self.scope, free, integral, disordered)
        prepared = prepare.function(copy.deepcopy(definition))
        self._arguments = prepared.args
        whole = ast.Module([prepared], [])
        self._code = compile(ast.fix_missing_locations(whole), _FILE, "exec")
        self.loops = frozenset(
            node.lineno
            for node in ast.walk(definition)
            if isinstance(node, (ast.For, ast.While))
        )
        literals = (
            n.value for n in ast.walk(definition) if isinstance(n, ast.Constant)
        )
        self.literal = max((n for n in literals if type(n) is int), default=0)
        self._meanings: dict[str, str] = {}
        self.outside: tuple[str, ...] = ()
        self._names(Functions.known())

    def _names(self, builtins: Collection[str]) -> None:
        """Tell imports and builtins from inputs."""
        outside = []
        for name in dict.fromkeys(_globals(self._code)):
            full = self.scope.imports.get(name, "")
            if full in ("numpy", "math") or full.startswith(("numpy.", "math.")):
                self._meanings[name] = full
            elif name in (_TICK, _COMBINE, _INTEGRAL, _DISORDER) or (
                not full and name in builtins
            ):
                continue
            elif full and not full.startswith("builtins."):
                raise Unrunnable(f"`{name}`, which is `{full}`")
            elif name not in builtins:
                outside.append(name)
        self.outside = tuple(outside)

    def run(
        self, functions: Functions, inputs: Mapping[str, Any], limit: int
    ) -> Outcome:
        """Call the function.

        Args:
            inputs: the values of ``given`` and ``outside``.
            limit: how many iterations and expressions there may be.
        """
        count = 0
        table = functions.table
        ran: set[int] = set()

        def tick(line: int) -> None:
            nonlocal count
            count += 1
            ran.add(line)
            if count + len(table) > limit:
                raise TooMuch

        def integral(op: str, old: object, term: object, name: str) -> object:
            if not (is_whole(old) and is_whole(term)):
                self.floats.add(name)
                return table.in_order(op, old, term)
            return table.combine(op, old, term)

        printed: list[Any] = []

        def output(*values: object, **options: object) -> None:
            printed.append((list(values), options))

        names: dict[str, Any] = {
            "__builtins__": {**functions.builtins(), "print": output},
            _TICK: tick,
            _COMBINE: table.combine,
            _INTEGRAL: integral,
            _DISORDER: self._disorder,
        }
        # What is left is bound nowhere, or not yet: to read it raises NameError.
        names |= {name: inputs[name] for name in self.outside if name in inputs}
        result, error, line = None, None, 0
        try:
            for name, full in self._meanings.items():
                names[name] = functions.of(full)
                if names[name] is None:
                    raise Unrunnable(f"`{full}`")
            exec(self._code, names)
            result = names[self.name](*self._positional(inputs), **self._named(inputs))
        except Exception as raised:
            error, line = raised, _line(raised)
        return Outcome(result, error, line, count, frozenset(ran), names, printed)

    def _disorder(self, line: int, over: Iterable[Any]) -> list[Any]:
        """Everything but the last backwards."""
        values = list(over)
        if len(values) > 2:
            self.mixed.add(line)
        return [*values[-2::-1], *values[-1:]]

    def _positional(self, inputs: Mapping[str, Any]) -> list[Any]:
        given = (*self._arguments.posonlyargs, *self._arguments.args)
        return [inputs[one.arg] for one in given]

    def _named(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        return {one.arg: inputs[one.arg] for one in self._arguments.kwonlyargs}


def at_line(error: Unrunnable, node: ast.AST) -> Unrunnable:
    """The error, with the line of a node."""
    error.line = getattr(node, "lineno", 0)
    return error


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Every function of a module with its qualified name, in source order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node
            yield from definitions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from definitions(node, f"{prefix}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from definitions(node, prefix)


class _Prepare(ast.NodeTransformer):
    """The function as it is to run."""

    def __init__(
        self,
        scope: Scope,
        free: Collection[str],
        integral: Collection[str],
        disordered: Collection[int],
    ) -> None:
        self.scope = scope
        self.disordered = disordered
        self.free = frozenset(free)
        self.integral = frozenset(integral)
        self.inside = False

    def function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """The whole function."""
        node.args.defaults = []
        node.args.kw_defaults = [None] * len(node.args.kwonlyargs)
        made = self.visit(node)
        assert isinstance(made, ast.FunctionDef)
        return made

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _FOREIGN):
            raise at_line(Unrunnable(f"`{type(node).__name__.lower()}`"), node)
        return super().generic_visit(node)

    def visit(self, node: ast.AST) -> Any:
        if (self.free or self.integral) and isinstance(node, ast.stmt):
            combined = self._combined(node)
            if combined is not None:
                return combined
        return super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        node.returns = None
        outer, self.inside = self.inside, True
        self.generic_visit(node)
        self.inside = outer
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
        bound = [name for name, _ in imported(node)]
        made: ast.stmt = ast.Global(bound) if bound and self.inside else ast.Pass()
        return ast.copy_location(made, node)

    visit_ImportFrom = visit_Import

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        own = [name for name in node.names if name in self.scope.bindings]
        return node if own else ast.copy_location(ast.Global(node.names), node)

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        if node.lineno in self.disordered:
            line = ast.Constant(node.lineno)
            node.iter = ast.Call(ast.Name(_DISORDER, ast.Load()), [line, node.iter], [])
        node.body.insert(0, _ticking(node))
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.body.insert(0, _ticking(node))
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
        if isinstance(node.func, ast.Name):
            own = node.func.id in self.scope.bindings
            if not own and not Functions.knows(full):
                raise at_line(Unrunnable(f"the call of `{text}`"), node)
        elif full and not Functions.knows(full):
            raise at_line(Unrunnable(f"the call of `{full}`"), node)
        return self.generic_visit(node)

    def _combined(self, node: ast.stmt) -> ast.stmt | None:
        """``s = combine("+", s, x)`` for ``s += x`` where the order may be free."""
        found = combination(node, self.scope)
        if found is None:
            return None
        target, (op, operand) = found
        base = target
        while isinstance(base, ast.Subscript):
            base = base.value
        name = dotted(base)
        if name not in self.free | self.integral:
            return None
        old = copy.deepcopy(target)
        for part in ast.walk(old):
            if isinstance(getattr(part, "ctx", None), ast.Store) and part is old:
                part.ctx = ast.Load()  # type: ignore[attr-defined]
        parts = [ast.Constant(op), old, self.visit(copy.deepcopy(operand))]
        function = _COMBINE
        if name not in self.free:
            function, parts = _INTEGRAL, [*parts, ast.Constant(name)]
        call = ast.Call(ast.Name(function, ast.Load()), parts, [])
        made = ast.Assign([target], call)
        return ast.fix_missing_locations(ast.copy_location(made, node))


def _ticking(loop: ast.For | ast.While) -> ast.stmt:
    call = ast.Call(ast.Name(_TICK, ast.Load()), [ast.Constant(loop.lineno)], [])
    return ast.copy_location(ast.Expr(call), loop)


def _globals(code: types.CodeType) -> Iterator[str]:
    """The names that code reads from around it, in order."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals(constant)


def _line(error: BaseException) -> int:
    """Where in the function an exception was raised; 0 when that is not known."""
    line = int(getattr(error, "line", 0))
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
