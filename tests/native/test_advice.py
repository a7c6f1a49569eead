"""What is said to help where loops run as Python does help."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.together import together
from semantics.table import exactly

import looptx
from native.advised import PAIRS

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

Kernels = dict[str, tuple[Any, Any]]

SAID = {
    "Outgrows": "& 0xFFFFFFFF",
    "Sliced": "a loop over the elements",
    "Whole": "compute it before the nest",
    "Calls": "call it before the nest",
    "Allocates": "before the nest",
    "Ragged": "`for k in range(begin[v], begin[v + 1])`",
    "Divides": "write `q, r = x[i] // (i - 20), x[i] % (i - 20)`",
}
"""What the hint of each says."""

NATIVE = PAIRS.keys() - SAID.keys()
"""Those that once had a hint: now both run natively."""


@pytest.fixture(scope="module")
def kernels() -> Iterator[Kernels]:
    """All of them, compiled."""
    made = {
        name: (looptx.kernel(before), looptx.kernel(after))
        for name, (before, after, _) in PAIRS.items()
    }
    folder, quiet = tempfile.TemporaryDirectory(), warnings.catch_warnings()
    with folder as place, together() as nests, quiet:
        warnings.simplefilter("ignore")
        for name, (before, after) in made.items():
            before(*PAIRS[name][2]())
            after(*PAIRS[name][2]())
        nests.build(Path(place))
        yield made


def left(called: Any, name: str) -> tuple[object, ...]:
    """What a call leaves behind."""
    given = PAIRS[name][2]()
    return exactly(called(*given)), *map(exactly, given)


def loops(kernel: Any) -> list[int]:
    """How often each nest ran natively, but for what only a comprehension computes."""
    nests = [one for one in kernel._prepared.dispatchers if one.is_told]
    return [one.calls for one in nests if not (one.info.then and one.fallbacks)]


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_advised_runs_natively(kernels: Kernels, name: str) -> None:
    before, after = kernels[name]
    counted = loops(after)
    wanted = left(PAIRS[name][0], name)

    assert left(before, name) == wanted
    assert left(after, name) == wanted == left(PAIRS[name][1], name)
    assert not after.report().left
    calls = loops(after)
    assert calls == [count + 1 for count in counted] and calls


@pytest.mark.parametrize("name", PAIRS)
def test_the_hint_says_so(kernels: Kernels, name: str) -> None:
    before, _ = kernels[name]
    prepared = before._prepared
    errors = [*prepared.left]
    for dispatcher in prepared.dispatchers:
        errors += [one for one in dispatcher.versions.values() if hasattr(one, "hint")]

    assert bool(errors) == (name not in NATIVE), errors
    if errors:
        assert SAID[name] in errors[0].hint, errors[0]
