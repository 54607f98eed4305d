"""Places where YAML truncates an unquoted text: at a `#`, or at a comma between braces."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Edit, Finding, Fix, Place
from wfc.compiler.rules import braces as brace_problems
from wfc.compiler.rules import reading as problems

__all__ = ["check_comment_after", "check_key_without_value", "ends_in_expression", "is_condition"]

COMMENT: Final = r"[ \t]+(#[^\r\n\x85\u2028\u2029]*)"

SUPPRESSION: Final = r"#[ \t]+wfc:[ \t]*ignore\b"

CONDITIONS: Final = frozenset({"when", "that", "until", "keep"})
"""Keys whose whole value is an expression."""

DIGITS: Final = r"[:\[ {](?P<whole>-?\d+(?:\.\d{3})*), *(?P<rest>\d+)\Z"
"""A number with a comma in it."""

BEHIND: Final = r"(?<![\w-])(?P<key>[a-z_]+): *\{ *\Z"
"""The key behind which a brace opens."""
PART: Final = (
    r"(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\)|\[[^\[\]\r\n]*\]"
    r"|\{ *[\w.]+ *\}|(?<! )#|[^#,{}\[\]\"'()\r\n])"
)
"""A piece of an expression on one line: a text, what stands in brackets, or one character."""

LONGEST: Final = 2_000
"""How far before a comma a text may begin that it cuts."""

DATA: Final = frozenset(
    {"args", "body", "config", "events", "expect", "headers", "labels", "mock", "output", "query", "start"}
    | {"settings", "state", "types", "with", "form", "prefill"}
)
"""Keys below which the names are the author's own, so that a `when` there is no condition."""

KEEPERS: Final = frozenset({"threads", "knowledge"})
"""Sections where `keep` says how much is kept, which is no condition."""

TYPED_SECTIONS: Final = frozenset({("config",), ("events",), ("state",), ("types",)})
TYPED_KEYS: Final = frozenset({"args", "form", "output"})
"""Keys below which types stand in other sections."""

ALWAYS_MAPS: Final = frozenset({("start",), ("with",), ("mock",), ("expect",)})
"""Keys whose value is a map, and never a list."""

WHOLE: Final = frozenset(
    {
        "at_once",
        "concurrency",
        "concurrent_runs",
        "count",
        "fetch",
        "max",
        "max_attempts",
        "max_calls",
        "max_runs",
        "max_tokens",
        "max_turns",
        "messages",
        "offer",
        "parallel_calls",
        "quorum",
        "top",
    }
)
"""Keys of the language whose value is a whole number."""

VALUES: Final = frozenset({"default", "enum", "extends", "one_of", "tests", "with"})
"""Keys below which values stand, and no types."""

OF_LONG_FORM: Final = frozenset({"as", "default", "description", "format", "merge", "pattern"})
"""Keys beside a type that hold something else."""


def check_comment_after(text: str, event: Any, key: str, owner: Address) -> tuple[Finding | None, bool]:
    """Return the finding for a comment after an unquoted text, and whether the text was truncated.

    Args:
        text: The document's.
        event: The scalar's.
        key: The key whose value it is, or empty.
        owner: The address of the map or list in which it stands.
    """
    end = event.end_mark.index
    comment = re.compile(COMMENT).match(text, end) if text[end : end + 1] in {" ", "\t"} else None
    if comment is None:
        return None, False
    value: str = event.value
    said = comment.group(1).rstrip()
    if re.match(SUPPRESSION, said):
        return None, False
    end = comment.start(1) + len(said)
    place = Place((), "text", comment.start(1), end)
    whole = Place((), "text", event.start_mark.index if value else comment.start(1), end)
    whole_line = whole if "\n" not in text[whole.start : whole.end] else None
    if said[1:2] not in {"", " ", "\t", "#", "!"} or "${{" in said:
        put_in = re.fullmatch(r"#\{ *([\w.]+) *\}\s*", said)
        return problems.text_cut_by_comment(place, value, whole_line, put_in[1] if put_in else ""), True
    if value and is_condition(key, owner):
        if open_quote(value):
            return problems.text_cut_by_comment(place, value, whole_line), True
        return problems.comment_after_condition(place, move_up(text, event, comment.start(), place)), False
    if ends_in_expression(value) and "}}" in said:
        return problems.text_cut_by_comment(place, value, whole_line), True
    return None, False


def is_condition(key: str, owner: Address) -> bool:
    """Return whether the value of a key is an expression, by the map in which the key stands."""
    if key not in CONDITIONS or DATA.intersection(owner):
        return False
    return key != "keep" or not KEEPERS.intersection(owner[:1])


def move_up(text: str, event: Any, start: int, comment: Place) -> Fix:
    """Return the fix that moves the comment to a line of its own, above the one where the value begins."""
    line = text.rfind("\n", 0, event.start_mark.index) + 1
    indent = re.compile(" *").match(text, line)
    newline = "\r\n" if "\r\n" in text else "\n"
    said = text[comment.start : comment.end]
    return Fix(
        "put the comment on the line above",
        (
            Edit(Place((), "text", line, line), f"{indent.group() if indent else ''}{said}{newline}"),
            Edit(Place((), "text", start, comment.end)),
        ),
        "safe",
    )


def open_quote(expression: str) -> bool:
    """Return whether a text constant in an expression is not closed."""
    return any(
        quote in {'"', "'"} for quote in re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", "", expression)
    )


def ends_in_expression(value: str) -> bool:
    """Return whether a text ends before the last expression in it is closed."""
    return value.rfind("${{") > value.rfind("}}")


def check_key_without_value(
    text: str, key: Any, value: Any, before: str, owner: Address = ()
) -> Finding | None:
    """Return the finding for a key between braces that has not even a colon.

    Args:
        text: The document's.
        key: The key's event.
        value: The event of its empty value.
        before: The key before it, or empty.
        owner: The address of the map in which it stands.
    """
    if key is None or ":" in text[key.end_mark.index : value.start_mark.index]:
        return None
    start, end = key.start_mark.index, key.end_mark.index
    place = Place((), "text", start, end)
    if (finding := check_lost_colon(text, place, before)) is not None:
        return finding
    if is_closed(text[max(0, start - LONGEST) : start].rstrip().removesuffix(",").rstrip()):
        before = ""
    whole = value_before(text, place) if before else None
    if (finding := check_number(text, place, before, owner)) is not None:
        return finding
    from wfc.compiler.types.notations import other_notation  # a good spec never needs it

    is_type = whole is not None and is_typed(before, owner)
    meant = other_notation(text[whole.start : whole.end]) if is_type and whole is not None else ""
    joins = re.search(r"\baccepts: *\{ *\Z", text[max(0, start - 40) : start]) is not None
    alone = text[:start].rstrip().endswith("{") and text[end:].lstrip().startswith("}")
    opened = None if before else re.compile(r"\s*,\s*([{\[])").match(text, end)
    opens = opened[1] if opened is not None else ""
    behind = re.compile(BEHIND).search(text, max(0, start - 40), start) if alone else None
    behind_key = behind["key"] if behind is not None else ""
    follows = after_braces(text, end) if behind_key else ""
    return brace_problems.text_cut_by_comma(
        place,
        before,
        key.value,
        whole,
        meant,
        alone=alone,
        joins=joins,
        opens=opens,
        behind=behind_key,
        follows=follows,
        in_map=is_typed("", owner) or owner[-1:] in ALWAYS_MAPS,
        is_key=is_key_in(text, key.value.partition(" ")[0]),
    )


def check_lost_colon(text: str, place: Place, before: str) -> Finding | None:
    """Return the finding for a key without a value that seems to have lost its colon, or the quotes of its value."""
    start, end = place.start or 0, place.end or 0
    quoted = re.fullmatch(r"([^\W\d][\w-]*) *=? *[\"'][^\"']*\$", text[start:end])
    if text[end : end + 2] == "{{" and quoted is not None:
        at = Place((), "text", start, start + quoted.end(1))
        return brace_problems.no_colon_in_braces(at, quoted[1], "…")
    if text[end : end + 2] == "{{" and text[end - 1] == "$":
        braced = text[start - 1 : end] == "{$"
        return brace_problems.expression_needs_quotes(
            Place((), "text", end - 1, end + 2), alone=False, braced=braced
        )
    if (entry := entry_without_colon(text, start, end)) is not None:
        return brace_problems.no_colon_in_braces(place, entry["key"], entry["value"].strip() or "…")
    if before in {"save", "when", "with"} and re.fullmatch(r"[A-Z]\w*", text[start:end]):
        return brace_problems.no_colon_in_braces(place, "event", text[start:end])
    return None


def check_number(text: str, place: Place, before: str, owner: Address) -> Finding | None:
    """Return the finding for a number with a comma, behind which a part of it is read as a key."""
    start, end = place.start or 0, place.end or 0
    number = re.compile(DIGITS).search(text, max(0, start - 40), end)
    if number is None:
        return None
    more = re.compile(r" *(\]|, *-?\d+(?:\.\d+)? *[,\]}])").match(text, end)
    follows = more[1] if more is not None else ""
    counts = owner[-1:] == ("ran",) or (before in WHOLE and not DATA.intersection(owner))
    counts = counts or (before == "turns" and owner[:1] == ("tests",) and owner[-1:] == ("expect",))
    return brace_problems.number_cut_by_comma(
        place, before, number["whole"], number["rest"], follows, counts=counts
    )


def is_key_in(text: str, word: str) -> bool:
    """Return whether something in a document has a key of this name; so may what is read as a part of a text."""
    from wfc.compiler.types.long_form import LONG_KEYS  # a good spec never needs it

    return word in LONG_KEYS or word in keys_of(text)


@lru_cache(maxsize=1)
def keys_of(text: str) -> frozenset[str]:
    """Return all words of a document behind which a colon stands: many commas may ask for them."""
    return frozenset(re.findall(r"(?<![\w-])[\w-]++(?= *+:(?!\S))", text))


def after_braces(text: str, end: int) -> str:
    """Return what goes on behind a brace that closes, up to the end of the entry, without the braces around names."""
    found = re.compile(rf"\s*\}}(?P<more>(?:{PART})*)").match(text, end, end + LONGEST)
    parts = re.findall(PART, found["more"]) if found else []
    return "".join(each.strip("{} ") if each.startswith("{") else each for each in parts).rstrip()


def is_typed(key: str, owner: Address) -> bool:
    """Return whether a type stands under a key, by the map in which it stands."""
    if key in OF_LONG_FORM or VALUES.intersection(owner):
        return False
    return owner[:1] in TYPED_SECTIONS or not TYPED_KEYS.isdisjoint((*owner, key))


def entry_without_colon(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return key and value of an entry between braces that lacks the colon, or the blank after it."""
    after = re.compile(r" *").match(text, end)
    follows = text[after.end() : after.end() + 1] if after else ""
    words = text[start:end]
    if follows in {"{", "[", '"', "'"}:
        return re.fullmatch(r"(?P<key>[^\W\d][\w-]*) *[:=]?(?P<value>) *", words)
    name = r"(?P<key>[^\W\d][\w-]*"
    return re.fullmatch(
        rf"{name})(?:[:=](?![=:])| *=(?!=) *| *(?=[\"']))(?P<value>.*)", words, re.DOTALL
    ) or re.fullmatch(rf"{name}(?:\.[^\W\d][\w-]*)+):(?P<value>[^\W\d].*)", words)  # as under `moved`


def is_closed(said: str) -> bool:
    """Return whether a text ends with a value that has brackets or quotes of its own, so that no comma cuts it."""
    if not said.endswith(('"', "'")):
        return said.endswith(("}", "]"))
    return said[: said.rfind(said[-1], 0, -1)].rstrip().endswith((":", "[", "{", ","))


def value_before(text: str, rest: Place) -> Place | None:
    """Return the unquoted text that a comma cut, with what follows the comma; ``None`` in complex cases."""
    start = rest.start or 0
    nearest = max(0, start - LONGEST)  # else a line of nothing but commas is searched once for each of them
    cut = text.rfind(",", nearest, start)
    begin = text.rfind(": ", nearest, max(cut, 0)) + 2
    whole = text[begin : rest.end]
    if begin < 2 or not text[begin:cut].strip() or any(each in whole for each in "\n\"'[]{}#"):
        return None
    return Place((), "text", begin, rest.end)
