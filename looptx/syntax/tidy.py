"""Formatting of new statements with black: ``black --check`` passes on them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

import libcst as cst

from looptx.model.lines import NEWLINE
from looptx.syntax.body import Body
from looptx.syntax.concrete import Line

_LEVEL = "    "

_PLAIN = ast.Assign | ast.AugAssign | ast.Expr | ast.Pass | ast.For | ast.If
_STYLE = re.compile(r"""\*\*|["'#]|lambda|\[[^]]*:|(=|\b(if|else|in|not|and|or)) \(""")
"""What black may write in another way than ``ast.unparse``, or without parentheses."""


def indent_unit(indent: str) -> str:
    """One level of indentation of a file, guessed from a line's indentation."""
    if "\t" in indent:
        return "\t"
    for width in (4, 2, 3):
        if indent and len(indent) % width == 0:
            return " " * width
    return indent or _LEVEL


def tidied(
    body: Body, config: cst.PartialParserConfig
) -> tuple[Sequence[Line], Sequence[cst.EmptyLine]]:
    """Statements as black formats them in their place, and the lines behind them.

    Args:
        body: the statements. When their indentation is not made of levels of 4 spaces,
            black does not know the file's style and they are returned as they are.
        config: of the module they are made for.
    """
    block = body.suite()
    depth, rest = divmod(len(body.indent), len(_LEVEL))
    if rest or body.indent.strip(" "):
        return body.statements, block.footer
    text = NEWLINE.sub("\n", _framed(block, depth))
    new = _tidy(text, body.line_length)
    if new == text:
        block = cst.ensure_type(block.visit(_Indented()), cst.IndentedBlock)
        return [x for x in block.body if isinstance(x, Line)], block.footer
    newline = config.default_newline
    assert isinstance(newline, str)
    module = cst.parse_module(new.replace("\n", newline), config)
    module = module.visit(_Indented())
    inner: cst.Module | cst.IndentedBlock = module
    for _ in range(depth):
        frame = inner.body[0]
        assert isinstance(frame, cst.If) and isinstance(frame.body, cst.IndentedBlock)
        inner = frame.body
    lines = [line for line in inner.body if isinstance(line, Line)]
    # Without a frame the first statement stands in its place.
    return lines[not depth :], [*inner.footer, *(module.footer if depth else ())]


class _Indented(cst.CSTTransformer):
    """Blocks that say how they are indented: another module has another default."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Lines and expressions hold no block."""
        return not isinstance(node, cst.SimpleStatementLine | cst.BaseExpression)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """One level of black's."""
        return updated_node.with_changes(indent=_LEVEL)


def _framed(block: cst.IndentedBlock, depth: int) -> str:
    """The text of a block as deep in conditions as it is to stand."""
    if not depth:
        lines = [line for line in block.body if isinstance(line, Line)]
        frame = cst.parse_statement("pass")
        return cst.Module([frame, *lines], footer=block.footer).code
    frame = cst.If(cst.Name("True"), block.with_changes(indent=_LEVEL))
    for _ in range(depth - 1):
        frame = cst.If(cst.Name("True"), cst.IndentedBlock([frame], indent=_LEVEL))
    return cst.Module([frame]).code


def _tidy(text: str, line_length: int) -> str:
    """A text as black formats it; black takes long to import, and is seldom needed."""
    lines: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        if _is_tidy(line, line_length):
            lines.append(line)
        elif broken := _broken(line, line_length):
            lines += broken
        else:
            return _formatted(text, line_length)
    return "\n".join([*lines, ""])


def _is_tidy(line: str, line_length: int) -> bool:
    """Whether black is known to leave a line as it is."""
    code, _, comment = line.strip().partition("  # ")
    if code.startswith("# "):
        return True
    if len(line) > line_length or comment[:1].isspace() or _STYLE.search(code):
        return False
    if code == "else:":
        return True
    whole = f"{code.removeprefix('el')}\n    pass" if code.endswith(":") else code
    try:
        (statement,) = ast.parse(whole).body
    except (SyntaxError, ValueError):
        return False
    return isinstance(statement, _PLAIN) and ast.unparse(statement) == whole


def _broken(line: str, line_length: int) -> list[str] | None:
    """How black breaks a loop over ``range`` that is too long; None where not sure."""
    code = line.lstrip(" ")
    if not _is_tidy(line, len(line)) or not code.startswith("for "):
        return None
    loop = ast.parse(f"{code} pass").body[0]
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return None
    call = ast.unparse(loop.iter)
    before, _, behind = line.partition(call)
    return _spread(before, loop.iter, behind, line_length) if behind == ":" else None


def _spread(
    before: str, call: ast.Call, behind: str, line_length: int
) -> list[str] | None:
    """A call whose arguments share a line of their own, or else have one each."""
    indent = before[: len(before) - len(before.lstrip(" "))]
    inner = indent + _LEVEL
    arguments = [ast.unparse(argument) for argument in call.args]
    head, tail = f"{before}{ast.unparse(call.func)}(", f"{indent}){behind}"
    together = f"{inner}{', '.join(arguments)}"
    if call.keywords or len(arguments) < 2 or len(head) > line_length:
        return None
    if len(together) <= line_length:
        return [head, together, tail]
    lines: list[str] = []
    for argument, text in zip(call.args, arguments, strict=True):
        line = f"{inner}{text},"
        if len(line) <= line_length:
            lines.append(line)
            continue
        broken = (
            _spread(inner, argument, ",", line_length)
            if isinstance(argument, ast.Call)
            else None
        )
        if broken is None:
            return None
        lines += broken
    return [head, *lines, tail]


def _formatted(text: str, line_length: int) -> str:
    import black

    mode = black.Mode(line_length=line_length, string_normalization=False)
    return black.format_str(text, mode=mode)
