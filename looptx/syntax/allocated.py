"""The statement that allocates a temporary, made anew with the size that is needed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looptx.syntax.comments import comments_of


def resized(
    line: cst.SimpleStatementLine, shape: str, like: bool
) -> tuple[cst.BaseSmallStatement, list[str]]:
    """An allocation with another shape, and the comments that stood in the old one.

    Args:
        line: the statement.
        shape: the text of the shape.
        like: whether the call says an array and no shape, as ``zeros_like`` does.
    """
    (small,) = line.body
    assert isinstance(small, cst.Assign | cst.AnnAssign)
    call = cst.ensure_type(small.value, cst.Call)
    named = [at for at, arg in enumerate(call.args) if _says_shape(arg)]
    value = cst.parse_expression(shape)
    args = list(call.args)
    inside: list[str] = []
    if like and not named:
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        args.append(cst.Arg(value, cst.Name("shape"), equal))
    else:
        (at,) = named or (0,)
        inside = list(comments_of(args[at].value))
        args[at] = args[at].with_changes(value=value)
    return small.with_changes(value=call.with_changes(args=args)), inside


def said(line: cst.SimpleStatementLine) -> Iterator[str]:
    """The comments of an allocation that is gone."""
    return comments_of(*line.body, line.trailing_whitespace)


def _says_shape(arg: cst.Arg) -> bool:
    return arg.keyword is not None and arg.keyword.value == "shape"
