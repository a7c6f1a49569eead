"""Random directives for the loops of a nest."""

from __future__ import annotations

from programs_body import Chooser


class Directives(Chooser):
    """Draws directives.

    Attributes:
        integers: whether the arrays hold integers.
        names: the loops of the nest. blocks: the sizes that directives name.
    """

    integers = False
    names: list[str]
    blocks: list[int]

    def directives(self) -> list[str]:
        known = list(dict.fromkeys(self.names))
        texts: list[str] = []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            texts += self.directive(known)
        if self.integers and self.chance(25):
            texts.append("reassociate s")
        if len(texts) > 1 and self.chance(15):
            texts = [" | ".join(texts)]
        return [f"# looptx: {text}" for text in texts]

    def block_size(self) -> int:
        size = self.pick(2, 3, 4, 5, 1)
        self.blocks.append(size)
        return size

    def directive(self, known: list[str]) -> list[str]:
        one = self.pick(*known)
        verb = self.pick(
            "split", "split", "tile", "reorder", "reorder", "unroll", "parallel",
            "vectorize", "skew", "pad", "collapse", "assume", "tile reorder",
        )  # fmt: skip
        several = self.mixed(known)[: self.pick(1, 2, 2, 3)]

        def inner(name: str) -> str:
            base = name.partition("#")[0]
            return (
                f"{base}_in"
                if len(base) > 1 and set(base) != {base[0]}
                else base + base[0]
            )

        if verb == "split":
            sizes = f"{self.block_size()}"
            if self.chance(20):
                sizes += f" {self.block_size()}"
            known.append(inner(one))
            return [f"split {one} {sizes}"]
        if verb in ("tile", "tile reorder"):
            sizes = " ".join(f"{name}={self.block_size()}" for name in several)
            new = [inner(name) for name in several]
            known += new
            found = [f"tile {sizes}"]
            if verb != "tile":
                order = self.mixed([*several, *new])
                found.append(f"reorder {' '.join(order)}")
            return found
        if verb == "reorder":
            if len(known) < 2:
                return [f"split {one} {self.block_size()}"]
            order = self.mixed(known)
            return [f"reorder {' '.join(order[: self.pick(2, 2, 3)])}"]
        if verb == "skew" and len(several) > 1:
            by = self.pick("", "", " by 2", " by -1")
            return [f"skew {several[0]} {several[1]}{by}"]
        if verb == "pad":
            return [f"pad {one} {self.pick(1, 2, 3)}"]
        if verb == "collapse" and len(known) > 1:
            at = self.pick(*range(len(known) - 1))
            pair = known[at : at + 2] if self.chance(70) else self.mixed(known)[:2]
            known.append("c" + "".join(name[0] for name in pair))
            return [f"collapse {pair[0]} {pair[1]} as {known[-1]}"]
        if verb == "assume":
            return [
                "assume "
                + self.pick(
                    "n == m", "n % 2 == 0", "n >= 3", "m > 1 and n > 1", "n <= 5"
                )
            ]
        if verb == "unroll":
            factor = self.pick(2, 3, 4)
            self.blocks.append(factor)
            return [
                f"unroll {one} {factor}" if not self.chance(20) else f"unroll {one}"
            ]
        if verb in ("parallel", "vectorize"):
            return [f"{verb} {one}"]
        return [f"split {one} {self.block_size()}"]
