"""The manual's pages as examples: blocks of code and what looptx makes of them.

A fenced ``python`` block with a directive is a *before*. The block behind it is what
``looptx transform`` prints for it: a ``python`` block is the rewritten text, without
the line that records what was applied; a ``text`` block is the error; a ``console``
block is what commands print, run where the *before* is the file ``PAGE.py``. A
``console`` block may also stand alone. Any other ``text`` block lists errors with a
blank line between them; each names, in its second line, the directive that was put in
the place of the first one of the page's first block.

A page of an error ends with the mended *before*, which looptx takes without the error.

Run as a script, this writes what looptx says today into the pages::

    python tests/pages.py [PAGE...]
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from looptx import cli
from looptx.cli.text import transform_text
from looptx.errors import CODES

FOLDER = Path(__file__).parents[1] / "directives"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)$", re.MULTILINE)
SHELL = re.compile(r"[|;&<>$`'\"*=\n]")
DIRECTIVE = re.compile(r"# looptx: (?!applied)(.*)")
NOTE = r"on trust: |(?:temp|scratch|cache) [^|\n]*: "
APPLIED = re.compile(rf"^ *# looptx: applied (?!{NOTE}).*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """A block of a page and what it becomes, as the page shows it.

    Attributes:
        page: the name of the page.
        before: the annotated text.
        kind: ``"python"`` where ``shown`` is the rewritten text, ``"text"`` where it is
            an error, ``"console"`` where it is commands with what they print, and
            ``"mended"`` where nothing is shown, because nothing is wrong any more.
        span: where in the page ``shown`` stands.
        commands: of the page's ``console`` block, for that and for the mended text.
    """

    page: str
    before: str
    kind: str
    shown: str
    span: tuple[int, int]
    commands: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = " | ".join(DIRECTIVE.findall(self.before))
        return f"{self.page}: {self.kind}: {text}"

    @property
    def printed(self) -> str:
        """What looptx makes of ``before`` now, in the form of the page.

        Raises:
            ValueError: a refusal where the page shows loops, or the other way round, or
                an internal error; or the mended text still has the page's error.
        """
        if self.commands:
            printed = run(self.commands, f"{self.page}.py", self.before)
            if self.kind == "console":
                return printed
            if f" {self.page} " in printed:
                raise ValueError(f"{self}\n{printed}")
            return ""
        result = transform_text(self.before, f"{self.page}.py")
        errors = "\n".join(map(str, result.errors))
        wrong = any(error.code == "LX901" for error in result.errors)
        if wrong or bool(errors) != (self.kind == "text"):
            raise ValueError(f"{self}\n{errors or 'it is not refused'}")
        if self.kind == "mended":
            return ""
        return f"{errors}\n" if errors else APPLIED.sub("", result.text)


def run(commands: Sequence[str], name: str, text: str) -> str:
    """Shell commands, each with what it prints, in a folder that holds one file."""
    printed = []
    with tempfile.TemporaryDirectory() as folder:
        if text:
            Path(folder, name).write_text(text, encoding="utf-8")
        for command in commands:
            alone = command.startswith("looptx ") and not SHELL.search(command)
            said = (_called if alone else _started)(command, folder)
            printed.append(f"$ {command}\n{said}")
    return "".join(printed)


def _called(command: str, folder: str) -> str:
    """What looptx prints, in this process: to start one takes as long as all else."""
    first, last = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stderr(first),
        contextlib.redirect_stdout(last),
    ):
        cli.main(shlex.split(command)[1:])
    # A process would hold back what it prints until it ends.
    for stream in (first, last):
        stream.flush()
        stream.seek(0)
    return first.read() + last.read()


def _started(command: str, folder: str) -> str:
    """What the shell prints of a command."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", "-c", command.replace("\n> ", "\n")],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def place(page: str) -> Path:
    """Where a page is: those of errors have a folder of their own."""
    return FOLDER / ("errors" if page in CODES else "") / f"{page}.md"


def read(page: str) -> str:
    """The text of a page."""
    return place(page).read_text(encoding="utf-8")


def names() -> list[str]:
    """All pages of directives and of other topics."""
    found = sorted(path.stem for path in FOLDER.glob("*.md"))
    return [name for name in found if name != "README"]


def errors() -> list[str]:
    """All pages of error codes."""
    return sorted(path.stem for path in FOLDER.glob("errors/*.md"))


def examples(page: str, text: str) -> Iterator[Example]:
    """The examples of a page, in order."""
    first = before = ""
    commands: tuple[str, ...] = ()
    for block in FENCED.finditer(text):
        kind, code = block.groups()
        if kind == "python" and not before:
            first, before = first or code, code
        elif kind == "console":
            commands = tuple(match[1] for match in COMMAND.finditer(code))
            yield Example(page, before, kind, code, block.span(2), commands)
            before = ""
        elif before:
            yield Example(page, before, kind, code, block.span(2))
            before = ""
        else:
            for error in re.finditer(r"(?:.+\n)+", code):
                start, end = (block.start(2) + at for at in error.span())
                changed = with_directive(first, error.group())
                yield Example(page, changed, kind, error.group(), (start, end))
    if before and page in CODES:
        end = len(text)
        yield Example(page, before, "mended", "", (end, end), commands)
    elif before:
        raise ValueError(f"{page}: nothing stands behind the last block")


def with_directive(code: str, error: str) -> str:
    """``code`` with its first directive replaced by the one that ``error`` is about."""
    wrong = DIRECTIVE.search(error)
    if wrong is None:
        raise ValueError(f"no directive in: {error}")
    return DIRECTIVE.sub(lambda _: wrong.group(), code, count=1)


def refreshed(page: str, text: str) -> tuple[str, list[str]]:
    """The page with what looptx prints today, and what changed its kind and is kept."""
    parts: list[str] = []
    failures: list[str] = []
    done = 0
    for example in examples(page, text):
        start, end = example.span
        printed = example.shown
        try:
            printed = example.printed
        except ValueError as error:
            failures.append("\n  ".join(str(error).splitlines()[:2]))
        parts += [text[done:start], printed]
        done = end
    return "".join((*parts, text[done:])), failures


def main(pages: list[str]) -> int:
    """Refresh pages in place and name those that change; 1 if one could not be."""
    failures: list[str] = []
    for page in pages or (*names(), *errors()):
        old = read(page)
        new, failed = refreshed(page, old)
        failures += failed
        if new != old:
            place(page).write_text(new, encoding="utf-8")
            print(place(page).relative_to(FOLDER.parent))
    for failure in failures:
        print(f"not refreshed: {failure}", file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
