"""Random programs as immutable trees: their text, and all that are a little smaller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fuzz.programs.nodes import (
    MARK,
    SIZES,
    Assign,
    For,
    If,
    Node,
    Odd,
    Printer,
    block,
    deepest,
    depths,
    every,
    fewer,
    walk,
    without,
)
from fuzz.programs.setting import PLAIN, Setting
from fuzz.programs.spellings import spelled
from fuzz.programs.terms import Expr, names, text

__all__ = [
    "MARK",
    "SIZES",
    "Array",
    "Assign",
    "For",
    "Function",
    "If",
    "Local",
    "Node",
    "Odd",
    "Program",
    "deepest",
    "walk",
]


@dataclass(frozen=True, slots=True)
class Array:
    """An array that a function takes.

    Attributes:
        row: how many cells its last axis has, mostly; 0 for as many as are needed.
        like: the array whose extents it has, mostly.
    """

    name: str
    rank: int
    dtype: str
    row: int = 0
    like: str = ""


@dataclass(frozen=True)
class Local:
    """An array that a function makes for itself.

    Attributes:
        maker: ``zeros``, ``ones``, ``empty`` or ``full``.
        like: the argument whose shape it has. behind: whether its type has no keyword.
    """

    name: str
    shape: tuple[Expr, ...]
    maker: str
    dtype: str = ""
    like: str = ""
    behind: bool = False

    def line(self) -> str:
        """The text."""
        if self.like:
            return f"{self.name} = np.{self.maker}_like({self.like})"
        shape = ", ".join(map(text, self.shape))
        if len(self.shape) > 1:
            shape = f"({shape})"
        more = ", 2" if self.maker == "full" else ""
        keyword = "" if self.behind else "dtype="
        more += f", {keyword}np.{self.dtype}" if self.dtype else ""
        return f"{self.name} = np.{self.maker}({shape}{more})"


TRUST = "trust order", "trust independent "
"""How directives begin that ask looptx not to prove something."""

SCRATCH = "trust scratch "


def _distrusting(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Directives without those that are not proven."""
    known = (
        [one for one in text.split(" | ") if not one.startswith(TRUST)]
        for text in texts
    )
    return tuple(" | ".join(clauses) for clauses in known if clauses)


@dataclass(frozen=True)
class Function:
    """A function of arrays and two sizes.

    Attributes:
        arrays: those it takes; ``idx`` among them holds small positions.
        annotated: whether the types of the arrays are written.
        shaped: whether the sizes are those of the arrays of two dimensions.
        starts: scalars with the value that they have first.
        returns: what it gives back besides changed arrays.
        setting: what stands around its nests.
    """

    name: str
    arrays: tuple[Array, ...]
    body: tuple[Node, ...]
    locals: tuple[Local, ...] = ()
    starts: tuple[tuple[str, float], ...] = ()
    directives: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    annotated: bool = False
    shaped: bool = False
    setting: Setting = PLAIN

    def used(self) -> frozenset[str]:
        """The names in its statements."""
        found = (every(node) for node in self.body)
        shapes = (
            frozenset((own.like,)) if own.like else names(size)
            for own in self.locals
            for size in own.shape
        )
        return frozenset().union(*found, *shapes, self.returns)

    @property
    def giver(self) -> str:
        """The array of two dimensions whose shape the sizes are."""
        return next(array.name for array in self.arrays if array.rank == 2)

    def texts(self) -> list[str]:
        """All directives, its own and then those of its loops."""
        loops = (node for node in walk(self.body) if isinstance(node, For))
        return [*self.directives, *(text for loop in loops for text in loop.directives)]

    def clauses(self) -> list[str]:
        """The directives one by one: several may stand in a line."""
        return [clause for text in self.texts() for clause in text.split(" | ")]

    @property
    def scratch(self) -> frozenset[str]:
        """The arguments that nobody looks at afterwards."""
        named = [x for x in self.clauses() if x.startswith(SCRATCH)]
        return frozenset(one.removeprefix(SCRATCH) for one in named)

    def distrusting(self) -> Function:
        """The function without what is not proven."""
        body = tuple(
            replace(node, directives=_distrusting(node.directives))
            if isinstance(node, For)
            else node
            for node in self.body
        )
        return replace(self, directives=_distrusting(self.directives), body=body)

    def lines(self, state: Printer) -> list[str]:
        """The text, with the ``def``."""
        before: list[str] = []
        if self.shaped:
            before.append(f"n, m = {self.giver}.shape")
        before += [own.line() for own in self.locals]
        before += [f"{name} = {value}" for name, value in self.starts]
        before += self.setting.before()
        first = state.number
        body = self.setting.around(block(self.body, state))
        tagged = zip(range(first, state.number), depths(self.body), strict=True)
        tags = (
            [(f"W{at + 1}", max(rank, 1)) for at, rank in tagged] if state.tags else []
        )
        single = ["W"] if state.single and tags else []
        tags = [] if single else tags
        kind = self.arrays[0].dtype
        outside = dict(self.setting.outside)
        taken = [array for array in self.arrays if array.name not in outside]
        given = [(a.name, a.rank, a.dtype) for a in taken]
        given += [(name, rank, kind) for name, rank in tags]
        arguments = [
            f'{name}: "{dtype}[{", ".join(":" * rank)}]"' if self.annotated else name
            for name, rank, dtype in given
        ]
        arguments += single
        arguments += [f"{size}: int" if self.annotated else size for size in SIZES]
        arguments += self.setting.arguments()
        head = f"def {self.name}({', '.join(arguments)}):"
        found = [*state.above(self.directives, trust=bool(self.directives)), head]
        found += [f"    {line}" for line in (*before, *body)]
        results = [*self.returns, *self.setting.results()]
        if results:
            found.append(f"    return {', '.join(results)}")
        if self.setting.spelled:
            found = spelled(found, self.setting.spelled)
        return self.setting.enclosed(self.name, found)

    def smaller(self) -> Iterator[Function]:
        """The function with less in it."""
        for directives in without(self.directives):
            yield replace(self, directives=directives)
        for body in fewer(self.body):
            yield replace(self, body=body)
        for returns in without(self.returns):
            yield replace(self, returns=returns)
        used = self.used()
        for arrays in without(self.arrays):
            gone = next(a for a in self.arrays if a not in arrays)
            if arrays and gone.name not in used and not self.shaped:
                yield replace(self, arrays=arrays)
        for own in without(self.locals):
            yield replace(self, locals=own)
        for starts in without(self.starts):
            yield replace(self, starts=starts)
        if self.annotated:
            yield replace(self, annotated=False)
        if self.shaped:
            yield replace(self, shaped=False)
        for setting in self.setting.smaller():
            yield replace(self, setting=setting)


HIDING = (
    *("", "", "def min(*_):", "    raise NotImplementedError"),
    *("", "", "max = min"),
)
"""What no text that looptx writes may call."""


@dataclass(frozen=True)
class Program:
    """A module with one function or more.

    Attributes:
        functions: in the order of the text.
        tagged: whether statements carry tags.
        hides: whether the module has other functions called ``min`` and ``max``.
        single: whether all tags are read from one array.
    """

    functions: tuple[Function, ...]
    tagged: bool = True
    hides: bool = False
    single: bool = False

    def text(self, *, trust: bool = False, directed: bool = True) -> str:
        """The module as Python.

        Args:
            trust: write ``trust order`` wherever there are directives.
            directed: write the directives at all.
        """
        found = ["import numpy as np", *(HIDING if self.hides else ())]
        module = [line for one in self.functions for line in one.setting.module()]
        found += ["", "", *module] if module else []
        for function in self.functions:
            state = Printer(self.tagged, trust, directed, single=self.single)
            found += ["", "", *function.lines(state)]
        return "\n".join([*found, ""])

    @cached_property
    def bare(self) -> str:
        """The text without directives."""
        return self.text(directed=False)

    def trusting(self) -> str:
        """The text in which the new order is trusted."""
        return self.text(trust=True)

    @property
    def trusts(self) -> bool:
        """Whether something is not to be proven."""
        clauses = (one for function in self.functions for one in function.clauses())
        return any(one.startswith(TRUST) for one in clauses)

    def distrusting(self) -> Program:
        """The program without its ``trust``."""
        return replace(self, functions=tuple(f.distrusting() for f in self.functions))

    @property
    def directives(self) -> tuple[str, ...]:
        """All directives, of functions and then of loops."""
        return tuple(text for one in self.functions for text in one.texts())

    @property
    def opaque(self) -> bool:
        """Whether it holds calls that looptx knows nothing of."""
        return any(one.setting.opaque for one in self.functions)

    def smaller(self) -> Iterator[Program]:
        """Programs with one thing less, the largest things first."""
        if self.hides:
            yield replace(self, hides=False)
        if len(self.functions) > 1:
            yield from (replace(self, functions=f) for f in without(self.functions))
        for at, function in enumerate(self.functions):
            for less in function.smaller():
                rest = self.functions[:at], self.functions[at + 1 :]
                yield replace(self, functions=(*rest[0], less, *rest[1]))
