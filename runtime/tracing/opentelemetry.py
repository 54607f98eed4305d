"""Export of the spans of runs, steps, attempts and calls to OpenTelemetry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from wfc.runtime.errors import MissingPackageError, StepFailedError
from wfc.runtime.errors.raised import step_error
from wfc.runtime.tracing import Span, SpanHandler, SpanKind, conventions, get_dispatcher

try:
    from opentelemetry import context, trace
    from opentelemetry.trace import SpanKind as Kind
    from opentelemetry.trace import Status, StatusCode, TracerProvider
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError:
    raise MissingPackageError(
        "traces need the package opentelemetry-api: pip install 'wfc-workflows[otel]'"
    ) from None

__all__ = ["OpenTelemetrySpans", "install"]

_PLAIN = (str, bool, int, float)
_LONGEST = 10_000
"""Letters of recorded content; the rest is cut off."""

_VERB: Final[dict[SpanKind, str]] = {
    "run": conventions.INVOKE_WORKFLOW,
    "step": "step",
    "attempt": "attempt",
    "model": conventions.CHAT,
    "tool": conventions.EXECUTE_TOOL,
}
"""What a span's name begins with, before the name of what it is about."""

_W3C = TraceContextTextMapPropagator()


class OpenTelemetrySpans(SpanHandler):
    """A span handler that creates an OpenTelemetry span for each span.

    While the code of a step runs, the span of its attempt is OpenTelemetry's current one, so that the spans
    of other instrumented code, such as a database client, become its children.

    Args:
        tracer_provider: ``None``: the global one of the process.
        record_content: Whether to record prompts and answers of models, arguments and results of tools, the
            events that steps ran on, and the messages of errors. Without it only names, numbers and times are.
    """

    def __init__(
        self, tracer_provider: TracerProvider | None = None, *, record_content: bool = False
    ) -> None:
        self._tracer = trace.get_tracer("wfc.runtime", tracer_provider=tracer_provider)
        self._record_content = record_content

    def enter(self, span: Span) -> None:
        """Start a span below its parent: in this process, in another one, or OpenTelemetry's current span."""
        above = span.parent.kept.get(self) if span.parent is not None else None
        if above is not None:
            parent = trace.set_span_in_context(above)
        else:
            parent = (
                _W3C.extract(dict(span.carried)) if "traceparent" in span.carried else context.get_current()
            )
        verb = _VERB.get(span.kind)
        span.kept[self] = self._tracer.start_span(
            f"{verb} {span.name}" if verb else span.name,
            parent,
            Kind.CLIENT if span.kind in {"model", "http"} else Kind.INTERNAL,
            start_time=span.started,
        )

    def exit(self, span: Span) -> None:
        """End the span, with its attributes."""
        made = span.kept.get(self)
        if made is None:
            return
        if made.is_recording():
            made.set_attributes(_attributes(span.attributes))
            made.set_attributes(
                {conventions.TAG + key: value for key, value in _attributes(span.tags).items()}
            )
            if self._record_content:
                made.set_attributes({key: _as_text(value) for key, value in span.content.items()})
            if span.error is not None:
                made.set_attribute(conventions.ERROR_TYPE, _name_of(span.error))
                made.set_status(Status(StatusCode.ERROR, str(span.error) if self._record_content else None))
            if span.is_cancelled:
                made.set_attribute(conventions.CANCELLED, True)
        made.end(span.ended)

    def activate(self, span: Span) -> Any:
        """Make the span OpenTelemetry's current one."""
        made = span.kept.get(self)
        return None if made is None else context.attach(trace.set_span_in_context(made))

    def deactivate(self, span: Span, token: Any) -> None:
        """Restore the previous current span."""
        if token is not None:
            context.detach(token)

    def carry(self, span: Span) -> Mapping[str, str]:
        """Return ``traceparent`` and ``tracestate`` as defined by W3C Trace Context."""
        carrier: dict[str, str] = {}
        made = span.kept.get(self)
        if made is not None:
            _W3C.inject(carrier, trace.set_span_in_context(made))
        return carrier


def install(
    tracer_provider: TracerProvider | None = None, *, record_content: bool = False, name: str = "root"
) -> OpenTelemetrySpans:
    """Enable tracing of all runs that start from now on.

    Args:
        tracer_provider: See ``OpenTelemetrySpans``.
        record_content: See ``OpenTelemetrySpans``.
        name: The dispatcher's name: a module's, or ``module.Class``, restricts tracing to its workflows.
    """
    handler = OpenTelemetrySpans(tracer_provider, record_content=record_content)
    get_dispatcher(name).add_span_handler(handler)
    return handler


def _attributes(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return those attributes whose values OpenTelemetry supports."""
    return {
        str(key): value
        for key, value in found.items()
        if isinstance(value, _PLAIN)
        or (isinstance(value, list | tuple) and all(isinstance(one, str) for one in value))
    }


def _as_text(content: Any) -> str:
    if isinstance(content, str):
        return content[:_LONGEST]
    return json.dumps(content, ensure_ascii=False, default=_as_data)[:_LONGEST]


def _as_data(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", fallback=str) if dump is not None else str(value)


def _name_of(error: BaseException) -> str:
    """Return the error's dotted name, such as ``http.503`` or ``python.ValueError``."""
    return error.name if isinstance(error, StepFailedError) else step_error(error).name
