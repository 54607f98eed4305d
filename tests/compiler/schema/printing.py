"""Validators of any schema: ours as it is printed, and the standard's with our whole numbers."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators

from wfc.compiler.schema.generator import generate


def const(validator: Any, wanted: object, value: object, schema: object) -> Iterator[ValidationError]:
    if isinstance(value, float) and isinstance(wanted, int):
        yield ValidationError("no integer")
    yield from Draft202012Validator.VALIDATORS["const"](validator, wanted, value, schema) or ()


# The one difference: a whole number written as `3.0` is no integer for us.
TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
Standard = validators.extend(Draft202012Validator, {"const": const}, type_checker=TYPES)

DEFS: dict[str, Any] = {
    "number": {"type": "number"},
    "again": {"$ref": "#/$defs/number"},
    "tree": {
        "type": "object",
        "properties": {"foo": {"$ref": "#/$defs/tree"}},
        "additionalProperties": False,
    },
    "a-b": {"type": "object", "required": ["foo"]},
    "texts": {"type": "array", "items": {"type": "string"}},
}


def printed(schema: dict[str, Any]) -> Callable[[Any], bool]:
    """The validator of a schema.

    Raises:
        NotImplementedError: It has something that cannot be printed.
    """
    module = types.ModuleType("printed")
    exec(generate({"$defs": {}, **schema}), module.__dict__)  # noqa: S102 — the code under test
    fits: Callable[[Any], bool] = module.__dict__["fits"]
    return fits
