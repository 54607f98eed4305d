"""The construction of a workflow class's plan from its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wfc.runtime.authoring.injection import make_call
from wfc.runtime.authoring.run_rules import RunFunction
from wfc.runtime.authoring.signatures import read_signature
from wfc.runtime.authoring.step_functions import StepFunction
from wfc.runtime.authoring.step_reader import read_step
from wfc.runtime.plan import Plan
from wfc.runtime.plan.run_rules import Limits
from wfc.runtime.plan.signature import Call, EventClass, Signature

__all__ = ["read_plan"]


def read_plan(
    owner: str,
    functions: Mapping[str, StepFunction[Any, Any]],
    *,
    is_generated: bool = False,
    received: tuple[EventClass, ...] = (),
    limits: Limits | None = None,
    exits: Mapping[str, RunFunction] | None = None,
    computes_bounds: bool = False,
) -> Plan:
    """Return the plan of a workflow class.

    Args:
        owner: The class's name, for messages.
        functions: Its steps, by name.
        is_generated: Whether the compiler has printed the class.
        received: Events that may arrive from outside the run, whichever step accepts them.
        exits: The exits of the run itself.
        computes_bounds: Whether it has a method that works out bounds when a run starts.

    Raises:
        WorkflowValidationError: A signature cannot be read, or steps contradict each other.
    """
    steps = [read_step(index, function) for index, function in enumerate(functions.values())]
    read = {name: _read_exit(function) for name, function in (exits or {}).items()}
    return Plan(
        owner,
        steps,
        is_generated=is_generated,
        received=received,
        limits=limits,
        exits=read,
        computes_bounds=computes_bounds,
    )


def _read_exit(exit: RunFunction) -> tuple[Call, Signature]:
    signature = read_signature(exit.function, is_tail=True, names=exit.names)
    return make_call(exit.function, signature, (), is_tail=True, saves=True), signature
