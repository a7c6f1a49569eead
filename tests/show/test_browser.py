"""The page of ``looptx show`` in headless Chromium: it runs, steps and fetches nothing.

Each test adds a script to the page that uses it as a person does and leaves what it saw
in the document, which Chromium prints.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from looptx.show.page import page
from show.test_pictures import MATMUL, PREFIX, SCALE, SEIDEL, SMEAR, scene

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: apt-get install chromium"
)

WATCH = """<script>
const wrong = [];
addEventListener("error", (event) => wrong.push(String(event.message)), true);
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => wrong.push(event.blockedURI));
for (const name of ["error", "warn"])
  console[name] = (...words) => wrong.push(words.join(" "));
</script>"""

ACT = """<script>
const all = (selector) => [...document.querySelectorAll(selector)];
const get = (id) => document.getElementById(id);
const numbers = (cells) => cells.map((cell) => Number(cell.dataset.run));
const now = (view) => numbers(all(`#${view} rect.cell.now`));
const waiting = (view) => all(`#${view} rect.cell.wait`).length;
const press = (key) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const slide = (to) => {
  get("slider").value = to;
  get("slider").dispatchEvent(new Event("input"));
};
const point = (view, run) => document.querySelector(`#${view} rect[data-run="${run}"]`)
  .dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
const visible = (each) => getComputedStyle(each).display !== "none";
const shown = (selector) => all(selector).filter(visible).length;
const finish = (seen) => {
  const resources = performance.getEntriesByType("resource").map((each) => each.name);
  document.documentElement.dataset.seen = JSON.stringify({seen, wrong, resources});
};
%s
</script>"""


def drive(folder: Path, text: str, script: str) -> Any:
    """What a script sees in a page; the page must not complain or fetch anything."""
    text = text.replace("<title>", f"{WATCH}<title>", 1)
    text = text.replace("</body>", f"{ACT % script}</body>", 1)
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=30000",
            f"--user-data-dir={folder / 'profile'}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    (found,) = re.findall(r'<html[^>]* data-seen="([^"]*)"', done.stdout)
    result = json.loads(html.unescape(found))
    assert result["wrong"] == []
    assert result["resources"] == []
    return result["seen"]


def test_a_page_that_fetched_something_would_be_noticed(tmp_path: Path) -> None:
    text = page(scene(SCALE, n=2))
    text = text.replace("<figure>", '<figure><img src="http://looptx.invalid/a.png">')
    with pytest.raises(AssertionError, match=re.escape("looptx.invalid")):
        drive(tmp_path, text, "setTimeout(() => finish(0), 500);")


def test_the_slider_moves_both_panels(tmp_path: Path) -> None:
    seen = drive(
        tmp_path,
        page(scene(MATMUL, n=3, m=3, l=3)),
        """
        const seen = [];
        for (const to of [0, 1, 2, 27]) {
          slide(to);
          const code = get("code").textContent;
          seen.push([now("before"), now("after"), waiting("before"), code]);
        }
        finish(seen);
        """,
    )
    assert seen == [
        [[], [], 0, ""],
        [[0], [0], 26, "C[0, 0] += A[0, 0] * B[0, 0]"],
        [[1], [1], 25, "C[0, 0] += A[0, 1] * B[1, 0]"],
        [[26], [26], 0, "C[2, 2] += A[2, 2] * B[2, 2]"],
    ]


def test_keys_step_through_the_new_order(tmp_path: Path) -> None:
    found = scene(MATMUL, n=3, m=3, l=3)
    seen = drive(
        tmp_path,
        page(found),
        """
        const seen = [];
        for (const key of [...Array(28).fill("ArrowRight"), "ArrowLeft"]) {
          press(key);
          seen.push(...now("after"));
        }
        press("Home");
        seen.push(now("after").length);
        finish(seen);
        """,
    )
    order = sorted(range(27), key=found.after.order.steps.__getitem__)
    assert seen == [*order, order[26], order[25], 0]
    assert order != sorted(order)


def test_play_runs_to_the_end_and_pauses(tmp_path: Path) -> None:
    seen = drive(
        tmp_path,
        page(scene(SCALE, n=6)),
        """
        const seen = [];
        const look = () => seen.push(
          [get("play").textContent, get("play").ariaPressed, get("slider").value]);
        press(" ");
        look();
        setTimeout(() => { press(" "); look(); press(" "); }, 600);
        setTimeout(() => { look(); finish(seen); }, 9000);
        """,
    )
    assert seen == [
        ["Pause", "true", "1"],
        ["Play", "false", "2"],
        ["Play", "false", "6"],
    ]


def test_what_runs_together_is_highlighted_together(tmp_path: Path) -> None:
    found = scene(SEIDEL, n=6, m=6)
    seen = drive(
        tmp_path,
        page(found),
        """
        slide(3);
        const together = [now("before"), now("after"), get("what").textContent];
        all("input[name=order]").find((each) => each.value === "before").click();
        finish([...together, now("after"), get("slider").max]);
        """,
    )
    points = [run.point for run in found.space.runs]
    expected = [at for at, (i, j) in enumerate(points) if i + j == 4]
    assert seen[:2] == [expected, expected]
    assert "with 2 more" in seen[2]
    assert seen[3:] == [expected[:1], "16"]


def test_pointing_at_a_cell_shows_its_dependences_only(tmp_path: Path) -> None:
    seen = drive(
        tmp_path,
        page(scene(SEIDEL, n=6, m=6)),
        """
        const arrows = () => shown("#after .arrows .arrow");
        const seen = [arrows()];
        point("before", 5);
        const ends = ["source", "sink"].map((end) => all(`#after rect.${end}`).length);
        seen.push(arrows(), ...ends);
        seen.push(get("what").textContent);
        get("picture").dispatchEvent(new PointerEvent("pointerleave"));
        seen.push(arrows(), all(".source, .sink, .here").length);
        get("arrows").click();
        seen.push(getComputedStyle(document.querySelector(".arrows")).display);
        finish(seen);
        """,
    )
    assert seen == [
        24,
        4,
        2,
        2,
        "at i=2, j=2: step 3 of 7 as scheduled, 6 of 16 as written; needs 2,"
        " needed by 2",
        24,
        0,
        "none",
    ]


@pytest.mark.parametrize("text", [SMEAR, PREFIX], ids=["reversed", "together"])
def test_the_offending_pair_is_red(tmp_path: Path, text: str) -> None:
    found = scene(text)
    seen = drive(
        tmp_path,
        page(found),
        """
        const red = (each) => getComputedStyle(each).stroke;
        const words = document.querySelector(".pair").textContent;
        finish([all("#after .fault rect").map(red), words]);
        """,
    )
    assert seen == [["rgb(200, 30, 30)"] * 2, found.pair]


def test_a_page_without_iterations_works(tmp_path: Path) -> None:
    seen = drive(
        tmp_path,
        page(scene(SCALE, n=0)),
        """
        press(" ");
        press("ArrowRight");
        const text = document.body.innerText;
        finish([text.includes("no iterations at n=0"), get("slider").disabled]);
        """,
    )
    assert seen == [True, True]


def test_text_is_never_run(tmp_path: Path) -> None:
    text = SCALE.replace("A, n", "A, n, kind").replace(
        "* 2", '* (2 if kind == "</script><script>wrong.push(1)</script>" else 3)'
    )
    seen = drive(
        tmp_path, page(scene(text, n=2)), 'slide(1); finish(get("code").textContent);'
    )
    assert "</script><script>wrong.push(1)</script>" in seen
