"""A whole spec, resolved."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from wfc.compiler.expressions import Expression
from wfc.compiler.model.agents import Knowledge
from wfc.compiler.model.bindings import Model, Resource, Retry, Tool
from wfc.compiler.model.cases import TestCase
from wfc.compiler.model.events import Event
from wfc.compiler.model.messages import Received, RunKey
from wfc.compiler.model.runs import Whole
from wfc.compiler.model.steps import Step
from wfc.compiler.model.triggers import Trigger
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record, Type


@dataclass(frozen=True, slots=True)
class Import:
    """The types and events that come from the module of an imported file.

    Args:
        path: The file's, as findings show it.
        types: Records, enumerations and events that it declares itself, in the order written, and the records
            that are written in place in these.
    """

    path: str
    types: tuple[Type, ...]

    @property
    def module(self) -> str:
        """The name of its module: ``orders_shared`` for ``shared/orders.yaml``."""
        stem = posixpath.basename(self.path).rpartition(".")[0]
        word = re.sub(r"\W", "_", stem)
        return f"_{word}_shared" if word[:1].isdigit() else f"{word}_shared"


@dataclass(frozen=True, slots=True, eq=False)
class Workflow:
    """A whole spec, resolved.

    Args:
        class_name: ``SupportTriage`` for ``support_triage``.
        config: A record of role ``config``; ``state``: one of role ``state``.
        types: Records and enumerations of `types` that are used or declared, in the order written.
        outputs: Records written in place (outputs of steps and tools, nested ones), each once.
        deadline: Seconds for the whole run, an expression of inputs and config that gives them, or ``None``.
        imports: Where types and events come from that other files declare.
        whole: Whether every step, event and entry of the spec is here. Where a finding made ``resolve`` leave
            one out, rules about the flow as a whole stay silent.
        run: What it says of a run as a whole.
        triggers: What starts runs of it by itself.
        broken_calls: Names of workflows that it calls and that have mistakes of their own, so that nothing can be
            generated.
    """

    name: str
    class_name: str
    version: str
    description: str
    labels: Mapping[str, str]
    start: Event
    end: tuple[Event, ...]
    config: Record
    secrets: tuple[str, ...]
    deadline: float | Expression | None
    types: tuple[Type, ...]
    outputs: tuple[Record, ...]
    events: tuple[Event, ...]
    state: Record
    models: tuple[Model, ...]
    tools: tuple[Tool, ...]
    retries: tuple[Retry, ...]
    steps: tuple[Step, ...]
    tests: tuple[TestCase, ...]
    imports: tuple[Import, ...] = ()
    whole: bool = True
    run: Whole = Whole()
    resources: tuple[Resource, ...] = ()
    receives: tuple[Received, ...] = ()
    key: RunKey | None = None
    broken_calls: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    knowledge: tuple[Knowledge, ...] = ()

    @property
    def outside(self) -> tuple[str, ...]:
        """Names of the events that steps accept from outside; those that a step waits for are not among them."""
        accepted = {event.name for step in self.steps for event in step.accepts.events}
        return tuple(each.event.name for each in self.receives if each.event.name in accepted)

    @property
    def beginnings(self) -> tuple[str, ...]:
        """Names of the events that no step has to emit: from outside, and from exits of the run that lead on."""
        return (*self.outside, *(emit.event.name for _key, emit in self.run.leading_on))


__all__ = ["Import", "Workflow"]
