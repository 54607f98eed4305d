"""Joins of another form than their steps need: `any` for `all`, one event for a batch, a list for a join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.rules import accepts as accept_problems
from wfc.compiler.rules import joins as problems
from wfc.compiler.slotted import replace

__all__ = ["lost_batches", "once_for_each", "other_events", "other_joins", "other_ways"]

FORMS: Final = ("all", "any", "each")
MOST_EVENTS: Final = 12
MOST_STEPS: Final = 3
MOST_LOST: Final = 2
USED: Final = frozenset(
    {"each-not-a-list", "each-outside-batch", "may-be-null", "no-fields", "no-parts", "not-a-list", "not-comparable",
     "no-arithmetic", "unfilled-field", "unknown-field", "unknown-name", "wrong-fill", "wrong-filter", "wrong-value",
     "wrong-argument", "cannot-convert", "condition-may-be-null", "wrong-index", "never-null"}
)  # fmt: skip
"""Findings by which a step shows what it takes its events for."""
OF_NULLS: Final = frozenset(
    {"join-in-two-flows", "may-be-null", "unfilled-field", "unknown-name", "wrong-fill", "wrong-value"}
)
"""Findings that come of all but one event of an `any` being null."""
TIMES: Final = frozenset({"within", "until", "on_timeout"})
"""Keys of a join that mean the same in each of its forms."""
BOUNDS: Final = (("within",), ("until",), ("count",))
"""Keys of a join whose expressions say nothing of what the step takes its events for."""
OUTSIDE: Final = frozenset({"each-outside-batch", "each-also-outside-batch"})
UNCOLLECTED: Final = frozenset({"batch-in-itself", "race-between-ends", "run-without-end", "race-on-state"})
"""Findings of which several come of a batch that nobody collects."""
SAMPLES: Final = {"boolean": "true", "integer": "1", "number": "1.5", "string": "''"}
"""A value of each simple type, in an expression."""


def other_events(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a join waits for another event than the one that is meant."""
    lost = lost_events(findings)
    for address in shown_by_use(findings, lost):
        accepts = at(data, address)
        form = form_of(accepts)
        listed = (
            accepts[form] if form and isinstance(accepts[form], list) else [accepts.get(form)] if form else []
        )
        events = [each for each in listed if isinstance(each, str)]
        outside = any(each.code in OUTSIDE and each.place.address[:3] == address for each in findings)
        declared = data.get("events")
        others = lost or (list(declared) if outside and isinstance(declared, dict) else ())
        others = others or with_fields(declared, findings, address)
        for index, event in enumerate(listed):
            for name in [each for each in others if each not in events][:MOST_EVENTS]:
                again = [*listed[:index], name, *listed[index + 1 :]]
                way = {**accepts, form: again if isinstance(accepts[form], list) else name}
                if len(set(events)) < len(events):
                    if listed.index(event) < index:
                        finding = once_in_place_of_another(address, form, index, event, name)
                        yield Suspicion(finding, with_value(data, address, way))
                elif isinstance(event, str):
                    yield suspicion(data, address, accepts, way, ())


def with_fields(declared: Any, findings: Sequence[Finding], address: Address) -> list[str]:
    """Return the events that have a field which a step asks its join for in vain."""
    of_step = (each for each in findings if each.place.address[:2] == address[:2])
    wanted = {name for each in of_step if each.code == "unknown-field" for name in each.about}
    events = declared.items() if isinstance(declared, dict) else ()
    return [name for name, fields in events if isinstance(fields, dict) and wanted & fields.keys()]


def once_in_place_of_another(address: Address, form: str, index: int, event: str, lost: str) -> Finding:
    """Return the finding for an event that stands twice in a join, which would be right if another stood there."""
    finding = accept_problems.accepted_twice(Place((*address, form, index)), event, certain=False)
    return replace(finding, hint=f"`{lost}` stands nowhere: it would fit here")


def other_joins(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a step which uses what it accepts in another way accepts it in the wrong form."""
    lost = lost_events(findings)
    for address in shown_by_use(findings, lost):
        accepts = at(data, address)
        events = named(accepts)
        if events and len(set(events)) == len(events) <= MOST_EVENTS:
            ways = [each for each in forms(accepts, events, lost) if each != accepts]
            for index, way in enumerate(ways):
                yield suspicion(data, address, accepts, way, ways[index + 1 :])


def once_for_each(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a run comes to rest where a step takes the first of its events only, and each of them is meant."""
    if all(each.code != "run-without-end" for each in findings):
        return
    for step, content in steps_of(data):
        accepts = content.get("accepts")
        events = named(accepts)
        if first_only(accepts):
            address: Address = ("steps", step, "accepts")
            yield suspicion(data, address, accepts, events, [{"all": events}], once=True)


def other_ways(data: Data, finding: Finding) -> list[tuple[str, Data]]:
    """Return the ways in which a step may accept the events of its `any`, if a finding is of the kind that another
    way may explain as well: in words, and the data with it.
    """
    address: Address = (*finding.place.address[:2], "accepts")
    if finding.code in OUTSIDE and isinstance(joined := at(data, address), dict):
        return [
            (f"the items of a batch are collected by `accepts: {shown(way)}`", with_value(data, address, way))
            for event in sent_each(data)
            if (way := {**joined, "each": event}) != joined
        ]
    accepts = at(data, address) if finding.code in OF_NULLS and address[0] == "steps" else None
    events = named(accepts)
    if not isinstance(accepts, dict) or "any" not in accepts or accepts.keys() - {"any", "count", *TIMES}:
        return []  # who says what becomes of the rest means the first of several
    if not 1 < len(events) <= MOST_EVENTS:
        return []
    times = {key: each for key, each in accepts.items() if key in TIMES}
    ways: list[tuple[str, Any]] = [("to wait for all of them", {"all": events, **times})]
    if first_only(accepts):
        ways.append(("to take each as it comes", events))
    return [
        (f"{purpose} write `accepts: {shown(way)}`", with_value(data, address, way)) for purpose, way in ways
    ]


def sent_each(data: Data) -> list[str]:
    """Return the events that are sent out for each item of a list."""
    found = list[str]()
    for _, step in steps_of(data):
        emit = step.get("emit")
        for entry in emit if isinstance(emit, list) else [emit]:
            each = entry.get("each") if isinstance(entry, dict) else None
            event = each.get("event") if isinstance(each, dict) else None
            if isinstance(event, str) and event not in found:
                found.append(event)
    return found[:MOST_LOST]


def suspicion(
    data: Data, address: Address, accepts: Any, way: Any, rest: Sequence[Any], *, once: bool = False
) -> Suspicion:
    """Return the suspicion that a step accepts its events in the wrong way."""
    rivals = tuple((shown(each), with_value(data, address, each)) for each in rest)
    finding = problems.other_join(Place(address), str(address[1]), shown(accepts), shown(way), once=once)
    return Suspicion(finding, with_value(data, address, way), explains=1 if once else 2, rivals=rivals)


def lost_events(findings: Sequence[Finding]) -> list[str]:
    """Return the events that no step accepts."""
    return [name for each in findings if each.code == "event-never-accepted" for name in each.about]


def shown_by_use(findings: Sequence[Finding], lost: Sequence[str]) -> list[Address]:
    """Return what the steps accept that show by findings what they take it for, those with most findings first."""
    counts: dict[Any, int] = {}
    for each in findings:
        at_step = each.place.address[:1] == ("steps",) and len(each.place.address) > 1
        of_join = each.place.address[2:3] == ("accepts",) and each.place.address[3:4] in BOUNDS
        if at_step and not of_join and (lost or each.code in USED):
            counts[each.place.address[1]] = counts.get(each.place.address[1], 0) + 1
    return [
        ("steps", step, "accepts") for step in sorted(counts, key=lambda each: -counts[each])[:MOST_STEPS]
    ]


def lost_batches(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that one event is emitted, or accepted, where a batch of them is meant."""
    codes = {each.code for each in findings}
    if codes & OUTSIDE:
        yield from single_for_batch(data, findings)
    if len(codes & UNCOLLECTED) > 1:
        yield from uncollected(data)


def single_for_batch(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a step is meant to emit an event for each item of a list, of which nothing need be known here."""
    unfilled = {each.place.address: each.about for each in findings if each.code == "unfilled-field"}
    plain = {
        ("steps", step, "emit"): () for step, each in steps_of(data) if isinstance(each.get("emit"), str)
    }
    for place, fields in list((plain | unfilled).items())[-2 * MOST_STEPS :]:
        address = place[:-1] if place[-1:] == ("event",) else place
        emit = at(data, address)
        entry = {"event": emit} if isinstance(emit, str) else emit
        if (
            address[2:3] != ("emit",)
            or not isinstance(entry, dict)
            or not isinstance(entry.get("event"), str)
        ):
            continue
        batch = {key: each for key, each in entry.items() if key in {"event", "with"}}
        each = {"in": f"[{sample_of(data, entry['event'], fields)}]", "as": "item", "max": 1, **batch}
        rest = {key: value for key, value in entry.items() if key not in batch}
        finding = problems.batch_without_each(Place(address), str(address[1]), entry["event"])
        yield Suspicion(finding, with_value(data, address, {"each": each, **rest}))


def sample_of(data: Data, event: str, fields: Sequence[str]) -> str:
    """Return an expression of an item with some of an event's fields, as far as their types are simple."""
    given = [(name, SAMPLES.get(str(at(data, ("events", event, name))))) for name in fields]
    return "{" + ", ".join(f"{name}: {value}" for name, value in given if value) + "}"


def uncollected(data: Data) -> Iterator[Suspicion]:
    """Suspect that a step which runs for each item is meant to run once, when all are done."""
    for step, content in steps_of(data):
        accepts = content.get("accepts")
        events = named(accepts)
        if len(events) == 1 and not (isinstance(accepts, dict) and "each" in accepts):
            address: Address = ("steps", step, "accepts")
            finding = problems.batch_not_collected(Place(address), step, events[0])
            yield Suspicion(finding, with_value(data, address, {"each": events[0]}), explains=1)


def steps_of(data: Data) -> list[tuple[str, dict[str, Any]]]:
    """Return the steps of a spec that are maps, with their names."""
    steps = data.get("steps")
    found = steps.items() if isinstance(steps, dict) else ()
    return [(name, each) for name, each in found if isinstance(each, dict)]


def first_only(accepts: Any) -> bool:
    """Return whether a step takes the first of several events, and says no more of it."""
    return isinstance(accepts, dict) and accepts.keys() == {"any"} and 1 < len(named(accepts)) <= MOST_EVENTS


def form_of(accepts: Any) -> str:
    """Return the form of a join: `all`, `any` or `each`; an empty text for what is none."""
    return next((each for each in FORMS if isinstance(accepts, dict) and each in accepts), "")


def named(accepts: Any) -> list[str]:
    """Return the events that a step accepts, in whatever form; none if they are written otherwise."""
    form = form_of(accepts)
    listed = accepts[form] if form else accepts
    listed = listed if isinstance(listed, list) else [listed]
    return listed if all(isinstance(each, str) for each in listed) else []


def forms(accepts: Any, events: list[str], lost: Sequence[str]) -> Iterator[Any]:
    """Generate the forms in which these events, and those that nobody accepts, may be accepted.

    None of them says less: what a join says of its time-out stays, so that it stays a join, and what becomes of the
    `rest` is said by whoever means the first of several.
    """
    kept = {key: each for key, each in accepts.items() if key not in FORMS} if form_of(accepts) else {}
    if kept.keys() - TIMES:
        return
    more = [each for each in lost if each not in events]
    if 0 < len(more) <= MOST_LOST:
        yield {"all": [*events, *more], **kept}
    if len(events) > 1:
        yield {"all": events, **kept}
        yield {"any": events, **kept}
    yield {"each": events[0] if len(events) == 1 else events, **kept}
    if not kept:
        yield events[0] if len(events) == 1 else events


def shown(accepts: Any) -> str:
    """Return what a step accepts, as it is written on one line."""
    if isinstance(accepts, dict):
        return "{" + ", ".join(f"{key}: {shown(each)}" for key, each in accepts.items()) + "}"
    if isinstance(accepts, list):
        return "[" + ", ".join(shown(each) for each in accepts) + "]"
    return str(accepts)
