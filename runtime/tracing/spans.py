"""Spans of runs, steps, attempts and calls: what was done, when, and inside which other span."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Literal

__all__ = [
    "Span",
    "SpanHandler",
    "SpanKind",
    "active_instrument_tags",
    "active_span",
    "instrument_tags",
    "span_inside",
]

SpanKind = Literal["run", "step", "attempt", "model", "tool", "http", "own"]

_log = logging.getLogger("wfc.runtime")


class SpanHandler:
    """Base class of handlers of spans. Exceptions that a handler raises are logged and do not affect the run.

    A subclass overrides the methods it needs. ``enter`` and ``exit`` bracket a span. ``activate`` and
    ``deactivate`` bracket the code that runs in it, in one ``contextvars`` context, so that context variables
    set in the one can be reset in the other.
    """

    def enter(self, span: Span) -> None:
        """Handle the begin of a span. ``span.kept[self]`` can hold data of the handler for this span."""

    def exit(self, span: Span) -> None:
        """Handle the end of a span: done, failed (``span.error``) or cancelled (``span.is_cancelled``)."""

    def activate(self, span: Span) -> Any:
        """Prepare for code of the span to run, and return a token that is passed to ``deactivate``."""

    def deactivate(self, span: Span, token: Any) -> None:
        """Clean up after code of the span has run."""

    def carry(self, span: Span) -> Mapping[str, str]:
        """Return data for child spans in another process, or after a restart: their ``span.carried``."""
        return {}


class Span:
    """A period of time in which an operation took place.

    Args:
        kind: The kind of operation; ``own`` is a span that user code opens.
        name: Name of the workflow, the step, the model, the tool …
        handlers: The handlers to notify.
        parent: The span that it is a part of, if that is in this process.
        carried: Data of a parent in another process, or before a restart: see ``Span.carry``.
        tags: Tags that the user has set.
        attributes: Attributes that may always be recorded, by the names in ``conventions``.
        content: Messages, arguments of tools and the like, by the same names: recorded only if a handler is
            configured to record content.
        owner: The workflow object.

    ``started`` and ``ended`` are in nanoseconds since 1970. ``result`` is the result of the operation.
    """

    __slots__ = (
        "attributes",
        "carried",
        "content",
        "ended",
        "error",
        "handlers",
        "id",
        "is_cancelled",
        "kept",
        "kind",
        "name",
        "owner",
        "parent",
        "result",
        "started",
        "tags",
    )

    def __init__(
        self,
        kind: SpanKind,
        name: str,
        handlers: tuple[SpanHandler, ...],
        *,
        parent: Span | None = None,
        carried: Mapping[str, str] | None = None,
        tags: Mapping[str, Any] | None = None,
        attributes: dict[str, Any] | None = None,
        content: dict[str, Any] | None = None,
        owner: Any = None,
    ) -> None:
        self.id = os.urandom(8).hex()
        self.kind: SpanKind = kind
        self.name = name
        self.handlers = handlers
        self.parent = parent
        self.carried: Mapping[str, str] = carried or {}
        self.tags: Mapping[str, Any] = tags if tags is not None else parent.tags if parent else {}
        self.attributes: dict[str, Any] = attributes if attributes is not None else {}
        self.content: dict[str, Any] = content if content is not None else {}
        self.owner: Any = owner if owner is not None or parent is None else parent.owner
        self.kept: dict[SpanHandler, Any] = {}
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_cancelled = False
        self.started = time.time_ns()
        self.ended: int | None = None
        self._tell("enter")

    @property
    def parent_id(self) -> str | None:
        """The id of the parent span, also of one in another process."""
        return self.parent.id if self.parent is not None else self.carried.get("wfc-span")

    def below(self, kind: SpanKind, name: str, **more: Any) -> Span:
        """Begin a child span of this one."""
        return Span(kind, name, self.handlers, parent=self, **more)

    def close(
        self, *, result: Any = None, error: BaseException | None = None, cancelled: bool = False
    ) -> None:
        """End the span; a second call has no effect."""
        if self.ended is None:
            self.ended = time.time_ns()
            self.result, self.error, self.is_cancelled = result, error, cancelled
            self._tell("exit")

    def carry(self) -> dict[str, str]:
        """Return plain data that identifies this span as a parent in another process, or after a restart."""
        found = {"wfc-span": self.id}
        for handler in self.handlers:
            try:
                found.update(handler.carry(self))
            except Exception:
                _log.warning("a span handler failed", exc_info=True)
        return found

    def activate(self) -> list[Any]:
        """Make this the active span, and return tokens for ``deactivate``."""
        tokens: list[Any] = [_ACTIVE.set(self), _TAGS.set(self.tags)]
        for handler in self.handlers:
            tokens.append(None)
            try:
                tokens[-1] = handler.activate(self)
            except Exception:
                _log.warning("a span handler failed", exc_info=True)
        return tokens

    def deactivate(self, tokens: list[Any]) -> None:
        """Undo ``activate``, in the same ``contextvars`` context."""
        active, tags, *others = tokens
        for handler, token in zip(reversed(self.handlers), reversed(others), strict=True):
            try:
                handler.deactivate(self, token)
            except Exception:
                _log.warning("a span handler failed", exc_info=True)
        _TAGS.reset(tags)
        _ACTIVE.reset(active)

    def fail(self, error: BaseException) -> None:
        """End the span with an error; one that is not an ``Exception`` counts as a cancellation."""
        cancelled = not isinstance(error, Exception)
        self.close(error=None if cancelled else error, cancelled=cancelled)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the span active while the block runs, and close it afterwards."""
        tokens = self.activate()
        try:
            yield
        except BaseException as error:
            self.fail(error)
            raise
        else:
            self.close(result=self.result)
        finally:
            self.deactivate(tokens)

    def _tell(self, what: Literal["enter", "exit"]) -> None:
        for handler in self.handlers:
            try:
                getattr(handler, what)(self)
            except Exception:
                _log.warning("a span handler failed", exc_info=True)

    def __repr__(self) -> str:
        return f"<span {self.kind} {self.name} {self.id}>"


_ACTIVE: ContextVar[Span | None] = ContextVar("wfc_active_span", default=None)
_TAGS: ContextVar[Mapping[str, Any]] = ContextVar("wfc_instrument_tags", default={})  # noqa: B039 - never written to


def active_span() -> Span | None:
    """Return the span in which the calling code runs."""
    return _ACTIVE.get()


def active_instrument_tags() -> Mapping[str, Any]:
    """Return the tags that are active in the calling code."""
    return _TAGS.get()


@contextmanager
def instrument_tags(new_tags: Mapping[str, Any]) -> Iterator[None]:
    """Set the tags of all runs and spans that begin inside the block, in place of the active ones."""
    token: Token[Mapping[str, Any]] = _TAGS.set(dict(new_tags))
    try:
        yield
    finally:
        _TAGS.reset(token)


@contextmanager
def span_inside(
    kind: SpanKind, name: str, describe: Callable[[], Mapping[str, Any]] | None = None
) -> Iterator[Span | None]:
    """Open a span inside the active one around a block; ``None``, at no cost, if no span is active.

    Args:
        describe: Returns attributes; called only if a span is active.
    """
    outer = _ACTIVE.get()
    if outer is None or outer.ended is not None:
        yield None
        return
    span = outer.below(kind, name, attributes=dict(describe()) if describe is not None else {})
    with span.running():
        yield span
