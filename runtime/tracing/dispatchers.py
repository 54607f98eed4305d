"""Dispatchers: a tree of names at which handlers are registered, those of a workflow below those of its module."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from wfc.runtime.tracing.spans import (
    Span,
    SpanHandler,
    active_instrument_tags,
    active_span,
)

if TYPE_CHECKING:
    from wfc.runtime.events import Event

__all__ = ["Dispatched", "Dispatcher", "EventHandler", "get_dispatcher", "handlers_at", "has_handlers"]

F = TypeVar("F", bound=Callable[..., Any])

_log = logging.getLogger("wfc.runtime")


@dataclass(frozen=True, slots=True)
class Dispatched:
    """An event as it is passed to handlers, with its origin.

    Args:
        event: An event of a run (also ``InternalDispatchEvent`` s), or one passed to ``Dispatcher.event``.
        span: The span in which it happened.
        tags: The tags active there.
        timestamp: When it was dispatched.
    """

    event: Event
    span: Span | None
    tags: dict[str, Any]
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))


class EventHandler:
    """Base class of event handlers. Exceptions that a handler raises are logged and do not affect the run."""

    def handle(self, dispatched: Dispatched) -> None:
        """Handle an event."""
        raise NotImplementedError


class Dispatcher:
    """A node in the tree of names.

    A run notifies the dispatcher of its workflow class, ``module.Class``, and then its ancestors up to the
    root, until one does not propagate. Handlers that are added during a run apply from the next run on.
    """

    def __init__(self, name: str, *, propagate: bool = True) -> None:
        self.name = name
        self.propagate = propagate
        self.event_handlers: tuple[EventHandler, ...] = ()
        self.span_handlers: tuple[SpanHandler, ...] = ()

    @property
    def parent(self) -> Dispatcher | None:
        """Return the next dispatcher on the way to the root."""
        return next(_way_up(self.name.rpartition(".")[0]), None) if self is not _ROOT else None

    def add_event_handler(self, handler: EventHandler) -> None:
        """Register a handler of events at this dispatcher and below."""
        self.event_handlers += (handler,)
        _count(1)

    def add_span_handler(self, handler: SpanHandler) -> None:
        """Register a handler of spans at this dispatcher and below."""
        self.span_handlers += (handler,)
        _count(1)

    def remove_handler(self, handler: EventHandler | SpanHandler) -> None:
        """Remove a handler. It is still notified of the end of spans that have already begun."""
        before = len(self.event_handlers) + len(self.span_handlers)
        self.event_handlers = tuple(one for one in self.event_handlers if one is not handler)
        self.span_handlers = tuple(one for one in self.span_handlers if one is not handler)
        _count(len(self.event_handlers) + len(self.span_handlers) - before)

    def event(self, event: Event) -> None:
        """Pass an event to the event handlers of this dispatcher and its ancestors."""
        handlers, _ = handlers_at(self.name)
        if handlers:
            notify(handlers, event, active_span())

    @contextmanager
    def open_span(self, name: str, **attributes: Any) -> Iterator[Span | None]:
        """Open a custom span around a block, inside any active one; ``None`` if there are no handlers."""
        outer = active_span()
        _, handlers = handlers_at(self.name)
        if not handlers:
            yield None
            return
        span = Span("own", name, handlers, parent=outer, tags=active_instrument_tags(), attributes=attributes)
        with span.running():
            yield span

    def span(self, function: F) -> F:
        """Decorate a function, or a coroutine function, so that each call is a span with its name."""
        name = function.__qualname__

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                with self.open_span(name) as span:
                    result = await function(*args, **kwargs)
                    if span is not None:
                        span.result = result
                    return result

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with self.open_span(name) as span:
                result = function(*args, **kwargs)
                if span is not None:
                    span.result = result
                return result

        return called  # type: ignore[return-value]


_ROOT = Dispatcher("root", propagate=False)
_NAMED: dict[str, Dispatcher] = {}
_registered = 0


def get_dispatcher(name: str = "root") -> Dispatcher:
    """Return the dispatcher of a dotted name, such as a module's or ``module.Class``; by default the root."""
    if name in {"", "root"}:
        return _ROOT
    if name not in _NAMED:
        _NAMED[name] = Dispatcher(name)
    return _NAMED[name]


def has_handlers() -> bool:
    """Return whether any handler is registered anywhere."""
    return _registered > 0


def handlers_at(name: str) -> tuple[tuple[EventHandler, ...], tuple[SpanHandler, ...]]:
    """Return all handlers that apply to a name: its own first, the root's last."""
    events: list[EventHandler] = []
    spans: list[SpanHandler] = []
    for dispatcher in _way_up(name):
        events += dispatcher.event_handlers
        spans += dispatcher.span_handlers
        if not dispatcher.propagate:
            break
    return tuple(dict.fromkeys(events)), tuple(dict.fromkeys(spans))


def notify(handlers: tuple[EventHandler, ...], event: Event, span: Span | None) -> None:
    """Pass an event to event handlers."""
    tags = span.tags if span is not None else active_instrument_tags()
    dispatched = Dispatched(event, span, dict(tags))
    for handler in handlers:
        try:
            handler.handle(dispatched)
        except Exception:
            _log.warning("an event handler failed", exc_info=True)


def _way_up(name: str) -> Iterator[Dispatcher]:
    while name:
        if name in _NAMED:
            yield _NAMED[name]
        name = name.rpartition(".")[0]
    yield _ROOT


def _count(more: int) -> None:
    global _registered  # noqa: PLW0603 - one number, which every start of a run reads
    _registered += more
