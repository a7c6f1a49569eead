"""Translation validation: a kernel and its rewritten form, run and compared.

Every rewriting is checked by itself, whatever made it: both versions run on symbols at
small sizes, and every cell has to hold the same expression. It uses nothing of the
proof. (The idea: Pnueli, Siegel, Singerman, *Translation validation*, 1998.)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from looptx.looptree.planned import Planned
from looptx.model.records import replace
from looptx.parsers.unwarned import parsed
from looptx.validation import size_choice
from looptx.validation.code import Code, definitions
from looptx.validation.comparison import Difference, Pair, Skipped
from looptx.validation.hashes.integral import Unfit
from looptx.validation.hashes.large import ITERATIONS, Large
from looptx.validation.inputs.signature import signature
from looptx.validation.refusal import different, incomplete, refuse
from looptx.validation.result import Compared, Validation, listed
from looptx.validation.subject import Subject, around, constants
from looptx.validation.symbols.cells import Unrunnable

ENOUGH = 10_000
"""Iterations and expressions at all sizes together, when no sizes are asked for."""

HASHED = 60_000
"""Iterations on hashes at the sizes that this leaves out; a third at one of them."""

BUDGET = 50_000
"""The same where loops did not run by then, and hashes cannot take over."""

FIXED = 150_000
"""What a kernel may cost whose loops have the same extents at every call."""

PATIENCE = 20_000_000
"""Iterations and expressions at one choice of sizes that was asked for."""

DEFAULTS = ("float64", "int64", "complex128")
"""What elements of unknown type may be: operations that floats lack, such as `&`, are
those of integers, and an array of floats cannot hold what an array of complex gives."""


def validate(
    subject: Subject,
    wanted: Sequence[Mapping[str, object]] = (),
    *,
    strict: bool = False,
) -> Validation:
    """Compare a function with its rewritten form.

    Args:
        subject: the two.
        wanted: the sizes to compare at, each a choice of arguments and extents;
            without any, some are chosen.
        strict: refuse what has loops that never ran.

    Returns:
        What was compared, and what was not.

    Raises:
        LooptxError: LX208 where they differ, LX209 when they cannot be run or are not
            compared as ``strict`` wants it, LX103 and LX104 for ``wanted``.
    """
    result = _validated(subject, wanted)
    if strict and result.idle:
        raise incomplete(subject, result)
    return result


def _validated(subject: Subject, wanted: Sequence[Mapping[str, object]]) -> Validation:
    """The same for symbols of the first type that has what the function needs."""
    failed: Unrunnable | None = None
    for default in DEFAULTS:
        try:
            return _Validating(subject, default).run(wanted)
        except Unrunnable as error:
            failed = error if failed is None or default == "int64" else failed
            if not error.mismatch:
                break
    assert failed is not None
    refuse(subject, failed)


class _Validating:
    """One validation, unknown elements being of the type ``default``."""

    def __init__(self, subject: Subject, default: str) -> None:
        self.subject = subject
        kernel, module = subject.kernel, subject.module
        node = module.definition(kernel, whole=True)
        named = definitions(module.parsed.whole)
        same = [one for name, one in named if name == kernel.qualname]
        self.number = same.index(node)
        self.free = subject.reassociated()
        self.integral = subject.integral()
        order = self.free, self.integral
        before = Code(node, kernel.imports, *order, callees=kernel.callees)
        values = {**constants(module.parsed.whole), **subject.values}
        vouched = subject.independent()
        inputs = signature(before, subject.types, values, default, vouched)
        after = self._rewritten(subject.after)
        after.loops -= subject.spare()
        self.parallel = subject.parallel()
        lines = frozenset[int]().union(*self.parallel.values()) & after.loops
        other = self._rewritten(subject.after, lines) if lines else None
        known = around(module.parsed.whole, node) | subject.values.keys()
        strange = known.intersection(after.outside).difference(before.outside)
        self.pair = Pair(
            before,
            after,
            inputs,
            strange=strange,
            disordered=other,
            unseen=subject.unseen(),
        )
        self.compared: list[Compared] = []
        self.skipped: list[Skipped] = []

    def run(self, wanted: Sequence[Mapping[str, object]]) -> Validation:
        if wanted:
            for given in wanted:
                self._compare(*self._chosen(given), PATIENCE)
        else:
            self._explore()
        seen = any(one.cells for one in self.compared)
        if self.skipped and not (seen or wanted):
            reasons = dict.fromkeys(one.reason for one in self.skipped)
            raise Unrunnable(f"at every size, {next(iter(reasons))}")
        return self._result()

    def _explore(self) -> None:
        """Small sizes, then larger ones: until all loops ran, within the budget."""
        names = self.pair.inputs.shown()
        large = self._large()
        budget = BUDGET if large is None else ENOUGH
        spent = 0
        chance = bool(self.pair.inputs.indices.free or self.pair.disordered)
        for sizes in size_choice.first(list(names), chance):
            # One choice is all that a kernel without sizes has: it may cost more.
            limit = budget - spent if names else FIXED
            spent += self._compare(sizes, frozenset(), limit)
        around = size_choice.blocks(self.subject.planned, names)
        beside: list[Mapping[str, int]] = []
        for sizes in size_choice.further(list(names), around):
            if spent > ENOUGH and self.pair.after.loops <= self.pair.ran:
                break
            expected = self._expected(sizes)
            known = len(self.compared)
            if expected <= budget - spent:
                limit = min(budget - spent, 2 * expected + 2000)
                spent += self._compare(sizes, frozenset(), limit)
            if len(self.compared) == known:
                beside.append(sizes)
        # Only symbols tell what is an integer, and only by now.
        large = large and self._large()
        if large is not None:
            self._let_run(large, around)
            self._look_beside(large, beside)

    def _large(self) -> Large | None:
        """The two on hashes, if they can."""
        try:
            floats = self.pair.before.floats | self.pair.after.floats
            return Large(self.pair, self.free | (self.integral - floats))
        except Unfit:
            return None

    def _let_run(self, large: Large, around: size_choice.Blocks) -> None:
        """Compare at the large sizes that let loops run which did not so far."""
        while self.pair.after.loops - self.pair.ran:
            sizes = large.sizes(around)
            if sizes is None:
                break
            if not self._hashed(large, sizes, large.left):
                break

    def _look_beside(self, large: Large, left: Sequence[Mapping[str, int]]) -> None:
        """Compare at sizes that were too long for symbols, but are not for hashes."""
        end = min(large.used + HASHED, ITERATIONS // 2)
        shown = self.pair.inputs.shown()
        for sizes in left:
            named = {shown[name]: size for name, size in sizes.items()}
            if any(one.sizes == named for one in self.compared):
                continue
            most = min(HASHED // 3, end - large.used)
            if most > 0 and large.dry_run(sizes, most) is not None:
                self._hashed(large, sizes, most)

    def _hashed(self, large: Large, sizes: Mapping[str, int], most: int) -> bool:
        """Compare on hashes; whether that could be done.

        Raises:
            LooptxError: LX208.
        """
        outcome = large.compare(sizes, most)
        if isinstance(outcome, Compared):
            self.compared.append(outcome)
            rest = [one for one in self.skipped if one.sizes != outcome.sizes]
            self.skipped = rest
        elif outcome is None:
            # Only symbols tell what differs, and whether it does.
            self._compare(sizes, frozenset(), PATIENCE)
        return isinstance(outcome, Compared)

    def _expected(self, sizes: Mapping[str, int]) -> int:
        """What a run may cost: as much more as the product of the sizes is more.

        Of a single size it is a power, which the runs so far tell.
        """
        known = sorted((size_choice.work(one.sizes), one.cost) for one in self.compared)
        if not known:
            return size_choice.work(sizes)
        (early, low), (late, high) = known[len(known) // 2], known[-1]
        power = 1.0
        if len(sizes) == 1 and early < late and 0 < low < high:
            power = math.log(high / low) / math.log(late / early)
        return int(high * (size_choice.work(sizes) / late) ** min(max(power, 1.0), 3.0))

    def _compare(
        self, sizes: Mapping[str, int], given: frozenset[str], limit: int
    ) -> int:
        """Compare at one choice of sizes, in every way that inputs can be; the cost.

        Raises:
            LooptxError: LX208.
        """
        if not given:
            sizes = self.pair.inputs.roomy(sizes)
        cost = self._run(sizes, given, limit, repeat=False)
        if self.pair.inputs.indices.free and cost < limit:
            cost += self._run(sizes, given, 2 * cost + 2000, repeat=True)
        return cost

    def _run(
        self,
        sizes: Mapping[str, int],
        given: frozenset[str],
        limit: int,
        repeat: bool,
    ) -> int:
        seed = len(self.compared) + len(self.skipped)
        outcome = self.pair.compare(sizes, limit, given, seed, repeat)
        if isinstance(outcome, Difference):
            culprit = self._culprit(outcome)
            raise different(self.subject, self.pair, outcome, culprit)
        if isinstance(outcome, Skipped):
            self.skipped.append(outcome)
            return limit if outcome.costly else 0
        known = ((one.sizes, one.repeated) for one in self.compared)
        if (outcome.sizes, outcome.repeated) not in known:
            self.compared.append(outcome)
        return outcome.cost

    def _chosen(
        self, wanted: Mapping[str, object]
    ) -> tuple[dict[str, int], frozenset[str]]:
        """Sizes by their own names, and those that were given."""
        from looptx.validation.inputs.requested import chosen

        return chosen(self.pair.inputs, wanted)

    def _result(self) -> Validation:
        after = self.pair.after
        reassociated = sorted(self.free | self.integral)
        modulo = [f"the order of what `{name}` combines" for name in reassociated]
        return Validation(
            self.subject.kernel.qualname,
            tuple(self.compared),
            tuple((listed(one.sizes), one.reason) for one in self.skipped),
            tuple(modulo),
            tuple(sorted(after.loops - self.pair.ran)),
            len(after.loops),
            self.subject.trusted(),
            self.pair.inputs.indices.assumed,
            self._in_order(),
            self.subject.text,
        )

    def _in_order(self) -> tuple[str, ...]:
        """The parallel loops that never had iterations enough for another order."""
        other = self.pair.disordered
        mixed = other.mixed if other is not None else frozenset()
        return tuple(
            name
            for name, lines in self.parallel.items()
            if not lines or lines.isdisjoint(mixed)
        )

    def _rewritten(self, text: str, disordered: Collection[int] = ()) -> Code:
        """The function in a rewritten text, with some loops in another order."""
        kernel = self.subject.kernel
        found = [
            node for name, node in definitions(parsed(text)) if name == kernel.qualname
        ]
        order = self.free, self.integral, disordered, self.subject.parts()
        node = found[self.number]
        return Code(node, kernel.imports, *order, callees=kernel.callees)

    def _culprit(self, found: Difference) -> Planned:
        """The nest whose rewriting alone changes the result, or the first."""
        planned = self.subject.planned
        if len(planned) > 1 and not found.disordered:
            inputs = self.pair.inputs
            names = {shown: name for name, shown in inputs.shown().items()}
            sizes = {names[shown]: value for shown, value in found.sizes.items()}
            for each in planned:
                code = self._rewritten(self.subject.alone(each))
                pair = replace(self.pair, after=code, ran=set(), disordered=None)
                again = pair.compare(
                    sizes, PATIENCE, frozenset(sizes), found.seed, bool(found.repeated)
                )
                if isinstance(again, Difference):
                    return each
        return next((each for each in planned if each.schedule.trusted), planned[0])
