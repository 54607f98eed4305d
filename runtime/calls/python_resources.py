"""Resources whose factories are Python functions that a spec names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wfc.runtime.authoring.resource.kinds import Lifetime, Resource

__all__ = ["PythonResource"]


class PythonResource(Resource[Any]):
    """A request for an object whose factory a spec names: ``{python: "shop.db:connect", per: run}``.

    Args:
        function: ``module:function``, the factory; loaded when it is first used.
        beside: The spec's file or folder, from which the module is looked up.
        per: See ``Resource``.
    """

    is_loaded_late = True

    def __init__(self, function: str, *, beside: str | Path, per: Lifetime = "run") -> None:
        super().__init__(_not_loaded, per=per)
        self.function = function
        self.beside = beside

    @property
    def factory(self) -> Callable[..., Any]:
        """The function that creates the object.

        Raises:
            SettingsError: There is no such function, or it may not be loaded.
        """
        if self._factory is _not_loaded:
            from wfc.runtime.calls.python_functions import load_function

            self._factory = load_function(self.function, self.beside)
        return self._factory

    @property
    def name(self) -> str:
        """The factory's name in the spec."""
        return self.function

    @property
    def key(self) -> object:
        """The key of the object, which is equal for two resources that stand for the same object."""
        return self.function, self.beside, self.per


def _not_loaded() -> None:
    raise AssertionError("stands for a factory until it is loaded")
