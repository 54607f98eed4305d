"""A whole workflow as facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from wfc.compiler.diagnostics import Address
from wfc.compiler.model import AgentCall, Event, MapItems, Model, Secret, TestCase, Tool, Workflow
from wfc.compiler.model.agents import team_of
from wfc.compiler.model.cases import Delivery, MockAnswer, ScriptedReply
from wfc.compiler.model.kinds import agent_tools
from wfc.compiler.model.runs import Migration
from wfc.compiler.model.triggers import Schedule, Topic, Trigger, Webhook
from wfc.compiler.review.facts.calls import agent, model, tool
from wfc.compiler.review.facts.data_flow import DataFlow, data_facts
from wfc.compiler.review.facts.decisions import decision_facts
from wfc.compiler.review.facts.descriptions import field_descriptions
from wfc.compiler.review.facts.exits import exit_facts
from wfc.compiler.review.facts.places import Fact, Places, homes_of
from wfc.compiler.review.facts.steps import step_facts
from wfc.compiler.review.facts.texts import bound, duration, expression, value
from wfc.compiler.review.facts.types import fields
from wfc.compiler.yaml import Document

__all__ = ["FORMAT", "workflow_facts"]

FORMAT = 1
"""The format of facts; it grows when what is there already changes its meaning."""


def workflow_facts(
    workflow: Workflow, document: Document, other: Callable[[str], Document | None] | None = None
) -> Fact:
    """Return what a workflow says and reaches, as JSON data; ``docs/review.md`` says what each entry means.

    What stands under ``at`` is a place: the file, and the way to a value in its data.

    Args:
        workflow: Resolved without errors.
        document: Its spec.
        other: Returns a file by its path, for the places in files that the spec imports.
    """
    places = Places(document.path, {} if other is None else homes_of(document, other))
    flow = DataFlow(workflow)
    return {
        "format": FORMAT,
        "at": places.at(("workflow",)),
        "workflow": workflow.name,
        "version": {"at": places.at(("version",)), "value": workflow.version},
        "description": workflow.description,
        "labels": dict(workflow.labels),
        "start": {"at": places.at(("start",)), "event": workflow.start.name},
        "end": {"at": places.at(("end",)), "events": sorted(event.name for event in workflow.end)},
        "events": {event.name: _event(places, event) for event in workflow.events},
        "state": fields(places, workflow.state),
        "config": fields(places, workflow.config),
        "secrets": {
            name: {"at": places.at(("secrets", number))} for number, name in enumerate(workflow.secrets)
        },
        "models": {each.name: model(places, each) for each in _models(workflow)},
        "tools": {each.name: tool(places, each) for each in _tools(workflow)},
        "agents": _agents(places, workflow),
        "steps": {step.name: step_facts(places, step) for step in workflow.steps},
        "data": data_facts(flow),
        "decisions": decision_facts(places, flow),
        **_of_runs(places, workflow),
        "knowledge": {
            each.name: {
                "at": places.at(each.address),
                "files": list(each.files),
                "by": each.by,
                "size": each.size,
                "overlap": each.overlap,
                "parent": each.parent,
                "index": each.index,
                "model": each.model.name if isinstance(each.model, Model) else each.model,
                "about": fields(places, each.about),
                "urls": list(each.urls),
                "sql": [
                    [where.name if isinstance(where, Secret) else where, query] for where, query in each.sql
                ],
                "loader": each.loader or None,
                "python": each.python or None,
                "per": None if each.per is None else expression(places, each.per),
                "most_entries": each.entries,
                "most_seconds": each.seconds,
                "max_calls": each.max_calls or None,
            }
            for each in workflow.knowledge
        },
        "triggers": {each.name: _trigger(places, each) for each in workflow.triggers},
        "resources": {
            each.name: {"at": places.at(each.address), "python": each.python, "per": each.per}
            for each in workflow.resources
        },
        "tests": {each.name: _test(places, each) for each in workflow.tests},
        "descriptions": field_descriptions(places, workflow),
        "suppressions": _suppressions(places, document),
        "imports": [each.path for each in workflow.imports],
    }


def _event(places: Places, event: Event) -> Fact:
    return {"at": places.at(event.address), "role": event.role, "fields": fields(places, event.record)}


def _models(workflow: Workflow) -> Iterable[Model]:
    """Return the models that are declared, and those that steps write in place."""
    found = {each.name: each for each in workflow.models}
    for step in workflow.steps:
        action = step.action.do if isinstance(step.action, MapItems) else step.action
        used = getattr(action, "model", None)
        if isinstance(used, Model):
            found.setdefault(used.name, used)
    return found.values()


def _tools(workflow: Workflow) -> Iterable[Tool]:
    found = {each.name: each for each in workflow.tools}
    for step in workflow.steps:
        for each in agent_tools(step.action):
            found.setdefault(each.name, each)
    return found.values()


def _agents(places: Places, workflow: Workflow) -> Fact:
    """Return the agents, by name; one that stands in a step has the name of the step."""
    found: Fact = {}
    for step in workflow.steps:
        action = step.action.do if isinstance(step.action, MapItems) else step.action
        if isinstance(action, AgentCall):
            for each in team_of(action.agent):
                found[each.name] = agent(places, each)
    return found


def _of_runs(places: Places, workflow: Workflow) -> Fact:
    """Return what is said of a run as a whole."""
    run, limits, key = workflow.run, workflow.run.limits, workflow.key
    found: Fact = {
        "deadline": duration(places, workflow.deadline, ("deadline",)),
        "exits": {name: exit_facts(places, each) for name, each in run.exits},
        "moved": {old: {"at": places.at(("moved", old)), "to": new} for old, new in run.moved},
        "removed": list(run.removed),
        "migrations": [_migration(places, each) for each in run.migrations],
        "key": None,
        "limits": {},
        "receives": {
            each.event.name: {
                "at": places.at(each.address),
                "key": None if each.key is None else each.key.name,
                "topic": each.topic,
            }
            for each in workflow.receives
        },
    }
    if key is not None:
        found["key"] = {
            **expression(places, key.value),
            "at": places.at(("key",)),
            "when_running": key.when_running,
        }
    if limits is not None:
        found["limits"] = {
            name: bound(places, getattr(limits, name), ("limits", name))
            for name in ("steps", "tokens", "cost_usd", "concurrent_runs")
        } | {"per": None if limits.per is None else expression(places, limits.per)}
    return found


def _migration(places: Places, given: Migration) -> Fact:
    """Return how what a run of an earlier version holds is converted."""
    at = ("migrate",)
    return {
        "at": places.at(at),
        "of": given.of,
        "before": fields(places, given.before),
        "values": {name: value(places, each) for name, each in given.values},
    }


def _trigger(places: Places, trigger: Trigger) -> Fact:
    found: Fact = {
        "at": places.at(trigger.address),
        "values": _constant(places, trigger.address, dict(trigger.values)),
    }
    match trigger.source:
        case Schedule() as source:
            found |= {"schedule": source.cron, "zone": source.zone, "missed": source.missed}
        case Webhook() as source:
            found |= {"webhook": source.path, "secret": source.secret, "header": source.header}
            found["within"] = source.within
        case Topic() as source:
            found["topic"] = source.topic
    return found


def _test(places: Places, test: TestCase) -> Fact:
    """Return what a test gives and expects."""
    gives = {name: _plain(getattr(test, name)) for name in _GIVEN}
    return {
        "at": places.at(test.address),
        "expect": _constant(places, test.address, dict(test.expect)),
        "gives": _constant(places, test.address, gives),
    }


def _constant(places: Places, address: Address, given: object) -> Fact:
    """Return data of the author's own, in which no key is one of facts."""
    return {"at": places.at(address), "value": given}


_GIVEN = ("start", "config", "real", "mock", "script", "tools", "people", "deliver", "cancel", "clock")


def _plain(given: object) -> object:
    """Return what a test says as plain data."""
    if isinstance(given, MockAnswer | Delivery | ScriptedReply):
        return {name: _plain(getattr(given, name)) for name in given.__slots__}
    if isinstance(given, Mapping):
        return {str(name): _plain(each) for name, each in given.items()}
    return [_plain(each) for each in given] if isinstance(given, list | tuple) else given


def _suppressions(places: Places, document: Document) -> list[Fact]:
    """Return the comments by which the author asks not to mind findings."""
    if "ignore" not in document.text:
        return []
    from wfc.compiler.yaml.suppression_comments import find_ignores

    found: list[Fact] = []
    for ignore in find_ignores(document.text):
        for code, start, end in ignore.codes:
            found.append({"at": places.at(()), "span": [start, end], "code": code, "because": ignore.reason})
    return found
