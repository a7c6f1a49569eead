"""Nests in functions that wait, or give values one by one."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import numpy as np
import pytest

import looptx
from looptx import source
from looptx.cli.text import transform_text
from looptx.errors import LooptxError

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 13)

ASYNC = """\
import asyncio
import numpy as np

async def f(x, n):
    await asyncio.sleep(0)
    # looptx: split i 4
    for i in range(n):
        x[i] = x[i] * 2 + i
    for t in range(2):
        await asyncio.sleep(0)
        # looptx: split k 3
        for k in range(n):
            x[k] = x[k] * 2 + t
    return x
"""


def test_nests_in_async_functions() -> None:
    result = transform_text(ASYNC, "f.py")
    assert result.text.count("# looptx: applied") == 2
    for n in SIZES:
        found = []
        for text in (ASYNC, result.text):
            scope: dict[str, Any] = {}
            exec(text, scope)
            found.append(asyncio.run(scope["f"](np.arange(n + 1.0), n)).tobytes())
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("stmt", "what", "line"),
    [
        ("x[i] = await g", "`await`", 4),
        ("x[i] = [y async for y in g]", "a list comprehension", 4),
        ("async for y in g:\n            x[i] = y", "`async for`", 4),
        ("async with g:\n            x[i] = 1", "`async with`", 4),
        ("yield i", "`yield`", 4),
    ],
)
def test_other_code_does_not_run_in_the_middle(stmt: str, what: str, line: int) -> None:
    head = "async def f(x, n, g):\n"
    text = f"{head}    # looptx: split i 4\n    for i in range(n):\n        {stmt}\n"
    (error,) = transform_text(text, "f.py").errors
    assert (error.code, error.message) == ("LX301", what)
    assert error.place is not None and error.place.line == line
    # A directive of a decorator finds the reason, too.
    plain = text.replace("    # looptx: split i 4\n", "")
    decorated = f"import looptx\n@looptx.kernel('split i 4')\n{plain}"
    with pytest.raises(LooptxError) as caught:
        source.read(decorated, "f.py")
    assert caught.value.code == "LX301"


@looptx.kernel
async def doubled(x, n):
    await asyncio.sleep(0)
    for i in range(n):
        x[i] = x[i] * 2
    return x.sum()


@looptx.kernel
def halves(x, n):
    for i in range(n):
        x[i] = x[i] / 2
    yield x
    for i in range(n):
        x[i] = x[i] / 2
    yield x


def test_kernels_that_wait() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asyncio.run(doubled(np.arange(5.0), 5)) == 20.0
        assert [x[1] for x in halves(np.ones(5), 5)] == [0.5, 0.25]
    assert "1 native call" in str(doubled.report())
    assert str(halves.report()).count("1 native call") == 2
    assert asyncio.iscoroutinefunction(doubled)


def test_a_kernel_without_directives_has_nothing_to_validate() -> None:
    with pytest.raises(LooptxError) as caught:
        doubled.validate()
    assert caught.value.code == "LX107"
    assert caught.value.hint
