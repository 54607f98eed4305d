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
    "unknown-model": ("models", '{{use: "{use}"}}'),
    "unknown-tool": ("tools", '{{python: "tools:{name}", {args}output: any}}'),
    "unknown-retry": ("retries", "{{max_attempts: 3}}"),
    "unknown-secret": ("secrets", ""),
}
"""What is missing by the code of a finding: its section, and the least that an entry there says."""
MODELS: Final = {
    "claude": "anthropic:claude-sonnet-4-5",
    "gemini": "google:gemini-2.5-flash",
    "gpt": "openai:gpt-4o-mini",
}
"""The models of who is known by a model's name."""
OF_OTHERS: Final = re.compile(
    r"(?<![a-z])(?:deepseek|gemma|grok|kimi|llama|mi[sx]tral|phi|qwen)", re.IGNORECASE
)
"""Names of models that several offer, or somebody else."""
NEVER_ACCEPTED: Final = "event-never-accepted"
NOT_ACCEPTED: Final = re.compile(r"`(\w+)`, which no step accepts")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that comes in at a place, in the stead of so many code points, and what that does, in words."""

    title: str
    at: int
    text: str
    over: int = 0


def declaring(trial: Trial, found: Diagnostic) -> Insertion | None:
    """Return what declares the event that a finding misses, without fields, if all is well then.

    That no step accepts it may be told then: what accepts it comes next.
    """
    document = trial.document
    name = document.text[found.start.offset : found.end.offset].strip("'\"")
    if found.code != CODE or found.fix is not None or not EVENT.fullmatch(name):
        return None
    new = in_section(document, "events", f"{name}: {{}}")
    return None if new is None else tried(trial, found, name, new, next_code=NEVER_ACCEPTED)


def tried(
    trial: Trial, found: Diagnostic, name: str, new: Insertion, next_code: str = ""
) -> Insertion | None:
    """Return what declares a name if the finding is gone then, and nothing else is told.

    Args:
        next_code: Of a finding about the name that may be there then.
    """
    text = trial.document.text
    after = trial.findings(text[: new.at] + new.text + text[new.at + new.over :])
    about = f"`{name}`"
    if after is None or any(each.code == found.code and about in each.message for each in after):
        return None
    rest = [each for each in after if not (each.code == next_code and about in each.message)]
    return new if trial.brings_nothing_new(rest) else None


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
    new = "".join(f"{line_end(document)}{each}" for each in ("", *lines))
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
    document = trial.document
    use = model_of(document, name) if section == "models" else ""
    if use is None:
        return None
    said = f"{name}: {entry.format(name=name, use=use, args=args_at(trial, found))}"
    new = as_secret(document, name) if section == "secrets" else as_entry(document, section, said)
    return None if new is None else tried(trial, found, name, new)


def model_of(document: OpenDocument, name: str) -> str | None:
    """Return which model a name means; ``None`` if it is one of which nobody knows who offers it here."""
    own = next((model for family, model in MODELS.items() if family in name.lower()), None)
    if own is not None or OF_OTHERS.search(name):
        return own
    said = document.data.get("models") if isinstance(document.data, dict) else None
    others = (
        [each.get("use") for each in said.values() if isinstance(each, dict)]
        if isinstance(said, dict)
        else []
    )
    return next((each for each in others if isinstance(each, str)), MODELS["gpt"])


def as_entry(document: OpenDocument, section: str, entry: str) -> Insertion | None:
    """Return what adds an entry to a section, or the section with it before the steps."""
    found = in_section(document, section, entry)
    at = start_of_steps(document, section) if found is None else None
    if at is None:
        return found
    end = line_end(document)
    return Insertion(title_of(section, entry), at, f"{section}:{end}  {entry}{end}")


def in_section(document: OpenDocument, section: str, entry: str) -> Insertion | None:
    """Return what adds an entry to a section that is there."""
    title, end = title_of(section, entry), line_end(document)
    place = end_of_section(document, section)
    if place is not None:
        return Insertion(title, place[0], f"{end}{place[1]}{entry}")
    empty = empty_value(document, section, "{}")
    if empty is None:
        return None
    at, over = empty
    return Insertion(title, at, f"{end}  {entry}", over)


def title_of(section: str, entry: str) -> str:
    return f"declare `{entry.partition(':')[0]}` under `{section}`"


def empty_value(document: OpenDocument, section: str, brackets: str) -> tuple[int, int] | None:
    """Return where the blanks before the empty brackets of a section begin, and how long both are."""
    key = next((each.node for each in document.nodes if each.is_key and each.path == (section,)), None)
    rest = "" if key is None else document.text[key.end :]
    found = re.match(
        rf"[ \t]*:([ \t]*{re.escape(brackets)})[ \t]*(?:#.*)?$", rest.partition("\n")[0].rstrip()
    )
    if key is None or found is None:
        return None
    return key.end + found.start(1), found.end(1) - found.start(1)


def line_end(document: OpenDocument) -> str:
    return "\r\n" if "\r\n" in document.text else "\n"


def as_secret(document: OpenDocument, name: str) -> Insertion | None:
    """Return what adds a name to the list of secrets."""
    title = f"list `{name}` under `secrets`"
    empty = empty_value(document, "secrets", "[]")
    if empty is not None:
        return Insertion(title, empty[0], f" [{name}]", empty[1])
    listed = [each.node for each in document.nodes if not each.is_key and each.path[:1] == ("secrets",)]
    if listed:
        last = max(listed, key=lambda each: each.start)
        begin = document.text.rfind("\n", 0, last.start) + 1
        before = document.text[begin : last.start]
        if document.text[last.start : last.end].startswith("["):
            return None  # an empty list on several lines
        in_block = before.strip(" ") == "-"
        return Insertion(title, last.end, f"{line_end(document)}{before}{name}" if in_block else f", {name}")
    at = start_of_steps(document, "secrets")
    return None if at is None else Insertion(title, at, f"secrets: [{name}]{line_end(document)}")


def start_of_steps(document: OpenDocument, section: str) -> int | None:
    """Return where the line of `steps` begins, or the comment that stands right above it; ``None`` if the section is
    there, or this line is not plain.
    """
    keys = {each.path[0]: each.node for each in document.nodes if each.is_key and len(each.path) == 1}
    steps = keys.get("steps")
    if steps is None or section in keys or document.text[steps.start - 1 : steps.start] not in {"", "\n"}:
        return None
    at = steps.start
    for line in reversed(document.text[:at].splitlines(keepends=True)):
        if not line.startswith("#"):
            break
        at -= len(line)
    return at if at > 0 else steps.start


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
