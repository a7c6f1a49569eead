"""Arrays that exchange names, tuples and rows, drawn at random: native as in Python."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from random import Random
from textwrap import indent
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from kit.samples import some
from kit.together import together
from semantics.table import exactly

import looptx
from looptx.lower.bindings import exchanges
from looptx.lower.loops import statements
from looptx.source.nests import nest
from looptx.source.spelling.tuples import parts

CASES, FEWER = some(16), 8
SIZES = ((0, 0), (1, 1), (2, 3), (5, 2), (7, 5))


def drawn(seed: int) -> str:
    """A function of two arrays, a table with rows of three, and a number of rounds."""
    dice = Random(f"names {seed}")
    ahead = dice.choice(("", " + 1"))
    least = dice.randint(0, 2)
    value = dice.choice(("u[i] / 2 + t", "u[i] - w[0]", "u[i - 1] / 4 + u[i]", "a - b"))
    sweep = [f"for i in range({least}, len(u)):"]
    if "a -" in value:
        sweep += ["    a, b, c = rows[i % len(rows)]"]
    sweep += [f"    v[i] = {value}{ahead}"]
    sweep += dice.choice(
        (
            ["    if v[i] > best[0]:", "        best = (v[i], i)"],
            ["    best = (best[0] + v[i], best[1] + 1)"],
            ["    rows[i % len(rows)] = v[i], t, 0.5"],
            ["    first, last = best", "    best = (last, first + u[i])"],
            ["    w[0] += v[i]"],
        )
    )
    inside = dice.choice(
        (
            [*sweep, "u, v = v, u"],
            ["v, u = u, v", *sweep],
            [*sweep, "if t % 2:", "    u, v = v, u"],
            [*sweep, "u, v = v, u", *sweep, "v, u = u, v", "u, v = v, u"],
            [*sweep, "if best[0] > 3:", "    u, v = v, u"],
        )
    )
    around = dice.choice(
        (
            ["for t in range(steps):"],
            ["for t in range(steps - 1, -1, -1):"],
            ["t = 0", "while t < steps:"],
        )
    )
    if around[0] == "t = 0":
        inside = [*inside, "t += 1"]
    elif dice.random() < 0.3:
        inside = [*inside, f"if u[0] > {dice.randint(1, 4)}:", "    break"]
    result = dice.choice(("u, v, best", "best, u[0]", "v", "best[0], v[0], u"))
    w = dice.choice(("np.zeros(3)", "u.copy()", "u"))
    begin = [f"w = {w}", f"best = (0.0, {dice.choice(('0', '0.5'))})"]
    body = [*begin, *around, *(f"    {line}" for line in inside), f"return {result}"]
    return f"def f{seed}(u, v, rows, steps):\n{indent(chr(10).join(body), '    ')}\n"


def left(called: Any, n: int, steps: int) -> object:
    """What a call leaves behind, and which array is which."""
    u, v = np.arange(n) + 0.5, np.arange(float(n)) / 7
    rows = np.arange(12.0).reshape(4, 3) / 5
    given = u, v, rows
    try:
        result = called(*given, steps)
    except Exception as error:
        return type(error).__name__, str(error), exactly(given)
    named = result if isinstance(result, tuple) else (result,)
    same = [[one is other for other in given] for one in named]
    return exactly(result), exactly(given), same


def loaded(folder: Path, count: int) -> ModuleType:
    """A module with all functions."""
    path = folder / "names_drawn.py"
    text = "import numpy as np\n\n\n" + "\n\n".join(map(drawn, range(count)))
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wrong(folder: Path, count: int = CASES) -> tuple[list[str], int]:
    """What is wrong with which functions, and how many ran natively."""
    module = loaded(folder, count)
    functions = [getattr(module, f"f{seed}") for seed in range(count)]
    kernels = [looptx.kernel(function) for function in functions]
    with warnings.catch_warnings(), together() as nests:
        warnings.simplefilter("ignore")
        for kernel in kernels:
            for size in SIZES:
                left(kernel, *size)
        nests.build(folder)
        found = [
            f"{size}: {left(kernel, *size)}, not {left(function, *size)}\n{drawn(at)}"
            for at, (function, kernel) in enumerate(
                zip(functions, kernels, strict=True)
            )
            for size in SIZES
            if left(function, *size) != left(kernel, *size)
        ]
    ran = [sum(nest.calls for nest in one.report().nests) > 0 for one in kernels]
    return found, sum(ran)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of a nest is not what another test kept."""
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "cache"))


def test_drawn_names(tmp_path: Path) -> None:
    found, native = wrong(tmp_path)
    assert not found, "\n".join(found[:3])
    assert native > CASES / 2


@pytest.mark.parametrize("fault", ["turns", "pointers", "parts", "apart"])
def test_faults_are_found(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "turns":
        monkeypatch.setattr(nest, "renamed", lambda pairs: iter(()))
    elif fault == "pointers":
        made = exchanges.exchange

        def exchange(*given: Any) -> Any:
            return made(*given)[3:]

        monkeypatch.setattr(statements, "exchange", exchange)
    elif fault == "parts":
        monkeypatch.setattr(nest, "joined", lambda parts, left: iter(()))
    else:
        monkeypatch.setattr(parts, "_literal", lambda index: 0)
    assert wrong(tmp_path, FEWER)[0]


def test_reasons_have_the_words_of_the_source(tmp_path: Path) -> None:
    text = """\
import looptx


@looptx.kernel
def f(x, first):
    best = (first, 0)
    for i in range(len(x)):
        if best[0] > 1:
            x[i] += 1
            best = (best[0], i)
    return best
"""
    path = tmp_path / "told.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("told", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert module.f(np.zeros(3), 2**70) == (2**70, 2)
    (told,) = (str(one.message) for one in found)
    assert "best[0] has no value that fits in 64 bits" in told
