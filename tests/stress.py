"""The stress of the compile cache: ``python tests/stress.py``, or ``make stress``.

Processes and threads that call a cold kernel at once, kills at random moments and at
every step of publishing, and files of the cache damaged in every way. Whatever is done
to the cache, every call must give what Python gives. It prints a table of figures and
fails when one of them is wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CHILD = Path(__file__).with_name("stress_child.py")
LIMIT = 300


@dataclass
class Figures:
    """A line of the table.

    Attributes:
        what: was done.
        tried: how often.
        good: how often the outcome was the one wanted.
        compiles: nests compiled.
        seconds: it took.
    """

    what: str
    tried: int
    good: int
    compiles: int | None
    seconds: float

    @property
    def passed(self) -> bool:
        return self.tried == self.good

    def __str__(self) -> str:
        compiles = "-" if self.compiles is None else self.compiles
        return (
            f"{self.what:<44} {self.tried:>6} {self.good:>6} {compiles!s:>9} "
            f"{self.seconds:>8.1f}"
        )


HEAD = f"{'':<44} {'tried':>6} {'good':>6} {'compiles':>9} {'seconds':>8}"


def environment(cache: Path, **more: str) -> dict[str, str]:
    """The environment of a child process."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "LOOPTX_CACHE_DIR": str(cache),
        "PYTHONWARNINGS": "default",
        **more,
    }


def start(
    cache: Path, *command: object, before: Sequence[str] = (), **more: str
) -> subprocess.Popen[str]:
    """Start a child process: ``start(cache, "call", 5)``."""
    return subprocess.Popen(
        [*before, sys.executable, str(CHILD), *map(str, command)],
        env=environment(cache, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(child: subprocess.Popen[str]) -> dict[str, Any]:
    """What a child printed; an ``error`` when it did not end well."""
    out, said = child.communicate(timeout=LIMIT)
    if child.returncode:
        return {"right": False, "error": said or f"status {child.returncode}"}
    outcome: dict[str, Any] = json.loads(out)
    return outcome


def run(cache: Path, *command: object, **more: Any) -> dict[str, Any]:
    """Run a child process to its end."""
    return result(start(cache, *command, **more))


def compiler(folder: Path) -> str:
    """A compiler for ``CC`` that first does what the script ``$STRESS_CC`` says.

    It stays the same compiler to the cache, whatever that script is.
    """
    usual = map(shutil.which, ("cc", "gcc", "clang"))
    real = os.environ.get("CC") or next(filter(None, usual))
    path = folder / "cc"
    path.write_text(
        f'#!/bin/sh\n[ -z "$STRESS_CC" ] || . "$STRESS_CC"\nexec {real} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


def counting(folder: Path) -> tuple[str, Callable[[], int]]:
    """A script for ``$STRESS_CC`` that writes down nests compiled, and their number."""
    log = folder / "compiles.txt"
    log.unlink(missing_ok=True)
    script = folder / "counting"
    script.write_text(f'case "$*" in *" -S "*_looptx_*) echo x >>"{log}";; esac\n')
    return str(script), lambda: len(log.read_text()) // 2 if log.exists() else 0


def processes(cache: Path, count: int, size: int) -> Figures:
    """Processes that call one cold kernel at once: one compiles, all are right."""
    script, compiles = counting(cache.parent)
    begin = time.perf_counter()
    running = [start(cache, "call", size, STRESS_CC=script) for _ in range(count)]
    outcomes = [result(child) for child in running]
    done = compiles()
    good = sum(one["right"] and not one["warnings"] for one in outcomes)
    origins = [one.get("origin") for one in outcomes]
    once = done == origins.count("compiled") == 1 and None not in origins
    seconds = time.perf_counter() - begin
    return Figures("processes calling a cold kernel", count, good * once, done, seconds)


def threads(cache: Path, count: int, size: int) -> Figures:
    """Threads of one process that call one cold kernel at once."""
    script, compiles = counting(cache.parent)
    begin = time.perf_counter()
    outcome = run(cache, "threads", size, count, STRESS_CC=script)
    done = compiles()
    good = count * (outcome["right"] and done == 1 == outcome["compiled"])
    seconds = time.perf_counter() - begin
    return Figures("threads calling a cold kernel", count, good, done, seconds)


def kills(cache: Path, count: int, size: int, chance: random.Random) -> Figures:
    """Kill a process that compiles at a random moment; the next must be right."""
    begin = time.perf_counter()
    plain = run(cache, "call", size)
    whole = time.perf_counter() - begin  # how long there is something to kill
    delays = [chance.uniform(0.1, whole) for _ in range(count)]

    def kill(number: int) -> dict[str, Any]:
        child = start(cache, "call", size + 1 + number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(delays[number])
        child.kill()
        child.communicate()
        return run(cache, "call", size + 1 + number)

    with ThreadPoolExecutor(2) as pool:
        outcomes = [plain, *pool.map(kill, range(count))]
    good = sum(_clean(one) for one in outcomes[1:]) * _clean(plain)
    compiled = sum(one.get("origin") == "compiled" for one in outcomes)
    seconds = time.perf_counter() - begin
    return Figures("kills while compiling, then a call", count, good, compiled, seconds)


def _clean(outcome: dict[str, Any]) -> bool:
    """Right, native, and without a word."""
    return bool(
        outcome["right"] and outcome.get("origin", 1) and not outcome["warnings"]
    )


def killed_steps(cache: Path, stride: int = 1) -> Figures:
    """Kill a process before every (``stride``-th) step of keeping an entry."""
    begin = time.perf_counter()
    total = run(cache, "steps", 0)["steps"]

    def kill(step: int) -> bool:
        own = cache / f"step{step}"
        child = start(own, "steps", step)
        child.communicate()
        again = run(own, "steps", 0)
        left = list((own / "v2").glob("work/*"))
        return child.returncode == -9 and _clean(again) and len(left) <= 1

    with ThreadPoolExecutor(2) as pool:
        good = list(pool.map(kill, range(1, total + 1, stride)))
    seconds = time.perf_counter() - begin
    what = f"kills before each of {total} steps of publishing"
    return Figures(what, len(good), sum(good), None, seconds)


def flips(cache: Path, count: int, size: int, chance: random.Random) -> Figures:
    """Flip, cut or lengthen a random file of a kept kernel; it must not be used.

    Everything is looked up in this process, and the files are put back.
    """
    begin = time.perf_counter()
    run(cache, "call", size)
    files = [path for path in kept(cache) if path.suffix != ".lock"]
    good = 0
    with used(cache):
        for _ in range(count):
            path = chance.choice(files)
            before = path.read_bytes()
            path.write_bytes(damaged(before, chance))
            good += not trusted(path)
            path.write_bytes(before)
        whole = all(map(trusted, files))
    seconds = time.perf_counter() - begin
    return Figures("random damage to files", count, good * whole, None, seconds)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Other bytes: a bit flipped, the end cut off, or something behind it."""
    at = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data + b"\0"
        case _:
            flipped = data[at] ^ (1 << chance.randrange(8))
            return data[:at] + bytes([flipped]) + data[at + 1 :]


@contextlib.contextmanager
def used(cache: Path) -> Iterator[None]:
    """Let this process use a cache."""
    before = os.environ.get("LOOPTX_CACHE_DIR")
    os.environ["LOOPTX_CACHE_DIR"] = str(cache)
    try:
        yield
    finally:
        del os.environ["LOOPTX_CACHE_DIR"]
        if before is not None:
            os.environ["LOOPTX_CACHE_DIR"] = before


def trusted(path: Path) -> bool:
    """Whether looptx would use what a file of the cache belongs to."""
    from looptx.native.cache import store

    if path.parent.parent.name == store.RECORDS:
        return store.load_record(path.stem) is not None
    return store.find(path.parent.name) is not None


def kept(cache: Path, pattern: str = "*") -> list[Path]:
    """The files in a cache, in order."""
    from looptx.native.cache import places

    found = (cache / places.FORMAT).rglob(pattern)
    return sorted(path for path in found if path.is_file())


def _elsewhere(path: Path) -> None:
    """Put a symbolic link to the same content in a file's place."""
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "removed": Path.unlink,
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a symbolic link": _elsewhere,
    "writable by all": lambda path: path.chmod(0o666),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
}


def corruptions(cache: Path, size: int, whats: Sequence[str]) -> Figures:
    """Damage a kept kernel's files; the next call must build it again, and be right."""
    begin = time.perf_counter()
    run(cache, "call", size)

    def damage(number: int) -> list[dict[str, Any]]:
        folder = cache.with_name(f"{cache.name}{number}")
        shutil.copytree(cache, folder)
        pattern = "manifest.json" if number % 2 else "*.so"
        (path,) = (one for one in kept(folder, pattern) if "nests" in one.parts)
        DAMAGE[whats[number]](path)
        return [run(folder, "call", size), run(folder, "call", size)]

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(damage, range(len(whats))))
    origins = [[one.get("origin") for one in pair] for pair in outcomes]
    good = [
        found == ["compiled", "cache"] and all(map(_clean, pair))
        for found, pair in zip(origins, outcomes, strict=True)
    ]
    compiled = sum(found[0] == "compiled" for found in origins)
    seconds = time.perf_counter() - begin
    what = "damaged kernels, then two calls"
    return Figures(what, len(whats), sum(good), compiled, seconds)


def stress(folder: Path, scale: int, seed: int) -> Iterator[Figures]:
    """Everything, ``scale`` times the usual numbers."""
    chance = random.Random(seed)
    cache = folder / "cache"
    os.environ["CC"] = compiler(folder)
    yield processes(cache, 64 * scale, 2)
    yield threads(cache, 32 * scale, 3)
    yield kills(cache, 12 * scale, 1000, chance)
    yield killed_steps(folder / "steps")
    yield flips(folder / "flips", 400 * scale, 2, chance)
    yield corruptions(folder / "damage", 2, [*DAMAGE] * scale)


def main(scale: str = "1", seed: str = "0") -> int:
    """Run everything and print the table."""
    sys.path.insert(0, str(ROOT))
    passed = True
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory(prefix="looptx-stress-") as folder:
        for figures in stress(Path(folder), int(scale), int(seed)):
            passed = passed and figures.passed
            print(figures, flush=True)
    print("all as wanted" if passed else "FAILED")
    return not passed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
