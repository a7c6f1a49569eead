"""What Python warns of when it reads a text, looptx does not say again."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from kit.calls import imported, output

from looptx.cli.text import transform_text
from looptx.native.ahead import inplace

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
