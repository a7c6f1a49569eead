"""``@looptx.kernel`` in a source text: its directives, and taking it away."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.errors import Malformed
from looptx.model.program import Directive, Kernel
from looptx.source.edits import Edit
from looptx.source.imports import imported, resolve
from looptx.source.parse import Parsed, blocks, end_line
from looptx.source.reader import Module, is_decorator
from looptx.source.walking import walked


def decorator_directives(module: Module, kernel: Kernel) -> tuple[Directive, ...]:
    """The directives written in a kernel's decorator, without running it.

    Strings are taken as they are; ``split("i", 32)`` is read as ``split i 32``.

    Raises:
        Malformed: LX102, an argument is not written out literally.
    """
    found: list[Directive] = []
    for node in _decorators(module, kernel):
        if isinstance(node, ast.Call):
            for arg in node.args:
                text = _text(arg, module)
                place = module.parsed.place(arg)
                source = module.parsed.line(arg.lineno)
                if text is None:
                    raise Malformed(
                        "LX102",
                        f"`{ast.unparse(arg)}` cannot be read without running the file",
                        place,
                        hint="write the directive as a string or as a literal call",
                        source=source,
                    )
                found.append(Directive(text, place, source))
    return tuple(found)


def strip_decorator(module: Module, *kernels: Kernel) -> list[Edit]:
    """The edits that remove the decorators of kernels, and imports only they used.

    Pass all kernels that lose their decorator at once, so that an import they share
    goes as well.
    """
    gone = [node for kernel in kernels for node in _decorators(module, kernel)]
    edits = [Edit(node.lineno, end_line(node), ()) for node in gone]
    edits.extend(_unused_imports(module, gone))
    return edits


def _decorators(module: Module, kernel: Kernel) -> list[ast.expr]:
    definition = module.definition(kernel)
    return [d for d in definition.decorator_list if is_decorator(d, module.imports)]


def _text(node: ast.expr, module: Module) -> str | None:
    """A decorator's argument as a directive; None when it is not literal."""
    try:
        if not isinstance(node, ast.Call):
            value = ast.literal_eval(node)
            return value if isinstance(value, str) else None
        name = resolve(node.func, module.imports)
        if name.partition(".")[0] != "looptx":
            return None
        words = [name.rpartition(".")[2]]
        words += [word for arg in node.args for word in _words(ast.literal_eval(arg))]
        names: list[str] = []
        for keyword in node.keywords:
            value = ast.literal_eval(keyword.value)
            if keyword.arg is None:
                return None
            if keyword.arg in ("names", "as_"):
                names = ["as", *_words(value)]
            elif keyword.arg == "by":
                words += ["by", str(value)]
            elif value is not None:
                words.append(f"{keyword.arg}={value}")
        return " ".join(words + names)
    except ValueError:
        return None


def _words(value: object) -> Iterator[str]:
    if isinstance(value, tuple | list):
        for part in value:
            yield from _words(part)
    else:
        yield str(value)


def _unused_imports(module: Module, gone: list[ast.expr]) -> Iterator[Edit]:
    """The imports of looptx that nothing but the given decorators uses."""
    tree = module.parsed.tree
    inside = {id(node) for decorator in gone for node in walked(decorator)}
    used = {
        node.id
        for node in walked(tree)
        if isinstance(node, ast.Name) and id(node) not in inside
    }
    used |= {
        node.value
        for node in walked(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    lost = {
        node.id
        for decorator in gone
        for node in walked(decorator)
        if isinstance(node, ast.Name)
    }
    emptied: list[range] = []
    for body in _bodies(tree):
        for stmt in body:
            if not isinstance(stmt, ast.Import | ast.ImportFrom):
                continue
            # A star binds names that nobody knows.
            named = dict(zip(stmt.names, imported(stmt), strict=False))
            kept = [
                alias
                for alias in stmt.names
                for name, meaning in [named.get(alias, ("", ""))]
                if meaning.partition(".")[0] != "looptx"
                or name in used
                or name not in lost
            ]
            if len(kept) == len(stmt.names) or not _alone(module.parsed, stmt):
                continue
            lines = range(stmt.lineno, end_line(stmt) + 1)
            if kept:
                yield Edit(
                    lines[0], lines[-1], (_shortened(module.parsed, stmt, kept),)
                )
            elif len(body) > 1:
                emptied.append(lines)
    for lines in _groups(emptied):
        yield _closed(module.parsed, lines)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in walked(tree):
        yield from blocks(node)


def _alone(parsed: Parsed, stmt: ast.stmt) -> bool:
    """Whether a statement has its lines for itself."""
    (first, left), (last, right) = parsed.start(stmt), parsed.end(stmt)
    behind = parsed.line(last)[right:].strip()
    return not parsed.line(first)[:left].strip() and (not behind or behind[0] == "#")


def _shortened(
    parsed: Parsed, stmt: ast.Import | ast.ImportFrom, kept: list[ast.alias]
) -> str:
    """An import of some of its names."""
    indent = parsed.line(stmt.lineno)[: parsed.start(stmt)[1]]
    if isinstance(stmt, ast.Import):
        return indent + ast.unparse(ast.Import(kept))
    return indent + ast.unparse(ast.ImportFrom(stmt.module, kept, stmt.level))


def _groups(blocks_of_lines: list[range]) -> list[range]:
    """Ranges of lines, adjacent ones joined."""
    found: list[range] = []
    for lines in sorted(blocks_of_lines, key=lambda lines: lines.start):
        if found and found[-1].stop == lines.start:
            found[-1] = range(found[-1].start, lines.stop)
        else:
            found.append(lines)
    return found


def _closed(parsed: Parsed, lines: range) -> Edit:
    """Remove lines, and blank ones so that no second gap is left beside the first."""
    first, last = lines[0], lines[-1]
    if not parsed.line(last + 1).strip():
        if first == 1:
            while last < len(parsed.lines) - 1 and not parsed.line(last + 1).strip():
                last += 1
        while first > 1 and not parsed.line(first - 1).strip():
            first -= 1
    return Edit(first, last, ())
