"""The local names of enclosing functions, by which annotations given as strings are resolved."""

from __future__ import annotations

import re
import sys
from collections import ChainMap
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType
from typing import Any, Final

__all__ = ["enclosing_names"]

_NAME: Final = re.compile(r"[^\W\d]\w*")
_OURS: Final = f"{__name__.rpartition('.authoring.')[0]}."


def enclosing_names(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the local names that annotations given as strings mention, around a decorator or what takes a function.

    This includes the names that the annotations of resource factories mention. Functions that only lead here say
    nothing: their names are none of that function's.
    """
    wanted = _mentioned(function)
    if not wanted:
        return {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back  # the decorators themselves, and other words of ours that take functions
    around = ChainMap(_closed_over(function))
    while frame is not None and frame.f_globals.get("__name__") == function.__module__:
        if frame.f_locals is not frame.f_globals and _encloses(frame, function):
            around.maps.append(frame.f_locals)
        frame = frame.f_back
    names: dict[str, Any] = {}
    while found := {name: around[name] for name in wanted - names.keys() if name in around}:
        names |= found
        factories = (getattr(one, "factory", one) for one in found.values())
        wanted = {name for factory in factories for name in _mentioned(factory)}
    return names


def _encloses(frame: FrameType, function: Any) -> bool:
    """Return whether a function was written within what runs here, and not only taken from elsewhere."""
    here = frame.f_code.co_qualname
    within = getattr(function, "__qualname__", "")
    return here == "<module>" or within.startswith(f"{here}.")


def _closed_over(function: Any) -> dict[str, Any]:
    """Return the variables of enclosing functions that a function holds, also after those have returned."""
    held: dict[str, Any] = {}
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(function, "__closure__", None) or (), strict=False):
        with suppress(ValueError):  # it has no value yet
            held[name] = cell.cell_contents
    return held


def _mentioned(function: Any) -> set[str]:
    """Return the names that occur in those annotations of a function that are strings."""
    annotations = getattr(function, "__annotations__", {}) if callable(function) else {}
    return {name for one in annotations.values() if isinstance(one, str) for name in _NAME.findall(one)}
