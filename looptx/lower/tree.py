"""The typed tree of a nest: what targets print, and what analyses look at before.

Expressions know what Python type they stand for and how they may raise; statements and
functions are those of C. A target decides nothing: it writes them down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.lower.kinds import BOOL, INT, Kind, Number, of
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Cond, IntExpr, variables
from looptx.model.records import dataclass, field
from looptx.model.types import ArrayType


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A function that a target provides, as C has none or another; only it has a name.

    Attributes:
        operation: what it computes.
        dtype: of its operands, where there is one for each of several.
        rules: whose they are where they differ: ``python`` (which raises), ``numpy``,
            ``math``, ``reduce`` (of many numbers); ``c`` where it is C's own.
        lanes: how many numbers it gives side by side.
        machine: the processors that it is for, as of a ``Target``.
    """

    operation: str
    dtype: str = ""
    rules: str = ""
    lanes: int = 1
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Expr:
    """A value in C. Two are equal if the same text computes them.

    Attributes:
        op: ``name``, ``number``, ``index`` (an expression over sizes and loops),
            ``test`` (a condition over them), ``cell`` (of the array ``name``; in the
            end a ``local cell`` of its pointer), ``at`` (how many elements behind the
            first one a cell is), ``local cell`` (of an array in C), ``address`` (of a
            cell), ``call`` (of ``intrinsic`` or ``name``), ``cast`` (to the C type
            ``name``), ``choice`` (condition, value, other), ``and``, ``or``, ``not``,
            ``neg``, ``~``, or a binary operator of C.
        kind: what Python types it may have. The C type is its own, or of an integer one
            that holds its value: a literal and a condition are an ``int``.
        parts: the operands, the places of a cell, or the arguments.
        name: of what has one, in C; how Python writes a number.
        intrinsic: what a call is of, if it is none of the nest's own functions.
        number: what is written for a number.
        index: of an ``index`` or a ``test``: names and extents are those of C.
        literal: its value when it is a literal.
        facts: what is known of it: see ``checks``.
        raises: what a call may raise, in words; empty for nothing.
        tag: what tells which of several types it has (see ``alternatives``), as long as
            its own kind lists the same.
        lanes: how many numbers of the kind it is, side by side; of a cell, those that
            follow it in memory, too.
    """

    op: str
    kind: Kind = field(compare=False)
    parts: tuple[Expr, ...] = ()
    name: str = ""
    intrinsic: Intrinsic | None = None
    number: Number | None = None
    index: IntExpr | Cond | None = None
    literal: Number | None = field(default=None, compare=False)
    facts: frozenset[str] = field(default=frozenset(), compare=False)
    raises: str = field(default="", compare=False)
    tag: Expr | None = field(default=None, compare=False)
    lanes: int = 1

    @property
    def wide(self) -> bool:
        """Whether C computes in 64 bits with it, whatever stands beside it."""
        own = DTYPES[self.kind.dtype]
        return own.is_integer and own.bits == 64 and self.literal is None


@dataclass(frozen=True, slots=True)
class View:
    """The type of an array as the entry has it."""

    kind: ArrayType
    written: bool = True


@dataclass(frozen=True, slots=True)
class Pointer:
    """The type of an array as a function has it: its first cell.

    Attributes:
        view: the array.
        alone: whether nothing that the function may write is behind another pointer,
            too, nor what is behind this one where it may write that.
    """

    view: View
    alone: bool


@dataclass(frozen=True, slots=True)
class Measure:
    """The type of an integer that says how large an array is, or how it lies.

    Attributes:
        array: its name in C. dtype: of its elements.
        axis: the axis.
        step: whether it is the distance of neighbours in elements, not the extent.
    """

    array: str
    dtype: str
    axis: int
    step: bool


Given: TypeAlias = str | View | Pointer | Measure
"""The type of an argument: one of C, or what an array becomes."""


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``, or ``target op= value``."""

    target: Expr
    value: Expr
    op: str = ""


@dataclass(frozen=True, slots=True)
class If:
    """The statements that run where a condition holds, and the others."""

    cond: Expr
    body: Block
    orelse: Block = ()


@dataclass(frozen=True, slots=True)
class For:
    """A loop over the range from ``start`` to ``stop``; both are evaluated once.

    Behind it ``var`` is what it was last in the body. ``orelse`` runs if the loop is
    not left by ``Break``.
    """

    var: str
    start: Expr
    stop: Expr
    body: Block
    step: Expr | None = None
    orelse: Block = ()


@dataclass(frozen=True, slots=True)
class While:
    """A loop as long as a condition holds; ``orelse`` as of ``For``."""

    cond: Expr
    body: Block
    orelse: Block = ()


@dataclass(frozen=True, slots=True)
class Jump:
    """``break`` or ``continue`` of the innermost loop; ``word`` says which."""

    word: str


@dataclass(frozen=True, slots=True)
class ParallelFor:
    """A loop whose iterations, calls of a function, threads share.

    Attributes:
        var, start, stop, step: as of ``For``.
        call: the body.
        threads: how many at most.
        schedule: OpenMP's, with its chunk; 0 for the default.
    """

    var: str
    start: Expr
    stop: Expr
    call: Expr
    threads: Expr
    step: Expr | None = None
    schedule: str = "static"
    chunk: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A call for what it does."""

    call: Expr


@dataclass(frozen=True, slots=True)
class Team:
    """A call that each of several threads makes; ``threads`` says how many at most."""

    call: Expr
    threads: Expr


Stmt: TypeAlias = Assign | If | For | While | Jump | ParallelFor | Run | Team
Block: TypeAlias = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A C function without the GIL; one that may raise returns -1 then.

    Attributes:
        name: of it.
        arguments: their types, by name; of arrays pointers, in the end.
        variables: the C types of those it declares itself, by name.
        body: its statements.
        raises: whether it may raise.
        inline: whether C is to put it where it is called.
        team: whether several threads run it at the same time, as one: the others write
            what it reads, too.
        comments: lines about it.
    """

    name: str
    arguments: Mapping[str, Given]
    variables: Mapping[str, str]
    body: Block
    raises: bool
    inline: bool = False
    team: bool = False
    comments: tuple[str, ...] = ()


def variable(name: str, kind: Kind | None = None) -> Expr:
    """A variable of C; an index if nothing else is said."""
    return Expr("name", kind or of(INT), name=name)


def number(value: int) -> Expr:
    """A number of C."""
    return constant(value, of(INT, value), value)


def constant(value: Number, kind: Kind, literal: Number | None = None) -> Expr:
    """A number; ``literal`` is its value where it is one of the source."""
    # The name tells 1 from 1.0 and from True, and 0.0 from -0.0, which are equal.
    return Expr("number", kind, name=repr(value), number=value, literal=literal)


def index(expr: IntExpr) -> Expr:
    """An expression over sizes and loops."""
    return Expr("index", of(INT), index=expr)


def test(cond: Cond) -> Expr:
    """A condition over sizes and loops."""
    return Expr("test", of(BOOL), index=cond)


def infix(op: str, left: Expr, right: Expr, kind: Kind | None = None) -> Expr:
    """A binary operation; one of indices if nothing else is said."""
    return Expr(op, kind or of(INT), (left, right))


def both(*conditions: Expr) -> Expr:
    """All of some conditions."""
    return _joined("and", conditions)


def either(*conditions: Expr) -> Expr:
    """Any of some conditions."""
    return _joined("or", conditions)


def _joined(op: str, conditions: Sequence[Expr]) -> Expr:
    return conditions[0] if len(conditions) == 1 else Expr(op, of(BOOL), (*conditions,))


def call(function: str, kind: Kind, *args: Expr) -> Expr:
    """A call of a function of C."""
    return Expr("call", kind, args, function)


def intrinsic(
    operation: str,
    kind: Kind,
    *args: Expr,
    dtype: str = "",
    rules: str = "",
    raises: str = "",
) -> Expr:
    """A call of an intrinsic.

    Args:
        operation, dtype, rules: as in ``Intrinsic``.
        kind: of what it gives. args: what it gets.
        raises: what it may raise, in words.
    """
    function = Intrinsic(operation, dtype, rules)
    return Expr("call", kind, args, intrinsic=function, raises=raises)


KEPT = Run(intrinsic("kept", of(INT)))
"""Nothing, which C cannot move out of a branch, or make a vector of."""


def team(most: int) -> Expr:
    """How many threads share a loop; ``most`` is 0 where it does not say."""
    return intrinsic("threads", of(INT), variable("threads"), number(most))


def inside(expr: Expr) -> Iterator[Expr]:
    """An expression and all its parts, each before its own."""
    left = [expr]
    while left:
        one = left.pop()
        yield one
        left += one.parts[::-1]


def statements(block: Sequence[Stmt]) -> Iterator[Stmt]:
    """Statements, and those of their bodies."""
    for node in block:
        yield node
        if isinstance(node, If | For | While):
            yield from statements((*node.body, *node.orelse))


def expressions(block: Sequence[Stmt]) -> Iterator[Expr]:
    """The whole expressions of statements, and those of their bodies."""
    for node in statements(block):
        match node:
            case Assign(target, value):
                yield from (target, value)
            case If(cond) | While(cond):
                yield cond
            case For(_, start, stop, step=step):
                yield from filter(None, (start, stop, step))
            case ParallelFor(_, start, stop, call_, threads, step):
                yield from filter(None, (start, stop, step))
                yield from (call_, threads)
            case Run(call_):
                yield call_
            case Team(call_, threads):
                yield from (call_, threads)


def loops(block: Sequence[Stmt]) -> Iterator[For | ParallelFor]:
    """The loops of statements that count, and of their bodies."""
    for node in statements(block):
        if isinstance(node, For | ParallelFor):
            yield node


def assignments(block: Sequence[Stmt]) -> Iterator[Assign]:
    """The assignments among statements, and in their bodies."""
    for node in statements(block):
        if isinstance(node, Assign):
            yield node


def parts(block: Sequence[Stmt]) -> Iterator[Expr]:
    """All expressions of statements, with their parts."""
    for expr in expressions(block):
        yield from inside(expr)


def used(block: Sequence[Stmt]) -> frozenset[str]:
    """The variables and the arrays of C that statements read or write."""
    found = {loop.var for loop in loops(block)}
    for expr in parts(block):
        if expr.op in ("name", "cell", "local cell"):
            found.add(expr.name.partition(".")[0])
        elif expr.index is not None:
            found |= {text.partition(".")[0] for text in variables(expr.index)}
    return frozenset(found)


def called(block: Sequence[Stmt]) -> frozenset[str | Intrinsic]:
    """What statements call."""
    calls = (expr for expr in parts(block) if expr.op == "call")
    return frozenset(expr.intrinsic or expr.name for expr in calls)


def dangers(exprs: Sequence[Expr] | Iterator[Expr]) -> list[str]:
    """What expressions may raise, each once, in words."""
    found = (part.raises for expr in exprs for part in inside(expr) if part.raises)
    return list(dict.fromkeys(found))
