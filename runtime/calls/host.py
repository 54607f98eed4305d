"""Protocols for the steps that make calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.events import Event

__all__ = ["CallHost", "Telling", "ToolHost"]


class Telling(Protocol):
    """What shows one reply of a model to the run's observers; called with a piece of its text, it shows that."""

    def __call__(self, text: str) -> None: ...

    def thinking(self, text: str) -> None:
        """Show a piece of what the model thinks before it answers."""

    def partial(self, value: Any) -> None:
        """Show the part of a structured answer that has arrived so far, as JSON data."""


class CallHost(Protocol):
    """The interface of a step that a model call uses."""

    def unmet(self, result: object) -> Sequence[str]:
        """Return a sentence for each of the step's requirements that a result does not meet."""

    def choose_model(self, count: int) -> int:
        """Return the index, from 0, of the model to call among a model and its fallbacks.

        It is the next one after the step's retry policy has given up on the one before.

        Args:
            count: The number of models.
        """

    def in_turn(self, limit: CallLimit | None, url: str | None = None) -> AbstractAsyncContextManager[None]:
        """Return the turn of a call: entering it waits until the call may begin, and it ends with the call.

        Args:
            limit: What the call itself is limited to, if it is.
            url: The address that it asks; the settings may limit the requests to its host.
        """

    def afford(self, model: str, *, own_server: bool = False) -> None:
        """Check that the run may call this model, ``provider:name``, once more.

        Args:
            own_server: Whether it is asked at an address of its own, where the provider's prices do not hold.

        Raises:
            LimitError: The run has used up its limit of tokens or of cost.
            SettingsError: The run's cost is limited, and the model's price is unknown.
        """

    def spent(
        self,
        model: str,
        tokens_in: int,
        tokens_out: int,
        *,
        cached: int = 0,
        price: Callable[[], float | None] | None = None,
    ) -> None:
        """Add the usage of a model call to the run's.

        Args:
            cached: The number of the tokens that came from the provider's cache.
            price: Returns what the call has cost in US dollars, if that is known; asked where no settings say it.
        """

    def answering(self) -> AbstractContextManager[Telling]:
        """Begin to stream another reply of a model, piece by piece, to the run's observers."""


class ToolHost(Protocol):
    """The interface of a context that a tool call uses."""

    def report(self, text: str) -> None:
        """Report progress to the run's observers."""

    def write_event_to_stream(self, ev: Event | None) -> None:
        """Send an event to the run's observers."""

    def state_now(self) -> Any:
        """Return the run's state, which must not be changed; ``None`` if it has none."""

    async def resource(self, resource: Resource[Any]) -> Any:
        """Return the object of a resource, creating it if there is none yet."""
