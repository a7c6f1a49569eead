"""Directives made in Python: the same values as their text, the same errors."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from typing import Any

import pytest

import looptx
import looptx.directives as d
from looptx.directives import verbs
from looptx.errors import LooptxError, Place
from looptx.model.program import Directive

PAIRS = [
    (d.nest("mm"), "nest mm"),
    (d.split("i", 32), "split i 32"),
    (d.split("i", 16, 4, as_=("a", "b", "c")), "split i 16 4 as a b c"),
    (d.split("i", parts=4), "split i parts=4"),
    (d.tile(i=32, j=16, as_=("x", "y")), "tile i=32 j=16 as x y"),
    (d.reorder("j", "mm.k", "i#2"), "reorder j mm.k i#2"),
    (d.skew("i", "j"), "skew i j"),
    (d.skew("i", "j", -2, unroll_below=3), "skew i j by -2 unroll<3"),
    (d.pad("i", 2), "pad i 2"),
    (d.distribute("i"), "distribute i"),
    (d.cut("j", 1), "cut j 1"),
    (d.cut("mm.j", "k", "k+1", as_=("p", "q", "r")), "cut mm.j k k+1 as p q r"),
    (d.distribute("mm.i", as_=("p", "q")), "distribute mm.i as p q"),
    (d.compute_at("p", "c.j"), "compute_at p c.j"),
    (d.compute_at("p", "c.j", sliding=True), "compute_at p c.j sliding"),
    (d.reverse_compute_at("c", "p.j"), "reverse_compute_at c p.j"),
    (d.simple_compute_at("p", "c.j#2"), "simple_compute_at p c.j#2"),
    (d.fuse_around("mm"), "fuse_around mm"),
    (
        d.fuse_around("mm", recompute=2, except_=("p", "q")),
        "fuse_around mm recompute=2 except p q",
    ),
    (d.collapse("i", "j"), "collapse i j"),
    (d.collapse("i", "j", as_="ij"), "collapse i j as ij"),
    (d.unroll("k"), "unroll k"),
    (d.unroll("k", 4), "unroll k 4"),
    (d.vectorize("j", 8), "vectorize j 8"),
    (
        d.parallel("i", schedule="static", threads=2),
        "parallel i schedule=static threads=2",
    ),
    (d.assume("n % 32 == 0"), "assume n % 32 == 0"),
    (d.trust("order"), "trust order"),
    (d.trust("independent", "A"), "trust independent A"),
    (d.fuse("a", "b", partial=2), "fuse a b partial=2"),
    (d.fuse("a", "b", at={"k": "j+1", "l": 0}), "fuse a b at k=j+1 l=0"),
    (
        d.fuse("a", "b", partial=1, at={"k": 3}, as_=["k", "f"]),
        "fuse a b partial=1 at k=3 as k f",
    ),
    (d.fuse("a", "b", at={"partial": 3}), "fuse a b at partial=3"),
    (d.compute_inline("a", "b"), "compute_inline a b"),
    (d.reverse_compute_inline("c"), "reverse_compute_inline c"),
    (d.temp("T", "U"), "temp T U"),
    (d.cache_read("A"), "cache_read A"),
    (
        d.cache_read("A", "mm.i", packed=True, as_="P"),
        "cache_read A at mm.i packed as P",
    ),
    (d.cache_write("C", "j", as_=("T",)), "cache_write C at j as T"),
    (d.cache_write("C", packed=True), "cache_write C packed"),
    (d.set_buffer("T", "local"), "set_buffer T local"),
    (d.bind("mm.i", "blockIdx.x"), "bind mm.i blockIdx.x"),
    (d.sync_threads("k"), "sync_threads k"),
    (d.rfactor("k"), "rfactor k"),
    (d.rfactor("mm.k", as_="part"), "rfactor mm.k as part"),
    (d.reassociate("s", "t"), "reassociate s t"),
]


@pytest.mark.parametrize(("made", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_objects_equal_their_text(made: d.Verb, text: str) -> None:
    assert made.text == text
    assert (made,) == d.parse(Directive(text, Place("a.py", 1)))
    assert made.place is None
    assert hash(made)
    assert d.directive(made, Place("a.py", 3)) == Directive(text, Place("a.py", 3))


def test_every_verb_has_an_object() -> None:
    assert {made.verb for made, _ in PAIRS} == set(d.VERBS)
    assert all(
        getattr(d, name) and kind.usage.startswith(name)
        for name, kind in d.VERBS.items()
    )
    assert all((kind.__doc__ or "").count("syntax:") for kind in d.VERBS.values())


def imported(text: str) -> set[str]:
    """The names that a module imports in a form that makes them its own."""
    return {
        alias.asname
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname and not alias.asname.startswith("_")
    }


def test_editors_see_the_names_there_are() -> None:
    listed = imported(inspect.getsource(verbs))
    assert listed == set(d.VERBS)
    names: dict[str, Any] = {}
    exec("from looptx import *", names)
    public = {"Builder", *listed, *imported(inspect.getsource(looptx))}
    assert names.keys() - {"__builtins__"} == public
    assert set(dir(looptx)) >= public
    assert all(getattr(looptx, name) is names[name] for name in public)


@pytest.mark.parametrize("name", ["base", "tiles", "a.b", "", "__wrapped__", "plan "])
def test_nothing_else_is_public(name: str) -> None:
    with pytest.raises(AttributeError, match="no attribute"):
        getattr(looptx, name)


def test_a_submodule_is_imported_without_the_verbs() -> None:
    program = "import sys, looptx; from looptx import forks; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "looptx.directives" not in done.stdout.split()


def test_methods_of_the_builder_show_what_they_take() -> None:
    start = d.Builder(print)
    for name in d.VERBS:
        made, method = getattr(d, name), getattr(start, name)
        assert inspect.signature(method) == inspect.signature(made)
        assert method.__doc__ == made.__doc__
        assert getattr(d.Builder, name) is made


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: d.split("i", 3.5), "LX103"),
        (lambda: d.split("i", True), "LX103"),
        (lambda: d.split("i", "4 | parallel j"), "LX102"),
        (lambda: d.split("i 4 |", 4), "LX102"),
        (lambda: d.split("as", 4), "LX102"),
        (lambda: d.split("", 4), "LX102"),
        (lambda: d.split("i", 0), "LX103"),
        (lambda: d.split("i"), "LX103"),
        (lambda: d.split(3, 4), "LX102"),
        (lambda: d.tile(i=None), "LX103"),
        (lambda: d.tile(), "LX102"),
        (lambda: d.reorder("i"), "LX102"),
        (lambda: d.skew("i", "j", 0), "LX103"),
        (lambda: d.skew("i", "j", unroll_below=0), "LX103"),
        (lambda: d.parallel("i", schedule="fast"), "LX102"),
        (lambda: d.assume("n"), "LX102"),
        (lambda: d.assume("n > 0 | trust order"), "LX102"),
        (lambda: d.collapse("i", "j", as_="range"), "LX109"),
    ],
)
def test_bad_values_fail_as_text_does(call: Any, code: str) -> None:
    with pytest.raises(LooptxError) as caught:
        call()
    assert caught.value.code == code
    assert caught.value.place is None


def test_the_builder_collects() -> None:
    def function() -> None:
        """Stands for a kernel."""

    start = d.Builder(function, compile=lambda f, verbs: (f, len(verbs)))
    longer = (
        start.nest("mm")
        .split("i", 4)
        .tile(j=8)
        .reorder("j", "i")
        .skew("i", "j", 2)
        .pad("i", 1)
        .distribute("i")
        .cut("k", "n//2")
        .collapse("i", "j")
        .compute_at("p", "c.j", sliding=True)
        .reverse_compute_at("c", "p.j")
        .simple_compute_at("p", "c.j")
        .fuse_around("a")
        .unroll("k")
        .vectorize("j")
        .parallel("i", chunk=2)
        .fuse("a", "b")
        .compute_inline("a")
        .reverse_compute_inline("b")
        .temp("T")
        .cache_read("A", "i")
        .cache_write("C")
        .set_buffer("T", "shared")
        .bind("i", "threadIdx.x")
        .sync_threads("j")
        .rfactor("k")
        .assume("n > 0")
        .trust("order")
        .reassociate("s")
    )
    assert start.verbs == ()
    assert longer.directives[:3] == ("nest mm", "split i 4", "tile j=8")
    assert {verb.verb for verb in longer.verbs} == set(d.VERBS)
    assert longer.kernel() == (function, 29)
    with pytest.raises(TypeError):
        d.Builder(function).kernel()
