"""Nothing that happens while isl calls back may harm it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """\
import signal
import sys
from looptx.cli.text import transform_text
from looptx.poly import astloops

TEXT = '''
def f(A, n, m):
    # looptx: tile i=2 j=3 | reorder i j ii jj
    for i in range(n):
        for j in range(m):
            A[i, j] += 1.0
'''
original = astloops.Loops._places
calls = 0


def disturbed(self, name, build):
    global calls
    calls += 1
    {fault}
    return original(self, name, build)


astloops.Loops._places = disturbed
ends = set()
for _ in range(25):
    try:
        ends.add(not transform_text(TEXT, "f.py").errors)
    except {kind} as error:
        ends.add(type(error).__name__)
print(calls > 25, ends)
"""


@pytest.mark.parametrize(
    ("fault", "kind", "ends"),
    [
        ("raise KeyError(name)", "Exception", None),
        (
            "signal.raise_signal(signal.SIGINT)",
            "KeyboardInterrupt",
            "KeyboardInterrupt",
        ),
        ("return disturbed(self, name, build)", "Exception", None),
        ("build.get_schedule().get_ctx().set_max_operations(1)", "Exception", None),
    ],
    ids=["raised", "interrupted", "recursive", "exceeded"],
)
def test_faults_in_a_callback_end_cleanly(
    fault: str, kind: str, ends: str | None
) -> None:
    text = PROGRAM.format(fault=fault, kind=kind)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.startswith("True"), done.stdout
    assert ends is None or ends in done.stdout
