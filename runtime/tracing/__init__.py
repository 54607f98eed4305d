"""Spans and events of runs, and their handlers, in a tree of dispatchers.

`spans` has spans and their handlers, `dispatchers` the places to register them, `conventions` names of attributes.
`runs` creates the spans of runs, steps and attempts, `model_calls` has the attributes of requests to models,
and `opentelemetry` exports all spans to OpenTelemetry. Where no handler is registered, no span is created,
and only `opentelemetry` imports OpenTelemetry.
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
