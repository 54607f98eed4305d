"""What a step streams to the observers of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Emit, Stream
from wfc.compiler.resolve.steps.exits import ExitResolver
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.scopes import StepScopes
from wfc.compiler.rules import results as result_problems
from wfc.compiler.types import STRING, UNKNOWN, Type, show

__all__ = ["report_shown", "resolve_stream"]


def resolve_stream(
    data: object, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> Stream | None:
    """Return what is streamed before and after the action: texts or events."""
    if not isinstance(data, Mapping):
        return None
    before = told(data, "before", place, scopes.action(), exit_resolver)
    return Stream(before, told(data, "after", place, scopes.tail(), exit_resolver), place.address)


def told(
    data: Data, key: str, place: Place, scope: Scope, exit_resolver: ExitResolver
) -> Template | Emit | None:
    """Return a text or an event; ``None`` if neither is given, or if it is not known."""
    if key not in data:
        return None
    if not isinstance(data[key], Mapping):
        return exit_resolver.reader.text(data[key], place / key, scope)
    emission = exit_resolver.emission(data[key], place / key, scope)
    return emission if isinstance(emission, Emit) else None


def report_shown(
    key: str, others: Sequence[str], data: Data, answer: Type | None, place: Place, declared: Declarations
) -> None:
    """Report a key of `stream` where there is nothing that it could show while it is generated.

    Args:
        key: `tokens`, `partial`, `thinking` or `calls`.
        others: Those of them that the step has.
        data: What the step does: what it says, or its `do`.
        answer: The type of what that gives.
        place: Of the step.
    """
    kind = data.get("kind")
    if not isinstance(kind, str):
        return
    at = (place / "stream" / key).key
    if kind == "agent" and key == "partial":
        why = "an agent's answer is shown whole, and its replies on the way as texts"
        declared.report(result_problems.no_answer_to_show(at, why, key, without("tokens", others)))
    elif kind == "agent":
        return
    elif key == "calls":
        declared.report(result_problems.no_answer_to_show(at, f"no agent works in a `{kind}` step", key))
    elif kind != "llm":
        declared.report(result_problems.no_answer_to_show(at, f"no model answers in a `{kind}` step", key))
    elif key == "tokens" and answer not in (None, STRING, UNKNOWN):
        why = f"the answer is to be {show(answer)}, which is no text"
        declared.report(result_problems.no_answer_to_show(at, why, key, without("partial", others)))
    elif key == "partial" and answer in (None, STRING):
        why = "the answer is a text"
        declared.report(result_problems.no_answer_to_show(at, why, key, without("tokens", others)))


def without(key: str, others: Sequence[str]) -> str:
    """Return the key that may be written instead, unless it stands there already."""
    return "" if key in others else key
