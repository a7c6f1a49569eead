"""Several random numbers at once, in loops, spelled as loops that draw one by one.

``t = np.random.normal(m, s, n)`` is ``t = np.empty(n)`` and a loop that sets its
elements: NumPy draws them in that order. ``np.random.permutation(n)`` counts first, and
puts its numbers into another order then (Durstenfeld, Comm. ACM 7, 1964).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from looptx.model.naming import HELD, SEVERAL
from looptx.model.records import dataclass, replace
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, part, spelling
from looptx.source.spelling.inserted import Insertions
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.tuples.parts import noting

_SHAPED = ("rand", "randn")
"""Functions that are given how many numbers, for each axis."""

_SIZED = {
    **dict.fromkeys(("random", "random_sample", "ranf", "sample"), ()),
    "standard_normal": (),
    "standard_exponential": (),
    "uniform": ("low", "high"),
    "normal": ("loc", "scale"),
    "lognormal": ("mean", "sigma"),
    "exponential": ("scale",),
    "randint": ("low", "high"),
    "choice": ("a",),
    "permutation": (),
}
"""What others are given in front of that."""

_REFUSED = {
    "uniform": "not -1e308 < {1} - {0} < 1e308",
    "normal": "not {1} > 0",
    "lognormal": "not {1} > 0",
    "exponential": "not {0} > 0",
    "randint": "not 0 < {1} - {0} < 4294967296",
    "choice": "not 0 < {0} < 4294967296",
}
"""Where NumPy may refuse them, for no numbers, too."""


@dataclass(frozen=True)
class _Many:
    """A call that draws several numbers.

    Attributes:
        name: of what it calls. function: that, as it is written.
        given: what each number is drawn with. sizes: how many there are, for each axis.
    """

    name: str
    function: ast.expr
    given: tuple[ast.expr, ...]
    sizes: tuple[ast.expr, ...]

    def lines(self, array: str, fresh: Sequence[str]) -> Iterator[str]:
        """The statements that draw them into an array.

        Args:
            array: the name of it, which is made. fresh: names for variables.
        """
        given = [ast.unparse(one) for one in self.given]
        told = all(isinstance(one, ast.Constant) for one in self.given)
        function = ast.unparse(self.function)
        if self.name == "permutation":
            yield from _permuted(array, ast.unparse(self.sizes[0]), function, fresh)
            return
        if self.name in _REFUSED and len(given) == 1 and self.name == "randint":
            given = ["0", *given]
        test = _REFUSED.get(self.name, "False").format(*given, "1.0", "1.0")
        if self.name in _REFUSED and not (told and not _holds(test)):
            yield f"if {test}:\n    raise ValueError"
        places = fresh[: len(self.sizes)]
        lines = [f"{array}[{', '.join(places)}] = {function}({', '.join(given)})"]
        for place, size in zip(places[::-1], self.sizes[::-1], strict=True):
            lines = [f"for {place} in range({ast.unparse(size)}):", *_indented(lines)]
        yield "\n".join(lines)

    @property
    def made(self) -> str:
        """What makes the array."""
        whole = self.name in ("randint", "choice", "permutation")
        kind = f", {HELD}numpy.int64" if whole else ""
        sizes = ", ".join(map(ast.unparse, self.sizes))
        shape = f"({sizes})" if len(self.sizes) > 1 else sizes
        return f"{HELD}numpy.empty({shape}{kind})"


def _permuted(
    array: str, size: str, function: str, fresh: Sequence[str]
) -> Iterator[str]:
    """The statements that make the numbers up to one, in another order.

    Args:
        array: what they are put into. size: how many there are.
        function: what is called for it. fresh: names for variables.
    """
    place, other, kept = fresh[:3]
    draws = f"{function.rpartition('.')[0]}.randint"
    yield f"for {place} in range({size}):\n    {array}[{place}] = {place}"
    yield (
        f"for {place} in range({size} - 1, 0, -1):\n"
        f"    {other} = {draws}({place} + 1)\n"
        f"    {kept} = {array}[{place}]\n"
        f"    {array}[{place}] = {array}[{other}]\n"
        f"    {array}[{other}] = {kept}"
    )


def _holds(test: str) -> bool:
    """Whether a test of constants holds."""
    return bool(eval(test, {}))


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _may_draw(node: ast.AST) -> bool:
    """Whether a node may be a call that draws several numbers."""
    match node:
        case ast.Call(ast.Attribute(_, name) | ast.Name(name)):
            return name in _SIZED or name in _SHAPED
    return False


def _many(node: ast.AST, scope: Scope) -> _Many | None:
    """The several numbers that a call draws, if it is such a call."""
    if not isinstance(node, ast.Call):
        return None
    module, _, name = scope.resolve(node.func).rpartition(".")
    if module != "numpy.random" or any(isinstance(x, ast.Starred) for x in node.args):
        return None
    named = {one.arg or "": one.value for one in node.keywords}
    given = [*node.args]
    sizes: Sequence[ast.expr] = ()
    if name in _SHAPED:
        sizes, given = given, []
    elif name == "permutation":
        sizes, given = given, []
        if len(sizes) != 1 or not isinstance(node.func, ast.Attribute):
            return None
    elif name in _SIZED:
        size = named.pop("size", None)
        if size is None and len(given) > len(_SIZED[name]):
            size = given.pop()
        sizes = size.elts if isinstance(size, ast.Tuple) else [size] if size else []
        given += [named.pop(x) for x in _SIZED[name][len(given) :] if x in named]
    plain = all(map(_is_plain, (*sizes, *given)))
    if named or not sizes or not plain or len(given) > len(_SIZED.get(name, ())):
        return None
    if any(isinstance(x, ast.Constant) and type(x.value) is not int for x in sizes):
        return None
    least = name in ("randint", "choice")
    if (least and not given) or len(sizes) > 3:
        return None
    return _Many(name, node.func, tuple(given), tuple(sizes))


def _is_plain(node: ast.expr) -> bool:
    """Whether an argument may be evaluated again: it is made of names and sizes."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(of) | ast.UnaryOp(_, of):
            return _is_plain(of)
        case ast.Subscript(ast.Attribute(ast.Name(), "shape"), ast.Constant()):
            return True
        case ast.Call(ast.Name("len"), [ast.Name()], []):
            return True
        case ast.BinOp(left, _, right):
            return _is_plain(left) and _is_plain(right)
    return False


@spelling(_may_draw)
def with_several(function: Function, scope: Scope) -> Changes:
    """Loops draw random numbers one by one."""
    nodes = own_nodes(function)
    around = parents(nodes)
    loops = [x for x in nodes if isinstance(x, ast.For | ast.While)]
    inside = {one for loop in loops for one in walked(loop) if one is not loop}
    taken = {*scope.identifiers}
    inserted = Insertions(around)
    names: dict[str, str] = {}
    for stmt in (x for x in nodes if x in inside):
        if not isinstance(stmt, ast.Assign | ast.AugAssign):
            continue
        calls = [x for x in walked(stmt.value) if isinstance(x, ast.Call)]
        found = [(x, many) for x in calls if (many := _many(x, scope)) is not None]
        if len(found) != 1 or not _is_alone(stmt, calls, scope):
            continue
        ((call, many),) = found
        fresh = [f"{SEVERAL}{len(taken)}_{k}" for k in range(4)]
        taken.update(fresh)
        names |= dict.fromkeys(fresh, "None")
        match stmt:
            case ast.Assign([ast.Name(name)], value) if (
                call is value and name not in _names(many)
            ):
                inserted.behind(stmt, *_there(many.lines(name, fresh), stmt))
            case _:
                name = fresh[3]
                first = f"{name} = {many.made}"
                inserted.before(stmt, *_there([first, *many.lines(name, fresh)], stmt))
                many = replace(many, function=ast.Name(name, ast.Load()), name="")
        yield call, _standing(many)
        yield stmt, part
    if inserted:
        yield from inserted.changes({function: noting(names)})


def _names(many: _Many) -> frozenset[str]:
    """The names that a call reads again for each number."""
    parts = (one for x in (*many.sizes, *many.given) for one in ast.walk(x))
    return frozenset(x.id for x in parts if isinstance(x, ast.Name))


def _is_alone(stmt: ast.stmt, calls: Sequence[ast.Call], scope: Scope) -> bool:
    """Whether nothing else of a statement draws, or may not be evaluated.

    Args:
        stmt: it. calls: those in what it assigns. scope: the function.
    """
    others = ast.IfExp | ast.BoolOp | ast.Lambda | ast.comprehension | ast.NamedExpr
    whole = [*walked(stmt)]
    if any(isinstance(one, others) for one in whole):
        return False
    if len(calls) != sum(isinstance(one, ast.Call) for one in whole):
        return False
    full = [(scope.resolve(one.func), one.func) for one in calls]
    draws = sum(name.startswith("numpy.random.") for name, _ in full)
    return draws == 1 and all(name or isinstance(x, ast.Attribute) for name, x in full)


def _standing(many: _Many) -> Change:
    """What stands for a call: the array, or what makes it."""

    def change(node: ast.AST) -> ast.AST:
        made = many.made if many.name else ast.unparse(many.function)
        found = ast.parse(made, mode="eval").body
        for one in ast.walk(found):
            if isinstance(one, ast.expr):
                ast.copy_location(one, node)
        return found

    return change


def _there(lines: Iterator[str] | Sequence[str], stmt: ast.stmt) -> list[ast.stmt]:
    """Statements where another one stands."""
    found = [copy.deepcopy(one) for line in lines for one in ast.parse(line).body]
    for one in found:
        for node in ast.walk(one):
            if isinstance(node, ast.expr | ast.stmt):
                ast.copy_location(node, stmt)
    return [part(one) for one in found]
