"""Values in places where YAML allows them and a spec does not: as a key, or as the whole document."""

from __future__ import annotations

import re
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import reading as problems

__all__ = ["describe", "map_as_key", "top_not_a_map"]

EVENTS: Final = frozenset({"accepts", "on_timeout"})
"""Keys that hold the names of events, and are no likely names of fields."""
BEHIND: Final = re.compile(r"(?:^|[{,]) *(?:- +)?(?P<key>[\w-]+): *\Z", re.MULTILINE)
OF_TYPES: Final = re.compile(r"\b(?:args|output): *\{[^{}\r\n]*\Z")
"""A map of types, as a tool or an agent declares them."""
NEAR: Final = 80
ENTRY: Final = r"[\s{]*[\w-]+: |\{{1,2} *\}"
"""A key and a colon, or nothing, so that braces around it are those of a map."""


def describe(value: object) -> str:
    """Return a description, in an author's words, of a value that is not a text."""
    if value is None:
        return "YAML's word for nothing"
    if isinstance(value, bool):
        return "YAML's word for yes or no"
    return "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a number"


def map_as_key(event: Any, text: str) -> Finding:
    """Return the finding for a map or a list that stands where a key should be."""
    start, end = event.start_mark.index, event.end_mark.index
    doubled = text.startswith("{{", start) or text[max(0, start - 1) : end] == "{{"
    if doubled and re.compile(ENTRY).match(text, start):
        place = Place((), "text", start - (text[start - 1] == "{"), end)
        hint = "a map stands in one pair of braces: leave out one `{`, and its `}` if that is there"
        return problems.key_not_text(place, "a map", hint)
    if doubled:
        begins = start - (text[start - 1] == "{")
        place = Place((), "text", begins, end)
        return problems.key_not_text(place, "a map", in_braces(text, begins))
    hint = "a key stands on a line of its own; a text with brackets stands in quotes"
    if re.compile(r"\[ *[\w-]+ *\]:").match(text, start):
        hint = "a key stands without brackets"
    if text[start] == "{" and text[:start].rstrip().endswith(","):
        hint = "close the map before it with `}`, or write a key and a colon before it; several maps stand in `[ ]`"
    return problems.key_not_text(Place((), "text", start, end), "a map or a list", hint)


def in_braces(text: str, start: int) -> str:
    """Return what to write for two braces that begin at a place: by the key that they stand behind, where it has only
    one kind of value, whatever it is a key of.
    """
    if re.compile(r"\{\{ *:").match(text, start):
        return "a key is missing before the colon: `{key: value}`, in one pair of braces"
    from wfc.compiler.rules import braces as brace_problems  # a good spec never needs them
    from wfc.compiler.yaml.syntax_errors.lines import list_before

    behind = BEHIND.search(text, max(0, start - NEAR), start)
    if behind and is_of_type(text, start, behind["key"]):
        return "a type stands here, such as `string`, and no expression"
    key = behind["key"] if behind else list_before(text, start)
    if key in EVENTS:
        return "an event's name stands here, and no expression"
    if is_of_test(text, start):
        return (
            "a map stands in one pair of braces: leave one pair out; a test gives values, and no expressions"
        )
    if behind is not None and key in brace_problems.BARE:
        return brace_problems.without_braces(key)
    named = brace_problems.name_wanted(key, in_list=behind is None)
    return (
        "write `${{ … }}` for an expression, in quotes where it begins a text between braces; a condition stands "
        "without any" + (f"; where `{key}` is the language's own, {named}" if named else "")
    )


def is_of_type(text: str, start: int, key: str) -> bool:
    """Return whether the value of a key is the type of what is declared."""
    from wfc.compiler.types.long_form import LONG_KEYS  # a good spec never needs them
    from wfc.compiler.yaml.syntax_errors.lines import TYPED, section_at

    declared = (
        section_at(text, start) in TYPED or OF_TYPES.search(text, max(0, start - NEAR), start) is not None
    )
    return key not in LONG_KEYS and declared


def is_of_test(text: str, start: int) -> bool:
    """Return whether a place is in the tests of a spec."""
    from wfc.compiler.yaml.syntax_errors.lines import section_at

    return section_at(text, start) == "tests"


def top_not_a_map(data: object, text: str) -> Finding:
    """Return the finding for a document whose value is not a map."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    found = f"the text `{data[:40]}`" if isinstance(data, str) else describe(data)
    return problems.not_a_map(Place((), "text", start, end if end > start else len(text)), found)
