"""When a step that takes a list of events gets it: ``Annotated[list[E], Collect(Take(3))]``.

``TakeAll`` is what llama-index-workflows calls ``All``, which in ``wfc.runtime`` emits several events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Cardinality", "Collect", "Take", "TakeAll"]


class Cardinality:
    """How many events of a batch a collector waits for: ``TakeAll()`` or ``Take(n)``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TakeAll(Cardinality):
    """Those of all items, once no work of the batch is left; in the order of the items."""


@dataclass(frozen=True, slots=True)
class Take(Cardinality):
    """The first ``n`` that arrive, in that order; or fewer, once no work of the batch is left.

    The other items go on, and what they emit is late.

    Raises:
        ValueError: ``n`` is no integer greater than 0.
    """

    n: int

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise ValueError("`n` must be an integer greater than 0")


@dataclass(frozen=True, slots=True)
class Collect:
    """Goes with a parameter ``list[E]``, and says how many of a batch's events it waits for."""

    cardinality: Cardinality = field(default_factory=TakeAll)
