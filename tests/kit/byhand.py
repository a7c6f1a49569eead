"""Nests and plans built by hand, for the tests of the printers."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from looptx.errors import Place
from looptx.looptree.nodes import Block, Call, For
from looptx.looptree.planned import Planned
from looptx.looptree.prepare import prepare
from looptx.model.expr import (
    TRUE,
    And,
    Const,
    IntExpr,
    Var,
    add,
    floordiv,
    mod,
    mul,
    sub,
)
from looptx.model.nests.applied import Applied
from looptx.model.nests.entry import Entry
from looptx.model.program import (
    Loop,
    LoopNode,
    Nest,
    NestText,
    Node,
    Statement,
    StatementNode,
)
from looptx.model.schedule import initial
from looptx.syntax.region import Region

TEXTS: dict[str, list[str]] = {}
"""The lines of the functions in which the nests stand, by file name."""

_BINARY: dict[type[ast.operator], Callable[[IntExpr, IntExpr], IntExpr]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.FloorDiv: floordiv,
}


def expr(text: str | int) -> IntExpr:
    """An integer expression from Python text; names and shapes are variables."""

    def build(node: ast.expr) -> IntExpr:
        match node:
            case ast.Constant(int() as value):
                return Const(value)
            case ast.UnaryOp(ast.USub(), operand):
                return mul(Const(-1), build(operand))
            case ast.BinOp(left, ast.Mod(), right):
                return mod(build(left), build(right))
            case ast.BinOp(left, op, right):
                return _BINARY[type(op)](build(left), build(right))
        return Var(ast.unparse(node))

    return build(ast.parse(str(text), mode="eval").body)


@dataclass(frozen=True)
class Comments:
    """Comments of a statement or loop: lines above, text behind, lines after."""

    above: tuple[str, ...] = ()
    behind: str = ""
    below: tuple[str, ...] = ()


def nest_of(
    source: str,
    *,
    scalars: Sequence[str] = (),
    comments: Mapping[str, Comments] = {},
    indent: str = "    ",
    equal: Mapping[str, str] = {},
    **changes: object,
) -> Nest:
    """A nest from plain source; statements are S0, S1 ...

    ``comments`` are given per loop variable or statement name, and written into it.
    """
    source = textwrap.dedent(source).strip()
    lines = _commented(source, comments)
    text = ["def f():", *(f"{indent}{line}" if line else line for line in lines)]
    filename = f"byhand{len(TEXTS)}.py"
    TEXTS[filename] = text
    loops: dict[str, Loop] = {}
    statements: dict[str, Statement] = {}

    def build(node: ast.stmt, outer: tuple[str, ...]) -> Node:
        place = Place(filename, node.lineno, node.col_offset + 1)
        if isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
            args = [expr(ast.unparse(arg)) for arg in node.iter.args]
            if len(args) == 1:
                args.insert(0, Const(0))
            step = args[2] if len(args) == 3 else Const(1)
            assert isinstance(step, Const)
            var = node.target.id
            loop = Loop(var, var, args[0], args[1], step.value, place)
            loops[var] = loop
            return LoopNode(loop, tuple(build(s, (*outer, var)) for s in node.body))
        name = f"S{len(statements)}"
        statements[name] = Statement(name, outer, TRUE, (), (node,), place)
        return StatementNode(name)

    definition = ast.parse("\n".join(text)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    root = build(definition.body[0], ())
    assert isinstance(root, LoopNode)
    nest = Nest(
        name="n0",
        body=(root,),
        loops=loops,
        statements=statements,
        arrays=(),
        scalars=tuple(scalars),
        parameters=("n", "m"),
        live_in=(),
        live_out=(),
        aliases=frozenset(),
        place=root.loop.place,
        text=NestText(2, len(text), indent),
        entry=Entry(python=frozenset("nm"), equal=equal),
    )
    return replace(nest, **changes)  # type: ignore[arg-type]


def _commented(source: str, comments: Mapping[str, Comments]) -> list[str]:
    """The lines of a source with comments put to its loops and statements."""
    lines = source.split("\n")
    above: dict[int, list[str]] = {}
    below: dict[int, list[str]] = {}
    number = 0

    def visit(node: ast.stmt) -> None:
        nonlocal number
        pad = " " * node.col_offset
        if isinstance(node, ast.For):
            said, last = comments.get(ast.unparse(node.target)), node.lineno
        else:
            said, last = comments.get(f"S{number}"), node.end_lineno or 0
            number += 1
        if said is not None:
            above[node.lineno] = [pad + line for line in said.above]
            below[last] = [pad + line for line in said.below]
            lines[last - 1] += f"  {said.behind}" if said.behind else ""
        for inner in node.body if isinstance(node, ast.For) else ():
            visit(inner)

    for node in ast.parse(source).body:
        visit(node)
    return [
        each
        for at, line in enumerate(lines, 1)
        for each in (*above.get(at, ()), line, *below.get(at, ()))
    ]


def plan(nest: Nest, body: Block, **changes: object) -> Planned:
    """A plan that says nothing but its loops."""
    schedule = replace(initial(nest), applied=(Applied("tile i=32 j=32"),))
    planned = Planned(
        nest=nest,
        schedule=schedule,
        body=prepare(nest, body),
        buffers=(),
        finals=(),
        in_bounds=And(()),
        wraps=frozenset(),
        unchecked=frozenset(),
        reductions={},
    )
    return replace(planned, **changes)  # type: ignore[arg-type]


def loop(
    var: str, start: str | int, stop: str | int, *body: object, **more: object
) -> For:
    """``for var in range(start, stop)``; ``step=`` and the fields of ``For``."""
    step = more.pop("step", 1)
    return For(var, expr(start), expr(stop), step, body, **more)  # type: ignore[arg-type]


def call(statement: str, **index: str | int) -> Call:
    """A call of a statement, ``call("S0", i="ii")``."""
    return Call(statement, {name: expr(value) for name, value in index.items()})


def written(planned: Planned, line_length: int = 88) -> tuple[str, ...]:
    """The lines that stand in the place of the nest."""
    text = TEXTS[planned.nest.place.file]
    lines = [line + "\n" for line in text]
    region = Region(lines, 1, planned.nest.place.file, line_length)
    return region.shown(planned, "0123456789ab")


def printed(planned: Planned, line_length: int = 88) -> str:
    """The printed nest, dedented."""
    width = len(planned.nest.text.indent)
    return "\n".join(line[width:] for line in written(planned, line_length)) + "\n"


def loops_only(planned: Planned) -> str:
    """The printed nest without the line that marks it."""
    lines = printed(planned).split("\n")
    return "\n".join(line for line in lines if "looptx: applied" not in line)


def check_style(folder: Path, function: str) -> None:
    """Fail unless black and ruff accept a file with this function."""
    path = folder / "generated.py"
    path.write_text(f'"""Generated."""\n\n\n{function}', encoding="utf-8")
    rules = "E,F,W,I,UP,B,SIM,RUF,ERA,PIE,C4,PLR1714,PLR1716,PLW,RET"
    for command in (
        ["black", "--check", "-q", str(path)],
        ["ruff", "check", "--isolated", "--no-cache", f"--select={rules}", str(path)],
    ):
        run = subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr + path.read_text()


def function(head: str, planned: Planned) -> str:
    """A function of the given head whose body is the printed nest."""
    return "\n".join([f"def {head}:", *written(planned), ""])
