"""Lines that should be an entry, an item or a comment, and are none: the shapes of them that are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.syntax_errors.lines import ENTRY, above, indentation, line_at, neighbour_above, shown
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, finding_at, place_of

__all__ = [
    "GLUED_DASH",
    "explain_line",
    "no_entry",
    "no_entry_above",
    "no_entry_before_bracket",
    "no_entry_below_entry",
    "no_entry_opened",
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
    fix = fixes.replace_text(place, "-")
    return problems.syntax_error(
        place, "an item of a list begins with `- `", f"write `- {shown(star['rest'])}`", fix
    )


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
    hint = f"write `{glued['key']}: {shown(glued['value'])}`"
    fix = fixes.replace_text(place, ": ", applicability="safe", title=hint)
    return problems.syntax_error(place, "a space is missing after this colon", hint, fix)


def bare_key(bare: re.Match[str]) -> Finding:
    has_value = bool(bare["value"].strip())
    hint = f"write `{bare['key']}: {shown(bare['value'])}`" if has_value else f"write `{bare['key']}:`"
    fix = fixes.replace_text(place_of(bare, "gap"), ": " if has_value else ":", title=hint)
    end = bare.start() + len(bare[0].rstrip())
    return finding_at(bare.start("key"), end, "a colon and a space are missing after this key", hint, fix)


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
    # such as `kind:human`, which YAML takes for a text that goes on in the next line
    LineShape(
        re.compile(r" *(?:- +)?(?P<key>[a-z_]\w*)(?P<colon>:)(?!//)(?P<value>[^\s:][^\r\n:]*)"), glued_colon
    ),
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

IN_BRACKETS: Final = re.compile(r" *[a-z_]\w* +(?:\{[^\r\n]*\}|\[[^\r\n]*\]) *")
OPEN_VALUE: Final = re.compile(r" *(?:- +)?(?P<key>[a-z_]\w*) *=? *[\[{\"']")


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
    line = neighbour_above(problem.text, problem.at)
    return None if line is None else explain_line(problem.text, *line)


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
