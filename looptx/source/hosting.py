"""The function that calls compiled nests, and falls back to the loops themselves."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.model.program import Kernel, Nest
from looptx.source.decorators import strip_decorator
from looptx.source.parse import Parsed
from looptx.source.reader import Module

RESULT = "__looptx_result"
"""The variable that holds what a compiled nest returned."""


def host(module: Module, kernel: Kernel, calls: Mapping[str, str]) -> str:
    """The text of a kernel's function with nests replaced by calls.

    A call that returns None did nothing: the nest runs as it is written. Otherwise it
    returns the new values of ``live_out``.

    Args:
        module: where the kernel was read from.
        kernel: the function; looptx's decorator is left out, other ones are kept.
        calls: what to call, by the name of the nest. Other nests stay.
    """
    parsed = module.parsed
    skipped = {
        line
        for edit in strip_decorator(module, kernel)
        if edit.first_line >= kernel.first_line
        for line in range(edit.first_line, edit.last_line + 1)
    }
    nests = {nest.first_line: nest for nest in kernel.nests if nest.name in calls}
    definition = module.definition(kernel)
    margin = parsed.start(definition)[1]
    lines: list[str] = []
    number = kernel.first_line
    while number <= kernel.last_line:
        nest = nests.get(number)
        if nest is not None:
            lines += _called(parsed, nest, calls[nest.name], margin)
            number = nest.last_line + 1
            continue
        if number not in skipped:
            lines.append(_line(parsed, number, margin))
        number += 1
    return "\n".join(lines) + "\n"


def _called(parsed: Parsed, nest: Nest, function: str, margin: int) -> list[str]:
    indent = nest.indent[margin:]
    step = "\t" if "\t" in nest.indent else "    "
    lines = [
        f"{indent}{RESULT} = {function}({', '.join(nest.live_in)})",
        f"{indent}if {RESULT} is None:",
    ]
    for number in range(nest.first_line, nest.last_line + 1):
        line = _line(parsed, number, margin)
        lines.append(step + line if line.strip() else line)
    if nest.live_out:
        lines.append(f"{indent}else:")
        lines.append(f"{indent}{step}({', '.join(nest.live_out)},) = {RESULT}")
    return lines


def _line(parsed: Parsed, number: int, margin: int) -> str:
    """A line without the indentation of the function, unless it is inside a string."""
    line = parsed.line(number)
    if number in parsed.inside_strings:
        return line
    blank = len(line) - len(line.lstrip())
    return line[min(margin, blank) :]
