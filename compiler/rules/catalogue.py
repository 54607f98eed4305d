"""All problems at once: the modules that define them, and what each explains."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path

from wfc.compiler.diagnostics import Severity
from wfc.compiler.diagnostics.results import Rule
from wfc.compiler.rules import PROBLEMS, WARNINGS

__all__ = ["describe", "load"]


@cache
def load() -> None:
    """Import every module of problems, which enters them into ``PROBLEMS``."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in {"__init__", "catalogue"}:
            import_module(f"wfc.compiler.rules.{path.stem}")


def describe(code: str) -> Rule:
    """Return what is known of a code; a rule without an explanation if it is no problem's."""
    load()
    explanation = getdoc(PROBLEMS[code]) if code in PROBLEMS else None
    return Rule(code, explanation or "", Severity.WARNING if code in WARNINGS else Severity.ERROR)
