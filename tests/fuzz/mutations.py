"""All deliberate faults that the fuzzer must find."""

from __future__ import annotations

from fuzz import mutations_around as around
from fuzz import mutations_loops as loops
from fuzz import mutations_meaning as meaning
from fuzz import mutations_native as native
from fuzz import mutations_proof as proof
from fuzz.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *proof.SOURCE,
    *proof.PROOF,
    *proof.CAUTION,
    *proof.STORAGE,
    *around.AROUND,
    *around.SHOWN,
    *loops.DIRECTIVES,
    *loops.GENERATION,
    *loops.TREE,
    *loops.TEXT,
    *meaning.MEANING,
    *native.NATIVE,
    *native.WORDS,
)
