"""Directives outside the source: a directive file, or pyproject.toml above a file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from looptx.errors import LooptxError
from looptx.model.records import dataclass, field
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.language.files import Schedules
    from looptx.model.program import Directive

TABLE = b"looptx"


@dataclass(slots=True)
class Outside:
    """The directive file given on the command line, and what pyproject files say.

    Of the pyproject.toml files above a source file the nearest speaks.

    Attributes:
        given: what the directive file says.
        projects: what the pyproject.toml says that speaks for a folder.
        functions: those with loops in each file that was asked for; None where it is
            no Python.
    """

    given: Schedules | None = None
    projects: dict[Path, Schedules | None] = field(default_factory=dict)
    functions: dict[str, Collection[str] | None] = field(default_factory=dict)

    def of(self, path: Path) -> Mapping[str, Sequence[Directive]]:
        """The directives for the functions of a file.

        Raises:
            LooptxError: the pyproject.toml is malformed.
        """
        found: dict[str, Sequence[Directive]] = {}
        whole = path.absolute()
        sources = [s for s in (self._project(whole.parent), self.given) if s]
        for source in sources:
            for name, directives in source.of(str(whole)).items():
                found[name] = (*found.get(name, ()), *directives)
        if sources:
            self.functions[str(whole)] = _functions(whole)
        return found

    def _project(self, folder: Path) -> Schedules | None:
        if folder not in self.projects:
            page = folder / "pyproject.toml"
            if page.is_file():
                self.projects[folder] = _table(page)
            elif folder.parent != folder:
                self.projects[folder] = self._project(folder.parent)
            else:
                self.projects[folder] = None
        return self.projects[folder]

    def unused(self) -> list[LooptxError]:
        """An error for each source with an entry that names no function.

        The entries of a project also mean files that were not asked for: of these only
        such count as name a file that was.
        """
        errors: list[LooptxError] = []
        for source in dict.fromkeys((*self.projects.values(), self.given)):
            try:
                if source is not None:
                    source.check_used(self.functions, all_files=source is self.given)
            except LooptxError as error:
                errors.append(error)
        return errors


def outside(directive_file: str | None) -> Outside:
    """What ``--directives FILE`` says, if anything; pyproject files are read as needed.

    Raises:
        LooptxError: the file cannot be read or is malformed.
    """
    if directive_file is None:
        return Outside()
    from looptx.language.files import load

    return Outside(load(Path(directive_file)))


def _table(page: Path) -> Schedules | None:
    """The table of a pyproject.toml; most do not mention looptx and are not parsed."""
    try:
        if TABLE not in page.read_bytes():
            return None
    except OSError:
        return None
    from looptx.language.files import load

    found = load(page)
    return found if found.entries else None


def _functions(path: Path) -> Collection[str] | None:
    """The qualified names of the functions with loops in a file; None if unreadable."""
    from looptx.source.names.imports import own_nodes
    from looptx.validation.code import definitions

    try:
        found = list(definitions(parsed(path.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {
        name
        for name, function in found
        if any(isinstance(node, ast.For) for node in own_nodes(function))
    }
