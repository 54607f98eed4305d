"""Errors of the YAML parser in plain words: the mistake that probably caused each, and its place."""

from __future__ import annotations

from typing import Any

from wfc.compiler.diagnostics import Finding
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem
from wfc.compiler.yaml.syntax_errors.rules import RULES

__all__ = ["syntax_finding"]


def syntax_finding(error: Any, text: str) -> Finding:
    """Return the finding for an error of the parser: that of the first rule which knows the mistake."""
    problem = SyntaxProblem.of(error, text)
    findings = (rule.find(problem) for rule in RULES if problem.says(rule.words))
    return next(
        (each for each in findings if each is not None),
        problem.finding("nothing can be read from here on"),
    )
