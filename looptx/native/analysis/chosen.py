"""``fuse_around`` with a cost function, as plain directives: a function has no text.

What is compiled is kept under the text of its directives, so the function chooses once
for each kernel, and all that follows sees what it chose.
"""

from __future__ import annotations

import types
from collections.abc import Sequence

from looptx.attach import amounts
from looptx.directives import parse
from looptx.directives.around.fuse_around import FuseAround, numbered
from looptx.errors import Place
from looptx.model.lines import NEWLINE
from looptx.model.program import Directive
from looptx.native.analysis.callees import gathered
from looptx.native.analysis.function_text import function_text
from looptx.native.analysis.global_bindings import resolved_globals
from looptx.native.compile.build import LOCK
from looptx.parsers.deep import deeply
from looptx.source import read


def chosen(
    function: types.FunctionType, directives: Sequence[str | FuseAround]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The directives of a kernel as texts, and what became of the nests around.

    Args:
        function: the function. directives: texts, and objects with cost functions.

    Raises:
        LooptxError: there is no source, a directive is malformed, or LX120.
    """
    source = function_text(function)
    texts = [one if isinstance(one, str) else one.text for one in directives]
    with LOCK:
        own = gathered(function, source.text)
        imports = {**resolved_globals(function, source.text), **own.imports}
        module = read(source.text, source.filename, imports, own.callees())
        kernel = min(module.kernels, key=lambda one: one.first_line)
        place = Place(source.filename, kernel.first_line)
        line = NEWLINE.split(source.text)[place.line - 1]
        given = [Directive(text, place, line) for text in texts]
        keys = _keys(given)
        costs = {
            keys[at]: one.cost
            for at, one in enumerate(directives)
            if not isinstance(one, str) and one.cost is not None
        }
        found = deeply(lambda: amounts(kernel, given, costs))
    plain = {at: found[keys[at]] for at in keys if keys[at] in costs.keys() & found}
    lines = tuple(line for one in plain.values() for line in one.lines)
    for at, one in plain.items():
        texts[at] = " | ".join(verb.text for verb in one.verbs)
    return tuple(filter(None, texts)), lines


def _keys(given: Sequence[Directive]) -> dict[int, str]:
    """By their numbers the keys of the directives that are one ``fuse_around`` each."""
    verbs = numbered([parse(one) for one in given])
    return {
        at: one.key for at, (one, *_) in enumerate(verbs) if isinstance(one, FuseAround)
    }
