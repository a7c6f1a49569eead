"""Directives kept outside the source, for code that cannot be edited.

Two forms say the same. In ``pyproject.toml``::

    [tool.looptx.schedules]
    "src/mm.py::matmul" = ["tile i=32 j=32", "parallel i"]
    "Solver.sweep" = "skew i t | parallel i"

and in a directive file of its own, where every line has a place of its own::

    # anything behind a `#` at the start of a line
    [src/mm.py::matmul]
    tile i=32 j=32
    parallel i

A key is a function's qualified name, alone or behind the end of its file's path.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from looptx.errors import Malformed, Place
from looptx.language.words import is_dotted, shorten
from looptx.model.lines import NEWLINE
from looptx.model.program import Directive
from looptx.model.records import dataclass

LARGEST = 1_000_000
"""Bytes of a file beyond which it is not read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The directives for one function; ``file`` is empty when any file will do."""

    file: str
    qualname: str
    directives: tuple[Directive, ...]
    place: Place

    def matches(self, file: str) -> bool:
        """Whether the entry speaks of ``file`` (compared from the end of its path)."""
        own = self.file.split("/")
        return not self.file or Path(file).as_posix().split("/")[-len(own) :] == own


@dataclass(frozen=True, slots=True)
class Schedules:
    """All entries of the files that were read, in order."""

    entries: tuple[Entry, ...] = ()

    def of(self, file: str) -> dict[str, tuple[Directive, ...]]:
        """``{qualified name: directives}`` for one source file."""
        found: dict[str, tuple[Directive, ...]] = {}
        for entry in self.entries:
            if entry.matches(file):
                before = found.get(entry.qualname, ())
                found[entry.qualname] = (*before, *entry.directives)
        return found

    def check_used(
        self, functions: Mapping[str, Collection[str] | None], *, all_files: bool
    ) -> None:
        """Check that the entries name functions.

        Args:
            functions: the qualified names in every file that was read; None for one
                that is no Python.
            all_files: whether the entries are meant for these files alone. Else only
                those that name one of the files are checked.

        Raises:
            Malformed: LX104 at the first entry that names none.
        """
        for entry in self.entries:
            found = [names for file, names in functions.items() if entry.matches(file)]
            if not all_files and not (entry.file and found):
                continue
            if not any(names is None or entry.qualname in names for names in found):
                where = f" in {entry.file}" if entry.file else ""
                raise Malformed(
                    "LX104",
                    f"no function `{entry.qualname}` with loops was found{where}",
                    entry.place,
                    hint="a key is `path.py::function` or `Class.method`",
                )


def load(path: Path) -> Schedules:
    """Read a directive file, or the table of a ``.toml`` file.

    Raises LX401 for a file that cannot be read or is no TOML, LX402 for one that is
    not UTF-8, LX102 for anything in it that is no key or no directive text.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise Malformed(
            "LX401",
            f"cannot read {name}: {error.strerror or error}",
            Place(name, 1),
            hint="check the path",
        ) from None
    if len(data) > LARGEST:
        message = f"{name} is too large for a directive file"
        raise Malformed("LX401", message, Place(name, 1), hint="check the path")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = f"{name} is not UTF-8 text"
        raise Malformed(
            "LX402", message, Place(name, 1), hint="save it as UTF-8"
        ) from None
    return parse_toml(text, name) if path.suffix == ".toml" else parse_lines(text, name)


def parse_lines(text: str, name: str) -> Schedules:
    """The entries of a directive file's text. Raises LX102."""
    entries: list[Entry] = []
    for number, line in enumerate(NEWLINE.split(text), 1):
        content = line.strip()
        place = Place(name, number, len(line) - len(line.lstrip()) + 1)
        if not content or content.startswith("#"):
            continue
        if content.startswith("["):
            key = content[1:-1] if content.endswith("]") else ""
            entries.append(Entry(*_key(key, place, line), (), place))
        elif not entries:
            raise Malformed(
                "LX102",
                "a directive stands before the first `[function]`",
                place,
                hint="write `[path.py::function]` above it",
                source=line,
            )
        else:
            last = entries[-1]
            directives = (*last.directives, Directive(content, place, line))
            entries[-1] = Entry(last.file, last.qualname, directives, last.place)
    return Schedules(tuple(entries))


def parse_toml(text: str, name: str) -> Schedules:
    """The entries of ``[tool.looptx.schedules]``. Raises LX401, LX102."""
    try:
        table: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number may be too long, too
        message = f"{name} is not valid TOML: {shorten(str(error))}"
        raise Malformed("LX401", message, Place(name, 1), hint="correct it") from None
    for step in ("tool", "looptx", "schedules"):
        table = table.get(step, {}) if isinstance(table, Mapping) else None
    lines = NEWLINE.split(text)
    if not isinstance(table, Mapping):
        raise Malformed(
            "LX102",
            "`tool.looptx.schedules` is not a table",
            _where(lines, "schedules", name)[0],
            hint='write `"path.py::function" = ["tile i=32"]` in it',
        )
    entries = []
    for key, value in table.items():
        place, source = _where(lines, key, name)
        file, qualname = _key(key, place, source)
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
            raise Malformed(
                "LX102",
                f"the value of `{shorten(key)}` is not a list of directives",
                place,
                hint='write, for example, `["tile i=32", "parallel i"]`',
                source=source,
            )
        directives = tuple(
            Directive(one, *_where(lines, one, name, place.line)) for one in texts
        )
        entries.append(Entry(file, qualname, directives, place))
    return Schedules(tuple(entries))


def _key(key: str, place: Place, source: str) -> tuple[str, str]:
    """The file and the qualified name of a key. Raises LX102."""
    file, found, qualname = key.rpartition("::")
    if not is_dotted(qualname.replace(".<locals>", "")) or (found and not file):
        raise Malformed(
            "LX102",
            f"`{shorten(key)}` names no function",
            place,
            hint="write `path.py::function`, or `function`, or `Class.method`",
            source=source,
        )
    return file.replace("\\", "/").removeprefix("./"), qualname


def _where(lines: list[str], text: str, name: str, first: int = 1) -> tuple[Place, str]:
    """The place of ``text`` from line ``first`` on, and its line."""
    for number, line in enumerate(lines[first - 1 :], first):
        column = line.find(text)
        if column >= 0:
            return Place(name, number, column + 1), line
    return Place(name, first), lines[first - 1] if first <= len(lines) else ""
