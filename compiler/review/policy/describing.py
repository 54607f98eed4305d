"""The facts of a workflow as what rules of a policy are asked of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from wfc.compiler.review.facts import PlaceList
from wfc.compiler.review.policy.subjects import REACHED
from wfc.compiler.slotted import dataclass

__all__ = ["Subject", "described"]

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a rule is asked of.

    Args:
        values: What expressions see of it.
        name: Its name in findings.
        at: Where it is declared.
    """

    values: Mapping[str, Any]
    name: str
    at: PlaceList


def described(facts: Facts) -> dict[str, list[Subject]]:
    """Return all that rules may be asked of, by sort."""
    data = facts["data"]
    steps = [step(each, data.get(name, {}), facts) for name, each in facts["steps"].items()]
    whole = workflow(facts, [each.values for each in steps])
    return {
        "workflow": [Subject(whole, facts["workflow"], facts["at"])],
        "step": steps,
        "model": [Subject(model(name, each), name, each["at"]) for name, each in facts["models"].items()],
        "tool": [Subject(tool(name, each), name, each["at"]) for name, each in facts["tools"].items()],
        "host": list(used("hosts", steps)),
        "secret": list(used("secrets", steps)),
        "test": [Subject(test(name, each), name, each["at"]) for name, each in facts["tests"].items()],
    }


# --- the sorts


def workflow(facts: Facts, steps: list[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "name": facts["workflow"],
        "path": str(facts["at"][0]),
        "description": facts["description"],
        "version": str(facts["version"]["value"] or "") or None,
        "labels": {str(key): str(value) for key, value in facts["labels"].items()},
        "start": facts["start"]["event"],
        "end": facts["end"]["events"],
        "events": list(facts["events"]),
        "deadline": number(facts["deadline"]),
        "has_deadline": facts["deadline"] is not None,
        "has_key": facts["key"] is not None,
        "limits": [name for name, each in facts["limits"].items() if each is not None],
        "state": list(facts["state"]),
        "config": list(facts["config"]),
        "declared_secrets": list(facts["secrets"]),
        "triggers": list(facts["triggers"]),
        "tests": len(facts["tests"]),
        "tested_ends": distinct(expected_ends(facts)),
        "suppressed": distinct(each["code"] for each in facts["suppressions"]),
        "imports": facts["imports"],
        "steps": steps,
        **{sort: distinct(name for each in steps for name in each[sort]) for sort in REACHED},
    }


def step(facts: Facts, data: Mapping[str, list[str]], workflow_facts: Facts) -> Subject:
    action = facts["action"]
    inner = action["do"] if action is not None and action["does"] == "map" else action
    reaches = {sort: facts["reaches"].get(sort, []) for sort in REACHED}
    exits = facts["exits"]
    values = {
        "name": facts["name"],
        "kind": facts["kind"],
        "does": "nothing" if inner is None else inner["does"],
        "description": facts["description"],
        "accepts": facts["accepts"]["events"],
        "join": facts["accepts"].get("join"),
        "emits": distinct(event for each in exits.values() for event in emitted(each)),
        "exits": list(exits),
        "method": None if inner is None or inner["does"] != "http" else inner["request"]["method"],
        "timeout": number(facts["timeout"]),
        "within": number(facts["within"]),
        "attempts": 1 if facts["retry"] is None else whole(facts["retry"]["max_attempts"]),
        "repeats": facts["retry"] is not None and whole(facts["retry"]["max_attempts"]) != 1,
        "max_runs": whole(facts["max_runs"]),
        "concurrency": whole(facts["concurrency"]),
        "bounded": facts["max_runs"] is not None,
        "has_key": facts["idempotency_key"] is not None,
        "cached": facts["cache"] is not None,
        "read_only": is_read_only(inner, workflow_facts["tools"]),
        "approved": approved(inner, workflow_facts["agents"]),
        "data": [{"to": to, "origins": origins} for to, origins in data.items()],
        **reaches,
    }
    return Subject(values, facts["name"], facts["at"])


def model(name: str, facts: Facts) -> dict[str, Any]:
    url = facts["base_url"]
    return {
        "name": name,
        "use": facts["use"],
        "host": None if url is None else url["text"],
        "secret": facts["api_key"],
        "fallback": facts["fallback"],
        "settings": list(facts["settings"]),
    }


def tool(name: str, facts: Facts) -> dict[str, Any]:
    request, command = facts["request"], facts["command"]
    return {
        "name": name,
        "binding": facts["binding"],
        "function": facts["python"],
        "program": None if command is None else command["program"],
        "method": None if request is None else request["method"],
        "read_only": bool(facts["read_only"]),
        "timeout": facts["timeout"]
        if isinstance(facts["timeout"], int | float)
        else number(facts["timeout"]),
        "description": facts["description"],
    }


def test(name: str, facts: Facts) -> dict[str, Any]:
    gives, end = facts["gives"]["value"], facts["expect"]["value"].get("end")
    return {
        "name": name,
        "end": end if isinstance(end, str) else None,
        "mocked": sorted({*gives["mock"], *gives["script"]}),
        "real": gives["real"],
    }


def used(sort: str, steps: Iterable[Subject]) -> Iterator[Subject]:
    """Yield each thing that steps reach, at the place of the first that does."""
    by_name: dict[str, list[Subject]] = {}
    for each in steps:
        for name in each.values[sort]:
            by_name.setdefault(name, []).append(each)
    for name, users in by_name.items():
        yield Subject({"name": name, "steps": [each.name for each in users]}, name, users[0].at)


# --- parts of them

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def is_read_only(action: Facts | None, tools: Facts) -> bool:
    """Return whether all that an action calls is said to change nothing."""
    if action is None:
        return True
    match action["does"]:
        case "http":
            return action["request"]["method"] in READING
        case "tool":
            return bool(tools.get(action["tool"], {}).get("read_only"))
        case "command":
            return bool(action["command"]["read_only"])
        case "agent" | "workflow" | "send":
            return False
    return True


def approved(action: Facts | None, agents: Facts) -> list[str]:
    """Return the tools of an agent that are called only after a person has agreed, each time."""
    if action is None or action["does"] != "agent":
        return []
    uses = agents[action["agent"]]["tools"]
    return [
        name for name, use in uses.items() if use["approval"] is not None and use["approval"]["when"] is None
    ]


def emitted(exit_: Facts) -> Iterator[str]:
    for entry in exit_["entries"]:
        yield from (emit["event"] for emit in entry["emits"])


def expected_ends(facts: Facts) -> Iterator[str]:
    for each in facts["tests"].values():
        end = each["expect"]["value"].get("end")
        if isinstance(end, str):
            yield end


def number(fact: Facts | None) -> float | None:
    """Return a bound, if it is a number."""
    value = None if fact is None else fact.get("value")
    return float(value) if isinstance(value, int | float) else None


def whole(fact: Facts | None) -> int | None:
    value = None if fact is None else fact.get("value")
    return value if isinstance(value, int) else None


def distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
