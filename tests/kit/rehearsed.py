"""Test modules whose kernels are compiled together, however tests come by them.

Each test is run before for what it compiles: in a copy of its module, in which nothing
that is asserted need hold. What the copy does not come to, as its loops run as they are
written, the test compiles itself; so do tests with caches of their own.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from _pytest.outcomes import Failed

from kit import calls, quickly
from kit.together import Nests, together
from looptx.native.call import prepared
from looptx.native.call.dispatch import Owner, Version
from looptx.native.call.specialise import specialise
from looptx.native.diagnostics.notices import Notices


@contextlib.contextmanager
def rehearsed(request: pytest.FixtureRequest, folder: Path) -> Iterator[None]:
    """Compile all that the chosen tests of a module will, as one module.

    Those that the fixture ``optimised`` has compiled as users' are have one, too.

    Args:
        request: of a fixture of the module.
        folder: where what is compiled goes, empty.
    """
    tests = [test for test in request.session.items if test.path == request.path]
    made = {}
    for optimised in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if optimised:
                quickly.undone(patch)
            own = [t for t in tests if ("optimised" in t.fixturenames) is optimised]
            made[_settings()] = _made(own, _copy(request), folder / str(optimised))

    def known(*nest: Any) -> Version:
        nests = made.get(_settings())
        return specialise(*nest) if nests is None else nests.known(*nest)

    with mock.patch.object(prepared, "specialise", known):
        yield


def _copy(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The names of the copy of a module."""
    path, space = request.path, {"__name__": request.module.__name__}
    tree = ast.fix_missing_locations(_Unasserted().visit(ast.parse(path.read_bytes())))
    exec(compile(tree, str(path), "exec"), space)
    space.update({name: _called for name in space if space[name] is calls.same})
    return space


def _settings() -> tuple[str | None, ...]:
    """What says how kernels are compiled, and where they go."""
    return tuple(map(os.environ.get, ("LOOPTX_CACHE_DIR", "CC")))


def _made(tests: Iterable[Any], space: dict[str, Any], folder: Path) -> Nests:
    """What tests compile, compiled.

    Args:
        tests: some of a module.
        space: the names of a copy of it.
        folder: one that is not there.
    """
    lenient = mock.patch.object(prepared, "Owner", _lenient)
    with together() as nests, lenient, warnings.catch_warnings(action="ignore"):
        for number, test in enumerate(tests):
            own = folder / str(number)
            own.mkdir(parents=True)
            _tried(test, space, own)
        nests.build(folder)
    return nests


class _Unasserted(ast.NodeTransformer):
    """What is asserted is computed."""

    def visit_Assert(self, node: ast.Assert) -> ast.Expr:
        return ast.copy_location(ast.Expr(node.test), node)


def _called(kernel: Any, *given: Any, **_: object) -> str:
    """What a kernel returns or raises."""
    said: str = calls.outcome(kernel, *given)[0]
    return said


def _lenient(_strict: bool, notices: Notices, current: Callable[[], bool]) -> Owner:
    """The state of a kernel that goes on where a strict one would raise."""
    return Owner(False, notices, current)


def _tried(test: Any, space: dict[str, Any], folder: Path) -> None:
    """Run a test of a copy of its module as far as it comes.

    Args:
        test: it.
        space: the names of the copy.
        folder: an empty one.
    """
    here = vars(test.module)
    copies = {id(here[name]): space[name] for name in here if name in space}
    params = test.callspec.params if hasattr(test, "callspec") else {}
    given = {name: copies.get(id(value), value) for name, value in params.items()}
    function = space[test.originalname]
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Failed, Exception):
        more = {"monkeypatch": patch, "tmp_path": folder, "optimised": None}
        names = inspect.signature(function).parameters
        function(**given, **{name: more[name] for name in more if name in names})
