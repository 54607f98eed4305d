"""The data that the rules share: a workflow, its graph, and results that several rules need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.model import Emit, Join, Step, Workflow
from wfc.compiler.model.flow import emits_of
from wfc.compiler.proof.graph import batch_nesting
from wfc.compiler.proof.graph.building import build_graph
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.proof.joins import completeness

__all__ = ["FlowAnalysis"]


class FlowAnalysis:
    """A workflow under examination."""

    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow

    @cached_property
    def graph(self) -> FlowGraph:
        """Its abstract graph: step ``i`` is node ``i + 1``."""
        return build_graph(self.workflow)

    @cached_property
    def has_joins(self) -> bool:
        """Whether a step accepts several events together."""
        return any(isinstance(step.accepts, Join) for step in self.workflow.steps)

    @cached_property
    def misplaced(self) -> list[batch_nesting.MisplacedBatch]:
        """The mistakes in the nesting of its batches; the proof assumes that batches nest."""
        return batch_nesting.misplaced_batches(self.graph) if self.graph.batching else []

    @cached_property
    def failures(self) -> list[completeness.JoinFailure]:
        """The joins that cannot be proven."""
        return completeness.prove_joins(self.graph) if self.has_joins else []

    @cached_property
    def in_two_flows(self) -> Mapping[int, tuple[tuple[Way, int], ...]]:
        """The joins with different forks in different courses of a run; see `two_flows`."""
        if self.misplaced or not (self.has_joins and self.workflow.run.leading_on):
            return {}
        from wfc.compiler.proof.joins import two_flows  # few workflows have such exits

        unproven = {join for failure in self.failures for join in (failure.join, *failure.circle)}
        return two_flows.joins_in_two_flows(self.graph, unproven)

    @cached_property
    def emits(self) -> tuple[tuple[Emit, str], ...]:
        """All events that steps and the run's own exits emit, each with its emitter in words."""
        found = [(emit, f"`{step.name}`") for step in self.workflow.steps for emit, _each in emits_of(step)]
        for key, exit_ in self.workflow.run.exits:
            found += [
                (entry.emission, f"the run's `{key}`")
                for entry in exit_.entries
                if isinstance(entry.emission, Emit)
            ]
        return tuple(found)

    def step(self, node: int) -> Step:
        """Return the step of a node other than the start."""
        return self.workflow.steps[node - 1]

    def name(self, node: int) -> str:
        """Return a node's name."""
        return self.graph.nodes[node].name

    def accepted(self, node: int, slot: int) -> Place:
        """Return where a step names an event that it accepts."""
        accepts = self.step(node).accepts
        place = Place(accepts.address)
        if isinstance(accepts, Join):
            place = place / accepts.form
            return place / slot if len(accepts.slots) > 1 else place
        return place / slot if len(accepts.events) > 1 else place

    def form(self, node: int) -> Place:
        """Return where a step declares how it accepts: the key of its join's form, or of `accepts`."""
        accepts = self.step(node).accepts
        place = Place(accepts.address)
        return (place / accepts.form).key if isinstance(accepts, Join) else place.key

    def way(self, node: int, way: Way) -> Place:
        """Return where a way to leave is written."""
        address: Address = way.address or self.step(node).address
        return Place(address, "key" if address == self.step(node).address else "value")
