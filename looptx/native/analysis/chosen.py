"""``fuse_around`` with a cost function, as plain directives: a function has no text.

What is compiled is kept under the text of its directives, so the function chooses once
for each kernel, without types, and all that follows sees what it chose.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from looptx.around import Expansion, expanded
from looptx.deep import deeply
from looptx.directives import Verb
from looptx.directives.around.fuse_around import FuseAround
from looptx.lower.types import lasting
from looptx.model.program import Kernel, Nest
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import function_text
from looptx.native.analysis.global_bindings import resolved_globals


@dataclass(frozen=True, slots=True)
class Chosen:
    """Directives as texts.

    Attributes:
        texts: the directives. lines: what became of the nests around, in words.
    """

    texts: tuple[str, ...]
    lines: tuple[str, ...] = ()


def chosen(
    function: types.FunctionType, directives: Sequence[str | FuseAround]
) -> Chosen:
    """The directives of a kernel, those in the place of objects chosen by their cost.

    Args:
        function: the function. directives: texts, and objects that have no text.

    Raises:
        LooptxError: there is no source, a directive is malformed, or LX120.
    """
    objects = {one.text: one for one in directives if not isinstance(one, str)}
    texts = tuple(one if isinstance(one, str) else one.text for one in directives)
    if not objects:
        return Chosen(texts)
    source = function_text(function)
    analysis = Analysis(source, texts, resolved_globals(function, source.text))
    found: dict[str, str] = dict.fromkeys(objects, "")
    lines: list[str] = []
    for kernel, nest, verbs in analysis.parts:
        given = [_with_cost(verb, objects) for verb in verbs]
        if any(verb.text in objects for verb in verbs):
            with analysis.places():
                expansion = deeply(partial(_expanded, kernel, nest, given))
            lines += expansion.lines
            for text in objects.keys() & expansion.chosen.keys():
                plain = (verb.text for verb in expansion.chosen[text])
                found[text] = " | ".join(plain)
    new = (found.get(text, text) for text in texts)
    return Chosen(tuple(filter(None, new)), tuple(lines))


def _with_cost(verb: Verb, objects: Mapping[str, FuseAround]) -> Verb:
    """A directive with the cost function that its object has."""
    if not isinstance(verb, FuseAround) or verb.text not in objects:
        return verb
    return replace(verb, cost=objects[verb.text].cost)


def _expanded(kernel: Kernel, nest: Nest, verbs: Sequence[Verb]) -> Expansion:
    """The plain directives of a nest, without types but those that annotations say."""
    return expanded(nest, verbs, kernel.names, lasting(kernel))
