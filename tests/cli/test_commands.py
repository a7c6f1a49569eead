"""The command line, run as a user runs it, but in this process."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from looptx import cli
from looptx.cli import text as cli_text
from looptx.cli.text import transform_text
from looptx.errors import CODES, Place
from looptx.looptree.planned import Planned
from looptx.syntax.region import Region
from looptx.syntax.splice import Change

GOOD = """\
# a comment at the top
def scale(A, n):
    # looptx: split i 32
    for i in range(n):
        A[i] = A[i] * 2  # twice


def other( x ):  # not formatted, not annotated
    return   x
"""
REFUSED = """\
def prefix(A, n):
    # looptx: parallel i
    for i in range(1, n):
        A[i] = A[i] + A[i - 1]
"""
UNKNOWN_VERB = """\
def f(A, n):
    # looptx: splt i 32
    for i in range(n):
        A[i] = 0
"""
PLAIN = "import os\n\n\ndef f( x ):\n    return   x\n"


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def command(*words: str | Path) -> Done:
        capfd.readouterr()
        status = cli.main([str(word) for word in words])
        sys.stdout.flush()
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err
        return Done(status, captured.out, captured.err)

    return command


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.py"
    path.write_text(GOOD, encoding="utf-8")
    return path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def run_process(
    *words: str | Path, data: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "looptx", *map(str, words)]
    return subprocess.run(command, input=data, capture_output=True, check=False)


# transform: where the result goes


def test_to_standard_output(run: Run, good: Path) -> None:
    done = run("transform", good)
    assert done.status == 0
    assert done.err == ""
    assert done.out.startswith("# a comment at the top\ndef scale(A, n):\n")
    assert "# looptx: applied split i 32" in done.out
    assert "# twice" in done.out
    assert done.out.endswith(GOOD[GOOD.index("\n\ndef other") :])
    assert good.read_text(encoding="utf-8") == GOOD


def test_a_decorator_that_stays_is_told(run: Run, tmp_path: Path) -> None:
    head = "from looptx import kernel\n\nk = kernel\n\n\n@k\n"
    path = write(tmp_path, "late.py", head + GOOD)
    for words in ((), ("--check",), ("--write",)):
        done = run("transform", *words, path)
        assert done.err.startswith("kernel scale: `@k` may be looptx's and stays; ")


def test_transformed_code_does_the_same(good: Path) -> None:
    result = transform_text(GOOD, "good.py")
    assert result.changed and not result.errors
    for size in (0, 1, 31, 32, 33, 100):
        before, after = list(range(size)), list(range(size))
        for text, cells in ((GOOD, before), (result.text, after)):
            space: dict[str, Callable[..., None]] = {}
            exec(text, space)
            space["scale"](cells, size)
        assert before == after


def test_transforming_twice_is_once(run: Run, good: Path) -> None:
    once = run("transform", good).out
    good.write_text(once, encoding="utf-8")
    done = run("transform", good)
    assert (done.status, done.out) == (0, once)


def test_nothing_to_plan_needs_no_isl(run: Run, good: Path) -> None:
    good.write_text(run("transform", good).out, encoding="utf-8")
    program = (
        "import sys; from looptx.cli import main; status = main(sys.argv[1:]);"
        "assert status == 0 and 'looptx.source' in sys.modules;"
        "assert not {'libcst', 'islpy', 'black', 'numpy'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", program, "transform", "--check", str(good)]
    subprocess.run(command, check=True)


def test_nothing_annotated(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "plain.py", PLAIN)
    assert run("transform", path) == Done(0, PLAIN, "")


def test_nothing_annotated_needs_no_parser() -> None:
    program = (
        "import sys; from looptx.cli.text import transform_text;"
        f"assert transform_text({PLAIN!r}, 'f.py').text == {PLAIN!r};"
        "assert not {'libcst', 'islpy', 'black', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_standard_input() -> None:
    done = run_process("transform", "-", data=GOOD.encode())
    assert done.returncode == 0
    assert done.stdout.decode() == transform_text(GOOD, "x.py").text
    done = run_process("transform", "-", data=REFUSED.encode())
    assert done.returncode == 1
    assert done.stderr.startswith(b"<stdin>:2:")
    assert done.stdout == b""


def test_write(run: Run, good: Path) -> None:
    good.chmod(0o751)
    expected = run("transform", good).out
    done = run("transform", "--write", good)
    assert (done.status, done.out) == (0, "")
    assert done.err == "1 file transformed\n"
    assert good.read_text(encoding="utf-8") == expected
    assert stat.S_IMODE(good.stat().st_mode) == 0o751
    assert os.listdir(good.parent) == ["good.py"]
    done = run("transform", "--write", "--quiet", good)
    assert done == Done(0, "", "")


@pytest.mark.parametrize(
    "before",
    [
        GOOD.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + GOOD).encode("latin-1"),
        GOOD.rstrip("\n").encode(),
        ("\n\n\n" + GOOD + "\n\n").encode(),
        GOOD.replace("twice", "zweimal, \u00fcbrigens \U0001f600").encode(),
    ],
    ids=["crlf", "bom", "latin-1", "no newline at the end", "blank lines", "astral"],
)
def test_write_keeps_the_rest(run: Run, tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(before)
    assert run("transform", "--write", "-q", path).status == 0
    after = path.read_bytes()
    assert b"applied split i 32" in after
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    head = before.index(b"    # looptx: split")
    tail = before[before.index(b"def other") :]
    assert after[:head] == before[:head]
    assert after.endswith(newline + tail)
    assert after.count(b"\n") == after.count(newline)
    assert compile(after, "a.py", "exec")


def test_write_follows_a_link(run: Run, good: Path) -> None:
    link = good.with_name("link.py")
    link.symlink_to("good.py")
    assert run("transform", "--write", link).status == 0
    assert link.is_symlink()
    assert "applied" in good.read_text(encoding="utf-8")


def test_check(run: Run, good: Path, tmp_path: Path) -> None:
    done = run("transform", "--check", good)
    assert (done.status, done.out) == (1, f"{good}\n")
    assert done.err == "1 file would change\n"
    assert good.read_text(encoding="utf-8") == GOOD
    plain = write(tmp_path, "plain.py", PLAIN)
    assert run("transform", "--check", plain).status == 0


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_a_name_that_is_no_text(run: Run, tmp_path: Path, option: str) -> None:
    path = write(tmp_path, "\udcff.py", GOOD)
    done = run("transform", option, path)
    assert done.status == (option == "--check")
    assert "LX901" not in done.err


def test_diff_can_be_applied(run: Run, good: Path, tmp_path: Path) -> None:
    expected = run("transform", good).out
    done = run("transform", "--diff", good)
    assert done.status == 0
    assert done.out.startswith(f"--- {good}\n+++ {good}\n@@ ")
    patch = write(tmp_path, "p.diff", done.out)
    subprocess.run(
        ["git", "apply", "--unsafe-paths", f"--directory={tmp_path}", "-p0", patch],
        cwd=tmp_path,
        check=False,
    )
    lines = [line[1:] for line in done.out.splitlines()[3:] if line[:1] in " +"]
    assert set(lines) <= set(expected.splitlines())
    assert run("transform", "--diff", "--check", good).status in (0, 1)


def test_output_file(run: Run, good: Path, tmp_path: Path) -> None:
    expected = run("transform", good).out
    target = tmp_path / "out" / "new.py"
    assert run("transform", good, "-o", target).status == 0
    assert target.read_text(encoding="utf-8") == expected


def test_output_folder_takes_all_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p" / "q").mkdir(parents=True)
    write(tmp_path / "p", "plain.py", PLAIN)
    write(tmp_path / "p" / "q", "good.py", GOOD)
    done = run("transform", tmp_path / "p", "-o", tmp_path / "out")
    assert done.status == 0
    assert (tmp_path / "out" / "plain.py").read_text(encoding="utf-8") == PLAIN
    assert "applied" in (tmp_path / "out" / "q" / "good.py").read_text(encoding="utf-8")


def test_output_folder_refuses_to_write_one_file_twice(
    run: Run, tmp_path: Path
) -> None:
    for name in ("p", "q"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, "a.py", GOOD)
    done = run("transform", tmp_path / "p", tmp_path / "q", "-o", tmp_path / "out")
    assert done.status == 2
    assert "would hold both" in done.err


def test_several_files_are_named(run: Run, good: Path, tmp_path: Path) -> None:
    plain = write(tmp_path, "plain.py", PLAIN)
    done = run("transform", good, plain)
    assert done.status == 0
    assert done.out.startswith(f"# ==> {good} <==\n# a comment")
    assert "plain.py" not in done.out


def test_jobs_give_the_same_in_the_same_order(run: Run, tmp_path: Path) -> None:
    for number in range(5):
        text = [GOOD, REFUSED, UNKNOWN_VERB][number % 3]
        write(tmp_path, f"m{number}.py", text)
    one = run("transform", "-j", "1", tmp_path)
    two = run("transform", "-j", "3", tmp_path)
    assert one == two
    assert one.status == 2


def test_cython(run: Run, good: Path, tmp_path: Path) -> None:
    done = run("transform", "--to", "cython", good)
    assert done.status == 0, done.err
    assert "cdef" in done.out
    assert "scale" in done.out
    target = tmp_path / "out.pyx"
    assert run("transform", "--to", "cython", good, "-o", target).status == 0
    assert target.read_text(encoding="utf-8") == done.out


# transform: what goes wrong


def test_refused(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "prefix.py", REFUSED)
    done = run("transform", path)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"{path}:2:")
    assert "LX202" in done.err
    assert "A[" in done.err


def test_every_function_is_reported(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "two.py", REFUSED + UNKNOWN_VERB + GOOD)
    done = run("transform", "--output-format", "concise", path)
    assert done.status == 2
    lines = done.err.splitlines()
    assert [line.split()[1] for line in lines] == ["LX202", "LX101"]
    assert done.out == ""


def test_every_function_that_cannot_be_read_is_reported() -> None:
    unsupported = REFUSED.replace("A[i] = A[i] + A[i - 1]", "del A")
    result = transform_text(unsupported + GOOD + unsupported, "f.py")
    assert [(e.code, e.place and e.place.line) for e in result.errors] == [
        ("LX301", 4),
        ("LX301", 17),
    ]


def test_one_bad_file_does_not_stop_the_others(run: Run, good: Path) -> None:
    write(good.parent, "bad.py", REFUSED)
    done = run("transform", "--write", good.parent)
    assert done.status == 1
    assert "1 file transformed, 1 error" in done.err
    assert "applied" in good.read_text(encoding="utf-8")
    assert (good.parent / "bad.py").read_text(encoding="utf-8") == REFUSED


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("syntax", b"def f(:\n    pass\n", "LX303"),
        ("syntax, annotated", GOOD.encode() + b"def f(:\n", "LX303"),
        ("not utf-8", b"x = '\xff'\n", "LX402"),
        ("unknown encoding", b"# coding: klingon\nx = 1\n", "LX402"),
        ("null", b"x = 1\0\n", "LX303"),
        ("nested", b"x = " + b"(" * 3000 + b"1" + b")" * 3000 + b"\n", "LX304"),
        (
            "nested, annotated",
            GOOD.encode() + b"x = " + b"(" * 3000 + b"1" + b")" * 3000 + b"\n",
            "LX304",
        ),
        ("huge", b"#" * (10 * 2**20 + 1), "LX304"),
        ("verb", UNKNOWN_VERB.encode(), "LX101"),
        ("number", GOOD.replace("32", "0").encode(), "LX103"),
        ("name", GOOD.replace("split i", "split k").encode(), "LX104"),
        ("no loop", b"# looptx: split i 32\nx = 1\n", "LX107"),
        ("behind code", b"x = 1  # looptx: split i 32\n", "LX107"),
    ],
)
def test_malformed(run: Run, tmp_path: Path, name: str, data: bytes, code: str) -> None:
    path = tmp_path / "bad.py"
    path.write_bytes(data)
    done = run("transform", "--write", "--output-format", "concise", path)
    first = done.err.splitlines()[0]
    assert first.startswith(f"{path}:"), first
    assert f": {code} " in first
    assert done.status == 2
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["bad.py"]


def test_empty(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "empty.py", "")
    assert run("transform", path) == Done(0, "", "")
    assert run("transform", "--write", "-q", path) == Done(0, "", "")
    assert run("transform", tmp_path / "no folder").status == 2


def test_missing(run: Run, tmp_path: Path) -> None:
    done = run("transform", tmp_path / "missing.py")
    assert done.status == 2
    assert f"{tmp_path / 'missing.py'}:1:1: LX401" in done.err


def test_read_only(run: Run, good: Path) -> None:
    good.chmod(0o444)
    done = run("transform", "--write", good)
    assert done.status == 2
    assert f"{good}:1:1: LX404" in done.err
    assert good.read_text(encoding="utf-8") == GOOD


def test_empty_folder(run: Run, tmp_path: Path) -> None:
    assert run("transform", tmp_path) == Done(0, "", "")


@pytest.mark.parametrize(
    "words",
    [
        ["transform"],
        ["transform", "--wrong", "a.py"],
        ["transform", "--write", "-"],
        ["transform", "--write", "-o", "b.py", "a.py"],
        ["transform", "--to", "cython", "--write", "a.py"],
        ["transform", "--to", "rust", "a.py"],
        ["transform", "--jobs", "-1", "a.py"],
        ["nonsense"],
    ],
)
def test_usage(run: Run, words: list[str]) -> None:
    done = run(*words)
    assert done.status == 2
    assert done.out == ""


def test_an_internal_error_is_one_line(
    run: Run, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr(cli_text, "plan", broken)
    done = run("transform", "--output-format", "concise", good)
    assert done.status == 2
    assert done.err.splitlines() == [
        f"{good}:2:1: LX901 internal error: ZeroDivisionError: by nothing"
    ]
    done = run("transform", good)
    assert "please report it" in done.err
    assert Path(__file__).name not in done.err


def test_an_internal_error_of_writing_names_its_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = "    # looptx: split i 4\n    for i in range(n):\n        A[i] = 1\n"
    text = "".join(f"\n\ndef f{at}(A, n):\n{loop}" for at in range(3))
    replace = Region.replace

    def broken(region: Region, planned: Planned, digest: str) -> Change:
        if planned.nest.place.line > 10:
            raise ZeroDivisionError
        return replace(region, planned, digest)

    assert transform_text(text, "f.py").changed
    monkeypatch.setattr(Region, "replace", broken)
    result = transform_text(text, "f.py")
    assert [(e.code, e.place) for e in result.errors] == [
        ("LX901", Place("f.py", 9, 1)),
        ("LX901", Place("f.py", 15, 1)),
    ]
    assert result.text == text


def test_verbose_shows_where_an_internal_error_came_from(
    good: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli_text, "plan", broken)
    assert cli.main(["transform", "--verbose", str(good)]) == 2
    assert Path(__file__).name in capfd.readouterr().err


# formats


FAST = """import looptx


@looptx.kernel("tile i=4", fastmath={})
def f(A):
    for i in range(A.shape[0]):
        A[i] = A[i] * 0.5 + 1.0
"""


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ('"contract"', "'contract'"),
        ('("functions", "contract")', "('functions', 'contract')"),
        ("LEVEL", "LEVEL"),
        ('""', ""),
        ("()", ""),
    ],
)
def test_lost_levels_of_fastmath_are_told(
    run: Run, tmp_path: Path, level: str, told: str
) -> None:
    path = tmp_path / "fast.py"
    path.write_text(FAST.format(level))
    done = run("transform", path)
    assert done.status == 0 and "for ii in" in done.out
    said = f"{path}:4:37: LX507 f is rewritten without fastmath={told}; rewritten loops"
    assert (said in done.err) is bool(told), done.err
    assert ("LX507" in done.err) is bool(told)
    as_data = run("transform", "--output-format", "json", path)
    (entry,) = json.loads(as_data.out)["files"]
    assert any("LX507" in one for one in entry.get("notes", ())) is bool(told)
    path.write_text(done.out)
    assert "LX507" not in run("transform", path).err


def test_what_is_no_level_of_fastmath_is_not_rewritten(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "fast.py"
    path.write_text(FAST.format('"fast"'))
    done = run("transform", path)
    assert done.status == 2 and not done.out
    assert f"{path}:4:37: LX102 `fast` is not a level of fastmath" in done.err


def test_json(run: Run, good: Path, tmp_path: Path) -> None:
    write(tmp_path, "prefix.py", REFUSED)
    done = run("transform", "--output-format", "json", tmp_path)
    assert (done.status, done.err) == (1, "")
    document = json.loads(done.out)
    assert [entry["changed"] for entry in document["files"]] == [True, False]
    assert "applied" in document["files"][0]["text"]
    (error,) = document["errors"]
    assert error["code"] == "LX202"
    assert (error["line"], error["exit_status"]) == (2, 1)
    assert error["detail"] and error["file"].endswith("prefix.py")


def test_github(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "prefix.py", REFUSED)
    done = run("transform", "--output-format", "github", path)
    assert done.err.startswith(f"::error file={path},line=2,col=")
    assert ",title=LX202::" in done.err
    assert "%0A" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_what_a_terminal_would_obey_is_escaped(
    run: Run, tmp_path: Path, form: str
) -> None:
    text = UNKNOWN_VERB.replace("splt i", "splt \x1b[31m \u202e \u200b i")
    path = write(tmp_path, "a\x1b]0;\n.py", text)
    done = run("transform", "--output-format", form, path)
    assert done.status == 2
    assert "\\x1b]0;" in done.err
    assert done.err.replace("\n", "").isprintable()
    assert (form == "full") == ("\\x1b[31m \\u202e \\u200b" in done.err)
    assert form == "full" or done.err.count("\n") == 1


def test_colour_is_for_terminals(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "prefix.py", REFUSED)
    assert "\x1b" not in run("transform", path).err
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "looptx", "transform", str(path)]

    def seen(**variables: str) -> bytes:
        leader, follower = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", **variables}
        process = subprocess.Popen(command, stderr=follower, env=environment)
        os.close(follower)
        found = b""
        try:
            while chunk := os.read(leader, 4096):
                found += chunk
        except OSError:
            pass
        os.close(leader)
        process.wait()
        return found

    assert b"\x1b[" in seen()
    assert b"\x1b[" not in seen(NO_COLOR="1")


def test_a_closed_pipe_is_no_error(good: Path) -> None:
    good.write_text(GOOD + "# filler\n" * 100_000, encoding="utf-8")
    done = subprocess.run(
        f'"{sys.executable}" -m looptx transform "{good}" | head -n 1',
        shell=True,
        capture_output=True,
        check=False,
    )
    assert done.stdout == b"# a comment at the top\n"
    assert done.stderr == b""


# directives outside the source


SCALE = """\
def scale(A, n):
    for i in range(n):
        A[i] = A[i] * 2
"""


def test_directives_of_pyproject(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        "pyproject.toml",
        '[tool.looptx.schedules]\n"scale.py::scale" = ["split i 32"]\n',
    )
    (tmp_path / "deep").mkdir()
    path = write(tmp_path / "deep", "scale.py", SCALE)
    done = run("transform", path)
    assert done.status == 0, done.err
    assert "# looptx: applied split i 32" in done.out


def test_directive_file(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "scale.py", SCALE)
    beside = write(tmp_path, "plan.looptx", "[scale]\nsplit i 32\n")
    done = run("transform", path, "--directives", beside)
    assert done.status == 0, done.err
    assert "# looptx: applied split i 32" in done.out


def test_directive_file_with_a_wrong_name(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "scale.py", SCALE)
    beside = write(tmp_path, "plan.looptx", "[scala]\nsplit i 32\n")
    done = run("transform", path, "--directives", beside)
    assert done.status == 2
    assert f"{beside}:1:1: LX104" in done.err


@pytest.mark.parametrize("command", ["transform", "build"])
def test_an_entry_of_a_project_with_a_wrong_name(
    run: Run, tmp_path: Path, command: str
) -> None:
    page = write(
        tmp_path,
        "pyproject.toml",
        "[tool.looptx.schedules]\n"
        '"scale.py::scala" = "split i 32"\n"other" = "unroll i"\n',
    )
    source = SCALE + "\ndef scala():\n    def scale():\n        for i in []: pass\n"
    done = run(command, write(tmp_path, "scale.py", source))
    assert done.status == 2
    assert f"{page}:2:2: LX104 no function `scala` with loops was found" in done.err
    assert done.err.count("LX104") == 1


def test_directive_file_with_a_wrong_verb(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "scale.py", SCALE)
    beside = write(tmp_path, "plan.looptx", "[scale]\nsplt i 32\n")
    done = run("transform", path, "--directives", beside)
    assert done.status == 2
    assert f"{beside}:2:1: LX101" in done.err


# the other commands


def test_version(run: Run) -> None:
    assert run("--version").out.startswith("looptx ")


def test_list(run: Run) -> None:
    done = run("list")
    assert done.status == 0
    for word in ("split", "reassociate", *CODES):
        assert f"  {word} " in done.out


@pytest.mark.parametrize("code", CODES)
def test_explain_code(run: Run, code: str) -> None:
    done = run("explain", code.lower())
    assert done.status == 0
    assert done.out.startswith(f"# {code}: {CODES[code]}\n")
    assert "\n## What to do\n" in done.out


def test_explain_verb(run: Run) -> None:
    from looptx.directives import VERBS

    for verb in VERBS:
        done = run("explain", verb)
        assert done.status == 0, done.err
        assert verb in done.out


def test_explain_what_is_unknown(run: Run) -> None:
    done = run("explain", "splt")
    assert done.status == 2
    assert "did you mean `split`?" in done.err


def test_doctor(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "cache"))
    done = run("doctor")
    assert done.status in (0, 1)
    for word in ("Python", "numpy", "Cython", "compiler", str(tmp_path / "cache")):
        assert word in done.out


def test_doctor_without_a_compiler(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    done = run("doctor")
    assert done.status == 1
    assert "/nonexistent/cc" in done.out


def test_cache(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "cache"))
    assert run("cache", "dir").out == f"{tmp_path / 'cache'}\n"
    done = run("cache", "clear")
    assert (done.status, done.out) == (0, "removed 0 compiled nests (0.0 MiB)\n")
