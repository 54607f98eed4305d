"""Which steps lead to which, by the facts of a workflow: what stands before an effect, and where an exit leads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, Final

__all__ = ["Ways", "effect_of"]

_EFFECTS: Final = {"http", "command", "tool", "agent", "workflow", "send"}


def effect_of(facts: Mapping[str, Any], step: Mapping[str, Any]) -> bool:
    """Return whether a step may change something outside, as far as its spec says."""
    action = step["action"]
    while action is not None and action["does"] == "map":
        action = action["do"]
    if action is None or action["does"] not in _EFFECTS:
        return False
    if action["does"] == "tool":
        return not facts["tools"].get(action["tool"], {}).get("read_only", False)
    if action["does"] == "http":
        return action["request"]["method"] not in ("GET", "HEAD")
    if action["does"] == "command":
        return not action["command"]["read_only"]
    return True


class Ways:
    """The graph of steps: which events each emits, and who accepts these.

    Args:
        facts: Of a workflow.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.facts = facts
        self.acceptors: dict[str, list[str]] = {}
        for name, step in facts["steps"].items():
            for event in step["accepts"]["events"]:
                self.acceptors.setdefault(event, []).append(name)
        self.after = {name: self._after(step) for name, step in facts["steps"].items()}
        begins = [facts["start"]["event"], *facts["receives"]]
        for exit_ in facts["exits"].values():
            begins += [emit["event"] for entry in exit_["entries"] for emit in entry["emits"]]
        self.begins = self.accepting(begins)
        self._passed: dict[str, frozenset[str]] = {}

    def accepting(self, events: Iterable[str]) -> list[str]:
        """Return the steps that accept one of some events."""
        return list(dict.fromkeys(step for event in events for step in self.acceptors.get(event, ())))

    def _after(self, step: Mapping[str, Any]) -> list[str]:
        emitted = [
            emit["event"]
            for exit_ in step["exits"].values()
            for entry in exit_["entries"]
            for emit in entry["emits"]
        ]
        return self.accepting(emitted)

    def reached(self, begins: Iterable[str], without: Collection[str] = ()) -> frozenset[str]:
        """Return the steps that some lead to, these included, on ways that pass none of others."""
        found: set[str] = set()
        waiting = [each for each in begins if each not in without]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += [each for each in self.after[name] if each not in without]
        return frozenset(found)

    def behind(self, name: str) -> frozenset[str]:
        """Return the steps that a step leads to."""
        if name not in self._passed:
            self._passed[name] = self.reached(self.after[name])
        return self._passed[name]

    @cached_property
    def people(self) -> list[str]:
        """The steps that ask people."""
        return [name for name, step in self.facts["steps"].items() if step["kind"] == "human"]

    def effects(self) -> list[str]:
        """Return the steps that may change something outside."""
        return [name for name, step in self.facts["steps"].items() if effect_of(self.facts, step)]
