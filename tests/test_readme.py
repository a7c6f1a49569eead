"""README.md does what it says.

Blocks are read in order, in one folder. A ``python`` block that begins with
``# name.py`` is that file; any other is run. A ``console`` block holds commands and
what they print.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from looptx.language.files import load

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(arguments: list[str], folder: Path) -> str:
    """What a command prints, on both streams."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        arguments,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def commands(block: str) -> list[tuple[str, str]]:
    """A console block as (command, output) pairs."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the README shows."""
    place = tmp_path_factory.mktemp("readme")
    for language, text in BLOCK.findall(README):
        named = re.match(r"# ([\w.]+\.py)\n", text)
        if language == "python" and named:
            (place / named.group(1)).write_text(text, encoding="utf-8")
    return place


def test_it_shows_something() -> None:
    languages = [language for language, _ in BLOCK.findall(README)]
    assert languages.count("console") >= 2
    assert languages.count("python") >= 3


def test_commands_print_what_is_shown(folder: Path) -> None:
    for language, text in BLOCK.findall(README):
        if language != "console":
            continue
        for command, output in commands(text):
            program, *arguments = shlex.split(command)
            assert program == "looptx"
            printed = run([sys.executable, "-m", "looptx", *arguments], folder)
            assert printed == output, command


def test_python_blocks_run(folder: Path) -> None:
    """One after the other, as one script; what is printed stands in the comments."""
    blocks = [
        text
        for language, text in BLOCK.findall(README)
        if language == "python" and not re.match(r"# [\w.]+\.py\n", text)
    ]
    (folder / "script.py").write_text("\n".join(blocks), encoding="utf-8")
    expected = re.findall(r"^print\(.*\)  # (.*)$", "\n".join(blocks), re.MULTILINE)
    assert run([sys.executable, "script.py"], folder).splitlines() == expected


def test_both_forms_of_directives_outside_say_the_same(tmp_path: Path) -> None:
    (table,) = re.findall(r"^```toml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = README.partition("--directives FILE`:")[2].split("```")[1]
    said = []
    for name, text in (("pyproject.toml", table), ("plan.looptx", lines)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        entries = load(tmp_path / name).entries
        said.append(
            [(e.file, e.qualname, [d.text for d in e.directives]) for e in entries]
        )
    assert said[0] == said[1] and len(said[0]) == 2


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
