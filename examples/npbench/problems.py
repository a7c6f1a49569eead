"""The programs of a clone of NPBench: their files, functions and arguments."""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import looptx

SIZES = "S", "M", "L", "paper"


@dataclass(frozen=True)
class Problem:
    """A program, as its file in ``bench_info`` describes it.

    Attributes:
        root: the clone.
        name: of that file.
        info: what it says.
    """

    root: Path
    name: str
    info: Mapping[str, Any]

    def path(self, kind: str = "") -> Path:
        """The file of one form of the program, or of what makes its arguments."""
        folder = self.root / "npbench" / "benchmarks" / str(self.info["relative_path"])
        tail = f"_{kind}" if kind else ""
        return folder / f"{self.info['module_name']}{tail}.py"

    def arguments(self, size: str) -> dict[str, Any]:
        """The arguments of a call, by name."""
        known: dict[str, Any] = dict(self.info["parameters"][size])
        init = self.info.get("init")
        if init:
            module = load(self.path(), f"npbench_{self.name}")
            given = [known[name] for name in init["input_args"]]
            made = getattr(module, init["func_name"])(*given)
            names = init["output_args"]
            known.update(zip(names, made if len(names) > 1 else [made], strict=True))
        return {name: known[name] for name in self.info["input_args"]}

    def function(self, module: types.ModuleType) -> Any:
        """The function of the program in a module."""
        return getattr(module, self.info["func_name"])


def problems(root: Path) -> dict[str, Problem]:
    """All programs of a clone by name.

    Raises:
        FileNotFoundError: it is no clone of NPBench.
    """
    files = sorted((root / "bench_info").glob("*.json"))
    if not files:
        raise FileNotFoundError(f"{root} has no bench_info: is it a clone of NPBench?")
    infos = {
        file.stem: json.loads(file.read_text("utf-8"))["benchmark"] for file in files
    }
    return {name: Problem(root, name, info) for name, info in infos.items()}


def load(path: Path, name: str) -> types.ModuleType:
    """A file as a module of that name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def kernels(module: types.ModuleType) -> list[looptx.Kernel[Any, Any]]:
    """Decorate every function that a module defines, as its author would."""
    made = []
    for name, value in list(vars(module).items()):
        if (
            isinstance(value, types.FunctionType)
            and value.__module__ == module.__name__
        ):
            one = looptx.kernel(value)
            setattr(module, name, one)
            made.append(one)
    return made


class Buffers:
    """The arguments of calls, which are as at the beginning before each."""

    def __init__(self, original: Mapping[str, Any]) -> None:
        self.original = original
        self.current: dict[str, Any] = copy.deepcopy(dict(original))

    def restored(self) -> tuple[Any, ...]:
        """The arguments of a call."""
        for name, value in self.original.items():
            if isinstance(value, np.ndarray):
                np.copyto(self.current[name], value)
        return (*self.current.values(),)

    def left(self, returned: object) -> list[Any]:
        """What a call left behind: what it returned, and all arrays, as copies."""
        parts = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        arrays = [one for one in self.current.values() if isinstance(one, np.ndarray)]
        return copy.deepcopy([*parts, *arrays])


def same(a: Any, b: Any) -> bool:
    """Whether two values are of one type and have the same bits, any NaN being one."""
    if type(a) is not type(b):
        return False
    if not isinstance(a, (np.ndarray, np.generic)):
        return bool(a == b)
    one, two = np.asarray(a), np.asarray(b)
    if (one.dtype, one.shape) != (two.dtype, two.shape):
        return False
    if one.tobytes() == two.tobytes():
        return True
    if one.dtype.kind == "c":
        return same(one.real, two.real) and same(one.imag, two.imag)
    if one.dtype.kind != "f":
        return False
    nan = np.isnan(one)
    if not np.array_equal(nan, np.isnan(two)):
        return False
    return one[~nan].tobytes() == two[~nan].tobytes()


def near(a: Any, b: Any) -> bool:
    """Whether a value is another one but for rounding in another order."""
    if a is None or b is None:
        return a is b
    one, two = np.asarray(a), np.asarray(b)
    if one.shape != two.shape:
        return False
    far = 1e-3 if "float32" in (str(one.dtype), str(two.dtype)) else 1e-6
    return bool(np.allclose(one, two, rtol=far, atol=far, equal_nan=True))
