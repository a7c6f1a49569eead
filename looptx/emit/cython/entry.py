"""The entry of a nest: Python values in, checks, the call, Python values out.

A check that fails returns its reason, a text for the user: that costs the calls that
pass nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from looptx.emit.cython import reports
from looptx.emit.cython.layouts import Layouts
from looptx.emit.cython.memory import allocate, copies
from looptx.emit.cython.outside import outside
from looptx.emit.cython.text import HEADER, Cython, returned
from looptx.looptree.planned import Final
from looptx.looptree.text import format_cond, indent
from looptx.lower.checks import Early
from looptx.lower.intervals.overflow import TOO_LARGE, Overflow
from looptx.lower.kinds import Kind, fail
from looptx.lower.limits import SIZES
from looptx.lower.nest import Lowered, c_arguments
from looptx.lower.tree import Expr, View, either
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.literals import cast, literal
from looptx.lower.values.operators import choice
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import TRUE, And, Compare, Cond, Const, Or, variables
from looptx.model.program import Statement
from looptx.model.types import ArrayType

_BEYOND = f"{{}} is beyond 2**{SIZES.bit_length() - 1}"
_MOST_AXES = 8
"""What Cython's memoryviews have at most."""

_ERRORS = "(ArithmeticError, ValueError, NotImplementedError)"
_PYTHON = {"bool": "bool", "int64": "int", "float64": "float", "complex128": "complex"}


class Entry:
    """Writes the entry function of one nest.

    Args:
        lowered: the nest.
        cython: what writes it.
        other: the entry of the loops that check as they go.
    """

    def __init__(self, lowered: Lowered, cython: Cython, other: str = "") -> None:
        scope = self.scope = lowered.scope
        self.lowered = lowered
        self.cython = cython
        self.other = other
        self.nest = scope.planned.nest
        self.tagged = lowered.tagged
        self.results = lowered.results
        self.objects = {
            name: scope.names.fresh(f"{scope.names(name)}_")
            for name in self.nest.live_in
        }
        self.arrays = {
            name: kind
            for name in self.nest.live_in
            if isinstance(kind := scope.types[name], ArrayType)
        }
        self.layouts = Layouts(scope, self.arrays, cython)

    def text(self, name: str) -> str:
        """The function ``name`` that calls the nest after its checks."""
        given = ", ".join([*self.objects.values(), "int threads"])
        variables = c_arguments(self.scope)
        del variables["threads"]
        for buffer in self._temporaries():
            del variables[buffer]
        lines = self.cython.declare({**variables, **self.results})
        held = self._temporaries().items()
        lines += [f"cdef {self.cython.c_type(kind)} {n}" for n, kind in held]
        lines += self._types()
        lines += [f"if {self.cython.calling(reports.NAME)}():", _leave(reports.REASON)]
        lines += self._convert()
        lines += self._overflow()
        lines += self._checks()
        lines += [*allocate(self.scope, self.cython), *copies(self.scope, self.cython)]
        lines += [*self._run(), *self._return()]
        return "\n".join([HEADER[0], f"def {name}({given}):", *indent(lines)])

    def _text(self, expr: Expr) -> str:
        return self.cython.expression(expr)

    def _overflow(self) -> list[str]:
        computed, tests = Overflow(self.scope).tests()
        lines = [f"cdef double {n} = {self._text(e)}" for n, e in computed.items()]
        for test in tests:
            lines += [f"if {self._text(test)}:", f"    return {TOO_LARGE!r}"]
        return lines

    def _run(self) -> list[str]:
        worker = self.lowered.functions[-1]
        pointers = {*self.results}
        given = (f"&{n}" if n in pointers else n for n in worker.arguments)
        run = ["with nogil:", f"    {worker.name}({', '.join(given)})"]
        if not self.lowered.gives_up:
            return run
        leave = "return 'a float has no int that fits in 53 bits'"
        return ["try:", *indent(run), "except NotImplementedError:", f"    {leave}"]

    def _temporaries(self) -> dict[str, str | View]:
        arguments = c_arguments(self.scope)
        held = self.scope.buffers.items()
        names = (self.scope.names(name) for name, one in held if not one.local)
        return {name: arguments[name] for name in names}

    def _types(self) -> list[str]:
        """NotImplemented unless every argument has exactly its type."""
        tests = []
        for name, variable in self.objects.items():
            kind = self.scope.types[name]
            short = "bool_" if kind.dtype == "bool" else kind.dtype
            if not isinstance(kind, ArrayType):
                number = _PYTHON[kind.dtype] if kind.weak else f"lx_numpy.{short}"
                tests.append(f"type({variable}) is not {number}")
                continue
            if not kind.ndim:
                fail(f"the 0-dimensional array `{name}`")
            if kind.ndim > _MOST_AXES:
                fail(f"the {kind.ndim}-dimensional array `{name}`")
            tests.append(f"type({variable}) is not lx_numpy.ndarray")
            # Cython's own check takes bool for uint8, and crashes on some structures.
            tests.append(f"{variable}.dtype.type is not lx_numpy.{short}")
        lines = []
        for test in tests:
            lines += [f"if {test}:", "    return NotImplemented"]
        return lines

    def _convert(self) -> list[str]:
        """The values in C."""
        names, lines = self.scope.names, []
        if self.arrays:
            lines.append("try:")
            for name, kind in self.arrays.items():
                seen = '.view("uint8")' if kind.dtype == "bool" else ""
                lines.append(f"    {names(name)} = {self.objects[name]}{seen}")
            lines.append("except (TypeError, ValueError, BufferError):")
            lines.append("    return NotImplemented")
        unfit = "{} has no value that fits in 64 bits"
        values = [
            (names(name), self._number(name), _leave(unfit.format(name)))
            for name in self.objects
            if name not in self.arrays
        ]
        for text, variable in self.scope.computed.items():
            leave = _leave(unfit.format(text))
            values.append((variable, self._computed(text), leave))
        for variable, value, leave in values:
            lines += ["try:", f"    {variable} = {value}", f"except {_ERRORS}:", leave]
        return lines

    def _early(self) -> list[str]:
        """The values of operations that may raise, where Python may come to them."""
        lines = []
        for text, early in self.scope.checks.early.items():
            value = self._text(self._value(early))
            leave = self._decline(f"{text} raises an exception", early.sure)
            lines += [
                "try:",
                f"    {early.name} = {value}",
                f"except {_ERRORS}:",
                leave,
            ]
        return lines

    def _value(self, early: Early) -> Expr:
        if early.when == TRUE:
            return early.value
        runs = self.scope.condition(early.when)
        return choice(runs, early.value, cast(literal(0), early.value.kind.dtype))

    def _decline(self, reason: str, sure: bool) -> str:
        """The line that leaves a nest which may raise.

        Where it surely does, Python's own loops say so best.
        """
        if sure or not self.other:
            return _leave(reason)
        return (
            f"    return {self.other}({', '.join([*self.objects.values(), 'threads'])})"
        )

    def _number(self, name: str) -> str:
        """A number in C; as Cython converts complex ones, signs and infinities go."""
        variable = self.objects[name]
        kind = self.scope.kinds.get(name) or self.scope.types[name]
        if kind.dtype == "complex128":
            make = self.cython.calling("lx_complex")
            return f"{make}({variable}.real, {variable}.imag)"
        return variable

    def _computed(self, text: str) -> str:
        """An integer parameter that is an expression."""
        first = next(iter(self.nest.statements.values()))
        alone: Statement = replace(first, name="", loops=(), accesses=())
        node = ast.parse(text, mode="eval").body
        value = Expressions(self.scope, alone, {}).value(node)
        if value.kind.dtype not in INTEGERS:
            fail(
                f"`{text}` is used as an integer but is {value.kind.dtype}",
                self.nest.place,
            )
        return self._text(value)

    def _fails(self, cond: Cond) -> str:
        return self._text(self.scope.fails(cond))

    def _checks(self) -> list[str]:
        lines: list[str] = []
        for test, reason in self._integers():
            lines += [f"if {test}:", _leave(reason)]
        lines += outside(self.scope.planned.inside(), self._fails)
        for test, reason in (*self._conditions(), *self.layouts.tests()):
            lines += [f"if {test}:", _leave(reason)]
        # One pass over integer arrays that are known to be aligned by now.
        for name, variable in self.scope.checks.reaches.items():
            kind = self.cython.calling("lx_reach")
            lines.append(f"cdef {kind} {variable} = {self.layouts.reach(name)}")
        lines += self._early()
        for one in self.scope.checks.tests.values():
            wrong = self.scope.where(either(*one.wrong), one.when)
            lines += [
                f"if {self._text(wrong)}:",
                self._decline(one.reason, one.sure),
            ]
        return self.layouts.spans() + lines

    def _integers(self) -> Iterator[tuple[str, str]]:
        """Sizes so large that arithmetic could overflow; values that C rounds."""
        for name in self.nest.live_in:
            kind = self.scope.types[name]
            variable = self.scope.names(name)
            if name in self.nest.parameters:
                yield _too_large(variable), _BEYOND.format(name)
            held = self.scope.kinds.get(name)
            if (
                held is not None
                and held.dtype != kind.dtype
                and held.dtype != "complex128"
            ):
                value = self.objects[name]
                reason = f"{name} is no value of {held.dtype}"
                yield f"{value} != {variable} and {value} == {value}", reason
        for text, variable in self.scope.computed.items():
            yield _too_large(variable), _BEYOND.format(text)
        for name in sorted(self.scope.checks.sizes - set(self.nest.parameters)):
            if self.scope.is_integer(name):
                yield _too_large(self.scope.names(name)), _BEYOND.format(name)

    def _conditions(self) -> Iterator[tuple[str, str]]:
        planned = self.scope.planned
        for cond in planned.assumes:
            yield self._fails(cond), f"assume {format_cond(cond)} does not hold"
        empty = "{} gets no value in loops that run no iteration"
        for buffer in planned.buffers:
            for size in buffer.allocation.shape if buffer.allocation else ():
                if not (isinstance(size, Const) and size.value >= 0):
                    test = self._fails(Compare(">=", size, Const(0)))
                    yield test, f"{buffer.name} has a negative size"
        for final in planned.finals:
            if self._unset(final.var):
                yield self._fails(_runs(final)), empty.format(final.var)
        for name in self.nest.live_out:
            if self._unset(name) and name in self.nest.scalars:
                for cond in self._assigned(name):
                    yield self._fails(cond), empty.format(name)

    def _unset(self, name: str) -> bool:
        return name in self.nest.live_out and name not in self.nest.live_in

    def _assigned(self, name: str) -> list[Cond]:
        """Conditions under which an unbound scalar is definitely assigned."""
        known = set(self.nest.parameters)
        for statement in self.nest.statements.values():
            sure = any(
                access.array == name and access.write and access.certain
                for access in statement.accesses
            )
            loops = [self.nest.loops[loop] for loop in statement.loops]
            bounds = [bound for loop in loops for bound in (loop.start, loop.stop)]
            fixed = all(variables(bound) <= known for bound in bounds)
            if statement.guard == And(()) and sure and fixed:
                return [
                    Compare("<" if loop.step > 0 else ">", loop.start, loop.stop)
                    for loop in loops
                ]
        fail(
            f"`{name}` is used after the nest but may get no value in it",
            self.nest.place,
            hint=f"give `{name}` a value before the nest",
        )

    def _return(self) -> list[str]:
        finals = {final.var: final for final in self.scope.planned.finals}
        lines, parts = [], []
        for name in self.nest.live_out:
            kind = self.scope.kinds.get(name)
            if name in finals:
                lines += self._final(finals[name])
                parts.append(self._object(name))
            elif kind is None:
                fail(f"`{name}` is used after the nest", self.nest.place)
            elif name in self.tagged:
                lines += self._chosen(name)
                parts.append(self._object(name))
            else:
                parts.append(self._plain(name, kind))
        return [*lines, f"return ({''.join(f'{part}, ' for part in parts)})"]

    def _object(self, name: str) -> str:
        return self.scope.names(f"{name} result")

    def _start(self, name: str) -> list[str]:
        value = self.objects.get(name, "None")
        return [f"cdef object {self._object(name)} = {value}"]

    def _final(self, final: Final) -> list[str]:
        lines = self._start(final.var)
        word = "if"
        for cond, value in final.cases:
            lines.append(f"{word} {self._text(self.scope.condition(cond))}:")
            last = self._text(self.scope.integer(value))
            lines.append(f"    {self._object(final.var)} = {last}")
            word = "elif"
        return lines

    def _chosen(self, name: str) -> list[str]:
        lines = self._start(name)
        c_name = self.scope.names(f"{name} out")
        tag = self.scope.names(f"{name} type out")
        for number, kind in enumerate(self.tagged[name], 1):
            value = c_name
            if kind.dtype == "int64" and self.scope.kinds[name].dtype != "int64":
                value = f"<Py_ssize_t>{value}"
            lines.append(f"if {tag} == {number}:")
            lines.append(f"    {self._object(name)} = {returned(kind, value)}")
        return lines

    def _plain(self, name: str, kind: Kind) -> str:
        return returned(next(iter(kind.members)), self.scope.names(f"{name} out"))


def _leave(reason: str) -> str:
    """The line that hands the nest back to Python."""
    return f"    return {reason!a}"


def _too_large(variable: str) -> str:
    return f"not {-SIZES} < {variable} < {SIZES}"


def _runs(final: Final) -> Cond:
    """Whether the loop of a final value runs at all."""
    return Or(tuple(cond for cond, _ in final.cases))
