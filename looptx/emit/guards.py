"""The entry of a nest: Python values in, checks, the call, Python values out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from looptx.emit.buffers import allocate
from looptx.emit.cells import allocation, copies_type
from looptx.emit.cexpr import Expressions
from looptx.emit.cloops import HEADER, declare, indent, returned, view
from looptx.emit.scope import Scope
from looptx.emit.types import c_element
from looptx.emit.values import Kind, fail, of
from looptx.looptree.planned import Final
from looptx.model.expr import And, Compare, Cond, Or, negate, variables
from looptx.model.program import Nest, Statement
from looptx.model.types import ArrayType, ScalarType

_LARGE = 1 << 40
_PYTHON = {"bool": "bool", "int64": "int", "float64": "float", "complex128": "complex"}


def c_arguments(scope: Scope) -> dict[str, str]:
    """What the worker gets from the entry: C name to C type, in order."""
    found: dict[str, str] = {}
    written = written_arrays(scope.planned.nest)
    for name in scope.planned.nest.live_in:
        kind = scope.types.get(name)
        if kind is None:
            fail(f"the type of `{name}` is not known")
        if isinstance(kind, ArrayType):
            found[scope.names(name)] = view(kind, written=name in written)
        else:
            found[scope.names(name)] = scope.kinds.get(name, of(kind)).c
    for text, variable in scope.computed.items():
        del text
        found[variable] = "Py_ssize_t"
    for name, held in scope.buffers.items():
        if not held.local:
            found[scope.names(name)] = view(held.kind, written=True)
    for array, copies in scope.copies.items():
        found[copies] = view(copies_type(scope, array), written=True)
    if scope.copies:
        found[scope.number] = "Py_ssize_t"
    found["threads"] = "int"
    return found


def written_arrays(nest: Nest) -> frozenset[str]:
    """The arrays the nest writes into."""
    return frozenset(
        access.array
        for statement in nest.statements.values()
        for access in statement.accesses
        if access.write and access.array in nest.arrays
    )


class Entry:
    """Writes the entry function of one nest.

    Args:
        scope: the nest.
        tagged: returned scalars with several possible types (see ``StatementPrinter``).
        results: C name and type of what the worker stores through pointers.
    """

    def __init__(
        self,
        scope: Scope,
        tagged: dict[str, tuple[ScalarType, ...]],
        results: dict[str, str],
    ) -> None:
        self.scope = scope
        self.nest = scope.planned.nest
        self.tagged = tagged
        self.results = results
        self.objects = {
            name: scope.names.fresh(f"{scope.names(name)}_")
            for name in self.nest.live_in
        }
        self.arrays = {
            name: kind
            for name in self.nest.live_in
            if isinstance(kind := scope.types[name], ArrayType)
        }

    def text(self, name: str, call: str) -> str:
        """The function ``name`` that makes ``call`` after its checks."""
        given = ", ".join([*self.objects.values(), "int threads"])
        variables = c_arguments(self.scope)
        del variables["threads"]
        for buffer in self._temporaries():
            del variables[buffer]
        lines = declare({**variables, **self.results})
        lines += [f"cdef {c_type} {n}" for n, c_type in self._temporaries().items()]
        lines += self._types()
        lines += self._convert()
        lines += self._checks()
        lines += self._allocate()
        lines += ["with nogil:", f"    {call}", *self._return()]
        return "\n".join([HEADER[0], f"def {name}({given}):", *indent(lines)])

    def _temporaries(self) -> dict[str, str]:
        arguments = c_arguments(self.scope)
        held = self.scope.buffers.items()
        names = (self.scope.names(name) for name, one in held if not one.local)
        return {name: arguments[name] for name in names}

    def _types(self) -> list[str]:
        """NotImplemented unless every argument has exactly its type."""
        tests = []
        for name, variable in self.objects.items():
            kind = self.scope.types[name]
            if isinstance(kind, ArrayType):
                if not kind.ndim:
                    fail(f"the 0-dimensional array `{name}`")
                expected = "lx_numpy.ndarray"
            elif kind.weak:
                expected = _PYTHON[kind.dtype]
            else:
                short = "bool_" if kind.dtype == "bool" else kind.dtype
                expected = f"lx_numpy.{short}"
            tests.append(f"type({variable}) is not {expected}")
            if isinstance(kind, ArrayType) and kind.dtype == "bool":
                tests.append(f'{variable}.dtype.char != "?"')
        lines = []
        for test in tests:
            lines += [f"if {test}:", "    return NotImplemented"]
        return lines

    def _convert(self) -> list[str]:
        """The values in C; a read-only output is left to Python's own error."""
        names, lines = self.scope.names, []
        if self.arrays:
            lines.append("try:")
            for name, kind in self.arrays.items():
                seen = '.view("uint8")' if kind.dtype == "bool" else ""
                lines.append(f"    {names(name)} = {self.objects[name]}{seen}")
            lines.append("except (TypeError, ValueError, BufferError):")
            written = sorted(written_arrays(self.nest) & set(self.arrays))
            if written:
                flags = " and ".join(
                    f"{self.objects[n]}.flags.writeable" for n in written
                )
                lines.append(f"    return NotImplemented if {flags} else None")
            else:
                lines.append("    return NotImplemented")
        values = []
        for name, variable in self.objects.items():
            if name not in self.arrays:
                values.append(f"{names(name)} = {variable}")
        for text, variable in self.scope.computed.items():
            values.append(f"{variable} = {self._computed(text)}")
        if values:
            lines += ["try:", *indent(values)]
            lines.append("except (OverflowError, ValueError, ZeroDivisionError):")
            lines.append("    return None")
        return lines

    def _computed(self, text: str) -> str:
        """An integer parameter that is an expression."""
        first = next(iter(self.nest.statements.values()))
        alone: Statement = replace(first, loops=(), accesses=())
        node = ast.parse(text, mode="eval").body
        value = Expressions(self.scope, alone, {}).value(node)
        if value.kind.dtype not in ("uint8", "int32", "int64"):
            fail(
                f"`{text}` is used as an integer but is {value.kind.dtype}",
                self.nest.place,
            )
        return value.text

    def _checks(self) -> list[str]:
        lines: list[str] = []
        for test in (*self._integers(), *self._conditions(), *self._memory()):
            lines += [f"if {test}:", "    return None"]
        spans = [
            f"cdef lx_box {self._box(name)} = lx_span(&{self._first(name)}, "
            f"{self._layout(name)}, {_alignment(kind)})"
            for name, kind in self.arrays.items()
        ]
        return spans + lines

    def _box(self, name: str) -> str:
        return f"{self.scope.names(name)}_box"

    def _first(self, name: str) -> str:
        zeros = ", ".join("0" * self.arrays[name].ndim)
        return f"{self.scope.names(name)}[{zeros}]"

    def _layout(self, name: str) -> str:
        array, kind = self.scope.names(name), self.arrays[name]
        size = f"sizeof({c_element(kind.dtype)})"
        return f"{array}.shape, {array}.strides, {kind.ndim}, {size}"

    def _integers(self) -> Iterator[str]:
        """Sizes so large that arithmetic could overflow; values that C rounds."""
        for name in self.nest.live_in:
            kind = self.scope.types[name]
            variable = self.scope.names(name)
            if name in self.nest.parameters:
                if not self.scope.is_integer(name):
                    fail(
                        f"`{name}` is used as an integer but is {kind}", self.nest.place
                    )
                yield f"not {-_LARGE} < {variable} < {_LARGE}"
            held = self.scope.kinds.get(name)
            if (
                held is not None
                and held.dtype != kind.dtype
                and held.dtype != "complex128"
            ):
                value = self.objects[name]
                yield f"{value} != {variable} and {value} == {value}"
        for variable in self.scope.computed.values():
            yield f"not {-_LARGE} < {variable} < {_LARGE}"

    def _conditions(self) -> Iterator[str]:
        planned = self.scope.planned
        conditions: list[Cond] = []
        for cond in (planned.in_bounds, *planned.assumes):
            conditions.extend(cond.args if isinstance(cond, And) else (cond,))
        conditions += [
            _runs(final) for final in planned.finals if self._unset(final.var)
        ]
        for name in self.nest.live_out:
            if self._unset(name) and name in self.nest.scalars:
                conditions.extend(self._assigned(name))
        for cond in conditions:
            opposite = negate(cond) if isinstance(cond, Compare) else None
            if opposite is not None:
                yield self.scope.condition(opposite)
            else:
                yield f"not ({self.scope.condition(cond)})"

    def _unset(self, name: str) -> bool:
        return name in self.nest.live_out and name not in self.nest.live_in

    def _assigned(self, name: str) -> list[Cond]:
        """When a scalar without a value before the nest surely gets one in it."""
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

    def _memory(self) -> Iterator[str]:
        """Unaligned arrays, overlapping arrays, a written array folded on itself."""
        written = written_arrays(self.nest)
        for name, kind in self.arrays.items():
            yield f"not {self._box(name)}.plain"
            if name in written and kind.layout == "A":
                yield f"lx_folded({self._layout(name)})"
        for one, two in combinations(self.arrays, 2):
            if {one, two} & written and frozenset((one, two)) not in self.nest.aliases:
                yield f"lx_meet({self._box(one)}, {self._box(two)})"

    def _allocate(self) -> list[str]:
        return allocate(self.scope) + allocation(self.scope)

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
        return f"{self.scope.names(name)}_result"

    def _start(self, name: str) -> list[str]:
        value = self.objects.get(name, "None")
        return [f"cdef object {self._object(name)} = {value}"]

    def _final(self, final: Final) -> list[str]:
        lines = self._start(final.var)
        word = "if"
        for cond, value in final.cases:
            lines.append(f"{word} {self.scope.condition(cond)}:")
            lines.append(
                f"    {self._object(final.var)} = {self.scope.int_text(value)}"
            )
            word = "elif"
        return lines

    def _chosen(self, name: str) -> list[str]:
        lines = self._start(name)
        c_name = f"{self.scope.names(name)}_out"
        tag = f"{self.scope.names(f'{name} type')}_out"
        for number, kind in enumerate(self.tagged[name], 1):
            value = c_name
            if kind.dtype == "int64" and self.scope.kinds[name].dtype != "int64":
                value = f"<Py_ssize_t>{value}"
            lines.append(f"if {tag} == {number}:")
            lines.append(f"    {self._object(name)} = {returned(kind, value)}")
        return lines

    def _plain(self, name: str, kind: Kind) -> str:
        return returned(next(iter(kind.members)), f"{self.scope.names(name)}_out")


def _runs(final: Final) -> Cond:
    """Whether the loop of a final value runs at all."""
    return Or(tuple(cond for cond, _ in final.cases))


def _alignment(kind: ArrayType) -> str:
    return (
        "sizeof(double)"
        if kind.dtype == "complex128"
        else f"sizeof({c_element(kind.dtype)})"
    )
