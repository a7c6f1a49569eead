"""What Python warns of when it reads a text, looptx does not say again."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from kit.calls import imported, output

from looptx.cli.text import transform_text
from looptx.native import runtime
from looptx.native.ahead import inplace
from looptx.parsers import unwarned

TEXT = r"""
import looptx


def other(x):
    "\d"
    return x * 2


third = lambda x: x / 3


@looptx.kernel("split i 4")
def doubled(A, B, n=7):
    "\d"
    t = "\w" if A is 1 else ""
    for i in range(len(A)):
        B[i] = other(third(A[i]))
    return t
"""


def test_no_text_is_warned_of_again(fresh_cache: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = imported(tmp_path / "warned.py", TEXT)
    A, B = np.arange(7.0), np.zeros(7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module.doubled(A, B) == ""
        assert "split" in module.doubled.inspect_python()
        assert module.doubled.validate().ok
        text = TEXT.replace("len(A)", "n")
        assert not transform_text(text, "warned.py").errors
    assert B.tolist() == (A / 3 * 2).tolist()
    assert module.doubled.report().nests[0].calls == 1


def _parsed() -> None:
    unwarned.parsed(r'"\d"')


def _compiled() -> None:
    unwarned.compiled(r'"\d"; 1 is 1', "warned.py")


def _run() -> None:
    runtime.run_module(r'"\d"; 1 is 1', "warned.py", [], {}, {})


def _made() -> None:
    with unwarned.ignored():
        warnings.warn("of no meaning", stacklevel=1)


@pytest.mark.parametrize("act", [_parsed, _compiled, _run, _made])
def test_threads_leave_the_filters_as_they_are(act: Callable[[], None]) -> None:
    start = threading.Barrier(4)
    failed = []

    def work() -> None:
        start.wait()
        try:
            for _ in range(300):
                act()
                assert warnings.filters is kept
        except Exception as error:
            failed.append(error)

    switching = sys.getswitchinterval()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept, before = warnings.filters, list(warnings.filters)
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(switching)
        assert not failed
        assert list(kept) == before


def test_filters_of_others_may_come_and_go() -> None:
    before = list(warnings.filters)
    other, ours = warnings.catch_warnings(), unwarned.ignored()
    with other:
        ours.__enter__()
        warnings.resetwarnings()
        ours.__exit__(None, None, None)
    assert list(warnings.filters) == before
    ours = unwarned.ignored()
    ours.__enter__()
    with warnings.catch_warnings():
        ours.__exit__(None, None, None)
    assert list(warnings.filters) == before


BUILT = r"""
def doubled(A: "float64[::1]", B: "float64[::1]"):
    "\d"
    # looptx: split i 4
    for i in range(len(A)):
        B[i] = A[i] * 2
"""
USED = """
import warnings
warnings.simplefilter("error")
import numpy as np
import silent
B = np.zeros(5)
silent.doubled(np.ones(5), B)
print(B.sum(), silent.__file__.endswith(".py"))
"""


def test_a_built_module_warns_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "silent.py"
    path.write_text(BUILT, "utf-8")
    inplace.build_file(path, BUILT)
    said = output(USED, tmp_path, PYTHONPATH=str(tmp_path))
    assert said == "10.0 False\n"
