"""A whole annotated module as the text of one extension module, built ahead of time.

The extension is named like the module and takes its place at import. It runs the
module's own source, as Python, with native calls in front of the annotated nests: all
that is no loop nest keeps its meaning to the last detail, whatever Python it uses. The
text carries a copy of ``runtime``; neither looptx nor Cython is needed to run it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from looptx.deep import deeply
from looptx.errors import BuildFailed, LooptxError, Malformed, Place, Unsupported
from looptx.model.types import ArrayType, Type
from looptx.native import runtime
from looptx.native.analysis.function import NestInfo, nest_info
from looptx.native.compile.build import LOCK, wants_openmp
from looptx.native.diagnostics.notes import CODE, in_order

if TYPE_CHECKING:
    from looptx.directives.base import Verb
    from looptx.emit.cython import Section
    from looptx.model.program import Directive, Kernel, Nest
    from looptx.source import Module

DEFAULT = ("float64",)

_START = """

def _looptx_start():
    import os
    names = {{"__name__": "looptx runtime"}}
    exec(compile({runtime!r}, "<looptx runtime>", "exec"), names)
    Chain = names["Chain"]
    calls = {{
{calls}
    }}
    filename = os.path.join(os.path.dirname(os.path.abspath(__file__)), {name!r})
    names["run_module"]({source!r}, filename, {sites!r}, calls, globals())


_looptx_start()
"""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What becomes of an annotated module.

    Attributes:
        text: the Cython text of the extension module.
        nests: the nests that run natively.
        left: why other nests stay Python, of those that were to be native.
        ordered: what was asked of nests and is not carried out, LX505.
        openmp: whether a loop is parallel.
    """

    text: str
    nests: tuple[NestInfo, ...]
    left: tuple[LooptxError, ...]
    ordered: tuple[LooptxError, ...]
    openmp: bool


def extension_text(
    text: str,
    filename: str,
    *,
    dtypes: Sequence[str] = DEFAULT,
    directives: dict[str, Sequence[Directive]] | None = None,
) -> Ahead:
    """Turn the source of an annotated module into an extension module.

    Args:
        text: the module's source.
        filename: its path, for errors; its last part is shown in tracebacks.
        dtypes: the element types to compile for where annotations say none.
        directives: directives from outside the file, by qualified name.

    Raises:
        LooptxError: a directive is malformed or refused, or no nest can be compiled.
    """
    from looptx import source
    from looptx.emit.cython import module_text
    from looptx.rewriting import undecorated

    with LOCK:
        module = source.read(text, filename)
        functions: list[Section] = []
        sites: list[runtime.Site] = []
        chains: list[str] = []
        nests: list[NestInfo] = []
        left: list[LooptxError] = []
        ordered: list[LooptxError] = []
        for kernel in module.kernels:
            if kernel.decorated:
                left += module.left_out.get(kernel.qualname, ())
        for kernel, nest, verbs in _annotated(module, directives or {}):
            number = len(sites)
            info = nest_info(kernel, nest, verbs)
            names: list[str] = []
            try:
                for types in _variants(kernel, nest, dtypes):
                    name = f"_looptx_{number}_{len(names)}"
                    functions.append(_function(kernel, nest, verbs, types, name))
                    names.append(name)
            except LooptxError as error:
                if error.code not in ("LX503", "LX504"):
                    raise
                if not names:
                    left.append(error)
                    continue
            call = f"_looptx_{number}"
            sites.append(info.site(call))
            chains.append(
                f"        {call!r}: Chain(({', '.join(names)},), {info.parallel}),"
            )
            nests.append(info)
            reasons = (in_order(one.text, 0) for one in functions[-len(names) :])
            reason = next(filter(None, reasons), "")
            if reason:
                place = Place(filename, info.line)
                ordered.append(BuildFailed(CODE, f"{info.label} {reason}", place))
        if not sites:
            raise left[0] if left else _nothing(filename)
        start = _START.format(
            runtime=inspect.getsource(runtime),
            calls="\n".join(chains),
            name=Path(filename).name,
            source=undecorated(module),
            sites=tuple(tuple(site) for site in sites),
        )
        whole = module_text(functions) + start
    openmp = wants_openmp(whole)
    return Ahead(whole, tuple(nests), tuple(left), tuple(ordered), openmp)


def _nothing(filename: str) -> LooptxError:
    return Malformed(
        "LX107",
        "the file has no annotated nest",
        Place(filename, 1),
        hint="write a directive such as `# looptx: parallel i` above a loop",
    )


def _annotated(
    module: Module, directives: dict[str, Sequence[Directive]]
) -> Iterable[tuple[Kernel, Nest, Sequence[Verb]]]:
    """The nests with directives, and all nests of functions decorated without any."""
    from looptx import source
    from looptx.scope import assign

    for kernel in module.kernels:
        given = tuple(directives.get(kernel.qualname, ()))
        if kernel.decorated:
            given = (*source.decorator_directives(module, kernel), *given)
        for nest, verbs in assign(kernel, given):
            if verbs or (kernel.decorated and not nest.applied):
                yield kernel, nest, verbs


def _variants(
    kernel: Kernel, nest: Nest, dtypes: Sequence[str]
) -> Iterable[tuple[Type, ...]]:
    """The types to compile a nest for: contiguous arrays, and then any strides.

    What an annotation says is exact where it says ``::1``.

    Raises:
        Unsupported: LX503 where types are missing, or one is misspelt.
    """
    from looptx.lower.types import from_annotation, is_shaped
    from looptx.native.analysis.signature import live_types

    known = {
        name: kind
        for name, text in kernel.parameters
        if text and (kind := from_annotation(text)) is not None
    }
    used = {name.partition(".")[0] for name in nest.live_in}
    for name, text in kernel.parameters:
        if name in used - set(known) and is_shaped(text):
            raise Unsupported(
                "LX503",
                f"`{text}`, the annotation of `{name}`, is no type that is compiled",
                kernel.place,
                hint="write, for example, float64[:, :], float32[:] or int64[:]",
            )
    exact = {
        name
        for name, kind in known.items()
        if isinstance(kind, ArrayType) and kind.layout != "A"
    }
    seen: list[tuple[Type, ...]] = []
    for dtype in dtypes:
        types = live_types(kernel, nest, known, dtype)
        strided = tuple(
            (
                replace(kind, layout="A")
                if isinstance(kind, ArrayType) and name not in exact
                else kind
            )
            for name, kind in zip(nest.live_in, types, strict=True)
        )
        seen += [one for one in (types, strided) if one not in seen]
    return seen


def _function(
    kernel: Kernel,
    nest: Nest,
    verbs: Sequence[Verb],
    types: tuple[Type, ...],
    name: str,
) -> Section:
    """One version of a nest in Cython."""
    from looptx.native.analysis.exception_order import nest_text
    from looptx.plan import plan_nest

    known = dict(zip(nest.live_in, types, strict=True))

    def text() -> Section:
        planned = plan_nest(nest, verbs, kernel.names, known)
        return nest_text(planned, known, name, kernel.imports)

    return deeply(text)


def module_name(path: Path) -> str:
    """The dotted name of a file's module, by the packages it lies in.

    Raises:
        BuildFailed: LX502 when a part is no identifier, or the file is an ``__init__``.
    """
    parts = [path.stem]
    folder = path.absolute().parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    if path.stem == "__init__" or not all(part.isidentifier() for part in parts):
        raise BuildFailed(
            "LX502",
            f"`{path.name}` cannot become an extension module",
            Place(str(path), 1),
            hint="move the kernels to a module with an ordinary name",
        )
    return ".".join(parts)
