"""The loading of Python functions that a spec names: from its folder, or as the settings allow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wfc.runtime.calls.settings import settings_near
from wfc.runtime.calls.sibling_modules import sibling_module
from wfc.runtime.errors import SettingsError

__all__ = ["load_attribute", "load_function"]


def load_function(place: str, beside: str | Path) -> Callable[..., Any]:
    """Load a Python function that a spec names.

    Args:
        place: ``module:function``.
        beside: A file in the folder that may hold the module, or the folder.

    Raises:
        SettingsError: There is no such module or function, or it may not be loaded.
    """
    function = load_attribute(place, beside)
    if not callable(function):
        raise SettingsError(f"`{place}` is not a function")
    return function  # type: ignore[no-any-return]


def load_attribute(place: str, beside: str | Path) -> Any:
    """Load an object of a module that a spec names.

    Args:
        place: ``module:name``.
        beside: A file in the folder that may hold the module, or the folder.

    Raises:
        SettingsError: There is no such module or object, or it may not be loaded.
    """
    module_name, _, function_name = place.partition(":")
    parts = module_name.split(".")
    if not function_name.isidentifier() or not all(part.isidentifier() for part in parts):
        raise SettingsError(f"the tool `{place}` is not written as `module:function`")
    folder = Path(beside)
    folder = (folder if folder.is_dir() else folder.parent).resolve()
    module = _module(module_name, folder)
    found = getattr(module, function_name, None)
    if found is None:
        raise SettingsError(
            f"the module `{module_name}` ({module.__file__}) has no function `{function_name}`"
        )
    return found


def _module(name: str, folder: Path) -> Any:
    try:
        module = sibling_module(folder, name)
        if module is not None:
            return module
        settings = settings_near(folder)
        if settings.allows_module(name):
            return settings.import_module(name)
    except SettingsError:
        raise
    except (Exception, SystemExit) as error:  # whatever a module does while it loads
        raise SettingsError(
            f"the module `{name}` cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    raise SettingsError(
        f"there is no module `{name}` in {folder}, and the settings ({settings.told_from}) do not allow it: "
        f'put it there, or add `modules = ["{name}"]` to the settings'
    )
