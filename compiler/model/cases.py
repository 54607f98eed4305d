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
        asks: What a tool asks a person before: its title, and its form as a JSON Schema.
    """

    value: object = field(default=None, hash=False)
    error: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    body: object = field(default=None, hash=False)
    after: float = 0.0
    attempts: tuple[MockAnswer, ...] = ()
    asks: Mapping[str, object] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event from outside, so many seconds after the start; its fields are plain JSON data."""

    event: str
    fields: Mapping[str, object]
    after: float


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What a model replies in a turn of an agent, and to what; everything is plain JSON data.

    Args:
        say: What it says.
        give: Its answer, as a list of that alone; empty if it gives none.
        calls: The calls that it asks for: tools with their arguments.
        code: The Python that it writes.
        error: The error with which the call of the model fails, by its dotted name.
        asked: A part of the agent's prompt.
        shown: A part of what the model was told since its last reply.
        offered: The tools that it is offered; ``None``: any.
    """

    say: str = ""
    give: tuple[object, ...] = field(default=(), hash=False)
    calls: tuple[tuple[str, Mapping[str, object]], ...] = field(default=(), hash=False)
    error: str | None = None
    asked: str = ""
    shown: str = ""
    offered: tuple[str, ...] | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class TestCase:
    """A test of the spec's own; values are plain JSON data.

    Args:
        mock: Step name → answers for its successive runs; the last one repeats.
        real: Names of steps whose action is really done.
        clock: The virtual clock's start, ISO 8601, or ``None``.
        expect: As written: ``end with after ran emitted state streamed calls turns fails``; lengths of time in seconds.
        deliver: Events from outside, in the order in which they come.
        config: Fields of the config that have another value than tests give them by themselves.
        cancel: When the run is cancelled, in seconds after its start; ``None``: it is not.
        script: Step or agent → the replies of its model.
        tools: Tool → answers for successive calls by agents; the last one repeats.
        people: Tool → what people say to successive calls that they have to allow.
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
    script: Mapping[str, tuple[ScriptedReply, ...]] = field(default_factory=dict)
    tools: Mapping[str, tuple[MockAnswer, ...]] = field(default_factory=dict)
    people: Mapping[str, tuple[MockAnswer, ...]] = field(default_factory=dict)


__all__ = ["Delivery", "MockAnswer", "ScriptedReply", "TestCase"]
