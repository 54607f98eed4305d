"""What the rules look at: a workflow, its net, and what several rules ask of it."""

from __future__ import annotations

from functools import cached_property

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.model import Emit, Join, Step, Workflow
from wfc.compiler.model.flow import emits, exits
from wfc.compiler.proof.matching import by_values
from wfc.compiler.proof.nesting import Misplaced, misplaced
from wfc.compiler.proof.net import Net, Way, net_of
from wfc.compiler.proof.proof import Failure, prove

__all__ = ["Subject"]


class Subject:
    """A workflow under examination."""

    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow

    @cached_property
    def net(self) -> Net:
        """Its abstract net: step ``i`` is node ``i + 1``."""
        return net_of(self.workflow, by_values)

    @cached_property
    def misplaced(self) -> list[Misplaced]:
        """What is wrong with its batches; the proof is for batches that nest."""
        return misplaced(self.net)

    @cached_property
    def failures(self) -> list[Failure]:
        """The joins that cannot be proven."""
        return prove(self.net)

    @cached_property
    def emits(self) -> tuple[tuple[Emit, str], ...]:
        """All that steps and the run's own exits emit, and who does: a step's name, or `the run`."""
        found = [
            (emit, step.name)
            for step in self.workflow.steps
            for _occasion, exit_ in exits(step)
            for entry in exit_.entries
            for emit, _each in emits(entry.emission)
        ]
        for _key, exit_ in self.workflow.run.exits:
            found += [
                (entry.emission, "the run") for entry in exit_.entries if isinstance(entry.emission, Emit)
            ]
        return tuple(found)

    def step(self, node: int) -> Step:
        """The step of a node other than the start."""
        return self.workflow.steps[node - 1]

    def name(self, node: int) -> str:
        """A node's name."""
        return self.net.units[node].name

    def accepted(self, node: int, slot: int) -> Place:
        """Where a step names an event that it accepts."""
        accepts = self.step(node).accepts
        place = Place(accepts.address)
        if isinstance(accepts, Join):
            place = place / accepts.form
            if accepts.form == "at_least":
                place = place / "of"
        return place / slot if len(accepts.events) > 1 else place

    def form(self, node: int) -> Place:
        """Where a step says how it accepts: the key of its join's form, or of `accepts`."""
        accepts = self.step(node).accepts
        place = Place(accepts.address)
        return (place / accepts.form).key if isinstance(accepts, Join) else place.key

    def way(self, node: int, way: Way) -> Place:
        """Where a way to leave is written."""
        address: Address = way.address or self.step(node).address
        return Place(address, "key" if address == self.step(node).address else "value")
