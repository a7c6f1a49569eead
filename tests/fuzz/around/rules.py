"""What holds of every report of ``fuse_around``, whatever it has chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fuzz.around.graph import Graph, Node

_INSIDE = re.compile(r"(fuse_around (\S+).*?): (\S+) is in (\S+): .* bytes, runs (\S+)")


def broken(made: Graph, told: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The rules that a report breaks, each with what it says.

    Args:
        made: the function. told: the lines of the report.
    """
    nodes = {node.name: node for node in made.nodes}
    inside = [match for match in map(_INSIDE.match, told) if match]
    joined = {match[3] for match in inside}
    for text in made.directives:
        if text.startswith("fuse_around"):
            own = (x.partition(f"{text}: ")[2].split() for x in told)
            named = {words[0] for words in own if words} | joined
            for name in nodes.keys() - named - {text.split()[1]}:
                yield "says nothing of a nest", f"{text}: {name}"
    for match in inside:
        line, (text, anchor, name, place, runs) = match[0], match.groups()
        if name in text.partition(" except ")[2].split():
            yield "moves what is excepted", line
        if nodes[name].product:
            yield "moves a product", line
        if place in _unfinished(made, nodes[anchor]) and _shares(nodes, anchor, name):
            yield "moves into an unfinished sum", line
        most = re.search(r"recompute=(\d+)", text)
        if runs != "once" and float(runs) > (float(most[1]) if most else 1.0):
            yield "runs too often", line


def _unfinished(made: Graph, anchor: Node) -> frozenset[str]:
    """The loops of a product an iteration of which leaves its sums unfinished."""
    order = [f"{anchor.name}.{loop}" for loop in "ijk"]
    for text in made.directives:
        verb, *words = text.split()
        if verb == "reorder" and words[0].startswith(f"{anchor.name}."):
            order = words if f"{anchor.name}.k" in words else [*words, order[-1]]
    return frozenset(order[order.index(f"{anchor.name}.k") :])


def _shares(nodes: dict[str, Node], anchor: str, name: str) -> bool:
    """Whether a nest uses what an anchor sums up."""
    return nodes[anchor].out in nodes[name].used
