"""Every operator on every pair of element types does in C what it does in NumPy."""

from __future__ import annotations

import itertools
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emit_cython_tools import build, check, text_of
from promotion import CASES, ELSEWHERE, TYPES

from looptx.model.dtypes import promoted


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All nests in one module; what is asked is meaning and not speed."""
    folder: Path = tmp_path_factory.mktemp("promotion")
    texts = [text_of(case, f"f{number}") for number, case in enumerate(CASES)]
    return build(texts, folder, "promotion", flags=["-O0"])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("number", range(len(CASES)), ids=[c.name for c in CASES])
def test_all_pairs_of_types(module: Any, number: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(CASES[number], getattr(module, f"f{number}"))


@pytest.mark.parametrize(
    "pair", [*itertools.product((*TYPES, "complex128"), repeat=2)], ids=" ".join
)
def test_promotion_is_that_of_numpy(pair: tuple[str, str]) -> None:
    assert promoted(*pair) == np.result_type(*pair).name


def test_there_is_an_expression_for_each_pair() -> None:
    sums = next(case for case in CASES if case.name == "added").source
    pairs = len(TYPES) ** 2 - len(ELSEWHERE) ** 2
    assert len(sums.splitlines()) == pairs + 1
