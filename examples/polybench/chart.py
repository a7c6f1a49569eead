"""A bar chart of ratios, as SVG."""

from __future__ import annotations

import math

from examples.polybench.report import RATIOS, Results, mean

SHOWN = ("best, 1 thread", "best, 2 threads")
COLOURS = ("#2f6db5", "#e08a2e")
LEFT, TOP, WIDTH, ROW, BAR = 130, 58, 560, 22, 8
LEAST, MOST = 1 / 16, 4.0


def across(ratio: float) -> float:
    """Where a ratio stands, on a logarithmic scale."""
    clipped = min(max(ratio, LEAST), MOST)
    return LEFT + WIDTH * math.log(clipped / LEAST) / math.log(MOST / LEAST)


def svg(results: Results, title: str) -> str:
    """Two bars for each kernel, from the line where both are as fast.

    Args:
        results: the cells of each kernel.
        title: above the bars.
    """
    ratios = [ratio for ratio in RATIOS if ratio.title in SHOWN]
    rows: list[tuple[str, list[float | None]]] = []
    for name, cells in results.items():
        found = [ratio.of(cells) for ratio in ratios]
        rows.append((name, [pair and pair[0] for pair in found]))
    whole = [
        mean(row[1][at] for row in rows if row[1][at]) for at in range(len(ratios))
    ]
    rows.append(("geometric mean", whole))
    height = TOP + ROW * len(rows) + 20
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} '
        f'{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{LEFT + WIDTH + 60}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="14" font-weight="bold">{title}</text>',
    ]
    for at, name in enumerate(SHOWN):
        x = LEFT + 160 * at
        lines.append(
            f'<rect x="{x}" y="27" width="12" height="8" fill="{COLOURS[at]}"/>'
        )
        lines.append(f'<text x="{x + 18}" y="35">{name}</text>')
    power = round(math.log2(LEAST))
    while 2.0**power <= MOST:
        x, strong = across(2.0**power), power == 0
        text = str(2**power) if power >= 0 else f"1/{2**-power}"
        lines.append(
            f'<line x1="{x:.1f}" y1="{TOP - 4}" x2="{x:.1f}" y2="{height - 18}" '
            f'stroke="{"black" if strong else "#dddddd"}"/>'
        )
        lines.append(
            f'<text x="{x:.1f}" y="{height - 5}" text-anchor="middle">{text}</text>'
        )
        power += 1
    for number, (name, values) in enumerate(rows):
        y = TOP + ROW * number
        lines.append(
            f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{name}</text>'
        )
        for at, value in enumerate(values):
            if value is None:
                continue
            low, high = sorted((across(1.0), across(value)))
            lines.append(
                f'<rect x="{low:.1f}" y="{y + at * BAR}" width="{high - low:.1f}" '
                f'height="{BAR - 1}" fill="{COLOURS[at]}">'
                f"<title>{name}: {value:.2f}</title></rect>"
            )
    return "\n".join([*lines, "</svg>", ""])
