"""What a function gives nests for the lists that are arrays there, and gets back."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from looptx.model.naming import RESULT
from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.spelling.edits import Change


@dataclass(frozen=True)
class Listed:
    """A list that a function keeps in arrays.

    Attributes:
        name: of the list. cells: the names of the arrays, for each part of an element.
        count: of the variable that says how many there are.
        collected: whether the list had others before, which stay.
        used: whether the function uses it behind the loop.
        old: how many elements it has then that stay.
        private: whether nobody else has it.
        array: as of ``Region``.
    """

    name: str
    cells: tuple[str, ...]
    count: str
    collected: bool
    used: bool
    old: int = 0
    private: bool = False
    array: str | None = None


@dataclass(frozen=True)
class Rows:
    """A list of lists, whose elements are kept in one.

    Attributes:
        name: of the list. cells: of that of all elements.
        spans: of the list that has the ends of each row.
    """

    name: str
    cells: str
    spans: str

    @property
    def made(self) -> str:
        """The text that makes the list."""
        begin, end = f"{self.cells}_begin", f"{self.cells}_end"
        rows = f"{self.cells}[{begin}:{end}] for {begin}, {end} in {self.spans}"
        return f"{self.name} = [{rows}]"


def rows_of(function: ast.AST) -> tuple[Rows, ...]:
    """The lists of lists of a function whose elements are kept in others."""
    found: tuple[Rows, ...] = vars(function).get("rows", ())
    return found


def of_rows(found: Sequence[Rows]) -> Change:
    """The change of a function that has lists of rows.

    Args:
        found: these.
    """

    def change(node: ast.AST) -> ast.AST:
        vars(node)["rows"] = (*found,)
        return node

    return change


def listed(function: ast.AST) -> Mapping[str, Listed]:
    """The lists that a function keeps in arrays, by the names of these."""
    found = vars(function).get("listed", {})
    assert isinstance(found, dict)
    return found


def _lists(function: ast.AST, arrays: Iterable[str]) -> Iterable[Listed]:
    """The lists of which some arrays have elements.

    Args:
        function: that has the lists. arrays: the names of arrays.
    """
    known = listed(function)
    return dict.fromkeys(known[name] for name in arrays if name in known)


def shown(function: ast.AST, arrays: Iterable[str]) -> bool:
    """Whether others have a list to which a nest appends.

    Args:
        function: that has the nest. arrays: of the nest.
    """
    found = _lists(function, arrays)
    return any(one.collected and not one.private for one in found)


def is_within(function: ast.AST, one: Listed, root: ast.AST) -> bool:
    """Whether nothing but a nest uses a list.

    Args:
        function: it. one: the list. root: the nest.
    """
    inside = {*walked(root)}
    named = (x for x in walked(function) if isinstance(x, ast.Name))
    return all(node in inside for node in named if node.id == one.count)


def given(function: ast.AST) -> dict[str, str]:
    """What nests are given for variables that the source does not have, by name."""
    found = vars(function).get("given", {})
    assert isinstance(found, dict)
    return found


def used(function: ast.AST, arrays: Iterable[str]) -> tuple[str, ...]:
    """The names, of an array each, for the lists that a nest gives the function.

    Args:
        function: it. arrays: of the nest.
    """
    return tuple(one.cells[0] for one in _lists(function, arrays) if one.used)


def counts(function: ast.AST, arrays: Iterable[str]) -> tuple[str, ...]:
    """The variables that a nest leaves: how long the lists are that it is to give.

    Args:
        function: it. arrays: of the nest.
    """
    return tuple(one.count for one in _lists(function, arrays) if one.used)


def filled(
    function: ast.AST, arrays: Iterable[str], left: Sequence[str]
) -> Iterator[str]:
    """What gives the function the lists that a nest has filled.

    Args:
        function: it. arrays: of the nest. left: the names that the nest leaves.
    """
    for one in (one for one in _lists(function, arrays) if one.used):
        whole = one.cells[0]
        if one.collected or one.old:
            yield f"{one.name}.extend({whole})"
        else:
            made = f"{RESULT}[{left.index(one.count)}] is not ..."
            yield f"if {made}: {one.name} = {whole}"
        yield f"{whole} = None"
    known = {one.name: one for one in _lists(function, arrays) if one.used}
    for rows in rows_of(function):
        if rows.spans in known and rows.cells in known:
            made = f"{RESULT}[{left.index(known[rows.spans].count)}] is not ..."
            yield f"if {made}: {rows.made}"
            yield f"{rows.cells} = {rows.spans} = None"


def unlisted(function: ast.AST, name: str) -> str:
    """Why a function has no array for a list in each loop; empty for no list.

    Args:
        function: it. name: of the list.
    """
    found: str = vars(function).get("unlisted", {}).get(name, "")
    return found


def noting(
    known: Mapping[str, Listed], texts: Mapping[str, str], why: Mapping[str, str]
) -> Change:
    """The change of a function that has arrays for lists.

    Args:
        known: as of ``listed``. texts: as of ``given``. why: as of ``unlisted``.
    """

    def change(node: ast.AST) -> ast.AST:
        vars(node).update(listed=known, unlisted=why)
        return giving(texts)(node)

    return change


def giving(texts: Mapping[str, str]) -> Change:
    """The change of a function whose nests are given more.

    Args:
        texts: as of ``given``.
    """

    def change(node: ast.AST) -> ast.AST:
        vars(node)["given"] = {**given(node), **texts}
        return node

    return change
