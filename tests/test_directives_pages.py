"""The pages of the directives: every example is run, every refusal is refused."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from handmade import Log, Run, accesses_in_order, boxes, nest_of

from looptx.directives import VERBS, parse
from looptx.errors import CODES, LooptxError, Place
from looptx.model.program import Directive, Nest
from looptx.model.schedule import Schedule, initial

PAGES = Path(__file__).parents[1] / "directives"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REFUSAL = re.compile(r"^- `([^`]+)` (LX\d+): .+", re.MULTILINE)
COMMENT = re.compile(r"^\s*# looptx: (.*)$", re.MULTILINE)


def page(verb: str) -> str:
    return (PAGES / f"{verb}.md").read_text(encoding="utf-8")


def apply(nest: Nest, texts: list[str]) -> Schedule:
    schedule = initial(nest, frozenset((*nest.arrays, *nest.parameters)))
    for text in texts:
        for verb in parse(Directive(text, Place("page.md", 1))):
            schedule = verb.apply(schedule)
    return schedule


def examples() -> list[tuple[str, str, str]]:
    found = []
    for verb in VERBS:
        blocks = BLOCK.findall(page(verb))
        assert blocks and len(blocks) % 2 == 0, verb
        found += [(verb, *pair) for pair in zip(blocks[::2], blocks[1::2], strict=True)]
    return found


def test_every_verb_has_a_page_and_every_page_a_verb() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_has_its_parts(verb: str) -> None:
    text = page(verb)
    assert text.startswith(f"# {verb}\n")
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles == ["Syntax", "Meaning", "Example", "Refusals"]
    for usage in VERBS[verb].usage.split(", or "):
        assert f"    {usage}\n" in text
    assert max(map(len, text.splitlines())) <= 90


@pytest.mark.parametrize(("verb", "before", "after"), examples())
def test_examples_run_in_the_order_they_show(
    verb: str, before: str, after: str
) -> None:
    texts = COMMENT.findall(before)
    assert any(verb in text.split() for text in texts)
    assert not COMMENT.findall(after)
    nest = nest_of(before)
    schedule = apply(nest, texts)
    sizes = [name for name in nest.parameters if name in "nmp"]
    for box in boxes(9 if len(sizes) == 1 else 3, *sizes):
        run = Run(nest, box)
        expected = run_function(after, nest, box)
        scope = before_the_nest(before)
        assert (
            accesses_in_order(run, run.order(schedule), nest.arrays, scope) == expected
        )
        assert run_function(before, nest, box, sort=True) == sorted(expected, key=repr)


def run_function(
    code: str, nest: Nest, sizes: dict[str, int], *, sort: bool = False
) -> list[object]:
    """What a function reads and writes, called with logs for its arrays."""
    log: list[object] = []
    scope: dict[str, object] = {}
    exec(code, scope)
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.args]
    scope[function.name](  # type: ignore[operator]
        *(Log(name, log) if name in nest.arrays else sizes[name] for name in names)
    )
    return sorted(log, key=repr) if sort else log


def before_the_nest(code: str) -> dict[str, object]:
    """The scalars a function sets before its loop."""
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    scope: dict[str, object] = {}
    for node in function.body:
        if isinstance(node, ast.For):
            break
        exec(compile(ast.Module([node], []), "before", "exec"), scope)
    return scope


def refusals() -> list[tuple[str, str, str]]:
    return [(verb, *found) for verb in VERBS for found in REFUSAL.findall(page(verb))]


@pytest.mark.parametrize(("verb", "text", "code"), refusals())
def test_refusals_are_refused(verb: str, text: str, code: str) -> None:
    assert code in CODES
    nest = nest_of(BLOCK.findall(page(verb))[0])
    with pytest.raises(LooptxError) as caught:
        apply(nest, [text])
    assert caught.value.code == code
    assert caught.value.hint
