"""Comparison of what happened in a run with a test's expectations; each difference as a sentence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json, to_jsonable_python

from wfc.runtime.errors import RunFailedError, StepFailedError
from wfc.runtime.events import Event, ProgressText, event_name
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.outside_names import own_name
from wfc.runtime.values.spans import span

__all__ = ["Seen", "differences"]

_LONGEST_VALUE = 200
_MOMENT = 0.05


@dataclass
class Seen:
    """What was observed of a run.

    Args:
        end: Its end event, or ``None`` if it failed.
        failure: Why it failed, or ``None``.
        ran: How often each step ran.
        emitted: Names of all events, the start event first, in the order in which they were emitted.
        streamed: What the stream showed: texts and events.
        moments: When it showed each of them, in seconds after the start.
        took: Seconds from the start to the end.
        state: The state at the end.
        calls: The calls of tools that agents have made: each with its tool and its arguments.
        turns: How many replies their models have given.
    """

    end: Event | None = None
    failure: Exception | None = None
    ran: Counter[str] = field(default_factory=Counter)
    emitted: list[str] = field(default_factory=list)
    streamed: list[Event] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    took: float = 0.0
    state: Any = None
    calls: Sequence[Mapping[str, Any]] = ()
    turns: int = 0


def differences(expect: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    """Yield a sentence for each unmet expectation; for an unexpected end or failure only that."""
    end = list(_end(expect, seen))
    yield from end
    if end and seen.failure is not None:
        return
    if "with" in expect and seen.end is not None and not end:
        yield from _fields(expect["with"], seen.end, "with")
    if "after" in expect and not _is_at(expect["after"], seen.took):
        yield f"the run took {span(seen.took)}, not {span(expect['after'])}"
    for step, times in expect.get("ran", {}).items():
        if seen.ran[step] != times:
            yield f"step `{step}` ran {_times(seen.ran[step])}, not {_times(times)}"
    for step in expect.get("never_ran", ()):
        if seen.ran[step]:
            yield f"step `{step}` ran {_times(seen.ran[step])}, but it was to be left out"
    if "emitted" in expect:
        yield from _in_order("emitted", list(expect["emitted"]), seen.emitted)
    if "state" in expect:
        yield from _fields(expect["state"], seen.state, "state")
    if "calls" in expect:
        yield from _calls(expect["calls"], seen.calls)
    if "turns" in expect and expect["turns"] != seen.turns:
        yield f"there were {seen.turns} turns of agents, not {expect['turns']}"
    if "streamed" in expect:
        yield from _streamed(expect["streamed"], seen)


def _is_at(wanted: float, found: float) -> bool:
    """Return whether something happened when it was to happen; steps that really act take a moment themselves."""
    return abs(found - wanted) <= _MOMENT


def _end(expect: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    wanted, fails = expect.get("end"), expect.get("fails")
    if seen.failure is not None:
        if fails is None:
            yield f"the run failed: {seen.failure}"
        elif not _is_named(seen.failure, fails):
            yield f"the run failed with `{_name(seen.failure)}`, not with `{fails}`: {seen.failure}"
        return
    ended = event_name(seen.end) if seen.end is not None else "nothing"
    if fails is not None:
        yield f"the run ended with `{ended}`, but it was to fail with `{fails}`"
    elif wanted is not None and ended != wanted:
        yield f"the run ended with `{ended}`, not with `{wanted}`"


def _is_named(failure: Exception, name: str) -> bool:
    if isinstance(failure, StepFailedError) and failure.error.matches(name):
        return True
    if isinstance(failure, RunFailedError) and str(failure) == name:
        return True  # the message of a `fail` step
    known = _name(failure)
    return known == name or known.startswith(name + ".")


def _name(failure: Exception) -> str:
    return str(getattr(failure, "name", type(failure).__name__))


def _times(count: int) -> str:
    return "never" if not count else "once" if count == 1 else f"{count} times"


def _fields(wanted: Mapping[str, Any], record: Any, where: str) -> Iterator[str]:
    types = _field_types(record)
    found = {} if record is None else to_jsonable_python(record, by_alias=True)
    for name, value in wanted.items():
        if name in types and _same_value(value, record, *types[name]):
            continue
        yield from _compare(value, found.get(name), f"{where}.{name}")


def _field_types(record: Any) -> dict[str, tuple[str, Any]]:
    """Return attribute and type of each field, by its alias or name."""
    if not isinstance(record, BaseModel):
        return {}
    fields = type(record).model_fields.items()
    return {own_name(name, info): (name, info.rebuild_annotation()) for name, info in fields}


def _same_value(wanted: object, record: Any, attribute: str, annotation: Any) -> bool:
    """Return whether two notations mean the same value, such as ``1.5`` and ``"1.50"`` of a decimal."""
    try:
        return bool(from_json(annotation, to_json(wanted)) == getattr(record, attribute))
    except InvalidOutput:
        return False


def _compare(wanted: Any, found: Any, where: str) -> Iterator[str]:
    """Yield the differences of JSON data; a map must have the expected entries and may have more."""
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for key, value in wanted.items():
            yield from _compare(value, found.get(key), f"{where}.{key}")
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for index, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from _compare(one, other, f"{where}[{index}]")
    elif isinstance(wanted, bool) is not isinstance(found, bool) or wanted != found:
        yield _different(wanted, found, where)


def _different(wanted: object, found: object, where: str) -> str:
    if isinstance(wanted, str) and isinstance(found, str) and ("\n" in wanted or "\n" in found):
        import difflib

        if wanted.rstrip("\n") == found.rstrip("\n"):
            ends = [len(text) - len(text.rstrip("\n")) for text in (found, wanted)]
            return f"`{where}` has {ends[0]} line breaks at its end, not {ends[1]}"
        if wanted.endswith("\n") and found.endswith("\n"):
            wanted, found = wanted[:-1], found[:-1]
        lines = difflib.ndiff(wanted.split("\n"), found.split("\n"))
        shown = "\n".join(f"    {line}" for line in lines if not line.startswith("?"))
        return f"`{where}` is another text (- expected, + found):\n{shown}"
    return f"`{where}` is {_shown(found)}, not {_shown(wanted)}"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"


def _calls(wanted: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _in_order("calls", [one["tool"] for one in wanted], [one["tool"] for one in found])
    for index, (one, other) in enumerate(zip(wanted, found, strict=False)):
        if one["tool"] == other["tool"]:
            yield from _compare(one["with"], other["with"], f"calls[{index}].with")


def _in_order(what: str, wanted: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    for index, name in enumerate(wanted):
        if index >= len(found):
            yield f"`{what}` ends after {', '.join(found) or 'nothing'}; next was to be {name}"
            return
        if found[index] != name:
            before = f" after {', '.join(found[:index])}" if index else ""
            yield f"`{what}` has {found[index]}, not {name}{before}"
            return
    if len(found) > len(wanted):
        yield f"`{what}` goes on with {', '.join(found[len(wanted) :])}"


def _streamed(wanted: Sequence[Any], seen: Seen) -> Iterator[str]:
    found = seen.streamed
    for index, value in enumerate(wanted):
        if index >= len(found):
            yield f"`streamed` has {len(found)} items; next was to be {_shown(value)}"
            return
        if not _is_streamed(value, found[index]):
            yield f"`streamed[{index}]` is {_shown(_plain(found[index]))}, not {_shown(value)}"
            return
        if (
            isinstance(value, Mapping)
            and "after" in value
            and not _is_at(value["after"], seen.moments[index])
        ):
            yield f"`streamed[{index}]` came after {span(seen.moments[index])}, not {span(value['after'])}"
    if len(found) > len(wanted):
        yield f"`streamed` goes on with {_shown(_plain(found[len(wanted)]))}"


def _is_streamed(wanted: object, found: Event) -> bool:
    """Return whether a streamed item is as expected.

    An expected text is a progress text or the name of an event; ``{text}`` the former, ``{event, with}`` an event with
    these fields.
    """
    if isinstance(found, ProgressText):
        return found.text == (wanted.get("text") if isinstance(wanted, Mapping) else wanted)
    if isinstance(wanted, Mapping):
        return wanted.get("event") == event_name(found) and not list(
            _fields(wanted.get("with") or {}, found, "with")
        )
    return wanted == event_name(found)


def _plain(item: Event) -> object:
    if isinstance(item, ProgressText):
        return item.text
    return {"event": event_name(item), "with": to_jsonable_python(item, by_alias=True)}
