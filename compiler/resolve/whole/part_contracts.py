"""Checks of the events that enter and leave a part against the part's declarations."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Step, Whole
from wfc.compiler.model.flow import emits_of
from wfc.compiler.resolve.symbols.contracts import PartFile
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import files as problems

__all__ = ["accepted_events", "check_contracts", "emitted_events"]


def check_contracts(
    parts: tuple[PartFile, ...], steps: tuple[Step, ...], run: Whole, declared: Declarations
) -> None:
    """Check the events that enter and leave a part against its declarations, unless the flow is not fully
    known.
    """
    if not declared.flow_whole:
        return
    for part in parts:
        inside = [step for step in steps if step.address[0] == part.path]
        outside = [step for step in steps if step.address[0] != part.path]
        coming, going = accepted_events(inside), emitted_events(inside)
        from_outside = {
            *emitted_events(outside),
            *(emit.event.name for _key, emit in run.leading_on),
            *(each.name for each in declared.events.nodes.values() if each.role == "start"),
        }
        to_outside = {*accepted_events(outside), *(each.name for each in declared.end)}
        for name, place in coming.items():
            if name in from_outside and name not in part.accepts:
                declared.report(problems.not_in_the_contract(place, part.name, name, "accepts"))
        for name, place in going.items():
            if name in to_outside and name not in part.emits:
                declared.report(problems.not_in_the_contract(place, part.name, name, "emits"))
        for key, listed, known in (("accepts", part.accepts, coming), ("emits", part.emits, going)):
            for name, place in listed.items():
                if name not in known:
                    declared.report(problems.contract_not_kept(place, part.name, name, key))


def accepted_events(steps: list[Step]) -> dict[str, Place]:
    """Return the events that some steps accept, each with one place that mentions it."""
    found: dict[str, Place] = {}
    for step in steps:
        for event in step.accepts.events:
            found.setdefault(event.name, Place(step.accepts.address))
    return found


def emitted_events(steps: list[Step]) -> dict[str, Place]:
    """Return the events that some steps emit, each with one place that mentions it."""
    found: dict[str, Place] = {}
    for step in steps:
        for emit, _each in emits_of(step):
            found.setdefault(emit.event.name, Place(emit.named or emit.address))
    return found
