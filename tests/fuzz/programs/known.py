"""Small programs of which it is known what is to be said."""

from __future__ import annotations

from fuzz.programs.model import Array, Assign, For, Function, Program
from fuzz.programs.terms import ONE, ZERO, Cell, Expr, Name, Op, add

ROW, COLUMN = Name("i"), Name("j")


def nest(target: Cell, value: Expr, *directives: str, op: str = "=") -> Program:
    """Two loops around one statement."""
    return around((Assign(target, op, value, "kept"),), *directives)


def around(statements: tuple[Assign, ...], *directives: str) -> Program:
    """Two loops around some statements."""
    inner = For("j", ONE, Name("m"), 1, statements)
    outer = For("i", ONE, Name("n"), 1, (inner,), directives)
    arrays = (Array("A", 2, "float64"), Array("B", 2, "float64"))
    return Program((Function("f0", arrays, (outer,)),))


CORNER = Cell("A", (ONE, ONE))
WAVE = Op("+", Cell("A", (add(ROW, -1), add(COLUMN, 1))), ONE)
HERE = Cell("A", (ROW, COLUMN))
COPY = nest(HERE, Cell("B", (COLUMN, ROW)), "split i 3")
SWEEP = nest(HERE, WAVE, "reorder j i")
SUMS = nest(Cell("A", (ZERO, COLUMN)), Cell("B", (ROW, COLUMN)), "reorder j i", op="+=")
