"""``looptx show``: a picture of a nest, before and after its directives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from looptx.cli import files
from looptx.cli.options import console_options, directives_option
from looptx.cli.output import Console
from looptx.cli.schedules import outside
from looptx.errors import LooptxError, Malformed, Unsupported
from looptx.model.records import dataclass

if TYPE_CHECKING:
    from looptx.cli.text import Schedules
    from looptx.directives import Verb
    from looptx.model.program import Kernel, Nest
    from looptx.source import Module

FORMS = (".html", ".htm", ".svg", ".txt")

WORKERS = 4
"""How many workers there are in a text where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The nest that is shown.

    Attributes:
        path: of the file. module: its text. kernel: the function. nest: of it.
        verbs: what schedules it. others: the names of the function's other nests.
    """

    path: Path
    module: Module
    kernel: Kernel
    nest: Nest
    verbs: tuple[Verb, ...]
    others: Sequence[str]


@click.command("show")
@click.argument("target", metavar="FILE[::FUNCTION]")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="A .html page, a .svg picture, or a .txt of the tasks of a cluster.",
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=NUMBER",
    help="The value of a size, for example n=8, or workers=8 of a .txt (repeatable; "
    "others are chosen).",
)
@click.option("--nest", metavar="NAME", help="Which nest, of several.")
@click.option(
    "--force", is_flag=True, help="Replace a file that is no picture of ours."
)
@directives_option
@console_options
def command(
    target: str,
    output: str | None,
    sizes: tuple[str, ...],
    nest: str | None,
    force: bool,
    directives: str | None,
    console: Console,
) -> int:
    """Draw the iterations of a nest as written and as scheduled.

    The result is FUNCTION.html in this folder unless -o says otherwise. A refused
    schedule is drawn too, with the pair of iterations that it gets wrong. A .txt has
    the blocks of a nest that is bound to workers, what they read of each other, and the
    bytes of each step.

    Exit status: 0 fine, 1 refused, 2 usage or syntax.
    """
    chosen = _chosen(target, nest, directives)
    given = dict(map(_size, sizes))
    path = Path(output or f"{chosen.kernel.qualname.replace('.<locals>', '')}.html")
    with _placed(chosen):
        if path.suffix.lower() == ".txt":
            entry, error = _tasks(chosen, given, path, force)
        else:
            entry, error = _picture(chosen, given, path, force)
    if chosen.others:
        others = ", ".join(chosen.others)
        console.note(f"shown: nest {chosen.nest.name}; --nest shows {others}")
    console.note(f"wrote {path}")
    errors = [error] if error is not None else []
    console.errors(errors)
    console.document([{"file": str(path), **entry}], errors)
    return max((error.exit_status for error in errors), default=0)


def _chosen(target: str, nest: str | None, directives: str | None) -> Chosen:
    """What to draw.

    Args:
        target: the file and function. nest: its name. directives: a file of such.
    """
    from looptx import source
    from looptx.attach import assign

    file, mark, function = target.rpartition("::")
    path = Path(file if mark else target)
    beside = outside(directives).of(path)
    text = source.decode(files.read(path), str(path)).text
    module = source.read(text, str(path))
    kernel = _kernel(module, function if mark else None, beside)
    try:
        strings = tuple(beside.get(kernel.qualname, ()))
        if kernel.decorated:
            strings = (*source.decorator_directives(module, kernel), *strings)
        found = _drawn(assign(kernel, strings))
        chosen, verbs = _nest(kernel, found, nest)
    except LooptxError as error:
        raise error.at(kernel.place) from None
    others = [each.name for each, _ in found if each.name != chosen.name]
    return Chosen(path, module, kernel, chosen, verbs, others)


@contextmanager
def _placed(chosen: Chosen) -> Iterator[None]:
    """Errors of what is drawn have a place."""
    try:
        yield
    except LooptxError as error:
        raise error.at(chosen.kernel.place) from None
    except RecursionError:
        hint = "write the long expressions as several shorter ones"
        raise files.failure(
            "LX304", chosen.path, "the source is too deeply nested to be drawn", hint
        ) from None


def _picture(
    chosen: Chosen, given: Mapping[str, int], path: Path, force: bool
) -> tuple[dict[str, object], LooptxError | None]:
    """Draw the iterations.

    Args:
        chosen: the nest. given: sizes. path: of the picture. force: whether to replace
            what is no picture.

    Returns:
        What there is to say of it, and the refusal of its schedule.
    """
    from looptx.lower.types import lasting
    from looptx.show.page import page
    from looptx.show.scene import scene_of
    from looptx.show.svg import picture

    kernel, verbs = chosen.kernel, chosen.verbs
    named = kernel.qualname, chosen.nest, verbs, kernel.names, lasting(kernel)
    scene = scene_of(*named, given, alone=not chosen.others)
    _write(path, force, lambda: (picture if _is_svg(path) else page)(scene))
    return {"status": scene.status, "sizes": scene.space.sizes}, scene.error


def _tasks(
    chosen: Chosen, given: Mapping[str, int], path: Path, force: bool
) -> tuple[dict[str, object], None]:
    """Draw the tasks, as a text.

    Args:
        chosen, given, path, force: as of ``_picture``.

    Raises:
        LooptxError: the nest is not bound to workers, or its schedule is refused.
    """
    from looptx.cluster.call.clients import MOST
    from looptx.cluster.call.written import drawn
    from looptx.show.svg import MARK

    workers = WORKERS
    if "workers" not in chosen.nest.parameters:
        given = {**given}
        workers = given.pop("workers", WORKERS)
    if not 0 < workers <= MOST:
        hint = f"a text is of 1 to {MOST} workers"
        raise Malformed("LX103", f"`workers={workers}` is out of range", hint=hint)
    own = chosen.module, chosen.kernel, chosen.nest, chosen.verbs
    text, sizes = drawn(*own, given, workers)
    _write(path, force, lambda: f"{MARK}: {text}\n")
    return {"status": "safe", "sizes": sizes}, None


def _size(text: str) -> tuple[str, int]:
    """``n=8`` as a name and a number."""
    from looptx.language.words import integer, shorten

    name, equals, number = text.rpartition("=")
    if not (name and equals and number):
        hint = "name a size of the nest, for example `--size n=8`"
        raise Malformed("LX102", f"`--size {shorten(text)}` is no size", hint=hint)
    return name.strip(), integer(number.strip())


def _kernel(module: Module, name: str | None, beside: Schedules) -> Kernel:
    """The function that was named, or the only one with directives.

    Raises:
        LooptxError: LX104 and LX105, or why looptx cannot read the function's loops.
    """
    known = [kernel.qualname for kernel in module.kernels]
    if name is None:
        found = [k for k in module.kernels if _annotated(k) or k.qualname in beside]
        found = found or list(module.kernels)
    else:
        found = [k for k in module.kernels if k.qualname == name] or [
            k for k in module.kernels if k.qualname.rpartition(".")[2] == name
        ]
        if name in module.left_out and not any(kernel.nests for kernel in found):
            raise module.left_out[name][0]
    if len(found) == 1:
        return found[0]
    if found:
        names = [kernel.qualname for kernel in found]
        message = f"there are several functions: {', '.join(names)}"
        hint = f"write `{module.filename}::{names[0]}` for the first"
        raise files.failure("LX105", module.filename, message, hint)
    message = f"no function with loops is called `{name}`" if name else "no loops here"
    raise files.failure("LX104", module.filename, message, _nearest(name or "", known))


def _annotated(kernel: Kernel) -> bool:
    own = any(nest.text.directives for nest in kernel.nests)
    return own or kernel.decorated or bool(kernel.directives)


def _nearest(word: str, names: Sequence[str]) -> str:
    """A hint for a name that is none of ``names``."""
    from looptx.language.words import suggestion

    listed = ", ".join(f"`{name}`" for name in names)
    other = f"one of {listed}" if listed else "a loop is `for` over `range`"
    return suggestion(word, names, other)


def _nest(
    kernel: Kernel, found: Sequence[tuple[Nest, tuple[Verb, ...]]], name: str | None
) -> tuple[Nest, tuple[Verb, ...]]:
    """The nest that was named, or the first with directives, or the first.

    Raises:
        LooptxError: LX104.
    """
    names = [nest.name for nest, _ in found]
    if name is not None and name not in names:
        message = f"`{kernel.qualname}` has no nest `{name}`"
        raise Malformed("LX104", message, hint=_nearest(name, names))
    chosen = (
        [each for each in found if each[0].name == name]
        if name
        else [
            *(each for each in found if each[1]),
            *found,
        ]
    )
    if not chosen:
        message = f"`{kernel.qualname}` has no loops"
        raise Malformed("LX104", message, hint=_nearest("", ()))
    return chosen[0]


def _drawn(
    found: Sequence[tuple[Nest, tuple[Verb, ...]]],
) -> Sequence[tuple[Nest, tuple[Verb, ...]]]:
    """The nests that have iterations to draw: they are more than one statement.

    Raises:
        LooptxError: LX301, there is none.
    """
    whole = {
        nest.name: kept
        for nest, _ in found
        for kept in nest.text.kept
        if kept.place == nest.place
    }
    drawn = [each for each in found if each[0].name not in whole]
    for kept in () if drawn else whole.values():
        message = f"`{kept.var}` cannot be scheduled: {kept.reason}"
        raise Unsupported("LX301", message, kept.place, hint=kept.hint)
    return drawn


def _write(path: Path, force: bool, text: Callable[[], str]) -> None:
    """The picture into a file, if that is ours or does not exist.

    Args:
        path: of it. force: whether to replace what is no picture. text: makes it.

    Raises:
        LooptxError: LX404.
    """
    from looptx.show.svg import MARK

    suffix = path.suffix.lower()
    if suffix not in FORMS:
        hint = "end the name with .html, .svg or .txt"
        raise files.failure("LX404", path, "a picture is a page or an SVG", hint)
    if path.exists() and not force and not _ours(path, MARK):
        message = "the file exists and is no picture of looptx"
        raise files.failure("LX404", path, message, "choose another name, or `--force`")
    files.create(path, text().encode("utf-8"))


def _is_svg(path: Path) -> bool:
    return path.suffix.lower() == ".svg"


def _ours(path: Path, mark: str) -> bool:
    try:
        with path.open("rb") as stream:
            return mark.encode() in stream.read(256)
    except OSError:
        return False
