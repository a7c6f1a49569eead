"""The text of the function that a task runs: a part of a nest, on windows of arrays.

It is the rewritten Python of the part, with its loops' marks as directives, so it is a
kernel like one that a user writes: proven, compiled, kept and told about as any other.
An array of which only a window is there has its subscripts counted from the window's
first cell, ``A[i - A_0, j - A_1]``.
"""

from __future__ import annotations

import ast
import symtable
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from looptx.cluster.programs.names import Given, Names, Wanted, shifted
from looptx.cluster.programs.parts import Part, unsupported
from looptx.looptree.nodes import For
from looptx.looptree.planned import Planned
from looptx.looptree.text import format_expr
from looptx.looptree.walk import nodes
from looptx.model.execution.marks import Parallel
from looptx.model.expr import IntExpr, Max, Min, Select, variables, walk
from looptx.model.naming import told
from looptx.model.program import Kernel, Statement
from looptx.model.records import dataclass, replace
from looptx.parsers.unwarned import parsed
from looptx.rewriting import nest_lines
from looptx.source import Module


@dataclass(frozen=True, slots=True)
class TaskText:
    """The function of a task, as text.

    Attributes:
        name: of the function. text: it, with directives and without.
        arrays: what stands for them, by their names in the nest.
        values: the parameters of other values, by what they are in the nest.
        results: the scalars that it returns, in order. starts: those that it is given.
        outside: the names that it takes from its module.
    """

    name: str
    text: str
    plain: str
    arrays: Mapping[str, Given]
    values: Mapping[str, str]
    results: tuple[str, ...]
    starts: Mapping[str, str]
    outside: tuple[str, ...]


def task_text(
    module: Module, kernel: Kernel, planned: Planned, part: Part, wanted: Wanted
) -> TaskText:
    """The function of a part's tasks.

    Args:
        module: that was read. kernel: the function. planned: the nest.
        part: of the nest. wanted: what is known of it.

    Raises:
        LooptxError: the part cannot be written as a function of its own.
    """
    lines = nest_lines(module, kernel, _alone(planned, part))
    body = parsed(textwrap.dedent("\n".join(lines))).body
    body = [stmt for stmt in body if not _allocates(stmt, wanted.arrays)]
    taken = {
        node.id
        for stmt in body
        for node in ast.walk(stmt)
        if isinstance(node, ast.Name)
    }
    parts = {text: name for name, text in planned.nest.host.parts.items()}
    live = {name: name for name in planned.nest.live_in} | parts
    names = Names(wanted, live, taken, shifted(body, wanted))
    body = [names.visit(stmt) for stmt in body]
    texts = {name: names.values.get(name, name) for name in wanted.starts}
    _check_named(body, planned, (*wanted.starts, *wanted.results), names)
    read = {x.id for one in body for x in ast.walk(one) if isinstance(x, ast.Name)}
    own = {name: name for name in part.outer if name in read} | names.values
    own = {name: text for name, text in own.items() if name not in texts}
    own = {name: text for name, text in own.items() if name not in wanted.results}
    given = [*own.values(), *texts.values()]
    for array in names.given.values():
        given += [array.name, *filter(None, array.origin), *array.extents.values()]
    given = list(dict.fromkeys(given))
    if wanted.results:
        found = {name: names.values.get(name, name) for name in wanted.results}
        returned = "".join(f"{text}, " for text in found.values())
        body += ast.parse(f"return {returned}").body
        # It may be that no iteration runs: nobody looks at them then.
        begun = (text for name, text in found.items() if name not in texts)
        body[:0] = [stmt for text in begun for stmt in ast.parse(f"{text} = None").body]
    marks = _marks(part)
    facts = _facts(wanted, names, {*own.values()})
    text = _written(wanted, given, body, marks, facts)
    return TaskText(
        wanted.name,
        text,
        _written(wanted, given, body, {}, facts) if marks else text,
        names.given,
        own,
        wanted.results,
        texts,
        _outside(text, wanted.name),
    )


def _check_named(
    body: Sequence[ast.stmt], planned: Planned, scalars: Iterable[str], names: Names
) -> None:
    """See that scalars have names of their own in the text.

    Args:
        body: the text. planned: the nest. scalars: of it. names: in the text.

    Raises:
        Unsupported: LX601 for a part of a tuple.
    """
    found = {x.id for one in body for x in ast.walk(one) if isinstance(x, ast.Name)}
    for name in scalars:
        if names.values.get(name, name) not in found:
            raise unsupported(planned.nest, f"`{told(name)}` is a part of a tuple")


def _alone(planned: Planned, part: Part) -> Planned:
    """The nest with a part's loops only, which assume nothing and leave nothing."""
    nest = planned.nest
    statements: dict[str, Statement] = {
        name: replace(one, elementwise=False) for name, one in nest.statements.items()
    }
    entry = replace(nest.entry, python=nest.entry.python | {*part.outer})
    escapes = replace(nest.escapes, rescued=(), caught=False)
    nest = replace(nest, statements=statements, entry=entry, escapes=escapes)
    schedule = replace(planned.schedule, assumes=())
    return replace(planned, nest=nest, schedule=schedule, body=part.block, finals=())


def _allocates(stmt: ast.stmt, arrays: Mapping[str, int]) -> bool:
    """Whether a statement makes an array that the task is given."""
    match stmt:
        case ast.Assign([ast.Name(name)], ast.Call()):
            return name in arrays
    return False


def _marks(part: Part) -> dict[str, str]:
    """The directives about the loops of a part, by the variable of their loop."""
    found: dict[str, str] = {}
    for node in nodes(part.block):
        if isinstance(node, For) and (verbs := [*_verbs(node)]):
            found[node.var] = " | ".join(verbs)
    return found


def _verbs(node: For) -> Iterator[str]:
    """The directives about a loop."""
    marks = node.marks
    if marks.parallel is not None:
        yield " ".join(("parallel", node.var, *_options(marks.parallel)))
    if marks.vectorize is not None:
        yield f"vectorize {node.var} {marks.vectorize or ''}".rstrip()


def _options(mark: Parallel) -> Iterator[str]:
    if mark.schedule:
        yield f"schedule={mark.schedule}"
    for key in ("chunk", "threads", "least"):
        if getattr(mark, key):
            yield f"{key}={getattr(mark, key)}"


def _facts(wanted: Wanted, names: Names, known: set[str]) -> list[str]:
    """That no subscript of a window counts from its end.

    Args:
        wanted: what is known of the part. names: its parameters.
        known: those that are integers, perhaps.
    """
    found: list[str] = []
    for array, own in names.given.items():
        for origin, bounds in zip(
            own.origin, wanted.lowest.get(array, ()), strict=False
        ):
            for bound in bounds if origin else ():
                inside = {name: names.integer(name) for name in variables(bound)}
                if _is_affine(bound) and {*inside.values()} <= known:
                    found.append(f"{origin} <= {format_expr(bound, inside)}")
    return list(dict.fromkeys(found))


def _is_affine(expr: IntExpr) -> bool:
    """Whether a directive can say an expression."""
    return not any(isinstance(one, Max | Min | Select) for one in walk(expr))


def _written(
    wanted: Wanted,
    given: Sequence[str],
    body: Sequence[ast.stmt],
    marks: Mapping[str, str],
    facts: Sequence[str],
) -> str:
    """The module of a task's function.

    Args:
        wanted: what is known of the part. given: its parameters. body: its statements.
        marks: the directives, by the variables of loops. facts: what is assumed.
    """
    lines: list[str] = []
    for stmt in body:
        loops = [node for node in ast.walk(stmt) if isinstance(node, ast.For)]
        verbs = [
            marks[loop.target.id]
            for loop in loops
            if isinstance(loop.target, ast.Name) and loop.target.id in marks
        ]
        if facts and isinstance(stmt, ast.For):
            lines.append(f"# looptx: assume {' and '.join(facts)}")
        if verbs:
            lines.append(f"# looptx: {' | '.join(verbs)}")
        lines += ast.unparse(ast.fix_missing_locations(stmt)).split("\n")
    text = f"def {wanted.name}({', '.join(given)}):\n"
    text += textwrap.indent("\n".join(lines or ["pass"]), "    ") + "\n"
    if any(isinstance(node, ast.For) for stmt in body for node in ast.walk(stmt)):
        how = f'(fastmath="{", ".join(wanted.fastmath)}")' if wanted.fastmath else ""
        text = f"import looptx\n\n\n@looptx.kernel{how}\n{text}"
    return text


def _outside(text: str, name: str) -> tuple[str, ...]:
    """The names that a function takes from its module."""
    table = symtable.symtable(text, "<task>", "exec")
    found: set[str] = set()
    left = [one for one in table.get_children() if one.get_name() == name]
    while left:
        one = left.pop()
        left += one.get_children()
        if isinstance(one, symtable.Function):
            found.update(one.get_globals())
    return tuple(sorted(found))
