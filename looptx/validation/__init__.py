"""Translation validation: a kernel and its rewritten form, run on symbols and compared.

It is independent of the proof: it knows no dependences, and reads nothing of a schedule
but its numbers (to choose sizes) and which sums may be taken in any order.
"""

from looptx.validation.check import validate
from looptx.validation.result import Compared, Validation, merged
from looptx.validation.subject import Subject

__all__ = ["Compared", "Subject", "Validation", "merged", "validate"]
