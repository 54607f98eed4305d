"""Values in quotes and braces, as other languages put them into a text, where a condition goes on behind them."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import reading as problems
from wfc.compiler.rules.braces import BARE
from wfc.compiler.yaml.syntax_errors.lines import line_at
from wfc.compiler.yaml.syntax_errors.problem import NEVER_CLOSED, SyntaxProblem

__all__ = ["compared_in_quotes"]

COMPARED: Final = re.compile(
    r"(?<![\w-])(?P<key>[a-z_]+): +"
    r"(?P<value>[bfru]?(?P<sign>[\"'])\$?\{{1,2} *(?P<path>[a-z_]\w*(?:\.\w+)*) *\}{1,2}(?P=sign))"
    r"(?P<behind> *(?:[=!<>]=|[<>|]|(?:not +)?in\b|is\b)(?: *(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|[\w.]+))?)"
)
"""A value as it stands in a text elsewhere, and what is asked of it."""


def compared_in_quotes(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a condition that begins with a value in quotes and braces, `'{event.mood}' == "good"`: to
    YAML the text ends with its quote, and what follows is too much.
    """
    at = problem.opened if problem.says(NEVER_CLOSED) else problem.at
    found = next(
        (each for each in COMPARED.finditer(problem.text, *line_at(problem.text, at)) if each["key"] in BARE),
        None,
    )
    if found is None or at < found.start("value"):
        return None
    place = Place((), "text", found.start("value"), found.end("value"))
    hint = f"write `{found['path']}{found['behind']}`, without the quotes and braces around the name"
    return problems.syntax_error(place, "what is asked goes on after this quote is closed", hint)
