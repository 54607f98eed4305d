"""Whole entries with places, as editors have them: `${1:name}` has a word to type over, `${1|a,b|}` a choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.keys import needed_at
from wfc.compiler.lsp.names import EXITS, SECTIONS, kind_at
from wfc.compiler.lsp.scope import accepted, table
from wfc.compiler.model.kinds import STEP_KINDS

__all__ = ["NEW_WORKFLOW", "PLAIN", "new_entry", "new_steps"]

PLAIN: Final = "string integer number decimal boolean date datetime duration any".split()
"""The names of the types of plain values."""

TYPE: Final = ",".join([*PLAIN, "list of string"])
USUAL: Final = ("kind", "accepts", "emit")
MOST_CHOICES: Final = 50
"""Among more names nobody looks for one in a list, and each kind of step would bring them along."""

NEW_WORKFLOW: Final = f"""\
wfc: 1
workflow: ${{1:name}}
start: ${{2:Asked}}
end: ${{3:Answered}}

events:
  ${{2:Asked}}: {{${{4:question}}: ${{5|{TYPE}|}}}}
  ${{3:Answered}}: {{${{6:answer}}: ${{7|{TYPE}|}}}}

steps:
  $0"""


def place(number: int, names: Iterable[str], word: str = "") -> str:
    """Return a place to fill in: a choice where it is known what fits.

    At a word, some editors would show only what is like that word.
    """
    found = [each for each in names if each.isidentifier()]
    if len(found) > MOST_CHOICES:
        return f"${{{number}}}"
    if found:
        return f"${{{number}|{','.join(found)}|}}"
    return f"${{{number}:{word}}}" if word else f"${{{number}}}"


def new_steps(data: Mapping[str, Any], workflows: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield a whole step of each kind, with the keys that it must have: its label, a few words, and its lines.

    Args:
        data: What the document means, with what it imports.
        workflows: The names of those that it may run.
    """
    for kind in STEP_KINDS:
        lines = ["${1:name}:", f"  kind: {kind}", f"  accepts: {place(2, to_accept(data), 'Event')}"]
        needed = [
            key for key in needed_at(("steps", "x"), {"steps": {"x": {"kind": kind}}}) if key not in USUAL
        ]
        for number, key in enumerate(needed, 3):
            named = kind_at(("steps", "x", key))
            known = workflows if named == "workflow" else table(data, SECTIONS.get(named, ""))
            lines.append(f"  {key}: {place(number, known)}")
        # often more than a name is written there, and in a choice VS Code proposes nothing else
        lines.append(f"  emit: ${{{len(needed) + 3}}}")
        yield f"{kind} step", f"a new step of kind {kind}", lines


def new_entry(path: tuple[str, ...], data: Mapping[str, Any], *, begins_item: bool) -> tuple[str, list[str]]:
    """Return a whole event, a whole test, or a whole entry of `emit`, as a few words and its lines; none elsewhere.

    Args:
        begins_item: Whether it would be an item of a list, of which nothing stands there yet.
    """
    if path == ("events",):
        known = [TYPE, *table(data, "types")]
        return "a new event", [f"${{1:Name}}: {{${{2:field}}: ${{3|{','.join(known[:MOST_CHOICES])}|}}}}"]
    if path == ("tests",) and begins_item:
        start = "start: {${2}}" if table(table(data, "events"), str(data.get("start"))) else "start: {}"
        end = place(3, accepted(data.get("end")), "Event")
        return "a new test", ["name: ${1:what happens}", start, f"expect: {{end: {end}}}"]
    if path[:1] == ("steps",) and path[2:] == ("emit",) and begins_item:
        event = place(1, to_emit(data), "Event")
        return "an event under a condition", [f"event: {event}", "when: ${2:condition}", "with: {${3}}"]
    return "", []


def to_accept(data: Mapping[str, Any]) -> list[str]:
    """Return the events that a step may accept: first those that none accepts yet, last those that end a run."""
    said = [each.get("accepts") for each in steps(data)]
    return ranked(data, accepted(said), accepted(data.get("end")))


def to_emit(data: Mapping[str, Any]) -> list[str]:
    """Return the events that a step may make: first those that none makes yet, last that with which a run begins."""
    said = [each.get(key) for each in steps(data) for key in EXITS]
    return ranked(data, accepted(said), accepted(data.get("start")))


def steps(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in table(data, "steps").values() if isinstance(each, dict)]


def ranked(data: Mapping[str, Any], later: list[str], last: list[str]) -> list[str]:
    return sorted(table(data, "events"), key=lambda each: (each in last, each in later))
