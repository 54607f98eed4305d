"""Every problem that a spec can have: one small function each, whose docstring is its explanation.

A problem's function is named after its code: ``unknown_event`` makes findings of code ``unknown-event``. It is
decorated with ``@problem`` if they are errors, with ``@warning`` if they are warnings.
``wfc explain`` prints its docstring; ``examples/unknown-event.yaml`` shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from wfc.compiler.diagnostics import Finding, Severity
from wfc.compiler.on_demand import modules_of
from wfc.compiler.rules.spelling import as_near
from wfc.compiler.slotted import replace

__all__ = ["PROBLEMS", "WARNINGS", "closest", "problem", "warning"]

P = ParamSpec("P")
MOST_ALIKE = 3
"""How many names a hint tells that are as much like an unknown one; of more of them none is like it."""

PROBLEMS: dict[str, Callable[..., Finding]] = {}
"""Every problem by its code; complete once ``wfc.compiler.rules.catalogue`` is imported."""


WARNINGS: set[str] = set()
"""The codes whose findings are warnings: they may be turned off, or suppressed where they are."""


def problem(function: Callable[P, Finding]) -> Callable[P, Finding]:
    """Enter a function into the catalogue under its name's code."""
    PROBLEMS[code_of(function)] = function
    return function


def warning(function: Callable[P, Finding]) -> Callable[P, Finding]:
    """The same for a problem that is no error: each of its findings gets the severity of a warning."""

    @wraps(function)
    def found(*args: P.args, **named: P.kwargs) -> Finding:
        return replace(function(*args, **named), severity=Severity.WARNING)

    WARNINGS.add(code_of(function))
    return problem(found)


def code_of(function: Callable[..., Finding]) -> str:
    """``unknown-event`` for the function ``unknown_event``."""
    return function.__name__.replace("_", "-")


def closest(name: str, known: Iterable[str]) -> str:
    """A hint ``did you mean `x`?`` for the known name most like this one, or for those that are; or an empty text."""
    matches = as_near(name, known)
    if not matches or len(matches) > MOST_ALIKE:
        return ""
    if name.startswith(("(", "<")):  # which begins no name, and no map
        return f"leave out the bracket, or write braces for a map: `{{{matches[0]}: …}}`"
    return f"did you mean {' or '.join(f'`{each}`' for each in matches)}?"


if not TYPE_CHECKING:  # a good spec needs none of them
    __getattr__ = modules_of(__name__)
