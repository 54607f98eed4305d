"""Tests in a spec."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Address
from wfc.compiler.slotted import dataclass, field


@dataclass(frozen=True, slots=True)
class MockAnswer:
    """What a mocked step gives, or how it fails, and when; everything is plain JSON data.

    Args:
        value: Its result.
        error: The error with which it fails instead, by its dotted name.
        status: Of the reply to a request.
        headers: Of the reply to a request.
        body: What the service replied, where the error is an HTTP status.
        after: Seconds until the answer is there.
        attempts: An answer for each attempt of one run; then nothing else of this counts.
    """

    value: object = field(default=None, hash=False)
    error: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    body: object = field(default=None, hash=False)
    after: float = 0.0
    attempts: tuple[MockAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event from outside, so many seconds after the start; its fields are plain JSON data."""

    event: str
    fields: Mapping[str, object]
    after: float


@dataclass(frozen=True, slots=True)
class TestCase:
    """A test of the spec's own; values are plain JSON data.

    Args:
        mock: Step name → answers for its successive runs; the last one repeats.
        real: Names of steps whose action is really done.
        clock: The virtual clock's start, ISO 8601, or ``None``.
        expect: As written: ``end with after ran emitted state streamed fails``; lengths of time in seconds.
        deliver: Events from outside, in the order in which they come.
        config: Fields of the config that have another value than tests give them by themselves.
        cancel: When the run is cancelled, in seconds after its start; ``None``: it is not.
    """

    __test__ = False  # not one of pytest's

    name: str
    start: Mapping[str, object]
    mock: Mapping[str, tuple[MockAnswer, ...]]
    real: tuple[str, ...]
    clock: str | None
    expect: Mapping[str, object]
    address: Address
    deliver: tuple[Delivery, ...] = ()
    config: Mapping[str, object] = field(default_factory=dict)
    cancel: float | None = None


__all__ = ["Delivery", "MockAnswer", "TestCase"]
