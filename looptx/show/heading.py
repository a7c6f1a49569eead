"""The words around a picture: title, directives, sizes, verdict, and the legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from looptx.show import descriptions
from looptx.show.scene import Scene

VERDICTS = {
    "safe": "safe: every dependence still runs forward",
    "trusted": "trusted: not proven; what is red changes its order",
    "plain": "no directives: the order of the source",
}

KINDS = {
    "flow": "written, then read",
    "anti": "read, then overwritten",
    "output": "written, then overwritten",
}


def title(scene: Scene) -> str:
    """The function, and the nest where there are several."""
    return f"{scene.kernel}, nest {scene.nest}" if scene.nest else scene.kernel


def facts(scene: Scene) -> str:
    """The sizes, and how much there is to run."""
    runs = len(scene.space.runs)
    steps = len(set(scene.after.order.steps))
    where = descriptions.sizes(scene.space.sizes)
    if not runs:
        return f"no iterations at {where}" if where else "no iterations"
    count = f"{runs} iteration{'s' * (runs != 1)}"
    if steps < runs:
        count += f" in {steps} step{'s' * (steps != 1)}"
    return f"{where}: {count}" if where else count


def verdict(scene: Scene) -> str:
    """One line: what the proof says."""
    error = scene.error
    if error is not None:
        return f"{error.code} {error.message}"
    return VERDICTS[scene.status]


def reasons(scene: Scene) -> Iterator[str]:
    """The offending pair, or what the proof says instead, and the hint."""
    if scene.pair:
        yield scene.pair
    if scene.error is not None:
        if not scene.pair:
            yield " ".join(scene.error.detail)
        if scene.error.hint:
            yield f"hint: {scene.error.hint}"


def lines(scene: Scene) -> Iterator[tuple[str, str]]:
    """The heading, each line with its class."""
    yield "title", title(scene)
    if scene.directives:
        yield "mono", "  |  ".join(scene.directives)
    yield "fact", facts(scene)
    yield f"status {scene.status}", verdict(scene)
    for reason in reasons(scene):
        yield ("fact pair" if reason == scene.pair else "fact"), reason


def codes(scene: Scene) -> dict[str, str]:
    """The text above each grid."""
    nest = scene.space.nest
    return {name: descriptions.code(each) for name, each in nest.statements.items()}


def keys(scene: Scene, *, counted: bool) -> Iterator[tuple[str, str]]:
    """The lines of the legend: what is explained, and the explanation.

    ``counted`` is true when cells show numbers, false when a line shows the order.
    """
    if not scene.space.runs:
        return
    if not counted:
        yield "route", "from one iteration to the next"
    else:
        text = "the step at which it runs"
        if scene.together:
            text += f"; equal numbers run together ({_listed(scene.together)})"
        yield "steps", text
    if scene.blocks:
        yield "blocks", f"a colour for each block of {_listed(scene.blocks)}"
    else:
        yield "shades", "from the first step to the last"
    kinds = {each.kind for each in scene.shown}
    for kind, meaning in KINDS.items():
        if kind in kinds:
            yield kind, f"{meaning} ({kind} dependence)"
    if len(scene.shown) < len(scene.dependences):
        yield (
            "more",
            (
                f"{len(scene.shown)} of {len(scene.dependences)} dependences are drawn:"
                f" those of {'the pair' if scene.faults else 'one iteration'}"
            ),
        )
    if scene.faults:
        yield "fault", "the pair that the new order gets wrong"


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
