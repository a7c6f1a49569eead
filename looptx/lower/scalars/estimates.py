"""Comparisons with sums of squares, most of which need no more than an estimate.

A search for what is nearest compares each distance with one that it keeps, and hardly
ever keeps it. A power is C's to the last bit, which takes longer than a product that is
one bit off at most; and a sum of so few squares as a loop adds, none of them negative,
is off by no more than a part of 2**9. So it is estimated by products first, and made of
powers only where that does not tell that the condition fails. (Floating-point filters:
Fortune and Van Wyk, ACM Trans. Graphics 15, 1996.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from looptx.lower import tree
from looptx.lower.kinds import BOOL, of
from looptx.lower.scalars.branches import READY
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Stmt,
    While,
    infix,
    inside,
    number,
    parts,
)
from looptx.lower.vectors.masks.masked import CELLS
from looptx.model.records import dataclass, replace

_FAR, _LEAST, _LARGEST = 1 + 2.0**-8, 2.0**-450, 2.0**511
"""How far apart an estimate and a limit are where they tell: more than what 2**42 sums
are off by, and roots of squares that are too small to be as near as others. A root that
is as large may be that of a sum which is too large for one of both, and not the other.
"""

_FEW = 8
"""How many sums of a loop are worth it where those are short: of the first ones of a
search most are kept."""

_SIDES = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Comparisons, with what they are from the other side."""

_QUICK = READY | {*CELLS, "index"}
"""What the number that is multiplied by itself is made of."""


def with_estimates(scope: Scope, one: Function) -> Function:
    """A function whose loops compute sums of powers where a comparison needs them.

    Args:
        scope: the nest. one: the function.
    """
    if not any(map(_is_square, parts(one.body))):
        return one
    found = _Estimates(scope, {**one.variables}, _own(one))
    body = found.block(one.body, looped=False)
    return replace(one, body=body, variables=found.declared)


@dataclass(slots=True)
class _Estimates:
    """A function that is looked at.

    Attributes:
        scope: the nest.
        declared: its variables.
        own: those that nothing reads but what makes them, and a branch behind it.
        short: whether the loop that is looked at has estimates of short sums.
    """

    scope: Scope
    declared: dict[str, str]
    own: frozenset[str]
    short: bool = False

    def block(self, block: Block, *, looped: bool) -> Block:
        """Statements with estimates in front of conditions.

        Args:
            block: the statements. looped: whether they are in a loop.
        """
        found: list[Stmt] = []
        for at, node in enumerate(block):
            match node:
                case For() | While():
                    found.append(self._loop(node, looped=looped))
                case If(cond, body, orelse):
                    sides = (self.block(x, looped=looped) for x in (body, orelse))
                    node = If(cond, *sides)
                    made = self._estimated(block, at, node) if looped else None
                    if made is None:
                        found.append(node)
                    else:
                        count, lines = made
                        found[len(found) - count :] = lines
                case _:
                    found.append(node)
        return (*found,)

    def _loop(self, node: For | While, *, looped: bool) -> Stmt:
        """A loop with estimates, but where it is seen to be too short for them."""
        around, self.short = self.short, False
        body = self.block(node.body, looped=True)
        made = replace(node, body=body, orelse=self.block(node.orelse, looped=looped))
        short, self.short = self.short, around
        if not short or isinstance(node, While) or node.step is not None:
            return made
        count = infix("-", node.stop, node.start)
        quiet = not any(part.raises for part in inside(count))
        few = infix("<", count, number(_FEW), of(BOOL))
        return If(few, (node,), (made,)) if quiet else made

    def _estimated(
        self, block: Block, at: int, node: If
    ) -> tuple[int, list[Stmt]] | None:
        """How many statements in front of a branch go into one, and all that is then.

        Args:
            block: the statements. at: where the branch is. node: what it has become.
        """
        limit, lines = _made(block, at)
        names = _targets(lines)
        if limit is None:
            return None
        if names & tree.used([tree.Run(limit.other)]) or not names <= self.own:
            return None
        news = {name: self.scope.names.fresh(f"{name}_near") for name in names}
        near = [made for line in lines if (made := _near(line, news))]
        roots = sum(map(_is_root, parts(lines)))
        squares = any(map(_is_square, parts(lines)))
        if len(near) < len(lines) or roots > 1 or not squares:
            return None
        self.declared.update(dict.fromkeys(news.values(), "double"))
        self.short |= not any(isinstance(line, For) for line in lines)
        may = limit.may(news[limit.name], rooted=roots > 0)
        return len(lines), [*near, If(may, (*lines, node))]


@dataclass(frozen=True, slots=True)
class _Limit:
    """A comparison of a variable.

    Attributes:
        name: of the variable. other: what it is compared with.
        below: whether it holds for small numbers, not for large ones.
    """

    name: str
    other: Expr
    below: bool

    def may(self, near: str, *, rooted: bool) -> Expr:
        """Whether it may hold for what is near a variable.

        Args:
            near: the name of that. rooted: whether it is made of a root.
        """
        kind = self.other.kind
        one = tree.variable(near, kind)
        less, more = (self.other, one) if self.below else (one, self.other)
        less = infix("*", less, tree.constant(_FAR, kind), kind)
        less = infix("+", less, tree.constant(_LEAST, kind), kind)
        may = Expr("not", of(BOOL), (infix("<", less, more, of(BOOL)),))
        large = infix(">", one, tree.constant(_LARGEST, kind), of(BOOL))
        return tree.either(may, large) if rooted else may


def _limits(cond: Expr) -> Iterator[_Limit]:
    """The comparisons of variables without which a condition fails."""
    if cond.op == "and" and not any(part.raises for part in inside(cond)):
        for part in cond.parts:
            yield from _limits(part)
    fails = cond.op == "not"
    if fails:
        (cond,) = cond.parts
    if cond.op not in _SIDES:
        return
    one, other = cond.parts
    for name, limit, op in ((one, other, cond.op), (other, one, _SIDES[cond.op])):
        doubles = name.kind.dtype == limit.kind.dtype == "float64"
        quiet = all(x.op != "call" or x.intrinsic for x in inside(limit))
        quiet &= not any(x.raises or x.lanes > 1 for x in inside(limit))
        if name.op == "name" and doubles and quiet and limit.op != "number":
            yield _Limit(name.name, limit, (op in ("<", "<=")) != fails)


def _made(block: Block, at: int) -> tuple[_Limit | None, Block]:
    """What a branch compares, and the statements in front of it that make that.

    Args:
        block: the statements. at: where the branch is.
    """
    node = block[at]
    if isinstance(node, If) and not node.orelse:
        for limit in _limits(node.cond):
            match block[_start(block, at, limit.name) : at]:
                case (Assign(_, value), *_) as lines:
                    # The first one makes it anew.
                    if _targets(lines).isdisjoint(tree.used([tree.Run(value)])):
                        return limit, lines
    return None, ()


def _targets(block: Block) -> set[str]:
    """The variables that statements give values."""
    return {x.target.name for x in block if isinstance(x, Assign)}


def _own(one: Function) -> frozenset[str]:
    """The doubles that nothing reads but what makes them, and a branch behind it.

    Args:
        one: the function.
    """
    total, known, twice = _reads(one.body), Counter[str](), set[str]()

    def look(block: Block, around: frozenset[str]) -> None:
        for at, node in enumerate(block):
            _, lines = _made(block, at)
            names = _targets(lines)
            twice.update(names & around)
            used = _reads((*lines, node))
            known.update({name: used[name] for name in names})
            if isinstance(node, If | For | While):
                look(node.body, around | names)
                look(node.orelse, around | names)

    look(one.body, frozenset())
    doubles = {name for name, kind in one.variables.items() if kind == "double"}
    return frozenset(x for x in doubles - twice if known[x] == total[x])


def _start(block: Block, end: int, name: str) -> int:
    """Where the statements begin that make a variable, and end in front of a place.

    Args:
        block: the statements. end: the place. name: of the variable.
    """
    match block[max(end - 2, 0) : end]:
        case (*_, Assign(Expr("name", name=own), value, "")) if own == name:
            if value.op == "call" and len(value.parts) == 1:
                (value,) = value.parts
            return _start(block, end - 1, value.name) if value.op == "name" else end - 1
        case (Assign(Expr("name", name=own), Expr("number"), ""), For()) if own == name:
            return end - 2
    return end


def _near(node: Stmt, news: Mapping[str, str]) -> Stmt | None:
    """A statement that gives estimates; None where it is no sum of squares.

    Args:
        node: the statement. news: what estimates of variables are called.
    """
    match node:
        case Assign(Expr("name") as target, value, op) if target.name in news:
            made = _estimate(value, news)
            if made is None or op not in ("", "+"):
                return None
            return Assign(replace(target, name=news[target.name]), made, op)
        case For(_, start, stop, (Assign() as line,), None, ()):
            near = _near(line, news)
            if near is None or any(x.raises for y in (start, stop) for x in inside(y)):
                return None
            return replace(node, body=(near,))
    return None


def _estimate(value: Expr, news: Mapping[str, str]) -> Expr | None:
    """A value that is never negative, of products; None where it may be something else.

    Args:
        value: it. news: what estimates of variables are called.
    """
    if value.op == "name" and value.name in news:
        return replace(value, name=news[value.name])
    if value.op == "number" and isinstance(value.number, float):
        return value if value.number >= 0 else None
    if _is_square(value):
        return infix("*", value.parts[0], value.parts[0], value.kind)
    if value.kind.dtype != "float64" or value.raises:
        return None
    if value.op == "+" or _is_root(value):
        made = [_estimate(part, news) for part in value.parts]
        known = tuple(one for one in made if one is not None)
        return replace(value, parts=known) if len(known) == len(made) else None
    return None


def _is_root(value: Expr) -> bool:
    """Whether it is a square root."""
    return value.intrinsic is not None and value.intrinsic.operation == "sqrt"


def _is_square(value: Expr) -> bool:
    """Whether it is a power of a double that is quickly multiplied by itself."""
    called = value.intrinsic
    if called is None or (called.operation, called.rules) != ("pow", ""):
        return False
    base, exponent = value.parts
    if called.dtype != base.kind.dtype or exponent.number != 2 or value.lanes > 1:
        return False
    if called.dtype != "float64":
        return False
    return all(x.op in _QUICK and not x.raises for x in inside(base))


def _reads(block: Block) -> Counter[str]:
    """How often statements read variables."""
    found = Counter(loop.var for loop in tree.loops(block))
    for part in parts(block):
        if part.op == "name":
            found[part.name] += 1
        elif part.index is not None:
            found.update(tree.used([tree.Run(part)]))
    plain = (x.target for x in tree.assignments(block) if not x.op)
    found.subtract(target.name for target in plain if target.op == "name")
    return found
