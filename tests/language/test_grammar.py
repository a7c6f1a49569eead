"""The grammar: what is read, what is refused with which code, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.samples import some

from looptx.directives import LATER, VERBS, parse
from looptx.errors import LooptxError, Place
from looptx.language import grammar
from looptx.language.conditions import parse_condition
from looptx.model.expr import And, Compare, Const, Var, add, mod, mul
from looptx.model.program import Directive

HERE = Place("mm.py", 12, 15)
CANONICAL = (
    "nest mm",
    "split i 32",
    "split mm.i 32 4 as i ii iii",
    "split i parts=4",
    "tile i=32 j#2=8 as ii jj",
    "reorder j k i",
    "skew i j",
    "skew i j by -2 unroll<3",
    "pad i 0",
    "cut j k+1 n//2 3*(i-1)%4 as p q r s",
    "collapse i j as ij",
    "unroll k",
    "unroll k 4",
    "vectorize j 8",
    "parallel i schedule=dynamic chunk=4 threads=2",
    "assume n % 32 == 0 and A.shape[0] >= n",
    "trust order",
    "trust independent A self.u",
    "reassociate s self.total",
)


def error(text: str) -> LooptxError:
    with pytest.raises(LooptxError) as caught:
        parse(Directive(text, HERE, "    # looptx: " + text))
    return caught.value


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_is_a_fixed_point(text: str) -> None:
    (verb,) = parse(Directive(text, HERE))
    assert verb.text == text
    assert verb.place == HERE
    assert parse(Directive(verb.text, HERE)) == (verb,)


def test_bars_and_white_space() -> None:
    clauses = grammar.parse(Directive("  tile  i=32\tj=8 |reorder j  i", HERE))
    assert [clause.text for clause in clauses] == ["tile i=32 j=8", "reorder j i"]
    assert dict(clauses[0].options) == {"i": 32, "j": 8}
    assert clauses[1].operands == ("j", "i")


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("tiel i=32", "LX101", "did you mean `tile`?"),
        ("Split i 32", "LX101", "write `split i 32`"),
        ("xyzzy", "LX101", "see `looptx list`"),
        (
            "decompose_reduction k",
            "LX101",
            "leave it out; its page comes with the version that has it",
        ),
        ("", "LX102", "write a verb and its operands, for example `tile i=32 j=32`"),
        ("|", "LX102", "write a verb and its operands, for example `tile"),
        ("| tile i=32", "LX102", "write `tile i=32`"),
        ("tile i = 32", "LX102", "write options without spaces: `i=32`"),
        ("tile i=", "LX102", "write options without spaces"),
        ("tile i=32 i=16", "LX102", "give each name one value"),
        ("tile 32", "LX102", "usage: `tile LOOP=SIZE... [as INNER...]`"),
        ("tile", "LX102", "usage:"),
        ("tile i=32 as", "LX102", "write, for example, `as i ii`"),
        ("tile i=32 as ii ii", "LX102", "give each loop a name of its own"),
        ("tile i=32 as ii jj", "LX102", "usage:"),
        ("tile i=32 as 3", "LX102", "a new name is a Python identifier"),
        ("tile i=32 as for", "LX102", "a new name is a Python identifier"),
        ("tile i=32 as range", "LX109", "choose a name that is no Python builtin"),
        ("tile i=32 as __debug__", "LX109", "choose a name that is no Python builtin"),
        ("split i", "LX103", "write, for example, `split i 32`"),
        ("split i 0", "LX103", "write an integer of at least 1"),
        ("split i -4", "LX103", "write an integer of at least 1"),
        ("split i 3.5", "LX103", "write decimal digits only"),
        ("split i 1e3", "LX103", "write decimal digits only"),
        ("split i 0x10", "LX103", "write decimal digits only"),
        ("split i 2147483648", "LX103", "numbers in directives are below 2147483648"),
        ("split i " + "9" * 4000, "LX103", "numbers in directives are below"),
        ("split i \u0663", "LX103", "write decimal digits only"),
        ("split i n", "LX103", "write an integer of at least 1"),
        ("split i 4 parts=4", "LX102", "usage:"),
        ("split i part=4", "LX102", "did you mean `parts`?"),
        ("split i 4 as i", "LX102", "usage:"),
        ("split 4 i", "LX102", "usage:"),
        ("reorder i", "LX102", "usage:"),
        ("reorder i i", "LX102", "usage:"),
        ("reorder i j size=4", "LX102", "usage:"),
        ("skew i", "LX102", "usage:"),
        ("skew i j 2", "LX102", "usage:"),
        ("skew i j by", "LX102", "usage:"),
        ("skew i j by 0", "LX103", "leave the skew out"),
        ("skew i j by two", "LX103", "write an integer"),
        ("skew i j unroll<0", "LX103", "write an integer of at least 1"),
        ("pad i", "LX102", "usage:"),
        ("pad i -1", "LX103", "write an integer of at least 0"),
        ("collapse i", "LX102", "usage:"),
        ("collapse i j as ij k", "LX102", "usage:"),
        ("unroll i 100000", "LX103", "write an integer of at most 1024"),
        ("unroll i 2 2", "LX102", "usage:"),
        ("vectorize", "LX102", "usage:"),
        ("parallel i j", "LX102", "usage:"),
        ("parallel i schedule=statik", "LX102", "did you mean `static`?"),
        ("parallel i chunks=2", "LX102", "did you mean `chunk`?"),
        ("parallel i threads=0", "LX103", "write an integer of at least 1"),
        ("trust", "LX102", "usage:"),
        ("trust ordr", "LX102", "did you mean `trust order`?"),
        ("trust order A", "LX102", "usage:"),
        ("trust independent", "LX102", "usage:"),
        ("reassociate", "LX102", "usage:"),
        ("reassociate 3", "LX102", "usage:"),
        ("nest a.b", "LX102", "usage:"),
        ("nest for", "LX102", "see `looptx list`"),
        ("tile i=32\nparallel i", "LX102", "write one directive per line"),
        ("tile i=32\x00", "LX102", "write one directive per line"),
        ("split i;import\u2028os 4", "LX102", "write one directive per line"),
        ("split __import__('os') 4", "LX102", "see `looptx list`"),
        ("assume", "LX102", "write, for example"),
        ("assume n", "LX102", "write, for example"),
        ("assume n > 0 or m > 0", "LX102", "write, for example"),
        ("assume n * m > 0", "LX102", "write, for example"),
        ("assume n % m == 0", "LX102", "write, for example"),
        ("assume n % 0 == 0", "LX103", "write, for example"),
        ("assume n == 1.5", "LX103", "write decimal digits only"),
        ("assume n = 4", "LX102", "write, for example"),
        ("assume (n > 0", "LX102", "write, for example"),
        ("assume " + "(" * 200 + "n", "LX102", "write, for example"),
        ("assume " + "-" * 200 + "n > 0", "LX102", "write, for example"),
        ("assume " + "*".join(["2147483647"] * 20) + " > n", "LX103", "write, for"),
        ("assume f(n) > 0", "LX102", "write, for example"),
        ("assume A[0] > 0", "LX102", "write, for example"),
        ("assume A.shape[99] > 0", "LX103", "write, for example"),
    ],
)
def test_bad_text_has_a_code_a_place_and_a_hint(
    text: str, code: str, hint: str
) -> None:
    found = error(text)
    assert (found.code, found.place) == (code, HERE)
    assert found.hint.startswith(hint)
    assert found.source == "    # looptx: " + text
    assert "\n" not in found.message and len(found.message) < 200


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("vectorize(i)", "vectorize i"),
        ("vectorize(j, 4)", "vectorize j 4"),
        ("Parallel i", "parallel i"),
        ("@parallel i", "parallel i"),
        ("split(i, 4)", "split i 4"),
        ("split i, 4", "split i 4"),
        ("split i by 4", "split i 4"),
        ("split i factor=4", "split i 4"),
        ("split i 4 -> io, ii", "split i 4 as io ii"),
        ("split i 4 io ii", "split i 4 as io ii"),
        ("split i 4; vectorize ii", "split i 4 | vectorize ii"),
        ("tile(i, j, 8, 16)", "tile i=8 j=16"),
        ("tile i 8 j 16", "tile i=8 j=16"),
        ("tile i=8, j=16", "tile i=8 j=16"),
        ("block i 8", "tile i=8"),
        ("reorder(j, i)", "reorder j i"),
        ("interchange i j", "reorder j i"),
        ("unroll i by 4", "unroll i 4"),
        ("vectorize(i, factor=8)", "vectorize i 8"),
        ("simd j", "vectorize j"),
        ("prange i", "parallel i"),
    ],
)
def test_words_of_other_systems_are_translated(text: str, meant: str) -> None:
    """The hint is the directive as it is written here, which is understood."""
    assert error(text).hint == f"write `{meant}`"
    assert parse(Directive(meant, HERE))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("|".join(["unroll j"] * 64), ""),
        ("|".join(["unroll j"] * 65), "too many directives on one line"),
        ("reorder " + " ".join(f"i{number}" for number in range(64)), ""),
        (
            "reorder " + " ".join(f"i{number}" for number in range(65)),
            "`reorder` has too many operands",
        ),
        ("tile 3=4", "`3=4` is not `name=value`"),
        ("assume len(3) >= 2", "`3` is not the name of an array"),
        ("cut i (n+1", "the value has the end where `)` is expected"),
        ("cut i n+1)", "the value ends before `)`"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    if message:
        found = error(text)
        assert (found.code, found.message) == ("LX102", message)
    else:
        assert parse(Directive(text, HERE))


@pytest.mark.parametrize("verb", sorted(LATER))
def test_verbs_of_later_versions_say_so(verb: str) -> None:
    found = error(f"{verb} a b")
    assert found.code == "LX101"
    assert found.message == f"`{verb}` is not available in this version of looptx"


@pytest.mark.parametrize(
    "text",
    [
        "reorder " + " ".join(f"i{number}" for number in range(100_000)),
        "tile i=" + "1" * 1_000_000,
        "a" * 1_000_000,
        "|".join(["unroll i 2"] * 100_000),
        "assume " + " and ".join(["n > 0"] * 100_000),
    ],
)
def test_huge_text_is_refused_at_once(text: str) -> None:
    start = time.process_time()
    found = error(text)
    assert time.process_time() - start < 0.2
    assert found.code in ("LX101", "LX102", "LX103")
    assert len(found.concise()) < 250


@pytest.mark.parametrize("name", ["é", "größe", "変数", "_"])
def test_python_names_of_any_script_are_names(name: str) -> None:
    (verb,) = parse(Directive(f"split {name} 4", HERE))
    assert verb.loops == (name,)


@pytest.mark.parametrize(
    "name", ["i-j", "i!", "\ufb01", "\u00aa", "i\u200b", "for", "i.j.k", "i#0", "i#"]
)
def test_other_text_is_no_name(name: str) -> None:
    assert error(f"split {name} 4").code == "LX102"


def test_conditions() -> None:
    n, m = Var("n"), Var("A.shape[1]")
    assert parse_condition("n%32==0") == Compare("==", mod(n, 32), Const(0))
    assert parse_condition("0 < 2*n - 1 <= A.shape[1] and len(B) != -3") == And(
        (
            Compare("<", Const(0), add(mul(Const(2), n), Const(-1))),
            Compare("<=", add(mul(Const(2), n), Const(-1)), m),
            Compare("!=", Var("B.shape[0]"), Const(-3)),
        )
    )
    assert parse_condition("-n % 4 == (n + 1) * 3") == Compare(
        "==", mod(mul(Const(-1), n), 4), add(mul(Const(3), n), Const(3))
    )
    assert parse_condition("self.n > 0") == Compare(">", Var("self.n"), Const(0))


WORDS = st.one_of(
    st.sampled_from(
        (*VERBS, *LATER, "i", "j", "ii", "as", "by", "|", "=", "i=4", "i=", "unroll<3")
    ),
    st.sampled_from(
        ("and", "%", "==", "<", "(", ")", "-", "*", "n", "len", "#", "i#2")
    ),
    st.sampled_from(
        ("order", "independent", "parts=4", "schedule=static", "mm.i", "0")
    ),
    st.integers().map(str),
    st.text(max_size=8),
)


def parses_or_fails_well(text: str) -> None:
    try:
        verbs = parse(Directive(text, HERE))
    except LooptxError as found:
        assert found.place == HERE and found.hint and found.code.startswith("LX1")
    else:
        for verb in verbs:
            assert verb.text.isprintable()
            assert parse(Directive(verb.text, HERE)) == (verb,)


@settings(max_examples=some(130), deadline=None)
@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_any_words_parse_or_fail_well(text: str) -> None:
    parses_or_fails_well(text)


@settings(max_examples=some(70), deadline=None)
@given(
    st.one_of(
        st.text(max_size=60),
        st.binary(max_size=60).map(lambda data: data.decode("latin-1")),
    )
)
def test_any_text_parses_or_fails_well(text: str) -> None:
    parses_or_fails_well(text)


@settings(max_examples=some(70), deadline=None)
@given(st.text("nm0123456789.%()<>=!+-* andlenshape[]", max_size=40))
def test_any_condition_parses_or_fails_well(text: str) -> None:
    parses_or_fails_well(f"assume {text}")
