"""Tests in a spec."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Address
from wfc.compiler.slotted import dataclass, field


@dataclass(frozen=True, slots=True)
class MockAnswer:
    """The result of a mocked step: a value, or an error by its dotted name."""

    value: object = field(default=None, hash=False)
    error: str | None = None


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
        expect: As written: ``end with ran emitted state streamed fails``.
        deliver: Events from outside, in the order in which they come.
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


__all__ = ["Delivery", "MockAnswer", "TestCase"]
