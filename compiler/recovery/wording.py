"""Findings reworded with knowledge of the whole spec: each undeclared name once, with hints."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Fix, Severity
from wfc.compiler.recovery.analysis import Analysis
from wfc.compiler.recovery.doubtful_quotes import without_doubtful_quotes
from wfc.compiler.recovery.expressions_as_addresses import with_expressions_in_addresses
from wfc.compiler.recovery.sections import SECTIONS
from wfc.compiler.recovery.strayed_names import named_by_environment, with_strayed
from wfc.compiler.recovery.suspicion import Data, at, walk
from wfc.compiler.rules import phrases
from wfc.compiler.slotted import replace

__all__ = ["reword"]

ARE: Final = {
    "agents": "an agent",
    "config": "a field of `config`, in which nothing is saved",
    "events": "an event",
    "models": "a model",
    "retries": "a retry policy",
    "secrets": "a secret",
    "steps": "a step",
    "threads": "a thread",
    "tools": "a tool",
    "types": "a type",
}
"""What the names of a section are."""
MERGED: Final = SECTIONS.keys() | {"received-key-for-nothing", "not-received"}
"""Of these one is enough for all places that lack the same."""
OF_PLAIN_VALUES: Final = SECTIONS.keys() | {
    "bad-duration",
    "bad-name",
    "unknown-error",
    "unknown-kind",
    "unknown-value",
    "unknown-workflow",
    "words-after-type",
    "wrong-type",
    "wrong-value",
}
"""What is said of values that are no expressions."""
OF_ITEMS: Final = ("keep", "do", "give", "require", "on_item_error")
"""Where a `map` says what is done with an item."""
MOST_PLACES: Final = 10
OF_SHAPE: Final = frozenset({"missing-key", "unknown-key", "wrong-type"})
"""What is said where something stands that belongs to another section."""
NEAR_THE_TOP: Final = 3
"""The parts of the address of a declaration's key."""
MOST_NEAR_THE_TOP: Final = 2
"""In a section in which so many declarations are none, others may belong elsewhere as well."""
NO_WAY: Final = frozenset(
    {"event-never-accepted", "event-never-emitted", "run-without-end", "unreachable-end", "unreachable-step"}
)
"""What is said of events that nobody emits or accepts, and of what no path leads to."""
OF_FLOW: Final = frozenset({"events", "imports", "on_cancel", "on_deadline", "on_error", "parts", "steps"})
"""Sections in which something that is not read may emit or accept events."""
UNUSED: Final = frozenset({"unused-declaration", "unused-event"})
COMMENT: Final = re.compile(r"\s+(?://|--|/\*)\s*(?P<words>\w[^*]*)(?:\*/)?$")
OF_RESULTS: Final = frozenset({"body", "data", "output", "outputs", "response", "result"})
"""What a step's result is called behind its name in other languages."""
FIELD: Final = re.compile(r"\s*\.\s*(\w+)")


def reword(analysis: Analysis) -> Analysis:
    """Report each mistake once, with hints that require the whole spec."""
    data = analysis.document.data
    findings = with_expressions_in_addresses(without_second_words(merge_repeated(analysis), analysis))
    if isinstance(data, dict):
        findings = [
            item_elsewhere(name_of_step(each, data), data) if each.code == "unknown-name" else each
            for each in findings
        ]
        findings = [
            asked_of_nobody(each, data) if each.code == "unfilled-field" else each for each in findings
        ]
        findings = [event_as_error(each, data) if each.code == "unknown-error" else each for each in findings]
        findings = [
            joined_beside(each, data) if each.code == "event-never-accepted" else each
            for each in without_unused(without_unread(findings, data))
        ]
        findings = [or_a_step_is_missing(foreign_comment(each, data)) for each in findings]
        findings = without_guesses(findings)
        findings = [declared_elsewhere(each, data) if each.code in SECTIONS else each for each in findings]
        findings = with_strayed(findings, analysis.document)
        findings = [
            named_by_environment(each, data) if each.code == "unknown-secret" else each for each in findings
        ]
    return replace(analysis, findings=without_doubtful_quotes(findings))


def without_guesses(findings: list[Finding]) -> list[Finding]:
    """Leave out the hints about what is declared where a section is none, or several of its declarations are not."""
    near = [each for each in findings if each.code in OF_SHAPE and len(each.place.address) <= NEAR_THE_TOP]
    none = {
        each.place.address[0] for each in near if len(each.place.address) == 1 and each.code == "wrong-type"
    }
    strange = Counter(
        each.place.address[0]
        for each in near
        if len(each.place.address) == NEAR_THE_TOP - 1
        and each.place.address[0] != "triggers"  # where keys of one stand in place of its name
        and (each.code == "wrong-type" or "kind" in each.about)
    )
    none |= {section for section, count in strange.items() if count >= MOST_NEAR_THE_TOP}
    unsure = [each for each in near if len(each.place.address) > 1 and each.place.address[0] in none]
    return [replace(each, hint="", fix=None) if each in unsure else each for each in findings]


def without_unused(findings: list[Finding]) -> list[Finding]:
    """Leave out what is not used where something is wrong: mended, it may use it. Of results, where the step is."""
    wrong = {
        each.place.address[:2]
        for each in findings
        if each.code != "unused-result" and each.severity is Severity.ERROR and each.place.origin is None
    }
    is_wrong = any(each.severity is Severity.ERROR for each in findings)
    left_over: frozenset[str] = UNUSED if is_wrong else frozenset()
    return [
        each
        for each in findings
        if each.code not in left_over
        and (each.code != "unused-result" or each.place.address[:2] not in wrong)
    ]


def without_second_words(findings: list[Finding], analysis: Analysis) -> list[Finding]:
    """Leave out that a key is no text where no such key is known in any case."""
    stretch = analysis.document.stretch
    unknown = {stretch(each.place) for each in findings if each.code == "unknown-key"}
    return [each for each in findings if each.code != "key-not-text" or stretch(each.place) not in unknown]


def without_unread(findings: list[Finding], data: Data) -> list[Finding]:
    """Leave out that nobody emits or accepts an event where something is not read that may do so: the second value of
    a key, or what stands under a key that is not known.
    """
    if not any(each.code in NO_WAY for each in findings):
        return findings
    twice = [each.related[0][0].address for each in findings if each.code == "duplicate-key"]
    if any(len(address) == 1 or address[0] in OF_FLOW for address in twice):
        return [each for each in findings if each.code not in NO_WAY]
    unread = [
        at(data, each.place.address)
        for each in findings
        if each.code == "unknown-key" and each.place.part == "key" and each.place.origin is None
    ]
    names = {value for each in unread for _, value in walk({"": each}) if isinstance(value, str)}
    return [
        each for each in findings if each.code not in NO_WAY or not (each.about and each.about[0] in names)
    ]


def event_as_error(finding: Finding, data: Data) -> Finding:
    """Say of an event that stands where an error is named what it is."""
    name = finding.about[0]
    if not holds(data.get("events"), name):
        return finding
    return replace(
        finding, hint=f"`{name}` is an event; errors are `http`, `timeout` and their like", fix=None
    )


def asked_of_nobody(finding: Finding, data: Data) -> Finding:
    """Add to a field that nothing fills, in a step for a person that asks for nothing, that it may be the answer."""
    step = at(data, finding.place.address[:2]) if finding.place.address[:1] == ("steps",) else None
    answered = isinstance(step, dict) and step.get("kind") == "human" and "form" not in step
    if not answered or finding.place.address[2:3] != ("emit",):
        return finding
    fields = at(data, ("events", str(at(data, finding.place.address))))
    types = {name: fields.get(name) if isinstance(fields, dict) else None for name in finding.about}
    form = ", ".join(f"{name}: {each if isinstance(each, str) else '…'}" for name, each in types.items())
    hint = f"if the person is to say it, ask for it by `form: {{{form}}}`; else {finding.hint}"
    return replace(finding, hint=hint, fix=None)


def or_a_step_is_missing(finding: Finding) -> Finding:
    """Add to what would be right in place of an event that a step may be missing as well."""
    role = {"event-never-emitted": "emits", "event-never-accepted": "accepts"}.get(finding.code)
    if role is None or not finding.hint.startswith("nothing would be wrong"):
        return finding
    return replace(finding, hint=f"{finding.hint}; or the step is missing that {role} `{finding.about[0]}`")


def joined_beside(finding: Finding, data: Data) -> Finding:
    """Add to an event that nobody accepts which join waits for what comes together with it: it may lack it."""
    if not finding.hint or finding.hint.startswith("nothing would be wrong"):
        return finding
    steps, event = data.get("steps"), finding.about[0]
    sender = at(data, finding.place.address[:2])
    emits = sender.get("emit") if isinstance(sender, dict) else None
    together = set(emitted(emits)) if isinstance(emits, dict) and "all" in emits else set()
    for name, step in steps.items() if isinstance(steps, dict) and event in together else ():
        accepts = step.get("accepts") if isinstance(step, dict) else None
        waits = accepted(accepts) if isinstance(accepts, dict) and "all" in accepts else []
        if together & set(waits):
            told = f"if `{name}` is to wait for it too, add `{event}` to its `all`; else {finding.hint}"
            return replace(finding, hint=told)
    return finding


def merge_repeated(analysis: Analysis) -> list[Finding]:
    """Merge the findings about the same missing name into one, at the first of their places in the text."""
    stretch = analysis.document.stretch
    groups: dict[tuple[str, str], list[Finding]] = {}
    for each in analysis.findings:
        if each.code in MERGED and each.place.origin is None:
            groups.setdefault((each.code, each.message), []).append(each)
    told, left = {}, []
    for key, group in groups.items():
        by_place = {stretch(each.place): each for each in reversed(group)}
        if len(by_place) > 1:
            told[key] = merge([by_place[place] for place in sorted(by_place)])
    for each in analysis.findings:
        same = told.get((each.code, each.message)) if each.place.origin is None else each
        if same is None or same is each:
            left.append(each)
    return [*left, *told.values()]


def merge(group: list[Finding]) -> Finding:
    """Return one finding for several about the same missing name."""
    first = group[0]
    others = [each.place for each in group[1 : MOST_PLACES + 1]]
    edits = tuple(edit for each in group for edit in (each.fix.edits if each.fix is not None else ()))
    fix = None if first.fix is None else Fix(first.fix.title, edits, first.fix.applicability)
    is_sure = fix is not None and fix.applicability == "safe"
    is_declared = any(first.hint.startswith(f"`{name}` is ") for name in first.about)  # as something else
    keeps = is_sure or is_declared or first.code not in SECTIONS
    hint = first.hint if keeps else declaration_hint(first)
    related = (*first.related, *((place, "and here") for place in others))
    return replace(first, hint=hint, related=related, fix=fix if len(edits) == len(group) else None)


def declaration_hint(finding: Finding) -> str:
    """Return a hint for a name that is used several times and declared nowhere."""
    section, name = SECTIONS[finding.code], finding.about[0] if finding.about else ""
    written = {"events": f"`{name}: {{}}`, with its fields", "secrets": f"`{name}`"}.get(section, "")
    declare = f"declare it under `{section}`" + (f": {written}" if written else "")
    near = finding.hint.partition(" if not, declare it")[0]
    return f"{declare}; or {near}" if near.startswith("did you mean") else declare


def name_of_step(finding: Finding, data: Data) -> Finding:
    """Add what to write for the name of a step in an expression: results of steps are in their events."""
    steps, name = data.get("steps"), finding.about[0] if finding.about else ""
    place = finding.place
    if not isinstance(steps, dict) or not isinstance(steps.get(name), dict):
        return finding
    events = list(dict.fromkeys(emitted(steps[name].get("emit"))))
    text = at(data, place.address)
    after = FIELD.match(text, place.end or 0) if isinstance(text, str) else None
    if after and after[1] in OF_RESULTS:
        after = FIELD.match(text, after.end())
    field = after[1] if after else "…"
    if place.address[:2] == ("steps", name):
        return replace(
            finding, hint=f"what a step's own action gives is `result`: write `result.{field}`", fix=None
        )
    accepts = at(data, (*place.address[:2], "accepts"))
    shared = [each for each in accepted(accepts) if each in events]
    if shared and isinstance(accepts, dict):
        hint = f"write `events.{shared[0]}.{field}`"
    elif shared:
        alone = accepted(accepts) == shared
        hint = f"write `event.{field}`" + ("" if alone else f", where `event is {shared[0]}`")
    else:
        hint = f"hand it on in the events in between, or `save` it in `{name}` and write `state.{field}`"
    carried = (
        f"what it gives is in what it emits, {phrases.joined(events, 'or')}" if events else "it gives nothing"
    )
    return replace(finding, hint=f"`{name}` is a step; {carried}: {hint}", fix=None)


def item_elsewhere(finding: Finding, data: Data) -> Finding:
    """Add where the item is that a step goes through, to what is said of its name at another place."""
    name = finding.about[0] if finding.about else ""
    step = at(data, finding.place.address[:2]) if finding.place.address[:1] == ("steps",) else None
    if name == "result" and isinstance(step, dict) and step.get("kind") == "human" and "form" not in step:
        return replace(
            finding, hint="a person's answer is the `result`, if `form` says what is asked", fix=None
        )
    meant_as_text = (f'a text stands in quotes: `"{name}"`', f'is compared with something: `… == "{name}"`')
    if finding.hint.endswith(meant_as_text) and holds(data.get("events"), name):
        return replace(finding, hint=f"`{name}` is an event, which no expression reads", fix=None)
    if not isinstance(step, dict) or not name:
        return finding
    if step.get("as") == name and "do" in step:
        instead = (
            "what is streamed is said once, for all items together"
            if finding.place.address[2:3] == ("stream",)
            else "what is given for all of them is the list `result`"
        )
        hint = f"`{name}` is an item of the `map`, known in {phrases.joined(OF_ITEMS)}; {instead}"
    elif any(each.get("as") == name for each in batches(step.get("emit"))):
        hint = f"`{name}` is an item of the `each`, known in its `with` only; a list made of another may choose items: "
        hint += f"`in: '[{name} for {name} in … if …]'`"
    else:
        return finding
    return replace(finding, hint=hint, fix=None)


def batches(emit: Any) -> list[Data]:
    """Return what an `emit` says of the batches that it sends out."""
    entries = emit if isinstance(emit, list) else [emit]
    found = [each.get("each") for each in entries if isinstance(each, dict)]
    return [each for each in found if isinstance(each, dict)]


def foreign_comment(finding: Finding, data: Data) -> Finding:
    """Add a hint that a value ends in a comment of another language."""
    value = at(data, finding.place.address) if finding.place.part == "value" else None
    if not isinstance(value, str) or finding.code not in OF_PLAIN_VALUES or "\n" in value or "${{" in value:
        return finding  # in expressions `//` divides
    found = COMMENT.search(value)
    if found is None:
        return finding
    hint = f"a comment begins with `#`: write `{value[: found.start()]}  # {found['words'].strip()}`"
    return replace(finding, hint=hint, fix=None)


def declared_elsewhere(finding: Finding, data: Data) -> Finding:
    """Say of a name that is declared in another section what it is."""
    name = finding.about[0] if finding.about else ""
    own = SECTIONS[finding.code]
    if finding.fix is not None or not finding.hint.startswith(("there ", "declare it under ")):
        return finding
    found = next((each for each in ARE if each != own and holds(data.get(each), name)), "")
    if not found:
        return finding
    others = finding.hint.partition("; ")[0]
    said = f"`{name}` is {ARE[found]}" + (f"; {others}" if others.startswith("there ") else "")
    return replace(finding, hint=said)


def holds(section: Any, name: str) -> bool:
    return isinstance(section, (dict, list)) and name in section


def emitted(emit: Any) -> list[str]:
    """Return the events that an `emit` names."""
    if isinstance(emit, str):
        return [emit]
    if isinstance(emit, list):
        return [name for each in emit for name in emitted(each)][:8]
    if isinstance(emit, dict):
        return emitted(emit.get("event") or emit.get("all") or [])
    return []


def accepted(accepts: Any) -> list[str]:
    """Return the events that an `accepts` names, except those of an `each`."""
    if isinstance(accepts, dict):
        accepts = accepts.get("all") or accepts.get("any") or []
    listed = accepts if isinstance(accepts, list) else [accepts]
    return [each for each in listed if isinstance(each, str)]
