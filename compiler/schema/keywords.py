"""The JSON Schema keywords that the schema of specs uses, and the marks for features not supported yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

__all__ = ["ANNOTATIONS", "KEYWORDS", "NOT_YET", "has_type", "is_same", "type_check"]

ANNOTATIONS: Final = frozenset({"$schema", "$defs", "title", "description"})

KEYWORDS: Final = frozenset(
    {"$comment", "$ref", "type", "const", "enum", "minimum", "maximum", "required", "properties"}
    | {"additionalProperties", "propertyNames", "minProperties", "items", "minItems"}
    | {"anyOf", "allOf", "if", "then", "else"}
)
"""What a schema may have besides annotations."""

NOT_YET: Final = "not supported yet"
"""The ``$comment`` of what the language has and this compiler has not."""

CLASSES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


@cache
def type_check(*names: str) -> Callable[[Any], bool]:
    """Return the function that checks whether a value has one of some types.

    A whole number written as `3.0` is no integer.

    Raises:
        NotImplementedError: There is no such type.
    """
    if unknown := set(names) - CLASSES.keys():
        raise NotImplementedError(f"the type {min(unknown)}")
    classes = tuple({each: None for name in names for each in CLASSES[name]})
    if int in classes and bool not in classes:
        return lambda value: isinstance(value, classes) and not isinstance(value, bool)
    (*others, one) = classes
    return lambda value: isinstance(value, classes if others else one)  # one class is looked at sooner


def has_type(value: Any, types: str | Sequence[str]) -> bool:
    """Return whether a value has a type, or one of several."""
    return type_check(*((types,) if isinstance(types, str) else types))(value)


def is_same(value: Any, constant: Any) -> bool:
    """Return whether a value equals a constant; `true` is not `1`, and `1.0` is not `1`."""
    return value.__class__ is constant.__class__ and value == constant
