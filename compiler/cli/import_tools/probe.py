"""A program that imports one module and writes down what its functions take and return. See ``processes``.

An annotation becomes a shape, which is JSON: a scalar's name, ``{"list": shape}``, ``{"map": shape}``,
``{"fields": {name: [shape, required]}}``, ``{"enum": [values]}`` or ``{"union": [shapes]}``; ``as`` says what Python
has for it that is more than a list or a dictionary. ``None`` is what is not known, or may be anything.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import os
import re
import sys
import types
import typing
from pathlib import Path
from typing import Any, Final

__all__ = ["described", "main", "shape"]

DEEPEST, LONGEST, MOST = 12, 300, 200
BESIDE: Final = re.compile(r"\b_wfc_beside_\w+\.")
SCALARS: Final[dict[object, str]] = {
    None: "null",
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    decimal.Decimal: "decimal",
    datetime.date: "date",
    datetime.datetime: "datetime",
    datetime.timedelta: "duration",
}
LISTS: Final = {
    *(list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Collection),
    *(collections.abc.Iterable,),
}
OTHER_LISTS: Final = {tuple, set, frozenset, collections.abc.Set, collections.abc.MutableSet}
MAPS: Final = {dict, collections.abc.Mapping, collections.abc.MutableMapping}
AWAITABLES: Final = {collections.abc.Awaitable, collections.abc.Coroutine}


def main(request: str, answer: str) -> None:
    """Answer a request; the arguments are two files."""
    wanted = json.loads(Path(request).read_text(encoding="utf-8"))
    found = [described(each, wanted["folder"]) for each in wanted["functions"]]
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


def described(python: str, folder: str) -> dict[str, Any]:
    """Return what a function takes and returns, or why that cannot be determined."""
    from wfc.runtime.calls.python_functions import load_function
    from wfc.runtime.errors import SettingsError

    try:
        function = load_function(python, folder)
    except SettingsError as error:
        cause = error.__cause__
        said = str(error) if cause is None else f"it cannot be imported: {type(cause).__name__}: {cause}"
        said = short(said.replace(folder + os.sep, "").replace(folder, "its folder"))
        return {"error": said, "known": [] if cause is not None else functions_beside(python, folder)}
    except BaseException as error:  # whatever a module does
        return {"error": short(f"it cannot be imported: {type(error).__name__}")}
    try:
        return signature_of(function)
    except Exception:  # one of C, or one that says strange things of itself
        return {}


def functions_beside(python: str, folder: str) -> list[str]:
    """Return the functions of a module in this folder."""
    from wfc.runtime.calls.sibling_modules import sibling_module

    name = python.partition(":")[0]
    try:
        module = sibling_module(Path(folder), name)
        found = {} if module is None else vars(module)
        return [short(each) for each, value in found.items() if callable(value)][:MOST]
    except Exception:  # it has been tried, and said what is wrong
        return []


def signature_of(function: Any) -> dict[str, Any]:
    try:
        signature = inspect.signature(function, eval_str=True)
    except (NameError, SyntaxError, AttributeError, TypeError):  # names that only type checkers see
        signature = inspect.signature(function)
    parameters = [
        {
            "name": each.name,
            "kind": each.kind.name,
            "required": each.default is inspect.Parameter.empty,
            "shape": shape(each.annotation),
            "text": told(each.annotation),
        }
        for each in list(signature.parameters.values())[:MOST]
    ]
    returned = signature.return_annotation
    return {"parameters": parameters, "returns": shape(returned), "text": told(returned)}


def told(annotation: object) -> str:
    """Return an annotation as its module writes it, without the module's temporary name."""
    return short(BESIDE.sub("", inspect.formatannotation(annotation)))


def short(text: str) -> str:
    """Return a text on one line, cut to a readable length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def shape(annotation: Any, deep: int = 0) -> Any:
    """Return what is known of the values that an annotation allows."""
    if deep > DEEPEST:
        return None
    if isinstance(annotation, typing.NewType):
        return shape(annotation.__supertype__, deep + 1)
    if hasattr(annotation, "__value__"):  # `type Name = …`
        return shape(annotation.__value__, deep + 1)
    origin, args = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin is typing.Annotated:
        return shape(args[0], deep + 1)
    if origin in (typing.Union, types.UnionType):
        shapes = [shape(each, deep + 1) for each in args]
        return None if None in shapes else {"union": shapes}
    if origin is typing.Literal:
        return {"enum": [each for each in args if isinstance(each, str | int | bool | None)]}
    if not isinstance(origin, collections.abc.Hashable):
        return None
    if origin in SCALARS:
        return SCALARS[origin]
    if origin in LISTS or origin in OTHER_LISTS:
        item = shape(args[0], deep + 1) if one_kind(args) else None
        return {"list": item, "as": "" if origin in LISTS else told(annotation)}
    if origin in MAPS:
        return {"map": shape(args[1], deep + 1) if len(args) == 2 else None}
    if origin in AWAITABLES and args:
        return shape(args[-1], deep + 1)
    return of_class(annotation, deep) if isinstance(annotation, type) else None


def one_kind(args: tuple[Any, ...]) -> bool:
    return len(args) == 1 or (len(args) == 2 and args[1] is Ellipsis)


def of_class(kind: type, deep: int) -> Any:
    if issubclass(kind, enum.Enum):
        return {"enum": [each.value for each in kind if isinstance(each.value, str | int | bool)]}
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind)
        needed: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
        return fields({name: (hint, name in needed) for name, hint in hints.items()}, "", deep)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        missing = dataclasses.MISSING
        return fields(
            {
                each.name: (
                    hints[each.name],
                    each.default is missing and each.default_factory is missing,
                )
                for each in dataclasses.fields(kind)
            },
            kind.__name__,
            deep,
        )
    declared = getattr(kind, "model_fields", None)
    if isinstance(declared, dict):  # of pydantic
        found = {each.alias or name: (each.annotation, each.is_required()) for name, each in declared.items()}
        return fields(found, kind.__name__, deep)
    return None


def fields(declared: dict[str, tuple[Any, bool]], name: str, deep: int) -> dict[str, Any]:
    return {
        "fields": {each: [shape(hint, deep + 1), needed] for each, (hint, needed) in declared.items()},
        "as": name,
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
    os._exit(0)  # whatever threads and handlers the module has left
