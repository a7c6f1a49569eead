"""Most kernels of tests run once, on a few numbers: they are compiled quickly.

``CC=gcc make test`` optimises all of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CC = Path(__file__).parents[1] / "quick" / "cc"


def undone(patch: pytest.MonkeyPatch) -> None:
    """Have kernels compiled as users' are."""
    if os.environ.get("CC") == str(CC):
        patch.delenv("CC")
