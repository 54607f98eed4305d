"""Spans: what a run, a step, an attempt or a call was, from when to when, and inside of what."""

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
    """Is told of spans. A subclass overrides what it needs; what it raises is logged and harms no run.

    ``enter`` and ``exit`` bracket a span. ``activate`` and ``deactivate`` bracket the code that runs in it, in one
    context of variables, so that context variables set in the one can be set back in the other.
    """

    def enter(self, span: Span) -> None:
        """A span begins. ``span.kept[self]`` is a place for what the handler wants to keep with it."""

    def exit(self, span: Span) -> None:
        """A span is over: done, failed (``span.error``) or cancelled (``span.is_cancelled``)."""

    def activate(self, span: Span) -> Any:
        """Code that belongs to the span begins to run; what is returned comes back in ``deactivate``."""

    def deactivate(self, span: Span, token: Any) -> None:
        """That code has run."""

    def carry(self, span: Span) -> Mapping[str, str]:
        """What must be known elsewhere, or after a restart, to put a span below this one: ``span.carried`` there."""
        return {}


class Span:
    """A stretch of time in which something was done.

    Args:
        kind: What it was; ``own`` is what code of the user's calls one.
        name: Of the workflow, the step, the model, the tool …
        handlers: Who is told of it.
        parent: The span that it is a part of, if that is in this process.
        carried: What the parent said of itself elsewhere, or before a restart: see ``Span.carry``.
        tags: The user's own words for what happens here.
        attributes: What may be recorded, by the names in ``conventions``.
        content: What people said and what tools were given, by the same names: recorded only where a handler
            was told to.
        owner: The workflow object.

    ``started`` and ``ended`` are in nanoseconds since 1970. ``result`` is what came of it.
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
        """The id of the span that it is a part of, also of one in another process."""
        return self.parent.id if self.parent is not None else self.carried.get("wfc-span")

    def below(self, kind: SpanKind, name: str, **more: Any) -> Span:
        """Begins a span inside this one."""
        return Span(kind, name, self.handlers, parent=self, **more)

    def close(
        self, *, result: Any = None, error: BaseException | None = None, cancelled: bool = False
    ) -> None:
        """Ends it; a second time changes nothing."""
        if self.ended is None:
            self.ended = time.time_ns()
            self.result, self.error, self.is_cancelled = result, error, cancelled
            self._tell("exit")

    def carry(self) -> dict[str, str]:
        """The span as plain data, with which a span elsewhere, or after a restart, knows its parent."""
        found = {"wfc-span": self.id}
        for handler in self.handlers:
            try:
                found.update(handler.carry(self))
            except Exception:
                _log.warning("a span handler failed", exc_info=True)
        return found

    def activate(self) -> list[Any]:
        """Makes it the one that code here runs in; ``deactivate`` takes what this gives."""
        tokens: list[Any] = [_ACTIVE.set(self), _TAGS.set(self.tags)]
        for handler in self.handlers:
            tokens.append(None)
            try:
                tokens[-1] = handler.activate(self)
            except Exception:
                _log.warning("a span handler failed", exc_info=True)
        return tokens

    def deactivate(self, tokens: list[Any]) -> None:
        """Ends what ``activate`` began, in the same context of variables."""
        active, tags, *others = tokens
        for handler, token in zip(reversed(self.handlers), reversed(others), strict=True):
            try:
                handler.deactivate(self, token)
            except Exception:
                _log.warning("a span handler failed", exc_info=True)
        _TAGS.reset(tags)
        _ACTIVE.reset(active)

    def fail(self, error: BaseException) -> None:
        """Ends it with an error; what is no ``Exception`` is a cancellation."""
        cancelled = not isinstance(error, Exception)
        self.close(error=None if cancelled else error, cancelled=cancelled)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around the code that is the span: active while it runs, closed when it is done."""
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
    """The span that the code that asks runs in."""
    return _ACTIVE.get()


def active_instrument_tags() -> Mapping[str, Any]:
    """The tags in force here."""
    return _TAGS.get()


@contextmanager
def instrument_tags(new_tags: Mapping[str, Any]) -> Iterator[None]:
    """Has these tags, instead of those in force, on all runs and spans that begin inside."""
    token: Token[Mapping[str, Any]] = _TAGS.set(dict(new_tags))
    try:
        yield
    finally:
        _TAGS.reset(token)


@contextmanager
def span_inside(
    kind: SpanKind, name: str, describe: Callable[[], Mapping[str, Any]] | None = None
) -> Iterator[Span | None]:
    """A span inside the active one, around a block; ``None``, at no cost, where there is none.

    Args:
        describe: Gives attributes; called only if there is a span to put them on.
    """
    outer = _ACTIVE.get()
    if outer is None or outer.ended is not None:
        yield None
        return
    span = outer.below(kind, name, attributes=dict(describe()) if describe is not None else {})
    with span.running():
        yield span
