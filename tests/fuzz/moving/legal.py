"""Functions with a directive that is legal by construction.

A nest writes each cell once, from what nobody changes, and another one reads some.
"""

from __future__ import annotations

from fuzz.moving.function import Moving, Taken
from fuzz.moving.values import KINDS
from fuzz.programs.dice import Dice

NARROW = (
    ("int64", "int32"), ("int64", "int8"), ("int32", "int16"), ("int64", "uint8"),
    ("uint64", "uint32"), ("int32", "float16"), ("uint16", "uint8"),
)  # fmt: skip
"""Integers and a type that does not have all their values: they wrap, or raise."""


def summed(dice: Dice) -> Moving:
    """Sums of each row, in parts: of integers, or of floats, which nobody may round."""
    kind = "int64" if dice.chance(75) else "float64"
    loop = f"for k in range({dice.pick('m', 'n', 'i + 1', '1, m', 'n - 1, -1, -1')}):"
    target = dice.pick("s", "s", "C[i]")
    change = dice.pick("{0} += {1}", "{0} *= {1}", "{0} = max({0}, {1})", "{0} |= {1}")
    change = change if kind == "int64" else "{0} += {1}"
    body = [loop, "    " + change.format(target, "A[i, k]")]
    if target == "s":
        body = [f"s = {dice.pick('0', '3')}", *body, "C[i] = s"]
    nest = ["# looptx: nest n0", "for i in range(n):", *(f"    {x}" for x in body)]
    split = [f"split n0.k {dice.pick(2, 3, 4)}"] if dice.chance(50) else []
    part = dice.pick("k", "kk") if split else "k"
    behind = [[], [], ["compute_at part n0.i"], [f"parallel part.{part}"]]
    directives = (*split, f"rfactor n0.{part} as part", *dice.pick(*behind))
    arrays = Taken("A", 2, kind), Taken("C", 1, kind)
    before = ("s = 1",) if target == "s" and dice.chance(50) else ()
    return Moving(
        arrays,
        before,
        ("\n".join(nest),),
        (),
        (),
        True,
        directives,
        legal=kind == "int64",
    )


def narrowed(dice: Dice) -> Moving:
    """Numbers that do not fit where they are kept, each of them read for sure."""
    kind, kept = dice.pick(*NARROW)
    rank = dice.pick(1, 2)
    nests = []
    value = dice.pick(
        "A[{0}] * 3", "A[{0}]", "A[{0}] + A[{0}]", "A[{0}] - 7", "A[{0}] // 3"
    )
    read = dice.pick("T[{0}]", "T[{0}] * 2", "A[{0}] - T[{0}]", "T[{0}] + T[{0}]")
    for at, names in enumerate(("i, j", "p, q")):
        cell = names if rank == 2 else names[0]
        body = f"{'TC'[at]}[{cell}] = {(value, read)[at].format(cell)}"
        lines = [f"# looptx: nest n{at}"]
        for depth, v in enumerate(cell.split(", ")):
            lines.append("    " * depth + f"for {v} in range(n):")
        nests.append("\n".join([*lines, "    " * rank + body]))
    before = [f"split n1.p {dice.pick(2, 3)}"] if dice.chance(40) else []
    arrays = (
        Taken("A", rank, kind),
        Taken("C", rank, dice.pick(kind, "int64", "float64")),
    )
    size = "(n, n)" if rank == 2 else "n"
    made = f"T = np.{dice.pick('zeros', 'empty')}({size}, dtype=np.{kept})"
    directives = (*before, "compute_inline n0")
    return Moving(arrays, (made,), tuple(nests), (), (), True, directives, legal=True)


def legal(seed: int) -> Moving:
    """The function of a number."""
    dice = Dice(f"legal {seed}")
    if dice.chance(35):
        return dice.pick(summed, summed, narrowed)(dice)
    kind_of = dice.pick(*KINDS)
    rank = dice.pick(1, 2)
    names = ("i", "j")[:rank]
    value = dice.pick("A[{0}] * 3", "A[{0}] / 3", "A[{0}] / 7", "A[{0}] + A[{0}]")
    value = value.format(", ".join(names))
    shape = "4 * n + 4 * m + 9"
    loops = [
        f"for {v} in range({dice.pick('n', 'm', '1, n', '2 * n', '0, n, 2')}):"
        for v in names
    ]
    first = [*loops, f"T[{', '.join(names)}] = {value}"]
    kind = dice.pick("at", "at", "sliding", "reverse", "inline", "inline")
    again = kind != "inline" and dice.chance(25)
    if again:
        # What runs twice adds twice.
        first[-1] = first[-1].replace(" = ", " += ")
    local, whole = kind == "inline" or dice.chance(50), True
    if kind == "inline":
        # With another size, which may be negative, it might not write all.
        shape = "4 * n + 9"
        whole = dice.chance(70)
        if whole:
            first = [f"for {v} in range({shape}):" for v in names] + first[-1:]
    readers = "pq"
    reads = []
    for _ in range(dice.pick(1, 2, 2)):
        v, w = dice.pick(*readers), dice.pick(*readers)
        at = [
            dice.pick(
                v,
                f"{v} + 1",
                f"{v} + 2",
                f"2 * {v}",
                f"{v} // 2",
                f"{v} // 3",
                f"{v} % 3",
                f"{v} + {w}",
                "1",
                "n",
            )
            for _ in names
        ]
        reads.append(f"T[{', '.join(at)}]")
    bounds = (
        dice.pick("n", "m", "1, n", "n - 1, -1, -1"),
        dice.pick("m", "p + 1", "p, n", "0, n, 2"),
    )
    if kind == "inline":
        bounds = bounds[0].replace("m", "n"), bounds[1].replace("m", "n")
    second = [
        f"for p in range({bounds[0]}):",
        f"for q in range({bounds[1]}):",
        f"C[p, q] = {' - '.join(reads)}",
    ]
    nests = tuple(
        "\n".join(
            [
                f"# looptx: nest n{at}",
                *("    " * depth + line for depth, line in enumerate(lines)),
            ]
        )
        for at, lines in enumerate((first, second))
    )
    changed = kind == "inline" and dice.chance(25)
    if changed:
        # What the expression reads is another value where it is read.
        cell = ", ".join("ii"[:rank])
        lines = "# looptx: nest b", "for i in range(n):", f"    A[{cell}] += 1"
        nests = nests[0], "\n".join(lines), nests[1]
    # The values that are read are those of the step before.
    steps = 2 if kind == "inline" and dice.chance(25) else 0
    nests = nests[::-1] if steps else nests
    loop = dice.pick("p", "q")
    if kind == "reverse":
        loop = dice.pick(*names)
    target = "n0" if kind == "reverse" else "n1"
    before = []
    if dice.chance(40):
        before.append(f"split {target}.{loop} {dice.pick(2, 3, 4)}")
        loop = dice.pick(loop, 2 * loop)
    move = {
        "at": f"compute_at n0 n1.{loop}", "sliding": f"compute_at n0 n1.{loop} sliding",
        "reverse": f"reverse_compute_at n1 n0.{loop}", "inline": "compute_inline n0",
    }[kind]  # fmt: skip
    size = f"({shape}, {shape})" if rank == 2 else shape
    # What is kept is rounded.
    kept = dice.pick(kind_of, "float32", "float32", "int64", "int32")
    if kind == "inline":
        # A NaN that nobody reads raises where it is stored as an integer.
        kept = dice.pick("float32", "float64")
    # NumPy warns where an imaginary part is lost, and a warning may be an error.
    warned = kind == "inline" and kind_of.startswith("complex")
    arrays = [Taken("A", rank, kind_of), Taken("C", 2, kind_of)]
    if not local:
        arrays.append(Taken("T", rank, kept))
    made = f"T = np.zeros({size}, dtype=np.{kept})"
    return Moving(
        tuple(arrays),
        (made,) * local,
        nests,
        (),
        (),
        dice.chance(55),
        (*before, move),
        legal=whole and not (steps or changed or warned or (again and kind == "at")),
        steps=steps,
    )
