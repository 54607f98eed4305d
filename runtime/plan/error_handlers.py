"""Assignment of ``@catch_error`` handlers to the steps whose final failures they handle."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import StepFailedEvent
from wfc.runtime.plan.step import Step

__all__ = ["bind_handlers"]


def bind_handlers(owner: str, steps: Sequence[Step]) -> None:
    """Assign every step its handler: the one that names it, or else the one for all steps.

    Raises:
        WorkflowValidationError: A handler accepts something other than a failure, names a step that does not
            exist or that another handler names too, or two handlers are for all steps.
    """
    handlers = [step for step in steps if step.max_recoveries]
    if not handlers:
        return
    by_name = {step.name: step for step in steps}
    found = [one for handler in handlers for one in _misuse(handler, by_name)]
    for_all = [handler for handler in handlers if handler.for_steps is None]
    if len(for_all) > 1:
        names = ", ".join(f"`{handler.name}`" for handler in for_all)
        found.append(f"only one handler can be for all steps, not {names}: give them `for_steps`")
    named: dict[str, Step] = {}
    for handler in handlers:
        for name in handler.for_steps or ():
            other = named.setdefault(name, handler)
            if other is not handler:
                found.append(f"`{other.name}` and `{handler.name}` are both for `{name}`")
    if found:
        raise WorkflowValidationError(f"{owner} has wrong error handlers: " + "; ".join(found))
    for step in steps:
        if not step.max_recoveries:
            step.handler = named.get(step.name) or (for_all[0] if for_all else None)
            step.plain = step.plain and step.handler is None  # a handler is told how long the attempts took


def _misuse(handler: Step, by_name: dict[str, Step]) -> list[str]:
    found = []
    if handler.accepts != (StepFailedEvent,) or handler.collects:
        found.append(f"`{handler.name}` must take a StepFailedEvent, and no other event")
    for name in handler.for_steps or ():
        if name not in by_name:
            found.append(f"`{handler.name}` is for `{name}`, which is no step")
        elif by_name[name].max_recoveries:
            found.append(f"`{handler.name}` is for `{name}`, which is a handler itself")
    return found
