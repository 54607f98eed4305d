"""Parts: files with steps of one workflow, each with the events that it accepts and emits as its contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.model import Step
from wfc.compiler.model.flow import emits, exits
from wfc.compiler.resolve.declared import Declared, entries
from wfc.compiler.resolve.imports import report_refused
from wfc.compiler.resolve.surroundings import Refused
from wfc.compiler.rules import files as problems
from wfc.compiler.slotted import dataclass

__all__ = ["Part", "check_contracts", "declare_parts", "step_entries"]


@dataclass(frozen=True, slots=True)
class Part:
    """A file with steps.

    Args:
        name: As it calls itself.
        path: As findings show it.
        data: What is well-shaped of it.
        accepts: Events that may come into it, each with where it is listed.
        emits: Events that may leave it.
    """

    name: str
    path: str
    data: Mapping[str, object]
    accepts: Mapping[str, Place]
    emits: Mapping[str, Place]


def declare_parts(data: Mapping[str, object], declared: Declared) -> tuple[Part, ...]:
    """The files under `parts`; events must have been declared."""
    found: dict[str, Part] = {}
    listed = data.get("parts")
    for index, path in enumerate(listed if isinstance(listed, list) else ()):
        place = Place(("parts", index))
        if not isinstance(path, str):
            continue
        read = declared.around.part(path)
        if isinstance(read, Refused):
            report_refused(read, path, place, "a part of a workflow", declared.report)
            declared.flow_whole = False
            continue
        shown, spec = read
        if shown in found:
            declared.report(problems.part_twice(place, path))
            continue
        origin = Origin(shown)
        declared.broken |= {(origin, *address) for address in spec.broken}
        events = {
            key: names(spec.data.get(key), Place((origin, key)), declared) for key in ("accepts", "emits")
        }
        found[shown] = Part(str(spec.data.get("part", "")), shown, spec.data, **events)
    return tuple(found.values())


def names(data: object, place: Place, declared: Declared) -> dict[str, Place]:
    """The events of a list, each with its place."""
    listed = data if isinstance(data, list) else [data]
    for index, name in enumerate(listed):
        if isinstance(name, str):
            declared.events.find(name, place / index if isinstance(data, list) else place, declared.report)
    return {
        name: place / index if isinstance(data, list) else place
        for index, name in enumerate(listed)
        if isinstance(name, str) and name in declared.events.nodes
    }


def step_entries(
    data: Mapping[str, object], parts: tuple[Part, ...]
) -> Iterator[tuple[str, object, Address]]:
    """All steps of a workflow: the spec's own, then those of its parts, in the order written."""
    yield from entries(data.get("steps"), ("steps",))
    for part in parts:
        yield from entries(part.data.get("steps"), (Origin(part.path), "steps"))


def check_contracts(parts: tuple[Part, ...], steps: tuple[Step, ...], declared: Declared) -> None:
    """Hold what crosses a part's border against what it says; silent where the flow is not known as a whole."""
    if not declared.flow_whole:
        return
    for part in parts:
        inside = [step for step in steps if step.address[0] == part.path]
        outside = [step for step in steps if step.address[0] != part.path]
        coming, going = accepted(inside), emitted(inside)
        from_outside = {
            *emitted(outside),
            *(each.name for each in declared.events.nodes.values() if each.role == "start"),
        }
        to_outside = {*accepted(outside), *(each.name for each in declared.end)}
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


def accepted(steps: list[Step]) -> dict[str, Place]:
    """The events that some steps accept, each with one place that says so."""
    found: dict[str, Place] = {}
    for step in steps:
        for event in step.accepts.events:
            found.setdefault(event.name, Place(step.accepts.address))
    return found


def emitted(steps: list[Step]) -> dict[str, Place]:
    """The events that some steps emit, each with one place that says so."""
    found: dict[str, Place] = {}
    for step in steps:
        for _, exit_ in exits(step):
            for entry in exit_.entries:
                for emit, _each in emits(entry.emission):
                    found.setdefault(emit.event.name, Place(emit.named or emit.address))
    return found
