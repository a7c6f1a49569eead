"""Runs one field of the corpus, changed: ``python -m fuzz.real.child SEED FOLDER``.

``FOLDER/at`` says what is running, for the case that this process dies; ``found`` is
what was found, ``changed.py`` the functions.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import resource
import signal
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from corpus import CASES, FIELDS, SIZES, Case
from kit.together import together
from semantics.table import exactly

import looptx
from fuzz.real.edits import edited
from fuzz.real.given import changed
from fuzz.real.scheduled import commented, schedule

PATIENCE = 1.5
"""Seconds of the processor that a call of a changed function may take."""

MEMORY = 8 << 30
ROUNDS = 3
"""How often nests may ask for others when they have been built."""

FAULTS = ("LX901", "LX502", "LX503")
"""The errors that are looptx's own."""


@dataclass
class Found:
    """What became of the functions of a field.

    Attributes:
        codes: of each function that ran, ``""`` or why its directives are refused.
        native: how many of them ran natively.
        wrong: by function, what is wrong with it.
    """

    codes: list[str] = field(default_factory=list)
    native: int = 0
    wrong: dict[str, str] = field(default_factory=dict)


class Late(BaseException):
    """A call takes too long: the change has made a loop that does not end."""


def run(seed: int, folder: Path) -> Found:
    """Change the functions of a field, and run each natively and by CPython.

    Args:
        seed: says the field and the changes. folder: see the module.
    """
    cases = _changed(seed, folder)
    python = {name: _all_left(case.function, case) for name, case in cases.items()}
    kernels = {
        name: looptx.kernel(cases[name].function)
        for name, left in python.items()
        if None not in left
    }
    found = Found()
    with together() as nests:
        for name in [*kernels]:
            code, text = _refused(kernels[name], cases[name])
            found.codes.append(code)
            if code in FAULTS:
                found.wrong[name] = text
            if code:
                del kernels[name]
        for at in range(ROUNDS):
            for name, kernel in kernels.items():
                _all_left(kernel, cases[name])
            if not nests.waiting:
                break
            own = folder / f"built{at}"
            own.mkdir()
            nests.build(own)
        for name, kernel in kernels.items():
            (folder / "at").write_text(name)
            native = _all_left(kernel, cases[name])
            for size, one, other in zip(SIZES, native, python[name], strict=True):
                if one != other and name not in found.wrong:
                    found.wrong[name] = f"size {size}: {one!r:.600}, not {other!r:.600}"
            nested = kernel.report().nests
            found.native += any(nest.calls for nest in nested)
            for text in (text for nest in nested for text in nest.failures):
                if any(code in text for code in FAULTS):
                    found.wrong.setdefault(name, text)
    return found


def _changed(seed: int, folder: Path) -> dict[str, Case]:
    """The functions of a field with changes and directives, and their arguments."""
    name, random = FIELDS[seed % len(FIELDS)], Random(f"real {seed}")
    module = importlib.import_module(f"corpus.{name}")
    cases = CASES[name]
    tree = ast.parse(inspect.getsource(module))
    for stmt in tree.body:
        if isinstance(stmt, ast.FunctionDef) and stmt.name in cases:
            stmt.decorator_list = []
            edited(stmt, random)
            if random.random() < 0.5:
                schedule(stmt, random)
    text = commented(ast.unparse(tree))
    # What an array holds at first is then the same for all.
    for maker in ("empty", "empty_like"):
        text = text.replace(f"np.{maker}(", f"np.{maker.replace('empty', 'zeros')}(")
    path = folder / "changed.py"
    path.write_text(text, "utf-8")
    own = types.ModuleType("changed")
    own.__file__ = str(path)
    sys.modules["changed"] = own
    exec(compile(text, str(path), "exec"), vars(own))
    return {
        key: _case(getattr(own, key), case, f"{seed} {key}")
        for key, case in cases.items()
    }


def _case(function: Any, case: Case, seed: str) -> Case:
    """A function with what other arguments are made of.

    Args:
        function: it. case: of the corpus. seed: of the arguments.
    """
    return Case(function, lambda n, random: changed(case.make(n, random), seed))


def _refused(kernel: Any, case: Case) -> tuple[str, str]:
    """The code of the error of a kernel's directives, and all of it; or nothing."""
    for size in SIZES:
        try:
            kernel(*case.arguments(size))
        except looptx.LooptxError as error:
            return error.code, str(error)
        except Exception:
            continue
    return "", ""


def _all_left(called: Any, case: Case) -> list[object]:
    """What calls of all sizes leave behind; None of one that takes too long."""
    return [*_each_left(called, case)]


def _each_left(called: Any, case: Case) -> Iterator[object]:
    for size in SIZES:
        arguments = case.arguments(size)
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
        try:
            result = _told(called(*arguments))
        except Exception as error:
            result = type(error).__name__, str(error)
        except Late:
            yield None
            continue
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        yield result, tuple(map(_told, arguments))


def _told(value: Any) -> object:
    """A value to the bit, with one NaN: of two, processors choose one."""
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(map(_told, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = np.where(np.isnan(value), value.dtype.type(np.nan), value)
    if isinstance(value, float | np.floating) and value != value:
        return type(value).__name__, "nan"
    return exactly(value)


def _end(*_: object) -> None:
    raise Late


def main(seed: int, folder: Path) -> None:
    """Run a seed, and say in the folder what was found."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _end)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    (folder / "found").write_bytes(pickle.dumps(run(seed, folder)))


if __name__ == "__main__":
    # Under its own name: what is pickled is to be read elsewhere.
    from fuzz.real import child as real_child

    real_child.main(int(sys.argv[1]), Path(sys.argv[2]))
