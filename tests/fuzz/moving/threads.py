"""Functions for blocks of threads: loops that are bound, and what waits for all.

What a thread writes is read by others behind a ``sync_threads``; rows that all threads
of a block read stand in buffers, which they fill together.
"""

from __future__ import annotations

from fuzz.moving.function import Moving, Taken
from fuzz.moving.values import Values

EXTENT = "n", "m", "4", "1, n", "0, m, 2", "m - 1, -1, -1"

BEHIND = (
    ("t + 1", "k"), ("t", "k"), ("t + 1", "k // 2"), ("t", "t - 1 - k"), ("3", "t"),
    ("m", "t // 2"), ("n", "max(t - 1, 0)"), ("t, -1, -1", "k"), ("1, t + 1", "t - k"),
)  # fmt: skip
"""How often a thread reads cells that threads before it wrote, and which."""

AMONG = "k", "m - 1 - t", "t + 1", "k // 2", "(t + k) % 3", "0"
"""What a thread reads of the row that all of them write."""

ALONE = "t", "t", "t", "t + 1", "k"
"""The same where nothing waits."""


class Threads(Values):
    """Draws a function."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, "threads")
        self.ranks |= {"C": 2, "D": 2}

    def function(self) -> Moving:
        """One of the forms."""
        return self.dice.pick(
            self.exchanged,
            self.exchanged,
            self.fetched,
            self.moved,
            self.moved,
            self.nested,
        )()

    def made(
        self,
        nests: list[str],
        directives: list[str],
        before: tuple[str, ...] = (),
        legal: bool = False,
    ) -> Moving:
        gone = {line.split(" = ")[0] for line in before}
        arrays = tuple(
            Taken(name, rank, self.kind)
            for name, rank in self.ranks.items()
            if name not in gone
        )
        annotated = self.dice.chance(50)
        return Moving(
            arrays, before, tuple(nests), (), (), annotated, tuple(directives), legal
        )

    def nested(self) -> Moving:
        """Threads in two loops, one of which may need what another thread has."""
        dice = self.dice
        b, t = (dice.pick(v, v, f"{v} + 1", f"max({v} - 1, 0)") for v in "bt")
        lines = [
            "# looptx: nest n0",
            f"for b in range({dice.pick('n', 'm')}):",
            f"    for t in range({dice.pick('m', 'n', '4')}):",
            f"        D[b, t] = A[b, t] + {dice.pick('D', 'D', 'C')}[{b}, {t}]",
        ]
        kind = dice.pick("threadIdx", "threadIdx", "blockIdx")
        found = [f"bind b {kind}.y", f"bind t {kind}.x"]
        return self.made(["\n".join(lines)], found, legal=(b, t) == ("b", "t"))

    def exchanged(self) -> Moving:
        """Each thread writes a cell, and reads those of others when all are there."""
        dice = self.dice
        threads = dice.pick(*EXTENT)
        inner = dice.pick("k", "k", "")
        sync = dice.chance(80)
        count = dice.pick("3", "n", "t + 1", "1, m", "n - 1, -1, -1")
        at = dice.pick(*(AMONG if sync else ALONE))
        before = sync and dice.chance(60)
        if before:
            # Each cell is written before it is read.
            count, at = dice.pick(*BEHIND)
            threads, inner = dice.pick("n", "m", "4"), "k"
        at = at if inner else at.replace("k", "1")
        first = dice.pick(
            "A[b, m - 1 - t] * 2",
            "A[b, t] + x[t]",
            "A[t, b] / 3",
            "x[t]",
            "t - A[b, t]",
        )
        body = [f"C[b, t] = {first}"]
        if dice.chance(25):
            body.append(f"y[t] {dice.pick('=', '+=')} C[b, t]")
        own = len(body) == 1
        if inner:
            body += [f"for k in range({count}):", f"    D[b, t] += C[b, {at}]"]
        else:
            body += ["for k in range(1):", f"    D[b, t] = C[b, {at}] + 1"]
        if dice.chance(25):
            body += ["for k2 in range(2):", "    D[b, t] *= 2"]
        lines = [
            "# looptx: nest n0",
            f"for b in range({dice.pick('n', 'n', '1, n', 'm', '3')}):",
            f"    for t in range({threads}):",
            *(f"        {line}" for line in body),
        ]
        found = ["bind b blockIdx.x", f"bind t threadIdx.{dice.pick('x', 'x', 'y')}"]
        cut = dice.chance(30)
        if cut:
            found[1:] = [f"split t {dice.pick(2, 4)}", "bind tt threadIdx.x"]
            found += ["bind t threadIdx.y"] * dice.chance(60)
        if dice.chance(15):
            found.pop(0)
        found += ["sync_threads k"] * sync
        if dice.chance(25):
            place = dice.pick("local", "shared", "global")
            found += ["cache_read A at b as row", f"set_buffer row {place}"]
            own = False
        legal = before and own and (not cut or "bind t threadIdx.y" in found)
        return self.made(["\n".join(lines)], found, legal=legal)

    def fetched(self) -> Moving:
        """The threads of a block fetch a row together, and each keeps what it sums."""
        dice = self.dice
        inside = dice.pick(
            "A[b, t]", "A[b, t + k]", "A[b, k]", "A[b, 2 * t]", "A[k, b]"
        )
        lines = [
            "# looptx: nest n0",
            f"for b in range({dice.pick('n', 'm')}):",
            f"    for t in range({dice.pick('m', 'n', '1, m')}):",
            *["        D[b, t] = 0"] * dice.chance(60),
            f"        for k in range({dice.pick('3', 'm', 't + 1')}):",
            f"            D[b, t] += {inside}{dice.pick(' * x[k]', ' + 1', '')}",
        ]
        found = [dice.pick("bind b blockIdx.x", "parallel b"), "bind t threadIdx.x"]
        if dice.chance(40):
            found.insert(1, "split t 4")
            found[2] = "bind tt threadIdx.x"
        row, kept = (dice.pick("local", "shared", "global") for _ in range(2))
        found += ["cache_read A at b as row", f"set_buffer row {row}"]
        if dice.chance(60):
            found += [f"bind row.ax{dice.pick(0, 1, 1)} threadIdx.x"]
        if dice.chance(60):
            found += [f"cache_write D at {dice.pick('t', 't', 'b')} as kept"]
            found += [f"set_buffer kept {kept}"]
        if dice.chance(50):
            found += ["sync_threads t"]
        if dice.chance(30):
            found += ["cache_read row at t as rows"]
        if dice.chance(20):
            found[-1:] = ["cache_read row at t packed as rows", "set_buffer rows local"]
        return self.made(["\n".join(lines)], found)

    def moved(self) -> Moving:
        """A nest runs in the blocks of another, in threads of its own."""
        dice = self.dice
        local = dice.chance(70)
        rank = dice.pick(1, 1, 2)
        self.ranks["T"] = rank
        cell = "i, j"[: 3 * rank - 2]
        value = dice.pick("x[i] * 3", "x[i] + y[i + 1]", "A[i, 1] / 3", "x[i]")
        first = [
            "# looptx: nest n0",
            f"for i in range({dice.pick('n + 9', '3 * m + 9')}):",
        ]
        if rank == 2:
            first.append("    for j in range(n + m + 4):")
        first.append("    " * rank + f"T[{cell}] = {value}")
        other = dice.pick("t", "t + 1", "2 * t", "t // 2", "t + 2", "t % 3")
        tail = ", b" if rank == 2 else ""
        second = [
            "# looptx: nest n1",
            f"for b in range({dice.pick('n', '1, m')}):",
            f"    for t in range({dice.pick('n', 'm', '8')}):",
            f"        C[b, t] = T[t{tail}] + T[{other}{tail}]",
        ]
        found = [f"split n1.t {dice.pick(2, 3, 4)}"] * dice.chance(60)
        at = dice.pick("b", "t", "t")
        inner = "tt" if found else "t"
        found.append(f"compute_at n0 n1.{at}")
        block = [
            f"bind n1.{at} blockIdx.x",
            f"parallel n1.{at}",
            "bind n1.b blockIdx.x",
        ]
        found += [dice.pick(*block)] * dice.chance(85)
        found += ["bind n0.i threadIdx.x"] * dice.chance(60)
        found += [f"bind n1.{inner} threadIdx.x"] * dice.chance(60)
        if dice.chance(50):
            found += [f"sync_threads n1.{inner}"]
        if local and dice.chance(80):
            found.append("temp T")
            if dice.chance(75):
                found.append(
                    f"set_buffer T {dice.pick('local', 'shared', 'shared', 'global')}"
                )
        room = "(3 * n + 3 * m + 30,) * 2" if rank == 2 else "3 * n + 3 * m + 30"
        room = room.replace(
            "(3 * n + 3 * m + 30,) * 2", "(3 * n + 3 * m + 30, n + 2 * m + 9)"
        )
        kind = dice.pick(self.kind, "float32", "float64")
        before = (f"T = np.zeros({room}, dtype=np.{kind})",) * local
        return self.made(["\n".join(first), "\n".join(second)], found, before)


def threads(seed: int) -> Moving:
    """The function of a number."""
    return Threads(seed).function()
