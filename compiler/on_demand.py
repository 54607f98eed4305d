"""Modules that are loaded when something of them is first used, because only some specs need them.

A package whose ``__init__`` ends with ::

    if not TYPE_CHECKING:
        __getattr__ = modules_of(__name__)

gives such modules to ``from package import module``. What is imported from a module, as in ``from package.module
import function``, is loaded at once.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

__all__ = ["modules_of"]


class OnDemand:
    """A stand-in for a module, which loads it when it is asked for one of its names, and then has all of them."""

    def __init__(self, module_name: str) -> None:
        self.__name__ = module_name

    def __getattr__(self, name: str) -> object:
        module = import_module(self.__name__)
        self.__dict__ = vars(
            module
        )  # the module's own, so that it is not asked again, and nothing is kept twice
        return getattr(module, name)


def modules_of(package: str) -> Callable[[str], OnDemand]:
    """Return the ``__getattr__`` of a package, which gives a stand-in for each of its modules.

    It does not look whether there is such a module: type checkers do, since they do not see this function.
    """

    def module(name: str) -> OnDemand:
        if name.startswith("_"):
            raise AttributeError(name)
        return OnDemand(f"{package}.{name}")

    return module
