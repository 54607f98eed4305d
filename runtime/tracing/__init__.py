"""Whoever wants to know what runs do: handlers of events and of spans, in a tree of dispatchers."""

from __future__ import annotations

from wfc.runtime.tracing.dispatchers import (
    Dispatched,
    Dispatcher,
    EventHandler,
    get_dispatcher,
    handlers_at,
    is_anybody_there,
    tell,
)
from wfc.runtime.tracing.spans import (
    Span,
    SpanHandler,
    SpanKind,
    active_instrument_tags,
    active_span,
    instrument_tags,
    span_inside,
)

__all__ = [
    "Dispatched",
    "Dispatcher",
    "EventHandler",
    "Span",
    "SpanHandler",
    "SpanKind",
    "active_instrument_tags",
    "active_span",
    "get_dispatcher",
    "handlers_at",
    "instrument_tags",
    "is_anybody_there",
    "span_inside",
    "tell",
]
