"""Names from older releases of llama-index-workflows, and their replacements."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.events import StartEvent

__all__ = ["FormerName", "stop_former_arguments"]

_OF_RUN = {
    "stepwise": "start the run, and let it take one step at a time by `await handler.run_step()`",
    "checkpoint_callback": "`handler.observe(function)` calls a function with all that happens, and "
    "`handler.ctx.to_dict()` makes a snapshot",
}


def stop_former_arguments(inputs: Collection[str], start_class: type[StartEvent]) -> None:
    """Reject arguments that ``run`` no longer has, unless the start event has fields with these names.

    Raises:
        WorkflowRuntimeError: There is such an argument.
    """
    if _OF_RUN.keys().isdisjoint(inputs):
        return
    for name, instead in _OF_RUN.items():
        if name in inputs and name not in start_class.model_fields:
            raise WorkflowRuntimeError(f"`run` has no argument `{name}`: {instead}")


class FormerName:
    """An attribute that contexts no longer have; whoever asks for it is told its replacement.

    There is one for each name, because a ``__getattr__`` makes all attributes slow.
    """

    def __init__(self, instead: str) -> None:
        self._instead = instead
        self._name = ""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        """Take the name that it has in the class."""
        self._name = name

    def __get__(self, context: object, kind: type[Any]) -> NoReturn:
        """Tell the replacement.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"a context has no `{self._name}` any more: write `{self._instead}`")
