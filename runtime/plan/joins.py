"""Joins: ways for a step to accept several events together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["AllOf", "AtLeast", "EachOf", "FirstOf", "Join", "Rest"]

Rest = Literal["finish", "cancel"]
"""The treatment of the branches that a join did not wait for."""


@dataclass(frozen=True, slots=True)
class AllOf:
    """A join that fires when one event for each of its parameters has arrived.

    A parameter ``B | C`` takes one of either class.

    Args:
        fork: The step whose completions open the frames in which events belong together; ``None``: the start.
        within: Seconds from the opening of the frame, or ``None``: no bound.
        proceed: Whether it fires with what has arrived by then; else the step's ``on_timeout`` is taken.
    """

    fork: str | None
    within: float | None = None
    proceed: bool = False


@dataclass(frozen=True, slots=True)
class FirstOf:
    """A join that fires on the first of its events in a frame; the rest are late. See ``AllOf``.

    Args:
        rest: ``cancel`` cancels what could still lead to the join in that frame; ``finish`` lets it finish.
    """

    fork: str | None
    within: float | None = None
    proceed: bool = False
    rest: Rest = "finish"


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A join that fires when ``count`` of its events have arrived in a frame; the rest are late.

    See ``FirstOf``.
    """

    count: int
    fork: str | None
    within: float | None = None
    proceed: bool = False
    rest: Rest = "finish"


@dataclass(frozen=True, slots=True)
class EachOf:
    """A join that fires once no work of a batch is left, with all its events in the order of the items.

    Args:
        fork: The step that opens the batches; ``None`` takes the innermost batch, whoever opened it.
        within: Seconds from the opening of the batch, or ``None``: no bound.
        proceed: Whether it fires with what has arrived by then; else the step's ``on_timeout`` is taken.
        count: How many events suffice; ``None``: it waits for all, unless ``StepBounds`` say otherwise.
        rest: The treatment of the items that it did not wait for. ``cancel`` cancels them; with ``finish`` those
            that have not begun begin all the same; by default these begin unless its time was up.
    """

    fork: str | None
    within: float | None = None
    proceed: bool = False
    count: int | None = None
    rest: Rest | None = None


Join = AllOf | FirstOf | AtLeast | EachOf
