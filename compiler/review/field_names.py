"""What the fields of an earlier version are called in a later one: those of events, of the state and of `config`,
and the arguments of tools.

A field that is gone and one that is new are one field with another name if `moved` says so, or if they have the same
type and all that is said with the one name was said with the other: then nothing else differs that mentions either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.review.sameness import differences, same

__all__ = ["FieldNames", "fields_renamed", "with_fields"]

FieldNames = Mapping[str, Mapping[str, str]]
"""Earlier names of fields with the later ones, by what they belong to.

That is an event, `state`, `config`, or `tools.` and the name of a tool.
"""

_OF_ALL: Final = ("state", "config")
_HOLES: Final = re.compile(r"\$\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


def fields_renamed(
    old: Mapping[str, Any], new: Mapping[str, Any], events: Mapping[str, str]
) -> tuple[dict[str, dict[str, str]], FieldNames]:
    """Return the names of fields that have changed, and those of them that `moved` declares.

    Args:
        old: The facts of the earlier version, with the later names of steps and events.
        events: The events that have another name.
    """
    found = dict(_candidates(old, new))
    if not found:
        return {}, {}
    declared = _declared(old, new, events)
    for owner, names in declared.items():
        known = found.setdefault(owner, {})
        taken = {before: now for before, now in known.items() if now not in names.values()}
        found[owner] = {**taken, **names}
    while wrong := _contradicted(with_fields(old, found), new, found, declared):
        for owner, name in wrong:
            del found[owner][name]
    return {owner: names for owner, names in found.items() if names}, declared


def _owners(facts: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from ((owner, facts[owner]) for owner in _OF_ALL)
    yield from ((name, event["fields"]) for name, event in facts["events"].items())
    yield from ((f"tools.{name}", tool["args"] or {}) for name, tool in facts["tools"].items())


def _candidates(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield fields that are gone, each with the only one of its type that is new."""
    later = dict(_owners(new))
    for owner, fields in _owners(old):
        if owner not in later:
            continue
        gone = [name for name in fields if name not in later[owner]]
        added = [name for name in later[owner] if name not in fields]
        if not gone or not added:
            continue
        pairs = {}
        for name in gone:
            alike = [each for each in added if same(fields[name], later[owner][each])]
            if len(alike) == 1 and sum(same(fields[one], later[owner][alike[0]]) for one in gone) == 1:
                pairs[name] = alike[0]
        yield owner, pairs


def _declared(
    old: Mapping[str, Any], new: Mapping[str, Any], events: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Return the fields of which `moved` says what they are called now."""
    later, before = dict(_owners(new)), dict(_owners(old))
    found: dict[str, dict[str, str]] = {}
    for name, each in new["moved"].items():
        owner, _, field = name.partition(".")
        owner, now = events.get(owner, owner), str(each["to"])
        if field in before.get(owner, ()) and field not in later.get(owner, {field}) and now in later[owner]:
            found.setdefault(owner, {})[field] = now
    return found


def _contradicted(
    old: Mapping[str, Any], new: Mapping[str, Any], found: FieldNames, declared: FieldNames
) -> list[tuple[str, str]]:
    """Return the pairs of which something else differs that mentions one of the names, or of which nothing is said."""
    said = [
        " ".join((*_named(each.path), *_mentioned(each.old), *_mentioned(each.new)))
        for section in ("steps", "exits", "key", "receives", "agents", "models", "tools")
        for each in differences(old[section], new[section], (section,))
    ]
    used = str([new[section] for section in ("steps", "exits", "key", "receives", "models", "tools")])
    wrong = []
    for owner, names in found.items():
        for before, now in names.items():
            word = re.compile(rf"\b({re.escape(before)}|{re.escape(now)})\b")
            is_used = (
                _is_given(new, owner.removeprefix("tools."), now)
                if owner.startswith("tools.")
                else re.search(rf"\b{re.escape(now)}\b", used)
            )
            is_sure = is_used and not any(map(word.search, said))
            if not is_sure and before not in declared.get(owner, ()):
                wrong.append((owner, before))
    return wrong


def _is_given(facts: Mapping[str, Any], tool: str, arg: str) -> bool:
    """Return whether something of the spec gives an argument to a tool, or is said with it: not the model alone."""
    own = {key: each for key, each in facts["tools"][tool].items() if key not in ("args", "description")}
    if f"args.{arg}" in str(own):
        return True
    uses = [each["tools"][tool] for each in facts["agents"].values() if tool in each["tools"]]
    if any(f"call.args.{arg}" in str(each["approval"]) for each in uses):
        return True
    return any(arg in each for each in (*(use["bound"] for use in uses), *_calls(facts["steps"], tool)))


def _calls(facts: Any, tool: str) -> Iterator[Mapping[str, Any]]:
    """Yield what steps give to a tool that they call."""
    if isinstance(facts, dict):
        if facts.get("does") == "tool" and facts["tool"] == tool:
            yield facts["args"]
        for each in facts.values():
            yield from _calls(each, tool)


_OF_FACTS: Final = frozenset({"text", "means", "reads", "value", "type"})
"""Keys of facts that are not names of the author's."""
_AUTHORS_OWN: Final = frozenset({"fills", "saves", "args", "inputs", "entries", "values"})


def _named(path: tuple[str, ...]) -> Iterator[str]:
    for before, key in zip(("", *path), path, strict=False):
        if key not in _OF_FACTS or before in _AUTHORS_OWN:
            yield key


def _mentioned(fact: Any) -> Iterator[str]:
    """Yield what a fact says, without the keys that facts have."""
    if isinstance(fact, dict):
        for key, each in fact.items():
            if key not in ("at", "span"):
                yield from () if key in _OF_FACTS else (key,)
                yield from _mentioned(each)
    elif isinstance(fact, list):
        for each in fact:
            yield from _mentioned(each)
    elif fact is not None:
        yield str(fact)


def with_fields(facts: Any, renamed: FieldNames) -> Any:
    """Return facts with later names of fields in place of earlier ones."""
    if not any(renamed.values()):
        return facts
    found = dict(facts)
    for owner in _OF_ALL:
        found[owner] = _keys(facts[owner], renamed.get(owner, {}))
    found["events"] = {
        name: {**event, "fields": _keys(event["fields"], renamed.get(name, {}))}
        for name, event in facts["events"].items()
    }
    everywhere = _everywhere(facts, renamed)
    found["steps"] = {
        name: _Rewriting(renamed, {**everywhere, **_in_step(step, renamed)}).of(step)
        for name, step in facts["steps"].items()
    }
    rewriting = _Rewriting(renamed, everywhere)
    for section in ("exits", "key", "limits", "models", "resources"):
        found[section] = rewriting.of(facts[section])
    found["tools"] = {
        name: _tool(tool, renamed.get(f"tools.{name}", {}), _Rewriting(renamed, everywhere))
        for name, tool in facts["tools"].items()
    }
    found["agents"] = {name: _agent(rewriting.of(each), renamed) for name, each in facts["agents"].items()}
    found["receives"] = {
        name: {**each, "key": renamed.get(name, {}).get(each["key"], each["key"])}
        for name, each in facts["receives"].items()
    }
    inputs = renamed.get(facts["start"]["event"], {})
    words = {f"the input `{before}`": f"the input `{now}`" for before, now in inputs.items()}
    found["data"] = _said(facts["data"], words)
    found["decisions"] = _keys(facts["decisions"], renamed.get("config", {}))
    found["tests"] = {
        name: _test(test, renamed, facts["start"]["event"]) for name, test in facts["tests"].items()
    }
    return found


def _tool(tool: Any, names: Mapping[str, str], rewriting: _Rewriting) -> Any:
    """Return a tool with other names of its arguments."""
    found = rewriting.with_root("args", names).of(tool)
    return {**found, "args": None if tool["args"] is None else _keys(found["args"], names)}


def _agent(agent: Any, renamed: FieldNames) -> Any:
    """Return an agent with other names of arguments in how it may use its tools."""
    tools = {}
    for name, use in agent["tools"].items():
        names = renamed.get(f"tools.{name}", {})
        found = _Rewriting({}, {r"call\.args": names}).of(use)
        free = [names.get(each, each) for each in use["free"]]
        tools[name] = {**found, "bound": _keys(found["bound"], names), "free": free}
    return {**agent, "tools": tools}


def _keys(fields: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): each for name, each in fields.items()}


def _said(facts: Any, words: Mapping[str, str]) -> Any:
    if isinstance(facts, dict):
        return {name: _said(each, words) for name, each in facts.items()}
    if isinstance(facts, list):
        return [_said(each, words) for each in facts]
    return words.get(facts, facts)


Roots = Mapping[str, Mapping[str, str]]
"""What expressions call the owners of fields, with the names of these."""


def _everywhere(facts: Any, renamed: FieldNames) -> dict[str, Mapping[str, str]]:
    return {
        "state": renamed.get("state", {}),
        "config": renamed.get("config", {}),
        "inputs": renamed.get(facts["start"]["event"], {}),
    }


def _in_step(step: Any, renamed: FieldNames) -> dict[str, Mapping[str, str]]:
    """Return the names within a step: of the event that it runs on, and of one that it waits for."""
    found: dict[str, Mapping[str, str]] = {}
    accepted = [renamed.get(event, {}) for event in step["accepts"]["events"]]
    if "join" in step["accepts"]:
        found["events"] = {before: now for names in accepted for before, now in names.items()}
    if accepted and all(names == accepted[0] for names in accepted):
        found["event"] = accepted[0]
    waited = (step["action"] or {}).get("events") or []
    if len(waited) == 1:
        found["result"] = renamed.get(waited[0], {})
    return found


class _Rewriting:
    """What writes facts anew with other names of fields."""

    def __init__(self, renamed: FieldNames, roots: Roots) -> None:
        self.renamed = renamed
        self.roots = roots
        self.patterns = [
            (re.compile(rf"(?<![\w.\"])({root}\.|events\.{_NAME}\.)({_any(names)})(?!\w)"), names)
            if root == "events"
            else (re.compile(rf"(?<![\w.\"])({root}\.)({_any(names)})(?!\w)"), names)
            for root, names in roots.items()
            if names
        ]
        if roots.get("events"):  # `events|pluck(="amount")`
            listed = _any(roots["events"])
            self.patterns.append(
                (re.compile(rf"(\bevents ?\| ?\w+\(=?[\"'])({listed})(?=[\"'])"), roots["events"])
            )

    def with_root(self, root: str, names: Mapping[str, str]) -> _Rewriting:
        """Return one that writes what belongs to a further root anew, too."""
        return _Rewriting(self.renamed, {**self.roots, root: names})

    def of(self, facts: Any) -> Any:
        if isinstance(facts, list):
            return [self.of(each) for each in facts]
        if not isinstance(facts, dict):
            return facts
        found = {key: each if key == "at" else self.of(each) for key, each in facts.items()}
        if isinstance(facts.get("means"), str):
            found["means"], found["text"] = self.expression(facts["means"]), self.expression(facts["text"])
        elif isinstance(facts.get("text"), str) and "reads" in facts:
            found["text"] = _HOLES.sub(lambda hole: self.expression(hole[0]), facts["text"])
            found["reads"] = sorted(map(self.expression, facts["reads"]))
        if "fills" in facts and facts.get("event") in self.renamed:
            found["fills"] = _keys(found["fills"], self.renamed[facts["event"]])
        if facts.get("does") == "tool":
            found["args"] = _keys(found["args"], self.renamed.get(f"tools.{facts['tool']}", {}))
        if isinstance(facts.get("saves"), dict):
            found["saves"] = _keys(found["saves"], self.renamed.get("state", {}))
        return found

    def expression(self, text: str) -> str:
        for pattern, names in self.patterns:
            text = pattern.sub(lambda found, names=names: found[1] + names[found[2]], text)  # type: ignore[misc]
        return text


_NAME: Final = r"\w+"


def _any(names: Mapping[str, str]) -> str:
    return "|".join(map(re.escape, names))


def _of_tools(given: Any, renamed: FieldNames, tool: str = "") -> Any:
    """Return what a test says of calls of tools, with other names of what these are given.

    Args:
        tool: What people are asked of.
    """
    if isinstance(given, list):
        return [_of_tools(each, renamed, tool) for each in given]
    if not isinstance(given, dict):
        return given
    found = {key: _of_tools(each, renamed, tool or key) for key, each in given.items()}
    if isinstance(given.get("calls"), list):
        found["calls"] = [
            [called, _keys(args, renamed.get(f"tools.{called}", {}))] for called, args in given["calls"]
        ]
    for key, known, called in (("with", "tool", str(given.get("tool"))), ("args", "decision", tool)):
        if known in given and isinstance(given.get(key), dict):
            found[key] = _keys(given[key], renamed.get(f"tools.{called}", {}))
    return found


def _test(test: Any, renamed: FieldNames, start: str) -> Any:
    """Return a test with other names in what it gives, what it delivers and what it expects."""
    gives, expect = test["gives"]["value"], test["expect"]["value"]
    given = {**gives, "config": _keys(gives["config"] or {}, renamed.get("config", {}))}
    if isinstance(gives.get("start"), dict):
        given["start"] = _keys(gives["start"], renamed.get(start, {}))
    if isinstance(gives.get("deliver"), list):
        given["deliver"] = [
            {**each, "fields": _keys(each["fields"], renamed.get(each["event"], {}))}
            if isinstance(each, dict) and isinstance(each.get("fields"), dict)
            else each
            for each in gives["deliver"]
        ]
    given |= {each: _of_tools(gives[each], renamed) for each in ("script", "people")}
    wanted = dict(expect)
    if "calls" in expect:
        wanted["calls"] = _of_tools(expect["calls"], renamed)
    if isinstance(expect.get("with"), dict):
        wanted["with"] = _keys(expect["with"], renamed.get(expect.get("end", ""), {}))
    if isinstance(expect.get("state"), dict):
        wanted["state"] = _keys(expect["state"], renamed.get("state", {}))
    return {
        **test,
        "gives": {**test["gives"], "value": given},
        "expect": {**test["expect"], "value": wanted},
    }
