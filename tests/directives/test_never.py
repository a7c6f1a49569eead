"""Nests of which no statement ever runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

from looptx.cli.text import transform_text

INLINED = """
import numpy as np


def f(A, B, n):
    T = np.zeros(n)
    # looptx: nest p
    for i in range(0):
        T[i] = A[i]
    # looptx: nest c
    # looptx: compute_inline p
    for i in range(0):
        B[i] = T[i] + n
"""


@pytest.mark.parametrize("n", [0, 1, 5])
def test_nothing_is_left_where_all_was_inlined(tmp_path: Path, n: int) -> None:
    result = transform_text(INLINED, "f.py", validate=True)
    assert result.changed and not result.errors
    scope: dict[str, Any] = {}
    exec(result.text, scope)
    B = np.ones(n)
    scope["f"](np.ones(n), B, n)
    assert B.tolist() == [1.0] * n
    text = INLINED.replace("def f", "@looptx.kernel\ndef f")
    kernel = imported(tmp_path / "never.py", f"import looptx\n{text}").f
    same(kernel, np.ones(n), np.ones(n), n, native=1)
