"""Draws what stands around nests, and puts into them what takes something from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fuzz.generate.program import calls_hidden
from fuzz.programs.dice import Dice
from fuzz.programs.model import For, Function, If, Node, Odd, Program, walk
from fuzz.programs.nodes import Assign
from fuzz.programs.setting import ALIASES, Setting, Start
from fuzz.programs.terms import ZERO, Call, Cell, Expr, Extent, Name, Num, Op

SHARE = 20
"""How many of a hundred programs have surroundings."""

BUILTINS = ("min", "max", "abs", "len", "int", "divmod")

Loops = tuple[str, ...]


def surrounded(program: Program, body: int, seed: int) -> Program:
    """A program with something around the nests of a function, at times.

    Args:
        program: with its directives.
        body: the number of its statements, which those surroundings follow from that
            change them. seed: its own number.
    """
    dice = Dice(f"setting {body}")
    if not dice.chance(SHARE):
        return program
    at = dice.pick(*range(len(program.functions)))
    changed = dice.pick(*KINDS)(program.functions[at], dice, Dice(f"setting {seed}"))
    functions = (*program.functions[:at], changed, *program.functions[at + 1 :])
    made = replace(program, functions=functions, hides=False)
    return replace(made, hides=program.hides and not calls_hidden(made))


def _shadowed(function: Function, dice: Dice, _: Dice) -> Function:
    """Builtins that the function does not use mean something else."""
    text = Program((function,)).text()
    free = [name for name in BUILTINS if f"{name}(" not in text]
    if not free:
        return function
    names = dice.some(free, dice.pick(1, 2, 2))
    places = ("module", "import", "closure", "argument", "local")
    found = tuple((name, dice.pick(*places)) for name in names)
    return replace(function, setting=Setting(shadows=found))


def _renamed(function: Function, dice: Dice, _: Dice) -> Function:
    """Two arrays are one."""
    same = [
        (one, other)
        for one in function.arrays
        for other in function.arrays
        if one.rank == other.rank and one is not other
        if "idx" not in (one.name, other.name)
    ]
    if function.annotated or not same:
        return function
    old, new = dice.pick(*same)
    if function.shaped and new.name == function.giver:
        old, new = new, old
    arrays = tuple(one for one in function.arrays if one is not new)
    alias = new.name, old.name, dice.pick(*ALIASES)
    return replace(function, arrays=arrays, setting=Setting(alias=alias))


def _caught(function: Function, dice: Dice, _: Dice) -> Function:
    """An exception in the nests is caught, and tells where it was."""
    loops = [node.var for node in walk(function.body) if isinstance(node, For)]
    known = [*loops, *loops, *(name for name, _ in function.starts)]
    setting = Setting(caught=dice.pick(*known), final=dice.chance(35))
    return replace(function, setting=setting)


def _namesake(function: Function, dice: Dice, _: Dice) -> Function:
    """Only dead code sets a local that the module has, too."""

    def dead(loops: Loops) -> Node:
        one = Name(dice.pick(*loops))
        never = dice.pick(Op("<", one, ZERO), Op("!=", one, one))
        return If(never, (Assign(Name("u"), "=", Num(2)),))

    body = put_in(function.body, dice, dead)
    return replace(function, body=body, setting=Setting(namesake="u"))


def _derived(function: Function, dice: Dice, _: Dice) -> Function:
    """A size is half of another one, and bounds and subscripts use it."""
    shaped = function.shaped and dice.chance(70)
    n, m = (f"{function.giver}.shape[{x}]" for x in (0, 1)) if shaped else "nm"
    ways = (
        (f"{n} // 2", "n // 2"),
        (f"max({n} - 2, 0)", "max(n - 2, 0)"),
        (f"min({n}, {m})", "min(n, m)"),
        (f"{m} % 3", "m % 3"),
        (f"{n} - 1", "n - 1"),
    )
    text, value = dice.pick(*ways)

    def bounds(node: For) -> For:
        start, stop = node.start, node.stop
        if node.step < 0 or not isinstance(stop, Name) or not dice.chance(65):
            return node
        found = dice.pick(
            (start, Name("h")), (Name("h"), stop), (Name("h"), Op("-", stop, Name("h")))
        )
        return replace(node, start=found[0], stop=found[1])

    def moved(cell: Cell) -> Cell:
        at = dice.random.randrange(len(cell.at))
        if not isinstance(cell.at[at], Name) or not dice.chance(40):
            return cell
        by = dice.pick("+", "-")
        rest = cell.at[:at], cell.at[at + 1 :]
        return Cell(cell.array, (*rest[0], Op(by, cell.at[at], Name("h")), *rest[1]))

    body = tuple(_changed(node, bounds, moved) for node in function.body)
    given = Setting(derived=(("h", text, value),))
    typed = function.annotated or not shaped  # or else it may be a float
    return replace(function, body=body, setting=given, annotated=typed)


def _combined(function: Function, dice: Dice, _: Dice) -> Function:
    """Integers are combined into a scalar that may be none."""
    arrays = [one for one in function.arrays if one.name != "idx"]
    first = dice.pick(*arrays)
    cell = f"{first.name}[{', '.join('0' * first.rank)}]"
    text = dice.pick("0", "1", "0.3", "0.3", "", cell)

    def combination(loops: Loops) -> Node:
        i, j = dice.pick(*loops), dice.pick(*loops)
        term = dice.pick(i, f"{i} + 2", f"{i} * {j} + 1", "3", f"2 * {i} - {j}")
        line = dice.pick(
            f"c += {term}", f"c *= {term}", f"c -= {term}", f"c = c + ({term})",
            f"c = max(c, {term})",
        )  # fmt: skip
        return Odd((line,), frozenset((*loops, "c")))

    body = put_in(function.body, dice, combination)
    return replace(function, body=body, setting=Setting(starts=(Start("c", text),)))


def _rows(function: Function, dice: Dice, _: Dice) -> Function:
    """An inner loop runs over a row."""
    rows = [one.name for one in function.arrays if one.rank == 2]
    outer = [node for node in function.body if isinstance(node, For)]
    if not rows or not outer:
        return function
    row = dice.pick(*rows)

    def bounds(node: For, loops: Loops = ()) -> For:
        if loops and node.step > 0 and dice.chance(60):
            extent: Expr = Extent(row, Name(dice.pick(*loops)))
            if dice.chance(60):
                extent = Call("min", (node.stop, extent))
            node = replace(node, stop=extent)
        inside = tuple(
            bounds(x, (*loops, node.var)) if isinstance(x, For) else x
            for x in node.body
        )
        return replace(node, body=inside)

    body = tuple(bounds(x) if isinstance(x, For) else x for x in function.body)
    return replace(function, body=body)


def _opaque(function: Function, dice: Dice, own: Dice) -> Function:
    """Calls of which nothing is known stand in nests whose order is kept."""

    def call(loops: Loops) -> Node:
        i, j = dice.pick(*loops), dice.pick(*loops)
        line = dice.pick(
            f"p, r = divmod({i}, 3)", f"p = sum(({i}, {j}))", f"print({i}, {j})",
            f"p = len(range({i}))", f"p = {i}.real", f'p = f"{{{i}}}"',
            f"{i} = {i}", "n = n", f"print(f'{{{i}}}')",
        )  # fmt: skip
        return Odd((line,), frozenset((*loops, "p", "r")))

    keeping = own.pick("split {} 2", "split {} 3", "unroll {} 2", "split {} 4")
    plain = Setting(opaque=True)
    body = list(put_in(function.body, dice, call))
    for at, node in enumerate(body):
        if isinstance(node, For):
            texts = (keeping.format(node.var),) if _first(body) == at else ()
            body[at] = _bare(replace(node, directives=texts), texts)
    return replace(function, body=tuple(body), directives=(), setting=plain)


def _first(body: list[Node]) -> int:
    return next(at for at, node in enumerate(body) if isinstance(node, For))


def _bare(node: For, texts: tuple[str, ...]) -> For:
    """A loop without directives inside."""
    inside = tuple(_bare(x, ()) if isinstance(x, For) else x for x in node.body)
    return replace(node, body=inside, directives=texts)


def put_in(
    nodes: tuple[Node, ...], dice: Dice, make: Callable[[Loops], Node]
) -> tuple[Node, ...]:
    """Statements with one more in some loop."""
    chosen = dice.pick(*(x for x in nodes if isinstance(x, For)))

    def put(node: For, loops: Loops) -> For:
        inner = [x for x in node.body if isinstance(x, For)]
        loops = (*loops, node.var)
        if inner and dice.chance(75):
            deeper = dice.pick(*inner)
            inside = tuple(put(x, loops) if x is deeper else x for x in node.body)
            return replace(node, body=inside) if isinstance(deeper, For) else node
        made = make(loops)
        body = (made, *node.body) if dice.chance(50) else (*node.body, made)
        return replace(node, body=body)

    return tuple(put(x, ()) if x is chosen and isinstance(x, For) else x for x in nodes)


def _changed(
    node: Node, bounds: Callable[[For], For], moved: Callable[[Cell], Cell]
) -> Node:
    """A statement with other bounds and cells."""
    match node:
        case For():
            inside = tuple(_changed(x, bounds, moved) for x in node.body)
            return replace(bounds(node), body=inside)
        case If(_, body, orelse):
            inside = tuple(_changed(x, bounds, moved) for x in body)
            other = tuple(_changed(x, bounds, moved) for x in orelse)
            return replace(node, body=inside, orelse=other)
        case Assign(Cell() as target):
            return replace(node, target=moved(target))
    return node


KINDS = (
    _shadowed, _shadowed, _renamed, _caught, _caught, _namesake, _derived, _derived,
    _combined, _rows, _opaque,
)  # fmt: skip
"""What is drawn, and how often."""
