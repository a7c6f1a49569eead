"""What makes a list of numbers at once: ``[0] * n``, ``[i] + [0] * n``, ``x[:]``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.stretches import PURE


@dataclass(frozen=True)
class Fresh:
    """A new list.

    Attributes:
        first, last: the elements in front of all others, and behind them.
        each: what all others are; None where they are those of a list, or lists.
        count: the text of how many others there are.
        of: the name of the list that the others are those of, if there is one.
        tuple: whether it may be a tuple as well.
        inner: what each of the others is, where they are lists.
    """

    first: Sequence[ast.expr] = ()
    last: Sequence[ast.expr] = ()
    each: ast.expr | None = None
    count: str = ""
    of: str = ""
    tuple: bool = False
    inner: Fresh | None = None

    @property
    def sizes(self) -> Iterator[str]:
        """The texts that say how long it is."""
        yield self.of or self.count
        if self.inner is not None:
            yield from self.inner.sizes

    @property
    def text(self) -> str:
        """What makes a list of the same size, of elements that the text says.

        Nothing but lists are asked for their elements: iterators have them once.
        """
        if self.of:
            kinds = "[].__class__, ().__class__" if self.tuple else "[].__class__,"
            return f"[*{self.of}] if {self.of}.__class__ in ({kinds}) else ..."
        if self.inner is not None:
            return f"[{self.inner.text} for _ in range({self.count})]"
        known = isinstance(self.each, ast.Constant)
        each = ast.unparse(self.each) if self.each is not None and known else "0"
        more = len(self.first) + len(self.last)
        size = f"{more} + ({self.count} if {self.count} > 0 else 0)"
        return f"[{each}] * ({size if more else self.count})"

    def lines(self, name: str, new: Callable[[str], str]) -> list[str]:
        """The texts of statements that give a list of that size the elements.

        Args:
            name: of the list. new: gives names that nothing else has.
        """
        before, count, at = "", self.count, new("at")
        if self.of:
            loop = f"{name}[{at}] = {self.of}[{at}]"
            count = f"len({name})"
        elif self.inner is not None:
            inner = self.inner.lines(f"{name}[{at}]", new)
            loop = "\n ".join(line.replace("\n", "\n ") for line in inner)
        else:
            assert self.each is not None
            value = ast.unparse(self.each)
            if not isinstance(self.each, ast.Constant | ast.Name):
                value = new("held")
                before = f"{value} = {ast.unparse(self.each)}"
            place = f"{len(self.first)} + {at}" if self.first else at
            loop = f"{name}[{place}] = {value}"
        lines = [f"{name}[{k}] = {ast.unparse(x)}" for k, x in enumerate(self.first)]
        lines += [before] if before else []
        lines.append(f"for {at} in range({count}):\n {loop}")
        for k, one in enumerate(reversed(self.last)):
            lines.append(f"{name}[{-1 - k}] = {ast.unparse(one)}")
        return lines


def fresh(
    value: ast.expr, scope: Scope, is_list: Callable[[str], bool]
) -> Fresh | None:
    """The list that an expression makes, if it is one of these.

    Args:
        value: the expression. scope: of its function.
        is_list: whether a name is surely none of an array.
    """
    match value:
        case ast.Subscript(ast.Name(of), ast.Slice(None, None, None)) if is_list(of):
            return Fresh(of=of)
        case ast.List([ast.Starred(ast.Name(of))]):
            return Fresh(of=of, tuple=True)
        case ast.Call(ast.Attribute(ast.Name(of), "copy"), [], []) if is_list(of):
            return Fresh(of=of)
        case ast.Call(function, [ast.Name(of)], []):
            plain = scope.resolve(function) == "builtins.list"
            return Fresh(of=of, tuple=True) if plain else None
        case ast.ListComp(inner, [ast.comprehension(ast.Name(name), over, [])]):
            return _rows(inner, name, over, scope)
    return _joined([*_parts(value)])


def _rows(inner: ast.expr, name: str, over: ast.expr, scope: Scope) -> Fresh | None:
    """A list of lists that are alike, or of one number.

    Args:
        inner: what each is. name: the variable that counts them.
        over: what that goes through. scope: of the function.
    """
    match over:
        case ast.Call(_, [count], []) if scope.is_range(over):
            counts = any(_is_name(x, name, "_") for x in walked(inner))
            if not _is_pure(count) or counts:
                return None
            if isinstance(inner, ast.Constant):
                return Fresh(each=inner, count=ast.unparse(count))
            row = _joined([*_parts(inner)])
            if row is not None and isinstance(row.each, ast.Constant):
                return Fresh(count=ast.unparse(count), inner=row)
    return None


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """What a sum of lists adds."""
    match value:
        case ast.BinOp(left, ast.Add(), right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield value


def _joined(parts: Sequence[ast.expr]) -> Fresh | None:
    """A sum of lists, of which one is a number many times.

    Args:
        parts: what is added.
    """
    ends: list[list[ast.expr]] = [[]]
    each, count = None, ""
    for part in parts:
        match part:
            case ast.List(elements) if all(map(_is_pure, elements)):
                ends[-1] += elements
            case ast.BinOp(ast.List([one]), ast.Mult(), times) | ast.BinOp(
                times, ast.Mult(), ast.List([one])
            ) if each is None and _is_pure(one) and _is_pure(times):
                each, count = one, ast.unparse(times)
                ends.append([])
            case _:
                return None
    return None if each is None else Fresh(ends[0], ends[1], each, count)


def _is_pure(node: ast.expr) -> bool:
    """Whether an expression is the same if it is evaluated twice, and is no list."""
    lists = (ast.List, ast.Tuple, ast.Starred)
    parts = [x for x in walked(node) if not _is_len(x)]
    known = all(isinstance(x, PURE) for x in parts)
    return known and not any(isinstance(x, lists) for x in parts)


def _is_len(node: ast.AST) -> bool:
    """Whether a node is a call of ``len`` by its name."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "len"


def _is_name(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names
