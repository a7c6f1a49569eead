"""A scene as a page: the drawing, a slider over its steps, and all data inside."""

from __future__ import annotations

import json
from html import escape
from string import Template

from looptx.show import descriptions, heading
from looptx.show.layout import figure_of
from looptx.show.scene import Scene
from looptx.show.svg import MARK, STYLE, counted, drawing, resource
from looptx.show.touches import touches

IDLE = "Point at an iteration for its dependences; play, or step with the arrow keys."


def page(scene: Scene) -> str:
    """A scene as an HTML file that needs nothing else."""
    figure = figure_of(scene, heading.codes(scene))
    body, height = drawing(scene, figure, live=True)
    title = heading.title(scene)
    directives = "".join(
        f"<li><code>{escape(text)}</code></li>" for text in scene.directives
    )
    reasons = "".join(
        f'<p class="reason {"pair" if text == scene.pair else ""}">{escape(text)}</p>'
        for text in heading.reasons(scene)
    )
    parts = {
        "mark": MARK,
        "style": resource(STYLE) + resource("page.css"),
        "title": escape(title),
        "directives": f'<ul class="directives">{directives}</ul>' * bool(directives),
        "facts": escape(heading.facts(scene)),
        "status": scene.status,
        "verdict": escape(heading.verdict(scene)),
        "reasons": reasons,
        "width": f"{max(figure.width, 560) + 8:.0f}",
        "height": f"{height + 8:.0f}",
        "label": escape(f"The iterations of {title} as written and as scheduled"),
        "picture": body,
        "data": _json(_data(scene, counted(scene, figure))),
        "script": resource("page.js"),
    }
    return Template(resource("page.html")).substitute(parts)


def _data(scene: Scene, numbers: bool) -> dict[str, object]:
    """The data of the page's script."""
    runs = []
    for number, run in enumerate(scene.space.runs):
        cells = touches(scene.space, run, scene.rules)
        named = [(str(cell), cell.write) for cell in cells]
        runs.append(
            {
                "at": descriptions.instance(scene.space, run),
                "code": descriptions.filled(scene.space, run),
                "reads": list(
                    dict.fromkeys(text for text, write in named if not write)
                ),
                "writes": list(dict.fromkeys(text for text, write in named if write)),
                "before": scene.before.order.steps[number],
                "after": scene.after.order.steps[number],
            }
        )
    dependences = [[each.source, each.sink] for each in scene.dependences]
    idle = IDLE if runs else ""
    return {"runs": runs, "dependences": dependences, "counted": numbers, "idle": idle}


def _json(value: object) -> str:
    """JSON that can stand in a script element, whatever its texts say."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
