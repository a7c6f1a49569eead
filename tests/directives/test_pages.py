"""The pages of the manual: complete, exact, and right when run."""

from __future__ import annotations

import ast
import itertools
import re
from typing import Any

import pytest
from kit.nests import Run, accesses_in_order, boxes, nest_of
from kit.recording import logged
from pages import COMMAND, DIRECTIVE, FOLDER, Example, errors, examples, names, read
from pages_run import Subject, outcome

from looptx.cli.explain import ERRORS, contents, explanation, pages
from looptx.directives import VERBS, parse
from looptx.errors import CODES, Place
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Directive, Nest
from looptx.model.schedule import initial

TOPICS = ("safety",)
"""Pages that are not about one verb."""

EXAMPLES = [
    example for page in (*names(), *errors()) for example in examples(page, read(page))
]
REWRITTEN = [example for example in EXAMPLES if example.kind == "python"]
SIZES = ("n", "m", "p", "steps")


def clauses(example: Example) -> list[str]:
    """The directives of an example, one by one."""
    texts = DIRECTIVE.findall(example.before)
    return [clause.strip() for text in texts for clause in text.split("|")]


def is_readable(example: Example) -> bool:
    """Whether the reader of ``kit.nests`` knows all that the example has."""
    loops = [node for node in body(example.before) if isinstance(node, ast.For)]
    foreign = ("nest ", "reassociate ", "collapse ", "temp ", "cache_", "sync_")
    foreign += ("rfactor ", "trust scratch ")
    known = not any(clause.startswith(foreign) for clause in clauses(example))
    expanded = "= {}" in example.shown
    return len(loops) == 1 and known and not expanded


def body(code: str) -> list[ast.stmt]:
    """The statements of the function in a block."""
    (found,) = (n for n in ast.parse(code).body if isinstance(n, ast.FunctionDef))
    return found.body


def before_the_nest(code: str) -> dict[str, object]:
    """The scalars a function sets before its loop."""
    scope: dict[str, object] = {}
    for node in itertools.takewhile(lambda n: not isinstance(n, ast.For), body(code)):
        exec(compile(ast.Module([node], []), "before", "exec"), scope)
    return scope


def accesses(code: str, nest: Nest, sizes: dict[str, int]) -> list[object]:
    """What a function reads and writes, called with logs for its arrays."""
    log: list[Any] = []
    subject = Subject(code)
    arrays = {name: logged(name, log) for name in nest.arrays}
    subject.call(*(arrays.get(name, sizes.get(name)) for name in subject.names))
    return log


def test_every_verb_has_a_page() -> None:
    assert set(names()) == {*VERBS, *TOPICS}
    assert set(pages()) == set(names())


def test_every_code_has_a_page() -> None:
    assert errors() == sorted(CODES)
    assert set(pages(ERRORS)) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_page_of_an_error_has_its_parts(code: str) -> None:
    """The example gets the error and no other; every such error has a hint."""
    text = read(code)
    assert text.startswith(f"# {code}: {CODES[code]}\n\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["What to do"]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert max(map(len, prose.splitlines())) <= 90
    found = [one for one in examples(code, text) if one.kind != "mended"]
    assert len(found) == (code != "LX901")
    for example in found:
        printed = COMMAND.sub("", example.shown)
        assert set(re.findall(r"\b(LX\d{3}) (?!is\b)", printed)) == {code}
        place = rf"^ *{code}\.py:(\d+):\d+: {code} "
        lines = [int(line) for line in re.findall(place, printed, re.MULTILINE)]
        assert all(
            line <= example.before.count("\n") for line in lines if example.before
        )
        assert "\n    hint: " in printed or code in ("LX505", "LX506", "LX507")


@pytest.mark.parametrize("code", [c for c in CODES if c < "LX4"])
def test_a_page_shows_the_example_mended(code: str) -> None:
    last = [one.kind for one in examples(code, read(code))][-1]
    assert last == "mended" or code in ("LX304", "LX306")


def test_the_index_lists_every_page() -> None:
    listed = re.findall(r"\[\w+\]\((\w+)\.md\)", (FOLDER / "README.md").read_text())
    assert sorted(listed) == names()


def test_explain_prints_and_lists_every_page() -> None:
    listed = contents().splitlines()
    for name in (*names(), *errors()):
        assert explanation(name) == read(name).strip("\n")
        (line,) = (line for line in listed if line.split()[:1] == [name])
        assert len(line) <= 100


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_has_its_parts(verb: str) -> None:
    text = read(verb)
    assert text.startswith(f"# {verb}\n\n")
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles == [
        "Syntax",
        "Meaning",
        "Examples",
        "With other directives",
        "Refusals",
    ]
    for usage in VERBS[verb].usage.split(", or "):
        assert f"    {usage}\n" in text
    prose = re.sub(r"^```text\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert max(map(len, prose.splitlines())) <= 90


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_shows_its_verb_alone_and_with_others(verb: str) -> None:
    text = read(verb)
    combined = text[text.index("## With other") : text.index("## Refusals")]
    found = [one for one in examples(verb, combined) if one.kind == "python"]
    assert found
    for example in found:
        used = {clause.split()[0] for clause in clauses(example)}
        assert verb in used and len(used) > 1, example


@pytest.mark.parametrize("name", [*names(), *errors()])
def test_every_block_is_tested(name: str) -> None:
    """Code stands in blocks of three kinds only, and refreshing keeps them."""
    text = read(name)
    fences = re.findall(r"^ *```(\w*)$", text, re.MULTILINE)
    assert set(fences[::2]) <= {"python", "text", "console"}
    assert set(fences[1::2]) <= {""}
    for example in examples(name, text):
        assert DIRECTIVE.search(example.before) or name in CODES


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_what_is_shown_is_what_looptx_prints(example: Example) -> None:
    assert example.shown == example.printed


@pytest.mark.parametrize("example", REWRITTEN, ids=str)
def test_before_and_after_compute_the_same(example: Example) -> None:
    before, after = Subject(example.before), Subject(example.shown)
    assert before.names == after.names
    # The parts of a reduction are combined in another order.
    exact = any(clause.startswith("rfactor ") for clause in clauses(example))
    scratch = [one.split()[2:] for one in clauses(example) if "trust scratch" in one]
    unseen = [before.names.index(name) for names in scratch for name in names]
    for arguments in before.arguments(exact=exact):
        expected = outcome(before.call, arguments, unseen)
        assert outcome(after.call, arguments, unseen) == expected


@pytest.mark.parametrize("example", [*filter(is_readable, REWRITTEN)], ids=str)
def test_after_runs_in_the_order_of_the_positions(example: Example) -> None:
    """Every iteration once, in the order that sorting by its positions gives."""
    nest = nest_of(example.before)
    schedule = initial(nest, frozenset((*nest.arrays, *nest.parameters)))
    for clause in clauses(example):
        for verb in parse(Directive(clause, Place("page.md", 1))):
            schedule = verb.apply(schedule)
    sizes = [name for name in nest.parameters if name in SIZES]
    scope = before_the_nest(example.before)
    for box in boxes(9 if len(sizes) == 1 else 3, *sizes):
        run = Run(with_cuts(nest, schedule.cuts), box)
        order = accesses_in_order(run, run.order(schedule), nest.arrays, scope)
        assert accesses(example.shown, nest, box) == order
        assert sorted(accesses(example.before, nest, box), key=repr) == sorted(
            order, key=repr
        )
