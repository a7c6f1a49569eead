"""Formatting of generated lines with black: ``black --check`` passes on them."""

from __future__ import annotations

from collections.abc import Sequence

_LEVEL = "    "


def indent_unit(indent: str) -> str:
    """One level of indentation of a file, guessed from a line's indentation."""
    if "\t" in indent:
        return "\t"
    for width in (4, 2, 3):
        if indent and len(indent) % width == 0:
            return " " * width
    return indent or _LEVEL


def tidy(lines: Sequence[str], indent: str, line_length: int = 88) -> tuple[str, ...]:
    """The lines as black formats them where they stand.

    Args:
        lines: complete statements, indented by ``indent``.
        indent: when it is not made of levels of 4 spaces, black does not know the
            file's style and the lines are returned as they are.
        line_length: the length black keeps to.
    """
    depth, rest = divmod(len(indent), len(_LEVEL))
    if rest or indent.strip(" "):
        return tuple(lines)
    import black
    from black.parsing import InvalidInput

    mode = black.Mode(line_length=line_length, string_normalization=False)
    frame = [_LEVEL * level + "if True:" for level in range(depth)]
    try:
        text = black.format_str("\n".join([*frame, *lines, ""]), mode=mode)
    except InvalidInput:
        return tuple(lines)
    return tuple(text.split("\n")[depth:-1])
