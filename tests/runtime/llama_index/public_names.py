"""Prints as JSON where the public names of llama-index-workflows and of ours differ: what is missing there or here."""

import importlib
import inspect
import json
from types import ModuleType
from typing import Any, get_origin

MODULES = (
    "",
    ".collect",
    ".context",
    ".context.serializers",
    ".context.state_store",
    ".decorators",
    ".errors",
    ".events",
    ".handler",
    ".representation",
    ".resource",
    ".retry_policy",
    ".testing",
    ".testing.runner",
    ".types",
    ".utils",
    ".workflow",
)


def public_names(module: ModuleType) -> list[str]:
    """What a module lists, or else what it has made itself, but for short names of annotations.

    To which module those belong depends on the Python.
    """
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and get_origin(value) is None
    )


def parameters(function: Any) -> list[str] | None:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        one.name
        for one in found
        if one.kind not in {one.VAR_POSITIONAL, one.VAR_KEYWORD} and not one.name.startswith("_")
    ]


def members(kind: type[Any]) -> dict[str, Any]:
    """The public members of a class that its package defines."""
    found: dict[str, Any] = {}
    for owner in reversed(kind.__mro__):
        if owner.__module__.split(".")[0] in {"workflows", "wfc"}:
            found |= {name: value for name, value in vars(owner).items() if not name.startswith("_")}
    fields = getattr(kind, "model_fields", {})
    return dict.fromkeys(fields) | {
        name: value for name, value in found.items() if name not in {"model_config", "model_fields"}
    }


def compare(where: str, theirs: Any, ours: Any, differences: set[str]) -> None:
    mine, yours = parameters(theirs), parameters(ours)
    if inspect.isclass(theirs):
        if not inspect.isclass(ours):
            differences.add(f"{where} is no class")
            return
        if theirs.__init__ is object.__init__ or hasattr(theirs, "model_fields"):
            mine = None  # the fields say it
        own = members(ours)
        for name, member in members(theirs).items():
            if name not in own and not hasattr(ours, name):
                differences.add(f"{where}.{name} is missing")
            elif inspect.isroutine(member) or isinstance(member, classmethod | staticmethod):
                compare(f"{where}.{name}", getattr(theirs, name), getattr(ours, name), differences)
    for name in set(mine or ()) - set(yours or ()):
        differences.add(f"{where} has no parameter {name}")
    if mine and yours and [one for one in mine if one in yours] != [one for one in yours if one in mine]:
        differences.add(f"{where} has its parameters in another order")


def main() -> None:
    differences: set[str] = set()
    for suffix in MODULES:
        theirs = importlib.import_module(f"workflows{suffix}")
        ours = importlib.import_module(f"wfc.runtime.llama_index{suffix}")
        for name in public_names(theirs):
            where = f"workflows{suffix}.{name}"
            if name not in ours.__all__:
                differences.add(f"{where} is missing")
            else:
                compare(where, getattr(theirs, name), getattr(ours, name), differences)
    print(json.dumps(sorted(differences)))


if __name__ == "__main__":
    main()
