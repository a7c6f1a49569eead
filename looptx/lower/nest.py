"""A planned nest lowered: its functions, and what their caller makes sure of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from looptx.errors import LooptxError, Unsupported
from looptx.looptree.planned import Planned
from looptx.looptree.walk import bound
from looptx.lower import tree
from looptx.lower.allocation import hold_arrays, hold_scalars
from looptx.lower.bindings.unset import perhaps
from looptx.lower.entry import Entry, entry_of
from looptx.lower.exceptions import Survey, survey
from looptx.lower.intervals.restarts import LEAVING, let_start_again
from looptx.lower.intervals.widths import check_widths
from looptx.lower.kinds import fail, of
from looptx.lower.known.carried import with_carried
from looptx.lower.known.flow import with_known
from looptx.lower.known.inside import with_inside
from looptx.lower.known.last import with_last
from looptx.lower.known.mirrored import with_mirrored
from looptx.lower.known.positions import without_positions
from looptx.lower.known.recent import with_recent
from looptx.lower.loops.cells import copies_type, register
from looptx.lower.loops.nodes import Loops
from looptx.lower.loops.pointers import Pointers
from looptx.lower.loops.statements import Frame, Statements
from looptx.lower.scalars.beside import with_rows_beside
from looptx.lower.scalars.branches import with_branches
from looptx.lower.scalars.estimates import with_estimates
from looptx.lower.scalars.groups import with_groups
from looptx.lower.scalars.infer import infer
from looptx.lower.scalars.selects import with_selects
from looptx.lower.scalars.short import with_short_loops
from looptx.lower.scalars.sooner import with_sooner
from looptx.lower.scalars.tags import tagged
from looptx.lower.scalars.unboxed import check_unboxed
from looptx.lower.scope import TYPE, Names, Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    Function,
    Stmt,
    View,
    called,
    number,
    used,
)
from looptx.lower.values.alternatives import code
from looptx.lower.values.literals import cast, literal
from looptx.lower.vectors.invariants import with_invariants
from looptx.lower.vectors.narrow import narrowed
from looptx.lower.vectors.strips import in_strips
from looptx.model.callees.expansion import TooLarge, inlined, meanings
from looptx.model.callees.structure import running
from looptx.model.dtypes import is_converted
from looptx.model.naming import DRAWN
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass, replace
from looptx.model.schedule import has_loops_of_source
from looptx.model.shapes import axis_of
from looptx.model.trees import dotted, identifiers
from looptx.model.types import ArrayType, ScalarType, Type

AS_WRITTEN = "_as_written"
"""What the name of a nest ends with that runs where the entry of another says no."""

DEFAULT_IMPORTS = {"np": "numpy", "numpy": "numpy", "math": "math"}


@dataclass(frozen=True, slots=True)
class Lowered:
    """A nest in C, for certain types.

    Attributes:
        scope: what its names mean.
        entry: what calls it.
        results: C name and C type of what it stores through pointers.
        functions: its functions; the last is called, pointers to results come last.
        scalar: where vector loops run one iteration after the other, why, and what
            helps.
    """

    scope: Scope
    entry: Entry
    results: Mapping[str, str]
    functions: tuple[Function, ...]
    scalar: tuple[tuple[int, str, str], ...] = ()

    @property
    def gives_up(self) -> bool:
        """Whether it may leave the nest to Python in the middle.

        Where others have a list that it fills it does so at exceptions, too: they see
        what Python's loops have appended by then.
        """
        return self.scope.planned.nest.escapes.shown or any(
            LEAVING & called(one.body) for one in self.functions
        )

    @property
    def running(self) -> int:
        """So many calls may run at once in loops that such functions have become."""
        statements = self.scope.planned.nest.statements.values()
        return max((running(x) for one in statements for x in one.code), default=0)


@dataclass(slots=True)
class Typed:
    """A nest, and what its names mean for certain types, which is found once.

    Attributes:
        planned: the proven nest.
        types: of every name in ``nest.live_in``.
        imports: what names of modules and functions mean (``Kernel.imports``).
    """

    planned: Planned
    types: Mapping[str, Type]
    imports: Mapping[str, str] | None = None
    _known: Scope | None = None

    @property
    def scope(self) -> Scope:
        """What its names mean in C, with nothing that its entry makes sure of.

        Raises:
            LooptxError: as ``lower``.
        """
        if self._known is None:
            imports = DEFAULT_IMPORTS if self.imports is None else self.imports
            self._known = _scope(self.planned, self.types, imports)
        always = self.planned.always
        return self._known.copy(replace(self._known.planned, always=always))

    def always(self, planned: Planned) -> Typed:
        """The same nest, where more is known of what always holds.

        Args:
            planned: with that.
        """
        return Typed(planned, self.types, self.imports, self._known)


def lower(
    typed: Typed,
    name: str,
    *,
    every: bool = False,
    vector: int = 16,
    registers: int = 16,
) -> Lowered:
    """The functions of one nest.

    Args:
        typed: the nest.
        name: the stem of the names of the functions.
        every: test on entry all that may raise and can be tested.
        vector, registers: as in ``Scope``.

    Raises:
        LooptxError: LX504 for what has no native equivalent, LX503 for a scalar without
            a type.
    """
    scope = typed.scope
    scope.vector, scope.registers = vector, registers
    survey(scope, every=every, hazards=False)
    return _lowered(scope, name)


def exceptions(typed: Typed, *, every: bool = True, hazards: bool = True) -> Survey:
    """What a nest may raise in the middle, with what its entry tests.

    Args:
        typed, every: as in ``lower``.
        hazards: whether what may raise is asked for; else it is conditions alone.

    Raises:
        LooptxError: as in ``lower``.
    """
    try:
        return survey(typed.scope, every=every, hazards=hazards)
    except LooptxError as error:
        raise error.at(typed.planned.nest.place) from None


def _scope(
    planned: Planned, types: Mapping[str, Type], imports: Mapping[str, str]
) -> Scope:
    check_effects(planned.nest)
    planned, imports = _inlined(planned, imports)
    nest = planned.nest
    taken = {*planned.schedule.taken, *nest.scalars}
    taken.update(loop.var for loop in nest.loops.values())
    taken.update(bound(planned.body), (one.name for one in planned.buffers))
    for name in nest.live_in:
        taken.update(name.split("."), [name.replace(".", "_")])
    trees: list[ast.AST] = [ast.parse(text) for text in nest.parameters]
    for statement in nest.statements.values():
        trees += statement.code
    taken = taken.union(*map(identifiers, trees))
    scope = Scope(planned, types, imports, Names(taken))
    for text in nest.parameters:
        if axis_of(text):
            scope.parameter(text)
        elif not text.replace(".", "").isidentifier():
            scope.computed[text] = scope.names.fresh("size")
        elif text in types and not scope.is_integer(text):
            fail(f"`{text}` is used as an integer but is {types[text]}")
        elif text in types and is_converted(types[text].dtype):
            # C must neither wrap it around nor compare it without its sign.
            scope.computed[text] = scope.names.fresh("size")
    hold_arrays(scope)
    infer(scope)
    check_unboxed(scope)
    hold_scalars(scope)
    let_start_again(scope)
    return scope


def _inlined(
    planned: Planned, imports: Mapping[str, str]
) -> tuple[Planned, Mapping[str, str]]:
    """A nest with what its calls compute in their place, and what names mean then."""
    try:
        nest = inlined(planned.nest)
    except TooLarge:
        fail("what its calls compute is too much to be written in their place")
    return replace(planned, nest=nest), {**imports, **meanings(nest)}


def check_effects(nest: Nest) -> None:
    """Nothing in a nest prints, or may use anything, but for a ``raise``.

    Raises:
        Unsupported: LX504.
    """
    for statement in nest.statements.values():
        if statement.effects and not statement.leaves:
            _check_callees(nest, statement)
            hint = "the loops run as Python; move it out of them to compile them"
            fail(statement.effects, statement.place, hint)


def _check_callees(nest: Nest, statement: Statement) -> None:
    """Nothing in a statement calls a function of the user that cannot be native.

    Raises:
        Unsupported: LX504.
    """
    for node in (x for line in statement.code for x in ast.walk(line)):
        name = dotted(node.func) if isinstance(node, ast.Call) else ""
        callee = nest.names.callees.get(name)
        if callee is not None and callee.refused and isinstance(node, ast.Call):
            at = statement.place
            where = callee.where or f"line {callee.place.line}"
            raise Unsupported(
                "LX504",
                f"not compiled natively: `{callee.name}` {callee.refused}",
                replace(at, line=node.lineno, column=node.col_offset + 1),
                detail=(f"that is in {where}; `{ast.unparse(node)}` calls it",),
                hint=callee.hint,
            )


def _arguments(scope: Scope) -> dict[str, str | View]:
    """What the worker gets from the entry: C name to C type, in order."""
    found: dict[str, str | View] = {}
    written = scope.planned.nest.written
    for name in scope.planned.nest.live_in:
        kind = scope.types.get(name)
        if kind is None:
            fail(f"the type of `{name}` is not known")
        if isinstance(kind, ArrayType):
            # What draws is given the words of the generator, and changes them.
            changed = name in written or name in DRAWN
            found[scope.names(name)] = View(kind, written=changed)
        else:
            found[scope.names(name)] = scope.kinds.get(name, of(kind)).c
    for name in scope.told_lists:
        tags = f"{name}{TYPE}"
        found[scope.names(tags)] = View(scope.array(tags))
    for variable in scope.computed.values():
        found[variable] = "Py_ssize_t"
    for early in scope.checks.early.values():
        found[early.name] = early.value.kind.c
    for name, held in scope.buffers.items():
        if not held.local:
            found[scope.names(name)] = View(held.kind)
    for array, copies in scope.copies.items():
        found[copies] = View(copies_type(scope, array))
    if scope.copies:
        found[scope.number] = "Py_ssize_t"
    found["threads"] = "int"
    return found


def _lowered(scope: Scope, name: str) -> Lowered:
    nest = scope.planned.nest
    lacking = perhaps(scope)
    types = tagged(scope) | lacking
    statements = Statements(scope, types)
    block = scope.planned.body
    check_widths(scope, block)
    register(scope, block)
    outside = _arguments(scope)
    scalars = {scope.names(n) for n in nest.scalars if n in nest.live_in}
    loops = Loops(scope, statements, name, outside)
    own = {n: c for n, c in outside.items() if isinstance(c, str) and n in scalars}
    frame = Frame(own)
    for scalar in sorted(types.intersection(nest.live_in, scope.kinds)):
        frame.declared[scope.tag(scalar).name] = "int"
    # A parallel loop of one iteration is no loop: its body stands here.
    body = loops.numbered(loops.block(block, frame), frame)
    finals = {final.var for final in scope.planned.finals}
    results: dict[str, str] = {}
    for scalar in nest.live_out:
        if scalar in finals or scalar not in scope.kinds:
            continue
        kinds = {scalar: scope.kinds[scalar].c}
        if scalar in types:
            kinds[f"{scalar} type"] = "int"
        for word, c_type in kinds.items():
            variable, out = scope.names(word), scope.names(f"{word} out")
            frame.declared.setdefault(variable, c_type)
            results[out] = c_type
            value = tree.variable(variable)
            place = Expr("local cell", value.kind, (number(0),), out)
            body.append(Assign(place, value))
    body[:0] = _begun(scope, (x for x in types if scope.tag(x).name in frame.declared))
    nothing = {x: cast(literal(0), scope.kinds[x].dtype) for x in sorted(lacking)}
    body[:0] = [Assign(scope.scalar(x), zero) for x, zero in nothing.items()]
    names = used(body)
    given = {
        name: c_type
        for name, c_type in outside.items()
        if name in names and (name in scalars or name not in frame.declared)
    }
    worker = Function(
        f"lx_{name}_run",
        given | {out: f"{c_type}*" for out, c_type in results.items()},
        {n: c for n, c in frame.declared.items() if n not in given},
        (*body,),
        loops.raises(body),
        comments=(*scope.planned.effects, *scope.planned.notes),
    )
    pointers = Pointers(scope, outside)
    found = (_simpler(scope, one) for one in (*loops.outlined, worker))
    functions = tuple(map(pointers.function, found))
    entry = entry_of(scope, outside, types, results)
    return Lowered(scope, entry, results, functions, tuple(loops.scalar))


def _simpler(scope: Scope, one: Function) -> Function:
    """A function with less to test, and its slow calls where they cost least."""
    one = with_mirrored(with_known(scope, one))
    as_written = one.name.removesuffix("_run").endswith(AS_WRITTEN)
    if not as_written:
        one = with_inside(scope, one)
    one = with_estimates(scope, with_invariants(scope, with_last(scope, one)))
    one = in_strips(scope, one)
    one = with_sooner(scope, without_positions(scope, one))
    one = with_branches(one)
    one = with_selects(scope, narrowed(scope, one))
    one = with_recent(with_carried(scope, one))
    if as_written:
        return one
    if has_loops_of_source(scope.planned.schedule):
        # Those of a schedule are as long as it says, but for the last ones.
        one = with_short_loops(scope, with_rows_beside(scope, one))
    return with_groups(scope, one)


def _begun(scope: Scope, scalars: Iterable[str]) -> list[Stmt]:
    """What tells which types scalars have where the nest begins."""
    lines: list[Stmt] = []
    for scalar in sorted(scalars):
        entering = scope.types.get(scalar)
        first = code(entering) if isinstance(entering, ScalarType) else 0
        lines.append(Assign(scope.tag(scalar), number(first)))
    return lines
