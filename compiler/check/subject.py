"""What the rules look at: a workflow, its net, and what several rules ask of it."""

from __future__ import annotations

from functools import cached_property

from wfc.compiler.check.matching import by_values
from wfc.compiler.check.nesting import Misplaced, misplaced
from wfc.compiler.check.net import Net, Way, net_of
from wfc.compiler.check.proof import Failure, prove
from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.nodes import Join, Step, Workflow

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
