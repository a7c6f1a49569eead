"""Loops in pieces, in each of which conditions on positions are decided.

``i < n - 1`` holds in all rounds up to one and fails in those behind it, so two loops
need no masks, nor loads that these guard. (Index-set splitting: Griebl, Feautrier,
Lengauer, IJPP 28, 2000.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from looptx.lower.kinds import BOOL, of
from looptx.lower.known.inside import small
from looptx.lower.known.lines import Lines, bounds
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    If,
    Stmt,
    assignments,
    constant,
    index,
    loops,
    parts,
    variable,
)
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.model.expr import (
    Compare,
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    add,
    linear,
    sub,
    variables,
)
from looptx.model.records import dataclass, field, replace
from looptx.model.shapes import is_extent

_CUTS, _LONG = 3, 2
"""Places where a loop is cut at most, and pieces that there are then of many rounds."""

_SHORT = 8
"""A piece of so few rounds has no vectors."""

Truth = dict[Expr, bool]


@dataclass(slots=True)
class _Cut:
    """A place where conditions change.

    Attributes:
        at: it. before, behind: what conditions are in front of it, and from it on.
        there: what they are in the round at it.
    """

    at: IntExpr
    before: Truth = field(default_factory=dict)
    behind: Truth = field(default_factory=dict)
    there: Truth = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some of the rounds of a loop.

    Attributes:
        start, stop: what they are between, by integers that may lie outside of it.
        first, end: the same as C has it.
        known: what conditions are in all of them.
    """

    start: IntExpr
    stop: IntExpr
    first: IntExpr
    end: IntExpr
    known: Truth

    @property
    def is_short(self) -> bool:
        """Whether it is known to have a few rounds."""
        count = sub(self.stop, self.start)
        return isinstance(count, Const) and count.value <= _SHORT


def in_pieces(
    scope: Scope, loop: For, declared: dict[str, str]
) -> tuple[list[Stmt], list[tuple[For, bool]]]:
    """A loop as several, one behind the other, if that decides conditions.

    Args:
        scope: the nest.
        loop: it; its step is 1.
        declared: the variables of the function it is in: their types, by name.

    Returns:
        What says where the pieces begin, and these, with whether they are short.
    """
    names = {one.target.name for one in assignments(loop.body)}
    changed = names | {one.var for one in loops(loop.body)}
    lines = Lines(frozenset(changed))
    start, stop = lines.of(loop.start), lines.of(loop.stop)
    cuts = _cuts(scope, loop, lines)
    if start is None or stop is None or not 0 < len(cuts) <= _CUTS:
        return [], [(loop, False)]
    before: list[Stmt] = []
    pieces = [_Piece(start, stop, start, stop, {})]
    for cut in cuts:
        found: list[_Piece] = []
        for at, piece in enumerate(pieces):
            if whole := _uncut(piece, cut):
                found.append(whole)
                continue
            name = scope.names.fresh(f"{loop.var}_cut")
            two = _in_two(piece, cut, Var(name))
            others = *found, *pieces[at + 1 :]
            if piece.is_short or _long(others) + _long(two) > _LONG:
                found.append(piece)
                continue
            declared[name] = "Py_ssize_t"
            before.append(Assign(variable(name), index(_within(piece, cut.at))))
            found += two
        pieces = found
    pieces = [_of_one(piece, cuts) for piece in pieces]
    return before, [(_loop(loop, one), one.is_short) for one in pieces]


def _long(pieces: Sequence[_Piece]) -> int:
    return sum(not one.is_short for one in pieces)


def _uncut(piece: _Piece, cut: _Cut) -> _Piece | None:
    """A piece that is all in front of a cut, or behind it; None for others."""
    far = sub(cut.at, piece.stop), sub(piece.start, cut.at)
    for gap, known in zip(far, (cut.before, cut.behind), strict=True):
        if isinstance(gap, Const) and gap.value >= 0:
            return replace(piece, known=piece.known | known)
    return None


def _of_one(piece: _Piece, cuts: Sequence[_Cut]) -> _Piece:
    """A piece with what is known of it if it has one round, at a cut."""
    known = piece.known
    for cut in cuts:
        if cut.at == piece.start and sub(piece.stop, cut.at) == Const(1):
            known = known | cut.there
    return replace(piece, known=known)


def _in_two(piece: _Piece, cut: _Cut, place: IntExpr) -> list[_Piece]:
    """What is in front of a cut, and what is behind it.

    Args:
        piece: what is cut. cut: where. place: the same as C has it.
    """
    return [
        replace(piece, stop=cut.at, end=place, known=piece.known | cut.before),
        replace(piece, start=cut.at, first=place, known=piece.known | cut.behind),
    ]


def _within(piece: _Piece, at: IntExpr) -> IntExpr:
    """A place that is none outside of a piece, and its end where it has no rounds."""
    far = sub(at, piece.first), sub(piece.end, at)
    if not (isinstance(far[1], Const) and far[1].value >= 0):
        at = Min((at, piece.end))
    if not (isinstance(far[0], Const) and far[0].value >= 0):
        at = Max((at, piece.first))
    return at


def _loop(loop: For, piece: _Piece) -> For:
    """The loop over a piece; if that is short, or empty, C leaves it alone."""
    body = _settled(loop.body, piece.known)
    kept = (KEPT, *body) if piece.is_short or not body else body
    return replace(loop, start=index(piece.first), stop=index(piece.end), body=kept)


def _cuts(scope: Scope, loop: For, lines: Lines) -> list[_Cut]:
    """Where conditions change.

    Args:
        scope: the nest. loop: it.
        lines: what integers are in its body.
    """
    near = small(scope) | {loop.var}
    found: dict[IntExpr, _Cut] = {}
    for cond in dict.fromkeys(parts(loop.body)):
        op, one, two = _compared(cond, lines)
        if one is None or two is None:
            continue
        terms, _ = linear(sub(two, one))
        names = variables(one) | variables(two)
        far = any(x not in near and not is_extent(x) for x in names)
        if far or abs(terms.get(Var(loop.var), 0)) != 1:
            continue
        for at, before, behind in _changes(op, sub(two, one), loop.var):
            cut = found.setdefault(at, _Cut(at))
            if op in ("==", "!=") and behind is None:
                cut.there[cond] = op == "=="
            if before is not None:
                cut.before[cond] = before
            if behind is not None:
                cut.behind[cond] = behind
    return list(found.values())


def _compared(cond: Expr, lines: Lines) -> tuple[str, IntExpr | None, IntExpr | None]:
    """How a condition compares which integers; None for others, or another condition.

    Args:
        cond: it. lines: what integers are where it stands.
    """
    op, sides = cond.op, cond.parts
    if isinstance(cond.index, Compare):
        op, sides = cond.index.op, (index(cond.index.left), index(cond.index.right))
    if op not in COMPARISONS:
        return op, None, None
    one, two = sides
    return op, lines.of(one), lines.of(two)


def _changes(
    op: str, gap: IntExpr, var: str
) -> Iterator[tuple[IntExpr, bool | None, bool | None]]:
    """Where a condition changes, with what it is in front and behind, if that is known.

    Args:
        op: the comparison. gap: by how much the second integer is larger.
        var: the variable of the loop.
    """
    if op in ("==", "!="):
        low, high = bounds(gap, var)
        at = low if low is not None else sub(high or Const(0), Const(1))
        yield at, op == "!=", None
        yield add(at, Const(1)), None, op == "!="
        return
    need = {"<": sub(gap, Const(1)), "<=": gap}
    need |= {">=": sub(Const(-1), need["<"]), ">": sub(Const(-1), gap)}
    low, high = bounds(need[op], var)
    if low is not None:
        yield low, False, True
    if high is not None:
        yield high, True, False


def _settled(block: Block, known: Truth) -> Block:
    """Statements with what some conditions are."""
    found: list[Stmt] = []
    for node in block:
        match node:
            case Assign(target, value, op):
                target, value = _value(target, known), _value(value, known)
                found.append(Assign(target, value, op))
            case If(cond, body, orelse):
                cond = _value(cond, known)
                one, two = _settled(body, known), _settled(orelse, known)
                if cond.op == "number":
                    found += one if cond.number else two
                else:
                    found.append(If(cond, one, two))
            case For():
                found.append(replace(node, body=_settled(node.body, known)))
            case _:
                found.append(node)
    return (*found,)


def _value(expr: Expr, known: Mapping[Expr, bool]) -> Expr:
    """A value with what some conditions are."""
    if expr in known:
        return constant(int(known[expr]), of(BOOL))
    parts = tuple(_value(part, known) for part in expr.parts)
    if parts == expr.parts:
        return expr
    first = parts[0]
    match expr.op:
        case "not" if first.op == "number":
            return constant(int(not first.number), expr.kind)
        case "and" | "or":
            passed = expr.op == "and"
            left: list[Expr] = []
            for part in parts:
                if part.op == "number" and bool(part.number) == passed:
                    continue
                left.append(part)
                if part.op == "number":
                    break
            if not left or left[0].op == "number":
                return constant(int(passed if not left else not passed), expr.kind)
            if len(left) == 1:
                return left[0]
            return replace(expr, parts=(*left,))
        case "choice" if first.op == "number":
            taken = parts[1 if first.number else 2]
            if taken.kind.dtype == expr.kind.dtype:
                return replace(taken, kind=expr.kind)
    return replace(expr, parts=parts)
