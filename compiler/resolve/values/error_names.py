"""The dotted names of errors, as `on_error`, `retry_on` and `never_on` list them."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.resolve.symbols.tables import one_or_many
from wfc.compiler.rules import steps as problems

__all__ = ["KNOWN", "PATTERN", "UNCAUGHT", "error_names"]

KNOWN: Final = (
    "agent",
    "agent.turns",
    "agent.tokens",
    "agent.cost",
    "http",
    "http.4xx",
    "http.5xx",
    "http.429",
    "http.invalid_request",
    "http.invalid_output",
    "http.too_large",
    "http.redirect",
    "command",
    "command.killed",
    "command.too_large",
    "command.invalid_output",
    "command.arguments",
    "timeout",
    "connection",
    "model",
    "model.refused",
    "model.invalid_output",
    "model.cut_off",
    "model.unsupported",
    "model.too_long",
    "model.too_large",
    "items",
    "requirement",
    "result",
    "result.too_large",
    "tool",
    "python",
    "run",
    "run.unknown",
    "run.ended",
    "workflow",
    "workflow.failed",
    "workflow.cancelled",
    "workflow.timeout",
    "workflow.inputs",
    "workflow.unknown",
)


PATTERN: Final = re.compile(
    r"http\.[1-5](xx|[0-9][0-9])|command\.[0-9]{1,3}|(python|tool)\.[^\W\d]\w*(\.[^\W\d]\w*)*"
)
BOUNDS: Final = ("limit", "limit.steps", "limit.tokens", "limit.cost")
"""What only a run as a whole takes: that it, or one of its steps, has used up what it may."""


UNCAUGHT: Final = {
    "expression": "a step whose outcome cannot be worked out is not done again, and its action not repeated",
    "limit": "say under `on_limit` what follows when a step has run too often",
}


ALL: Final = frozenset({"*", "all", "any", "error", "errors", "exception", "states.all", "always"})
"""What other systems call any error."""
CLASS: Final = re.compile(r"[A-Z]\w*(?:Error|Exception)")


def foreign_error(name: str) -> str:
    """Return a hint for an error as other systems name it; empty if none is known."""
    if name.lower() in ALL:
        return "an entry that takes all errors has no `errors`"
    if "timeout" in name.lower().replace("_", ""):
        return "write `timeout`"
    return f"an error that a tool in Python raises is `python.{name}`" if CLASS.fullmatch(name) else ""


def in_small_letters(name: str) -> str:
    """Return the error that a name with capitals means, of which Python's classes keep theirs; empty if none."""
    group, dot, rest = name.partition(".")
    forms = f"{group.lower()}{dot}{rest}", name.lower()
    return next((each for each in forms if each in KNOWN or PATTERN.fullmatch(each)), "")


def error_names(
    data: object, place: Place, report: Report, *, mocked: bool = False, whole: bool = False
) -> tuple[str, ...]:
    """Return the names of a list, or one name; report names of errors that cannot happen, or not at this
    place.

    Args:
        data: As written; ``None`` for none.
        place: Where it stands.
        report: Takes findings.
        mocked: Whether a test makes the error up: then all that can happen may be named.
        whole: Whether they are for the run as a whole, which takes bounds too.
    """
    if data is None:
        return ()
    names = one_or_many(data, place)
    found: dict[str, None] = {}
    for name, at in names:
        if not isinstance(name, str):
            continue
        if name in BOUNDS and (whole or mocked):
            found[name] = None
        elif (name in UNCAUGHT or name in BOUNDS) and not mocked:
            report(problems.uncaught_error(at, name, UNCAUGHT[name.partition(".")[0]]))
        elif name not in KNOWN and name not in UNCAUGHT and not PATTERN.fullmatch(name):
            meant = "" if mocked else foreign_error(name)
            known = (*KNOWN, *BOUNDS) if whole or mocked else KNOWN
            report(problems.unknown_error(at, name, known, meant, in_small_letters(name)))
        else:
            found[name] = None
    return tuple(found)
