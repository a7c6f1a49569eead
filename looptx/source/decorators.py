"""``@looptx.kernel`` in a source text: its directives, and taking it away."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx.errors import Malformed
from looptx.model.program import Directive, Kernel
from looptx.model.trees import dotted
from looptx.source.ast_tools import blocks, walked
from looptx.source.names.imports import imported, resolve
from looptx.source.reader import Module
from looptx.source.text.parse import Parsed

Import = ast.Import | ast.ImportFrom

KERNEL = frozenset(("py_func", "schedule", "validate", "report", "compile")).union(
    ("inspect_python", "inspect_cython", "on")
)
"""What a decorated function has that others have not."""


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
                text = _text(arg, kernel.around)
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


def decorator_option(module: Module, kernel: Kernel, name: str) -> ast.expr | None:
    """What a kernel's decorator says of an option, if it says anything.

    Args:
        module: the file. kernel: of it. name: of the option.
    """
    given = (x for x in _decorators(module, kernel) if isinstance(x, ast.Call))
    options = (one for call in given for one in call.keywords)
    return next((one.value for one in options if one.arg == name), None)


def _decorators(module: Module, kernel: Kernel) -> list[ast.expr]:
    given = module.definition(kernel).decorator_list
    return [given[at] for at in kernel.decorators]


def doubtful(module: Module, kernel: Kernel) -> list[str]:
    """The decorators of a function that may be ``looptx.kernel``, too, as text.

    Only what an import alone gives its name is known to be: not ``k`` after
    ``k = looptx.kernel``, nor ``looptx`` where ``except ImportError`` binds it.
    """
    names = set()
    for node in walked(module.parsed.tree):
        if isinstance(node, Import):
            meanings = dict(imported(node))
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                meanings = {"kernel": node.module or ""}
            names |= {
                name
                for name, meaning in meanings.items()
                if meaning.partition(".")[0] == "looptx"
            }
        elif isinstance(node, ast.Assign) and any(
            isinstance(each, ast.Name) and each.id in names
            for each in walked(node.value)
        ):
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    known = _decorators(module, kernel)
    others = [
        node.func if isinstance(node, ast.Call) else node
        for node in module.definition(kernel).decorator_list
        if node not in known
    ]
    return [
        text
        for text in map(dotted, others)
        if text in names
        or (text.partition(".")[0] in names and text.endswith(".kernel"))
    ]


def _text(node: ast.expr, imports: Mapping[str, str]) -> str | None:
    """A decorator's argument as a directive; None when it is not literal."""
    try:
        if not isinstance(node, ast.Call):
            value = ast.literal_eval(node)
            return value if isinstance(value, str) else None
        name = resolve(node.func, imports)
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
            elif keyword.arg == "except_":
                words += ["except", *_words(value)]
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


def check_uses(module: Module, kernels: Sequence[Kernel]) -> None:
    """What loses its decorator must not be used as a kernel.

    Raises:
        Malformed: LX119.
    """
    names = {kernel.qualname.rpartition(".")[2] for kernel in kernels}
    for node in walked(module.parsed.tree):
        if not isinstance(node, ast.Attribute) or node.attr not in KERNEL:
            continue
        name = getattr(node.value, "id", getattr(node.value, "attr", ""))
        if name in names:
            raise Malformed(
                "LX119",
                f"`{name}.{node.attr}` needs the decorator, which would go",
                module.parsed.place(node),
                hint=f"take this use away, or leave `{name}` to its decorator",
                source=module.parsed.line(node.lineno),
            )


def unused_imports(
    module: Module, kernels: Sequence[Kernel]
) -> Iterator[tuple[Import, list[ast.alias]]]:
    """The imports of looptx that only the decorators of some kernels use.

    Each comes with what nothing else needs of it. Ask for all kernels that lose their
    decorator at once, so that an import they share is among them.
    """
    tree = module.parsed.tree
    gone = [node for kernel in kernels for node in _decorators(module, kernel)]
    inside = {node for decorator in gone for node in walked(decorator)}
    used = {
        node.id
        for node in walked(tree)
        if isinstance(node, ast.Name) and node not in inside
    }
    # What a class or a module imports is an attribute of it, too.
    used.update(
        node.attr
        for node in walked(tree)
        if isinstance(node, ast.Attribute) and node not in inside
    )
    used.update(_named_in_strings(tree))
    lost = {node.id for node in inside if isinstance(node, ast.Name)}
    idle = lost - used
    for body in _bodies(tree):
        found = {
            stmt: names
            for stmt in body
            if isinstance(stmt, Import) and _alone(module.parsed, stmt)
            if (names := _of_looptx(stmt, idle))
        }
        whole = [stmt for stmt, names in found.items() if len(names) == len(stmt.names)]
        # A block is never left without statements.
        if len(whole) < len(body):
            yield from found.items()


def _of_looptx(stmt: Import, names: set[str]) -> list[ast.alias]:
    """What an import takes from looptx under some names."""
    return [
        alias
        for alias, (name, meaning) in zip(stmt.names, imported(stmt), strict=False)
        if meaning.partition(".")[0] == "looptx" and name in names
    ]


def _named_in_strings(tree: ast.AST) -> Iterator[str]:
    """The names in strings that are expressions: annotations, ``__all__``, ``eval``."""
    for node in walked(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inside = ast.parse(node.value, mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            yield from (x.id for x in ast.walk(inside) if isinstance(x, ast.Name))


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in walked(tree):
        yield from blocks(node)


def _alone(parsed: Parsed, stmt: ast.stmt) -> bool:
    """Whether a statement has its lines for itself."""
    (first, left), (last, right) = parsed.start(stmt), parsed.end(stmt)
    behind = parsed.line(last)[right:].strip()
    return not parsed.line(first)[:left].strip() and (not behind or behind[0] == "#")
