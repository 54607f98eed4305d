"""The description of a plan as plain data, kept with its runs: later versions are judged by it without any code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from wfc.runtime.authoring.signatures import arguments_of
from wfc.runtime.events import StartEvent, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.pauses import Outside, Question
from wfc.runtime.plan.signature import EventClass, Gives
from wfc.runtime.plan.step import Step
from wfc.runtime.store.classes import Classes
from wfc.runtime.store.versions.types import TypeDescriber
from wfc.runtime.values.outside_names import own_name

__all__ = ["Described", "describe", "describe_classes"]

FORMAT: Final = 1
"""The format of descriptions; it is a part of them, and so of their digests."""

_RETRIES: Final = ("max_attempts", "delay", "backoff", "max_delay", "total_timeout", "retry_on", "never_on")

_KNOWN: WeakKeyDictionary[Plan, Described] = WeakKeyDictionary()


class Described(NamedTuple):
    """The description of a plan as JSON text, and its digest, by which runs name it."""

    digest: str
    body: str

    @property
    def data(self) -> dict[str, Any]:
        """The description as data."""
        found: dict[str, Any] = json.loads(self.body)
        return found


def describe(plan: Plan) -> Described:
    """Return the description of a plan: the same bytes for the same steps, whatever else the code says."""
    found = _KNOWN.get(plan)
    if found is None:
        body = json.dumps(_description(plan), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(body.encode(errors="backslashreplace")).hexdigest()
        found = _KNOWN[plan] = Described(digest, body)
    return found


def _description(plan: Plan) -> dict[str, Any]:
    classes = Classes.of(plan)
    types = TypeDescriber(classes.name_of)
    started = dict.fromkeys(
        event for step in plan.steps for event in step.accepts if issubclass(event, StartEvent)
    )
    return {
        "format": FORMAT,
        "order": list(plan.keys),
        "state": classes.name(plan.state),
        "starts": [event_name(event) for event in started],
        "receives": sorted(event_name(event) for event in plan.received),
        "exits": sorted(plan.exits),
        "ways": sorted(event_name(event) for event in plan.events_of_exits),
        "steps": {key: _step(plan, step, types) for key, step in plan.by_key.items()},
        "classes": describe_classes(classes, types),
    }


# --- classes


def describe_classes(classes: Classes, types: TypeDescriber) -> dict[str, Any]:
    """Return the descriptions of classes, by the names that they have in what is kept."""
    return {name: _class(kind, types) for kind, name in classes.own()}


def _class(kind: type[Any], types: TypeDescriber) -> dict[str, Any]:
    if issubclass(kind, Enum):
        return {"values": sorted(member.name for member in kind)}
    return {"fields": _fields(kind, types), "open": kind.model_config.get("extra") == "allow"}


def _fields(kind: type[BaseModel], types: TypeDescriber) -> dict[str, Any]:
    """Return of each field its type, whether it must be given, and what a spec calls it."""
    return {
        name: {
            "type": types.of(field.annotation, field.metadata),
            "required": field.is_required(),
            "called": own_name(name, field),
        }
        for name, field in kind.model_fields.items()
    }


# --- steps


def _step(plan: Plan, step: Step, types: TypeDescriber) -> dict[str, Any]:
    signature = step.signature
    return {
        "accepts": [event_name(event) for event in step.accepts],
        "subclasses": step.subclasses,
        "slots": [_names(slot.events) for slot in step.slots],
        "collects": step.collects,
        "take": step.take,
        "emits": sorted({event_name(event) for event in step.emits}),
        "batches": {
            "" if event is None else event_name(event): [collector.key for collector in collectors]
            for event, collectors in step.batches.items()
        },
        "join": _join(step),
        "matches": step.match_by is not None,
        "pauses": sorted(kind.__name__ for kind in step.pauses),
        "forms": [types.of(form) for form in arguments_of(signature.result, Question)],
        "awaits": _names(_awaited(step)),
        "exits": sorted(step.exits),
        "acts": step.action is not None,
        "limit": step.max_runs if isinstance(step.max_runs, int | None) else "computed",
        "recoveries": step.max_recoveries,
        "workers": step.num_workers,
        "own_key": step.idempotency_key is not None,
        "result": types.of(step.result),
        "takes": [types.of(kind) for kind in _results_taken(step)],
        "soft": {
            "retry": _retry(step.retry),
            "timeout": step.timeout,
            "within": step.within,
            "proceed": bool(getattr(step.join, "proceed", False)),
            "bound": step.bound,
        },
    }


def _results_taken(step: Step) -> list[Any]:
    """Return the type of the action's result as the step's tail takes it: of several answers it is a list."""
    tail = step.exits.get("then")
    parameters = () if tail is None else tail.parameters
    return [parameter.kind for parameter in parameters if parameter.gives is Gives.RESULT]


def _awaited(step: Step) -> tuple[EventClass, ...]:
    found: list[EventClass] = []
    for one in arguments_of(step.signature.result, Outside):
        found += [one] if isinstance(one, type) else list(getattr(one, "__args__", ()))
    return tuple(found)


def _names(events: tuple[EventClass, ...]) -> list[str]:
    return [event_name(event) for event in events if isinstance(event, type)]


def _join(step: Step) -> dict[str, Any] | None:
    join = step.join
    if join is None:
        return None
    return {
        "kind": type(join).__name__,
        "fork": join.fork,
        "count": getattr(join, "count", None),
        "rest": getattr(join, "rest", None),
    }


def _retry(rule: object) -> Mapping[str, Any] | str | None:
    """Return what a retry policy says; of a rule of the author's own its class."""
    if rule is None or not hasattr(rule, "max_attempts"):
        return None if rule is None else type(rule).__qualname__
    said = {name: getattr(rule, name) for name in _RETRIES if hasattr(rule, name)}
    return {name: list(one) if isinstance(one, tuple | list) else one for name, one in said.items()}
