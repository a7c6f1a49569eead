"""A planned nest as Cython: an entry, a worker without the GIL, and the whole module.

The worker is a C function that is never inlined into the entry: there its memoryviews
are plain by-value structs, and C keeps their pointers and strides in registers.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.emit.buffers import hold_arrays, hold_scalars
from looptx.emit.calls import AGAIN
from looptx.emit.cells import register
from looptx.emit.cloops import HEADER, LoopPrinter, declaration, declare
from looptx.emit.cstmt import Frame, StatementPrinter
from looptx.emit.guards import Entry, c_arguments
from looptx.emit.infer import infer
from looptx.emit.raising import Survey, survey
from looptx.emit.runtime import prelude, raising
from looptx.emit.scope import SHAPE, Names, Scope, words
from looptx.emit.values import fail
from looptx.emit.widths import check_widths
from looptx.errors import LooptxError
from looptx.looptree.planned import Planned
from looptx.looptree.prepare import prepare
from looptx.looptree.text import indent
from looptx.model.program import Nest
from looptx.model.types import ScalarType, Type

DEFAULT_IMPORTS = {"np": "numpy", "numpy": "numpy", "math": "math"}


def nest_function(
    planned: Planned,
    types: Mapping[str, Type],
    name: str,
    imports: Mapping[str, str] | None = None,
    *,
    every: bool = False,
    other: str = "",
) -> str:
    """The Cython functions of one nest, for certain types.

    The entry ``name(<live_in...>, threads)`` returns NotImplemented for other types,
    a text that says why when a check fails (an index out of bounds, overlapping or
    unaligned arrays, a false ``assume``), else the tuple of the ``live_out`` values.

    Args:
        planned: the proven nest.
        types: of every name in ``nest.live_in``.
        name: of the entry.
        imports: what names of modules and functions mean (``Kernel.imports``).
        every: test on entry all that may raise and can be tested; other: the entry to
            call where a test fails that Python may not come to.

    Raises:
        LooptxError: LX504 for what has no native equivalent, LX503 for a scalar without
            a type.
    """
    nest = planned.nest
    try:
        scope = _scope(planned, types, DEFAULT_IMPORTS if imports is None else imports)
        doubt = survey(scope, every=every).doubt
        if doubt is not None:
            raise doubt
        return _functions(scope, name, other)
    except LooptxError as error:
        raise error.at(nest.place) from None


def exceptions(
    planned: Planned,
    types: Mapping[str, Type],
    imports: Mapping[str, str] | None = None,
    *,
    every: bool = True,
) -> Survey:
    """What a nest may raise in the middle, with what its entry tests.

    ``every`` as in ``nest_function``.

    Raises:
        LooptxError: as ``nest_function``.
    """
    try:
        scope = _scope(planned, types, DEFAULT_IMPORTS if imports is None else imports)
        return survey(scope, every=every)
    except LooptxError as error:
        raise error.at(planned.nest.place) from None


def _scope(
    planned: Planned, types: Mapping[str, Type], imports: Mapping[str, str]
) -> Scope:
    nest = planned.nest
    check_effects(nest)
    texts = {*planned.schedule.taken, *nest.live_in, *nest.parameters, *nest.scalars}
    texts.update(loop.var for loop in nest.loops.values())
    for statement in nest.statements.values():
        texts.update(ast.unparse(line) for line in statement.code)
    taken = {word.replace(".", "_") for word in nest.live_in}
    taken = taken.union(*map(words, texts))
    scope = Scope(planned, types, imports, Names(taken))
    for text in nest.parameters:
        if SHAPE.match(text):
            scope.parameter(text)
        elif not text.replace(".", "").isidentifier():
            scope.computed[text] = scope.names.fresh("size")
        elif text in types and not scope.is_integer(text):
            fail(f"`{text}` is used as an integer but is {types[text]}")
    hold_arrays(scope)
    infer(scope)
    hold_scalars(scope)
    return scope


def check_effects(nest: Nest) -> None:
    """Nothing in a nest prints, or may use anything.

    Raises:
        Unsupported: LX504.
    """
    for statement in nest.statements.values():
        if statement.effects:
            hint = "the loops run as Python; move it out of them to compile them"
            fail(statement.effects, statement.place, hint)


def _tagged(scope: Scope) -> dict[str, tuple[ScalarType, ...]]:
    """The returned scalars whose Python type is known only after the run."""
    found = {}
    for name in scope.planned.nest.live_out:
        kind = scope.kinds.get(name)
        if kind is not None and len(kind.members) > 1:
            found[name] = tuple(sorted(kind.members, key=str))
    return found


def _functions(scope: Scope, name: str, other: str) -> str:
    nest = scope.planned.nest
    tagged = _tagged(scope)
    statements = StatementPrinter(scope, tagged)
    block = prepare(scope.planned)
    check_widths(scope, block)
    register(scope, block)
    outside = c_arguments(scope)
    scalars = {scope.names(n) for n in nest.scalars if n in nest.live_in}
    loops = LoopPrinter(scope, statements, name, outside)
    frame = Frame({n: c for n, c in outside.items() if n in scalars})
    # A parallel loop of one iteration is no loop: its body stands here.
    body = loops.numbered(loops.block(block, frame), frame)
    finals = {final.var for final in scope.planned.finals}
    results: dict[str, str] = {}
    for scalar in nest.live_out:
        if scalar in finals or scalar not in scope.kinds:
            continue
        kinds = {scalar: scope.kinds[scalar].c}
        if scalar in tagged:
            kinds[f"{scalar} type"] = "int"
        for word, c_type in kinds.items():
            variable, out = scope.names(word), scope.names(f"{word} out")
            frame.declared.setdefault(variable, c_type)
            results[out] = c_type
            body.append(f"{out}[0] = {variable}")
    given = _given(body, outside, scalars, frame)
    local = {n: c for n, c in frame.declared.items() if n not in given}
    tags = [f"{statements.tag(s)} = 0" for s in tagged]
    arguments = [declaration(c, n) for n, c in given.items()]
    arguments += [declaration(f"{c}*", n) for n, c in results.items()]
    ending = "except -1" if _raises(body, loops) else "noexcept"
    head = f"cdef lx_work lx_{name}_run({', '.join(arguments)}) {ending} nogil:"
    worker = [
        *(f"# looptx: {line}" for line in scope.planned.memory),
        *(f"# looptx: {line}" for line in scope.planned.notes),
        *HEADER,
        head,
        *indent([*declare(local), *tags, *body]),
    ]
    call = ", ".join([*given, *(f"&{n}" for n in results)])
    gives_up = any(AGAIN in text for text in (*loops.functions, *worker))
    entry = Entry(scope, tagged, results, other, gives_up=gives_up)
    text = entry.text(name, f"lx_{name}_run({call})")
    return "\n\n\n".join([*loops.functions, "\n".join(worker), text]) + "\n"


def _given(
    body: Sequence[str], outside: Mapping[str, str], scalars: set[str], frame: Frame
) -> dict[str, str]:
    """The arguments of the worker: what it uses and does not declare itself."""
    used = words("\n".join(body))
    return {
        name: c_type
        for name, c_type in outside.items()
        if name in used and (name in scalars or name not in frame.declared)
    }


def _raises(body: Sequence[str], loops: LoopPrinter) -> bool:
    used = words("\n".join(body))
    return bool(used & loops.raising) or raising(used)


def module_text(functions: Sequence[str], host: str = "") -> str:
    """A whole ``.pyx``: what the functions need, the functions, then ordinary Python.

    Args:
        functions: texts of ``nest_function``.
        host: Python that uses the entries; its docstring and ``from __future__``
            imports stay at the top.
    """
    text = "\n\n\n".join(function.rstrip() for function in functions)
    head, rest = _split(host)
    parts = ["# cython: language_level=3", head, prelude(text), "", "", text]
    whole = "\n".join(part for part in parts if part is not None)
    return whole + "\n" + (f"\n\n{rest}" if rest.strip() else "")


def _split(host: str) -> tuple[str | None, str]:
    """The docstring and future imports of a module, and the rest."""
    last = 0
    for number, node in enumerate(ast.parse(host).body):
        docstring = number == 0 and isinstance(node, ast.Expr)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not future and not (docstring and isinstance(node.value, ast.Constant)):  # type: ignore[attr-defined]
            break
        last = node.end_lineno or last
    lines = host.splitlines(keepends=True)
    return "".join(lines[:last]).rstrip() or None, "".join(lines[last:])
