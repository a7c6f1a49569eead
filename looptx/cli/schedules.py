"""Directives outside the source: a directive file, or pyproject.toml above a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from looptx.errors import LooptxError

if TYPE_CHECKING:
    from looptx.language.files import Schedules
    from looptx.model.program import Directive

TABLE = b"looptx"


@dataclass(slots=True)
class Outside:
    """The directive file given on the command line, and what pyproject files say.

    Of the pyproject.toml files above a source file the nearest speaks.
    """

    given: Schedules | None = None
    projects: dict[Path, Schedules | None] = field(default_factory=dict)

    def of(self, path: Path) -> Mapping[str, Sequence[Directive]]:
        """The directives for the functions of a file.

        Raises:
            LooptxError: the pyproject.toml is malformed.
        """
        found: dict[str, Sequence[Directive]] = {}
        folder = path.absolute().parent
        for source in (self._project(folder), self.given):
            if source is not None:
                for name, directives in source.of(str(path.absolute())).items():
                    found[name] = (*found.get(name, ()), *directives)
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

    def unused(self, functions: Iterable[tuple[Path, str]]) -> list[LooptxError]:
        """An error for the entries of the given file that name no function.

        Args:
            functions: every file that was read with the functions in it.
        """
        if self.given is None:
            return []
        try:
            self.given.check_used(
                (str(path.absolute()), name) for path, name in functions
            )
        except LooptxError as error:
            return [error]
        return []


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
