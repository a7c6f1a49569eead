"""The exact analysis, and the only room that knows isl (Verdoolaege, ICMS 2010)."""

from looptx import interrupts

# The types of a native module are made once in a process: what comes between would
# leave islpy half made, and the next import of it ends the process.
with interrupts.held():
    import islpy as islpy
