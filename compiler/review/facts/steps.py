"""Steps as facts."""

from __future__ import annotations

from wfc.compiler.diagnostics import Address
from wfc.compiler.model import Emit, Retry, Step, Stream
from wfc.compiler.model.flow import exits
from wfc.compiler.review.facts.actions import action_facts
from wfc.compiler.review.facts.exits import accepted, exit_facts, saves
from wfc.compiler.review.facts.places import Fact, Places
from wfc.compiler.review.facts.reach import reach_of
from wfc.compiler.review.facts.texts import bound, duration, expression, text
from wfc.compiler.review.facts.types import shape
from wfc.compiler.types import show

__all__ = ["step_facts"]


def step_facts(places: Places, step: Step) -> Fact:
    """Return what a step says, and what it reaches."""

    def key(name: str) -> Address:
        return (*step.address, name)

    return {
        "at": places.at(step.address),
        "name": step.name,
        "kind": step.kind,
        "description": step.description,
        "accepts": accepted(places, step.accepts),
        "action": action_facts(places, step.action, step.address),
        "result": None
        if step.result is None
        else {"at": places.at(step.address), "type": shape(step.result), "text": show(step.result)},
        "exits": {name: exit_facts(places, each) for name, each in exits(step)},
        "saves": saves(places, step.save),
        "requires": [
            {
                "at": places.at(each.address),
                "that": expression(places, each.that),
                "say": text(places, each.say),
            }
            for each in step.require
        ],
        "retry": None if step.retry is None else _retry(places, step.retry),
        "timeout": duration(places, step.timeout, key("timeout")),
        "within": duration(places, step.within, key("within")),
        "until": None if step.until is None else expression(places, step.until),
        "concurrency": bound(places, step.concurrency, key("concurrency")),
        "max_runs": bound(places, step.max_runs, key("max_runs")),
        "idempotency_key": None if step.idempotency_key is None else text(places, step.idempotency_key),
        "cache": None
        if step.cached is None
        else {"at": places.at(key("cache")), "seconds": step.cached.seconds},
        "stream": None if step.stream is None else _stream(places, step.stream),
        "reaches": reach_of(step),
    }


def _retry(places: Places, given: Retry) -> Fact:
    at = given.address
    return {
        "at": places.at(at),
        "max_attempts": bound(places, given.max_attempts, (*at, "max_attempts")),
        "delay": duration(places, given.delay, (*at, "delay")),
        "backoff": bound(places, given.backoff, (*at, "backoff")),
        "max_delay": duration(places, given.max_delay, (*at, "max_delay")),
        "jitter": duration(places, given.jitter, (*at, "jitter")),
        "within": duration(places, given.within, (*at, "within")),
        "retry_on": list(given.retry_on),
        "never_on": list(given.never_on),
    }


def _stream(places: Places, given: Stream) -> Fact:
    found: Fact = {"at": places.at(given.address)}
    for name, shown in (("before", given.before), ("after", given.after)):
        if isinstance(shown, Emit):
            found[name] = {"at": places.at(shown.address), "event": shown.event.name}
        elif shown is not None:
            found[name] = text(places, shown)
    return found
