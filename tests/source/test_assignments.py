"""What binds a name, compared with Python's own symbol tables."""

from __future__ import annotations

import argparse
import ast
import inspect
import symtable
import sys
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from looptx.cli.text import transform_text
from looptx.source import read
from looptx.source.names.assignments import Assignment, assignments
from looptx.source.names.captures import local_names
from looptx.source.names.imports import FUNCTIONS, arguments, own_nodes

FORMS = """
def f(a, /, b=1, *c, d, **e):
    import os.path, sys as s
    from math import pi, tau as t
    x = y = z = 1
    (p, *q), [r, A[0], a.b] = g()
    u: int
    v: int = 1
    w += (walrus := 2)
    for i, (j, k) in m:
        continue
    else:
        n = [h for h in A if (o := h)]
    with open(a) as file, g() as (one, *two):
        pass
    try:
        del gone, (also, A[0])
    except E as error:
        def inner():
            hidden = 1
        class Inner:
            member = 1
    match a:
        case [first, *others] | {"k": first, **others}:
            pass
        case E(x=[int() as number]) as whole:
            pass
        case captured:
            lambda argument: (within := argument)
    global everywhere
    everywhere = 1

async def g():
    async for i in a:
        async with b as c:
            d = [e async for e in c]
"""
MORE = """
def f[T](x: T):
    type alias = T
    return alias
"""


def texts() -> Iterator[str]:
    yield FORMS
    if sys.version_info >= (3, 12):
        yield MORE
    for module in (argparse, ast, inspect, typing):
        yield Path(str(module.__file__)).read_text(encoding="utf-8")


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from tables(inner)


class Generators(ast.NodeTransformer):
    """Comprehensions as generators: those, and from Python 3.12 on they alone, have a
    table of their own."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return ast.GeneratorExp(pair, node.generators)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


@pytest.mark.parametrize("text", list(texts()), ids=lambda text: text[:20].strip())
def test_every_form_that_binds_a_name_is_known(text: str) -> None:
    apart = ast.unparse(Generators().visit(ast.parse(text)))
    known = {
        (one.get_lineno(), one.get_name()): set(one.get_locals())
        for one in tables(symtable.symtable(apart, "t.py", "exec"))
        if isinstance(one, symtable.Function)
    }
    count = 0
    both = zip(functions(ast.parse(text)), functions(ast.parse(apart)), strict=True)
    for node, same in both:
        wanted = known[same.lineno, same.name]
        assert local_names(node) == wanted
        own = [one for one in own_nodes(node) if one is not node]
        deleted = {
            one.id
            for one in own
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Del)
        }
        declared = {
            name
            for one in own
            if isinstance(one, ast.Global | ast.Nonlocal)
            for name in one.names
        }
        bare = {
            one.target.id
            for one in own
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        found = {
            each.name
            for one in own
            if not isinstance(one, ast.comprehension)
            for each in assignments(one)
            if each.name.isidentifier()
        }
        given = {argument.arg for argument in arguments(node)}
        assert found - declared | given | deleted | bare == wanted
        count += 1
    assert count


def test_statements_of_later_pythons_may_bind_anything() -> None:
    class Later(ast.stmt):
        _fields = ("target", "value")

    target, value = ast.Name("a", ast.Store()), ast.Name("b", ast.Load())
    assert [*assignments(Later(target, value))] == [Assignment("a", None)]


@pytest.mark.parametrize(
    "bound", ["import os as d", "from math import pi as d", "def d(): pass"]
)
def test_a_name_that_is_bound_again_is_no_integer(bound: str) -> None:
    text = """
    def f(n, c: int):
        d = 3
        {}
        # looptx: split i 4 | reorder ii i
        for i in range(n):
            c *= d + i
        return c
    """
    text = textwrap.dedent(text)
    (error,) = transform_text(text.format(bound), "f.py").errors
    assert error.code == "LX201" and "reassociate c" in str(error)
    assert not transform_text(text.format("d = 4"), "f.py").errors


def test_a_size_that_is_bound_again_by_an_import_is_another() -> None:
    text = """
    def f(A):
        n = A.shape[0]
        from settings import n
        # looptx: split i 4
        for i in range(n):
            A[i] += A[n - 1]
    """
    result = transform_text(textwrap.dedent(text), "f.py")
    assert not result.errors and "A.shape[0]" not in result.text.split("import n")[1]
    (kernel,) = read(textwrap.dedent(text), "f.py").kernels
    entry = kernel.nests[0].entry
    assert not entry.equal and "n" not in entry.python
