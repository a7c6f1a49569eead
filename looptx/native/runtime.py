"""What native nests need while they run: the weaving and the thread count.

This module uses the standard library only. The decorator imports it; an extension
built ahead of time carries a copy of its text, so that it needs no looptx.

*Weaving* puts, in front of a loop nest, the call of its native version::

    try:
        _looptx_r = (A, B, n)
    except Exception:
        _looptx_r = _looptx_0.unready()
    else:
        _looptx_r = _looptx_0(*_looptx_r)
    if _looptx_r is None:
        for i in range(n): ...          # as written
    else:
        (s, i) = _looptx_r

Of nests that are fused, what stands between them moves to the start of the ``try`` or
behind all this; the loops as written have it in its place, too.
What allocates a temporary moves to the loops as written; an array of which a nest
overwrites all is not filled in front of it.
It is done on the syntax tree, so every line keeps its number and tracebacks, debuggers
and coverage show the user's file.
"""

from __future__ import annotations

import ast
import copy
import os
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeAlias

RESULT = "_looptx_r"
MISSING = "_looptx_missing"
END = "_looptx_end"
GIVEN = "_looptx_given"
ALONE = "_looptx_alone"

Bare: TypeAlias = tuple[int, str, str, tuple[str, ...], tuple[str, ...]]
"""The line and text of what makes an array, what fills it, slices, and their owners."""

SMALL = 1 << 16
"""Bytes that are filled faster than slices of them."""

UNFILLED = {
    "zeros": "empty",
    "ones": "empty",
    "zeros_like": "empty_like",
    "ones_like": "empty_like",
    "full": "empty",
}
"""What fills nothing and takes the same arguments, but for a number that fills."""


class Callee(Protocol):
    """What woven code calls: the result of a nest, or None to run it as written."""

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        """Run the nest with its values."""

    def unready(self) -> None:
        """One of the values raises; called while that exception is handled."""


class Site(NamedTuple):
    """A nest in a source text.

    Attributes:
        line: of its ``for`` or ``while``, or of the statement on arrays that it is, or
            of that which calls a function of such statements.
        call: the name of what runs it natively, a ``Callee``.
        live_in: names, elements of tuples, and attributes, as ``GIVEN`` reads them,
            evaluated and passed, in order.
        live_out: names assigned from the result, in order.
        last: the line of the last of them, where several are fused.
        hoisted, sunk: line ranges of the statements between them that run before the
            first, and after the last.
        late: line ranges of the statements in front of the nest that only the loops as
            written need: they allocate its temporaries.
        instead: Python for the place of the nest, one level deep; it runs where the
            call says so, and there is no result.
        returns: Python for what the function returns behind the nest, where the
            variable ``END`` is 1, 2 and so on.
        then: Python for what is made of the result.
        direct: Python in place of the call: it finds the values in the variable
            ``RESULT`` and leaves the result there.
        column: the character at which it begins in its line, from 1: there may be
            several nests.
        bare: the arrays in front of it that need not be filled.
    """

    line: int
    call: str
    live_in: tuple[str, ...]
    live_out: tuple[str, ...]
    last: int = 0
    hoisted: tuple[tuple[int, int], ...] = ()
    sunk: tuple[tuple[int, int], ...] = ()
    late: tuple[tuple[int, int], ...] = ()
    instead: str = ""
    returns: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    direct: str = ""
    column: int = 0
    bare: tuple[Bare, ...] = ()


class Places:
    """Where the statements of a text begin, as lines and columns of sites.

    Args:
        text: it.
    """

    def __init__(self, text: str) -> None:
        self._lines = re.split("\r\n|\r|\n", text)

    def of(self, node: ast.stmt) -> tuple[int, int]:
        """The line and the character of a statement: ``ast`` counts bytes of UTF-8."""
        line = self._lines[node.lineno - 1].encode("utf-8", "surrogatepass")
        before = line[: node.col_offset].decode("utf-8", "surrogatepass")
        return node.lineno, len(before) + 1


class _Weaver(ast.NodeTransformer):
    def __init__(self, text: str, sites: Iterable[Site]) -> None:
        self.sites = {(site.line, site.column): site for site in sites}
        bare = (one for site in self.sites.values() for one in site.bare)
        self.bare = {one[:2]: one[2:] for one in bare}
        self.places = Places(text)

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Have NumPy fill no array of which a nest overwrites all, or nearly all."""
        text = ast.unparse(node) if self.bare else ""
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(_, maker))):
                known = self.bare.get((node.lineno, text))
                if known and maker in UNFILLED:
                    return [*_unfilled(node, name, known)]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, field, list(self._block(value)))
        return super().generic_visit(node)

    def _block(self, body: list[Any]) -> Iterator[Any]:
        rest = iter(body)
        nests = {self.places.of(node) for node in body if _is_nest(node)}
        first = {low: at for at, one in self.sites.items() for low, _ in one.late}
        late: dict[tuple[int, int], list[ast.stmt]] = {}
        for node in rest:
            nest = first.get(node.lineno) if isinstance(node, ast.stmt) else None
            if nest is not None and nest in nests:
                late.setdefault(nest, []).append(node)
                continue
            at = self.places.of(node) if _is_nest(node) else None
            site = self.sites.pop(at, None) if at else None
            if at is None or site is None:
                yield node
                continue
            region = [node]
            while region[-1].lineno < site.last:
                region.append(next(rest))
            yield from _woven(region, site, late.get(at, []))


def _unfilled(node: ast.Assign, name: str, known: Any) -> Iterator[ast.stmt]:
    """The statements that make an array and fill a part of it.

    Args:
        node: the one that fills all. name: of the array.
        known: what fills it, the slices to fill, and what has to be arrays.
    """
    value, left, owners = known
    plain = copy.deepcopy(node)
    assert isinstance(plain.value, ast.Call)
    assert isinstance(plain.value.func, ast.Attribute)
    if plain.value.func.attr == "full":
        del plain.value.args[1]
    plain.value.func.attr = UNFILLED[plain.value.func.attr]
    usual = f"{ast.unparse(plain.value.func.value)}.ndarray"
    made: list[ast.stmt] = [plain]
    if left:
        # Other arrays, and what is filled with an empty text, take it in their own way.
        kinds = f"{name}.__class__ is not {usual} or {name}.dtype.kind not in 'biufc'"
        text = f"if {name}.nbytes < {SMALL} or {kinds}: pass\nelse:\n"
        text += "".join(f" {name}[{one}] = {value}\n" for one in left)
        made.append(_choice(text, node))
    if owners:
        # The length of a list may have changed where the nest begins.
        lists = " or ".join(f"{one}.__class__ is not {usual}" for one in owners)
        choice = _choice(f"if {lists}: pass", node)
        choice.orelse, made = made, [choice]
    yield from made


def _choice(text: str, node: ast.stmt) -> ast.If:
    """A branch of a text, at a statement that is done where the condition holds."""
    (choice,) = ast.parse(text).body
    assert isinstance(choice, ast.If)
    for one in ast.walk(choice):
        ast.copy_location(one, node)
    choice.body = [copy.deepcopy(node)]
    return choice


def _is_nest(node: Any) -> bool:
    nests = (
        *(ast.For, ast.While, ast.Assign, ast.AugAssign),
        *(ast.AnnAssign, ast.Return, ast.Expr),
    )
    return isinstance(node, nests)


def _woven(
    region: list[ast.stmt], site: Site, late: list[ast.stmt]
) -> Iterator[ast.stmt]:
    """The loops of a region with the native call in front of them."""

    def among(ranges: tuple[tuple[int, int], ...]) -> list[ast.stmt]:
        return [
            stmt
            for stmt in region
            if any(low <= stmt.lineno <= high for low, high in ranges)
        ]

    values = "".join(f"{name}, " for name in site.live_in)
    assign = _assigned(site)
    assign += "".join(f"\n {line}" for line in site.then)
    for number, value in enumerate(site.returns, 1):
        assign += f"\n if {END} == {number}: return {value}"
    run = site.direct or f"{RESULT} = {site.call}(*{RESULT})"
    statements = ast.parse(
        f"try:\n {RESULT} = ({values})\n"
        f"except {MISSING}:\n {RESULT} = {site.call}.unready()\n"
        f"else:\n{textwrap.indent(run, ' ')}\n"
        f"if {RESULT} is None:\n pass\n"
        f"else:\n {assign}\n"
    ).body
    instead = ast.parse(f"if True:\n{site.instead or ' pass'}").body
    for statement in (*statements, *instead):
        for node in ast.walk(statement):
            if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler)):
                node.lineno = node.end_lineno = region[0].lineno
                node.col_offset = region[0].col_offset
                node.end_col_offset = region[0].col_offset + len("for")
    ready, choice = statements
    assert isinstance(ready, ast.Try) and isinstance(choice, ast.If)
    # Where it raises, the loops as written get that far, and raise it.
    ready.body[:0] = [*among(site.hoisted), *map(_cells, among(site.sunk))]
    choice.body = late + region
    choice.orelse += instead if site.instead else among(site.sunk)
    yield from statements


def _assigned(site: Site) -> str:
    """The lines that give names what a nest left in them; ``...`` is nothing."""
    if not site.live_out:
        return "pass"
    if {*site.live_out} <= {*site.live_in}:
        return f"{''.join(f'{name}, ' for name in site.live_out)} = {RESULT}"
    lines = []
    for number, name in enumerate(site.live_out):
        test = "" if name in site.live_in else f"if {RESULT}[{number}] is not ...: "
        lines.append(f"{test}{name} = {RESULT}[{number}]")
    return "\n ".join(lines)


def _cells(stmt: ast.stmt) -> ast.stmt:
    """Reads the cells that a statement reads, to see that they are there."""
    cells: list[ast.expr] = [n for n in ast.walk(stmt) if isinstance(n, ast.Subscript)]
    value = ast.copy_location(ast.Tuple(cells, ast.Load()), stmt)
    return ast.copy_location(ast.Expr(value), stmt)


def weave(tree: ast.Module, text: str, sites: Iterable[Site]) -> ast.Module:
    """Insert the native call of every nest, in place.

    The woven code refers to ``Site.call``, to ``MISSING``, which must be bound to
    ``Exception``, to ``GIVEN`` and to ``ALONE``, which must be ``data.given`` and
    ``data.alone``, in whatever scope the caller runs it.

    Args:
        tree: the module's. text: it. sites: the nests.

    Returns:
        The tree.
    """
    woven: ast.Module = _Weaver(text, sites).visit(tree)
    return woven


class _Threads:
    """How many threads a parallel loop gets in this process."""

    def __init__(self) -> None:
        self.limit = 0
        self.forked = False
        self.told = False

    def after_fork(self) -> None:
        """A child's parallel region would wait for threads that only its parent has."""
        self.limit = 1
        self.forked = True


_threads = _Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.after_fork)


def threads() -> int:
    """The thread count: 1 in a forked child, else the number of usable CPUs.

    ``LOOPTX_NUM_THREADS`` or ``OMP_NUM_THREADS`` say otherwise.
    """
    if not _threads.limit:
        _threads.limit = _default_threads()
    return _threads.limit


def team() -> int:
    """The thread count for a parallel loop; a forked child is told why it is 1."""
    if _threads.forked:
        tell_forked()
    return threads()


def _default_threads() -> int:
    for variable in ("LOOPTX_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").split(",")[0].strip()
        if text.isdecimal() and 0 < int(text) < 1 << 16:
            return int(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def vector_bytes() -> int:
    """``LOOPTX_VECTOR_BYTES``: how wide vectors may be; 0 where it says nothing.

    There are vectors of 16, 32 and 64 bytes.
    """
    text = os.environ.get("LOOPTX_VECTOR_BYTES", "").strip()
    return max(int(text), 16) if text.isdecimal() and len(text) < 6 else 0


def tell_forked() -> None:
    """Warn, once in a forked process, that its parallel loops run on one thread."""
    if _threads.forked and not _threads.told:
        _threads.told = True
        warnings.warn(
            "looptx: parallel loops run on one thread in a forked process; "
            "use the 'spawn' start method to run them in parallel",
            RuntimeWarning,
            stacklevel=4,
        )


def run_module(
    text: str,
    filename: str,
    sites: Sequence[Site],
    calls: dict[str, Any],
    module: dict[str, Any],
) -> None:
    """Run a module's source in its namespace, its nests woven to ``calls``.

    Args:
        text: the source.
        filename: what tracebacks call it.
        sites: its nests.
        calls: the native versions, by the names in ``sites``, and ``data.given``.
        module: the namespace.
    """
    # Python warned of the text when it was installed, if at all. In threads
    # ``catch_warnings`` leaves its filters behind: ``parsers.unwarned``.
    start = re.compile(re.escape(filename.removesuffix(".py")))
    one = ("ignore", None, Warning, start, 0)
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, one)
    try:
        tree = ast.parse(text, filename)
        weave(tree, text, [Site(*site) for site in sites])
        code = compile(tree, filename, "exec", dont_inherit=True)
    finally:
        with suppress(ValueError):
            filters.remove(one)
    module.update(calls)
    module[MISSING] = Exception
    exec(code, module)
