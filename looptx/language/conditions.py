"""The conditions of ``assume``, and the values that directives name: both are affine.

    condition  = comparison ("and" comparison)*
    comparison = sum (OP sum)+                    OP one of < <= == != >= >
    sum        = ["-"] term (("+" | "-") term)*
    term       = factor (("*" | "//" | "%") factor)*
    factor     = INTEGER | NAME | NAME.shape[INTEGER] | len(NAME) | "-" factor | (sum)

A name may be dotted, a divisor is a literal. The result is a ``Cond``, or for a sum an
``IntExpr``; nothing is evaluated.
"""

from __future__ import annotations

import re
from typing import NoReturn

from looptx.errors import Malformed
from looptx.language import words
from looptx.model.expr import (
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Var,
    add,
    floordiv,
    linear,
    mod,
    mul,
    neg,
)
from looptx.model.shapes import extent

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9][\w.]*)|(?P<name>[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*)"
    r"|(?P<sign><=|>=|==|!=|//|[-<>+*%()\[\]]))"
)
_COMPARISONS = ("<", "<=", "==", "!=", ">=", ">")
_MOST_TOKENS = 256
_DEEPEST = 32
_LARGEST = 2**62
_USAGE = "write, for example, `assume n % 32 == 0 and n > 0`"


def parse_condition(text: str) -> Cond:
    """The condition a text states.

    Raises LX102 for anything outside the grammar above, LX103 for bad numbers.
    """
    return _Parser(text, "condition", _USAGE).condition()


def parse_value(text: str, usage: str) -> IntExpr:
    """The affine value that a word of a directive states: ``k+1``, ``n//2``.

    Args:
        text: the word.
        usage: the hint where it states none.

    Raises:
        Malformed: LX102 for anything outside the grammar above, LX103 for bad numbers.
    """
    return _Parser(text, "value", usage).value()


class _Parser:
    """Recursive descent over the tokens; ``depth`` bounds the recursion.

    Args:
        text: what is parsed.
        what: it is called in messages.
        usage: the hint of errors.
    """

    def __init__(self, text: str, what: str, usage: str) -> None:
        self.what = what
        self.usage = usage
        self.tokens = self.split(text)
        self.at = 0
        self.depth = 0

    def split(self, text: str) -> list[str]:
        tokens: list[str] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or len(tokens) >= _MOST_TOKENS:
                rest = words.shorten(text[at:].strip())
                self.fail(f"cannot read the {self.what} at `{rest}`")
            tokens.append("".join(match[0].split()))
            at = match.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.peek()
        if not token or (expected and token not in expected):
            found = f"`{words.shorten(token)}`" if token else "the end"
            wanted = " or ".join(f"`{sign}`" for sign in expected) or "more"
            self.fail(f"the {self.what} has {found} where {wanted} is expected")
        self.at += 1
        return token

    def value(self) -> IntExpr:
        value = self.sum()
        if self.peek():
            self.fail(f"the value ends before `{words.shorten(self.peek())}`")
        return value

    def condition(self) -> Cond:
        parts = self.comparison()
        while self.peek():
            self.take("and")
            parts += self.comparison()
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def comparison(self) -> list[Cond]:
        left = self.sum()
        parts: list[Cond] = []
        while not parts or self.peek() in _COMPARISONS:
            sign = self.take(*_COMPARISONS)
            right = self.sum()
            parts.append(Compare(sign, left, right))
            left = right
        return parts

    def sum(self) -> IntExpr:
        value = self.term()
        while self.peek() in ("+", "-"):
            sign = self.take()
            right = self.term()
            value = self.bounded(add(value, right if sign == "+" else neg(right)))
        return value

    def term(self) -> IntExpr:
        value = self.factor()
        while self.peek() in ("*", "//", "%"):
            sign = self.take()
            right = self.factor()
            if sign == "*":
                if not isinstance(value, Const) and not isinstance(right, Const):
                    self.fail(f"the {self.what} is not affine: a product of two names")
                value = self.bounded(mul(value, right))
            else:
                if not isinstance(right, Const):
                    self.fail(f"the divisor of `{sign}` is not a literal")
                if right.value < 1:
                    self.fail(f"the divisor of `{sign}` is not positive", "LX103")
                divided = mod if sign == "%" else floordiv
                value = divided(value, right.value)
        return value

    def factor(self) -> IntExpr:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"the {self.what} is nested too deeply")
        token = self.take()
        try:
            if token == "-":
                return neg(self.factor())
            if token == "(":
                value = self.sum()
                self.take(")")
                return value
            if token[0] in "0123456789":
                return Const(words.integer(token))
            return self.name(token)
        finally:
            self.depth -= 1

    def name(self, token: str) -> IntExpr:
        if token == "len":
            self.take("(")
            array = self.take()
            self.take(")")
            if words.is_dotted(array):
                return Var(extent(array, 0))
            self.fail(f"`{words.shorten(array)}` is not the name of an array")
        if not words.is_dotted(token):
            self.fail(f"`{words.shorten(token)}` is not a name")
        if not token.endswith(".shape"):
            return Var(token)
        self.take("[")
        axis = words.integer(self.take())
        self.take("]")
        if not 0 <= axis < 64:
            self.fail(f"`{axis}` is not an axis", "LX103")
        return Var(extent(token.removesuffix(".shape"), axis))

    def bounded(self, value: IntExpr) -> IntExpr:
        coefficients, constant = linear(value)
        numbers = (*coefficients.values(), constant)
        if any(abs(number) >= _LARGEST for number in numbers):
            self.fail(f"a number of the {self.what} is too large", "LX103")
        return value

    def fail(self, message: str, code: str = "LX102") -> NoReturn:
        raise Malformed(code, message, hint=self.usage)
