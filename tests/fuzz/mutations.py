"""All deliberate faults that the fuzzer must find."""

from __future__ import annotations

from fuzz import mutations_loops as loops
from fuzz import mutations_native as native
from fuzz import mutations_proof as proof
from fuzz.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *proof.SOURCE,
    *proof.PROOF,
    *proof.STORAGE,
    *loops.DIRECTIVES,
    *loops.GENERATION,
    *loops.TREE,
    *loops.TEXT,
    *native.NATIVE,
    *native.WORDS,
)
