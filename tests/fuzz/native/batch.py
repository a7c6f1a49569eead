"""Many cases in one module, run in a process that may die of it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from kit import kept

from fuzz.native.case import Case
from fuzz.native.child import Found
from fuzz.native.judge import Wrong, raised
from looptx.emit.cython import module_text
from looptx.native.compile import build

MODULE = "fuzzed"
TIMEOUT = 300
SHOWN = 3000
"""How much of a process's last words is shown, and of its first."""

PERTURBED = "90"
"""What the C library fills memory with that somebody else had before."""


@dataclass
class Outcome:
    """What became of a batch.

    Attributes:
        counts: as in ``Found``. seeds: also.
        wrong: by seed what is wrong.
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, Wrong] = field(default_factory=dict)
    seeds: dict[str, set[int]] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        """Everything of another one."""
        self.counts.update(other.counts)
        self.wrong |= other.wrong
        for note, seeds in other.seeds.items():
            self.seeds[note] = self.seeds.get(note, set()) | seeds


def run(cases: Sequence[Case], flags: Sequence[str] = ()) -> Outcome:
    """Compile cases and run them; whatever goes wrong is put down to a case.

    Args:
        cases: with seeds of their own.
        flags: more of the C compiler's, behind its usual ones.
    """
    wrong = {one.seed: one.wrong for one in cases if one.wrong is not None}
    if wrong:
        outcome = run([one for one in cases if one.wrong is None], flags)
        outcome.add(Outcome(wrong=wrong))
        return outcome
    if not any(case.functions for case in cases):
        return Outcome()
    with tempfile.TemporaryDirectory(prefix="looptx-fuzz-") as name:
        folder = Path(name)
        try:
            built = compiled(cases, folder, flags)
        except Exception as error:
            if len(cases) > 1:
                return _halves(cases, flags)
            wrong = {cases[0].seed: replace(raised(error), kind="no module")}
            return Outcome(wrong=wrong)
        return _run(cases, built, folder)


def _halves(cases: Sequence[Case], flags: Sequence[str]) -> Outcome:
    """The batch in two."""
    middle = len(cases) // 2
    found = run(cases[:middle], flags)
    found.add(run(cases[middle:], flags))
    return found


def compiled(cases: Sequence[Case], folder: Path, flags: Sequence[str]) -> build.Built:
    """The module of some cases, as users get it but for the flags.

    Raises:
        BuildFailed: it does not compile.
    """
    text = module_text([text for case in cases for text in case.functions.values()])
    return kept.built(text, MODULE, folder, openmp=True, flags=flags)


def _run(cases: Sequence[Case], built: build.Built, folder: Path) -> Outcome:
    """Run cases; what kills their process is looked for among them."""
    found = child(cases, built, folder)
    if isinstance(found, Found):
        return _outcome(cases, found)
    number, call, said = found
    before = cases[: number + 1]
    alone = child(before[-1:], built, folder)
    if isinstance(alone, Found):
        # Then an earlier one has done harm: the last from which on it still dies.
        low, high = 0, number
        while low + 1 < high:
            middle = (low + high) // 2
            again = child(before[middle:], built, folder)
            low, high = (low, middle) if isinstance(again, Found) else (middle, high)
        number, call = low, None
        said = f"{said}\nafter this case, in {cases[high].seed}"
    outcome = Outcome(wrong={cases[number].seed: Wrong("dies", call, said)})
    rest = [*cases[:number], *cases[number + 1 :]]
    if rest:
        outcome.add(_run(rest, built, folder))
    return outcome


def _outcome(cases: Sequence[Case], found: Found) -> Outcome:
    wrong = {cases[number].seed: one for number, one in found.wrong.items()}
    return Outcome(found.counts, wrong, found.seeds)


def child(
    cases: Sequence[Case],
    built: build.Built,
    folder: Path,
    python: str = sys.executable,
    own: Mapping[str, str] = MappingProxyType({}),
) -> Found | tuple[int, int | None, str]:
    """What a process of its own makes of cases, or where and how it died.

    Args:
        cases: the cases. built: their module. folder: for what is said to and fro.
        python: the interpreter. own: what its environment has besides.
    """
    (folder / "cases").write_bytes(pickle.dumps((built, cases)))
    at = folder / "at"
    at.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONFAULTHANDLER": "1",
        "LOOPTX_ALWAYS_PARALLEL": "1",
        "MALLOC_PERTURB_": PERTURBED,
        **own,
    }
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    command = [python, "-m", "fuzz.native.child", str(folder)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        status, said = f"is not done after {TIMEOUT} s", ""
    else:
        if done.returncode == 0:
            found = pickle.loads((folder / "found").read_bytes())
            assert isinstance(found, Found)
            return found
        status, said = f"exit status {done.returncode}", done.stderr
        if len(said) > 2 * SHOWN:
            said = f"{said[:SHOWN]}\n...\n{said[-SHOWN:]}"
    if not at.exists():
        raise RuntimeError(f"no case ran: {status}\n{said}")
    places = at.read_text("utf-8").split()
    number, call = map(int, places or (0, 0))
    return number, call, f"{status}\n{said}"
