"""Runs cases with their module: ``python -m fuzz.native.child FOLDER``.

What is running is written to ``FOLDER/at`` first, for the case that this process dies.
``FOLDER/found`` is what ran natively, and the first difference of every case.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from fuzz.native.calls import Call
from fuzz.native.case import Case
from fuzz.native.fallbacks import NOTE, UNDESERVED, reason
from fuzz.native.judge import Wrong
from fuzz.values.left import FILLINGS, Left, Poisoned, left
from looptx.model.types import Type
from looptx.native import runtime
from looptx.native.call.dispatch import Dispatcher, Version
from looptx.native.compile import load
from looptx.native.compile.build import Built


@dataclass
class Found:
    """What became of some cases.

    Attributes:
        counts: of calls, of native runs of nests, and of fallbacks by reason.
        wrong: by the number of a case, what is found first.
        seeds: of the cases that fall back, by reason.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seeds: dict[str, set[int]] = field(default_factory=dict)
    wrong: dict[int, Wrong] = field(default_factory=dict)


class Runner:
    """Runs the cases of a module.

    Args:
        module: with the native functions. at: where to say what is running.
    """

    def __init__(self, module: ModuleType, at: Path) -> None:
        self.module = module
        self.at = os.open(at, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self.found = Found()

    def run(self, number: int, case: Case) -> None:
        """Make every call of a case."""
        counts = self.found.counts

        def counted(entry: Callable[..., Any]) -> Callable[..., Any]:
            def run(*values: Any) -> Any:
                try:
                    return entry(*values)
                except Exception:
                    counts["native, raising"] += 1
                    raise

            return run

        def specialise(nest: int, types: tuple[Type, ...]) -> Version:
            entry = getattr(self.module, case.compiled(nest, types))
            return Version(counted(entry), types, 0.0, "compiled", "")

        woven, dispatchers = case.woven(specialise)
        for call in case.calls:
            expected = self._expected(case, call)
            if expected is None:
                continue
            for threads in call.threads:
                os.pwrite(self.at, b"%9d %9d" % (number, call.number), 0)
                runtime._threads.limit = threads
                counts["calls"] += 1
                found = left(woven, call)
                if not call.exact:
                    found.exact()
                different = found.difference(expected)
                if different:
                    where = f"{call}; {threads} threads\n{different}"
                    wrong = Wrong("computes something else", call.number, where)
                    self.found.wrong.setdefault(number, wrong)
                self._count(case, dispatchers)
                for why in UNDESERVED:
                    if any(why in nest.fallbacks for nest in dispatchers):
                        wrong = Wrong("falls back", None, why)
                        self.found.wrong.setdefault(number, wrong)
                for nest in dispatchers:
                    nest.calls = 0
                    nest.fallbacks.clear()

    def _count(self, case: Case, dispatchers: Iterable[Dispatcher]) -> None:
        """Count how the nests of a case ran in one call.

        A nest in a loop that is Python counts once, however often it ran; one that only
        stands for another where that is Python does not count.
        """
        for nest in dispatchers:
            if nest.info.around >= 0 or nest.info.tried:
                continue
            self.found.counts["native"] += bool(nest.calls)
            for note in {NOTE + reason(why) for why in nest.fallbacks}:
                self.found.counts[note] += 1
                self.found.seeds.setdefault(note, set()).add(case.seed)

    def _expected(self, case: Case, call: Call) -> Left | None:
        """What CPython leaves behind; None where that is not defined."""
        expected = left(case.original(), call)
        if "np.empty" in case.text:
            for byte in FILLINGS:
                again = left(case.original(Poisoned(byte)), call)
                if not again.like(expected):
                    self.found.counts["calls: undefined"] += 1
                    return None
        if not call.exact and not expected.exact():
            self.found.counts["calls: inexact"] += 1
            return None
        return expected


def main(folder: Path) -> None:
    """Run the cases of a folder."""
    built: Built
    built, cases = pickle.loads((folder / "cases").read_bytes())
    runner = Runner(load.load(built.library, built.module), folder / "at")
    for number, case in enumerate(cases):
        runner.run(number, case)
    (folder / "found").write_bytes(pickle.dumps(runner.found))


if __name__ == "__main__":
    # Under its own name: what is pickled is to be read elsewhere.
    from fuzz.native import child as native_child

    native_child.main(Path(sys.argv[1]))
