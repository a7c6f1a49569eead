"""``reassociate``: a reduction may be combined in another order."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from looptx.directives.base import Verb, dotted_names, join, make
from looptx.errors import Malformed, Refused
from looptx.language.grammar import Clause
from looptx.language.words import suggestion
from looptx.model.dtypes import DTYPES
from looptx.model.moves import Step
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule
from looptx.model.trees import brackets, dotted
from looptx.model.types import ArrayType, Type

_EXAMPLE = "a reduction is, for example, `s += x` or `s = max(s, x)`"


@dataclass(frozen=True)
class Reassociate(Verb):
    """Allow ``s += x`` to add in another order: the last bits of a float may change.

    syntax: ``reassociate TARGET...``
    rewrite: nothing moves; the proof lets reductions into the targets run in any order.
    """

    targets: tuple[str, ...]

    verb = "reassociate"
    usage = "reassociate TARGET..."
    asserts = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Reassociate:
        """Read the names of scalars or arrays."""
        targets = dotted_names(clause, cls, "a sum")
        return cls(targets, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``reassociate s``."""
        return join(self.verb, *self.targets)

    def each(self) -> tuple[Verb, ...]:
        """One for each target."""
        return tuple(replace(self, targets=(target,)) for target in self.targets)

    def change(self, schedule: Schedule) -> Schedule:
        """Record the targets. Raises LX104, LX110."""
        nest = schedule.nest
        found = [statement.reduction for statement in nest.statements.values()]
        sums = tuple(dict.fromkeys(red.target.array for red in found if red))
        for target in self.targets:
            if target not in sums:
                raise _no_sum(nest, target, sums)
        return replace(schedule, reassociate=schedule.reassociate.union(self.targets))

    def check_types(
        self,
        steps: Sequence[Step],
        final: Schedule,
        types: Mapping[str, Type],
        exact: frozenset[str],
        integers: frozenset[str],
    ) -> None:
        """See that cells hold what is combined: more than last bits would change.

        Args:
            steps, final, types, exact, integers: as in ``Verb``.

        Raises:
            LooptxError: LX212 for integers that fractions are combined with.
        """
        del steps, integers
        for statement in final.nest.statements.values():
            reduction = statement.reduction
            if reduction is None or reduction.op not in ("+", "*"):
                continue
            target = reduction.target.array
            if target not in {*self.targets} - exact:
                continue
            kind = types.get(target)
            # An element of a list is of the type of what is stored.
            whole = isinstance(kind, ArrayType) and not (
                kind.holders or DTYPES[kind.dtype].is_inexact
            )
            if whole and _has_fraction(reduction.operand, types):
                raise Refused(
                    "LX212",
                    f"each sum into `{target}` drops its fraction when it is stored",
                    detail=(
                        f"`{target}` is {kind}",
                        "Sums in another order drop others.",
                    ),
                    hint=f"make `{target}` an array of floats, or leave this out",
                )


def reassociate(*targets: str) -> Reassociate:
    """Allow the reductions into ``targets`` to be combined in another order."""
    return make(Reassociate, *targets)


def _has_fraction(value: ast.expr, types: Mapping[str, Type]) -> bool:
    """Whether an expression is known to give no integer."""
    match value:
        case ast.Constant(found):
            return isinstance(found, float | complex)
        case ast.BinOp(left, op, right):
            parts = _has_fraction(left, types), _has_fraction(right, types)
            return isinstance(op, ast.Div) or any(parts)
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return _has_fraction(operand, types)
        case ast.IfExp(_, then, other):
            return _has_fraction(then, types) or _has_fraction(other, types)
    kind = types.get(dotted(brackets(value)[0]))
    return kind is not None and DTYPES[kind.dtype].is_inexact


def _no_sum(nest: Nest, target: str, sums: Sequence[str]) -> Malformed:
    """The error for what is no target of a reduction. (LX104, LX110)

    Args:
        nest: the nest. target: its name. sums: those that are.
    """
    exists = target in (*nest.arrays, *nest.scalars)
    what = "is not reduced" if exists else "is not assigned"
    message, hint = _hidden(nest, target) or (
        f"`{target}` {what} in the nest",
        suggestion(target, sums, _EXAMPLE),
    )
    return Malformed(
        "LX110" if exists else "LX104",
        message,
        detail=(f"reductions: {', '.join(sums)}",) if sums else (),
        hint=hint,
    )


def _hidden(nest: Nest, target: str) -> tuple[str, str] | None:
    """Why what is assigned is no reduction in spite of its text, and what helps.

    It is a part of a statement that is kept whole.
    """
    for statement in nest.statements.values():
        if not statement.opaque or not _assigns(statement.code, target):
            continue
        (code,) = statement.code
        first = statement.place.line - code.lineno
        loops = (node for node in ast.walk(code) if isinstance(node, ast.For))
        lines = {first + node.lineno for node in loops if _assigns([node], target)}
        for kept in nest.text.kept:
            if kept.place.line in lines:
                where = f"the loop `{kept.var}` of line {kept.place.line}"
                why = f"which cannot be scheduled: {kept.reason}"
                return f"`{target}` is assigned in {where}, {why}", kept.hint
        if isinstance(code, ast.If) and len([*code.body, *code.orelse]) > 1:
            return (
                f"`{target}` is not alone under the `if` of line"
                f" {statement.place.line}, which is one statement with all it holds",
                f"give `{target}` an `if` of its own",
            )
    return None


def _assigns(code: Iterable[ast.stmt], target: str) -> bool:
    """Whether some code assigns a variable, or cells of an array."""
    return any(
        isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and dotted(brackets(node)[0]) == target
        for part in code
        for node in ast.walk(part)
    )
