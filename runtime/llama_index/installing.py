"""Installation of this package as ``workflows``, from which ``llama_index.core``'s agents import."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from wfc.runtime.errors import WorkflowConfigurationError
from wfc.runtime.store.classes import allow_in_snapshots

__all__ = ["install"]

_HERE: Final = "wfc.runtime.llama_index"
_INSTALL: Final = "wfc.runtime.integrations.llama_index.install()"

_MODULES: Final = (
    "workflows",
    "workflows.collect",
    "workflows.context",
    "workflows.context.context",
    "workflows.context.serializers",
    "workflows.context.state_store",
    "workflows.decorators",
    "workflows.errors",
    "workflows.events",
    "workflows.handler",
    "workflows.representation",
    "workflows.resource",
    "workflows.retry_policy",
    "workflows.testing",
    "workflows.testing.runner",
    "workflows.types",
    "workflows.utils",
    "workflows.workflow",
)
"""Their modules that have one of the same name in this room."""

_OTHERS: Final = {
    "llama_index.core.workflow.drawing": "drawing",
    "llama_index.core.workflow.utils": "utils",
    "llama_index.utils.workflow": "drawing",
}
"""Modules of other packages that look into theirs, and the modules of this room that stand for them."""
_KEPT_BY_AGENTS: Final = (
    ("llama_index.core.memory.types", "BaseMemory"),
    ("llama_index.core.storage.chat_store.base", "BaseChatStore"),
    ("llama_index.core.agent.react.types", "BaseReasoningStep"),
)


class _Alias(ModuleType):
    """A module that stands for one of theirs, with our names, which are looked up when first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        module = importlib.import_module(_stand_in(self.__name__))
        if name == "__all__" or name in module.__all__:
            return getattr(module, name)
        raise AttributeError(
            f"`{self.__name__}` is wfc's here, by `{_INSTALL}`, and wfc has nothing that is called `{name}`"
        )


def _stand_in(name: str) -> str:
    """Return the name of the module of this package that stands for one of theirs."""
    return f"{_HERE}.{_OTHERS[name]}" if name in _OTHERS else _HERE + name.removeprefix("workflows")


def install() -> None:
    """Register this package's modules under the name ``workflows``, for the rest of the process.

    To be called before anything imports ``llama_index.core`` or ``workflows``; the package llama-index-workflows
    may be installed or not, and is not used from then on. A second call has no effect.

    Raises:
        WorkflowConfigurationError: ``workflows`` has already been imported, so some code uses the original.
    """
    loaded = sys.modules.get("workflows")
    if isinstance(loaded, _Alias):
        return
    if loaded is not None:
        raise WorkflowConfigurationError(
            "`workflows` has been imported already, and what has imported it goes on with llama-index-workflows: "
            f"call `{_INSTALL}` first in the program, before `llama_index.core` and `workflows` are imported"
        )
    for name in (*_MODULES, *_OTHERS):
        made = _Alias(name, f"wfc's, under the name `{name}`.")
        made.__spec__ = ModuleSpec(name, None)
        sys.modules[name] = made
        parent, _, last = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], last, made)
    allow_in_snapshots(_kept_by_agents)


def _kept_by_agents() -> list[type[Any]]:
    """Return the base classes of what agents keep in their state, as far as the core has been imported.

    No step declares them: an agent puts its memory under a key.
    """
    found = [getattr(sys.modules.get(module), name, None) for module, name in _KEPT_BY_AGENTS]
    return [kind for kind in found if isinstance(kind, type)]
