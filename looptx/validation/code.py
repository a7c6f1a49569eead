"""The text of a function as code that runs on symbols, and nothing else.

The function is compiled alone, without its decorators, defaults and annotations; the
names it uses mean what ``functions`` says or the inputs it is given, so that none of
the user's other code runs.
"""

from __future__ import annotations

import ast
import dis
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from looptx.model.callees.callee import Callee
from looptx.model.records import dataclass
from looptx.parsers.unwarned import compiled
from looptx.source.names.captures import local_names
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.validation.instrument import COMBINE, LOOP, TICK, Counter, instrumented
from looptx.validation.symbols.callees import called
from looptx.validation.symbols.cells import Cells, Unrunnable
from looptx.validation.symbols.functions import Functions
from looptx.validation.symbols.neutral import Part, is_neutral
from looptx.validation.symbols.table import adds_whole, is_whole

_FILE = "<symbols>"


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
        parts: the arrays and scalars that collect parts of what others combine.
        callees: the functions of the user that it calls, by what calls name.

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
        parts: Mapping[str, Part] | None = None,
        callees: Mapping[str, Callee] | None = None,
    ) -> None:
        # Functions that it defines itself run as they are written.
        own = local_names(definition)
        for node in own_nodes(definition):
            if isinstance(node, ast.Nonlocal):
                error = Unrunnable("it assigns variables of the function around it")
                error.line = node.lineno
                raise error
        self._callees = {
            name: one
            for name, one in (callees or {}).items()
            if not one.refused and name not in own
        }
        full = {_full(name, imports): one for name, one in self._callees.items()}
        self.scope = Scope(definition, imports, full.get)
        self.mixed: set[int] = set()
        self.floats: set[str] = set()
        self.given = tuple(argument.arg for argument in arguments(definition))
        self.name = definition.name
        self._free = frozenset(free)
        self._disordered = frozenset(disordered)
        self.parts = parts or {}
        made = instrumented(self.scope, self._free.union(integral))
        self._arguments = made.args
        self._code = compiled(ast.Module([made], []), _FILE)
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
            if any(one.partition(".")[0] == name for one in self._callees):
                continue
            if full in ("numpy", "math") or full.startswith(("numpy.", "math.")):
                self._meanings[name] = full
            elif name in (LOOP, TICK, COMBINE) or (not full and name in builtins):
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
            functions: what its operators and calls do.
            inputs: the values of ``given`` and ``outside``.
            limit: how many iterations and expressions there may be.

        Returns:
            What it did; an exception of the function is noted in it.
        """
        counter = Counter(limit, table := functions.table)
        printed: list[Any] = []

        def loop(line: int, over: Iterable[Any]) -> Iterator[Any]:
            mixed = line in self._disordered
            return counter.each(line, self._disorder(line, over) if mixed else over)

        def combine(
            name: str, op: str, old: Any, term: Any, held: Any, part: str
        ) -> Any:
            dtype = held.element if type(held) is Cells else ""
            begins = self._collects(name, op) and is_neutral(op, old, dtype)
            if self._collects(part, op):
                exact = name in self._free or begins or is_whole(old)
                if exact and is_neutral(op, term, dtype):
                    return old
                term = table.uncast(op, term, dtype)
            whole = begins or is_whole(old)
            if name not in self._free and not (whole and adds_whole(op, old, term)):
                self.floats.add(name)
                return table.in_order(op, old, term)
            return table.combine(op, old, term, begins)

        def output(*values: object, **options: object) -> None:
            printed.append((list(values), options))

        names: dict[str, Any] = {
            "__builtins__": {**functions.builtins(), "print": output},
            LOOP: loop,
            TICK: counter.tick,
            COMBINE: combine,
        }
        # What is left is bound nowhere, or not yet: to read it raises NameError.
        given = {name: inputs[name] for name in self.outside if name in inputs}
        names |= {**given, **called(self._callees, functions)}
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
        ran = frozenset(counter.ran)
        return Outcome(result, error, line, counter.count, ran, names, printed)

    def _collects(self, name: str, op: str) -> bool:
        """Whether it holds parts that this operation combines."""
        return name in self.parts and self.parts[name].op == op

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


def _full(name: str, imports: Mapping[str, str]) -> str:
    """The full name of a (dotted) name."""
    head, dot, tail = name.partition(".")
    return imports.get(head, head) + dot + tail


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
