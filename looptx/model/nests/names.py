"""What the names in a nest mean, as far as its function tells."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.model.callees.callee import Callee
from looptx.model.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean.

    Attributes:
        functions: full names of these and of constants: ``{"np.exp": "numpy.exp"}``.
        callees: the functions of the user that it calls, by what calls name.
        hidden: those of ``WRITTEN`` that may mean something else.
        numpy: NumPy's name in the function, or empty.
    """

    functions: Mapping[str, str] = field(default_factory=dict)
    callees: Mapping[str, Callee] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    numpy: str = ""
