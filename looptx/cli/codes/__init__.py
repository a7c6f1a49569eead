"""What each error code means, an example, and what to do: ``looptx explain LX201``."""

from __future__ import annotations

from looptx.cli.codes.explanation import Explanation
from looptx.cli.codes.files import FILES
from looptx.cli.codes.native import NATIVE
from looptx.cli.codes.proof import PROOF
from looptx.cli.codes.python import PYTHON
from looptx.cli.codes.words import WORDS

EXPLANATIONS: dict[str, Explanation] = {**WORDS, **PROOF, **PYTHON, **FILES, **NATIVE}
"""Every key of ``errors.CODES``."""

__all__ = ["EXPLANATIONS", "Explanation"]
