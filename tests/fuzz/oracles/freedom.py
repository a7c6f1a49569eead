"""What the statements of a function need not keep: sums, scalars and temporaries.

An accepted schedule is given all the freedom that the values allow (``loose``); what a
refusal is measured by (``promised``) is only what the language promises: reductions
that are named or in integers may be combined in any order, and what every iteration
writes before it reads has cells of its own in the iterations of the loops around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from fuzz.oracles.conflicts import Freedom
from fuzz.oracles.enumeration import Instance, Place
from fuzz.oracles.executions import Found, assumed, everywhere
from fuzz.programs.model import Assign, For, Function, Node, Program, walk
from fuzz.programs.nodes import every, surrounding
from fuzz.programs.terms import Call, Cell, Choice, Expr, Name, Num, Op
from fuzz.programs.terms import names as named


def loose(function: Function) -> Freedom:
    """What an accepted schedule may make use of."""
    whole = {name for name, first in function.starts if isinstance(first, int)}
    before = _integers(function, function.body, frozenset(whole))
    return Freedom(reduced(function, before), _private(function))


def promised(program: Program, function: Function) -> Freedom:
    """What every schedule may make use of."""
    return Freedom(reduced(function), own=own(program, function))


def nests(function: Function) -> list[int]:
    """For every statement the nest it is in, as a number.

    Nests that are fused are one, with what is between, and so is the one that the
    directive stands on.
    """
    names: dict[str, int] = {}
    texts = [(text, frozenset[int]()) for text in function.directives]
    for at, node in enumerate(function.body):
        if isinstance(node, For):
            names[node.label or f"n{len(names)}"] = at
            texts += [(text, frozenset((at,))) for text in node.directives]
    one = list(range(len(function.body)))
    for text, here in texts:
        for words in map(str.split, text.split(" | ")):
            fused = here | {names[x] for x in words if x in names}
            if words[0] == "fuse" and fused:
                joined = one[min(fused) : max(fused) + 1]
                one = [min(joined) if x in joined else x for x in one]
    return [
        number
        for number, node in zip(one, function.body, strict=True)
        for _ in _assigned([node])
    ]


def reduced(
    function: Function, before: frozenset[str] = frozenset()
) -> frozenset[tuple[int, str]]:
    """The statements and targets of reductions whose order is free.

    What a nest is told holds for its own statements, in a fused one for all.

    Args:
        function: the function.
        before: what is known to hold an integer where a nest starts.
    """
    return frozenset(_reduced(function, before))


def _reduced(function: Function, before: frozenset[str]) -> Iterator[tuple[int, str]]:
    texts = function.texts()
    fused = any("fuse " in text for text in texts)
    number = 1
    for node in function.body:
        exact = frozenset[str]()
        if function.annotated:
            exact = _integers(function, function.body if fused else [node], before)
        near = texts if fused else [*function.directives]
        for inner in walk([node]) if not fused else ():
            near += inner.directives if isinstance(inner, For) else ()
        clauses = [x.split() for text in near for x in text.split(" | ")]
        named = {x for words in clauses if words[0] == "reassociate" for x in words[1:]}
        for one in _assigned([node]):
            if written(one) in exact | named:
                yield number, function.setting.owner(written(one))
            number += 1


def _assigned(nodes: Sequence[Node]) -> Iterator[Assign]:
    return (node for node in walk(nodes) if isinstance(node, Assign))


def written(one: Assign) -> str:
    """The array or scalar that a statement sets."""
    target = one.target
    return target.array if isinstance(target, Cell) else target.name


def _integers(
    function: Function, nest: Sequence[Node], before: frozenset[str]
) -> frozenset[str]:
    """The arrays and scalars of a nest that hold integers, and only ever get integers.

    What a scalar that the nest does not set has from before it is in ``before``. One
    that is only combined starts with what the function gives it.
    """
    loops = {node.var for node in walk(nest) if isinstance(node, For)}
    arrays = {array.name for array in function.arrays if "int" in array.dtype}
    statements = list(_assigned(nest))
    scalars = {x.target.name for x in statements if isinstance(x.target, Name)}
    known = arrays | loops | scalars | before | {"n", "m"}
    known -= {name for name, first in function.starts if isinstance(first, float)}
    tags = "int" in function.arrays[0].dtype
    while True:
        wrong = {
            written(one)
            for one in statements
            if not (tags and _integer(one.value, known))
        }
        if not wrong & known:
            return frozenset(known)
        known -= wrong


def _integer(value: Expr, known: set[str]) -> bool:
    """Whether an expression is an integer, given the names that are."""
    match value:
        case Num():
            return True
        case Name(name):
            return name in known
        case Cell(array):
            return array in known
        case Op(op, left, right):
            return op != "/" and _integer(left, known) and _integer(right, known)
        case Call(_, args):
            return all(_integer(one, known) for one in args)
        case Choice(_, then, other):
            return _integer(then, known) and _integer(other, known)


def _private(function: Function) -> frozenset[str]:
    """Scalars, and local arrays that are temporaries."""
    targets = [x.target for x in _assigned(function.body)]
    scalars = {x.name for x in targets if isinstance(x, Name)}
    return temporaries(function) | scalars


def temporaries(function: Function) -> frozenset[str]:
    """The local arrays that directives call temporaries, and arguments like them."""
    named = {text.removeprefix("temp ") for text in function.clauses()}
    own = frozenset(one.name for one in function.locals if one.name in named)
    return own | function.scratch


def own(program: Program, function: Function) -> frozenset[tuple[int, str, int]]:
    """What has cells of its own in each iteration of so many outer loops.

    A scalar has where every read of it sees a write in the same iteration of the loops
    around all its uses, and nothing reads it after the nest; a temporary may also be
    read before it is written.

    Returns:
        The numbers of statements, what they touch, and how many loops.
    """
    names = _private(function)
    if not names:
        return frozenset()
    statements = list(_assigned(function.body))
    inside = nests(function)
    loops = [tuple(map(id, one)) for one in surrounding(function.body)]
    flows: dict[tuple[int, str], _Flow] = {}
    for nest, around, one in zip(inside, loops, statements, strict=True):
        for name in names & every(one):
            flow = flows.setdefault((nest, name), _Flow(around))
            flow.loops = tuple(takewhile(around.__contains__, flow.loops))
            flow.leaves |= name in (*function.returns, function.setting.namesake)
            flow.leaves |= name == function.setting.caught
    holds = not any(text.startswith("assume ") for text in function.clauses())
    ran = set[int]()
    for extents, found in everywhere(program, function):
        if holds or assumed(function, extents):
            ran |= {number for number, _ in found}
            _follow(found, names, inside, flows)
    for number, (nest, one) in enumerate(zip(inside, statements, strict=True), 1):
        # What only runs that raise may read is read as far as the text says.
        for (earlier, name), flow in flows.items():
            unseen = number not in ran and name in _read(one)
            flow.leaves |= unseen and earlier < nest
    given = temporaries(function)
    return frozenset(
        (number, name, len(flow.loops))
        for number, (nest, one) in enumerate(zip(inside, statements, strict=True), 1)
        for name in names & every(one)
        for flow in [flows[nest, name]]
        if flow.loops and not flow.leaves and (name in given or not flow.enters)
    )


def _read(one: Assign) -> frozenset[str]:
    """What a statement may read."""
    known = frozenset[str]() if one.op == "=" else frozenset((written(one),))
    return known | named(one.value)


@dataclass
class _Flow:
    """How the values of one name go from its writes to its reads in a nest.

    Attributes:
        loops: the outermost ones, by number, whose iterations they stay inside.
        enters: whether some value is not written in the nest.
        leaves: whether some value is read behind the nest.
    """

    loops: tuple[int, ...]
    enters: bool = False
    leaves: bool = False


def _follow(
    found: Found,
    names: frozenset[str],
    inside: Sequence[int],
    flows: Mapping[tuple[int, str], _Flow],
) -> None:
    """See which writes the reads of one run get their values from."""
    last: dict[Place, Instance] = {}
    for one, access in found.items():
        nest = inside[one[0] - 1]
        for place in [*access.reads, access.write] if access.op else access.reads:
            if place[0] not in names:
                continue
            flow, writer = flows[nest, place[0]], last.get(place)
            if writer is not None and inside[writer[0] - 1] == nest:
                pairs = zip(flow.loops, one[1], writer[1], strict=False)
                flow.loops = tuple(x for x, a, b in takewhile(_equal, pairs))
                continue
            flow.enters = True
            if writer is not None:
                flows[inside[writer[0] - 1], place[0]].leaves = True
        if access.write[0] in names:
            last[access.write] = one


def _equal(pair: tuple[int, int, int]) -> bool:
    return pair[1] == pair[2]
