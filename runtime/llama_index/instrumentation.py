"""A bridge that passes our runs, steps and calls to handlers written for llama-index-instrumentation."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any, Final

from wfc.runtime.errors import MissingPackageError
from wfc.runtime.events import Event
from wfc.runtime.tracing import Dispatched, EventHandler, Span, SpanHandler, get_dispatcher

try:
    import llama_index_instrumentation as theirs
    from llama_index_instrumentation.base import BaseEvent
    from llama_index_instrumentation.dispatcher import active_instrument_tags
    from llama_index_instrumentation.events.span import SpanDropEvent
    from llama_index_instrumentation.span import active_span_id
except ImportError:
    raise MissingPackageError(
        "the bridge needs the package llama-index-instrumentation: pip install llama-index-instrumentation"
    ) from None

__all__ = ["Bridge", "RunEvent", "SpanCancelledEvent", "install"]

NAME: Final = "wfc.runtime"
"""Of their dispatcher that ours tell: a child of their root."""

_CARRIED: Final = "llama-index"


class RunEvent(BaseEvent):
    """An event of a run: what its stream shows, and what happens inside."""

    event: Any
    name: str

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which llama-index identifies the class."""
        return "RunEvent"


class SpanCancelledEvent(BaseEvent):
    """A span was cancelled, which is no error."""

    reason: str

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which llama-index identifies the class."""
        return "SpanCancelledEvent"


class Bridge(SpanHandler, EventHandler):
    """A handler that forwards our spans and events to the dispatchers of llama-index.

    While a step's code runs, its attempt is their active span: what an LLM of llama-index records there
    is placed below it.
    """

    def __init__(self) -> None:
        self._dispatcher = theirs.get_dispatcher(NAME)

    def enter(self, span: Span) -> None:
        """Call their ``span_enter``, with the workflow as the instance and the span's input as arguments."""
        if _CARRIED in span.carried:
            self._dispatcher.restore_propagation_context(json.loads(span.carried[_CARRIED]))
        parent = span.parent.kept.get(self) if span.parent is not None else None
        own_class = type(span.owner).__name__ if span.owner is not None else "span"
        id_ = f"{own_class}.{'run' if span.kind == 'run' else span.name}-{span.id}"
        span.kept[self] = id_
        self._dispatcher.span_enter(
            id_=id_,
            bound_args=_arguments(span),
            instance=span.owner,
            parent_id=parent or active_span_id.get(),
            tags={**active_instrument_tags.get(), **span.tags, **span.attributes},
        )

    def exit(self, span: Span) -> None:
        """Call their ``span_exit``, or for a failed span ``span_drop``, with its event."""
        id_ = span.kept.get(self)
        if id_ is None:
            return
        told = {"id_": id_, "bound_args": _arguments(span), "instance": span.owner}
        if span.error is not None:
            self._dispatcher.event(SpanDropEvent(span_id=id_, err_str=str(span.error)))
            self._dispatcher.span_drop(**told, err=span.error)
            return
        if span.is_cancelled:
            self._dispatcher.event(SpanCancelledEvent(span_id=id_, reason=f"{span.kind} cancelled"))
        self._dispatcher.span_exit(**told, result=span.result)

    def activate(self, span: Span) -> Any:
        """Make this their active span, with its tags."""
        tags = {**active_instrument_tags.get(), **span.tags}
        return active_span_id.set(span.kept.get(self)), active_instrument_tags.set(tags)

    def deactivate(self, span: Span, token: Any) -> None:
        """Undo what ``activate`` set."""
        active, tags = token
        active_instrument_tags.reset(tags)
        active_span_id.reset(active)

    def carry(self, span: Span) -> Mapping[str, str]:
        """Return the propagation context of their span handlers, as JSON."""
        found = self._dispatcher.capture_propagation_context()
        return {_CARRIED: json.dumps(found, default=str)} if found else {}

    def handle(self, dispatched: Dispatched) -> None:
        """Call their ``event``, with the span in which our event happened."""
        span = dispatched.span
        event: Event = dispatched.event
        self._dispatcher.event(
            RunEvent(
                event=event,
                name=type(event).__name__,
                span_id=None if span is None else span.kept.get(self),
                tags=dict(dispatched.tags),
            )
        )


def install(name: str = "root") -> Bridge:
    """Forward all runs that start from now on to the handlers of llama-index.

    Args:
        name: The name of our dispatcher: a module's, or ``module.Class``, restricts this to its workflows.
    """
    bridge = Bridge()
    get_dispatcher(name).add_span_handler(bridge)
    get_dispatcher(name).add_event_handler(bridge)
    return bridge


def _arguments(span: Span) -> inspect.BoundArguments:
    """Return the input of a span as the bound arguments of a call."""
    given = {name.rpartition(".")[2]: value for name, value in span.content.items()}
    names = [name for name in given if name.isidentifier()]
    signature = inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names])
    return signature.bind(**{name: given[name] for name in names})
