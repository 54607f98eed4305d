"""A workflow's flow as a graph: steps, the start and the ends as boxes, events as arrows between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from wfc.compiler.model import (
    USUAL_CONCURRENCY,
    Action,
    AgentCall,
    AskPerson,
    Emission,
    Emit,
    EmitAll,
    EmitEach,
    Entry,
    Exit,
    Fail,
    Join,
    MapItems,
    Restart,
    SendEvent,
    Step,
    WaitEvent,
    WaitFor,
    WaitUntil,
    Workflow,
    WorkflowCall,
    clock_start,
)
from wfc.compiler.model.bounds import length, number
from wfc.compiler.model.flow import build, emits_of, exits
from wfc.compiler.model.kinds import STEP_KINDS, agent_tools, agents_of
from wfc.compiler.slotted import dataclass, replace

__all__ = ["flow_graph"]


@dataclass(frozen=True, slots=True)
class FlowBox:
    """A step, the start, an end, or an event from outside.

    Args:
        id: ``n0``, ``n1`` …, in the order of the spec.
        shape: Of a step by its kind; ``start``, ``outside``, ``end`` or ``fail``.
        title: Its name.
        notes: The kind of a step, and how it joins, its bound, its time-outs.
        description: For people; may be empty.
    """

    id: str
    shape: str
    title: str
    notes: tuple[str, ...] = ()
    description: str = ""

    def as_data(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "shape": self.shape,
            "title": self.title,
            "notes": list(self.notes),
            "description": self.description,
        }


@dataclass(frozen=True, slots=True)
class FlowArrow:
    """An event on its way from box to box.

    Args:
        event: Its name; empty for a failure.
        style: ``usual``, ``batch``, ``error``, ``limit`` or ``time-out``.
        note: On which occasion, if not the usual one; and how many.
        when: The condition as written, or empty.
    """

    source: FlowBox
    target: FlowBox
    event: str
    style: str = "usual"
    note: str = ""
    when: str = ""

    def as_data(self) -> dict[str, str]:
        return {
            "source": self.source.id,
            "target": self.target.id,
            "label": self.event,
            "style": self.style,
            "note": self.note,
            "when": self.when,
        }


OCCASIONS: Final[dict[str, tuple[str, str]]] = {
    "emit": ("usual", ""),
    "on_error": ("error", "on error"),
    "on_limit": ("limit", "over the limit"),
    "on_timeout": ("time-out", "not in time"),
    "on_deadline": ("time-out", "out of time"),
    "on_cancel": ("error", "when cancelled"),
}


MOST_NAMED: Final = 8
"""How many agents or workflows a box names."""

AGAIN: Final = "begins anew"
OTHERWISE: Final = "otherwise"
"""Stands where a condition would, for an entry that is taken when those before it are not. No condition reads so."""


def flow_graph(workflow: Workflow) -> dict[str, Any]:
    """Return the flow of a workflow as a graph, with an arrow for each event that one box may send another.

    Its boxes come in the order of the spec: the start, what comes from outside, steps, ends. The runtime's
    `drawing/graph.py` says what such data look like.

    Args:
        workflow: Resolved; it may hold mistakes that are no matter of names.
    """
    flow = build(workflow.steps, workflow.start.name, workflow.outside)
    start = FlowBox("n0", "start", workflow.start.name, description=workflow.start.record.description)
    in_batches = {
        emit.event.name for step in workflow.steps for emit, each in emits_of(step) if each is not None
    }
    steps = [step_box(f"n{number}", step, in_batches) for number, step in enumerate(workflow.steps, 1)]
    ends = {
        event.name: FlowBox(f"n{number}", "end", event.name, description=event.record.description)
        for number, event in enumerate(workflow.end, len(steps) + 1)
    }
    fail = FlowBox(f"n{len(steps) + len(ends) + 1}", "fail", "fails")
    outside = [
        FlowBox(f"n{number}", "outside", name, ("from outside",))
        for number, name in enumerate(workflow.outside, len(steps) + len(ends) + 2)
    ]
    run = FlowBox(f"n{len(steps) + len(ends) + len(outside) + 2}", "outside", "at any moment")

    def targets(event: str) -> list[FlowBox]:
        found = [steps[node - 1] for node in flow.acceptors.get(event, ())]
        return [*found, *([ends[event]] if event in ends else [])]

    edges = [FlowArrow(each, box, each.title) for each in (start, *outside) for box in targets(each.title)]
    leaving = [(box, exits(step)) for box, step in zip(steps, workflow.steps, strict=True)]
    whole = workflow.run.exits
    for box, ways in [*leaving, (run, whole)]:
        for occasion, exit_ in ways:
            for entry, when in conditions(exit_):
                for event, style, note in sent(entry, occasion):
                    to = targets(event) if event else [start if note.endswith(AGAIN) else fail]
                    edges += [FlowArrow(box, target, event, style, note, when) for target in to]
    edges = merged(edges)
    used = [fail] if any(edge.target is fail for edge in edges) else []
    boxes = [start, *outside, *([run] if whole else []), *steps, *ends.values(), *used]
    return {
        "title": workflow.name,
        "description": workflow.description.strip(),
        "boxes": [box.as_data() for box in boxes],
        "arrows": [edge.as_data() for edge in edges],
    }


def conditions(exit_: Exit) -> Iterator[tuple[Entry, str]]:
    """Yield each entry with its condition as written: empty, or ``otherwise`` after other conditions."""
    has_conditions = False
    for entry in exit_.entries:
        if entry.when is not None:
            has_conditions = True
            yield entry, entry.when.text.strip()
        else:
            yield entry, OTHERWISE if has_conditions and not entry.errors else ""


def merged(arrows: Iterable[FlowArrow]) -> list[FlowArrow]:
    """Return the arrows, merging those that differ only in conditions; ``otherwise`` alone becomes a note."""
    found: dict[FlowArrow, list[str]] = {}
    for arrow in arrows:
        found.setdefault(replace(arrow, when=""), []).append(arrow.when)
    result = []
    for arrow, whens in found.items():
        if whens == [OTHERWISE]:
            result.append(replace(arrow, note=" · ".join(filter(None, (arrow.note, OTHERWISE)))))
        else:
            result.append(replace(arrow, when=" or ".join(whens) if all(whens) else ""))
    return result


def sent(entry: Entry, occasion: str) -> Iterator[tuple[str, str, str]]:
    """Yield event, style and note for everything that an entry sends; the event is empty for a failure."""
    style, words = OCCASIONS[occasion]
    notes = [words] if words else []
    if entry.errors:
        notes = [f"on {', '.join(entry.errors)}"]
    if isinstance(entry.emission, Restart):
        yield "", style, " · ".join([*notes, AGAIN])
        return
    if isinstance(entry.emission, Fail):
        yield "", style, " · ".join(notes)
        return
    for event, most in events(entry.emission):
        if most is None:
            yield event, style, " · ".join(notes)
        else:
            yield (
                event,
                "batch" if style == "usual" else style,
                " · ".join([*notes, f"one each, at most {most}"]),
            )


def events(emission: Emission) -> Iterator[tuple[str, str | None]]:
    match emission:
        case Emit():
            yield emission.event.name, None
        case EmitEach():
            yield emission.emit.event.name, number(emission.max)
        case EmitAll():
            for each in emission.entries:
                yield from events(each)


def step_box(id: str, step: Step, in_batches: Collection[str]) -> FlowBox:
    """Return the box of a step.

    Args:
        in_batches: The events of which a batch may have many.
    """
    notes = [step.kind, *(waits_or_sends(step.action) if step.action is not None else ())]
    if step.within is not None:
        notes.append(f"within {length(step.within)}")
    if step.until is not None:
        notes.append(f"until {step.until.text.strip()}")
    if isinstance(step.accepts, Join):
        notes.append(joined(step.accepts))
        notes.extend(time_out(step.accepts))
    if isinstance(step.action, MapItems):
        notes.append(f"each of at most {number(step.action.max)} items")
    if runs_side_by_side(step, in_batches):
        notes.append(f"up to {number(step.concurrency)} side by side")
    if step.max_runs is not None:
        notes.append(f"at most {number(step.max_runs)} runs")
    if step.retry is not None:
        notes.append(f"up to {step.retry.max_attempts} attempts")
    if step.timeout is not None:
        notes.append(f"time-out {length(step.timeout)}")
    return FlowBox(id, STEP_KINDS[step.kind].shape, step.name, tuple(notes), step.description.strip())


def runs_side_by_side(step: Step, in_batches: Collection[str]) -> bool:
    """Return whether a step's limit of parallel executions matters, or differs from the default."""
    if isinstance(step.action, MapItems):
        return True
    takes_batch = not isinstance(step.accepts, Join) and any(
        event.name in in_batches for event in step.accepts.events
    )
    return step.concurrency != USUAL_CONCURRENCY or (takes_batch and STEP_KINDS[step.kind].takes_defaults)


def waits_or_sends(action: Action) -> Iterator[str]:
    """Yield notes on whom a step asks, and what it waits for, sends, or runs."""
    match action:
        case AskPerson():
            if action.assign:
                yield f"asks {', '.join(each.text for each in action.assign)}"
            if action.quorum is not None:
                yield f"{number(action.quorum)} answers"
        case WaitFor():
            yield f"for {length(action.seconds)}"
        case WaitUntil():
            yield f"until {action.moment.text.strip()}"
        case WaitEvent():
            yield f"until {' or '.join(event.name for event in action.events)} comes"
        case SendEvent():
            to = f"topic {action.topic}" if action.to is None else action.to
            yield f"{action.emit.event.name} to {to}"
        case WorkflowCall(workflows=names) | MapItems(do=WorkflowCall(workflows=names)):
            yield f"runs {' or '.join(names)}"
        case AgentCall() | MapItems(do=AgentCall()):
            yield from at_work(action)


def at_work(action: Action) -> Iterator[str]:
    """Yield notes on the agents that may come to work beside the one that a step calls, and on what they may run."""
    others = [one.name for one in agents_of(action)[1:]]
    if others:
        yield f"with {shortened(others)}"
    styles = [one.own_style.workflow for one in agents_of(action) if one.own_style is not None]
    tools = [tool.workflow for tool in agent_tools(action) if tool.workflow is not None]
    started = dict.fromkeys([*styles, *tools])
    if started:
        yield f"may run {shortened(list(started))}"


def shortened(names: list[str]) -> str:
    """Return names, of many only the first."""
    more = len(names) - MOST_NAMED
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:MOST_NAMED])} and {more} more"


def joined(join: Join) -> str:
    names = ", ".join(" or ".join(event.name for event in slot) for slot in join.slots)
    count = join.count if isinstance(join.count, int) else "some"
    match join.form:
        case "all":
            return f"all of {names}"
        case "any":
            return f"the first of {names}" if join.count is None else f"{count} of {names}"
        case "each" if join.count is not None:
            return f"the first {count} {names} of the batch"
        case "each":
            return f"each {names} of the batch"


def time_out(join: Join) -> Iterator[str]:
    """Yield how long a join waits, and from where its clock counts."""
    found = []
    if join.within is not None:
        found.append(f"within {length(join.within)} from {clock_start(join)}")
    if join.until is not None:
        found.append(f"until {join.until.text.strip()}")
    if found:
        yield " and ".join(found) + (", then goes on" if join.proceed else "")
