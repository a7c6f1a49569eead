"""Statements with other expressions in the place of names and elements.

Values of loops are integers, so that a sum of them and of literals is added up:
``A[i - 1]`` with ``k + 1`` for ``i`` is ``A[k]``. libcst adds no parentheses; how
tightly an expression must bind in the place of a name is said by the table here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import libcst as cst

from looptx.looptree.text import (
    ATOM,
    CHOICE,
    NOT,
    OR,
    PRODUCT,
    SUM,
    UNARY,
    wrapped,
)
from looptx.model.expr import Const, IntExpr, Mul, Var, add, mul, neg, variables
from looptx.model.records import dataclass, field
from looptx.syntax.comments import comments_of
from looptx.syntax.concrete import Concrete, Where

Node = TypeVar("Node", bound=cst.CSTNode)

_SIGNS = (cst.Add, cst.Subtract)
_TIGHT = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.BaseNumber)
_PRODUCTS = (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply)

_MARKS = (
    cst.BaseParenthesizableWhitespace,
    cst.BaseBinaryOp,
    cst.BaseAugOp,
    cst.BaseCompOp,
    cst.BaseNumber,
    cst.AssignEqual,
    cst.Comma,
    cst.Dot,
    cst.LeftSquareBracket,
    cst.RightSquareBracket,
)
_KINDS = [kind for kind in vars(cst).values() if isinstance(kind, type)]
_BARE = frozenset(kind for kind in _KINDS if issubclass(kind, _MARKS))
"""What no name or element is a part of: half of a tree, which libcst would copy."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """Replaces the names and elements of a statement.

    Attributes:
        values: the replacement of each loop variable.
        cells: the text that replaces another name.
        elements: the text that replaces an element of an array, by its place.
        converted: the function that is called on the value of an assignment, if any.
        joined: the names whose replacements are subscripts that go on behind them.
        spelled: how the source writes a size.
        idle: the places of small statements that do nothing.
    """

    values: Mapping[str, IntExpr]
    cells: Mapping[str, str] = field(default_factory=dict)
    elements: Mapping[Where, str] = field(default_factory=dict)
    joined: frozenset[str] = frozenset()
    converted: str = ""
    spelled: Mapping[str, str] = field(default_factory=dict)
    idle: frozenset[Where] = frozenset()


class UnfaithfulError(ValueError):
    """An f-string would show how an expression is written (``f"{i=}"``)."""


def substituted(node: Node, given: Substitution, concrete: Concrete) -> Node:
    """A statement or an expression with other expressions in the place of names.

    Args:
        node: of the tree of ``concrete``.
        given: the replacements.
        concrete: the function of the node.

    Raises:
        UnfaithfulError: it cannot be written so that it means the same.
    """
    transformer = _Substitute(given, concrete)
    new = node.visit(transformer)
    # Before Python 3.12 the places in f-strings are not those that `ast` says.
    if transformer.left:
        raise UnfaithfulError
    return cast("Node", new)


class _Substitute(cst.CSTTransformer):
    def __init__(self, given: Substitution, concrete: Concrete) -> None:
        super().__init__()
        self.given = given
        self.concrete = concrete
        self.places = concrete.places
        self.around: list[cst.CSTNode] = []
        self.left = set(given.elements)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Visit every node that something may be replaced in, and note its parent."""
        self.around.append(node)
        return not (type(node) in _BARE or isinstance(node, cst.Name))

    def on_leave(
        self,
        original_node: cst.CSTNodeT,
        updated_node: cst.CSTNodeT,
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        """The replacement of a node."""
        self.around.pop()
        if type(original_node) in _BARE:
            return updated_node
        new: cst.CSTNode = updated_node
        match original_node, updated_node:
            case cst.Name(), cst.Name():
                new = self._name(original_node, updated_node)
            case cst.Subscript(), _ if self.given.elements:
                where = self.places[original_node]
                # ``T[i]`` begins where ``T[i][j]`` does, and is no element then.
                if where in self.left and not self._continues(original_node):
                    self.left.discard(where)
                    text = self.given.elements[where]
                    old = cst.ensure_type(original_node, cst.Subscript)
                    new = self._instead(old, cst.ensure_type(new, cst.Subscript), text)
                elif isinstance(updated_node, cst.Subscript):
                    new = self._joined(original_node, updated_node)
            case cst.Subscript(value=cst.Name()), cst.Subscript():
                new = self._joined(original_node, updated_node)
            case cst.BinaryOperation(), cst.BinaryOperation():
                new = self._sum(original_node, updated_node)
            case cst.FormattedStringExpression(equal=cst.AssignEqual()), _:
                if not original_node.deep_equals(updated_node):
                    raise UnfaithfulError
            case cst.BaseSmallStatement(), _ if self._is_idle(original_node):
                new = cst.Pass()
            case cst.Assign(), cst.Assign() if self.given.converted:
                value = self._converted(updated_node.value)
                new = updated_node.with_changes(value=value)
            case cst.AugAssign(), cst.AugAssign() if self.given.converted:
                value = self._converted(_operation(updated_node))
                new = cst.Assign([cst.AssignTarget(updated_node.target)], value)
        if isinstance(new, cst.BaseExpression) and new is not updated_node:
            new = self._apart(original_node, new)
        return cast("cst.CSTNodeT", new)

    def _apart(self, old: cst.CSTNode, new: cst.BaseExpression) -> cst.BaseExpression:
        """An expression in parentheses if it would become one word with what is beside.

        No blank is needed between a keyword and a bracket, nor behind a number.
        """
        if isinstance(old, cst.Name) and not old.lpar:
            return new
        code = cst.Module([]).code_for_node(new)
        inside = _is_word(code[0]), _is_word(code[-1])
        if any(inside):
            outside = map(_is_word, self.concrete.beside(old))
            if any(map(all, zip(inside, outside, strict=True))):
                return new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return new

    def _converted(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """The value that is assigned in the place of another."""
        return cst.Call(cst.parse_expression(self.given.converted), [cst.Arg(value)])

    def _instead(
        self, old: cst.BaseExpression, new: cst.BaseExpression, text: str
    ) -> cst.BaseExpression:
        """An expression that binds tightly, without parentheses that it can lack."""
        found = cst.parse_expression(text)
        around = self.around[-1] if self.around else old
        if new.lpar or _least(around, old) == CHOICE:
            found = found.with_changes(lpar=(), rpar=())
        return _enclosed(found, new)

    def _joined(self, old: cst.CSTNode, new: cst.Subscript) -> cst.Subscript:
        """An element of a row as one of the array: ``A[i, j]`` for ``A[i][j]``."""
        row = new.value
        match old:
            case cst.Subscript(value=cst.Name(value)) if isinstance(row, cst.Subscript):
                if unicodedata.normalize("NFKC", value) in self.given.joined:
                    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
                    own = [part.with_changes(comma=comma) for part in row.slice]
                    return new.with_changes(value=row.value, slice=[*own, *new.slice])
        return new

    def _continues(self, node: cst.CSTNode) -> bool:
        """Whether a subscript has more subscripts behind it."""
        around = self.around[-1] if self.around else None
        return isinstance(around, cst.Subscript) and around.value is node

    def _is_idle(self, node: cst.CSTNode) -> bool:
        idle = self.given.idle
        return bool(idle) and self.places.get(node) in idle

    def _expression(self, value: IntExpr, least: int) -> cst.BaseExpression:
        """A value, in parentheses if it binds less tightly than ``least``."""
        return cst.parse_expression(wrapped(value, self.given.spelled, least))

    def _name(self, old: cst.Name, new: cst.Name) -> cst.BaseExpression:
        """Replace a name, unless it is only the name of a member or keyword."""
        around = self.around[-1] if self.around else old
        if isinstance(around, cst.Param | cst.Attribute | cst.Arg) and old in (
            getattr(around, part, None) for part in ("name", "attr", "keyword")
        ):
            return new
        # `ast` has names as Python compares them, libcst as they are written.
        name = unicodedata.normalize("NFKC", old.value)
        if name in self.given.cells:
            return self._instead(old, new, self.given.cells[name])
        value = self.given.values.get(name)
        if value is None:
            return new
        least = CHOICE if new.lpar else _least(around, old)
        if (
            isinstance(around, cst.Attribute)
            and isinstance(value, Const)
            and not new.lpar
        ):
            # A point behind a literal would become part of the literal.
            least = ATOM + 1
        return _enclosed(self._expression(value, least), new)

    def _sum(
        self, old: cst.BinaryOperation, new: cst.BinaryOperation
    ) -> cst.BaseExpression:
        """A sum whose leading terms are values of loops and literals, added up."""
        around = self.around[-1] if self.around else old
        if not isinstance(old.operator, _SIGNS) or _continues(around, old):
            return new
        if any(comments_of(old)):
            return new
        chain, terms = _spine(old)
        count, value = self._added_up(terms, [one.operator for one in chain])
        if value is None:
            return new
        # A value that is a sum makes the spine longer.
        changed = _spine(new)[0][-len(chain) :]
        least = CHOICE if old.lpar else _least(around, old)
        rest = changed[count - 1 :]
        result = self._expression(value, SUM if rest else least)
        for one in rest:
            result = one.with_changes(left=result, lpar=(), rpar=())
        if old.lpar and not rest and _plain(new):
            return self._expression(value, _least(around, old))
        return _enclosed(result, new)

    def _added_up(
        self, terms: Sequence[cst.BaseExpression], signs: Sequence[cst.BaseBinaryOp]
    ) -> tuple[int, IntExpr | None]:
        """How many leading terms make one, and their sum; None if nothing is gained."""
        first = self._first(terms)
        if first is None:
            return 0, None
        values = [first]
        plain = isinstance(first, Var | Mul) and len(variables(first)) == 1
        for term, sign in zip(terms[1:], signs, strict=True):
            literal = _literal(term)
            value = literal or self._value(term)
            if value is None:
                break
            plain = plain and (literal is not None or isinstance(value, Var))
            values.append(value if isinstance(sign, cst.Add) else neg(value))
        if plain or len(values) == 1:
            return 0, None
        return len(values), add(*values)

    def _first(self, terms: Sequence[cst.BaseExpression]) -> IntExpr | None:
        """The value of the first term of a sum, if it is one that is added up.

        That is a loop's value, a multiple of one, or a literal before a known value.
        """
        match terms[0]:
            case (
                cst.BinaryOperation(
                    left=cst.Integer() as factor,
                    operator=cst.Multiply(),
                    right=cst.Name(),
                ) as product
            ) if not product.lpar:
                value = self._value(product.right)
                number = _literal(factor)
                return None if value is None or number is None else mul(number, value)
            case cst.Integer() as number:
                known = isinstance(self._value(terms[1]), Const)
                return _literal(number) if known else None
        return self._value(terms[0])

    def _value(self, node: cst.BaseExpression) -> IntExpr | None:
        if isinstance(node, cst.Name) and not node.lpar:
            return self.given.values.get(unicodedata.normalize("NFKC", node.value))
        return None


def _operation(node: cst.AugAssign) -> cst.BinaryOperation:
    """The value of an assignment in place; what it adds is evaluated as a whole."""
    name = type(node.operator).__name__.removesuffix("Assign")
    operator: cst.BaseBinaryOp = getattr(cst, name)()
    value = node.value
    if not value.lpar and not isinstance(value, _TIGHT):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.BinaryOperation(cast("cst.Name", node.target), operator, value)


def _is_word(character: str) -> bool:
    """Whether there is a character, and one of a name, a keyword or a number."""
    return bool(character) and f"_{character}".isidentifier()


def _literal(node: cst.BaseExpression) -> Const | None:
    """A literal in decimal digits."""
    if isinstance(node, cst.Integer) and not node.lpar and node.value.isdecimal():
        return Const(int(node.value))
    return None


def _spine(
    node: cst.BinaryOperation,
) -> tuple[list[cst.BinaryOperation], list[cst.BaseExpression]]:
    """The sums of a sum from the innermost on, and the terms they join."""
    chain = [node]
    while True:
        left = chain[0].left
        if (
            not isinstance(left, cst.BinaryOperation)
            or left.lpar
            or not isinstance(left.operator, _SIGNS)
        ):
            return chain, [left, *(one.right for one in chain)]
        chain.insert(0, left)


def _continues(around: cst.CSTNode, node: cst.BinaryOperation) -> bool:
    """Whether a sum is the beginning of a longer one."""
    match around:
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract()):
            return left is node and not node.lpar
    return False


def _enclosed(new: cst.BaseExpression, old: cst.CSTNode) -> cst.BaseExpression:
    """An expression in the parentheses of another, if that has any."""
    if isinstance(old, cst.BaseExpression) and old.lpar:
        return new.with_changes(lpar=old.lpar, rpar=old.rpar)
    return new


def _plain(node: cst.BinaryOperation) -> bool:
    """Whether the parentheses of an expression are nothing but parentheses."""
    parts = (
        *(one.whitespace_after for one in node.lpar),
        *(one.whitespace_before for one in node.rpar),
    )
    return all(isinstance(part, cst.SimpleWhitespace) for part in parts)


def _least(around: cst.CSTNode, node: cst.CSTNode) -> int:
    """How tightly an expression must bind to stand where ``node`` does."""
    match around:
        case cst.BinaryOperation(operator=operator):
            right = around.right is node
            if isinstance(operator, cst.Power):
                return UNARY if right else ATOM
            if isinstance(operator, _PRODUCTS):
                return UNARY if right else PRODUCT
            return PRODUCT if right and isinstance(operator, _SIGNS) else SUM
        case cst.UnaryOperation(operator=cst.Not()):
            return NOT
        case cst.Comparison() | cst.ComparisonTarget() | cst.StarredElement():
            return SUM
        case cst.Arg(star=star):
            return SUM if star else CHOICE
        case cst.BooleanOperation():
            return NOT
        case cst.IfExp() | cst.CompFor() | cst.CompIf():
            return OR
        case (
            cst.Index()
            | cst.Slice()
            | cst.Element()
            | cst.DictElement()
            | cst.Assign()
            | cst.AugAssign()
            | cst.AnnAssign()
            | cst.Expr()
            | cst.FormattedStringExpression()
        ):
            return CHOICE
    return ATOM
