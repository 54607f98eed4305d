"""The explanations of rules about changes, beside those of findings."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.diagnostics.results import Rule

__all__ = ["describe_changes"]


def describe_changes(other: Callable[[str], Rule]) -> Callable[[str], Rule]:
    """Return a function that explains the rules about changes, and what another one explains."""
    from wfc.compiler.review.comparing import all_rules

    rules = all_rules()

    def describe(code: str) -> Rule:
        return Rule(code, rules[code].explanation) if code in rules else other(code)

    return describe
