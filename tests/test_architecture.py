"""The rules of the house that a program can check."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "looptx"
MODULES = sorted(PACKAGE.rglob("*.py"))
TEXTS = sorted(
    path
    for folder in ("looptx", "directives", "examples", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".md", ".toml", ".c", ".pyx")
    and not {"build", "dist"} & set(path.relative_to(ROOT).parts)
)

RANKS = {
    name: rank
    for rank, rooms in enumerate(
        (
            ("errors", "forks", "interrupts"),
            ("model", "parsers"),
            ("looptree",),
            ("poly", "syntax", "lower"),
            ("source", "language", "emit"),
            ("directives",),
            (
                "around",
                "attach",
                "automatic",
                "hints",
                "plan",
                "proof",
                "rewriting",
                "units",
            ),
            ("validation",),
            ("native", "show"),
            ("cluster",),
            ("decorator", "build"),
            ("cli",),
            ("codemod",),
            ("__init__", "__main__"),
        )
    )
    for name in rooms
}
STAIRS = {
    room: {name: rank for rank, stairs in enumerate(order) for name in stairs.split()}
    for room, order in {
        "source": (
            "ast_tools",
            "names",
            "liveness",
            "callees",
            "kinds",
            "text",
            "spelling",
            "flow",
            "nests",
            "plain",
            "kernels",
            "reader",
            "decorators",
            "__init__",
        ),
        "source/nests": (
            "context",
            "sizes",
            "headers private around",
            "statements checks",
            "ends looked_up",
            "returns",
            "roots array_swap uses joining",
            "allocations",
            "builder",
            "nest",
            "__init__",
        ),
        "lower": (
            "advice limits types __init__",
            "kinds memory",
            "tree",
            "buffers checks",
            "scope",
            "crossing values vectors",
            "bindings",
            "known",
            "allocation intervals loops",
            "exceptions preconditions scalars",
            "entry",
            "nest",
        ),
        "poly": (
            "budget __init__",
            "affine",
            "spaces",
            "astexpr",
            "bounds collapse delinearization ranges",
            "dependences temporary_bounds finals",
            "scanning",
            "exchange instances touches lives footprints overwritten",
            "rolling",
            "windows",
            "storage",
            "stored",
            "codegen",
            "analysis",
        ),
        "looptree": (
            "nodes text choices stored __init__",
            "walk",
            "planned passes passing",
            "agreeing prepare renaming sizes",
        ),
        "directives": (
            "names fusing nested barriers",
            "base",
            "builder marks",
            "order nest parallel unroll vectorize temp facts",
            "around bind moving",
            "parts",
            "verbs",
            "registry",
            "__init__",
        ),
        "validation": (
            "size_choice symbols",
            "instrument result subject",
            "code",
            "inputs",
            "comparison",
            "hashes refusal",
            "check",
            "__init__",
        ),
        "cluster": (
            "work",
            "programs",
            "graph",
            "runners",
            "lazy",
            "call",
            "__init__",
        ),
        "native": (
            "runtime data cache chain draws",
            "compile",
            "diagnostics",
            "analysis",
            "call ahead",
            "__init__",
        ),
    }.items()
}
"""What rooms consist of: what stands later knows what stands earlier."""

SPINE = {"around", "attach", "hints", "plan", "proof", "rewriting", "units"}
CONFINED = {"islpy": {"poly"}, "libcst": {"syntax", "codemod"}}


def room(path: Path) -> str:
    """The first name below the package: ``poly``, or ``plan`` for plan.py."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@functools.cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Every absolute module name that a file imports, wherever in the file."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    package = ("looptx", *path.relative_to(PACKAGE).with_suffix("").parts)[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            name = ".".join((*base, *([node.module] if node.module else [])))
            if name == "looptx":
                yield from (
                    (node.lineno, f"looptx.{alias.name}") for alias in node.names
                )
            else:
                yield node.lineno, name


def named(path: Path) -> set[str]:
    """Every dotted name that a file imports, or imports something from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
            found.add(node.module)
    return found


def test_imports_go_one_way() -> None:
    assert {room(path) for path in MODULES} <= set(RANKS), "what has no place"
    wrong = []
    for path in MODULES:
        own = room(path)
        for line, name in imports(path):
            top, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if top != "looptx" or target == own or target not in RANKS:
                continue
            beside = {own, target} <= SPINE
            if RANKS[target] >= RANKS[own] and not beside:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not wrong


@pytest.mark.parametrize("room", STAIRS)
def test_stairs_go_up(room: str) -> None:
    wrong, ranks = [], STAIRS[room]
    for path in (PACKAGE / room).rglob("*.py"):
        own = path.relative_to(PACKAGE / room).with_suffix("").parts[0]
        for line, name in imports(path):
            _, _, rest = name.partition(f"looptx.{room.replace('/', '.')}.")
            stair = rest.partition(".")[0]
            if stair and stair != own and ranks[stair] >= ranks[own]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not wrong


@pytest.mark.parametrize("library", CONFINED)
def test_a_library_is_used_in_one_room(library: str) -> None:
    users = {
        room(path)
        for path in MODULES
        for _, name in imports(path)
        if name.partition(".")[0] == library
    }
    assert users == CONFINED[library]


def test_the_model_needs_only_python() -> None:
    standard = sys.stdlib_module_names
    rooms = ("errors", "forks", "interrupts", "stack", "model", "looptree")
    foreign = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in MODULES
        if room(path) in rooms
        for line, name in imports(path)
        if name.partition(".")[0] not in {*standard, "looptx"}
    ]
    assert not foreign


@pytest.mark.parametrize("name", ["chain", "runtime", "data"])
def test_what_built_modules_carry_needs_only_python(name: str) -> None:
    """Extensions that are built ahead of time have its text, and may have no looptx."""
    named = imports(PACKAGE / "native" / f"{name}.py")
    assert {one.partition(".")[0] for _, one in named} <= sys.stdlib_module_names


def test_what_built_modules_draw_with_needs_numpy_besides() -> None:
    named = imports(PACKAGE / "native" / "draws.py")
    roots = {one.partition(".")[0] for _, one in named}
    assert roots - {"numpy"} <= sys.stdlib_module_names


def test_modules_are_short() -> None:
    counts = {
        path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES
    }
    assert not {str(path): count for path, count in counts.items() if count > 400}


def test_folders_are_small() -> None:
    """A folder of more modules gets subfolders."""
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert not {str(path): count for path, count in counts.items() if count > 15}


def test_functions_are_short() -> None:
    """They fit on a screen, and what they are given can be kept in mind."""
    long = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                most = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                lines = (node.end_lineno or 0) - node.lineno + 1
                own = [arg for arg in most if arg.arg not in ("self", "cls")]
                if lines > 60 or len(own) > 7:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not long


def test_no_two_modules_need_each_other() -> None:
    """The imports of modules, wherever they stand, go round in no circle."""
    names = {
        ".".join(("looptx", *path.relative_to(PACKAGE).with_suffix("").parts)): path
        for path in MODULES
        if path.name != "__init__.py"
    }
    graph = {name: named(path) & names.keys() for name, path in names.items()}
    tuple(TopologicalSorter(graph).static_order())


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


UNDOCUMENTED = {
    "directives",
    "directives/moving",
    "directives/order",
    "emit/cython",
    "looptree",
    "lower",
    "lower/intervals",
    "lower/loops",
    "lower/values",
    "model",
    "source/flow",
}
"""The folders in which not every function says yet what its parameters are."""


def public(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions and methods that others call, by their own names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            if child.name.startswith("_"):
                continue
            if isinstance(child, ast.ClassDef):
                yield from public(child)
            else:
                yield child


def test_functions_of_several_parameters_document_each() -> None:
    """The commands aside, whose docstrings are what `--help` prints."""
    wrong = []
    for path in MODULES:
        if path.relative_to(PACKAGE).parent.as_posix() in UNDOCUMENTED:
            continue
        for node in public(ast.parse(path.read_text(encoding="utf-8"))):
            marks = " ".join(map(ast.unparse, node.decorator_list))
            given = (arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg))
            names = [name for name in given if name not in ("self", "cls")]
            if len(names) < 3 or marks == "overload" or "click.command" in marks:
                continue
            _, _, text = (ast.get_docstring(node) or "").partition("Args:\n")
            silent = [name for name in names if not re.search(rf"\b{name}[:,]", text)]
            if silent:
                where = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                wrong.append(f"{where}: {', '.join(silent)}")
    assert not wrong


def matches(pattern: str) -> list[str]:
    """The lines of the repository's texts that match, this file's own aside."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in TEXTS
        if path != Path(__file__)
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), 1
        )
        if re.search(pattern, line)
    ]


def test_nothing_is_left_to_do() -> None:
    assert not matches(r"\b(TODO|FIXME|XXX|HACK)\b")


def test_no_path_of_one_machine() -> None:
    assert not matches(r"/(work|farm|root)/|/tmp/v\b|/home/\w")


@pytest.mark.parametrize("module", ["looptx", "looptx.cli", "looptx.errors"])
def test_importing_is_light(module: str) -> None:
    heavy = {"libcst", "islpy", "Cython", "black", "rich", "numpy", "setuptools"}
    program = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert not heavy & set(done.stdout.split())
