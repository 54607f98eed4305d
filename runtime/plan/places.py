"""The places in a run that is a part of another, as breakpoints, histories and traces name them."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Places"]


class Places(Protocol):
    """The names of the places within the runs of a workflow that others see as a part of theirs."""

    def of(self, step: str, event: Any, state: Any) -> str:
        """Return the place of a step run, such as ``turn 3/refund``; empty for one that nobody needs to know of.

        Args:
            step: The step's name.
            event: What it begins with.
            state: The run's state at that moment.
        """

    def problem(self, place: str) -> str:
        """Return why there is no such place; empty, if there may be."""
