"""Nothing that happens while isl calls back may harm it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import islpy as isl
import numpy as np
import pytest

from looptx.cli.text import transform_text
from looptx.poly.budget import Exceeded, budget
from looptx.poly.codegen import verify_ast
from looptx.poly.codegen.verify_ast import Incomplete, check
from looptx.poly.spaces import Spaces
from looptx.source import read

PROGRAM = """\
import signal
from looptx.cli.text import transform_text
from looptx.poly.codegen import astloops

TEXT = '''
def f(A, n, m):
    # looptx: tile i=2 j=3 | reorder i j ii jj
    for i in range(n):
        for j in range(m):
            A[i, j] += 1.0
'''


def raised(self, name, build):
    raise KeyError(name)


def interrupted(self, name, build):
    signal.raise_signal(signal.SIGINT)


def recursive(self, name, build):
    disturbed(self, name, build)


def exceeded(self, name, build):
    build.get_schedule().get_ctx().set_max_operations(1)


def disturbed(self, name, build):
    global calls
    calls += 1
    fault(self, name, build)
    return original(self, name, build)


original = astloops.Loops._values
astloops.Loops._values = disturbed
for fault in (raised, interrupted, recursive, exceeded):
    calls, ends = 0, set()
    for _ in range(9):
        try:
            ends.add(not transform_text(TEXT, "f.py").errors)
        except (Exception, KeyboardInterrupt) as error:
            ends.add(type(error).__name__)
    assert calls >= 9, calls
    assert ("KeyboardInterrupt" in ends) == (fault is interrupted), ends
    print(fault.__name__, flush=True)
"""


def test_faults_in_a_callback_end_cleanly() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.split() == ["raised", "interrupted", "recursive", "exceeded"]


STEP = """
def f(x, n):
    # looptx: nest one
    for i in range(n):
        x[i] = 1
"""


MORE = ["i != 3", "i < 4", "i mod 2 = 0", "p0 mod 2 = 0", "p0 mod 3 = 1", "p0 != 5"]


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("long", [True, False])
def test_loops_that_run_something_else_are_noticed(
    more: str, lost: bool, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if long:
        monkeypatch.setattr(verify_ast, "_complete", _too_long_for_all_sizes)
    (kernel,) = read(STEP, "f.py").kernels
    with budget():
        spaces = Spaces(kernel.nests[0])
        every, some = _tree(spaces, "true"), _tree(spaces, more)
        asked, given = (every, some) if lost else (some, every)
        ast = isl.AstBuild.from_context(spaces.context).node_from_schedule(given)
        with pytest.raises(Incomplete):
            check(ast, asked, spaces)
        check(ast, given, spaces)


def test_a_call_that_runs_an_instance_twice_is_noticed() -> None:
    once = isl.Map("[n] -> { [i, k] -> s0[i] : 0 <= i < n and k = 0 }")
    twice = isl.Map("[n] -> { [i, k] -> s0[i] : 0 <= i < n and 0 <= k <= 1 }")
    wanted, context = isl.Set("[n] -> { s0[i] : 0 <= i < n }"), isl.Set("[n] -> { : }")
    assert verify_ast._complete([once], [wanted], context)
    assert not verify_ast._complete([twice], [wanted], context)
    assert not verify_ast._complete([once, once], [wanted], context)


COLLAPSED = """\
def f(A, n, m):
    # looptx: collapse i j | split ij 4
    for i in range(n):
        for j in range(m):
            A[i, j] = 1.0
"""


def test_collapsed_loops_are_compared_at_some_sizes_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The number of their iterations is a parameter that the nest does not have."""
    compared: list[isl.Set] = []

    def noted(
        runs: Sequence[isl.Map], wanted: Sequence[isl.Set], context: isl.Set
    ) -> bool:
        found = _too_long_for_all_sizes(runs, wanted, context)
        compared.append(context)
        return found

    monkeypatch.setattr(verify_ast, "_complete", noted)
    result = transform_text(COLLAPSED, "f.py")
    assert not result.errors
    assert len(compared) == len(verify_ast.SIZES)
    assert {context.dim(isl.dim_type.param) for context in compared} == {3}


def test_loops_that_cannot_be_compared_are_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verify_ast, "OPERATIONS", 1)
    (error,) = transform_text(COLLAPSED, "f.py").errors
    assert error.code == "LX204"
    assert "take too long to compare" in error.message


def _too_long_for_all_sizes(
    runs: Sequence[isl.Map], wanted: Sequence[isl.Set], context: isl.Set
) -> bool:
    """What compares, were it too long where sizes are not known."""
    if context.plain_is_universe():
        raise Exceeded("a comparison", "none")
    return complete(runs, wanted, context)


complete = verify_ast._complete


def _tree(spaces: Spaces, more: str) -> isl.Schedule:
    """The instances of the statement for which something holds, in their order."""
    context = spaces.context.get_ctx()
    domain = isl.UnionSet.read_from_str(
        context, f"[p0] -> {{ s0[i] : 0 <= i < p0 and {more} }}"
    )
    order = isl.MultiUnionPwAff.read_from_str(context, "[p0] -> [{ s0[i] -> [i] }]")
    return isl.Schedule.from_domain(domain).insert_partial_schedule(order)


def test_loops_that_are_too_long_to_compare_are_not_taken() -> None:
    """isl (islpy 2026.2) starts a loop between the steps of the source."""
    source = """
# looptx: trust order
# looptx: reorder j i | split i 3 1 | split j 3 | skew i k by -1
def g(A, C, n, m):
    for i in range(0, m, 2):
        for j in range(i, i + 3):
            for k in range(n):
                C[j, k] = i
            A[i, j] = i + j
"""
    result = transform_text(source, "k.py")
    if result.errors:
        assert [error.code for error in result.errors] == ["LX204"]
        return
    written = []
    for text in (source, result.text):
        namespace: dict[str, Any] = {}
        exec(compile(text, "k.py", "exec"), namespace)
        A, C = np.zeros((12, 12)), np.zeros((12, 12))
        namespace["g"](A, C, 1, 4)
        written.append(A)
    assert (written[0] == written[1]).all()
