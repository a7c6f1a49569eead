"""The tier of tasks: nests with loops bound to workers, run as tasks in this process.

Functions are those of two other tiers, whose loops are bound to workers besides: the
moving tier's, with plain arrays, and the native tier's, with arrays that lie anyhow and
overlap. Tasks run as Python, on windows that hold nothing but what each needs, and for
so many workers that cells are cut out. Results and exceptions are those of the function
as written, bit by bit.
"""

from __future__ import annotations

import linecache
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from types import FunctionType
from typing import Any
from unittest import mock

import numpy as np

from fuzz.cluster.lazily import lazily
from fuzz.moving import judge
from fuzz.moving.directives import scheduled
from fuzz.moving.function import Moving
from fuzz.native import calls as native_calls
from fuzz.native.callees import defined
from fuzz.native.program import drawn
from fuzz.programs.dice import Dice
from fuzz.programs.model import Program
from fuzz.tiers.case import BROKEN, Verdict, transformed
from fuzz.tiers.smallest import smallest
from fuzz.tiers.tally import Tally
from fuzz.values.left import FILLINGS, Poisoned, left
from looptx.attach import assign
from looptx.cluster.call.lazily import LazySession
from looptx.cluster.call.remote import Remote
from looptx.cluster.runners.here import Here
from looptx.decorator import Kernel
from looptx.directives import parse
from looptx.errors import LooptxError, Place
from looptx.model.program import Directive
from looptx.model.schedule import bands
from looptx.native.call.dispatch import Dispatcher
from looptx.proof import schedules
from looptx.source.reader import read

SCHEDULES = 4
RUNS = 5
"""How many calls a function gets at most."""

LARGEST = 20
"""With larger sizes CPython runs tasks for too long."""


def part(work: tuple[int, int], as_found: bool = False) -> Tally:
    """Some cases in a row: the first and their number."""
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        one(seed, tally, as_found)
    return tally


def one(seed: int, tally: Tally, as_found: bool = False) -> None:
    """Count one case and what is wrong with it."""
    made = program(seed)
    if made is None:
        return
    found = examined(made, seed)
    tally.case(found.code)
    tally.notes.update(found.notes)
    if found.kind:
        tally.failures.append(smallest("cluster", made, seed, examined, as_found))


def program(seed: int) -> Moving | Program | None:
    """The program of a number; None where one trusts something.

    What is refused is left out, as far as that is soon found: directives of the
    program, and then those that bind loops.
    """
    number, schedule = divmod(seed // 2, SCHEDULES)
    made: Moving | Program | None
    if seed % 2 == 0:
        made = scheduled(number, schedule)
        plain = with_directives(made, ())
    else:
        made, plain = drawn(number, schedule), drawn(number, SCHEDULES)
    if made is None or plain is None:
        return None
    made = plain if transformed(made.text()).code else made
    dice = Dice(f"bind {seed}")
    if isinstance(made, Moving) and dice.chance(40):
        made = looked_at(made, dice)
    own = directives(made)
    more = bound(made.text(), dice)
    while more:
        found = with_directives(made, (*own, *more))
        if not transformed(found.text()).code:
            return found
        more.remove(dice.pick(*more))
    return made


def looked_at(made: Moving, dice: Dice) -> Moving:
    """The program with Python between its nests that looks at a whole array."""
    name = dice.pick(*made.arrays).name
    statement = dice.pick(
        f"{name}[...] = np.flip({name}).copy()",
        f"{name}[:1], kept = {name}[-1:].copy(), {name}[:]",
        f"if {name}.shape[0] > n:\n    {name}[...] = {name}.copy()[::-1]",
    )
    at = dice.pick(*range(len(made.nests) + 1))
    found = replace(made, nests=(*made.nests[:at], statement, *made.nests[at:]))
    return made if transformed(found.text()).code else found


def directives(made: Moving | Program) -> tuple[str, ...]:
    """Those that stand above the function."""
    return made.directives if isinstance(made, Moving) else made.functions[0].directives


def with_directives(made: Moving | Program, texts: tuple[str, ...]) -> Moving | Program:
    """The program with other directives above the function."""
    if isinstance(made, Moving):
        return replace(made, directives=texts)
    (function,) = made.functions
    return replace(made, functions=(replace(function, directives=texts),))


def bound(text: str, dice: Dice) -> list[str]:
    """Directives that bind loops to workers, as those of a function leave them."""
    more: list[str] = []
    try:
        (kernel,) = read(text, "f.py").kernels
        for nest, verbs in assign(kernel):
            schedule = schedules(nest, verbs, kernel.names)[-1]
            axes = iter(("worker.x", "worker.y"))
            for band in bands(schedule.tree):
                if dice.chance(60):
                    (verb,) = parse(Directive("bind i worker.x", Place("f.py", 1)))
                    name = verb.calls(schedule, band.dim, nest.name)
                    axis = next(axes, "")
                    if name and axis:
                        more.append(f"bind {name} {axis}")
    except (LooptxError, ValueError):
        return []
    return more


def examined(made: Moving | Program, seed: int) -> Verdict:
    """The verdict on a program; what raises is a failure too."""
    try:
        with quiet():
            return verdict(made, seed)
    except LooptxError as error:
        if error.code in BROKEN:
            return Verdict(error.code, f"error {error.code}", str(error))
        return Verdict(error.code)
    except Exception as error:
        return Verdict("", f"raises {type(error).__name__}", repr(error))


def verdict(made: Moving | Program, seed: int) -> Verdict:
    """What is wrong with what tasks make of a program.

    Raises:
        LooptxError: its directives are refused.
    """
    dice, notes = Dice(f"workers {seed}"), Counter[str]()
    compare = moving if isinstance(made, Moving) else native
    for call, raises, why, remote, runner in compare(made, seed, dice):
        failed = remote.failed
        if failed is not None and not raises and not isinstance(failed, LooptxError):
            why = why or f"a task raises {type(failed).__name__}: {failed}"
        if why:
            where = f"{runner.workers} workers, {runner.ahead} ahead"
            return Verdict("", "computes something else", f"{call}, {where}: {why}")
        session = remote.last
        notes.update(["lazily"] * isinstance(session, LazySession))
        if session is not None:
            notes.update(["ran as tasks"] * bool(session.graph.traffic.tasks > 1))
            notes.update(["cells cut out"] * bool(session.graph.traffic.cuts))
            notes.update(["nest by nest"] * (session.settled is not None))
            for reason in session.reasons:
                notes[f"here: {reason.partition(': ')[2][:60]}"] += 1
    return Verdict("", notes=tuple(notes))


Compared = tuple[Any, bool, str, Remote, Here]
"""A call, whether CPython raises there, what is different, and what ran it."""


def moving(made: Moving, seed: int, dice: Dice) -> Iterator[Compared]:
    """Calls of a function of the moving tier, some of them lazily as well."""
    later = Dice(f"lazily {seed}")
    exact = not any(text.startswith("reassociate ") for text in made.directives)
    scope: dict[str, Any] = {}
    remote = _remote(_function(made.text(), "f", scope))
    names = remote.__wrapped__.__code__.co_varnames
    for call in judge.calls(made, seed, RUNS):
        expected = judge.left(made.bare, call, 1)
        # What was never written may be anything.
        if expected.difference(judge.left(made.bare, call, 2), exact=True):
            continue
        runner = _runner(dice)
        _begin(remote, runner)
        scope["log"].clear()
        given = call.arrays()
        given = {name: given[name] for name in names if name in given}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results = remote(**given, n=call.n, m=call.m)
            except LooptxError:
                raise
            except Exception as error:
                found = judge.Left(given, (), [*scope["log"]], type(error).__name__)
            else:
                values = results if type(results) is tuple else (results,)
                found = judge.Left(given, values, [*scope["log"]])
        why = expected.difference(found, exact=exact)
        yield call, bool(expected.error), why, remote, runner
        if not later.chance(30):
            continue
        _begin(remote, runner)
        scope["log"].clear()
        given, chunk = call.arrays(), later.pick(3, 4, 7)
        given = {name: given[name] for name in names if name in given}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lazy = lazily(remote, given, chunk, scope["log"], n=call.n, m=call.m)
        if lazy is not None:
            why = expected.difference(lazy, exact=exact)
            if lazy.error != expected.error:
                why = f"raises {lazy.error or 'nothing'}, not {expected.error}"
            yield call, bool(expected.error), why, remote, runner


def native(made: Program, seed: int, dice: Dice) -> Iterator[Compared]:
    """Calls of a function of the native tier."""
    text = defined(made.text().removeprefix("import numpy as np\n\n\n"))
    name = made.functions[0].name
    first, second = (
        _function(text, name, {"np": Poisoned(byte)}) for byte in FILLINGS[:2]
    )
    remote = _remote(_function(text, name, {"np": np}))
    for call in islice(native_calls.calls(made, first, seed), RUNS):
        if max(size for _, size in call.sizes) > LARGEST:
            continue
        if call.unseen and any(one.of for one in call.arrays):
            # What nobody looks at is in an array that somebody does.
            continue
        expected = left(first, call)
        if not expected.like(left(second, call)):
            continue
        if not call.exact and not expected.exact():
            continue
        runner = _runner(dice)
        _begin(remote, runner)

        def called(**given: Any) -> Any:
            try:
                return remote(**given)
            except LooptxError as error:
                raise Refusal(error) from None

        try:
            found = left(called, call)
        except Refusal as refusal:
            raise refusal.args[0] from None
        if not call.exact:
            found.exact()
        raises = any(isinstance(x, tuple) and "Error" in x[0] for x in expected.results)
        yield call, raises, found.difference(expected), remote, runner


class Refusal(BaseException):
    """Carries an error of looptx past what takes exceptions for results."""


def _runner(dice: Dice) -> Here:
    return Here(dice.pick(1, 2, 3, 4), dice.pick(1, 3, 40))


def _function(text: str, name: str, scope: dict[str, Any]) -> FunctionType:
    """A function whose lines can be found."""
    filename = f"<cluster {hash(text)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    exec(compile(text, filename, "exec"), scope)
    found = scope[name]
    assert isinstance(found, FunctionType)
    return found


def _remote(function: FunctionType) -> Remote:
    """A kernel whose nests run as tasks, and as written where they cannot."""
    kernel: Kernel[..., Any] = Kernel(function, (), False)
    return Remote(function, kernel._ready, function)


def _begin(remote: Remote, runner: Here) -> None:
    """Let a runner have the next call, of which nothing is known yet."""
    remote.last, remote._runner = None, lambda: runner


@contextmanager
def quiet() -> Iterator[None]:
    """Tasks run as Python, and so do nests that run as none."""
    as_written: Callable[..., None] = lambda *_: None  # noqa: E731
    with (
        mock.patch.dict(os.environ, {"LOOPTX_DISABLE": "1"}),
        mock.patch.object(Dispatcher, "__call__", as_written),
        mock.patch("looptx.hints.suggest", lambda *_: ""),
    ):
        yield
