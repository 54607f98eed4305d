"""A workflow in plain words, made from what it is and from nothing that somebody says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

__all__ = ["retold"]

Data: TypeAlias = Mapping[str, Any]
"""A part of the facts of a workflow."""

LONGEST: Final = 120

EXITS: Final = {
    "on_error": "if that fails",
    "on_timeout": "if that takes too long",
    "on_limit": "if it has run too often",
}


def retold(facts: Data) -> list[str]:
    """Return what a workflow does, line by line.

    Args:
        facts: See ``workflow_facts``.
    """
    start, ends = facts["start"]["event"], facts["end"]["events"]
    lines = [
        f"It begins with {event(facts, start)}, and ends with {', or '.join(event(facts, one) for one in ends)}."
    ]
    for name, step in facts["steps"].items():
        lines.append(f"- {name}: on {accepted(step['accepts'])} it {action(step['action'])}{bounds(step)}.")
        lines += [f"    {line}" for line in ways(step["exits"], ends)]
    reached = [*reach(facts)]
    lines.append(f"It reaches {'; '.join(reached)}." if reached else "It reaches nothing outside.")
    if facts["secrets"]:
        lines.append(f"It needs the secrets {listed(facts['secrets'])}.")
    return lines


def event(facts: Data, name: str) -> str:
    fields = facts["events"][name]["fields"]
    shown = ", ".join(f"{field}: {one['text']}" for field, one in fields.items())
    return f"{name} ({shown})" if shown else name


def accepted(accepts: Data) -> str:
    """Return what a step waits for."""
    slots = [" or ".join(slot) for slot in accepts.get("slots") or ()]
    match accepts.get("join"):
        case "all":
            said = " and ".join(slots)
        case "any":
            said = f"the first of {', '.join(slots)}"
        case "each":
            said = f"all {', '.join(slots)} of a list together"
        case _:
            said = " or ".join(accepts["events"])
    within = accepts.get("within")
    return f"{said} (at most {within['text']})" if within else said


def action(does: Data | None) -> str:
    """Return what a step does."""
    if does is None:
        return "decides"
    match does["does"]:
        case "tool":
            return f"calls the tool {does['tool']}"
        case "http":
            return f"sends {does['request']['method']} {quoted(does['request']['url'])}"
        case "command":
            return "starts a program"
        case "llm":
            return f"asks the model {does['model']}: {quoted(does['prompt'])}"
        case "agent":
            return "lets a model work with tools"
        case "retrieve":
            return f"searches {listed(does['knowledge'])}"
        case "remember":
            return f"keeps a text in {listed(does['knowledge'])} for later runs"
        case "forget":
            return f"drops what was kept in {listed(does['knowledge'])}"
        case "human":
            who = ", ".join(text_of(one) for one in does.get("assign") or ()) or "somebody"
            return f"asks {who}: {quoted(does['title'])}"
        case "workflow":
            return f"runs the workflow {listed(does['workflows'])}"
        case "send":
            return "sends an event to another run"
        case "map":
            return f"does for each item: it {action(does.get('do'))}"
    return waits(does)


def waits(does: Data) -> str:
    if does.get("for"):
        return f"waits {text_of(does['for'])}"
    if does.get("until"):
        return f"waits until {text_of(does['until'])}"
    if does.get("events"):
        return f"waits for {' or '.join(does['events'])} from outside"
    return "waits"


def bounds(step: Data) -> str:
    """Return the bounds of a step: on time, on attempts, on runs."""
    said = []
    if step["within"]:
        said.append(f"at most {text_of(step['within'])}")
    if step["timeout"]:
        said.append(f"at most {text_of(step['timeout'])} an attempt")
    if step["retry"]:
        said.append(f"up to {text_of(step['retry']['max_attempts'])} attempts")
    if step["max_runs"]:
        said.append(f"at most {text_of(step['max_runs'])} times in a run")
    return f" ({', '.join(said)})" if said else ""


def ways(exits: Data, ends: list[str]) -> Iterator[str]:
    """Yield what follows a step, a line for each way."""
    for name, way in exits.items():
        if not way:
            continue
        entries = way["entries"]
        for number, entry in enumerate(entries):
            said = [EXITS[name]] if name in EXITS else []
            if entry.get("errors"):
                said.append(f"by {listed(entry['errors'])}")
            if entry.get("when"):
                said.append(f"where {text_of(entry['when'])}")
            elif number and not entry.get("errors"):
                said.append("otherwise")
            yield f"{' '.join(said) or 'then'}: {outcome(entry, ends)}"


def outcome(entry: Data, ends: list[str]) -> str:
    if entry.get("ends") == "fail":
        return f"the run fails: {quoted(entry['says'])}"
    if entry.get("ends") == "restart":
        return "the run begins anew"
    sent = [each["event"] for each in entry.get("emits") or ()]
    if not sent:
        return "nothing more"
    each = "for each item " if any(one.get("each") for one in entry["emits"]) else ""
    is_over = all(name in ends for name in sent)
    return each + " and ".join(sent) + (", and it is over" if is_over else "")


def reach(facts: Data) -> Iterator[str]:
    """Yield what a workflow reaches outside, by kind."""
    found: dict[str, dict[str, None]] = {}
    for step in facts["steps"].values():
        for kind, what in (step["reaches"] or {}).items():
            for one in what if isinstance(what, (list, tuple, dict)) else [what]:
                found.setdefault(kind, {})[str(one)] = None
    for kind, names in sorted(found.items()):
        yield f"{kind} {listed(names)}"


def text_of(fact: Any) -> str:
    """Return how something is written: an expression, a text or a value."""
    if isinstance(fact, dict):
        return str(fact.get("text", fact.get("value", "")))
    return str(fact)


def quoted(fact: Any) -> str:
    """Return the beginning of a text, on one line, in quotes."""
    line = " ".join(text_of(fact).split())
    return f"“{line if len(line) <= LONGEST else line[:LONGEST] + '…'}”"


def listed(names: Any) -> str:
    return ", ".join(str(name) for name in names)
