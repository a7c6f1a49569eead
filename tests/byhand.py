"""Nests and plans built by hand, for the tests of the printers."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from looptx.emit.python import nest_lines
from looptx.errors import Place
from looptx.looptree.nodes import Block, Call, For
from looptx.looptree.planned import Planned
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
from looptx.model.program import (
    Comments,
    Loop,
    LoopNode,
    Nest,
    Node,
    Ref,
    Statement,
    StatementNode,
    Text,
)
from looptx.model.schedule import initial

HERE = Place("byhand.py", 1)
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


def text_of(source: str, names: frozenset[str]) -> Text:
    """A statement's text with every occurrence of ``names`` as a ``Ref``."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tree = ast.parse(source)
    alone: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            whole = node.slice
            alone.update(whole.elts if isinstance(whole, ast.Tuple) else [whole])
        elif isinstance(node, ast.Call):
            alone.update(node.args)
        elif isinstance(node, ast.Assign):
            alone.add(node.value)
    parts: list[str | Ref] = []
    done = 0
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in names]
    for name in sorted(found, key=lambda n: (n.lineno, n.col_offset)):
        at = starts[name.lineno - 1] + name.col_offset
        parts += [source[done:at], Ref(name.id, name in alone)]
        done = at + len(name.id)
    parts.append(source[done:])
    return Text(tuple(part for part in parts if part != ""))


def nest_of(
    source: str,
    *,
    scalars: Sequence[str] = (),
    comments: Mapping[str, Comments] = {},
    indent: str = "    ",
    **changes: object,
) -> Nest:
    """A nest from plain source without comments; statements are S0, S1 ...

    ``comments`` are given per loop variable or statement name.
    """
    source = textwrap.dedent(source).strip()
    loops: dict[str, Loop] = {}
    statements: dict[str, Statement] = {}

    def build(node: ast.stmt, outer: tuple[str, ...]) -> Node:
        if isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
            args = [expr(ast.unparse(arg)) for arg in node.iter.args]
            if len(args) == 1:
                args.insert(0, Const(0))
            step = args[2] if len(args) == 3 else Const(1)
            assert isinstance(step, Const)
            var = node.target.id
            said = comments.get(var, Comments())
            loop = Loop(var, var, args[0], args[1], step.value, HERE, said)
            loops[var] = loop
            return LoopNode(loop, tuple(build(s, (*outer, var)) for s in node.body))
        name = f"S{len(statements)}"
        code = ast.get_source_segment(source, node)
        assert code is not None
        code = code.replace("\n" + " " * node.col_offset, "\n")
        text = text_of(code, frozenset((*outer, *scalars)))
        said = comments.get(name, Comments())
        statements[name] = Statement(name, outer, TRUE, (), text, (node,), HERE, said)
        return StatementNode(name)

    root = build(ast.parse(source).body[0], ())
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
        equal={},
        directives=(),
        first_line=1,
        last_line=len(source.split("\n")),
        indent=indent,
        place=HERE,
        python=frozenset("nm"),
    )
    return replace(nest, **changes)  # type: ignore[arg-type]


def plan(nest: Nest, body: Block, **changes: object) -> Planned:
    """A plan that says nothing but its loops."""
    schedule = replace(initial(nest), applied=("tile i=32 j=32",))
    planned = Planned(
        nest=nest,
        schedule=schedule,
        body=body,
        buffers=(),
        finals=(),
        in_bounds=And(()),
        wraps=frozenset(),
        unchecked=frozenset(),
        reductions={},
        assumes=(),
        trusted=(),
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


def printed(planned: Planned, **more: object) -> str:
    """The printed nest, dedented."""
    lines = nest_lines(planned, planned.nest.indent, "0123456789ab", **more)  # type: ignore[arg-type]
    width = len(planned.nest.indent)
    return "\n".join(line[width:] for line in lines) + "\n"


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


def function(head: str, planned: Planned, **more: object) -> str:
    """A function of the given head whose body is the printed nest."""
    lines = nest_lines(planned, planned.nest.indent, "0123456789ab", **more)  # type: ignore[arg-type]
    return "\n".join([f"def {head}:", *lines, ""])
