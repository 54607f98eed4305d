"""Every problem that a spec can have: one small function each, whose docstring is its explanation.

A problem's function is named after its code: ``unknown_event`` makes findings of code ``unknown-event``.
``wfc explain`` prints its docstring; ``tests/errors/unknown-event.yaml`` shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec

from wfc.compiler.diagnostics import Finding

__all__ = ["PROBLEMS", "closest", "problem"]

P = ParamSpec("P")

PROBLEMS: dict[str, Callable[..., Finding]] = {}
"""Every problem by its code; complete once ``wfc.compiler.problems.catalogue`` is imported."""


def problem(function: Callable[P, Finding]) -> Callable[P, Finding]:
    """Enter a function into the catalogue under its name's code."""
    PROBLEMS[code_of(function)] = function
    return function


def code_of(function: Callable[..., Finding]) -> str:
    """``unknown-event`` for the function ``unknown_event``."""
    return function.__name__.replace("_", "-")


def closest(name: str, known: Iterable[str]) -> str:
    """A hint ``did you mean `x`?`` for the known name most like this one, or an empty text."""
    import difflib  # slow to import, and a good spec never needs it

    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean `{matches[0]}`?" if matches else ""
