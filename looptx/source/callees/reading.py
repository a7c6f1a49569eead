"""A function of the user, as what it computes, or why it is none."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from looptx.errors import Place
from looptx.model.callees.callee import Callee, Outside, Written
from looptx.model.callees.looking import reads
from looptx.model.functions import DRAWING, DRAWS
from looptx.model.records import dataclass, field, replace
from looptx.source.ast_tools import walked
from looptx.source.callees import mersenne
from looptx.source.callees.body import Body
from looptx.source.callees.drawing import STANDING
from looptx.source.callees.objects import promoted
from looptx.source.callees.refusals import Refused
from looptx.source.names.imports import arguments, own_nodes, scope_imports
from looptx.source.names.scope import Function

HINT = "the loops run as Python; write in place of the call what it computes"


@dataclass(frozen=True)
class Text:
    """A function as it is written, with what its names mean.

    Attributes:
        node: its syntax tree, with lines of the file. file: it.
        own: what tells its names from those of others; another one for each function.
        imports: what names around it mean.
        outside: what the others mean.
        receiver: whether the first argument is the object that it is a method of.
        defaults: the values of arguments that need not be given, as numbers; None for
            those that the text says, with ``constants`` by their names.
    """

    node: Function
    file: str
    own: str
    imports: Mapping[str, str]
    outside: Outside
    defaults: Mapping[str, ast.expr] | None = None
    decorated: bool = field(default=False)
    receiver: bool = False
    constants: Mapping[str, ast.expr] = field(default_factory=dict)


def callee_of(text: Text) -> Callee:
    """The function of a text; ``refused`` says why it is none."""
    node = text.node
    place = Place(text.file, node.lineno, node.col_offset + 1)
    empty = Callee(node.name, place, written=_written(text))
    try:
        return _read(text, empty)
    except Refused as error:
        line = getattr(error.node, "lineno", node.lineno)
        where = f"line {line}"
        if text.file:
            where += f" of {PurePath(text.file).name}"
        return replace(empty, refused=error.reason, where=where, hint=HINT)


def _written(text: Text) -> Written | None:
    """A function as it is written, where a call of it runs nothing else."""
    node = text.node
    if isinstance(node, ast.AsyncFunctionDef) or text.decorated or text.receiver:
        return None
    defaults = text.defaults
    if defaults is None:
        defaults = dict(written_defaults(node, text.constants))
    imports = scope_imports(node, text.imports)
    return Written(node, imports, text.outside, defaults)


def _read(text: Text, empty: Callee) -> Callee:
    node = text.node
    if isinstance(node, ast.AsyncFunctionDef):
        raise Refused(node, "is asynchronous")
    if text.decorated:
        raise Refused(node.decorator_list[0], "has a decorator, which may change it")
    node, objects = promoted(node, text.outside.callee, text.receiver)
    given = node.args
    if given.vararg or given.kwarg:
        raise Refused(node, "takes any number of arguments")
    names = [one.arg for one in arguments(node)]
    own = own_nodes(node)
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own):
        raise Refused(node, "is a generator")
    imports = scope_imports(node, text.imports)
    values = [name for name in names if name not in objects]
    variables = frozenset(values) | {
        part.id
        for part in own
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }
    for part in walked(node):
        if isinstance(part, ast.Global | ast.Nonlocal):
            raise Refused(part, "assigns names that others see")
    body = Body(node.name, text.own, imports, text.outside, variables, drawing)
    lines = body.whole(node.body, values)
    positional = [*given.posonlyargs, *given.args]
    by_name = [*given.args, *given.kwonlyargs]
    # What one does that runs is told by its statements.
    cells = () if body.runs else reads(lines, body.callees, body.arrays, body.meanings)
    defaults = text.defaults
    if defaults is None:
        defaults = dict(written_defaults(node, text.constants))
    return replace(
        empty,
        parameters=tuple(map(body.name, names)),
        positional=len(positional),
        keywords={one.arg: body.name(one.arg) for one in by_name},
        defaults={body.name(x): y for x, y in defaults.items() if not _is_told(y)},
        objects={
            body.name(name): {body.name(one): one.partition(".")[2] for one in members}
            for name, members in objects.items()
        },
        body=lines,
        results=body.results or 0,
        locals=frozenset(body.locals),
        meanings=body.meanings,
        callees=body.callees,
        reads=frozenset(body.reads),
        updates=frozenset(body.updates),
        arrays=body.arrays,
        writes=frozenset(body.writes),
        runs=body.runs,
        nothing=body.nothing,
        draws=body.draws,
        cells=cells,
    )


@functools.cache
def drawing() -> Mapping[str, Callee]:
    """The functions that stand for NumPy's of random numbers, by their names."""
    known = {name: _Beside().callee(name) for name in STANDING}
    return {name: one for name, one in known.items() if one is not None}


_IMPORTS = {"math": "math", **{one.removeprefix(DRAWS): one for one in DRAWING}}


class _Beside:
    """What the functions of ``mersenne`` call: each other."""

    def callee(self, name: str) -> Callee | None:
        """One of them by its name."""
        node = _texts().get(name)
        if node is None:
            return None
        file = PurePath(mersenne.__file__).name
        return callee_of(Text(node, file, name, _IMPORTS, self))

    def number(self, _: str) -> ast.expr | None:
        """They use none of their module."""
        return None


@functools.cache
def _texts() -> Mapping[str, ast.FunctionDef]:
    """The functions of ``mersenne`` as they are written, by name."""
    tree = ast.parse(Path(mersenne.__file__).read_text("utf-8"))
    return {x.name: x for x in tree.body if isinstance(x, ast.FunctionDef)}


def written_defaults(
    node: Function, constants: Mapping[str, ast.expr] | None = None
) -> Iterator[tuple[str, ast.expr]]:
    """The defaults that are numbers, texts or None, as written or by their names."""
    given = node.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    last = names[len(names) - len(given.defaults) :]
    pairs = [*zip(last, given.defaults, strict=True)]
    for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if value is not None:
            pairs.append((one.arg, value))
    for name, value in pairs:
        if isinstance(value, ast.Name):
            value = (constants or {}).get(value.id, value)
        if is_number(value) or _is_told(value):
            yield name, value


def _is_told(node: ast.expr) -> bool:
    """Whether an expression is None or a text."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str | None)


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number as it is written."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    number = bool | int | float | complex
    return isinstance(node, ast.Constant) and isinstance(node.value, number)
