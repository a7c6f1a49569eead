"""``looptx show``: a picture of a nest, before and after its directives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from looptx.cli import files
from looptx.cli.options import console_options, directives_option
from looptx.cli.output import Console
from looptx.cli.schedules import outside
from looptx.errors import LooptxError, Malformed, Unsupported

if TYPE_CHECKING:
    from looptx.cli.text import Schedules
    from looptx.directives import Verb
    from looptx.model.program import Kernel, Nest
    from looptx.show.scene import Scene
    from looptx.source import Module

FORMS = (".html", ".htm", ".svg")


@click.command("show")
@click.argument("target", metavar="FILE[::FUNCTION]")
@click.option("-o", "--output", metavar="FILE", help="A .html page or a .svg picture.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=NUMBER",
    help="The value of a size, for example n=8 (repeatable; others are chosen).",
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
    schedule is drawn too, with the pair of iterations that it gets wrong.

    Exit status: 0 fine, 1 refused, 2 usage or syntax.
    """
    scene, others = _scene(target, sizes, nest, directives)
    path = Path(output or f"{scene.kernel.replace('.<locals>', '')}.html")
    _write(path, scene, force)
    if others:
        console.note(f"shown: nest {scene.nest}; --nest shows {', '.join(others)}")
    console.note(f"wrote {path}")
    errors = [scene.error] if scene.error is not None else []
    console.errors(errors)
    entry = {"file": str(path), "status": scene.status, "sizes": scene.space.sizes}
    console.document([entry], errors)
    return max((error.exit_status for error in errors), default=0)


def _scene(
    target: str, sizes: Sequence[str], nest: str | None, directives: str | None
) -> tuple[Scene, list[str]]:
    """What to draw, and the names of the function's other nests."""
    from looptx import source
    from looptx.attach import assign
    from looptx.lower.types import lasting
    from looptx.show.scene import scene_of

    file, mark, function = target.rpartition("::")
    path = Path(file if mark else target)
    given = dict(map(_size, sizes))
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
        scene = scene_of(
            kernel.qualname,
            chosen,
            verbs,
            kernel.names,
            lasting(kernel),
            given,
            alone=len(found) == 1,
        )
    except LooptxError as error:
        raise error.at(kernel.place) from None
    except RecursionError:
        hint = "write the long expressions as several shorter ones"
        raise files.failure(
            "LX304", path, "the source is too deeply nested to be drawn", hint
        ) from None
    return scene, [each.name for each, _ in found if each.name != chosen.name]


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


def _write(path: Path, scene: Scene, force: bool) -> None:
    """The picture into a file, if that is ours or does not exist.

    Raises:
        LooptxError: LX404.
    """
    from looptx.show.page import page
    from looptx.show.svg import MARK, picture

    suffix = path.suffix.lower()
    if suffix not in FORMS:
        hint = "end the name with .html or .svg"
        raise files.failure("LX404", path, "a picture is a page or an SVG", hint)
    if path.exists() and not force and not _ours(path, MARK):
        message = "the file exists and is no picture of looptx"
        raise files.failure("LX404", path, message, "choose another name, or `--force`")
    text = picture(scene) if suffix == ".svg" else page(scene)
    files.create(path, text.encode("utf-8"))


def _ours(path: Path, mark: str) -> bool:
    try:
        with path.open("rb") as stream:
            return mark.encode() in stream.read(256)
    except OSError:
        return False
