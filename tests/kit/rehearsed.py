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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from _pytest.outcomes import Failed

from kit import calls
from kit.together import together
from looptx.native.call import prepared
from looptx.native.call.dispatch import Owner, Version
from looptx.native.call.specialise import specialise
from looptx.native.diagnostics.notices import Notices


@contextlib.contextmanager
def rehearsed(request: pytest.FixtureRequest, folder: Path) -> Iterator[None]:
    """Compile all that the chosen tests of a module will, as one module.

    Args:
        request: of a fixture of the module.
        folder: where what is compiled goes, empty.
    """
    path, space = request.path, {"__name__": request.module.__name__}
    tree = ast.fix_missing_locations(_Unasserted().visit(ast.parse(path.read_bytes())))
    cache = os.environ["LOOPTX_CACHE_DIR"]
    lenient = mock.patch.object(prepared, "Owner", _lenient)
    with together() as nests, lenient, warnings.catch_warnings(action="ignore"):
        exec(compile(tree, str(path), "exec"), space)
        space.update({name: _called for name in space if space[name] is calls.same})
        for number, test in enumerate(request.session.items):
            if test.path == path:
                own = folder / str(number)
                own.mkdir()
                _tried(test, space, own)
        nests.build(folder)

    def known(*nest: Any) -> Version:
        own = os.environ["LOOPTX_CACHE_DIR"] != cache
        return specialise(*nest) if own else nests.known(*nest)

    with mock.patch.object(prepared, "specialise", known):
        yield


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
        more = {"monkeypatch": patch, "tmp_path": folder}
        names = inspect.signature(function).parameters
        function(**given, **{name: more[name] for name in more if name in names})
