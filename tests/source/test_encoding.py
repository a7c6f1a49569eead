"""Bytes, encodings, newlines, and edits that leave the rest alone."""

from __future__ import annotations

import ast
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looptx import source
from looptx.cli.text import transform_text
from looptx.errors import LooptxError, Place
from looptx.model.lines import keep_ends
from looptx.parsers.deep import deeply
from looptx.rewriting import _levels
from looptx.source.ast_tools import depth
from looptx.source.text.encoding import LIMIT


def failure(data: bytes) -> LooptxError:
    with pytest.raises(LooptxError) as caught:
        source.decode(data, "t.py")
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1\n",
        b"x = 1",
        b"\xef\xbb\xbfx = 1\r\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"\x0cx = 1\r\ny = 2\rz = 3\n",
        "x = 'é'\n".encode(),
        b"# coding: cp1252\nx = '\x80'\n",
    ],
)
def test_bytes_come_back(data: bytes) -> None:
    file = source.decode(data, "t.py")
    assert file.encode(file.text) == data


def test_a_bom_is_no_part_of_the_text() -> None:
    file = source.decode(b"\xef\xbb\xbfx = 1\n", "t.py")
    assert (file.text, file.bom, file.encoding) == ("x = 1\n", True, "utf-8")


def test_bytes_that_are_no_text() -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        error = failure(b"#\n#\nx = 1" + end + b"y = '\xff'" + end)
        assert error.code == "LX402"
        assert str(error.place) == "t.py:4:6"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"# coding: nonsense\nx = 1\n", "LX402"),
        ("x = 1\n".encode("utf-16"), "LX402"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "LX402"),
        (b"# coding: utf-7\nx = '+AGE-'\n", "LX403"),
        (b"# coding: idna\nx = 1..real\n", "LX403"),
        (b"#" * (4 * LIMIT + 1), "LX304"),
    ],
)
def test_what_cannot_be_decoded(data: bytes, code: str) -> None:
    assert failure(data).code == code


def test_a_character_the_encoding_lacks() -> None:
    file = source.decode(b"# coding: latin-1\n", "t.py")
    with pytest.raises(LooptxError) as caught:
        file.encode("x\ny = '\u20ac'\n")
    assert caught.value.code == "LX402"
    assert caught.value.place is not None and caught.value.place.line == 2


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("def f(:\n", "LX303", "t.py:1:7"),
        ("x = 1\n  y = 2\n", "LX303", "t.py:2"),
        ("x = '\0'\n", "LX303", "t.py:1"),
        ("(" * 3000 + ")" * 3000, "LX304", "t.py:1"),
        ("x = " + "-" * 100_000 + "1", "LX304", "t.py:1"),
        ("x" * (LIMIT + 1), "LX304", "t.py:1"),
    ],
)
def test_what_is_not_python(text: str, code: str, place: str) -> None:
    with pytest.raises(LooptxError) as caught:
        source.read(text, "t.py")
    assert caught.value.code == code
    assert str(caught.value.place).startswith(place)


@pytest.mark.parametrize("odd", ["\x0c", "\x1c", "\x85", "\u2028"])
def test_the_line_that_is_shown_is_the_one_that_is_wrong(odd: str) -> None:
    with pytest.raises(LooptxError) as caught:
        source.read(f"x = 1  # {odd}\ny = 2\nz = (\n", "t.py")
    assert (caught.value.place, caught.value.source) == (Place("t.py", 3, 5), "z = (")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("def f(A\\\n" + "\\\n" * 9 + "\\*\\\n, n):\n    pass\n", Place("t.py", 11, 4)),
        ("x = 1\ny = 2 \\ \nz = 3\n", Place("t.py", 2, 8)),
    ],
)
def test_a_place_behind_continued_lines_is_in_its_line(text: str, place: Place) -> None:
    with pytest.raises(LooptxError) as caught:
        source.read(text, "t.py")
    assert (caught.value.code, caught.value.place) == ("LX303", place)
    assert caught.value.source == text.split("\n")[place.line - 1]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="tokenize is the parser's own")
def test_what_is_python_but_not_to_tokenize() -> None:
    text = "def f(n):\n\\\n    for i in n:\n        g()  # looptx: x\n    g()\n"
    with pytest.raises(LooptxError) as caught:
        source.read(text, "t.py")
    error = caught.value
    assert (error.code, error.place) == ("LX303", Place("t.py", 5))
    assert error.source == "    g()" and "`\\`" in error.hint


NEST = """
def f(A, n, a=1):
    # looptx: split i 4
    for i in range(n):
        A[i] = i
"""


def test_long_sums_are_read() -> None:
    total = " + ".join(["a"] * 400)
    texts = [
        NEST.replace("    # looptx", f"    x = {total}\n    # looptx"),
        NEST.replace("= i\n", f"= {total}\n"),
        NEST.replace("= i\n", f"= {total.replace('a', 'A[i]')}\n"),
        NEST + f"    return {total}\n",
    ]
    for text in texts:
        new = transform_text(text, "t.py")
        assert not new.errors
        results = []
        for each in (text, new.text):
            scope: dict[str, Any] = {}
            exec(each, scope)
            cells = np.arange(7.0)
            results.append((scope["f"](cells, 7), cells.tobytes()))
        assert results[0] == results[1]


def is_parsed(text: str) -> bool:
    """Whether this Python has a tree of the text: from 3.12 on that is no question of
    the stack."""
    try:
        deeply(lambda: ast.parse(text))
    except RecursionError:
        return False
    return True


@pytest.mark.parametrize("terms", [1500, 5000])
def test_long_sums_elsewhere_are_no_concern(terms: int) -> None:
    total = " + ".join(["a"] * terms)
    for other in (
        f"a = 1\nx = {total}\n",
        f"def g(a):\n    return {total}\n",
        f"def g(a, A):\n    for i in range(3):\n        A[i] = {total}\n",
        f"@(lambda f: f)\ndef g(a={' + '.join(['1'] * terms)}):\n    return a\n",
    ):
        result = transform_text(other + NEST, "t.py")
        if is_parsed(other):
            assert not result.errors and result.text.startswith(other)
        else:
            assert [(e.code, e.place.line) for e in result.errors] == [("LX304", 1)]


@pytest.mark.parametrize("terms", [3000, 20_000])
def test_longer_sums_are_refused_where_they_stand(terms: int) -> None:
    text = NEST + f"    return {' + '.join(['a'] * terms)}\n" + NEST.replace("f(", "g(")
    result = transform_text(text, "t.py")
    place = Place("t.py", 2 if is_parsed(text) else 1)
    assert [(e.code, e.place) for e in result.errors] == [("LX304", place)]
    assert result.errors[0].hint


def test_levels_are_counted_and_not_nodes() -> None:
    """A table is flat however long it is; a chain is deep to libcst."""
    tree = ast.parse("x = [1, 2, 3, 4]\ny = a and b and c and d\n")
    table, chain = tree.body
    assert depth(table) == depth(table, paired=True) == 3
    assert depth(chain) == 3 and depth(chain, paired=True) == 6
    text = NEST.replace("a=1", "a=" + "-" * 500 + "1")
    assert _levels(source.read(text, "t.py")) > 500
    text = NEST + "    return [" + "1, " * 20_000 + "]\n"
    assert _levels(source.read(text, "t.py")) < 20


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "x = 1\r"])
def test_texts_without_functions(text: str) -> None:
    assert source.read(text, "t.py").kernels == ()


@given(st.text(alphabet="ab\n\r\x0c\x1c\u2028 #"))
def test_lines_join_to_the_text(text: str) -> None:
    assert "".join(keep_ends(text)) == text
