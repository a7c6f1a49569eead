"""The verbs of the language, and directive text to verbs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from looptx.directives.base import Verb
from looptx.directives.builder import Adds
from looptx.directives.verbs import Builder
from looptx.errors import Malformed, Place, Together
from looptx.language import dialects, grammar, words
from looptx.language.grammar import Clause
from looptx.model.program import Directive
from looptx.model.records import replace

VERBS: Mapping[str, type[Verb]] = MappingProxyType(
    {name: one.kind for name, one in vars(Builder).items() if isinstance(one, Adds)}
)
"""Every verb, in the order of the manual."""

LATER = frozenset(
    {
        "decompose_reduction",
    }
)
"""Verbs of the language that this version does not have."""


def parse(directive: Directive) -> tuple[Verb, ...]:
    """The verbs of one directive, in order.

    Raises LX101 for an unknown verb, LX102 for grammar, LX103 for numbers, each at the
    directive's place.
    """
    try:
        return _parsed(directive)
    except Malformed as error:
        meant = dialects.translated(directive.text)
        with suppress(Malformed):
            _parsed(replace(directive, text=meant))
            for one in error.together:
                one.hint = f"write `{meant}`"
        raise


def _parsed(directive: Directive) -> tuple[Verb, ...]:
    """The verbs of one directive, whose errors have the hints of their own places."""
    verbs: list[Verb] = []
    wrong = Together()
    for clause in grammar.parse(directive):
        with wrong:
            verbs.append(replace(_verb(clause), on=directive.loop))
    wrong.fail()
    return tuple(verbs)


def directive(value: str | Verb, place: Place, source: str = "") -> Directive:
    """A directive given as text or as an object, for example to the decorator."""
    return Directive(value if isinstance(value, str) else value.text, place, source)


def _verb(clause: Clause) -> Verb:
    try:
        kind = VERBS.get(clause.verb)
        if kind is None:
            raise _unknown(clause.verb)
        return kind.from_clause(clause)
    except Malformed as error:
        raise error.at(clause.place, clause.source, clause.text) from None


def _unknown(verb: str) -> Malformed:
    known = f"verbs: {', '.join(VERBS)}"
    if verb in LATER:
        return Malformed(
            "LX101",
            f"`{verb}` is not available in this version of looptx",
            detail=(known,),
            hint="leave it out; its page comes with the version that has it",
        )
    return Malformed(
        "LX101",
        f"unknown directive `{words.shorten(verb)}`",
        detail=(known,),
        hint=words.suggestion(verb, VERBS, "see `looptx list`"),
    )
