"""Every operator on pairs of element types does in C what it does in NumPy."""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from kit.printing import build, check, text_of
from semantics.promotion import CASES, ELSEWHERE, OF_TWO, TYPES, ordered

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


def test_each_pair_meets_under_operators_of_every_kind() -> None:
    met = {
        frozenset(pair): {name for name in OF_TWO if pair in _either_way(name)}
        for pair in itertools.product(TYPES, repeat=2)
    }
    for kind in ("added less times", "over whole rest", "same other lower most higher"):
        assert all(names & {*kind.split()} for names in met.values()), kind
    read = re.compile(r"x_(\w+)\[k\].*y_(\w+)\[k\]")
    written = {
        frozenset(found.groups())
        for case in CASES
        for found in map(read.search, case.source.splitlines())
        if found
    }
    assert written >= {pair for pair in met if not pair <= ELSEWHERE}


def _either_way(name: str) -> set[tuple[str, str]]:
    pairs = {*ordered(name)}
    return pairs | {(two, one) for one, two in pairs}
