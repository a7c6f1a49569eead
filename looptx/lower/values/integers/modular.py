"""Python's integers that may have no place in 64 bits of C.

Often only the lowest bits of them count, as in ``(k * 0xCC9E2D51) & 0xFFFFFFFF``.
C's unsigned integers are right modulo 2**64 (C99, 6.2.5), and of sums, differences,
products and bits the lowest ones depend on the lowest ones alone ("demanded bits" in
LLVM). So nothing has to be known of how large they get.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.lower.kinds import BOOL, INT, UNSIGNED, of
from looptx.lower.limits import WORD
from looptx.lower.tree import Expr, Intrinsic, constant, intrinsic
from looptx.lower.types import c_name
from looptx.lower.values.integers.folding import evaluated, python_int
from looptx.lower.values.integers.unsigned import KIND, is_unsigned
from looptx.lower.values.literals import LARGE, converted

BITS = 64
_ALL = (1 << BITS) - 1
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.LShift: "<<",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
OVERFLOWS: dict[type[ast.operator], str] = {
    ast.Add: "add_again",
    ast.Sub: "sub_again",
    ast.Mult: "mul_again",
    ast.Pow: "ipow_again",
    ast.LShift: "lshift_again",
}
"""What leaves the loops to Python where a result has no place in 64 bits."""

_SIGNED = frozenset(Intrinsic(one, "uint64") for one in ("signed", "signed_again"))
"""What makes an int of an integer of NumPy's that has no sign, if it has room."""

_TURNED: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.Invert: "~"}


def looked_at(op: ast.operator, one: Expr, two: Expr) -> Expr:
    """An operation after which Python goes on where 64 bits do not hold the result.

    Args:
        op: the operation. one, two: its operands.
    """
    return intrinsic(OVERFLOWS[type(op)], of(INT), one, two, raises=LARGE)


class Modular:
    """Lowers what counts modulo 2**64.

    Args:
        value: lowers what has to be right in all its bits.
        told: is told of numbers that C does not see.

    Attributes:
        passed: the operations of which only the lowest bits were computed.
    """

    def __init__(
        self,
        value: Callable[[ast.expr], Expr],
        told: Callable[[ast.expr, int], None],
    ) -> None:
        self.value = value
        self.told = told
        self.passed: list[ast.expr] = []

    def masked(self, node: ast.BinOp) -> Expr | None:
        """The lowest bits of what may be large, where nothing else is asked for.

        Args:
            node: ``x & mask`` with a literal, or with a name of an int that may be
                beyond 63 bits, or ``x % 2**k``.
        """
        remainder = isinstance(node.op, ast.Mod)
        for operand, other in _sides(node):
            if evaluated(operand) is not None or not (_grows(operand) or remainder):
                continue
            number, value = self._number(other)
            mask = _below(number) if remainder else number
            if mask is None:
                # Data tell a mask, which may be beyond 63 bits: it is not below 0.
                named = value is not None and is_unsigned(value) and not remainder
                low = self._low(operand) if named else None
            else:
                within = 0 <= mask <= _ALL and (mask == _ALL or _grows(operand))
                low, value = self._low(operand) if within else None, _literal(mask)
            if low is None or value is None:
                self.passed.clear()
                continue
            least = low if mask == _ALL else Expr("&", KIND, (low, value))
            kind = KIND if mask is None or mask > WORD else of(INT)
            return converted(least, kind.c, kind)
        return None

    def _low(self, node: ast.expr) -> Expr | None:
        """The lowest 64 bits of an integer of Python; None for what may be none."""
        match node:
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return _literal(number)
            case ast.BinOp(left, op, right) if self._is_modular(op, right):
                self.passed.append(node)
                shifts = isinstance(op, ast.LShift)
                one = self._low(left)
                two = self.value(right) if shifts else self._low(right)
                if one is None or two is None:
                    return None
                return Expr(_SIGNS[type(op)], KIND, (one, two))
            case ast.UnaryOp(op, operand) if type(op) in _TURNED:
                self.passed.append(node)
                one = self._low(operand)
                return (
                    None if one is None else Expr(_TURNED[type(op)], one.kind, (one,))
                )
        found = self.value(node)
        if found.intrinsic in _SIGNED:  # All integers without a sign are ints.
            return found.parts[0]
        plain = found.kind.members <= {INT, BOOL, UNSIGNED}
        return _unsigned(found) if plain else None

    def _number(self, node: ast.expr) -> tuple[int | None, Expr | None]:
        """A literal integer of any size, if it is one, and what C has for it."""
        number = evaluated(node)
        if number is None or number <= _ALL:
            value = self.value(node)
            return python_int(value), value
        self.told(node, number)
        return number, None

    def _is_modular(self, op: ast.operator, right: ast.expr) -> bool:
        """Whether the lowest bits are those of C's operation.

        Args:
            op: the operation. right: its second operand, a number if it is a shift.
        """
        if not isinstance(op, ast.LShift):
            return type(op) in _SIGNS
        number, _ = self._number(right)
        return number is not None and 0 <= number < BITS


def _sides(node: ast.BinOp) -> list[tuple[ast.expr, ast.expr]]:
    """What may be masked, and what it would be masked with."""
    pair = (node.left, node.right)
    match node.op:
        case ast.BitAnd():
            return [pair, pair[::-1]]
        case ast.Mod():
            return [pair]
    return []


def _below(number: int | None) -> int | None:
    """The bits below a power of two."""
    power = number is not None and number > 0 and number & (number - 1) == 0
    return number - 1 if number is not None and power else None


def _grows(node: ast.expr) -> bool:
    """Whether an operation may need more bits than its operands."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in _SIGNS:
            bits = isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)
            return not bits or _grows(left) or _grows(right)
        case ast.UnaryOp(op) if type(op) in _TURNED:
            return True
    return False


def _literal(number: int) -> Expr:
    """The lowest 64 bits of a number."""
    signed = (number + (1 << (BITS - 1))) % (1 << BITS) - (1 << (BITS - 1))
    return _unsigned(constant(signed, of(INT)))


def _unsigned(value: Expr) -> Expr:
    return converted(value, c_name(KIND.dtype), KIND)
