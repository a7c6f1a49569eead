"""Forms that were faults once: they are drawn, and their judges see what is wrong."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from fuzz.generate.forms import ASSUMED, BUFFERED, SHARE, chained, formed
from fuzz.generate.program import SCHEDULES, program
from fuzz.generate.surroundings import surrounded
from fuzz.oracles import dataflow, legality, witnesses
from fuzz.oracles.enumeration import Enumerated, Extents
from fuzz.programs.known import COPY, HERE, SWEEP, nest
from fuzz.programs.model import For, Function, If, Local, Program, walk
from fuzz.programs.setting import ALIASES, KEPT, LOCAL, Setting
from fuzz.programs.spellings import plain, spelled
from fuzz.programs.terms import Cell, Extent, Name, extents
from fuzz.tiers import validated
from fuzz.tiers.case import transformed
from fuzz.tiers.python import examined
from fuzz.values import symbols
from looptx import rewriting
from looptx.cli import text as cli_text

BODIES = 3000


@cache
def drawn() -> list[Program]:
    """Programs as the tier gets them, one for each list of statements."""
    found = []
    for body in range(BODIES):
        around = surrounded(program(body * SCHEDULES), body, body * SCHEDULES)
        found.append(formed(around, body, body * SCHEDULES))
    return found


def functions() -> Iterator[Function]:
    """All their functions."""
    return (one for made in drawn() for one in made.functions)


def test_forms_follow_from_their_seeds() -> None:
    for body in range(0, 300):
        seed = body * SCHEDULES
        made = program(seed)
        assert formed(made, body, seed) == formed(made, body, seed)
        one = formed(made, body, seed)
        again = formed(program(seed + 1), body, seed + 1)
        assert one.bare == again.bare or one.functions[0].setting.alias
    plain_ones = sum(
        program(4 * x) == formed(program(4 * x), x, 4 * x) for x in range(900)
    )
    share = BUFFERED + ASSUMED + SHARE * (1 - (BUFFERED + ASSUMED) / 100)
    assert 0.6 * share < 100 - plain_ones / 9 < 1.4 * share


def test_every_way_to_a_second_name_is_drawn() -> None:
    seen: Counter[str] = Counter()
    for one in functions():
        if one.setting.alias is not None:
            where = "module" if one.setting.outside else "function"
            seen.update(f"{where} {way}" for way in one.setting.alias[2].split(","))
    assert {f"function {way}" for way in (*ALIASES, *KEPT)} <= seen.keys()
    assert seen["module plain"] >= 3
    assert seen["function match"] >= 6
    assert not {f"module {way}" for way in LOCAL} & seen.keys()


def test_every_other_form_is_drawn() -> None:
    seen: Counter[str] = Counter()
    for one in functions():
        given = one.setting
        lines = Program((one,)).text()
        seen["steps"] += "][" in lines
        seen["steps of a temporary"] += "T[" in lines and "][" in lines
        seen["another size"] += any(x in ("n", "m") for x, _, _ in given.derived)
        seen["other letters"] += not lines.isascii()
        seen["known nowhere"] += bool(given.idle)
        seen["like another"] += any(own.like for own in one.locals)
        seen["type without keyword"] += any(own.behind for own in one.locals)
        seen["a row's extent"] += any(
            isinstance(node, For) and isinstance(node.stop, Extent)
            for node in walk(one.body)
        )
    assert len(seen) == 8
    assert min(seen.values()) >= 4, seen


def test_all_forms_are_python_and_shrink_to_python() -> None:
    for body, made in enumerate(drawn()[:250]):
        if made != program(SCHEDULES * body):
            compile(made.text(), "form", "exec")
            for less in made.smaller():
                compile(less.text(), "less", "exec")


WAYS = [
    "plain",
    "list",
    "kept method",
    "objects",
    "method",
    "caller",
    "match,list,walrus",
]


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_second_name_is_followed(way: str, outside: bool) -> None:
    if outside and "walrus" in way:
        way = "match,list"
    swept = nest(HERE, Cell("B", (Name("j"), Name("i"))), "reorder j i")
    function = swept.functions[0]
    known = (("A", 2),) if outside else ()
    alias = Setting(alias=("B", "A", way), outside=known)
    made = Program((replace(function, arrays=function.arrays[:1], setting=alias),))
    assert dataflow.difference(made, made.bare, 0) == ""
    turned = transformed(swept.trusting()).text
    _, _, body = turned.partition("    # looptx")
    start, _, _ = made.bare.partition("    for i")
    new = start + "    # looptx" + body
    assert dataflow.difference(made, new, 0)
    assert legality.accepted(made, new).why


def test_elements_in_two_steps_are_followed() -> None:
    function = chained(SWEEP.functions[0], SWEEP.functions[0].arrays[0])
    made = Program((function,))
    assert "A[i][j] = A[i - 1][j + 1] + 1" in made.text()
    assert examined(made, 0).notes[0] == "LX201 confirmed"
    other = made.bare.replace("A[i - 1][j + 1]", "A[i - 1][j]")
    assert dataflow.difference(made, other, 0)


def test_another_size_is_followed() -> None:
    given = Setting(derived=(("n", "n - 1", "n - 1"),))
    made = Program((replace(COPY.functions[0], setting=given, annotated=True),))
    function = made.functions[0]
    assert "    n = n - 1\n" in made.text()
    assert len(Enumerated(function).at(Extents(function, 4, 3))) == 2 * 2
    assert next(witnesses.realised(function, {"n": 2, "m": 1})).n == 3
    assert dataflow.difference(made, made.bare, 0) == ""
    late = made.bare.replace("    n = n - 1\n", "")
    assert dataflow.difference(made, late, 0)


def test_other_letters_are_the_same_names() -> None:
    lines = COPY.text().split("\n")
    seen = set()
    for number in range(1, 60):
        new = "\n".join(spelled(lines, number))
        assert ast.dump(ast.parse(new)) == ast.dump(ast.parse("\n".join(lines)))
        assert [x for x in new.split("\n") if "looptx" in x] == [
            x for x in lines if "looptx" in x
        ]
        seen |= set(new) - set("\n".join(lines))
    assert len(seen) > 40
    name = "".join(spelled(["K first"], 3, frozenset(("K", "first"))))
    assert plain(name) == "K first"


def test_validation_that_sees_what_is_not_so_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed = 3
    assert validated.chosen(COPY, seed)
    assert "validated" in examined(COPY, seed).notes

    def wrongly(*args: object) -> str:
        return rewriting_of(*args).replace("B[j, ", "B[0 * j, ")

    rewriting_of = rewriting.rewritten
    own = validated.transform_text

    def validating(*args: object, **options: object) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(rewriting, "rewritten", wrongly)
            return own(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(validated, "transform_text", validating)
    assert examined(COPY, seed).kind == "validation says LX208"


@pytest.mark.parametrize(
    ("value", "other", "wrong"),
    [
        ("A[0]", "(np.empty's value at [1])", True),
        ("(np.empty's value at [1])", "A[0]", False),
        ("... + A[0]", "(np.empty's value at [1])", False),
    ],
)
def test_what_the_rewritten_loops_alone_read_unset_is_seen(
    monkeypatch: pytest.MonkeyPatch, value: str, other: str, wrong: bool
) -> None:
    detail = f"at n=1: B[0] is {value}\n in the source, and {other}\n in the rewritten"
    monkeypatch.setattr(validated, "said", lambda _: [("LX208", detail)])
    assert bool(validated.wrong("")[0]) == wrong


def test_validation_that_sees_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert examined(SWEEP, 3).kind == ""
    monkeypatch.setattr(cli_text, "_validated", lambda *_: ([], []))
    assert examined(SWEEP, 3).kind == "validation sees nothing wrong"


def test_names_known_nowhere_and_arrays_like_others_are_always_validated() -> None:
    seen = set()
    for one in functions():
        made = Program((one,))
        odd = one.setting.idle or any(own.like or own.behind for own in one.locals)
        assert validated.chosen(made, 0) == bool(odd)
        seen.add(bool(odd))
        if one.setting.idle:
            assert any(isinstance(node, If) for node in walk(one.body))
    assert seen == {False, True}


def test_an_array_like_another_has_its_shape() -> None:
    function = COPY.functions[0]
    own = Local("T", (Name("n"), Name("m")), "zeros", like="B")
    made = replace(function, locals=(own,))
    assert Extents(made, 3, 3, {"B.shape[1]": 5}).of("T")[1] == 5
    assert "T = np.zeros_like(B)" in Program((made,)).text()
    assert not [*extents(Name("T"))]


def test_a_row_is_set_as_numpy_sets_it() -> None:
    made = symbols.Numpy().zeros((2, 3))
    made[1] = 5
    assert [made.cell(at).number for at in range(6)] == [0, 0, 0, 5, 5, 5]
    like = symbols.Numpy().ones_like(made, shape=2)
    assert like.shape == (2,)
    assert symbols.Numpy().empty(2, dtype=object) == [None, None]
