"""A quick fix for a name that is used before it is there: what declares it."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import OpenDocument
from wfc.compiler.lsp.trying import Trial
from wfc.compiler.python.literals import snake_case
from wfc.compiler.slotted import dataclass

__all__ = ["NEVER_ACCEPTED", "Insertion", "accepting", "declared_with", "declaring"]

EVENT: Final = re.compile(r"[A-Z][A-Za-z0-9_]*", re.ASCII)
CODE: Final = "unknown-event"
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
DECLARED: Final = {
    "unknown-model": ("models", '{{use: "openai:gpt-4o-mini"}}'),
    "unknown-tool": ("tools", '{{python: "tools:{name}", {args}output: any}}'),
    "unknown-retry": ("retries", "{{max_attempts: 3}}"),
    "unknown-secret": ("secrets", ""),
}
"""What is missing by the code of a finding: its section, and the least that an entry there says."""
NEVER_ACCEPTED: Final = "event-never-accepted"
NOT_ACCEPTED: Final = re.compile(r"`(\w+)`, which no step accepts")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that comes in at a place, in the stead of so many code points, and what that does, in words."""

    title: str
    at: int
    text: str
    over: int = 0


def declaring(document: OpenDocument, found: Diagnostic) -> Insertion | None:
    """Return what declares the event that a finding misses, without fields; ``None`` if it has no place for it."""
    name = document.text[found.start.offset : found.end.offset].strip("'\"")
    if found.code != CODE or not EVENT.fullmatch(name):
        return None
    place = end_of_section(document, "events")
    if place is None:
        return None
    return Insertion(f"declare `{name}` under `events`", place[0], f"\n{place[1]}{name}: {{}}")


def accepting(trial: Trial, found: Diagnostic) -> Insertion | None:
    """Return what adds a step that accepts the event of a finding, if nothing is wrong with it."""
    document = trial.document
    told = NOT_ACCEPTED.search(found.message) if found.code == NEVER_ACCEPTED else None
    place = end_of_section(document, "steps") if told is not None else None
    if told is None or place is None:
        return None
    at, indent = place
    name = f"take_{snake_case(told[1])}"
    if name in {each.path[1] for each in document.nodes if len(each.path) > 1}:
        return None
    lines = [
        f"{indent}{name}:",
        *(f"{indent}  {each}" for each in ("kind: transform", f"accepts: {told[1]}", "emit: nothing")),
    ]
    new = "".join(f"\n{each}" for each in ("", *lines))
    after = trial.findings(document.text[:at] + new + document.text[at:])
    if after is None or any(each.code == found.code and f"`{told[1]}`" in each.message for each in after):
        return None
    fits = trial.brings_nothing_new(after)
    return Insertion(f"add the step `{name}`, which accepts `{told[1]}`", at, new) if fits else None


def declared_with(trial: Trial, found: Diagnostic) -> Insertion | None:
    """Return what declares the model, the tool, the retry policy or the secret of a finding, if all is well then.

    Only where nothing of a similar name is declared: what has a fix of its own is a slip of the keyboard.
    """
    kind = DECLARED.get(found.code)
    text = trial.document.text
    name = text[found.start.offset : found.end.offset].strip("'\"")
    if kind is None or found.fix is not None or not NAME.fullmatch(name):
        return None
    section, entry = kind
    new = as_secret(trial.document, name) if section == "secrets" else None
    if new is None and section != "secrets":
        new = as_entry(
            trial.document, section, f"{name}: {entry.format(name=name, args=args_at(trial, found))}"
        )
    if new is None:
        return None
    after = trial.findings(text[: new.at] + new.text + text[new.at :])
    if after is None or any(each.code == found.code and f"`{name}`" in each.message for each in after):
        return None
    return new if trial.brings_nothing_new(after) else None


def as_entry(document: OpenDocument, section: str, entry: str) -> Insertion | None:
    """Return what adds an entry to a section, or the section with it before the steps."""
    title = f"declare `{entry.partition(':')[0]}` under `{section}`"
    place = end_of_section(document, section)
    if place is not None:
        return Insertion(title, place[0], f"\n{place[1]}{entry}")
    at = start_of_steps(document, section)
    return None if at is None else Insertion(title, at, f"{section}:\n  {entry}\n")


def as_secret(document: OpenDocument, name: str) -> Insertion | None:
    """Return what adds a name to the list of secrets."""
    title = f"list `{name}` under `secrets`"
    listed = [each.node for each in document.nodes if not each.is_key and each.path[:1] == ("secrets",)]
    if listed:
        last = max(listed, key=lambda each: each.start)
        begin = document.text.rfind("\n", 0, last.start) + 1
        before = document.text[begin : last.start]
        if document.text[last.start : last.end].startswith("["):
            return None  # an empty list
        in_block = before.strip(" ") == "-"
        return Insertion(title, last.end, f"\n{before}{name}" if in_block else f", {name}")
    at = start_of_steps(document, "secrets")
    return None if at is None else Insertion(title, at, f"secrets: [{name}]\n")


def start_of_steps(document: OpenDocument, section: str) -> int | None:
    """Return where the line of `steps` begins; ``None`` if the section is there, or this line is not plain."""
    keys = {each.path[0]: each.node for each in document.nodes if each.is_key and len(each.path) == 1}
    steps = keys.get("steps")
    if steps is None or section in keys or document.text[steps.start - 1 : steps.start] not in {"", "\n"}:
        return None
    return steps.start


def args_at(trial: Trial, found: Diagnostic) -> str:
    """Return the arguments that are given where a tool is named, each of any type."""
    here = [
        each for each in trial.document.nodes if not each.is_key and each.node.start == found.start.offset
    ]
    said = trial.document.data
    for key in here[0].path[:-1] if here else ():
        said = said.get(key) if isinstance(said, dict) else None
    given = said.get("with") if isinstance(said, dict) else None
    names = [f"{each}: any" for each in given if isinstance(each, str)] if isinstance(given, dict) else []
    return f"args: {{{', '.join(names)}}}, " if names else ""


def end_of_section(document: OpenDocument, section: str) -> tuple[int, str] | None:
    """Return the place behind the last entry of a section, and the blanks before its names; ``None`` in brackets."""
    keys = [
        each.node
        for each in document.nodes
        if each.is_key and len(each.path) == 2 and each.path[0] == section
    ]
    if not keys:
        return None
    last = max(keys, key=lambda each: each.start)
    begin = document.text.rfind("\n", 0, last.start) + 1
    indent = document.text[begin : last.start]
    if not indent or indent.strip(" "):
        return None
    at = begin
    for line in document.text[begin:].splitlines(keepends=True):
        if at > begin and line.strip() and len(line) - len(line.lstrip(" ")) <= len(indent):
            break
        at += len(line)
    return len(document.text[:at].rstrip()), indent
