"""Functions for native runs: other element types, and operators of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fuzz.generate.buffers import given, scratch, temporary
from fuzz.generate.endings import ending, in_rounds, leaving
from fuzz.generate.forms import in_steps, resized, respelled
from fuzz.generate.habits.asked import asked
from fuzz.generate.habits.begun import begun
from fuzz.generate.habits.bracketed import bracketed
from fuzz.generate.habits.carried import carried
from fuzz.generate.habits.chosen import chosen
from fuzz.generate.habits.climbs import climbs
from fuzz.generate.habits.contained import contained
from fuzz.generate.habits.cut import cut
from fuzz.generate.habits.diced import diced
from fuzz.generate.habits.flattened import flattened
from fuzz.generate.habits.generated import generated
from fuzz.generate.habits.habitual import habitual
from fuzz.generate.habits.hashed import hashed
from fuzz.generate.habits.held import held
from fuzz.generate.habits.listed import listed
from fuzz.generate.habits.mirrored import mirrored
from fuzz.generate.habits.numbered import numbered
from fuzz.generate.habits.optional import optional
from fuzz.generate.habits.ordered import ordered
from fuzz.generate.habits.paired import paired
from fuzz.generate.habits.placed import placed
from fuzz.generate.habits.planes import planes
from fuzz.generate.habits.present import present
from fuzz.generate.habits.rounded import rounded
from fuzz.generate.habits.searched import searched
from fuzz.generate.habits.seen import left, seen
from fuzz.generate.habits.settled import settled
from fuzz.generate.habits.sliced import sliced
from fuzz.generate.habits.squared import squared
from fuzz.generate.habits.swept import swept
from fuzz.generate.habits.unset import unset
from fuzz.generate.habits.valued import valued
from fuzz.generate.habits.walked import walked
from fuzz.generate.neighbours import neighbours
from fuzz.generate.overtime import overtime
from fuzz.generate.program import SCHEDULES, bare, program
from fuzz.generate.sums import reduction
from fuzz.generate.whole import arrays_made, making, whole
from fuzz.native.callees import (
    ASKER,
    DRAWER,
    FILLER,
    GIVER,
    KEEPER,
    MOST,
    READER,
    STEM,
    SWEEPER,
    TAKER,
)
from fuzz.native.walkers import WALKER
from fuzz.programs.dice import Dice
from fuzz.programs.model import (
    Array,
    Assign,
    For,
    Function,
    If,
    Node,
    Odd,
    Program,
    walk,
)
from fuzz.programs.terms import ONE, Call, Cell, Expr, Name, Num, Op, cells, names
from looptx.model.dtypes import INTEGERS

KINDS = {
    "float64": 30, "float32": 12, "int64": 12, "int32": 8, "uint8": 6, "complex128": 2,
    "complex64": 2, "bool": 3, "int8": 4, "int16": 4, "uint16": 4, "uint32": 5,
    "uint64": 6, "float16": 6,
}  # fmt: skip
"""How often an element type is drawn."""

FAMILIES: dict[Callable[[int, int | None], Program] | None, int] = {
    None: 70, reduction: 15, temporary: 7, scratch: 4, overtime: 12,
}  # fmt: skip
"""How often a function is one of these, or like those of other tiers."""

NEIGHBOURS = 10
"""How many of a hundred functions read cells beside each other in vectors."""

HABITS = 30
"""How many of a hundred functions have lines that people write, and no directives."""

BESIDE = 12
"""How many of a hundred others have such lines beside what directives are for."""

CARRIED = 15
"""How many of a hundred functions have cells that go from iteration to iteration."""

CHOSEN = 14
"""How many of a hundred other functions have cells that conditions choose between."""

SEEN = 8
"""How many of a hundred functions have loops that use a place which they have seen."""

LEFT = 4
"""How many of a hundred functions have a few rounds of which the last one counts."""

CLIMBS = 4
"""How many of a hundred functions have powers whose exponents are iterations."""

MIRRORED = 3
"""How many of a hundred functions move bits from one number into another."""

ASKED = 3
"""How many of a hundred functions have elements that only own functions read."""

SETTLED = 6
"""How many of a hundred functions without directives call ones that ask of arrays."""

PAIRED = 4
"""How many of a hundred functions have ranges side by side with other things."""

CONTAINED = 6
"""How many of a hundred functions ask whether numbers are among others."""

SWEPT = 6
"""How many of a hundred functions without directives call ones with whole arrays."""

PLANES = 8
"""How many of a hundred functions without directives have complex arrays as a whole."""

SLICED = 5
"""How many of a hundred functions have parts of arrays that lie backwards."""

SQUARED = 8
"""How many of a hundred functions have loops with squares and other powers."""

FLATTENED = 4
"""How many of a hundred functions have loops over rows of arrays of one axis."""

HASHED = 4
"""How many of a hundred functions mix numbers, and keep the lowest bits."""

LISTED = 8
"""How many of a hundred functions without directives fill and empty lists."""

SEARCHED = 3
"""How many of a hundred functions look up where numbers would stand in a row."""

PRESENT = 2
"""How many of a hundred have rows reduced in which some numbers are none."""

ORDERED = 3
"""How many of a hundred look for numbers in the order of rows."""

DRAWN = 2
"""How many of a hundred functions without directives draw random numbers."""

NUMBERED = 5
"""How many of a hundred functions without directives count the cells of arrays."""

CUT = 8
"""How many of a hundred functions without directives name parts of arrays, and make
arrays, as large as data say."""

PLACED = 5
"""How many of a hundred functions without directives take rows where data say."""

GENERATED = 5
"""How many of a hundred functions without directives fold what generators give."""

WALKED = 5
"""How many of a hundred functions without directives call ones that call themselves."""

BRACKETED = 5
"""How many of a hundred functions without directives put numbers in brackets."""
ROUNDED = 5
"""How many of a hundred functions without directives round to so many digits."""

BEGUN = 5
"""How many of a hundred functions without directives have names that begin as None."""

VALUED = 10
"""How many of a hundred functions without directives compute numbers for arrays."""
HELD = 5
"""How many of a hundred functions without directives store into lists."""

OPTIONAL = 5
"""How many of a hundred functions without directives have what may be None."""

UNSET = 5
"""How many of a hundred functions without directives read names without a value."""

FORMS = 12
"""How many of a hundred functions have a form that is seldom written."""

LEAVING = 75
"""How many of a hundred functions without directives ``return`` in a loop."""

WHOLE = 35
"""How many of a hundred functions without directives have statements on arrays."""

MAKING = 45
"""How many of a hundred functions without directives make arrays in their loops."""

ARRAYS = 35
"""How many of a hundred functions without directives make arrays by statements."""

ROUNDS = 40
"""How many of a hundred functions without directives have ``while`` for ``for``."""

ENDING = 30
"""How many of a hundred functions have loops that end early in them."""

FUNCTIONS = (
    "abs", "float", "np.sign", "int", "np.sqrt", "np.floor", "np.abs", "np.exp",
)  # fmt: skip


def drawn(seed: int, schedule: int) -> Program | None:
    """One function with a list of directives; None where something is trusted.

    Args:
        seed: of the function.
        schedule: which of its lists of directives; behind the last one comes none.
    """
    habits = Dice(f"native habits {seed}")
    habitually = habits.chance(HABITS)
    directed = schedule < SCHEDULES and not habitually
    if Dice(f"native neighbours {seed}").chance(NEIGHBOURS):
        return neighbours(seed, schedule if directed else None)
    dice = Dice(f"native {seed}")
    (family,) = dice.random.choices(list(FAMILIES), list(FAMILIES.values()))
    if family is not None:
        made = family(seed, schedule if directed else None)
    else:
        made = program(seed * SCHEDULES + schedule) if directed else bare(seed)
    if made.trusts:
        return None
    made = given(made, seed)
    function = made.functions[seed % len(made.functions)]
    if not reassociated(made):
        function = replace(function, body=_spiced(function.body, dice))
    function = _typed(function, dice, exact=not reassociated(made))
    if habitually or habits.chance(BESIDE):
        function = habitual(function, habits, not directed)
    form = Dice(f"native form {seed}")
    if form.chance(FORMS):
        function = form.pick(resized, resized, respelled, in_steps)(function, form)
    ends = Dice(f"native ends {seed}")
    if ends.chance(ENDING):
        function = ending(function, ends)
    statements = Dice(f"native whole {seed}")
    if not directed and statements.chance(WHOLE):
        function = whole(function, statements)
    makes = Dice(f"native makes {seed}")
    if not directed and makes.chance(MAKING):
        function = making(function, makes)
    arrays = Dice(f"native arrays {seed}")
    if not directed and arrays.chance(ARRAYS):
        function = arrays_made(function, arrays)
    leaves = Dice(f"native leaves {seed}")
    if not directed and leaves.chance(LEAVING):
        function = leaving(function, leaves)
    rounds = Dice(f"native rounds {seed}")
    if not directed and rounds.chance(ROUNDS):
        function = in_rounds(function, rounds)
    carry = Dice(f"native carried {seed}")
    if carry.chance(CARRIED):
        function = carried(function, carry)
    choose = Dice(f"native chosen {seed}")
    if not habitually and choose.chance(CHOSEN):
        function = chosen(function, choose)
    places = Dice(f"native seen {seed}")
    if places.chance(SEEN):
        function = seen(function, places)
    slices = Dice(f"native slices {seed}")
    if slices.chance(SLICED):
        function = sliced(function, slices, alone=directed)
    squares = Dice(f"native squared {seed}")
    if squares.chance(SQUARED):
        function = squared(function, squares)
    rows = Dice(f"native flattened {seed}")
    if not directed and rows.chance(FLATTENED):
        function = flattened(function, rows)
    powers = Dice(f"native climbs {seed}")
    if powers.chance(CLIMBS):
        function = climbs(function, powers)
    bits = Dice(f"native mirrored {seed}")
    if bits.chance(MIRRORED):
        function = mirrored(function, bits)
    reads = Dice(f"native asked {seed}")
    if reads.chance(ASKED):
        reader = f"{READER}1_{reads.random.randrange(MOST)}"
        function = asked(function, reads, reader)
    among = Dice(f"native contained {seed}")
    if among.chance(CONTAINED):
        function = contained(function, among)
    sweeps = Dice(f"native swept {seed}")
    if not directed and sweeps.chance(SWEPT):
        names = [f"{SWEEPER}{sweeps.random.randrange(MOST)}" for _ in range(2)]
        filler = f"{FILLER}{Dice(f'native filled {seed}').random.randrange(MOST)}"
        function = swept(function, sweeps, (names[0], names[1]), filler)
    wholes = Dice(f"native planes {seed}")
    if not directed and wholes.chance(PLANES):
        function = planes(function, wholes)
    leaves_last = Dice(f"native leaves behind {seed}")
    if leaves_last.chance(LEFT):
        function = left(function, leaves_last)
    hashes = Dice(f"native hashed {seed}")
    if hashes.chance(HASHED):
        function = hashed(function, hashes)
    lists = Dice(f"native listed {seed}")
    if not directed and lists.chance(LISTED):
        function = listed(function, lists)
    places_in = Dice(f"native searched {seed}")
    if places_in.chance(SEARCHED):
        function = searched(function, places_in)
    present_in = Dice(f"native present {seed}")
    if present_in.chance(PRESENT):
        function = present(function, present_in)
    orders = Dice(f"native ordered {seed}")
    if orders.chance(ORDERED):
        function = ordered(function, orders)
    draws = Dice(f"native drawn {seed}")
    if not directed and draws.chance(DRAWN):
        function = diced(function, draws, f"{DRAWER}{seed % MOST}")
    counts = Dice(f"native numbered {seed}")
    if not directed and counts.chance(NUMBERED):
        function = numbered(function, counts)
    pairs = Dice(f"native paired {seed}")
    if pairs.chance(PAIRED):
        function = paired(function, pairs)
    cuts = Dice(f"native cut {seed}")
    if not directed and cuts.chance(CUT):
        function = cut(function, cuts)
    asks = Dice(f"native settled {seed}")
    if not directed and asks.chance(SETTLED):
        function = settled(function, asks, f"{ASKER}{asks.random.randrange(MOST)}")
    given_or_not = Dice(f"native optional {seed}")
    if not directed and given_or_not.chance(OPTIONAL):
        taker = f"{TAKER}{given_or_not.random.randrange(MOST)}"
        function = optional(function, given_or_not, taker)
    late = Dice(f"native unset {seed}")
    if not directed and late.chance(UNSET):
        function = unset(function, late)
    rows_of = Dice(f"native placed {seed}")
    if not directed and rows_of.chance(PLACED):
        function = placed(function, rows_of)
    folds = Dice(f"native generated {seed}")
    if not directed and folds.chance(GENERATED):
        function = generated(function, folds)
    walks = Dice(f"native walked {seed}")
    if not directed and walks.chance(WALKED):
        function = walked(function, walks, f"{WALKER}{walks.random.randrange(MOST)}")
    some = Dice(f"native bracketed {seed}")
    if not directed and some.chance(BRACKETED):
        function = bracketed(function, some)
    digits = Dice(f"native rounded {seed}")
    if not directed and digits.chance(ROUNDED):
        function = rounded(function, digits)
    begins = Dice(f"native begun {seed}")
    if not directed and begins.chance(BEGUN):
        function = begun(function, begins)
    gives = Dice(f"native valued {seed}")
    if not directed and gives.chance(VALUED):
        function = valued(function, gives, f"{GIVER}{gives.random.randrange(MOST)}")
    lists = Dice(f"native held {seed}")
    if not directed and lists.chance(HELD):
        function = held(function, lists)
    return Program((function,), tagged=False)


def reassociated(made: Program) -> bool:
    """Whether sums may be taken in another order, so that bits may differ."""
    return any("reassociate " in line for line in made.directives)


def read(function: Function) -> frozenset[str]:
    """The names that are read, those of arrays among them."""
    found: list[frozenset[str]] = []
    for node in walk(function.body):
        match node:
            case Assign(target, op, value):
                found.append(names(value))
                if isinstance(target, Cell):
                    found += map(names, target.at)
                if op != "=":
                    found.append(names(target))
            case If(condition):
                found.append(names(condition))
            case For(_, start, stop):
                found += [names(start), names(stop)]
            case Odd(uses=used):
                found.append(used)
    return frozenset().union(*found)


def written(function: Function) -> frozenset[str]:
    """The arrays that are written."""
    found: set[str] = set()
    for node in walk(function.body):
        match node:
            case Assign(Cell(array)):
                found.add(array)
            case Odd(writes=arrays):
                found |= arrays
        if isinstance(node, Assign):
            found |= _kept(node.value)
    return frozenset(found)


def _kept(value: Expr) -> frozenset[str]:
    """The arrays that functions write which an expression calls."""
    found: list[frozenset[str]] = []
    match value:
        case Op(left=left, right=right):
            found = [_kept(left), _kept(right)]
        case Call(name, args):
            found = [_kept(one) for one in args]
            if name.startswith(KEEPER) and isinstance(args[0], Name):
                found.append(frozenset((args[0].name,)))
    return frozenset().union(*found)


def _typed(function: Function, dice: Dice, *, exact: bool) -> Function:
    """The function with arrays of other element types.

    In 16 bits even small sums depend on the order: none unless they are ``exact``.
    """
    kinds, weights = list(KINDS), list(KINDS.values())

    def kind() -> str:
        found = dice.random.choices(kinds, weights)[0]
        return found if exact or found != "float16" else "float32"

    whole, each = kind(), dice.chance(15)
    arrays: list[Array] = []
    for one in function.arrays:
        if one.name == "idx":
            dtype = dice.pick("int64", "int64", "int64", *INTEGERS)
        else:
            dtype = kind() if each else whole
        arrays.append(replace(one, dtype=dtype))
    return replace(function, arrays=tuple(arrays))


def _spiced(nodes: tuple[Node, ...], dice: Dice) -> tuple[Node, ...]:
    """Statements of which some compute something else."""
    found: list[Node] = []
    for node in nodes:
        match node:
            case Assign():
                if dice.chance(30):
                    node = replace(node, value=_other(node.value, dice))
            case If():
                node = replace(
                    node,
                    body=_spiced(node.body, dice),
                    orelse=_spiced(node.orelse, dice),
                )
            case For():
                node = replace(node, body=_spiced(node.body, dice))
        found.append(node)
    return tuple(found)


def _other(value: Expr, dice: Dice) -> Expr:
    """An expression around another one."""
    known: list[Expr] = list(cells(value)) or [Num(3)]
    part = dice.pick(*known, Name("n"), Num(3))
    found: list[Expr] = [
        Op("/", value, part),
        Op("//", value, part),
        Op("%", value, part),
        Op("*", Op("/", ONE, Num(2)), value),
        Op("+", value, Op("/", ONE, Num(10))),
        Op("-", Num(0), value),
        Op("*", value, value),
        Call(dice.pick(*FUNCTIONS), (value,)),
        Call(dice.pick(*FUNCTIONS), (value,)),
        Call(f"{STEM}{dice.random.randrange(MOST)}", (value,)),
        Call(dice.pick("np.maximum", "np.minimum", "min", "max"), (value, part)),
    ]
    elements = [one for one in known if type(one) is Cell]
    if elements and dice.chance(25):
        one = dice.pick(*elements)
        number = dice.random.randrange(MOST)
        args = (Name(one.array), *one.at)
        if one.array != "idx" and dice.chance(30):
            return Call(f"{KEEPER}{len(one.at)}_{number}", (*args, value))
        return Op("+", value, Call(f"{READER}{len(one.at)}_{number}", args))
    return dice.pick(*found)
