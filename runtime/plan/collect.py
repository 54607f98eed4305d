"""Options for when a step receives its list of events: ``Annotated[list[E], Collect(Take(3))]``.

``TakeAll`` is what llama-index-workflows calls ``All``, which in ``wfc.runtime`` emits several events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Cardinality", "Collect", "Take", "TakeAll"]


class Cardinality:
    """The number of events of a batch that a collector waits for: ``TakeAll()`` or ``Take(n)``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TakeAll(Cardinality):
    """The events of all items, in the order of the items, once no work of the batch is left."""


@dataclass(frozen=True, slots=True)
class Take(Cardinality):
    """The first ``n`` events to arrive, in that order, or fewer once no work of the batch is left.

    The other items continue, and events from them are late.

    Raises:
        ValueError: ``n`` is not an integer greater than 0.
    """

    n: int

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise ValueError("`n` must be an integer greater than 0")


@dataclass(frozen=True, slots=True)
class Collect:
    """An annotation of a ``list[E]`` parameter: how many of a batch's events it waits for."""

    cardinality: Cardinality = field(default_factory=TakeAll)
