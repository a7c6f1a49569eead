"""What a compiled nest depends on, as one digest: the name it is kept under.

Names are hexadecimal digits only; no text of a user becomes part of a path.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from looptx.errors import BuildFailed
from looptx.model.types import Type
from looptx.native import runtime
from looptx.native.cache import store
from looptx.native.compile import compiler as cc

MAKERS = ("Cython", "islpy")
"""The packages that, beside looptx, decide what the compiled code is."""


def digest(*parts: str) -> str:
    """The sha256 of some texts, as 64 hexadecimal digits; no two lists collide."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        whole.update(f"{len(data)}:".encode())
        whole.update(data)
    return whole.hexdigest()


def nest_key(
    kernel_key: str, label: str, types: Sequence[Type], flags: Sequence[str] = ()
) -> str:
    """The key of a compiled nest, and of the reason why there is none.

    Args:
        kernel_key: a digest of the function's text, its directives, what its global
            names mean, and ``fingerprint()``.
        label: which nest of the function.
        flags: the compiler's for this kernel alone (``fastmath``).
        types: of the values it reads. What names stand for besides modules and
            functions is passed as values, so no value is part of the code.
    """
    import numpy as np

    return digest(
        kernel_key,
        label,
        *map(str, types),
        machine(),
        np.__version__,
        compiler(),
        *cc.REQUIRED,
        *cc.OPTIONAL,
        *cc.GNU,
        *cc.VECTORS,
        *cc.TILES,
        *flags,
        str(runtime.vector_bytes()),
    )


def module_key(
    source: Sequence[str], options: Sequence[str], flags: Sequence[str]
) -> str:
    """The key of what is known of an extension module that was built beside its file.

    Args:
        source: the file, the module, and the text it is built from.
        options: the types to compile for, and directives from elsewhere.
        flags: the compiler's.
    """
    import numpy as np

    parts = (digest(*source), digest(*options), digest(*flags))
    made_by = (fingerprint(), machine(), np.__version__, compiler())
    return digest("module", *parts, *made_by)


def compiler() -> str:
    """The compiler in use, and the environment variables that it reads.

    Where there is none, the last one that was used here: what it compiled still runs.
    """
    asked = digest("compiler", machine(), *cc.environment())
    try:
        return digest(asked, *cc.identity(cc.find()))
    except BuildFailed:
        kept = store.load_record(asked) or {}
        return digest(asked, *map(str, kept.get("identity", ())))


def remember_compiler() -> None:
    """Record the compiler, so that cached code is found when there is none."""
    asked = digest("compiler", machine(), *cc.environment())
    record = {"identity": list(cc.identity(cc.find()))}
    if store.load_record(asked) != record:
        store.save_record(asked, record)


@functools.cache
def machine() -> str:
    """What compiled code depends on besides its text: Python, system, processor.

    With ``python -O`` there are no asserts. Code is tuned for the processor it was
    built on; a home directory shared by different machines must not hand it to another
    kind.
    """
    import platform

    parts = [
        ".".join(map(str, sys.version_info[:2])),
        str(__debug__),
        importlib.machinery.EXTENSION_SUFFIXES[0],
        platform.machine(),
    ]
    if "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", {}):
        parts.append(str(os.confstr("CS_GNU_LIBC_VERSION")))
    try:
        with open("/proc/cpuinfo", "rb") as file:
            block = file.read(1 << 14).split(b"\n\n")[0].decode("ascii", "replace")
        keep = ("model name", "flags", "Features", "CPU part")
        parts += [line for line in block.splitlines() if line.startswith(keep)]
    except OSError:
        parts += [platform.processor(), platform.node()]
    return digest(*parts)


@functools.cache
def fingerprint() -> str:
    """A digest of looptx's own source and of the packages that do its work."""
    home = str(Path(__file__).resolve().parents[2])
    parts = list(map(package, MAKERS))
    for folder, inner, names in os.walk(home):
        place = folder[len(home) + 1 :]
        inner[:] = sorted({*inner} - {"__pycache__", *([] if place else ["cli"])})
        for name in sorted(names):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb", buffering=0) as file:
                    content = hashlib.sha256(file.read()).hexdigest()
                parts += [place, name, content]
    return digest(*parts)


@functools.cache
def package(name: str) -> str:
    """Which build of a package is installed, without importing it.

    An installer keeps the digests of all files in ``RECORD``. ``importlib.metadata``
    would find it too, and its import costs more than everything else on the way to a
    kept nest; it is asked where there is no such file.
    """
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return "none"
    site = Path(spec.origin).parent.parent
    found = [
        record
        for entry in sorted(os.listdir(site))
        if entry.lower().startswith(f"{name.lower()}-")
        and entry.endswith(".dist-info")
        and (record := site / entry / "RECORD").is_file()
    ]
    if found:
        return digest(*(hashlib.sha256(one.read_bytes()).hexdigest() for one in found))
    from importlib import metadata

    try:
        return str(metadata.version(name))
    except Exception:
        # Of a package without metadata ``importlib_metadata``, which stands in for it
        # once it is imported, by setuptools too, says FileNotFoundError, KeyError or
        # TypeError.
        return "unknown"
