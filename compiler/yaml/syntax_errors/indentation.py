"""Lines that are indented wrongly, or stand below what is complete already."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.yaml.syntax_errors.lines import ENTRY, NEAR, above, indentation, last_line, line_at
from wfc.compiler.yaml.syntax_errors.no_entry import GLUED_DASH, explain_line
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, place_of

__all__ = [
    "below_indented_first",
    "glued_dash_above",
    "indented_too_far",
    "item_too_far",
    "keys_below_name",
    "list_below_value",
    "misaligned",
]

ITEM_OF_MAPS: Final = re.compile(r"(?P<indent> *)(?P<dash>-) +(?:[\w-]+:(?= |\r?$)|\{)", re.MULTILINE)
KEY_OF_ITEM: Final = re.compile(r" *- +(?:\{ *)?([a-z][\w-]*):(?: |$)")
BESIDE_LISTS: Final = frozenset(
    {
        "accepts",
        "emit",
        "max_runs",
        "on_error",
        "on_limit",
        "on_timeout",
        "output",
        "retry",
        "timeout",
        "within",
    }
)
"""Keys of a step that often follow on a list, and with which no item of one begins."""
KEY_OF_LINE: Final = re.compile(r" *([a-z][\w-]*):(?:\s|$)")
FLOW: Final = r"\{[^{}\r\n]*(?:\{[^{}\r\n]*\}[^{}\r\n]*)*\}|\[[^\[\]\r\n]*\]"
COMPLETE: Final = re.compile(
    rf"(?P<indent> *)(?:- +)?[\w-]+: +(?:[^\s|>&*!#{{\[\"'][^\r\n]*|(?:{FLOW}|\"[^\"\r\n]*\"|'[^'\r\n]*') *\r?\n)",
    re.MULTILINE,
)
"""A line whose value ends on it."""
NAME_ABOVE: Final = re.compile(
    r"(?P<indent> *)(?:- +|(?P<key>[a-z_]\w*): +)(?P<name>[A-Za-z]\w*(?:\.\w+)*) *(?:#[^\r\n]*)?\r?\n"
)
"""A line that is a name, as an item of a list or behind a key."""
EXITS: Final = frozenset({"emit", "on_error", "on_limit", "on_timeout"})
"""Keys of steps under which an event is emitted."""
OF_EVENTS: Final = frozenset({"when", "with", "save"})
"""Keys that stand beside the event of an entry."""
OF_STEPS: Final = frozenset({"with", "save"})
"""Those of them that steps have as well."""


def match_above(pattern: re.Pattern[str], problem: SyntaxProblem) -> re.Match[str] | None:
    """Return what a pattern finds in the line above, or in the last one that is not empty."""
    line, below = above(problem.text, problem.start), problem.start
    while line is not None and not problem.text[line:below].strip():
        below, line = line, above(problem.text, line)
    return None if line is None else pattern.match(problem.text, line, problem.start)


def keys_below_name(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for keys below a name that is a whole value already, as below `- Told` or `emit: Told`."""
    entry = ENTRY.match(problem.text, problem.start)
    named = match_above(NAME_ABOVE, problem)
    if entry is None or named is None or len(entry["indent"]) <= len(named["indent"]):
        return None
    name, is_event = named["name"], named["name"][:1].isupper()
    place = place_of(named, "name")
    what = f"`{name}` is a whole value, and `{entry['key']}` stands below it"
    if named["key"] is None and is_event:
        hint = f"write `- event: {name}`"
        return problems.syntax_error(
            place, what, hint, fixes.replace_text(place, f"event: {name}", title=hint)
        )
    if named["key"] is None:
        return problems.syntax_error(place, what, f"write a key and a colon before `{name}`")
    if is_event and named["key"] in EXITS and entry["key"] in OF_EVENTS:
        hint = f"put both into a map: `{named['key']}: {{event: {name}, {entry['key']}: …}}`"
        if entry["key"] in OF_STEPS:
            hint += f"; or indent `{entry['key']}` as far as `{named['key']}`, if it is a key of the step"
        return problems.syntax_error(place, what, hint)
    return None


def list_below_value(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an item of a list below an entry whose value is complete."""
    item = ITEM_OF_MAPS.match(problem.text, problem.start)
    complete = match_above(COMPLETE, problem)
    if item is None or complete is None or len(complete["indent"]) > len(item["indent"]):
        return None
    hint = (
        "the key of the list is missing above it, or a line is indented wrongly; a text of several lines stands "
        "below a `|`"
    )
    what = "a list begins here, and the line above has a value already"
    return problems.syntax_error(place_of(item, "dash"), what, hint)


def entry_at(problem: SyntaxProblem) -> re.Match[str] | None:
    """Return the entry that the line is, if the problem is at its key or its colon."""
    entry = ENTRY.match(problem.text, problem.start)
    return entry if entry is not None and problem.at in {entry.end() - 1, entry.start("key")} else None


def glued_dash_above(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an item without a space after its dash, detected at the entry below."""
    dash = match_above(GLUED_DASH, problem)
    if dash is None or entry_at(problem) is None:
        return None
    return explain_line(problem.text, *line_at(problem.text, dash.start()))


def indented_too_far(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line that is indented further than the one above, whose value is complete."""
    entry, complete = entry_at(problem), match_above(COMPLETE, problem)
    if entry is None or complete is None or len(complete["indent"]) >= len(entry["indent"]):
        return None
    what = "this line is indented further than the one above, which is complete"
    below = next(
        (each for each in problem.text[problem.end : problem.end + NEAR].splitlines() if each.strip()), ""
    )
    hint = how_far(problem.text, complete.start(), len(complete["indent"]), len(entry["indent"]), below)
    return problems.syntax_error(place_of(entry, "key"), what, hint)


def how_far(text: str, line_above: int, fewer: int, far: int, below: str) -> str:
    """Return what is seen of a line that is indented too far: which of the two is wrong, only the author knows."""
    before = last_line(text, line_above)
    if before is not None and indentation(before) == far:
        seen = f"it begins after {spaces(far)}, like the lines before"
        if indentation(below) == far:
            return f"{seen}, and only the one above after {fewer}"
        return f"{seen}, and the one above after {fewer}: one of the two is indented wrongly"
    seen = f"it begins after {spaces(far)}, and the line above after {fewer}"
    return f"{seen}: one of the two is indented wrongly, or this line belongs under another key"


def below_indented_first(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line at which the spec ends for YAML, because its first line is indented further."""
    lines = problem.text[: problem.start].splitlines()
    first = next((each for each in lines if each.strip() and not each.lstrip().startswith("#")), "")
    near = indentation(problem.text[problem.start : problem.end])
    if indentation(first) <= near:
        return None
    far = spaces(indentation(first))
    hint = (
        f"it begins after {spaces(near)}, and the first line after {far}: one of the two is indented wrongly"
    )
    return problem.finding("this line does not line up with the keys above it", hint)


def item_too_far(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an item of a list that is indented further than those above, or less."""
    if not problem.text.startswith("- ", problem.at) or problem.before.strip():
        return None
    hint = "it is an item itself: mend its indentation, or that of the lines above"
    return problem.finding("this line does not continue the list above it", hint)


def key_in_list(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line with another key than the items of the list above it begin with, which is most
    likely one beside that list.
    """
    line = problem.text[problem.start : problem.end]
    key, item = KEY_OF_LINE.match(line), None
    for each in reversed(problem.text[max(0, problem.start - NEAR) : problem.start].splitlines()):
        if each.strip() and indentation(each) <= indentation(line):
            item = KEY_OF_ITEM.match(each)
            break
    if key is None or item is None or key[1] == item[1] or key[1] not in BESIDE_LISTS:
        return None
    hint = "mend its indentation, or begin it with `- ` if it is an item; if this is no list, leave out the `- ` above"
    return problem.finding("this line does not continue the list above it", hint)


def misaligned(problem: SyntaxProblem) -> Finding:
    """Return the finding for a line that is not aligned with those above it: what is wrong may stand above as well."""
    what = "this line does not line up with the keys above it"
    line = problem.text[problem.start : problem.end]
    before = last_line(problem.text, problem.start)
    if before is None:
        return problem.finding(what)
    far, near = indentation(line), indentation(before)
    is_item, is_item_above = line.lstrip(" ").startswith("- "), before.lstrip(" ").startswith("- ")
    if is_item and not is_item_above and far == near:
        hint = (
            "an item of a list begins here, and keys stand above: the `- ` is too much, the line is indented "
            "wrongly, or the key of the list is missing"
        )
        return problem.finding(what, hint)
    hint = "the indentation of this line or of one above is wrong, or a key is missing above"
    if far != near:
        hint = f"it begins after {spaces(far)}, and the line above it after {near}: {hint}"
    return problem.finding(what, hint)


def spaces(number: int) -> str:
    return "1 space" if number == 1 else f"{number} spaces"
