"""Translation validation: a kernel and its rewritten form, run and compared.

Every rewriting is checked by itself, whatever made it: both versions run on symbols at
small sizes, and every cell has to hold the same expression. It uses nothing of the
proof. (The idea: Pnueli, Siegel, Singerman, *Translation validation*, 1998.)
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from looptx import rewriting
from looptx.errors import LooptxError, Place, Refused, Unproven
from looptx.looptree.planned import Planned
from looptx.model.exact import integer_targets
from looptx.model.program import Kernel
from looptx.model.types import Type
from looptx.source import Module, rewrite
from looptx.validation import sizes as choice
from looptx.validation.code import Code, definitions
from looptx.validation.functions import Unrunnable
from looptx.validation.inputs import signature
from looptx.validation.result import Compared, Validation, listed
from looptx.validation.runs import Difference, Pair, Skipped, named
from looptx.validation.shown import parted, short

DIFFERENT = "LX208"
UNRUNNABLE = "LX209"

BUDGET = 50_000
"""Iterations and expressions at all sizes together, when no sizes are asked for."""

ENOUGH = 20_000
"""What is spent of it when all loops of the rewritten function have run."""

FIXED = 150_000
"""What a kernel may cost whose loops have the same extents at every call."""

PATIENCE = 20_000_000
"""Iterations and expressions at one choice of sizes that was asked for."""


@dataclass(frozen=True)
class Subject:
    """A kernel and what became of it.

    Attributes:
        module: the source. kernel: one of its functions. planned: its nests.
        after: the text of the module with the nests rewritten.
        types: what is known of the kernel's names. values: of numbers around it.
    """

    module: Module
    kernel: Kernel
    planned: Sequence[Planned]
    after: str
    types: Mapping[str, Type] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)

    def alone(self, planned: Planned) -> str:
        """The text of the module with one of the nests rewritten."""
        edits = rewriting.edits(self.module, [(self.kernel, [planned])])
        return rewrite(self.module, list(edits))

    def unordered(self) -> frozenset[str]:
        """Whose reductions may combine in any order."""
        allowed = frozenset[str]().union(
            *(p.schedule.reassociate for p in self.planned)
        )
        return allowed.union(
            *(integer_targets(p.nest, self.types) for p in self.planned)
        )


def validate(
    subject: Subject, wanted: Sequence[Mapping[str, object]] = ()
) -> Validation:
    """Compare a function with its rewritten form.

    Args:
        subject: the two.
        wanted: the sizes to compare at, each a choice of arguments and extents;
            without any, some are chosen.

    Raises:
        LooptxError: LX208 where they differ, LX209 when they cannot be run, LX103 and
            LX104 for ``wanted``.
    """
    try:
        return _Validating(subject, "float64").run(wanted)
    except Unrunnable as error:
        if not error.mismatch:
            _refuse(subject, error)
    try:
        # Operations that floats lack, such as `&`, are those of integers.
        return _Validating(subject, "int64").run(wanted)
    except Unrunnable as error:
        _refuse(subject, error)


class _Validating:
    """One validation, unknown elements being of the type ``default``."""

    def __init__(self, subject: Subject, default: str) -> None:
        self.subject = subject
        kernel, module = subject.kernel, subject.module
        known = list(definitions(module.parsed.tree))
        node = module.definition(kernel)
        same = [one for name, one in known if name == kernel.qualname]
        self.number = same.index(node)
        self.free = subject.unordered()
        before = Code(node, kernel.imports, self.free)
        values = {**_constants(module.parsed.tree), **subject.values}
        inputs = signature(before, subject.types, values, default)
        self.pair = Pair(before, self._rewritten(subject.after), inputs)
        self.compared: list[Compared] = []
        self.skipped: list[Skipped] = []

    def run(self, wanted: Sequence[Mapping[str, object]]) -> Validation:
        if wanted:
            for given in wanted:
                self._compare(*self._chosen(given), PATIENCE)
        else:
            self._explore()
        if not (self.compared or wanted):
            reasons = dict.fromkeys(one.reason for one in self.skipped)
            raise Unrunnable(f"at every size, {next(iter(reasons))}")
        return self._result()

    def _explore(self) -> None:
        """Small sizes, then larger ones: until all loops ran, within the budget."""
        names = self.pair.inputs.shown()
        left = BUDGET
        for sizes in choice.first(list(names)):
            # One choice is all that a kernel without sizes has: it may cost more.
            limit = left if names else FIXED
            left -= self._compare(sizes, frozenset(), limit)
        around = choice.blocks(self.subject.planned, names)
        for sizes in choice.further(list(names), around):
            if left < BUDGET - ENOUGH and self.pair.after.loops <= self.pair.ran:
                break
            expected = self._expected(sizes)
            if expected <= left:
                limit = min(left, 2 * expected + 2000)
                left -= self._compare(sizes, frozenset(), limit)

    def _expected(self, sizes: Mapping[str, int]) -> int:
        """What a run may cost: as much more as the product of the sizes is more.

        Of a single size it is a power, which the runs so far tell.
        """
        known = sorted((choice.work(one.sizes), one.cost) for one in self.compared)
        if not known:
            return choice.work(sizes)
        (early, low), (late, high) = known[len(known) // 2], known[-1]
        power = 1.0
        if len(sizes) == 1 and early < late and 0 < low < high:
            power = math.log(high / low) / math.log(late / early)
        return int(high * (choice.work(sizes) / late) ** min(max(power, 1.0), 3.0))

    def _compare(
        self, sizes: Mapping[str, int], given: frozenset[str], limit: int
    ) -> int:
        """Compare at one choice of sizes; what it cost.

        Raises:
            LooptxError: LX208.
        """
        seed = len(self.compared) + len(self.skipped)
        outcome = self.pair.compare(sizes, limit, given, seed)
        if isinstance(outcome, Difference):
            raise self._different(outcome)
        if isinstance(outcome, Skipped):
            self.skipped.append(outcome)
            return limit if outcome.costly else 0
        if any(one.sizes == outcome.sizes for one in self.compared):
            return outcome.cost
        self.compared.append(outcome)
        return outcome.cost

    def _chosen(
        self, wanted: Mapping[str, object]
    ) -> tuple[dict[str, int], frozenset[str]]:
        """Sizes by their own names, and those that were given."""
        from looptx.validation.wanted import chosen

        return chosen(self.pair.inputs, wanted)

    def _result(self) -> Validation:
        after = self.pair.after
        reassociated = sorted(self.free)
        modulo = [f"the order of what `{name}` combines" for name in reassociated]
        return Validation(
            self.subject.kernel.qualname,
            tuple(self.compared),
            tuple((listed(one.sizes), one.reason) for one in self.skipped),
            tuple(modulo),
            tuple(sorted(after.loops - self.pair.ran)),
            len(after.loops),
            tuple(t for each in self.subject.planned for t in each.trusted),
        )

    def _rewritten(self, text: str) -> Code:
        """The function in a rewritten text."""
        kernel = self.subject.kernel
        found = [
            node
            for name, node in definitions(ast.parse(text))
            if name == kernel.qualname
        ]
        return Code(found[self.number], kernel.imports, self.free)

    def _different(self, found: Difference) -> LooptxError:
        planned = self._culprit(found)
        subject = self.subject
        where = f"at {listed(found.sizes)}:" if found.sizes else "Here"
        if found.raised is not None:
            raised = named(found.raised)
            detail = [
                f"{where} the rewritten loops raise {raised},",
                "the source does not.",
            ]
        else:
            detail = [
                f"{where} {found.where} is {short(found.before)}",
                f"in the source, and {short(found.after)}",
                "in the rewritten loops.",
            ]
            one, two = parted(found.before, found.after)
            if one is not found.before:
                detail.append(f"Inside, {short(one)} became {short(two)}.")
        trusted = planned.trusted
        verbs = " | ".join(planned.schedule.applied)
        place, source = self._place(planned)
        if trusted:
            hint = f"`{trusted[0]}` vouches for what does not hold: remove it"
        else:
            hint = "this is a defect of looptx: please report it, with the file"
        return Refused(
            DIFFERENT,
            f"the rewritten loops of {subject.kernel.qualname} compute something else: "
            f"{verbs or planned.nest.name}",
            place,
            detail=tuple(detail),
            hint=hint,
            source=source,
        )

    def _culprit(self, found: Difference) -> Planned:
        """The nest whose rewriting alone makes a difference, or the first."""
        planned = self.subject.planned
        if len(planned) > 1:
            inputs = self.pair.inputs
            names = {shown: name for name, shown in inputs.shown().items()}
            sizes = {names[shown]: value for shown, value in found.sizes.items()}
            for each in planned:
                code = self._rewritten(self.subject.alone(each))
                pair = replace(self.pair, after=code, ran=set())
                again = pair.compare(sizes, PATIENCE, frozenset(sizes), found.seed)
                if isinstance(again, Difference):
                    return each
        return next((each for each in planned if each.trusted), planned[0])

    def _place(self, planned: Planned) -> tuple[Place, str]:
        """The directive that was trusted, or else the nest."""
        nest = planned.nest
        given = (*self.subject.kernel.directives, *nest.directives)
        for directive in given:
            if planned.trusted and "trust" in directive.text:
                return directive.place, directive.source
        place = nest.place
        return place, self.subject.module.parsed.line(place.line)


def _constants(tree: ast.Module) -> dict[str, object]:
    """The names of a module that are bound once, to a literal."""
    found: dict[str, object] = {}
    again: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                ast.Name(name), value=value
            ):
                again |= {name} & found.keys()
                if isinstance(value, ast.Constant):
                    found[name] = value.value
    return {name: value for name, value in found.items() if name not in again}


def _refuse(subject: Subject, error: Unrunnable) -> NoReturn:
    """The refusal of a function that symbols cannot run through. Errors: LX209."""
    kernel, parsed = subject.kernel, subject.module.parsed
    place = kernel.place
    if error.line:
        line = parsed.line(error.line)
        column = len(line) - len(line.lstrip()) + 1
        place = Place(subject.module.filename, error.line, column)
    raise Unproven(
        UNRUNNABLE,
        f"not validated: {kernel.qualname} cannot be run on symbols",
        place,
        detail=(str(error),),
        hint="`looptx explain LX209` says what can be run",
        source=parsed.line(place.line),
    )
