"""Builds the functions of a field ahead of time, and runs them beside CPython.

The annotations are the types of the arguments that they are called with here.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import tempfile
import types
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from corpus import SIZES, Case
from corpus.running import Outcome, cases, left
from looptx.native.ahead import inplace

PYTHON = "python"
"""What is said of a function of which no loop ran natively."""


class Counting:
    """Counts how often a nest of a built module runs natively.

    Args:
        chain: what runs it.
    """

    def __init__(self, chain: Any) -> None:
        self.chain = chain
        self.calls = 0

    def __call__(self, *values: Any) -> Any:
        result = self.chain(*values)
        self.calls += result is not None
        return result

    def unready(self) -> None:
        """As of the chain."""
        self.chain.unready()


def built(field: str, size: int = 13) -> Iterator[Outcome]:
    """Build the functions of a field as one module, and run each at all sizes.

    Args:
        field: it. size: at which arguments have the types that are annotated.
    """
    known = cases(field)
    text = _annotated(field, known, size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{field}.py")
        path.write_text(text, "utf-8")
        module = _module(field, inplace.build_file(path, text).library)
        chains = {
            name: Counting(value)
            for name, value in vars(module).items()
            if type(value).__name__ == "Chain"
        }
        vars(module).update(chains)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, case in known.items():
                before = sum(one.calls for one in chains.values())
                wrong = tuple(_wrong(getattr(module, name), case))
                ran = sum(one.calls for one in chains.values()) > before
                yield Outcome(name, "native" if ran else PYTHON, wrong)


def _wrong(called: Any, case: Case) -> Iterator[str]:
    """At which sizes a function leaves something else behind than CPython, and what.

    Args:
        called: the built one. case: that of the corpus.
    """
    for size in SIZES:
        found, expected = left(called, case, size), left(case.function, case, size)
        if found != expected:
            yield f"{case.function.__name__} at {size}: {found}, not {expected}"


def _annotated(field: str, known: Mapping[str, Case], size: int) -> str:
    """The text of a field, its functions decorated, and with annotations.

    Args:
        field: it. known: its functions. size: as of ``built``.
    """
    tree = ast.parse(Path(__file__).with_name(f"{field}.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in known:
            given = known[node.name].arguments(size)
            for parameter, value in zip(node.args.args, given, strict=False):
                parameter.annotation = _type(value)
            node.decorator_list = [ast.parse("looptx.kernel", mode="eval").body]
    return f"import looptx\n{ast.unparse(tree)}\n"


def _type(value: object) -> ast.expr | None:
    """What to annotate what holds a value with, if that is a number or an array."""
    if isinstance(value, np.ndarray) and value.ndim:
        return ast.Constant(f"{value.dtype.name}[{', '.join(':' * value.ndim)}]")
    if type(value) in (bool, int, float, complex):
        return ast.Name(type(value).__name__, ast.Load())
    return None


def _module(name: str, library: Path) -> types.ModuleType:
    """The module of an extension.

    Args:
        name: its name. library: its file.
    """
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
