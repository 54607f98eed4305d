"""Contracts: what other workflows and this workflow's parts declare of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import OneOf, Record, Type

__all__ = ["CalledWorkflow", "Contract", "PartFile", "ReceivedEvent", "result_of"]


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """An event that a workflow takes from outside; under one ``topic`` only, if it says so."""

    record: Record
    topic: str | None


@dataclass(frozen=True, slots=True)
class Contract:
    """The interface of a workflow, as other workflows see it.

    Args:
        start: Its inputs.
        ends: Its end events, by name.
        receives: What its runs take from outside, by the events' names.
        key: The type of what identifies its runs, or ``None`` where nothing does.
        topics: Under which its triggers start runs.
        webhooks: Of its triggers, each with where it is written.
    """

    name: str
    start: Record
    ends: Mapping[str, Record]
    receives: Mapping[str, ReceivedEvent]
    key: Type | None
    topics: frozenset[str] = frozenset()
    webhooks: Mapping[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CalledWorkflow:
    """Another workflow, as the spec that calls it sees it.

    Args:
        at: Where its start event is declared.
        start: The record of its inputs.
        ends: Its end events: the name of each, and the record that its fields are read as here.
        description: What it says of itself.
    """

    name: str
    path: str
    at: Place
    start: Record
    ends: tuple[tuple[str, Record], ...]
    description: str = ""


def result_of(ends: Iterable[tuple[str, Record]]) -> Type:
    """Return the type of the result of a run that ends with one of these events."""
    records = tuple(record for _, record in ends)
    return records[0] if len(records) == 1 else OneOf(records)


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file with steps.

    Args:
        name: As it calls itself.
        path: As findings show it.
        data: What is well-shaped of it.
        accepts: Events that may come into it, each with where it is listed.
        emits: Events that may leave it.
    """

    name: str
    path: str
    data: Data
    accepts: Mapping[str, Place]
    emits: Mapping[str, Place]
