"""Errors of the YAML parser in plain words: the mistake that probably caused each, and its place."""

from __future__ import annotations

from typing import Any, Final

from wfc.compiler.diagnostics import Edit, Finding
from wfc.compiler.slotted import replace
from wfc.compiler.yaml.parser import YAMLError, events
from wfc.compiler.yaml.repairs import in_text
from wfc.compiler.yaml.syntax_errors.lines import line_at
from wfc.compiler.yaml.syntax_errors.problem import NEVER_CLOSED, SyntaxProblem
from wfc.compiler.yaml.syntax_errors.rules import RULES

__all__ = ["has_explained", "syntax_finding"]

BREAKING: Final = frozenset(
    {
        "expression-needs-quotes",
        "key-not-text",
        "no-colon-in-braces",
        "number-cut-by-comma",
        "text-cut-by-comma",
    }
)
"""Findings after which the rest of a line often cannot be read."""


def has_explained(last: Finding | None, finding: Finding, text: str) -> bool:
    """Return whether a finding that ends the reading follows from the one before it, on the same line."""
    start = finding.place.start
    if last is None or start is None or last.place.start is None:
        return False
    if last.code == "tag":
        return last.place.start == start
    return last.code in BREAKING and "\n" not in text[min(last.place.start, start) : start]


def syntax_finding(error: Any, text: str) -> Finding:
    """Return the finding for an error of the parser: that of the first rule which knows the mistake."""
    problem = SyntaxProblem.of(error, text)
    findings = (rule.find(problem) for rule in RULES if problem.says(rule.words))
    found = next(
        (each for each in findings if each is not None),
        problem.finding("nothing can be read from here on"),
    )
    fix = found.fix
    if fix is None or fix.applicability != "safe" or all(is_readable_with(text, each) for each in fix.edits):
        return found
    return replace(found, fix=replace(fix, applicability="unsafe"))


def is_readable_with(text: str, edit: Edit) -> bool:
    """Return whether the parser, with an edit, comes to the end of its line: else it is no certain one, as where a
    quote or a bracket is missing besides.
    """
    raw = in_text(text, edit)
    if raw is None:
        return False
    start, end, new = raw
    mended = text[:start] + new + text[end:]
    limit = line_at(mended, start + len(new))[1]
    following = events(mended)
    try:
        while (event := following()) is not None:
            if event.start_mark.index > limit:
                return True
    except YAMLError as error:
        problem = SyntaxProblem.of(error, mended)
        return (problem.opened if problem.says(NEVER_CLOSED) else problem.at) > limit
    return True
