"""Spans and events of runs, and the handlers that are told of them, in a tree of dispatchers.

`spans` has spans and their handlers, `dispatchers` the places to register them, `conventions` names of attributes.
`runs` makes the spans of runs, steps and attempts, `model_calls` says what spans of requests to models hold, and
`opentelemetry` makes spans of OpenTelemetry of them all. Where no handler is registered no span is made, and
OpenTelemetry is imported by `opentelemetry` alone.
"""

from __future__ import annotations

from wfc.runtime.tracing.dispatchers import (
    Dispatched,
    Dispatcher,
    EventHandler,
    get_dispatcher,
    handlers_at,
    has_handlers,
    notify,
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
    "has_handlers",
    "instrument_tags",
    "notify",
    "span_inside",
]
