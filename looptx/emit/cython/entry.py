"""The entry of a nest: Python values in, checks, the call, Python values out.

A check that fails returns its reason, a text for the user: that costs the calls that
pass nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from looptx.emit.cython import arrays, reports
from looptx.emit.cython.functions import frames
from looptx.emit.cython.layouts import Layouts
from looptx.emit.cython.lists.given import Lists
from looptx.emit.cython.lists.made import array_of_list, listed
from looptx.emit.cython.memory import allocate, copies, keep, make, put_back, sized
from looptx.emit.cython.text import HEADER, Cython, pointed
from looptx.emit.cython.versions import chosen
from looptx.looptree.text import indent
from looptx.lower.entry import Result, Value
from looptx.lower.limits import MEASURED
from looptx.lower.nest import Lowered
from looptx.lower.preconditions import Check
from looptx.lower.tree import Expr, Given, Intrinsic, Measure, Pointer
from looptx.model.dtypes import DTYPES
from looptx.model.execution.leaving import RAISED
from looptx.model.schedule import in_source_order
from looptx.model.types import ArrayType

Versions = Sequence[tuple[type[Cython], Lowered]]
"""A nest, lowered for some targets."""

_ERRORS = "(ArithmeticError, ValueError, NotImplementedError)"


class Entry:
    """Writes the entry function of one nest.

    Args:
        lowered: the nest.
        cython: what writes it.
        other: the entry of the loops that check as they go.
        better: versions for processors that can do more, the best first.
    """

    def __init__(
        self,
        lowered: Lowered,
        cython: Cython,
        other: str = "",
        better: Versions = (),
    ) -> None:
        self.scope = lowered.scope
        self.entry = lowered.entry
        self.lowered = lowered
        self.cython = cython
        self.other = other
        self.versions = (*better, (type(cython), lowered))
        self.layouts = Layouts(self.scope, self.entry.arrays, cython)
        self.lists = Lists(self.scope, self.entry.objects, cython)

    def text(self, name: str) -> str:
        """The function ``name`` that calls the nest after its checks."""
        entry = self.entry
        noted = self.lists.noted(name)
        lines = self.cython.declare(entry.variables)
        lines += self.cython.declare(entry.memory)
        lines += [*self._types(), *self.lists.taken(), *self.lists.apart()]
        lines += [f"if {self.cython.calling(reports.NAME)}():", _leave(reports.REASON)]
        if calls := self.lowered.running:
            few = self.cython.calling(frames.NAME)
            lines += [f"if {few}({calls}):", _leave(frames.reason(calls))]
        lines += self._values(entry.values)
        lines += sized(self.scope, entry.made, self.cython)
        for variable, expr in entry.magnitudes.items():
            lines.append(f"cdef double {variable} = {self._text(expr)}")
        lines += [*self._tests(entry.limits), *self._checks()]
        lines += make(self.scope, entry.made, self.cython)
        lines += [*self.lists.tags(), *self.lists.kept()]
        lines += allocate(self.scope, self.cython)
        lines += copies(self.scope, entry.objects, self.cython)
        lines += [*self._keep(), *self._run(), *self._return()]
        # Positions alone: names would be the larger half of what C is made of.
        given = ", ".join([*entry.objects.values(), f"{self._count()}threads", "/"])
        whole = [*HEADER, f"def {name}({given}):", *indent(lines)]
        return "\n".join([*noted, *whole])

    def _count(self) -> str:
        """The type of the thread count, where it is used."""
        return "int " if Intrinsic("threads") in self.cython.calls else ""

    def _text(self, expr: Expr) -> str:
        return self.cython.expression(expr)

    def _run(self) -> list[str]:
        calls = [(target, self._call(one)) for target, one in self.versions]
        run = self.lists.run(["with nogil:", *indent(chosen(self.cython, calls))])
        stored = self.lists.back()
        if not self.lowered.gives_up and not stored:
            return [*run, *self.lists.ended()]
        run = ["try:", *indent(run)]
        if self.lowered.gives_up:
            back = indent(put_back(self._changed()))
            why = "except NotImplementedError as reason:"
            run += [why, *back, "    return str(reason)"]
            if self.scope.planned.nest.escapes.shown:
                run += ["except Exception:", *back, f"    return {RAISED!a}"]
        if stored:
            run += ["except:", *indent(stored), "    raise"]
        return [*run, *stored, *self.lists.ended()]

    def _keep(self) -> list[str]:
        """The lines that keep what is put back; some arrays have one number in all."""
        filled = self.scope.planned.nest.host.filled
        objects = self.entry.objects
        known = {
            objects[one.array]: one.value
            for one in filled
            # What the loops fill themselves is none of the entry's.
            if one.array in objects and one.intact and one.value.lstrip("-").isdecimal()
        }
        return keep(self._changed(), known)

    def _changed(self) -> dict[str, str]:
        """The arrays that a nest which gives up puts back, and what keeps them."""
        scope, objects = self.scope, self.entry.objects
        changed = sorted(scope.changed) if self.lowered.gives_up else ()
        return {
            objects[one]: scope.names(f"{one} before")
            for one in changed
            if not scope.holders(one)
        }

    def _call(self, lowered: Lowered) -> str:
        worker = lowered.functions[-1]
        given = (self._given(n, kind) for n, kind in worker.arguments.items())
        return f"{worker.name}({', '.join(given)})"

    def _given(self, name: str, kind: Given) -> str:
        """What the nest gets for an argument."""
        match kind:
            case Pointer(view):
                return f"<{pointed(view)}>{name}.data"
            case Measure(array, _, axis, step=False):
                return f"{array}.shape[{axis}]"
            case Measure(array, dtype, axis):
                return f"{array}.strides[{axis}] // {DTYPES[dtype].in_memory.size}"
        return f"&{name}" if name in self.lowered.results else name

    def _types(self) -> list[str]:
        """NotImplemented unless every argument has exactly its type."""
        tests = []
        for name, variable in self.entry.objects.items():
            kind = self.scope.types[name]
            row = DTYPES[kind.dtype]
            if self.scope.holders(name):
                continue
            if not isinstance(kind, ArrayType):
                python = "int" if row.is_integer else row.python
                number = python if kind.weak else self._numpy(row.name)
                tests.append(f"type({variable}) is not {number}")
                continue
            wanted = self._wanted(name, kind)
            taken = f"{self.cython.calling('lx_take')}(&{self.scope.names(name)}"
            tests.append(f"not {taken}, {variable}, {kind.ndim}, {wanted})")
        if not tests:
            return []
        # One condition: Cython writes a return in twenty lines of C.
        first, *more = tests
        either = [f"if ({first}", *(f"    or {test}" for test in more), "):"]
        untaken = self.cython.calling(arrays.UNTAKEN)
        return [*(either if more else [f"if {first}:"]), f"    return {untaken}()"]

    def _numpy(self, dtype: str) -> str:
        """NumPy's type of one value."""
        self.cython.calling(arrays.NUMPY)
        return self.cython.calling(arrays.scalar_type(dtype))

    def _wanted(self, name: str, kind: ArrayType) -> str:
        """NumPy's number of the type of an array's elements, and what its flags say."""
        flags = list(arrays.LAYOUTS[kind.layout])
        if name in self.scope.planned.nest.written:
            flags.append(arrays.WRITTEN)
        number = self.cython.calling(arrays.type_number(DTYPES[kind.dtype]))
        return f"{number}, {' | '.join(map(self.cython.calling, flags)) or '0'}"

    def _values(self, values: Sequence[Value]) -> list[str]:
        """What is computed where that does not raise."""
        lines = []
        types = self._given_types()
        for one in values:
            text, kind = self._text(one.expr), self.entry.variables.get(one.name)
            plain = one.expr.op == "name" and isinstance(kind, str)
            known = types.get(text) if plain else None
            if known is not None and (read := arrays.reader(known, str(kind))):
                lines.append(f"{one.name} = {self.cython.calling(read)}({text})")
                continue
            function = arrays.CONVERSIONS.get(str(kind)) if plain else None
            if function is not None:
                converted = f"{self.cython.calling(function)}({text}, &{one.name})"
                lines.append(f"if not {converted}:")
            else:
                lines += ["try:", f"    {one.name} = {text}", f"except {_ERRORS}:"]
            lines.append(self._decline(one.reason, one.sure))
        return lines

    def _given_types(self) -> dict[str, str]:
        """The types of NumPy's numbers, by the variables that hold them."""
        types = {held: self.scope.types[n] for n, held in self.entry.objects.items()}
        return {
            held: known.dtype
            for held, known in types.items()
            if not isinstance(known, ArrayType) and not known.weak
        }

    def _checks(self) -> list[str]:
        lines = [*self.layouts.spans(), *self._tests(self.entry.checks)]
        for test, reason in self.layouts.tests():
            lines += [f"if {test}:", _leave(reason)]
        # One pass over integer arrays that are known to be aligned by now.
        brief = self.other and in_source_order(self.scope.planned.schedule)
        for name, variable in self.scope.checks.reaches.items():
            if brief:
                lines.append(f"if {self.layouts.count(name)} > {MEASURED}:")
                lines.append(self._decline(f"{name} is long", False))
            kind = self.cython.calling("lx_reach")
            lines.append(f"cdef {kind} {variable} = {self.layouts.reach(name)}")
        lines += self._values(self.entry.early)
        return lines + self._tests(self.entry.operations)

    def _tests(self, checks: Sequence[Check]) -> list[str]:
        """The lines that leave the nest where a check fails."""
        lines = []
        for one in checks:
            lines.append(f"if {self._text(one.wrong)}:")
            lines += indent(self._tests(one.causes)) if one.causes else []
            lines.append(self._decline(one.reason, one.sure))
        return lines

    def _decline(self, reason: str, sure: bool) -> str:
        """The line that leaves a nest which may raise.

        Where it surely does, Python's own loops say so best.
        """
        if sure or not self.other:
            return _leave(reason)
        given = ", ".join([*self.entry.objects.values(), "threads"])
        return f"    return {self.other}({given})"

    def _return(self) -> list[str]:
        lines, parts = [], []
        for one in self.entry.results:
            if one.array:
                lines += array_of_list(self.scope, one, self.cython)
            elif one.parts:
                lines += listed(self.scope, one, self._object, self.cython)
            elif one.cases and one.held:
                lines += self._chosen(one)
            parts.append(one.held or self._object(one.cases[0][1]))
        return [*lines, f"return ({''.join(f'{part}, ' for part in parts)})"]

    def _chosen(self, one: Result) -> list[str]:
        before = self.entry.objects.get(one.name, "...")
        lines, word = [f"cdef object {one.held} = {before}"], "if"
        for cond, value in one.cases:
            lines.append(f"{word} {self._text(cond)}:")
            lines.append(f"    {one.held} = {self._object(value)}")
            word = "elif" if one.ordered else "if"
        return lines

    def _object(self, value: Expr) -> str:
        """A value as one of Python."""
        kind, text = next(iter(value.kind.members)), self._text(value)
        if not kind.weak:
            return self._made(kind.dtype, value)
        return f"bool({text})" if kind.dtype == "bool" else text

    def _made(self, dtype: str, value: Expr) -> str:
        """A value as one of NumPy's numbers; what holds it may hold others, too.

        Args:
            dtype: the type. value: what is known to be of it.
        """
        number, text = self._numpy(dtype), self._text(value)
        made, c = arrays.maker(dtype), DTYPES[dtype].c
        if not made:
            return f"{number}({text})"
        exact = value.op == "name" and self._held(value.name) == c
        given = text if exact else f"<{c}>({text})"
        return f"{self.cython.calling(made)}({number}, {given})"

    def _held(self, name: str) -> str:
        """The type of a variable of C."""
        return str(self.entry.variables.get(name, ""))


def _leave(reason: str) -> str:
    """The line that hands the nest back to Python."""
    return f"    return {reason!a}"
