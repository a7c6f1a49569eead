"""The ways by which a text comes into looptx."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import json
import os
import re
import shutil
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.text import imports as text_imports
from fuzz.text.cases import Case
from looptx.errors import LooptxError, Place

if TYPE_CHECKING:
    from looptx.cli import batch

Problem = tuple[str, str]

CHECKED_TWICE = 8
"""Of so many accepted texts one is transformed again."""

CYTHONIZED = 150
"""Of so many accepted texts Cython translates one."""

NO_COMPILER = "/nonexistent/cc"


@dataclass
class Seen:
    """What came back.

    Attributes:
        errors: the errors.
        files: what they may speak of, by name.
        cython: the generated text, if there is one.
        problems: what else is wrong.
        apart: seconds that the checks took.
        printed: what a command said.
    """

    errors: tuple[LooptxError, ...]
    files: dict[str, bytes]
    cython: str = ""
    problems: tuple[Problem, ...] = ()
    apart: float = 0.0
    printed: str = ""

    @property
    def code(self) -> str:
        """The code of the first error, ``""`` where there is none."""
        if self.errors:
            return self.errors[0].code
        found = re.search(r"\bLX\d{3}\b", self.printed)
        return found[0] if found else ""


def _file(case: Case, folder: Path) -> Seen:
    """A file's bytes, as ``looptx transform`` reads them."""
    from looptx.cli import batch, files

    target = files.Target(Path(case.name), Path(case.name), named=True)
    to = "cython" if case.entry == "cython" else "python"
    report = batch.work(batch.Job(target, to, data=case.data))
    seen = Seen(report.result.errors, {case.name: case.data})
    problems: list[Problem] = []
    start = time.process_time()
    if report.result.errors and report.after not in (b"", report.before):
        problems.append(("changes a text that has errors", case.name))
    if report.result.changed and to == "cython":
        seen.cython = report.result.text
        problems += _cythonized(case, report.result.text, folder)
    if report.result.changed and to == "python":
        problems += text_imports.lost(case.data, report.after)
    if case.kind == "spelled":
        usual = batch.work(batch.Job(target, to, data=case.beside))
        problems += _same(report, usual)
    if report.result.changed and to == "python" and case.seed % CHECKED_TWICE == 0:
        again = batch.work(batch.Job(target, to, data=report.after))
        if again.result.changed or again.result.errors:
            said = again.result.errors[0] if again.result.errors else again.result.text
            problems.append(("transforms its own result", str(said)[:500]))
    seen.apart = time.process_time() - start
    seen.problems = tuple(problems)
    return seen


def _same(one: batch.Report, two: batch.Report) -> Iterator[Problem]:
    """Whether two texts become the same, but for letters and hashes."""
    codes = [[error.code for error in each.result.errors] for each in (one, two)]
    if codes[0] != codes[1]:
        yield "takes other letters for other names", f"{codes[0]}, not {codes[1]}"
    elif ast.dump(ast.parse(one.after)) != ast.dump(ast.parse(two.after)):
        yield "writes something else for other letters", one.after.decode()


def _text(case: Case, _: Path) -> Seen:
    """A text that is no file, with half characters where bytes are no text."""
    from looptx.cli.text import transform_text

    text = case.data.decode("utf-8", "surrogateescape")
    result = transform_text(text, case.name)
    changed = result.errors and (result.changed or result.text != text)
    problems = (("changes a text that has errors", case.name),) if changed else ()
    return Seen(result.errors, {case.name: case.data}, problems=problems)


def _ahead(case: Case, folder: Path) -> Seen:
    """The text of an extension module."""
    from looptx.native.ahead.extension import extension_text
    from looptx.source.text.encoding import decode

    known = {case.name: case.data}
    try:
        made = extension_text(decode(case.data, case.name).text, case.name)
    except LooptxError as error:
        return Seen((error, *error.also), known)
    start = time.process_time()
    problems = _cythonized(case, made.text, folder)
    spent = time.process_time() - start
    return Seen(made.left, known, made.text, tuple(problems), spent)


def _cythonized(case: Case, text: str, folder: Path) -> Iterator[Problem]:
    """Whether Cython takes the text, for one in many."""
    from looptx.native.compile.build import cythonize

    if case.seed % CYTHONIZED:
        return
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            cythonize(text, "k", folder)
    except LooptxError as error:
        yield "writes what Cython refuses", "\n".join(map(str, error.detail))[:600]


def _parse(case: Case, _: Path) -> Seen:
    """A directive; what it means written out means the same."""
    from looptx.directives import parse
    from looptx.model.program import Directive

    text = case.data.decode("utf-8", "surrogatepass")
    mark = "# looptx: "
    known = {"k.py": b"\n" * 11 + mark.encode() + case.data.replace(b"\n", b" ")}
    place = Place("k.py", 12, len(mark) + 1)
    try:
        verbs = parse(Directive(text, place, mark + text))
    except LooptxError as error:
        return Seen((error,), known)
    again = [one for v in verbs for one in parse(Directive(v.text, place))]
    problems = () if again == list(verbs) else (("reads its own text otherwise", text),)
    return Seen((), known, problems=problems)


def _kernel(case: Case, folder: Path) -> Seen:
    """A directive in a decorator, up to where the compiler would be called."""
    import looptx
    from looptx.decorator import Kernel

    path = folder / f"kernels_{case.seed}.py"
    path.write_bytes(re.sub(rb"(?m)^( *)# looptx:.*$", rb"\1#", case.beside))
    known = {str(path): path.read_bytes()}
    module = _imported(path)
    text = case.data.decode("utf-8", "surrogatepass")
    errors: list[LooptxError] = []
    with contextlib.redirect_stderr(io.StringIO()):
        for function in vars(module).values():
            if isinstance(function, types.FunctionType | Kernel):
                try:
                    looptx.kernel(text)(function).inspect_python()
                except LooptxError as error:
                    errors += [error, *error.also]
    return Seen(tuple(errors), known)


def _imported(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with contextlib.suppress(ImportError, NameError, SyntaxError):
        spec.loader.exec_module(module)
    return module


def _page(case: Case, folder: Path) -> Seen:
    """A directive file beside a source file."""
    from looptx.cli.text import transform_text
    from looptx.language.files import load

    path = folder / case.page
    path.write_bytes(case.data)
    known = {case.name: case.beside, str(path): case.data}
    try:
        schedules = load(path)
        text = case.beside.decode()
        result = transform_text(text, case.name, schedules=schedules.of(case.name))
        schedules.check_used({case.name: result.functions}, all_files=True)
    except LooptxError as error:
        return Seen((error,), known)
    return Seen(result.errors, known)


def _command(case: Case, folder: Path) -> Seen:
    """The command line, with files of odd names."""
    from looptx import cli

    text = case.data.decode("utf-8", "surrogateescape").replace("\0", "")
    named = {"{}": os.path.join(".", case.name), "{page}": case.page}
    if case.words[0] == "explain":
        words = ["explain", "--", case.words[1].replace("{}", text)]
    else:
        words = [named.get(w, w.replace("{}", named["{}"])) for w in case.words]
        (folder / case.name).write_bytes(case.source)
        if case.page:
            (folder / case.page).write_bytes(case.data)
    out, err = _stream("strict"), _stream("backslashreplace")
    stdin = types.SimpleNamespace(buffer=io.BytesIO(case.source))
    before = (sys.stdin, os.getcwd(), os.environ.get("CC"))
    os.chdir(folder)
    os.environ["CC"] = NO_COMPILER
    sys.stdin = stdin
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(words)
    finally:
        sys.stdin = before[0]
        os.chdir(before[1])
        os.environ.pop("CC")
        if before[2] is not None:
            os.environ["CC"] = before[2]
    start = time.process_time()
    problems = tuple(_told(case, folder, status, _got(out), _got(err)))
    return Seen((), {}, "", problems, time.process_time() - start, _got(err))


def _stream(errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", errors)


def _got(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8", "replace")


def _told(
    case: Case, folder: Path, status: int, out: str, err: str
) -> Iterator[Problem]:
    """What is wrong with what a command said and did."""
    said = f"{' '.join(case.words)}: {err[:500]}"
    if status not in (0, 1, 2):
        yield "ends with another status", f"{status} {said}"
    if "LX901" in err or "Traceback (most recent call last)" in err:
        yield "tells of an internal error", said
    if not err.replace("\n", "").replace("\t", "").isprintable():
        yield "prints unprintable characters", repr(said)
    if status and not (err.strip() or out.strip()):
        yield "fails in silence", said
    if "github" in case.words:
        for line in err.splitlines():
            if not line.startswith("::"):
                yield "prints another line for GitHub", line
                break
    if "json" in case.words:
        try:
            json.loads(out)
        except ValueError:
            yield "prints no JSON", out[:300]
    written = folder / case.name
    if case.words[0] == "explain":
        return
    changed = written.read_bytes() != case.source
    if changed and (status or "--write" not in case.words):
        yield "changes a file that it must not change", said
    for entry in os.listdir(folder):
        if entry not in (case.name, case.page, "out", "out.svg", "out.html"):
            yield "leaves a file behind", f"{entry} {said}"


ENTRIES: dict[str, Callable[[Case, Path], Seen]] = {
    "file": _file,
    "cython": _file,
    "text": _text,
    "ahead": _ahead,
    "parse": _parse,
    "kernel": _kernel,
    "page": _page,
    "command": _command,
}


def emptied(folder: Path) -> None:
    """Remove what a case has left in its folder."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
