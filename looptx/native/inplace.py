"""An annotated file built into an extension module beside it (``looptx build``)."""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from looptx.errors import LooptxError, Malformed, Place
from looptx.model.program import Directive
from looptx.native import build, failed
from looptx.native import compiler as cc
from looptx.native.ahead import DEFAULT, Ahead, extension_text, module_name


@dataclass(frozen=True, slots=True)
class InPlace:
    """A built file: the extension module, and what is in it."""

    library: Path
    ahead: Ahead


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

    Args:
        path: the file; its packages give the module's name.
        text: its decoded source.
        dtypes: the element types to compile for where annotations say none.
        native: tune for this machine's processor.
        directives: directives from outside the file, by qualified name.
        directory: where the module goes, instead of beside the file.

    Raises:
        LooptxError: the proof refuses, the build fails, or LX404 when the module
            cannot be written.
    """
    name = module_name(path)
    made = extension_text(text, str(path), dtypes=dtypes, directives=directives)
    cc.find()
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    target = (directory or path.parent) / f"{path.stem}{suffix}"
    optional = [*cc.OPTIONAL, "-w", *([cc.native_flag()] if native else [])]
    try:
        with (
            tempfile.TemporaryDirectory(prefix="looptx-") as private,
            failed.kept(Path(private)),
        ):
            source = build.cythonize(made.text, name, Path(private))
            library = Path(private, "module.so")
            build.link(source, library, cc.REQUIRED, optional, openmp=made.openmp)
            _place(library, target)
    except OSError as error:
        raise _unwritable(target, error) from None
    return InPlace(target, made)


def _place(library: Path, target: Path) -> None:
    """Put the finished library where it belongs, all at once."""
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
