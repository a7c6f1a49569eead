"""Pictures: the enumeration against other implementations, and what is drawn of it."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from kit.drawn import affine
from kit.nests import Instance, visited
from kit.nests import Run as Enumerated
from kit.samples import some

from looptx import cli, source
from looptx.attach import assign
from looptx.directives import Verb
from looptx.errors import LooptxError
from looptx.lower.types import annotated
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Kernel, Nest
from looptx.model.schedule import Schedule
from looptx.plan import plan_nest
from looptx.show.dependences import broken, direct
from looptx.show.heading import codes
from looptx.show.judge import private
from looptx.show.layout import CODE, LETTER, Label, figure_of
from looptx.show.order import order_of
from looptx.show.page import page
from looptx.show.runs import Run, enumerate_runs
from looptx.show.scene import Scene, scene_of
from looptx.show.svg import MARK, picture
from looptx.show.touches import rules_of

MATMUL = """
def matmul(A, B, C, n, m, l):
    # looptx: tile i=2 j=2 k=2 | reorder i j k ii jj kk
    for i in range(n):
        for j in range(m):
            for k in range(l):
                C[i, j] += A[i, k] * B[k, j]
"""
SEIDEL = """
def seidel(A, n, m):
    # looptx: skew i j | parallel j
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            A[i, j] = A[i - 1, j] + A[i, j - 1] + A[i + 1, j] + A[i, j + 1]
"""
LU = """
def lu(A, n):
    # looptx: tile i=2 j=3
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
"""
SCALE = """
def scale(A, n):
    # looptx: split i 4
    for i in range(n):
        A[i] = A[i] * 2
"""
DOWN = """
def down(A, n):
    # looptx: split i 3 | split ii 2
    for i in range(2 * n, 0, -2):
        A[i] = 2.0
"""
SMEAR = """
def smear(A, n):
    # looptx: reorder j i
    for i in range(1, n):
        for j in range(n - 1):
            A[i, j] = A[i - 1, j + 1] + 1
"""
PREFIX = """
def prefix(A, n):
    # looptx: parallel i
    for i in range(1, n):
        A[i] = A[i] + A[i - 1]
"""
FUSED = """
def blend(A, B, C, n, m):
    # looptx: pad b.i 2 | fuse a b partial=1 | split i 3
    # looptx: nest a
    for i in range(n):
        for j in range(m):
            C[i, j] = A[i, j] + 1
    # looptx: nest b
    for i in range(n):
        for k in range(m):
            B[i] += C[i, k]
"""
PROGRAMS = (MATMUL, SEIDEL, LU, SCALE, DOWN, FUSED)


def scheduled_nest(text: str) -> tuple[Kernel, Nest, Sequence[Verb]]:
    """The first nest of a text, with its directives."""
    (kernel,) = source.read(text, "a.py").kernels
    nest, verbs = assign(kernel)[0]
    return kernel, nest, verbs


def scene(text: str, **sizes: int) -> Scene:
    """The picture of the first nest of a text."""
    kernel, nest, verbs = scheduled_nest(text)
    types = annotated(kernel)
    return scene_of(kernel.qualname, nest, verbs, kernel.names, types, sizes)


def instances(runs: Sequence[Run]) -> list[Instance]:
    return [(run.statement, run.point) for run in runs]


@pytest.mark.parametrize("size", [0, 1, 2, 5, 7])
@pytest.mark.parametrize("text", PROGRAMS, ids=lambda text: text.split()[1])
def test_the_order_is_that_of_the_generated_loops(text: str, size: int) -> None:
    kernel, nest, verbs = scheduled_nest(text)
    sizes = dict.fromkeys(nest.parameters, size)
    planned = plan_nest(nest, verbs, kernel.names, {})
    space = enumerate_runs(nest, sizes, 4096)
    assert space is not None
    assert instances(space.runs) == Enumerated(nest, sizes).instances
    times = order_of(planned.schedule, space).times
    order = sorted(range(len(times)), key=times.__getitem__)
    expected = visited(planned.body, nest, sizes)
    assert instances([space.runs[number] for number in order]) == expected


def test_direct_dependences_stand_for_all() -> None:
    for nest, schedule in affine(some(30)):
        _check_dependences(with_cuts(nest, schedule.cuts), schedule)


def _check_dependences(nest: Nest, schedule: Schedule) -> None:
    for sizes in ({"n": 2, "m": 3}, {"n": 4, "m": 3}):
        space = enumerate_runs(nest, sizes, 10_000)
        assert space is not None
        enumerated = Enumerated(nest, sizes)
        times = enumerated.times(schedule)
        ours = order_of(schedule, space)
        assert dict(zip(instances(space.runs), ours.times, strict=True)) == times
        found = direct(space, rules_of(schedule, private(nest, schedule), frozenset()))
        faults = broken(ours, space, found)
        expected = enumerated.broken(times)
        assert bool(faults) == expected


def pairs(text: str, **sizes: int) -> list[tuple[str, int, int]]:
    """The direct dependences, by the numbers of the runs."""
    found = scene(text, **sizes).dependences
    return [(each.kind, each.source, each.sink) for each in found]


def test_kinds_of_dependences() -> None:
    assert pairs(PREFIX, n=4) == [("flow", 0, 1), ("flow", 1, 2)]
    shift = """
    def shift(A, n):
        for i in range(n):
            A[i] = A[i + 1]
    """
    assert pairs(textwrap.dedent(shift), n=3) == [("anti", 0, 1), ("anti", 1, 2)]
    last = """
    def last(A, B, n):
        for i in range(n):
            A[0] = B[i]
    """
    assert pairs(textwrap.dedent(last), n=3) == [("output", 0, 1), ("output", 1, 2)]


SUM = """
def total(A, n):
    s = 0.0
    # looptx: {}
    for i in range(n):
        t = A[i] * 2
        s += t
    return s
"""


def test_private_scalars_carry_nothing() -> None:
    found = scene(SUM.format("split i 2"), n=3)
    names = {each.touch.array for each in found.dependences}
    assert names == {"s", "t"}
    within = [each for each in found.dependences if each.touch.array == "t"]
    assert [(each.source, each.sink) for each in within] == [(0, 1), (2, 3), (4, 5)]


def test_terms_that_may_be_reassociated_have_no_order() -> None:
    found = scene(SUM.format("reassociate s | parallel i"), n=3)
    assert found.status == "safe"
    assert {each.touch.array for each in found.dependences} == {"t"}


def test_a_reader_follows_every_term_of_a_free_sum() -> None:
    found = scene(
        textwrap.dedent(
            """
            def rows(A, B, n):
                # looptx: reassociate B | reorder j i
                for i in range(n):
                    for j in range(n):
                        B[i] += A[i, j]
                    A[i, 0] = B[i]
            """
        ),
        n=2,
    )
    reads = [each for each in found.dependences if each.touch.array == "B"]
    assert [(each.source, each.sink) for each in reads] == [
        (0, 2),
        (1, 2),
        (3, 5),
        (4, 5),
    ]


def axes(text: str, **sizes: int) -> list[list[str]]:
    """The names of the axes as scheduled."""
    grids = scene(text, **sizes).after.grids
    return [[axis.name for axis in grid.axes] for grid in grids]


def test_axes_of_the_schedule() -> None:
    assert axes(SEIDEL, n=6, m=6) == [["i + j", "j"]]
    assert axes(MATMUL, n=3, m=3, l=3) == [["i", "j", "k"]]
    assert axes(FUSED, n=4, m=3) == [["i", "j"], ["i", "k"]]


def test_skewed_iterations_are_moved_and_padded_ones_shifted() -> None:
    (grid,) = scene(SEIDEL, n=5, m=5).after.grids
    assert sorted(grid.places.values()) == sorted(
        (i + j, j) for i in range(3) for j in range(3)
    )
    assert grid.axes[0].texts[0] == "2"
    first, second = scene(FUSED, n=4, m=2).after.grids
    assert (first.axes[0].low, first.axes[0].high) == (0, 5)
    assert first.axes[0].count == second.axes[0].count
    assert min(second.places.values()) == (2, 0)


def test_downward_loops_show_their_values() -> None:
    (grid,) = scene(DOWN, n=4).before.grids
    assert list(grid.axes[0].texts.values()) == ["8", "6", "4", "2"]


def test_runs_that_happen_together_share_a_step() -> None:
    found = scene(SEIDEL, n=6, m=6)
    points = [run.point for run in found.space.runs]
    assert found.after.order.steps == [i + j - 2 for i, j in points]


def test_every_block_has_a_colour() -> None:
    found = scene(SCALE, n=10)
    assert found.blocks == ("i",)
    assert [len(set(found.after.tones[at : at + 4])) for at in (0, 4, 8)] == [1, 1, 1]
    assert len(set(found.after.tones)) == 3
    assert not scene(PREFIX).blocks


def test_chosen_sizes_show_whole_and_partial_blocks() -> None:
    assert scene(SCALE).space.sizes == {"n": 10}
    assert scene(SCALE.replace("4", "32")).space.sizes == {"n": 80}
    assert scene(SCALE.replace("4", "32 8")).space.sizes == {"n": 80}
    assert len(scene(MATMUL).space.runs) == 125
    assumed = scene(SCALE.replace("split", "assume n % 8 == 0 | split"))
    assert assumed.space.sizes["n"] % 8 == 0


def test_literal_loops_are_cut() -> None:
    text = """
    def fill(A):
        # looptx: split i 4
        for i in range(1000):
            for j in range(1000):
                for k in range(1000):
                    A[i, j, k] = 1.0
    """
    found = scene(textwrap.dedent(text))
    assert 0 < len(found.space.runs) <= 4096
    assert any("iterations of i" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "ends"),
    [(SMEAR, [("i=1, j=1"), ("i=2, j=0")]), (PREFIX, [("i=1"), ("i=2")])],
)
def test_a_refused_schedule_shows_the_pair_of_the_proof(
    text: str, ends: list[str]
) -> None:
    found = scene(text)
    assert found.status == "refused"
    assert found.error is not None
    for end in ends:
        assert f"({end})" in found.pair
        assert any(f"({end})" in line for line in found.error.detail)
    root = ElementTree.fromstring(picture(found))
    assert len(root.findall(".//*[@class='fault']/*[@class='frame']")) == 2 * 2 + 2


def test_a_pair_beyond_the_given_sizes_is_said_to_be() -> None:
    found = scene(SMEAR, n=2)
    assert found.status == "refused"
    assert not found.faults
    assert any("They first do at n=3" in note for note in found.notes)


def test_what_is_not_known_is_shown_as_possible() -> None:
    text = """
    def scatter(A, B, idx, n):
        # looptx: parallel i
        for i in range(n):
            A[idx[i]] = B[i]
    """
    found = scene(textwrap.dedent(text))
    assert found.status == "unknown"
    assert "may touch" in found.pair


def test_trusted_orders_are_marked() -> None:
    found = scene(SMEAR.replace("reorder j i", "reorder j i | trust order"))
    assert found.status == "trusted"
    assert found.faults


@pytest.mark.parametrize("test", ["B[i] > 0 and i >= n", "i >= n", "B[i] > m > i"])
def test_branches_are_drawn_where_they_run(test: str) -> None:
    text = f"""
    def f(A, B, n: int, m: int):
        # looptx: trust order | split i 4 | reorder ii i
        for i in range(1, n):
            if {test}:
                A[i] = A[i - 1]
            else:
                A[i] = B[i] + i
    """
    found = scene(textwrap.dedent(text), n=6)
    assert bool(found.faults) == ("m" in test)


def boxes(svg: str) -> list[tuple[str, float, float, float, float]]:
    """Every cell: class, left, top, right, bottom."""
    root = ElementTree.fromstring(svg)
    found = []
    for each in root.iter("{http://www.w3.org/2000/svg}rect"):
        if "data-run" in each.attrib:
            x, y, w, h = (float(each.attrib[a]) for a in ("x", "y", "width", "height"))
            found.append((each.attrib["class"], x, y, x + w, y + h))
    return found


@pytest.fixture(scope="module", params=(0, 1, 2, 3, 5, 8, 12))
def size(request: pytest.FixtureRequest) -> int:
    """The size of everything that is drawn."""
    return int(request.param)


@pytest.fixture(
    scope="module", params=(*PROGRAMS, SMEAR), ids=lambda text: text.split()[1]
)
def drawn(request: pytest.FixtureRequest, size: int) -> Scene:
    """What is drawn of a program."""
    _, nest, _ = scheduled_nest(request.param)
    return scene(request.param, **dict.fromkeys(nest.parameters, size))


def test_cells_never_overlap(drawn: Scene) -> None:
    cells = boxes(picture(drawn))
    assert len(cells) == 2 * len(drawn.space.runs)
    corners = {(left, top) for _, left, top, _, _ in cells}
    assert len(corners) == len(cells)
    width = min((right - left for _, left, _, right, _ in cells), default=0)
    lines: dict[float, list[float]] = {}
    for left, top in sorted(corners):
        lines.setdefault(top, []).append(left)
    for line in lines.values():
        assert all(b - a > width for a, b in pairwise(line))


def box(label: Label) -> tuple[float, float, float, float]:
    """About the place that a label takes: left, top, right, bottom."""
    wide = len(label.text) * (CODE if label.kind in ("code", "panel") else LETTER)
    left = label.x - {"start": 0, "middle": wide / 2, "end": wide}[label.anchor]
    return left, label.y - 9, left + wide, label.y


def test_labels_touch_neither_each_other_nor_cells(drawn: Scene) -> None:
    figure = figure_of(drawn, codes(drawn))
    half = figure.cell / 2
    taken = [
        box(label) for each in (figure.before, figure.after) for label in each.labels
    ]
    for at, (left, top, right, bottom) in enumerate(taken):
        for other in taken[:at]:
            apart = right <= other[0] or other[2] <= left
            assert apart or bottom <= other[1] or other[3] <= top
        for drawing in (figure.before, figure.after):
            for x, y in drawing.cells.values():
                apart = right <= x - half or x + half <= left
                assert apart or bottom <= y - half or y + half <= top


def test_nothing_to_draw() -> None:
    svg, html = picture(scene(SCALE, n=0)), page(scene(SCALE, n=0))
    for text in (svg, html):
        assert "no iterations at n=0" in text


def test_code_is_never_markup() -> None:
    text = SCALE.replace("* 2", '* (2 if kind == "</script><b>&amp;" else 3)')
    text = text.replace("A, n", "A, n, kind")
    found = scene(text, n=2)
    ElementTree.fromstring(picture(found))
    html = page(found)
    assert "<b>" not in html
    assert html.count("</script>") == 2
    (data,) = re.findall(r'id="data">(.*?)</script>', html)
    assert "</script><b>&amp;" in json.loads(data)["runs"][0]["code"]


def test_the_page_needs_nothing_else() -> None:
    html = page(scene(MATMUL))
    assert "default-src 'none'" in html
    links = re.findall(r"https?://[^\"' ]+", html)
    assert set(links) == {"http://www.w3.org/2000/svg"}


def test_index_values_are_filled_in() -> None:
    (data,) = re.findall(r'id="data">(.*?)</script>', page(scene(SEIDEL, n=4, m=4)))
    first = json.loads(data)["runs"][0]
    assert first["code"] == "A[1, 1] = A[0, 1] + A[1, 0] + A[2, 1] + A[1, 2]"
    assert first["writes"] == ["A[1, 1]"]


def test_cells_are_large_where_there_is_room() -> None:
    def size(found: Scene) -> int:
        return figure_of(found, codes(found)).cell

    assert size(scene(SCALE, n=3)) == 36
    assert size(scene(SCALE, n=40)) >= 25
    assert size(scene(SMEAR, n=45)) >= 10


Show = Callable[..., tuple[int, str]]


@pytest.fixture
def show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Show:
    """``looptx show`` in a folder with the programs; its status and what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "k.py").write_text(SEIDEL + SMEAR, encoding="utf-8")
    (tmp_path / "one.py").write_text(SCALE, encoding="utf-8")

    def run(*words: str) -> tuple[int, str]:
        status = cli.main(["show", *words])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return run


def test_a_page_is_written_here(show: Show, tmp_path: Path) -> None:
    assert show("one.py") == (0, "wrote scale.html\n")
    text = (tmp_path / "scale.html").read_text(encoding="utf-8")
    assert MARK in text.splitlines()[1]
    assert show("one.py")[0] == 0


def test_a_refused_schedule_is_drawn_too(show: Show, tmp_path: Path) -> None:
    status, said = show("k.py::smear", "-o", "out/s.svg")
    assert status == 1
    assert "wrote out/s.svg" in said
    assert "LX201 refused: reorder j i" in said
    ElementTree.parse(tmp_path / "out" / "s.svg")


def test_a_nest_beside_one_that_cannot_be_read(show: Show, tmp_path: Path) -> None:
    unread = "    for i in range(n):\n        if i:\n            break\n"
    alone = f"\ndef alone(n):\n{unread}"
    (tmp_path / "two.py").write_text(SCALE + unread + alone, encoding="utf-8")
    assert show("two.py::scale") == (0, "wrote scale.html\n")
    status, said = show("two.py::alone")
    assert status == 1
    assert "LX301 `i` cannot be scheduled: it may end at its `break`" in said


def test_other_files_are_kept(show: Show, tmp_path: Path) -> None:
    other = tmp_path / "mine.html"
    other.write_text("mine", encoding="utf-8")
    status, said = show("one.py", "-o", "mine.html")
    assert (status, other.read_text(encoding="utf-8")) == (2, "mine")
    assert "LX404" in said and "--force" in said
    assert show("one.py", "-o", "mine.html", "--force")[0] == 0
    assert MARK in other.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (["k.py"], "LX105", "k.py::seidel"),
        (["k.py::sedel"], "LX104", "did you mean `seidel`"),
        (["k.py::seidel", "--nest", "n1"], "LX104", "n0"),
        (["k.py::seidel", "--size", "n"], "LX102", "--size n=8"),
        (["k.py::seidel", "--size", "n=x"], "LX103", "digits"),
        (["k.py::seidel", "--size", "k=3"], "LX104", "`n`, `m`"),
        (["k.py::seidel", "--size", "n=300", "--size", "m=300"], "LX103", "--size"),
        (["k.py::seidel", "--size", "n=200000"], "LX103", "4096"),
        (["k.py::seidel", "-o", "a.png"], "LX404", ".svg"),
        (["none.py"], "LX401", "path"),
    ],
)
def test_errors(show: Show, words: list[str], code: str, hint: str) -> None:
    status, said = show(*words)
    assert status == 2
    assert code in said
    assert hint in said


def test_a_decorated_function_is_drawn_as_its_strings_say(
    show: Show, tmp_path: Path
) -> None:
    loops = "".join(f"    for {i} in range(8):\n        A[{i}] += 1.0\n" for i in "ij")
    head = 'import looptx\n\n\n@looptx.kernel("split i 4")\n'
    (tmp_path / "own.py").write_text(f"{head}def own(A):\n{loops}", encoding="utf-8")
    status, said = show("own.py")
    assert (status, said) == (0, "shown: nest n0; --nest shows n1\nwrote own.html\n")
    assert "split i 4" in (tmp_path / "own.html").read_text(encoding="utf-8")


def test_tasks_are_told_for_so_many_workers(show: Show, tmp_path: Path) -> None:
    bound = "split i 4 | bind i worker"
    text = SCALE.replace("split i 4", bound)
    (tmp_path / "bound.py").write_text(text, encoding="utf-8")
    status, said = show("bound.py", "-o", "b.txt", "--size", "n=9")
    assert (status, said) == (0, "wrote b.txt\n")
    assert (tmp_path / "b.txt").read_text(encoding="utf-8").startswith(MARK)
    for workers in ("0", "10000000"):
        status, said = show("bound.py", "-o", "b.txt", "--size", f"workers={workers}")
        assert status == 2 and f"LX103 `workers={workers}` is out of range" in said


def test_a_function_without_loops_has_no_picture(show: Show, tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text("def none(A):\n    return A\n", encoding="utf-8")
    status, said = show("none.py::none")
    assert status == 2 and "LX104" in said


def test_json_is_one_document(show: Show) -> None:
    status, said = show("one.py", "--output-format", "json", "--size", "n=5")
    document = json.loads(said)
    assert status == 0
    assert document["files"] == [
        {"file": "scale.html", "status": "safe", "sizes": {"n": 5}}
    ]


def test_malformed_directives_are_errors() -> None:
    with pytest.raises(LooptxError) as raised:
        scene(SCALE.replace("split i 4", "split k 4"))
    assert raised.value.code == "LX104"
