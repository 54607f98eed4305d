"""What a step waits for."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression
from wfc.compiler.model.events import Event
from wfc.compiler.slotted import dataclass


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Accepts each of these events by itself."""

    events: tuple[Event, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class Join:
    """Accepts several events together.

    Args:
        form: ``all``, ``any``, ``at_least`` or ``each``.
        count: How many must have arrived (``at_least``), else 0.
        within: Seconds from the opening of the frame, or ``None``.
        proceed: ``on_timeout: proceed``: it fires with what has arrived.
        fork: The step that opens its frames, by name; ``None`` for the start of the run. For ``each`` the
            step whose ``emit`` has the `each`. Filled by ``resolve`` through ``resolve.whole.forks``; ``None``
            too where a finding says that there is none.
        rest: What becomes of the branches that it does not wait for, where the author says so (a race is then
            declared).
        match_by: The value by which the events that belong together are found, or ``None``.
    """

    form: Literal["all", "any", "at_least", "each"]
    events: tuple[Event, ...]
    count: int
    within: float | None
    proceed: bool
    fork: str | None
    address: Address
    rest: Literal["finish", "cancel"] | None = None
    match_by: Expression | None = None


__all__ = ["AnyOf", "Join"]
