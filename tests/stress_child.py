"""One process of the stress of the cache: ``stress_child.py call 5``.

It prints one line of JSON. The number is the block size of the kernel's directive, so
that every number is another kernel, cold until somebody compiled it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

KEY = "5e" * 32
STEPS = ("open", "os.", "shutil.", "tempfile.", "subprocess.")


def smooth(A, B):
    n = A.shape[0]
    for i in range(1, n - 1):
        B[i] = 0.25 * A[i - 1] + 0.5 * A[i] + 0.25 * A[i + 1] - B[i]


def outcome(kernel: Any) -> dict[str, Any]:
    """Call a kernel; whether it agrees with Python, and where it came from."""
    import numpy as np

    A = np.linspace(-1.0, 3.0, 101)
    ours, theirs = np.sqrt(A + 2), np.sqrt(A + 2)
    kernel(A, ours)
    kernel.py_func(A, theirs)
    (nest,) = kernel.report().nests
    origins = [version.origin for version in nest.versions]
    return {
        "right": ours.tobytes() == theirs.tobytes(),
        "origin": origins[0] if origins else None,
        "failures": list(nest.failures),
    }


def made(size: int) -> Any:
    """A new kernel object."""
    import looptx

    return looptx.kernel(f"split i {size}")(smooth)


def call(size: str) -> dict[str, Any]:
    """One call of the kernel."""
    return outcome(made(int(size)))


def threads(size: str, count: str) -> dict[str, Any]:
    """Threads that call one kernel, and others that call kernels of their own."""
    shared = made(int(size))
    kernels = [shared if n % 2 else made(int(size)) for n in range(int(count))]
    start = threading.Barrier(len(kernels))
    results: list[dict[str, Any]] = []

    def work(kernel: Any) -> None:
        start.wait()
        results.append(outcome(kernel))

    workers = [threading.Thread(target=work, args=(kernel,)) for kernel in kernels]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    versions = {
        id(kernel): version.origin
        for kernel in kernels
        for version in kernel.report().nests[0].versions
    }
    return {
        "right": len(results) == len(kernels) and all(one["right"] for one in results),
        "compiled": list(versions.values()).count("compiled"),
    }


def interrupt(size: str) -> dict[str, Any]:
    """A call that is interrupted while the compiler runs, and then another one."""
    from looptx.native.cache import places

    kernel = made(int(size))
    interrupted = False
    try:
        outcome(kernel)
    except KeyboardInterrupt:
        interrupted = True
    work = places.root() / places.FORMAT / "work"
    left = sum(1 for _ in work.iterdir())
    Path(os.environ["STRESS_SLOW"]).unlink()
    return {**outcome(kernel), "interrupted": interrupted, "left": left}


def steps(at: str) -> dict[str, Any]:
    """All that keeping an entry does, killed before step ``at`` of it (0: never)."""
    from looptx.native.cache import eviction, places, store

    places.root()
    done = 0

    def count(event: str, values: tuple[Any, ...]) -> None:
        nonlocal done
        if event.startswith(STEPS):
            done += 1
            if done == int(at):
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)

    def make() -> store.Entry:
        with store.lock(KEY):
            entry = store.find(KEY)
            if entry is None:
                with store.workspace() as directory:
                    draft = directory / "entry"
                    draft.mkdir()
                    (draft / "m.so").write_bytes(b"library" * 999)
                    (draft / store.TEXT).write_text("text")
                    entry = store.publish(KEY, draft, "m.so", "m")
        return entry

    entry = store.carry_out(make)
    store.save_record(KEY, {"kept": True})
    eviction.trim()
    right = entry.library.read_bytes() == b"library" * 999 and entry.text == "text"
    return {"right": right and store.load_record(KEY) == {"kept": True}, "steps": done}


def main(what: str, *values: str) -> None:
    """Do what the command line says and print the outcome."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = globals()[what](*values)
    result["warnings"] = [str(one.message) for one in told]
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
