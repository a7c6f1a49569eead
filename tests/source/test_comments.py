"""Directives and comments: what they stand on, and what goes with a statement."""

from __future__ import annotations

import textwrap

import pytest
from kit.nests import kernel_of, nest_of

from looptx import source
from looptx.errors import LooptxError
from looptx.model.lines import keep_ends
from looptx.syntax.concrete import Concrete
from looptx.syntax.original import Original, original


def failure(code: str) -> LooptxError:
    with pytest.raises(LooptxError) as caught:
        source.read(textwrap.dedent(code), "t.py")
    return caught.value


def original_of(text: str) -> Original:
    """How the first nest of a text is written."""
    (kernel, *_) = source.read(text, "t.py").kernels
    lines = keep_ends(text)[kernel.first_line - 1 : kernel.nests[0].text.last_line]
    return original(Concrete(lines, kernel.first_line, "t.py"), kernel.nests[0])


COMMENTED = """\
def f(A, n):
    # not ours

    # about the loop
    # looptx: tile i=32
    # more
    for i in range(n):  # rows
        # above j
        for j in range(n):
            # above s0
            A[i, j] = 0  # behind s0
            # closes j

        # above s1
        A[i, 0] = (  # inside
            1
        )  # behind s1
        if i > 0:  # at the if
            # in the if
            A[i, 1] = 2
        # above else

        else:
            A[i, 2] = 3
            # closes else
        if A[i, 0] > 1:  # kept
            # kept too
            A[i, 0] = 1  # and this
        # closes i

    # outside
    return A
"""


def test_comments_stay_with_their_statements() -> None:
    written = original_of(COMMENTED)
    loops = {name: written.about_loop(name) for name in written.loops}
    assert loops["i"].above == ["# about the loop", "# more"]
    assert loops["i"].behind == "# rows"
    assert loops["j"].above == ["# above j"]
    found = [written.about(name) for name in written.nodes]
    assert found[0].above == ["# above s0"]
    assert found[0].behind == "# behind s0"
    assert found[0].below == ["# closes j"]
    assert found[1].above == ["# above s1"]
    assert found[1].behind == "# behind s1"
    assert found[2].above == ["# at the if", "# in the if"]
    assert found[3].above == ["# above else"]
    assert found[3].below == ["# closes else"]
    assert found[4].behind == ""
    assert found[4].below == ["# closes i"]


def test_lines_of_a_nest_hold_its_comments() -> None:
    nest = nest_of(COMMENTED)
    lines = COMMENTED.split("\n")
    assert lines[nest.text.first_line - 1].strip() == "# about the loop"
    assert lines[nest.text.last_line - 1].strip() == "# closes i"
    assert nest.place.line == 7
    assert nest.text.indent == "    "


def test_every_comment_is_kept_once() -> None:
    nest = nest_of(COMMENTED)
    written = original_of(COMMENTED)
    everything = [written.about(name) for name in nest.statements]
    everything += [written.about_loop(name) for name in nest.loops]
    kept = [text for c in everything for text in (*c.above, c.behind, *c.below) if text]
    inside = ["# inside", "# kept", "# kept too", "# and this"]
    lines = COMMENTED.split("\n")[nest.text.first_line - 1 : nest.text.last_line]
    expected = [line[line.index("#") :] for line in lines if "#" in line]
    expected.remove("# looptx: tile i=32")
    assert sorted(kept + inside) == sorted(expected)


def test_a_directive_above_a_blank_line_still_counts() -> None:
    code = """
    def f(A, n):
        A[0] = 1
        # looptx: split i 4

        # why
        for i in range(n):
            A[i] = 0
    """
    nest = nest_of(textwrap.dedent(code))
    assert [d.text for d in nest.text.directives] == ["split i 4"]
    assert nest.text.first_line == 4
    assert nest.text.directives[0].place.line == 4
    assert nest.text.directives[0].place.column == 15
    assert nest.text.directives[0].source == "    # looptx: split i 4"


def test_directives_above_inner_loops_belong_to_the_nest() -> None:
    code = """
    def f(A, n):
        # looptx: nest mm | parallel i
        for i in range(n):
            # looptx: nest inner | split j 4
            # looptx: unroll jj
            for j in range(n):
                A[i, j] = 0
    """
    nest = nest_of(textwrap.dedent(code))
    found = [(d.text, d.loop and d.loop.line) for d in nest.text.directives]
    assert found == [
        ("nest mm | parallel i", 4),
        ("nest inner | split j 4", 7),
        ("unroll jj", 7),
    ]


def test_directives_of_a_function() -> None:
    code = """
    import looptx
    # looptx: fuse a b
    @looptx.kernel
    # looptx: parallel i
    @other(
        1,
    )
    # looptx: split i 2
    def f(A, n):
        for i in range(n):
            A[i] = 0
    """
    kernel = kernel_of(textwrap.dedent(code))
    found = [d.text for d in kernel.directives]
    assert found == ["fuse a b", "parallel i", "split i 2"]
    assert kernel.decorated
    assert kernel.nests[0].text.directives == ()


def test_names_count_all_loops_over_range() -> None:
    code = """
    def f(A, n):
        for i in range(n):
            del A
        while A[0]:
            for i in range(n):
                A[i] = 0
    """
    kernel = kernel_of(textwrap.dedent(code))
    assert [nest.name for nest in kernel.nests] == ["n1"]


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("# looptx: split i 2\nx = 1\n", "1:11"),
        ("x = 1  # looptx: split i 2\n", "1:18"),
        ("def f(A):\n    # looptx: split i 2\n    return A\n", "2:15"),
        ("def f(A):\n    return A\n    # looptx: split i 2\n", "3:15"),
        ("# looptx: split i 2\nclass A:\n    pass\n", "1:11"),
        ("# looptx: split i 2\nfor i in range(3):\n    print(i)\n", "1:11"),
        ("def f(A):\n    A(\n        # looptx: parallel i\n        1)\n", "3:19"),
        (
            "def f(A, n):\n    for i in range(n):  # looptx: parallel i\n"
            "        A[i] = 0\n",
            "2:35",
        ),
        (
            "def f(A, n):\n    if n:\n        A[0] = 1\n        # looptx: parallel i\n"
            "    for i in range(n):\n        A[i] = 0\n",
            "4:19",
        ),
    ],
)
def test_directives_that_stand_nowhere(code: str, place: str) -> None:
    error = failure(code)
    assert error.code == "LX107"
    assert str(error.place) == f"t.py:{place}"
    assert error.hint


@pytest.mark.parametrize(
    "header",
    ["while n:", "for i in {*A}:", "for i, x in A.items():", "for i in rng(n):"],
)
def test_directives_on_other_loops(header: str) -> None:
    error = failure(
        f"def f(A, n, rng):\n    # looptx: parallel i\n    {header}\n        A[0] = 1\n"
    )
    assert error.code == "LX305"
    assert error.place is not None and error.place.line == 2


@pytest.mark.parametrize(
    "arguments", ["0, n, s", "0, n, 0", "A[0]", "x * 0.5", "g(n)", "*n", "n / 2"]
)
def test_outermost_bounds_that_are_not_affine(arguments: str) -> None:
    error = failure(
        "def f(A, n, s, x: float):\n    # looptx: parallel i\n"
        f"    for i in range({arguments}):\n        A[i] = 1\n"
    )
    assert error.code == "LX305"
    assert error.place is not None and error.place.line == 3


def test_comments_in_strings_are_no_comments() -> None:
    code = 'X = """\n# looptx: nonsense\n"""\ndef f(A, n):\n    """# looptx: x"""\n'
    assert source.read(code, "t.py").kernels == ()


@pytest.mark.parametrize("above", ["for i in range(n):", "if n % 4 == 0:"])
def test_applied_nests_are_marked(above: str) -> None:
    inside = "" if above.startswith("for") else "for i in range(n):"
    lines = ["def f(A, n):", "    # looptx: applied parallel i [sha256 0123]"]
    lines += [f"    {above}"] + ([f"        {inside}"] if inside else [])
    lines += [f"    {'        ' if inside else '    '}A[i] = 0"]
    nest = nest_of("\n".join(lines))
    assert nest.text.applied
    assert nest.text.directives == ()


def test_semicolons_and_one_line_loops() -> None:
    text = "def f(A, B, n):\n    for i in range(n): A[i] = 1; B[i] = A[i]  # both\n"
    written, nest = original_of(text), nest_of(text)
    first, second = (written.about(name) for name in nest.statements)
    assert first.behind == ""
    assert second.behind == "# both"
    assert nest.text.first_line == nest.text.last_line == 2
