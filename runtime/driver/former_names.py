"""Names from older releases of llama-index-workflows, and their replacements."""

from __future__ import annotations

from collections.abc import Collection

from wfc.runtime.errors import WorkflowRuntimeError

__all__ = ["former_context_name", "stop_former_arguments"]

_OF_RUN = {
    "stepwise": "start the run, and let it take one step at a time by `await handler.run_step()`",
    "checkpoint_callback": "`handler.observe(function)` calls a function with all that happens, and "
    "`handler.ctx.to_dict()` makes a snapshot",
}

_OF_CONTEXT = {
    "get": "await ctx.store.get(…)",
    "set": "await ctx.store.set(…)",
    "data": "ctx.store",
    "lock": "async with ctx.store.edit_state() as state",
}


def stop_former_arguments(inputs: Collection[str], fields: Collection[str]) -> None:
    """Reject arguments that ``run`` no longer has, unless the start event has fields with these names.

    Raises:
        WorkflowRuntimeError: There is such an argument.
    """
    for name, instead in _OF_RUN.items():
        if name in inputs and name not in fields:
            raise WorkflowRuntimeError(f"`run` has no argument `{name}`: {instead}")


def former_context_name(name: str) -> str | None:
    """Return the replacement of an attribute that contexts no longer have; ``None`` if they never had it."""
    return _OF_CONTEXT.get(name)
