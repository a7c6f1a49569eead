"""Calls of the functions on the manual's pages: arguments that fit, and what they give.

What a function asks of its arguments is found by running it once with arrays that only
remember how far they are read and written.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
from kit.recording import Endless, Recorded, places

SIZES = (0, 1, 2, 5, 13)
MOST_SIZES = 2
"""Functions with more sizes than this get fewer values of each."""


class Reach(Recorded):
    """An array argument that remembers the largest subscript in each dimension."""

    def __init__(self, shape: tuple[int, ...], integers: bool) -> None:
        super().__init__(
            Endless(lambda key: places(key)[0] if integers else 1.0), self._reach
        )
        self.shape = shape
        self.integers = integers
        self.extents = list(shape)

    def __len__(self) -> int:
        return self.shape[0]

    def _reach(self, key: int | tuple[int, ...], *_: object) -> None:
        pairs = zip(self.extents, places(key), strict=True)
        self.extents = [max(extent, place + 1) for extent, place in pairs]

    def array(self, seed: int, *, exact: bool) -> Any:
        """An array of that extent: a permutation, or numbers that make sums round.

        Args:
            seed: of the numbers.
            exact: whether sums and products of some are to be exact instead.
        """
        generator = np.random.default_rng(seed)
        if self.integers:
            return generator.permutation(*self.extents)
        if exact:
            return generator.integers(-2, 3, self.extents).astype(float)
        magnitudes = 10.0 ** generator.integers(-3, 4, self.extents)
        return generator.standard_normal(self.extents) * magnitudes


class Subject:
    """The one function of a block.

    Attributes:
        call: the function. names: of its arguments.
        ranks: of the arrays among them. shaped: those whose shape is asked for.
        subscripts: those that hold subscripts of others.
    """

    def __init__(self, code: str) -> None:
        (definition,) = (
            n for n in ast.parse(code).body if isinstance(n, ast.FunctionDef)
        )
        scope: dict[str, Any] = {}
        exec(compile(code, "<block>", "exec"), scope)
        self.call: Callable[..., object] = scope[definition.name]
        self.names = [argument.arg for argument in definition.args.args]
        self.ranks: dict[str, int] = {}
        self.shaped: set[str] = set()
        self.subscripts: set[str] = set()
        for part in ast.walk(definition):
            match part:
                case ast.Subscript(ast.Name(name), places) if name in self.names:
                    several = isinstance(places, ast.Tuple)
                    self.ranks[name] = len(places.elts) if several else 1
                    inner = (
                        n for n in ast.walk(places) if isinstance(n, ast.Subscript)
                    )
                    self.subscripts |= {ast.unparse(n.value) for n in inner}
                case ast.Attribute(ast.Name(name), "shape"):
                    self.shaped.add(name)
                case ast.Call(ast.Name("len"), [ast.Name(name)]):
                    self.shaped.add(name)

    def arguments(
        self, lengths: Sequence[int] = SIZES, *, exact: bool = False
    ) -> Iterator[list[Any]]:
        """Arguments for empty, single and prime sizes, fresh ones each time.

        Args:
            lengths: the sizes. exact: whether their sums are to be exact.
        """
        sizes = [name for name in self.names if name not in self.ranks]
        shapes = [self.ranks[name] for name in self.names if name in self.shaped]
        count = len(sizes) + sum(shapes)
        for box in itertools.product(
            lengths if count <= MOST_SIZES else lengths[::2], repeat=count
        ):
            left = iter(box)
            known: dict[str, Any] = {name: next(left) for name in sizes}
            for name in self.names:
                if name in self.ranks:
                    rank = self.ranks[name]
                    extents = left if name in self.shaped else itertools.repeat(0)
                    shape = tuple(itertools.islice(extents, rank))
                    known[name] = Reach(shape, name in self.subscripts)
            self.call(*(known[name] for name in self.names))
            yield [
                known[name].array(seed, exact=exact)
                if name in self.ranks
                else known[name]
                for seed, name in enumerate(self.names)
            ]


def outcome(
    function: Callable[..., object], arguments: list[Any], unseen: Collection[int] = ()
) -> list[bytes]:
    """The bytes of all arrays after a call on copies of them, and of its result.

    Args:
        function: what is called. arguments: what it is given.
        unseen: the numbers of those at which nobody looks afterwards.
    """
    copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    with np.errstate(all="ignore"):
        result = function(*copies)
    arrays = [
        a
        for at, a in enumerate(copies)
        if isinstance(a, np.ndarray) and at not in unseen
    ]
    return [
        np.asarray(a).tobytes()
        for a in (*arrays, *([result] if result is not None else []))
    ]
