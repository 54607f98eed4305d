"""What the models of a run have used, by step, as `wfc run` prints it at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wfc.runtime.events import Event
    from wfc.runtime.events.internal import ModelCalled

__all__ = ["Usage"]


@dataclass(slots=True)
class Total:
    """The sum of several calls.

    Args:
        cost_usd: In US dollars, of the calls whose price is known.
        unpriced: How many calls have no known price.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    def add(self, call: ModelCalled) -> None:
        """Add a call."""
        self.calls += 1
        self.tokens_in += call.tokens_in
        self.tokens_out += call.tokens_out
        self.tokens_cached += call.tokens_cached
        self.cost_usd += call.cost_usd or 0.0
        self.unpriced += call.cost_usd is None

    def __str__(self) -> str:
        cached = f" ({self.tokens_cached:,} of them cached)" if self.tokens_cached else ""
        asked = "once" if self.calls == 1 else f"{self.calls:,} times"
        if not self.tokens_in and not self.tokens_out:
            return f"{asked}, and was not told how many tokens that took"
        told = f"{asked}, {self.tokens_in:,} tokens in{cached}, {self.tokens_out:,} out"
        if self.unpriced == self.calls:
            return f"{told}, price unknown"
        rest = f" and {self.unpriced:,} calls of unknown price" if self.unpriced else ""
        return f"{told}, {self.cost_usd:.6f}".rstrip("0").rstrip(".") + f" US dollars{rest}"


class Usage:
    """The usage of the models of a run."""

    def __init__(self) -> None:
        self._by_step: dict[tuple[str, str], Total] = {}
        self._all = Total()

    def see(self, event: Event) -> None:
        """Count an event if it is a call of a model, also one of a run that is part of this one."""
        from wfc.runtime.events.internal import ChildNote, ModelCalled

        if isinstance(event, ModelCalled):
            self._add(event.step_name, event)
        elif isinstance(event, ChildNote) and isinstance(event.event, ModelCalled):
            self._add(f"{event.workflow}.{event.event.step_name}", event.event)

    def _add(self, step: str, call: ModelCalled) -> None:
        self._by_step.setdefault((step, call.model), Total()).add(call)
        self._all.add(call)

    def lines(self) -> Iterator[str]:
        """Yield a line for each step and model, and one for all of them if there are several."""
        for (step, model), total in self._by_step.items():
            yield f"{step} asked {model} {total}"
        if len(self._by_step) > 1:
            yield f"models in all: {self._all}"
