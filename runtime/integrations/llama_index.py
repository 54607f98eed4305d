"""``llama_index.core``'s agents on this runtime: modules of ours under the names of llama-index-workflows."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, TypeVar

from wfc.runtime.authoring.decorators import StepFunction
from wfc.runtime.authoring.resource.kinds import ResourceRequest
from wfc.runtime.authoring.table import Step
from wfc.runtime.errors import SnapshotError, WorkflowConfigurationError, WorkflowError
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.values.state import StateStore

__all__ = [
    "InMemoryStateStore",
    "WorkflowDone",
    "WorkflowMeta",
    "install",
]

_S = TypeVar("_S")

_HERE = "wfc.runtime.integrations.llama_index"


class WorkflowMeta(type):
    """What agents combine with pydantic's metaclass, which would take steps for fields: it never sees them."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **kwargs: Any) -> Any:
        found = {key: value for key, value in namespace.items() if isinstance(value, StepFunction)}
        rest = {key: value for key, value in namespace.items() if key not in found}
        made = super().__new__(mcs, name, bases, rest, **kwargs)
        for key, value in found.items():
            type.__setattr__(made, key, value)
        return made


class _Holder:
    """Has a state that belongs to no run."""

    def __init__(self, state: Any) -> None:
        self.state = state


class InMemoryStateStore(StateStore[_S]):
    """A state behind the same door as a run's: what agents have outside of runs."""

    __slots__ = ()

    def __init__(self, initial_state: _S) -> None:
        super().__init__(_Holder(initial_state))


class WorkflowDone(WorkflowError):  # noqa: N818 - the name is llama-index-workflows'
    """Only a name that programs may mention: no run raises it."""


_FROM: Final[dict[str, tuple[str, ...]]] = {
    "workflows": ("wfc.runtime",),
    "workflows.collect": ("wfc.runtime.plan.collect",),
    "workflows.context": ("wfc.runtime.driver.context", _HERE),
    "workflows.context.context": ("wfc.runtime.driver.context",),
    "workflows.context.serializers": ("wfc.runtime.values.serializers",),
    "workflows.context.state_store": ("wfc.runtime.values.state", "wfc.runtime.events", _HERE),
    "workflows.decorators": ("wfc.runtime.llama_index.decorators",),
    "workflows.errors": ("wfc.runtime.errors", _HERE),
    "workflows.events": ("wfc.runtime.events",),
    "workflows.handler": ("wfc.runtime.driver.handler",),
    "workflows.representation": ("wfc.runtime.drawing.representation",),
    "workflows.resource": ("wfc.runtime.authoring.resource",),
    "workflows.retry_policy": ("wfc.runtime.llama_index.retry_policy",),
    "workflows.testing": ("wfc.runtime.testing",),
    "workflows.types": (),
    "workflows.workflow": ("wfc.runtime.workflow", _HERE),
}
"""Their modules, and where what they offer is found here."""

_StopEventT = TypeVar("_StopEventT", bound=StopEvent)

_ALSO: Final[dict[str, dict[str, Any]]] = {
    "workflows.decorators": {"StepConfig": Step},
    "workflows.errors": {"ContextSerdeError": SnapshotError},
    "workflows.events": {"EventType": type[Event]},
    "workflows.resource": {"ResourceDefinition": ResourceRequest},
    "workflows.types": {"StopEventT": _StopEventT, "RunResultT": Any},
}
"""Names of theirs for which ours is another."""


class _Alias(ModuleType):
    """One of their modules, made of ours. A name is looked up when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        also = _ALSO.get(self.__name__, {})
        if name in also:
            return also[name]
        for source in _FROM[self.__name__]:
            module = importlib.import_module(source)
            if name in module.__all__:
                return getattr(module, name)
        raise AttributeError(
            f"`{self.__name__}` is wfc's here, by `{_HERE}.install()`, and wfc has nothing that is called `{name}`"
        )


def install() -> None:
    """Puts this runtime's modules where ``import workflows`` finds them, for the rest of the process.

    To be called before anything imports ``llama_index.core`` or ``workflows``; the package llama-index-workflows
    may be installed or not, and is not used from then on. A second call changes nothing.

    Raises:
        WorkflowConfigurationError: ``workflows`` has been imported already, so that some code has the other one.
    """
    loaded = sys.modules.get("workflows")
    if isinstance(loaded, _Alias):
        return
    if loaded is not None:
        raise WorkflowConfigurationError(
            "`workflows` has been imported already, and what has imported it goes on with llama-index-workflows: "
            f"call `{_HERE}.install()` first in the program, before `llama_index.core` and `workflows` are imported"
        )
    for name in _FROM:
        made = _Alias(name, f"wfc.runtime, under the name `{name}`.")
        made.__spec__ = ModuleSpec(name, None)
        sys.modules[name] = made
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, made)
