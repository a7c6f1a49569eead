"""What a run of a tagged text does first and what later, and beside which loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzz.oracles.enumeration import Extents, Instance, positions

Around = tuple[tuple[str, int, int], ...]
"""The loops around an execution, from outside in: name, number of the run, value."""


@dataclass
class Recorder:
    """What the tags of a run say.

    Attributes:
        order: the executions. around: for each, its loops, where they are followed.
        stack: the loops being run. runs: how many there were.
    """

    order: list[Instance] = field(default_factory=list)
    around: list[Around] = field(default_factory=list)
    stack: list[tuple[str, int, int]] = field(default_factory=list)
    runs: int = 0

    def follow(self, name: str, values: range) -> Iterator[int]:
        """The iterations of a loop."""
        self.runs += 1
        run = self.runs
        for value in values:
            self.stack.append((name, run, value))
            yield value
            self.stack.pop()


class Tag:
    """Tells a recorder that a statement runs."""

    def __init__(self, number: int, recorder: Recorder) -> None:
        self.number = number
        self.recorder = recorder

    def __getitem__(self, at: Any) -> int:
        one = at if type(at) is tuple else (at,)
        number = self.number
        if not number:  # all tags are in one array
            number, *rest = one
            one = tuple(rest)
        self.recorder.order.append((number, one))
        self.recorder.around.append(tuple(self.recorder.stack))
        return 1


class Blank:
    """An array of which nothing matters but its shape."""

    dtype = np.dtype(float)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: Any) -> Any:
        given = len(at) if type(at) is tuple else 1
        return Blank(self.shape[given:]) if given < len(self.shape) else 1

    def __setitem__(self, at: Any, value: object) -> None:
        pass


class _Blanks:
    """What stands for NumPy."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in ("zeros", "ones", "empty", "full"):
            return _blank
        if name.endswith("_like"):
            return lambda one, shape=None: _blank(one.shape if shape is None else shape)
        return lambda value: value


def _blank(shape: Any, *_: object, dtype: object = None) -> Any:
    """An array of which nothing matters; one of objects keeps them."""
    extents = shape if type(shape) is tuple else (shape,)
    return [None] * extents[0] if dtype is object else Blank((0,) * len(extents))


class Runs:
    """The functions of a tagged text, made to say what they run.

    Args:
        text: the module.
        follow: whether loops are to be followed.
    """

    def __init__(self, text: str, *, follow: bool = False) -> None:
        tree = ast.parse(text.replace("import numpy as np\n", "\n"))
        if follow:
            tree = ast.fix_missing_locations(_Follow().visit(tree))
        self.recorder = Recorder()
        self._scope: dict[str, Any] = {
            "np": _Blanks(),
            "follow": lambda *args: self.recorder.follow(*args),
        }
        exec(compile(tree, "<program>", "exec"), self._scope)

    def at(self, extents: Extents) -> Recorder | None:
        """What a function runs at some sizes, None if it reads what it never set."""
        function = extents.function
        called = self._scope[function.name]
        self.recorder = recorder = Recorder()
        arguments: dict[str, Any] = {"n": extents.n, "m": extents.m}
        for array in function.arrays:
            known = array.name == "idx"
            shape = () if known else extents.of(array.name)
            arguments[array.name] = positions(extents.n) if known else Blank(shape)
        function.setting.place(self._scope, arguments)
        code = called.__code__
        for name in code.co_varnames[: code.co_argcount]:
            if name[0] == "W":
                arguments[name] = Tag(int(name[1:] or 0), recorder)
        try:
            called(**arguments)
        except (UnboundLocalError, KeyError):
            return None
        except TypeError as error:
            # A variable may hold what another nest kept for each iteration.
            if "'dict'" not in str(error):
                raise
            return None
        return recorder


class _Follow(ast.NodeTransformer):
    """Makes loops tell their iterations."""

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        assert isinstance(node.target, ast.Name)
        name = ast.Constant(node.target.id)
        node.iter = ast.Call(ast.Name("follow", ast.Load()), [name, node.iter], [])
        return node
