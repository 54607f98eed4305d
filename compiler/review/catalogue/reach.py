"""Rules about what a workflow may newly reach: secrets, tools, programs, hosts, functions, other workflows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.review.changes import ChangeRule, Level, SpecChange, rule
from wfc.compiler.review.facts.places import PlaceList
from wfc.compiler.review.facts.reach import host_named
from wfc.compiler.review.pair import Facts, Pair

__all__ = ["changes_of_reach"]

_ACT, _INFO = Level.ACT, Level.INFO
_SETTING: Final = re.compile(r"\$\{\{ *config\.(\w+) *\}\}")
"""A host that is a setting, and nothing more."""

_SORTS: Final[dict[str, tuple[ChangeRule, ChangeRule, str]]] = {}
"""Each sort of what is reached: the rule for more, that for less, and its words."""


def _both(sort: str, id: str, words: str, more: str, less: str) -> None:
    added = rule(f"{id}-added", "security", _ACT, more, mirror=f"{id}-removed")
    removed = rule(f"{id}-removed", "security", _INFO, less, mirror=f"{id}-added")
    _SORTS[sort] = added, removed, words


_both(
    "secrets",
    "secret",
    "the secret",
    """The workflow uses a secret that it did not use before.

A secret gives a permission. Look at which step gets it and at what that step sends where; whoever runs the workflow has
to provide the secret before the change is there.""",
    """The workflow no longer uses a secret.

If nothing else uses it, take it away where the workflow runs.""",
)
_both(
    "hosts",
    "host",
    "the host",
    """The workflow sends requests to a host that it did not reach before.

Data leave for a new place. Look at what is sent there, and whether whoever has that host may have it.""",
    """The workflow no longer sends anything to a host.""",
)
_both(
    "programs",
    "program",
    "the program",
    """The workflow starts a program that it did not start before.

A program may do all that the user may who runs the workflow. The settings have to allow it, too.""",
    """The workflow no longer starts a program.

If no other workflow starts it, take it out of the settings that allow it.""",
)
_both(
    "functions",
    "function",
    "the Python function",
    """The workflow calls a Python function that it did not call before.

The function may do everything: review its code as you review this change.""",
    """The workflow no longer calls a Python function.""",
)
_both(
    "workflows",
    "called-workflow",
    "the workflow",
    """The workflow starts runs of a workflow that it did not start before.

What that one may do, this one may do now.""",
    """The workflow no longer starts runs of another one.""",
)
_both(
    "messages",
    "message-target",
    "the address of messages",
    """The workflow sends messages to a workflow or under a topic that it did not send to before.""",
    """The workflow no longer sends messages to a workflow, or under a topic.""",
)

tool_given = rule(
    "agent-tool-added",
    "security",
    _ACT,
    """An agent may use a tool that it could not use before.

The model decides when a tool is called, and what it reads may be a stranger's words. Look at what the tool can do, and
whether a person should allow its calls (`approval`).""",
    mirror="agent-tool-removed",
)
tool_taken = rule(
    "agent-tool-removed",
    "security",
    _INFO,
    """An agent may no longer use a tool.""",
    mirror="agent-tool-added",
)


def changes_of_reach(pair: Pair) -> Iterator[SpecChange]:
    """Yield what a workflow reaches newly, and what it does no longer reach, with the step that does it."""
    for sort, (added, removed, words) in _SORTS.items():
        old, new = _reached(pair.old, sort), _reached(pair.new, sort)
        for name, (step, at) in new.items():
            if name not in old:
                told = f"`{step}` newly uses {words} `{name}`"
                yield added.found(pair.name, f"{sort}.{name}", told, after=name, new=at)
        for name, (step, at) in old.items():
            if name not in new:
                told = f"{words} `{name}` is no longer used, as `{step}` did"
                yield removed.found(pair.name, f"{sort}.{name}", told, before=name, old=at)
    yield from _declared_secrets(pair)
    yield from _agents(pair)


def _reached(facts: Facts, sort: str) -> dict[str, tuple[str, PlaceList]]:
    """Return what is reached of a sort, each with the first step that does so."""
    found: dict[str, tuple[str, PlaceList]] = {}
    for name, step in facts["steps"].items():
        for each in step["reaches"].get(sort, ()):
            found.setdefault(_by_default(facts, each) if sort == "hosts" else each, (name, step["at"]))
    return found


def _by_default(facts: Facts, host: str) -> str:
    """Return the host that the default of a setting names, where the host is that of a setting."""
    setting = _SETTING.fullmatch(host)
    default = facts["config"].get(setting[1], {}).get("default") if setting is not None else None
    return host_named(default) if isinstance(default, str) else host


def _declared_secrets(pair: Pair) -> Iterator[SpecChange]:
    """Yield secrets that are declared and that no step uses, such as those of triggers."""
    added, removed, _ = _SORTS["secrets"]
    used, used_before = _reached(pair.new, "secrets"), _reached(pair.old, "secrets")
    for name, each in pair.added("secrets"):
        if name not in used:
            told = f"the workflow may newly read the secret `{name}`"
            yield added.found(pair.name, f"secrets.{name}", told, after=name, new=each["at"])
    for name, each in pair.gone("secrets"):
        if name not in used_before:
            told = f"the workflow may no longer read the secret `{name}`"
            yield removed.found(pair.name, f"secrets.{name}", told, before=name, old=each["at"])


def _about(uses: Mapping[tuple[str, str], Any], agent: str, tool: str) -> str:
    return f"agents.{agent}.{'tools' if 'final' in uses[agent, tool] else 'handoffs'}.{tool}"


def _agents(pair: Pair) -> Iterator[SpecChange]:
    old, new = _tools_of_agents(pair.old), _tools_of_agents(pair.new)
    for (agent, tool), use in new.items():
        if (agent, tool) not in old:
            told = f"the agent `{agent}` may newly use `{tool}`"
            yield tool_given.found(pair.name, _about(new, agent, tool), told, after=tool, new=use["at"])
    for (agent, tool), use in old.items():
        if (agent, tool) not in new:
            told = f"the agent `{agent}` may no longer use `{tool}`"
            yield tool_taken.found(pair.name, _about(old, agent, tool), told, before=tool, old=use["at"])


def _tools_of_agents(facts: Facts) -> Mapping[tuple[str, str], Any]:
    return {
        (agent, tool): use
        for agent, each in facts["agents"].items()
        for tool, use in {**each["tools"], **each["handoffs"]}.items()
    }
