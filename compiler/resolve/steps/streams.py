"""What a step streams to the observers of a run."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Template
from wfc.compiler.model import Emit, Stream
from wfc.compiler.resolve.steps.exits import ExitResolver
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.scopes import StepScopes
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.types import STRING, UNKNOWN, Type, show

__all__ = ["report_tokens", "resolve_stream"]


def resolve_stream(
    data: object, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> Stream | None:
    """Return what is streamed: texts, or an event after the action."""
    if not isinstance(data, Mapping):
        return None
    before: Template | None = None
    after: Template | None = None
    event: Emit | None = None
    if "before" in data:
        before = exit_resolver.reader.text(data["before"], place / "before", scopes.action())
    if isinstance(data.get("after"), Mapping):
        emission = exit_resolver.emission(data["after"], place / "after", scopes.tail())
        event = emission if isinstance(emission, Emit) else None
    elif "after" in data:
        after = exit_resolver.reader.text(data["after"], place / "after", scopes.tail())
    return Stream(before, after, event, place.address)


def report_tokens(data: Data, answer: Type | None, place: Place, declared: Declarations) -> None:
    """Report `tokens` where there is no answer that could be streamed while it is generated.

    Args:
        data: What the step does: what it says, or its `do`.
        answer: The type of what that gives.
        place: Of the step.
    """
    kind = data.get("kind")
    if kind == "agent" or not isinstance(kind, str):
        return
    at = (place / "stream" / "tokens").key
    if kind != "llm":
        declared.report(step_problems.no_answer_to_show(at, f"no model answers in a `{kind}` step"))
    elif answer not in (None, STRING, UNKNOWN):
        declared.report(
            step_problems.no_answer_to_show(at, f"the answer is to be {show(answer)}, which is no text")
        )
