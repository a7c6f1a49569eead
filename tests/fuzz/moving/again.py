"""Functions in which what runs again writes several cells, or rows, of an array.

A nest fills an array cell by cell or row by row, at times under a condition, and one
cell from another one or from a second array; a nest that reads them writes on some, so
that a run of a cell may be right and that of another one wrong.
"""

from __future__ import annotations

from fuzz.moving.function import Moving, Taken
from fuzz.moving.values import Values

ROOM = "3 * n + 3 * m + 30"


class Again(Values):
    """Draws a function.

    Attributes:
        form: what is right for one cell and wrong for another one: of ``twins`` that
            one run writes, or of what it may write over ``later``; or anything.
        rows: whether the array has rows of two cells. two: whether there is a second
            array. other: the second place that an iteration writes.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed, "again")
        self.form = self.dice.pick("twins", "later", "any", "any")
        self.rows = self.dice.chance(35)
        self.two = self.dice.chance(55)
        self.data = self.dice.chance(35)
        self.other = self.dice.pick("n + 1 + {0}", "2 * n + 2 + {0}", "2 * n + 3 - {0}")

    def at(self, place: str) -> str:
        """A cell of the array."""
        column = f", {self.dice.pick('0', '1')}" if self.rows else ""
        return f"P[{place}{column}]"

    def some(self, v: str) -> str:
        """A cell that an iteration writes."""
        return self.at(self.dice.pick(v, v, self.other.format(v)))

    def value(self, v: str) -> str:
        """What nobody changes."""
        return self.dice.pick(
            f"x[{v}]", f"y[{v}] * 2", f"x[{v}] - y[{v}]", f"A[{v}, 0]"
        )

    def target(self, v: str) -> str:
        """A cell or a whole row, where there are rows."""
        row = self.rows and self.dice.chance(50)
        return f"P[{v}]" if row else self.at(v)

    def write(self, v: str) -> str:
        """A statement that writes one cell, two, or a row."""
        value, other = self.value(v), self.at(self.other.format(v))
        return self.dice.pick(
            f"{self.target(v)} = {value}", f"{self.target(v)} = {value}",
            f"{self.at(v)} = {other} = {value}", f"{other} = {self.at(v)} + 1",
            f"{other} = {value}", f"{self.at(v)} += {value}",
            f"{self.target(f'{v} // 2')} = {value}",
        )  # fmt: skip

    def producer(self) -> list[str]:
        """The body of the nest that fills the arrays."""
        dice, value = self.dice, self.value("i")
        if self.form == "twins":
            rest = "" if self.rows else f"P[{self.other.format('i')}] = "
            return [f"P[i] = {rest}{value}"]
        if self.form == "later":
            column = ", 0" if self.rows else ""
            body = [f"P[i{column}] = {value}", "if i < n:"]
            body += [f"    R[i] = P[i{column}] * 2", f"if {dice.pick(*'xy')}[i] > 1:"]
            return [*body, f"    P[i{column}] = {dice.pick('7', value)}"]
        body = [f"{self.target('i')} = {value}"]
        for _ in range(dice.pick(0, 1, 1, 2)):
            line = self.write("i")
            if self.data and dice.chance(60):
                body.append(f"if {dice.pick('x', 'y')}[i] > 1:")
                line = "    " + line
            body.append(line)
        if self.two:
            line = f"R[i] = {self.some('i')} * 2"
            guard = dice.pick("", "", "", "if i < n:", "if i > 0:")
            own = [guard, "    " + line] if guard else [line]
            ends = [k for k, x in enumerate((*body, "")) if k and x[:1] != " "]
            at = dice.pick(*ends)
            body[at:at] = own
        return body

    def read(self, v: str) -> str:
        """A cell that the other nest reads."""
        place = self.dice.pick(v, v, f"{v} + 1", f"{v} + 1", "0")
        if self.two and self.dice.chance(40):
            return f"R[{place}]"
        return self.some(place)

    def consumer(self) -> list[str]:
        """The body of the nest that reads, and writes on what it has read."""
        dice, column = self.dice, ", 0" if self.rows else ""
        if self.form == "twins":
            other = "{0}, 1" if self.rows else self.other
            here, next_one = other.format("p"), other.format("(p + 1)")
            place = dice.pick("p", "p + 1", "p + 1", "p - 1")
            body = [f"C[p] = P[p{column}] - P[{here}] + P[{next_one}]"]
            return dice.pick(body, [*body, f"P[{place}{column}] = y[p]"])
        if self.form == "later":
            more = dice.pick("", "", f" + P[p{column}]")
            return [f"C[p] = P[p + 1{column}] - R[p] + P[0{column}]{more}"]
        reads = (self.read("p") for _ in range(dice.pick(2, 2, 3)))
        body = [f"C[p] = {' - '.join(reads)}"]
        if dice.chance(60):
            v = dice.pick("p", "p", "p + 1")
            line = dice.pick(
                f"{self.target(v)} = y[p]", f"{self.at(v)} += 1",
                f"{self.at(self.other.format(v))} = {self.at(v)}",
            )  # fmt: skip
            own = ["if x[p] < 2:", "    " + line] if self.data else [line]
            at = dice.pick(0, 1, 1)
            body[at:at] = own
        return body

    def function(self) -> Moving:
        """The function, with its directives."""
        dice = self.dice
        # What one iteration writes for the next one is read where they go upwards.
        turned = "1, n" if self.form == "twins" else "n - 1, -1, -1"
        nests = [
            ("n0", "i", dice.pick("n + 1", "n + 1", "n, -1, -1"), self.producer()),
            ("n1", "p", dice.pick("n", "n", "1, n", turned), self.consumer()),
        ]
        if self.form != "twins" and dice.chance(50):
            nests.append(
                ("n2", "k", "n", [f"D[k] = {self.read('k')} + {self.read('k')}"])
            )
        texts = (
            "\n".join(
                [
                    f"# looptx: nest {name}",
                    f"for {v} in range({bounds}):",
                    *(f"    {line}" for line in body),
                ]
            )
            for name, v, bounds, body in nests
        )
        shape = f"({ROOM}, 2)" if self.rows else ROOM
        made = [f"P = np.zeros({shape})"]
        two = self.two or self.form == "later"
        made += [f"R = np.zeros({ROOM})"] * two
        seen = [
            line[0] for line in made if dice.chance(15 if self.form == "twins" else 35)
        ]
        arrays = (
            Taken("A", 2, self.kind),
            *(Taken(name, 1, self.kind) for name in "xy"),
            *(Taken(name, 1, "float64") for name in "CD"),
        )
        return Moving(
            arrays,
            tuple(made),
            tuple(texts),
            (),
            tuple(seen),
            dice.chance(40),
            tuple(self.directives()),
        )

    def directives(self) -> list[str]:
        """A producer that moves, and what may stand around that."""
        dice, found, loop = self.dice, list[str](), "n1.p"
        if dice.chance(20):
            found.append(dice.pick("split n0.i 2", "split n1.p 2", "split n1.p 3"))
            loop = dice.pick(loop, "n1.pp") if "n1" in found[0] else loop
        if dice.chance(12):
            found.append(dice.pick("cache_write P at n0.i", "cache_read x at n0.i"))
        sliding = " sliding" if dice.chance(15) else ""
        found.append(f"compute_at n0 {loop}{sliding}")
        if dice.chance(25):
            found.append(
                dice.pick("temp P", "cache_read P at n1.p", "cache_write P at n1.p",
                          "cache_write C at n1.p", "split n1.p 2")
            )  # fmt: skip
        return found


def again(seed: int) -> Moving:
    """The function of a number."""
    return Again(seed).function()
