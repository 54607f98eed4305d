"""Lines that should be an entry, an item or a comment, and are none: the shapes of them that are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.syntax_errors.lines import (
    ENTRY,
    NEAR,
    above,
    goes_on,
    indentation,
    line_at,
    neighbour_above,
    shown,
)
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, finding_at, place_of

__all__ = [
    "GLUED_DASH",
    "OPENS",
    "explain_line",
    "no_entry",
    "no_entry_above",
    "no_entry_before_bracket",
    "no_entry_below_entry",
    "no_entry_opened",
    "no_entry_with_comment",
]


@dataclass(frozen=True, slots=True)
class LineShape:
    """A shape of lines that YAML cannot read, and what is meant by one."""

    pattern: re.Pattern[str]
    explain: Callable[[re.Match[str]], Finding]


def explain_line(text: str, start: int, end: int) -> Finding | None:
    """Return the finding for a line that should be an entry, or a comment, and is neither."""
    for shape in SHAPES:
        if (found := shape.pattern.fullmatch(text, start, end)) is not None:
            return shape.explain(found)
    return None


def starred_item(star: re.Match[str]) -> Finding:
    place = place_of(star, "sign")
    if not is_among_items(star.string, star.start(), star.end(), star.start("sign") - star.start()):
        hint = "no items stand beside this one: leave the sign out if it is a key"
        return problems.syntax_error(place, "an item of a list begins with `- `", hint)
    fix = fixes.replace_text(place, "-")
    return problems.syntax_error(
        place, "an item of a list begins with `- `", f"write `- {shown(star['rest'])}`", fix
    )


def is_among_items(text: str, start: int, end: int, far: int) -> bool:
    """Return whether the lines around one, as far as they are near, have room for an item of a list."""
    before = text[max(0, start - NEAR) : start].splitlines()
    below = text[end : end + NEAR].splitlines()[1:]
    is_item = [
        next((ITEM.match(each, far) is not None for each in lines if indentation(each) == far), None)
        for lines in (until_outer(reversed(before), far), until_outer(below, far))
    ]
    opens = next(
        (OPENS.search(each) for each in reversed(before) if each.strip() and indentation(each) <= far), None
    )
    return False not in is_item and (True in is_item or opens is not None)


def until_outer(lines: Iterable[str], far: int) -> list[str]:
    """Return the lines up to the first that is indented less."""
    return list(takewhile(lambda each: indentation(each) >= far, (each for each in lines if each.strip())))


def dashed_item(dashes: re.Match[str]) -> Finding:
    place = place_of(dashes, "sign")
    fix = fixes.replace_text(place, "-")
    return problems.syntax_error(place, "an item of a list begins with one `-` only", "", fix)


def foreign_comment(comment: re.Match[str]) -> Finding:
    place = Place((), "text", comment.start("sign"), comment.end())
    words = comment["words"].removesuffix("*/").removesuffix("-->").strip()
    fix = fixes.replace_text(place, f"# {words}")
    return problems.syntax_error(
        place, f"`{comment['sign']}` begins no comment", "a comment begins with `#`", fix
    )


def glued_dash(dash: re.Match[str]) -> Finding:
    place = place_of(dash, "sign")
    fix = fixes.replace_text(place, "- ", title="put a space there")
    return problems.syntax_error(
        place, "a space is missing after this `-`", f"write `- {shown(dash['rest'])}`", fix
    )


def glued_colon(glued: re.Match[str]) -> Finding:
    place = place_of(glued, "colon")
    what = "a space is missing after this colon"
    if not BEGINS_VALUE.match(glued["value"]):
        first = glued["value"][0].replace("`", "a backtick")
        sign = first if len(first) > 1 else f"`{first}`"
        hint = f"write `{glued['key']}: …`; a text that begins with {sign} stands in quotes"
        return problems.syntax_error(place, what, hint)
    hint = f"write `{glued['key']}: {shown(glued['value'])}`"
    fix = fixes.replace_text(place, ": ", applicability="safe", title=hint)
    return problems.syntax_error(place, what, hint, fix)


def bare_key(bare: re.Match[str]) -> Finding:
    value = bare["value"].partition(" #")[0].strip()
    has_value = bool(value)
    hint = f"write `{bare['key']}: {shown(value)}`" if has_value else f"write `{bare['key']}:`"
    fix = fixes.replace_text(place_of(bare, "gap"), ": " if has_value else ":", title=hint)
    end = bare.start() + len(bare[0].rstrip())
    return finding_at(bare.start("key"), end, "a colon and a space are missing after this key", hint, fix)


BEGINS_VALUE: Final = re.compile(r"[\w\"'${\[]")
"""What may follow a colon and a blank; other signs mean something else there."""
ITEM: Final = re.compile(r"[-*+] ")
OPENS: Final = re.compile(r":\s*(?:#.*)?\Z")
"""A line below which stands what belongs to it."""
GLUED_COLON: Final = re.compile(r" *(?:- +)?(?P<key>[a-z_]\w*)(?P<colon>:)(?!//)(?P<value>[^\s:][^\r\n:]*)")
"""Such as `kind:human`, which YAML takes for a text that goes on in the next line."""
GLUED_DASH: Final = re.compile(r" *(?P<sign>-)(?P<rest>[a-z_]\w*:[^\r\n]*)")
SHAPES: Final = (
    LineShape(re.compile(r" *(?P<sign>[*+]) +(?P<rest>[\w-]+: [^\r\n]*|[A-Z]\w*) *"), starred_item),
    LineShape(
        re.compile(r" *(?P<sign>--+(?![->])) *(?:[A-Z]\w*|[\w-]+:(?: [^\r\n]*)?)\s*"),
        dashed_item,
    ),
    LineShape(
        re.compile(r" *(?P<sign>//+|/\*+|--+(?![->])|\*(?= )|;+|<!--) *(?P<words>[^\r\n]*)"),
        foreign_comment,
    ),
    LineShape(GLUED_DASH, glued_dash),
    LineShape(GLUED_COLON, glued_colon),
    # such as `kind human` or `kind = human`
    LineShape(
        re.compile(
            r" *(?:- +)?(?P<key>[a-z_]\w*)(?P<gap> *= *| +(?=[\"'\[{$\w])| *(?=\r?$))(?P<value>[^\r\n]*)",
            re.MULTILINE,
        ),
        bare_key,
    ),
)
"""What a line may be; the first shape that it has counts."""

COMMENTED: Final = re.compile(
    r"(?P<entry> *+(?:- ++)?(?P<key>[a-z_]\w*+) ++[^\s:#](?:[^\r\n:#]*[^ \r\n:#])?) ++#[^\r\n]*"
)
"""A key and its value without a colon between them, before a comment."""
IN_BRACKETS: Final = re.compile(r" *[a-z_]\w* +(?:\{[^\r\n]*\}|\[[^\r\n]*\]) *")
OPEN_VALUE: Final = re.compile(r" *(?:- +)?(?P<key>[a-z_]\w*) *(?:= *)?[\[{\"']")


def no_entry(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for the line itself."""
    return explain_line(problem.text, problem.start, problem.end)


def no_entry_opened(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for the line in which the parser began to read a key."""
    return explain_line(problem.text, *line_at(problem.text, problem.opened))


def no_entry_above(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line that is detected at the unreadable entry below it."""
    entry = ENTRY.match(problem.text, problem.start)
    if entry is None or entry.end() - 1 != problem.at:
        return None
    line = neighbour_above(problem.text, problem.at) or glued_above(problem)
    if line is None or goes_on(problem.text, line[0], indentation(problem.text[slice(*line)])):
        return None
    return explain_line(problem.text, *line)


def no_entry_with_comment(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line above that is a key without its colon, and ends with a comment, which ends the text
    that the key and its value are to YAML.
    """
    text, start = problem.text, problem.start
    line = above(text, start) if ENTRY.match(text, start) else None
    found = None if line is None else COMMENTED.fullmatch(text, *line_at(text, line))
    if found is None or found.start("key") - found.start() != indentation(text[start : problem.end]):
        return None
    return explain_line(text, found.start(), found.end("entry"))


def glued_above(problem: SyntaxProblem) -> tuple[int, int] | None:
    """Return start and end of the line above, if it lacks the blank behind its colon, and is indented less."""
    start = above(problem.text, problem.start)
    if start is None:
        return None
    line = line_at(problem.text, start)
    far = indentation(problem.text[slice(*line)])
    shorter = far < indentation(problem.text[problem.start : problem.end])
    return line if shorter and GLUED_COLON.fullmatch(problem.text, *line) else None


def no_entry_below_entry(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line such as `tool {python: "shop:pay"}` below an entry of the same map."""
    text, start, end = problem.text, problem.start, problem.end
    line = above(text, start)
    entry = None if line is None else ENTRY.match(text, line, start)
    if entry is None or len(entry["indent"]) != indentation(text[start:end]):
        return None
    return explain_line(text, start, end) if IN_BRACKETS.fullmatch(text, start, end) else None


def no_entry_before_bracket(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an entry without a colon whose value is a map or a list on one line."""
    found = OPEN_VALUE.match(problem.text, problem.start, problem.end)
    return None if found is None or found.end() > problem.at else no_entry(problem)
