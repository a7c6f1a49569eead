"""Every operator on every pair of element types does in C what it does in NumPy."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest
from kit.printing import build, check, text_of
from semantics.promotion import CASES, ELSEWHERE, TYPES

from looptx.model.dtypes import promoted


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
def test_all_pairs_of_types(tmp_path: Path) -> None:
    """All nests are in one module; what is asked is meaning and not speed."""
    texts = [text_of(case, f"f{number}") for number, case in enumerate(CASES)]
    module = build(texts, tmp_path, "promotion", flags=["-O0"])
    for number, case in enumerate(CASES):
        check(case, getattr(module, f"f{number}"))


def test_promotion_is_that_of_numpy() -> None:
    for pair in itertools.product((*TYPES, "complex128"), repeat=2):
        assert promoted(*pair) == np.result_type(*pair).name, pair


def test_there_is_an_expression_for_each_pair() -> None:
    sums = next(case for case in CASES if case.name == "added").source
    twos, known = len(TYPES), len(ELSEWHERE)
    wanted = (twos * (twos + 1) - known * (known + 1)) // 2
    assert len(sums.splitlines()) == wanted + 1
