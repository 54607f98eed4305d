"""What is decided by settings: conditions, requirements and bounds, also by way of events and the state."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.expressions import Expression
from wfc.compiler.model import AgentCall, MapItems, Step
from wfc.compiler.model.flow import exits
from wfc.compiler.review.facts.data_flow import SETTING, DataFlow
from wfc.compiler.review.facts.places import Fact, Places

__all__ = ["decision_facts"]

_BOUNDS = ("timeout", "within", "until", "concurrency", "max_runs")


def decision_facts(places: Places, flow: DataFlow) -> dict[str, list[Fact]]:
    """Return for each setting what is decided by it: in words, and where."""
    found: dict[str, list[Fact]] = {}
    if not flow.workflow.config.fields:
        return found
    for step in flow.workflow.steps:
        for words, given in _decisions(step):
            for origin in flow.named(flow.of(step, given.uses, {})):
                if origin.startswith(SETTING):
                    fact: Fact = {"at": places.at(given.place.address), "words": words}
                    found.setdefault(origin.removeprefix(SETTING), []).append(fact)
    return found


def _decisions(step: Step) -> Iterator[tuple[str, Expression]]:
    """Yield the expressions by which something is decided in a step, in words."""
    for key, exit_ in exits(step):
        for entry in exit_.entries:
            if entry.when is not None:
                yield f"where `{step.name}` leads" + (f" by `{key}`" if key != "emit" else ""), entry.when
    for each in step.require:
        yield f"what `{step.name}` requires", each.that
    for name in _BOUNDS:
        given = getattr(step, name)
        if isinstance(given, Expression):
            yield f"`{name}` of `{step.name}`", given
    action = step.action
    if isinstance(action, MapItems):
        if action.keep is not None:
            yield f"with which items `{step.name}` does anything", action.keep
        action = action.do
    if isinstance(action, AgentCall):
        for use in action.agent.tools:
            if use.approval is not None and use.approval.when is not None:
                yield f"which calls of `{use.tool.name}` have to be allowed", use.approval.when
