"""What calls need of the step that makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.events import Event

__all__ = ["CallHost", "ToolHost"]


class CallHost(Protocol):
    """What a call of a model needs of the step that makes it."""

    def unmet(self, result: object) -> Sequence[str]:
        """Return what the step's requirements say of a result: a sentence for each that does not hold."""

    def choose_model(self, count: int) -> int:
        """Return which of a model and its fallbacks is to be asked, from 0.

        It is the next one after the step's retry policy has given up on the one before.

        Args:
            count: How many there are.
        """

    def afford(self, model: str) -> None:
        """Check that the run may call this model, ``provider:name``, once more.

        Raises:
            LimitError: It has used up its tokens, or what it may cost.
        """

    def spent(self, model: str, tokens_in: int, tokens_out: int) -> None:
        """Count what a call of a model has used."""

    def answering(self) -> AbstractContextManager[Callable[[str], None]]:
        """Show one more reply of a model, piece by piece, to whoever watches the run."""


class ToolHost(Protocol):
    """What a tool's call needs of the context that it is made in."""

    def report(self, text: str) -> None:
        """Tell whoever watches the run."""

    def write_event_to_stream(self, ev: Event | None) -> None:
        """Show an event to whoever watches the run."""

    def state_now(self) -> Any:
        """Return the run's state, which must not be changed; ``None`` if it has none."""

    async def resource(self, resource: Resource[Any]) -> Any:
        """Return the object of a resource, made if there is none yet."""
