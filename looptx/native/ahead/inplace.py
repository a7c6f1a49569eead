"""An annotated file built into an extension module beside it (``looptx build``)."""

from __future__ import annotations

import hashlib
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from looptx.errors import LooptxError, Malformed, Place
from looptx.model.program import Directive
from looptx.model.records import dataclass
from looptx.native import runtime
from looptx.native.ahead.extension import DEFAULT, Ahead, extension_text, module_name
from looptx.native.cache import store
from looptx.native.compile import build, keys, link
from looptx.native.compile import compiler as cc
from looptx.native.diagnostics import bug_reports
from looptx.native.diagnostics.records import error_from, record_of


@dataclass(frozen=True, slots=True)
class InPlace:
    """A built file.

    Attributes:
        library: the extension module.
        nests: the names of the nests in it.
        left, ordered: as in ``Ahead``.
        fresh: whether it was built now; else it was up to date.
    """

    library: Path
    nests: tuple[str, ...]
    left: tuple[LooptxError, ...]
    ordered: tuple[LooptxError, ...]
    fresh: bool


def build_file(
    path: Path,
    text: str,
    *,
    dtypes: Sequence[str] = DEFAULT,
    native: bool = False,
    directives: dict[str, Sequence[Directive]] | None = None,
    directory: Path | None = None,
) -> InPlace:
    """Build the extension module of an annotated file.

    What was built from what is kept in the cache: a module that is still there and
    would come out the same is left as it is.

    Args:
        path: the file; its packages give the module's name.
        text: its decoded source.
        dtypes: the element types to compile for where annotations say none.
        native: tune for this machine's processor.
        directives: directives from outside the file, by qualified name.
        directory: of the module, instead of that of the file.

    Returns:
        The module, built now or up to date, and what became of each nest.

    Raises:
        LooptxError: the proof refuses, the build fails, or LX404 when the module
            cannot be written.
    """
    name = module_name(path)
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    target = (directory or path.parent) / f"{path.stem}{suffix}"
    wide = str(runtime.vector_bytes() if native else 0)
    key = keys.module_key(
        (os.path.abspath(path), os.path.abspath(target), name, text),
        (*dtypes, repr(sorted((directives or {}).items())), wide),
        (*cc.REQUIRED, *cc.optional(vectors=True, native=native)),
    )
    found = _found(target, str(path), store.load_record(key) or {})
    if found is not None:
        return found
    made = extension_text(
        text, str(path), dtypes=dtypes, directives=directives, native=native
    )
    _build(made, name, target, native)
    nests = tuple(nest.label for nest in made.nests)
    built = InPlace(target, nests, made.left, made.ordered, fresh=True)
    store.save_record(key, _record(built))
    return built


def _build(made: Ahead, name: str, target: Path, native: bool) -> None:
    """Compile a module to where it belongs.

    Args:
        made: its text, and what is in it. name: of the module.
        target: the file to write. native: as for ``build_file``.

    Raises:
        LooptxError: the build fails, or LX404.
    """
    cc.find()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="looptx-") as private,
            bug_reports.kept(Path(private)),
        ):
            source = build.cythonize(made.text, name, Path(private))
            library = Path(private, "module.so")
            optional = (*cc.optional(vectors=made.vectors, native=native), *cc.TILES)
            link.link(source, library, cc.REQUIRED, optional, openmp=made.openmp)
            _place(library, target)
    except OSError as error:
        raise _unwritable(target, error) from None


def _record(built: InPlace) -> dict[str, object]:
    """The record of a built module, read by ``_found``."""
    return {
        "sha256": _sum(built.library),
        "nests": built.nests,
        "left": [record_of(error) for error in built.left],
        "ordered": [record_of(error) for error in built.ordered],
    }


def _found(target: Path, source: str, record: Mapping[str, Any]) -> InPlace | None:
    """The earlier build, from its record; None if the library is not that one."""
    try:
        if record.get("sha256") != _sum(target):
            return None
        nests = tuple(map(str, record["nests"]))
        left, ordered = (
            [error_from(one, source) for one in record[kind]]
            for kind in ("left", "ordered")
        )
    except (OSError, KeyError, TypeError):
        return None
    return InPlace(
        target,
        nests,
        tuple(error for error in left if error is not None),
        tuple(error for error in ordered if error is not None),
        fresh=False,
    )


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _place(library: Path, target: Path) -> None:
    """Move the finished library to its place, atomically."""
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(library, draft)
        draft.chmod(0o755)
        os.replace(draft, target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise _unwritable(target, error) from None


def _unwritable(target: Path, error: OSError) -> LooptxError:
    return Malformed(
        "LX404",
        f"the extension module cannot be written: {error.strerror}",
        Place(str(target), 1),
        hint="make the folder writable",
    )
