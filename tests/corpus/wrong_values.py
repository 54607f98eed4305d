"""Every key of the language, with each wrong value: where that is right after all, and where more must be said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sources import Source

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.passes import check_text

__all__ = ["FITS", "FOLLOWS", "VALUES", "Spoilt", "reason", "spoilt"]

VALUES = {
    "null": "null",
    "true": "true",
    "number": "7",
    "negative": "-1",
    "fraction": "1.5",
    "string": "zzqy",
    "empty": "''",
    "list": "[zzqy]",
    "empty list": "[]",
    "map": "{zzqy: 1}",
    "empty map": "{}",
    "nested": "{zzqy: {zzqx: [1, {b: 2}]}}",
    "expression": "'${{ run.id }}'",
    "bad expression": "'${{ 1 + }}'",
    "date": "2026-02-30",
}
"""A value of each sort, as it is written. No name is like theirs, and no such day exists."""

LANGUAGE = Path(__file__).parents[2] / "docs/language"
DEEPEST = 7
NAMED = {"events", "types", "state", "config", "models", "tools", "retries", "steps", "receives", "agents"}
NAMED |= {"knowledge", "migrate", "resources", "texts", "threads", "triggers"}
"""Sections whose entries have names of their own."""

TEXT = r"string|empty|expression|date"
NUMBERS = "max|max_runs|max_attempts|concurrency|concurrent_runs|quorum|count|steps|tokens|max_tokens|max_length|min"
NUMBERS += "|entries|max_calls"
NUMBERS += "|max_turns|parallel_calls|at_once|messages|offer|top|size|overlap|neighbours|fetch|parent|min_score|unlike"
MAPS = "save|with|prefill|query|stream|limits|resources|restart|config|expect|mock|env|labels|moved|settings|cache"
MAPS += "|headers"
FITS: list[tuple[str, str, str]] = [
    (r"description|name", rf"{TEXT}|bad expression", "any text, as it is"),
    (
        r"title|prompt|system|say|fail|show|before|after|idempotency_key|stdin|user|scope|content",
        TEXT,
        "any text",
    ),
    (r"to|topic|header|webhook|workflow|version|labels\..*|env\..*", TEXT, "any name or words"),
    (r"http\.body|settings\..*", ".*", "any data is sent"),
    (r"give|give\..*", ".*", "any value is given"),
    (NUMBERS, "number|negative", "a number"),
    (r"steps\.agent\.style", "string|date", "any workflow, which is looked for among other files"),
    (r"steps\.retrieve\.query", TEXT, "any words, or none"),
    (r"steps\.remember\.text|steps\.map\.do\.text", TEXT, "any text, or none"),
    (
        r"steps\.remember\.about\..*",
        f"{TEXT}|number|negative",
        "any text, or number, for a field of that type",
    ),
    (r"steps\.forget\.id", TEXT, "any id, also of what is not kept"),
    (r"knowledge\.\*\.files", "list|string|expression|date", "any files, there or not yet"),
    (r"knowledge\.\*\.sql\.file", "string|date", "any file, there or not yet"),
    (r"knowledge\.\*\.sql\.query", f"{TEXT}|bad expression", "any query, as it is: the database reads it"),
    (r"knowledge\.\*\.about", "empty map", "nothing is said of its texts"),
    (r"migrate|migrate\.\*\.to", "empty map", "nothing is worked out; what both versions have is kept"),
    (r"temperature|backoff|cost_usd|min_score", "number|fraction", "a number"),
    (r"tokens|read_only|cache|partial|thinking|calls|detach|final", "true", "yes"),
    (r"as", "string", "a name that nobody uses"),
    (r"to_key|per|threads\.\*\.key", "date", "a subtraction"),
    (r"retry_on|never_on|real|deliver|tests|history|files|removed", "empty list", "none of them"),
    (r"agents\.\*\.tools", "empty list", "an agent that has no tools"),
    (
        r"(tools\.\*|do\.tool)\.(args|output)",
        "empty map",
        "a tool that takes nothing, or gives nothing that has a name",
    ),
    (
        r"tests\.\*\.(script|people|tools)",
        "empty map",
        "none, or those of the test that it is like",
    ),
    (r"threads\.\*(\.keep)?", "empty map", "a thread of each run, of which all is kept"),
    (r"command|only|removed", "list", "any program, workflow or old name"),
    (rf"{MAPS}|oauth2\.body", "(empty )?map|nested", "none, or another one"),
]
"""Values that are right: the last keys, the values, and why."""

SECTIONS = "agents|models|retries|secrets|receives|texts|tools|triggers|defaults|resources|fallback|threads|knowledge"
FOLLOWS: list[tuple[str, str, str]] = [
    (r"with", "(empty )?map|nested", "what was given is given no more"),
    (SECTIONS, "(empty )?(map|list)|list|nested", "what was declared is declared no more"),
    (r"output|args|form|body|type|enum", "(empty )?(map|list)|nested", "another type, and its uses"),
    (r"min|max|min_length|max_length", "number", "another bound, and the values in tests"),
    (r"stream|before", rf"{TEXT}|bad expression|empty map", "the event that was told there is told no more"),
    (
        r"http\.body|env|env\..*|headers|prompt|system",
        ".*",
        "the secret or text that stood there is not used any more",
    ),
    (r"threads\.\*(\.keep)?", "empty map", "no model sums it up any more"),
    (r"knowledge\.\*\.about", "empty map", "nothing is said of its texts, which is asked for elsewhere"),
    (
        r"knowledge\.\*",
        "empty map",
        "nothing says any more that runs write it, nor what is said of its texts",
    ),
    (r"migrate\.\*\.from(\..*)?", "(empty )?map|nested", "another former type, and what is read of it"),
    (r"on_item_error", "null", "what it said in an earlier form: null for an item that fails"),
    (r"tests\.\*\.name", ".*", "another test is like this one, by its name"),
    (r"quorum", f"number|{TEXT}", "another number, and the answers in tests"),
    (r"give(\..*)?", ".*", "another type, and its uses"),
    (r"as", "string", "another name, and its uses"),
    (r"handoffs", "empty list", "it hands over to nobody, as others and the tests say that it does"),
    (
        r"agents\.\*\.description",
        "empty",
        "it says nothing of itself, which is told where another agent needs it",
    ),
    (r"key", "date", "a subtraction, which no key of what is received equals"),
]
"""Values that are another right one, so that findings stand where the first was relied on, or more than one."""


@dataclass(frozen=True)
class Spoilt:
    """A spec with a wrong value.

    Args:
        key: The key, as a pattern: names of the author's own are ``*``, a step is its kind.
        kind: Which value it is, of `VALUES`.
        text: The spec.
        start: Where the key begins.
        end: Where the value ends.
    """

    name: str
    key: str
    kind: str
    text: str
    start: int
    end: int


def examples() -> list[Source]:
    """The examples of the reference that need no other file."""
    found = [Source(path.stem, path.read_text(encoding="utf-8")) for path in sorted(LANGUAGE.glob("*.yaml"))]
    return [each for each in found if not check_text(each.text.encode(), f"{each.name}.yaml").diagnostics]


def spoilt(sources: list[Any]) -> Iterator[Spoilt]:
    """All keys of the language that the sources and the examples have, each once in all values."""
    seen: set[str] = set()
    for source in [*examples(), *sources]:
        for site in source.language_keys():
            key = pattern(site.address, source.data)
            start, end = source.document.stretch(Place(site.address))
            if key in seen or len(site.address) > DEEPEST or site.value is None or start == end:
                continue
            seen.add(key)
            end = len(source.text[:end].rstrip())
            for kind, value in VALUES.items():
                text = source.text[:start] + value + source.text[end:]
                yield Spoilt(source.name, key, kind, text, site.start, start + len(value))


def pattern(address: Address, data: Any) -> str:
    """The key at an address without the names that the author has chosen."""
    steps = ["*" if isinstance(step, int) else str(step) for step in address]
    if len(steps) > 1 and steps[0] in NAMED:
        steps[1] = "*"
        if steps[0] == "steps" and len(steps) > 2:
            steps[1] = data["steps"][address[1]].get("kind", "*")
    return ".".join(steps)


def reason(given: Spoilt, reasons: list[tuple[str, str, str]]) -> str | None:
    """Why a value may stand under a key, or be followed by findings; ``None`` if it may not."""
    for keys, kinds, why in reasons:
        if re.fullmatch(rf"(.*\.)?(?:{keys})", given.key) and re.fullmatch(kinds, given.kind):
            return why
    return None
