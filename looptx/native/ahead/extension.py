"""A whole annotated module as the text of one extension module, built ahead of time.

The extension is named like the module and takes its place at import. It runs the
module's own source, as Python, with native calls in front of the annotated nests: all
that is no loop nest keeps its meaning to the last detail, whatever Python it uses. The
text carries a copy of ``runtime``; neither looptx nor Cython is needed to run it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from looptx.errors import BuildFailed, LooptxError, Malformed, Place, Unsupported
from looptx.model.naming import drawn, told
from looptx.model.records import dataclass, field, replace
from looptx.model.types import ArrayType, Type
from looptx.native import chain, data, draws, runtime
from looptx.native.ahead import levels
from looptx.native.ahead.assigned import with_assigned
from looptx.native.ahead.listed import lists
from looptx.native.ahead.meanings import meant
from looptx.native.ahead.readings import Readings
from looptx.native.ahead.uses import unstated
from looptx.native.analysis.function import NOT_NATIVE, with_functions
from looptx.native.analysis.nest_info import NestInfo, nest_info
from looptx.native.compile.build import LOCK
from looptx.native.diagnostics.notes import CODE, NO_VECTORS
from looptx.parsers.deep import deeply
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.directives.base import Verb
    from looptx.emit.cython import Cython
    from looptx.model.program import Directive, Kernel, Nest
    from looptx.native.analysis.exception_order import NestCode
    from looptx.proof import Known
    from looptx.source import Module

DEFAULT = ("float64",)

_START = """

def _looptx_start():
    import os
    names = {{"__name__": "looptx runtime"}}
    for text in {texts}:
        exec(compile(text, "<looptx runtime>", "exec"), names)
    Chain, team, threads = names["Chain"], names["team"], names["threads"]
    globals()["__looptx_vector_bytes__"] = {vectors}
    chains = {{
{chains}
    }}
    calls = {{**chains, {given!r}: names["given"], {alone!r}: names["alone"]}}
    filename = os.path.join(os.path.dirname(os.path.abspath(__file__)), {name!r})
    names["run_module"]({source!r}, filename, {sites!r}, calls, globals())
    for chain in chains.values():
        chain.bind(globals())


_looptx_start()
"""

_CARRIED = data, runtime, chain

_CHOOSE = 'lx_choose(names["vector_bytes"]())'


@dataclass(frozen=True, slots=True)
class Ahead:
    """The result of compiling an annotated module ahead of time.

    Attributes:
        text: the Cython text of the extension module.
        nests: the nests that run natively.
        left: why other nests stay Python, of those that were to be native.
        ordered: what was asked for and is not carried out, LX505 to LX507.
        openmp: whether a loop is parallel.
        vectors: whether there are vectors in it.
    """

    text: str
    nests: tuple[NestInfo, ...]
    left: tuple[LooptxError, ...]
    ordered: tuple[LooptxError, ...]
    openmp: bool
    vectors: bool


def extension_text(
    text: str,
    filename: str,
    *,
    dtypes: Sequence[str] = DEFAULT,
    directives: dict[str, Sequence[Directive]] | None = None,
    native: bool = False,
) -> Ahead:
    """Turn the source of an annotated module into an extension module.

    Args:
        text: the module's source.
        filename: its path, for errors; its last part is shown in tracebacks.
        dtypes: the element types to compile for where annotations say none.
        directives: directives from outside the file, by qualified name.
        native: for this machine's processor alone; else with versions for several.

    Returns:
        The Cython text, and what became of each nest.

    Raises:
        LooptxError: a directive is malformed or refused, or no nest can be compiled.
    """
    from looptx.emit.cython import Portable, module_text
    from looptx.native.compile.tuned import tuned
    from looptx.rewriting import undecorated

    with LOCK:
        found = Readings.of(text, filename, (directives or {}).keys())
        target = tuned() if native else Portable
        made = _Made(filename, target)
        for module, kernel in found.kernels():
            made.enter(module, kernel, directives or {}, dtypes)
        if not made.sites:
            raise made.left[0] if made.left else _nothing(filename)
        start = _START.format(
            vectors=str(target.vector) if native else _CHOOSE,
            texts=tuple(map(inspect.getsource, made.carried)),
            given=runtime.GIVEN,
            alone=runtime.ALONE,
            chains="\n".join(made.chains),
            name=Path(filename).name,
            source=undecorated(found.whole),
            sites=tuple(map(tuple, made.sites)),
        )
        whole = module_text([code.section for code in made.codes]) + start
    return Ahead(
        whole,
        tuple(made.nests),
        tuple(made.left),
        tuple(made.ordered),
        openmp=any(code.parallel for code in made.codes),
        vectors=any(code.section.vector for code in made.codes),
    )


@dataclass(slots=True)
class _Made:
    """The parts of an extension module so far.

    Attributes:
        filename: as for ``extension_text``.
        target: what writes the functions.
        codes: the versions of its nests.
        sites: where they are called; chains: the text of what is called there.
        nests, left, ordered: as in ``Ahead``.
        carried: the modules whose text it carries.
    """

    filename: str
    target: type[Cython]
    codes: list[NestCode] = field(default_factory=list)
    sites: list[runtime.Site] = field(default_factory=list)
    chains: list[str] = field(default_factory=list)
    nests: list[NestInfo] = field(default_factory=list)
    left: list[LooptxError] = field(default_factory=list)
    ordered: list[LooptxError] = field(default_factory=list)
    carried: tuple[ModuleType, ...] = _CARRIED

    def enter(
        self,
        module: Module,
        kernel: Kernel,
        directives: dict[str, Sequence[Directive]],
        dtypes: Sequence[str],
    ) -> None:
        """Enter the nests of a function that are asked for.

        Args:
            module: the file. kernel: the function.
            directives, dtypes: as for ``extension_text``.

        Raises:
            LooptxError: a directive is malformed or refused.
        """
        functions, ordered = levels.asked(module, kernel)
        self.ordered += ordered
        if kernel.decorated:
            self.left += module.left_out.get(kernel.qualname, ())
        for nest, verbs in _annotated(module, kernel, directives):
            own = with_functions(nest) if functions else nest
            self.add(module, kernel, own, verbs, dtypes)

    def add(
        self,
        module: Module,
        kernel: Kernel,
        nest: Nest,
        verbs: Sequence[Verb],
        dtypes: Sequence[str],
    ) -> None:
        """Enter a nest with a version for each of the types it is compiled for.

        A nest that has no version is left as Python.

        Args:
            module: the file. kernel: the function. nest: of it.
            verbs: what schedules the nest. dtypes: as for ``extension_text``.

        Raises:
            LooptxError: the schedule is refused, or unknown.
        """
        info = nest_info(kernel, nest, verbs, -1, parsed(module.text))
        call = f"_looptx_{len(self.sites)}"
        found: list[NestCode] = []
        known: Known = {}
        try:
            for types in _variants(module, kernel, nest, info.held, dtypes):
                name = f"{call}_{len(found)}"
                found.append(self._code(kernel, nest, verbs, types, name, known))
        except LooptxError as error:
            if error.code not in NOT_NATIVE:
                raise
            error.message = told(error.message)
            if not found:
                self.left += [] if info.implied else [error]
                return
        entries = [f"{call}_{number}" for number in range(len(found))]
        if places := drawn(nest.given):
            self.carried = *_CARRIED, draws
            entries = [f"names['drawing']({one}, {places})" for one in entries]
        each = "".join(f"{one}, " for one in entries)
        threads = "team" if info.parallel else "threads"
        about = f"({each}), {threads}, {info.label!r}, {meant(module, kernel)}"
        self.chains.append(f"        {call!r}: Chain({about}),")
        self.sites.append(info.site(call))
        self.codes += found
        self.nests.append(info)
        place = Place(self.filename, info.line)
        notes = [code.notes for code in found]
        for code, said in (
            (CODE, ((note.in_order(), "") for note in notes)),
            (NO_VECTORS, ((note.one_by_one(), note.hint) for note in notes)),
        ):
            reason, hint = next((one for one in said if one[0]), ("", ""))
            if reason:
                text = f"{info.label} {reason}"
                self.ordered.append(BuildFailed(code, text, place, hint=hint))

    def _code(
        self,
        kernel: Kernel,
        nest: Nest,
        verbs: Sequence[Verb],
        types: tuple[Type, ...],
        name: str,
        found: Known,
    ) -> NestCode:
        """A nest for some types.

        Args:
            kernel, nest, verbs: as of ``add``.
            types: of what it is given. name: of its entry.
            found: what planning has found for others.
        """
        from looptx.native.analysis.exception_order import nest_code
        from looptx.native.analysis.made_types import with_made
        from looptx.plan import plan_nest

        given = dict(zip(nest.given, types, strict=True))
        known = with_made(nest, given, kernel.imports)

        def code() -> NestCode:
            planned = plan_nest(nest, verbs, kernel.names, known, known=found)
            return nest_code(planned, known, name, kernel.imports, self.target)

        return deeply(code)


def _nothing(filename: str) -> LooptxError:
    return Malformed(
        "LX107",
        "the file has no annotated nest",
        Place(filename, 1),
        hint="write `@looptx.kernel` above a function, or a directive above a loop",
    )


def _annotated(
    module: Module, kernel: Kernel, directives: dict[str, Sequence[Directive]]
) -> Iterable[tuple[Nest, Sequence[Verb]]]:
    """The nests of a function with directives; all, if it is decorated without any.

    Args:
        module: the file. kernel: the function.
        directives: as for ``extension_text``.
    """
    from looptx import source
    from looptx.attach import assign

    given = tuple(directives.get(kernel.qualname, ()))
    if kernel.decorated:
        given = (*source.decorator_directives(module, kernel), *given)
    for nest, verbs in assign(kernel, given):
        if verbs or (kernel.decorated and not nest.text.applied):
            yield nest, verbs


def _variants(
    module: Module,
    kernel: Kernel,
    nest: Nest,
    held: Mapping[str, int],
    dtypes: Sequence[str],
) -> Iterable[tuple[Type, ...]]:
    """The types to compile a nest for: contiguous arrays, and then any strides.

    What an annotation says is exact where it says ``::1``; what stands in subscripts is
    integers.

    Args:
        module: the file. kernel: the function. nest: of it.
        held: as of ``listed.holding``. dtypes: as of ``extension_text``.

    Raises:
        Unsupported: LX503 where types are missing, or one is misspelt.
    """
    from looptx.lower.types import from_annotation, is_shaped
    from looptx.native.analysis.signature import live_types

    known: dict[str, Type] = {
        name: kind
        for name, text in kernel.parameters
        if text and (kind := from_annotation(text)) is not None
    }
    known |= lists(kernel, held)
    used = {name.partition(".")[0] for name in nest.given}
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
    uses, unknown = unstated(module, kernel, nest, known)
    seen: list[tuple[Type, ...]] = []
    for dtype in dtypes:
        guessed = uses.guessed(unknown, dtype, "float64")
        stated = with_assigned(module, kernel, nest, {**guessed, **known}, held)
        types = live_types(kernel, nest, stated, dtype)
        strided = tuple(
            (
                replace(kind, layout="A")
                if isinstance(kind, ArrayType) and name not in exact
                else kind
            )
            for name, kind in zip(nest.given, types, strict=True)
        )
        seen += [one for one in (types, strided) if one not in seen]
    return seen


def module_name(path: Path) -> str:
    """The dotted name of a file's module, from the packages that contain it.

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
