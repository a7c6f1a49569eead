"""Loops that nothing bounds, or that count by data, run natively as by Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from kit.calls import outcome, output, same
from kit.together import together

import looptx
from native.kernels_whiles import CASES

SIZES = (0, 1, 2, 7, 13, 30)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """All of them, compiled together."""
    made = {function: looptx.kernel(function) for function in CASES}
    # A process loads a module of a name once.
    with mock.patch("kit.together.MODULE", "_looptx_whiles"), together() as nests:
        for _ in range(2):
            for function, kernel in made.items():
                for make in CASES[function]:
                    for n in SIZES:
                        outcome(kernel, *make(n))
            nests.build(tmp_path_factory.mktemp("whiles"))
    return made


@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_bitwise_as_python(function: Any, kernels: dict[Any, Any]) -> None:
    kernel, native = kernels[function], 0
    for make in CASES[function]:
        for n in SIZES:
            before = sum(nest.calls for nest in kernel.report().nests)
            result = same(kernel, *make(n))
            after = sum(nest.calls for nest in kernel.report().nests)
            native += after > before or "Error" in result
    assert native, kernel.report()


@pytest.mark.parametrize("inner", ["", "while A[1] == 0: "])
def test_ctrl_c_ends_a_loop_without_an_end(inner: str, tmp_path: Path) -> None:
    program = f"""
        import os, signal, threading
        import numpy as np
        import looptx

        @looptx.kernel
        def f(A):
            k = 0
            while A[0] == 0:
                {inner}k += 1
            return k

        f(np.ones(2))
        assert f.report().nests[0].calls == 1, f.report()
        pid = os.getpid()
        threading.Timer(0.2, lambda: os.kill(pid, signal.SIGINT)).start()
        try:
            f(np.zeros(2))
        except KeyboardInterrupt:
            print("interrupted")
        """
    assert output(program, tmp_path) == "interrupted\n"
