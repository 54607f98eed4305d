"""All problems at once: the modules that define them, and what each explains."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path

from wfc.compiler.diagnostics import Severity
from wfc.compiler.diagnostics.results import Rule
from wfc.compiler.rules import PROBLEMS, WARNINGS

__all__ = ["describe", "groups", "load"]


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


def groups() -> Iterator[tuple[str, str, list[str]]]:
    """Generate the modules of problems: name, title and sorted codes of each."""
    load()
    found: dict[str, list[str]] = {}
    for code in sorted(PROBLEMS):
        found.setdefault(PROBLEMS[code].__module__, []).append(code)
    for module, codes in sorted(found.items()):
        yield module.rpartition(".")[2], title(sys.modules[module].__doc__ or ""), codes


def title(docstring: str) -> str:
    """Return ``Steps: what they accept`` for a module whose docstring is ``Problems in steps: what they accept.``"""
    about = re.sub(r"^Problems (?:with|of|in) ", "", docstring.partition("\n")[0].rstrip("."))
    return about[:1].upper() + about[1:]
