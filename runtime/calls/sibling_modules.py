"""Load modules from a spec's folder by their path, so that they never shadow installed ones.

A folder becomes a package of its own, under a name made from its path. Its modules may import each other as if
the folder were on ``sys.path``, but only where nothing installed has the name; and no other module sees them.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from wfc.runtime.authoring.definition import WorkflowDefinition, definition_of

__all__ = ["folder_of", "settings_folder", "sibling_module", "sibling_workflow"]

_PREFIX = "_wfc_beside_"


def sibling_module(folder: Path, name: str) -> ModuleType | None:
    """Return a module in a folder, which is loaded once; ``None`` if the folder has no such module.

    Args:
        folder: An absolute path.
        name: Dotted, each part an identifier.
    """
    top = folder / name.partition(".")[0]
    if not top.is_dir() and not top.with_suffix(".py").is_file():
        return None
    package = _package_of(folder)
    try:
        return importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if f"{package}.{name}.".startswith(missing + ".") and missing.startswith(package):
            return None
        raise


def folder_of(workflow: type[Any]) -> Path | None:
    """Return the folder of a class's module; ``None`` if that is no file."""
    file = getattr(sys.modules.get(workflow.__module__), "__file__", None)
    return Path(file).resolve().parent if file else None


def settings_folder(workflow: type[Any]) -> Path:
    """Return the folder to search for a class's settings: its module's, or else the working directory.

    A class of ours that works in somebody's project (`wfc draft`) names that as ``project_folder``.
    """
    return getattr(workflow, "project_folder", None) or folder_of(workflow) or Path.cwd()


def sibling_workflow(folder: Path, name: str) -> type[Any] | None:
    """Return the workflow of that name from the module generated for it in a folder; ``None`` if there is none.

    Args:
        folder: An absolute path.
        name: The workflow's name in the spec.
    """
    if not name.isidentifier():
        return None
    module = sibling_module(folder, f"{name}_workflow")
    if module is None:
        return None
    for found in vars(module).values():
        if (
            isinstance(found, type)
            and issubclass(found, WorkflowDefinition)
            and found.__module__ == module.__name__
            and definition_of(found).name == name
        ):
            return found
    return None


def _package_of(folder: Path) -> str:
    name = _PREFIX + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    if name not in sys.modules:
        if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder())  # before the one that would load them its own way
        package = ModuleType(name, f"The modules of {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


class _Finder:
    """An import finder for modules of these packages only."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(_PREFIX) or path is None:
            return None
        for folder in path:
            finder = importlib.machinery.FileFinder(folder, (_Loader, importlib.machinery.SOURCE_SUFFIXES))
            found = finder.find_spec(fullname, target)
            if found is not None:
                return found
        return None


class _Loader(importlib.machinery.SourceFileLoader):
    """An import loader that runs a module with an ``import`` that also searches the module's own folder."""

    def exec_module(self, module: ModuleType) -> None:
        package = module.__name__.partition(".")[0]

        def import_siblings_too(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            top = name.partition(".")[0]
            try:
                return builtins.__import__(name, globals, locals, fromlist or (), level)
            except ModuleNotFoundError as error:
                if level or error.name != top or importlib.util.find_spec(f"{package}.{top}") is None:
                    raise
            full = f"{package}.{name}"
            if fromlist:
                return builtins.__import__(full, globals, locals, fromlist, 0)
            importlib.import_module(full)
            return sys.modules[f"{package}.{top}"]

        # functions keep the builtins that their module had when they were made
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_siblings_too}
        super().exec_module(module)
