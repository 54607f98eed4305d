"""Data for the templates: modules, classes and functions, whose parts are code already."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.python.literals import Code
from wfc.compiler.slotted import dataclass

__all__ = [
    "NO_CODE",
    "SELF",
    "ClassDefinition",
    "ClassField",
    "LiteralAlias",
    "Module",
    "PartClass",
    "PythonFunction",
]

NO_CODE = Code("")
SELF = Code("self")


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function or a method; see ``templates/functions.py.j2``.

    Args:
        parameters: Of a method ``self`` too.
        body: Statements, in lines without the function's indentation.
        docstring: In quotes, or empty.
        comment: Where it comes from, or empty.
        decorator: What stands behind the ``@``, or empty.
    """

    name: Code
    parameters: Sequence[Code]
    returns: Code
    body: Sequence[str]
    docstring: Code = NO_CODE
    comment: Code = NO_CODE
    decorator: Code = NO_CODE
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class ClassField:
    """A field, as the class declares it; without ``default`` it must be given."""

    name: Code
    annotation: Code
    default: Code | None


@dataclass(frozen=True, slots=True)
class ClassDefinition:
    """A pydantic class of the module."""

    name: Code
    bases: Code
    docstring: Code
    fields: tuple[ClassField, ...]


@dataclass(frozen=True, slots=True)
class LiteralAlias:
    """A named enumeration of the module."""

    name: Code
    type: Code


@dataclass(frozen=True, slots=True)
class PartClass:
    """The class of runs that are the actions of steps, which says nothing but its keywords.

    Args:
        constants: What stands before it: the agents that it mentions.
    """

    constants: Sequence[Sequence[str]]
    name: Code
    bases: Code
    docstring: Code


@dataclass(frozen=True, slots=True)
class Module:
    """A module; without ``name`` it has no workflow class."""

    docstring: Code
    source: Code
    sha256: Code
    output_format: int
    file: str
    classes: Sequence[ClassDefinition | LiteralAlias]
    constants: Sequence[Sequence[str]] = ()
    functions: Sequence[PythonFunction] = ()
    parts: Sequence[PartClass] = ()
    name: Code = NO_CODE
    bases: Code = NO_CODE
    description: Code = NO_CODE
    methods: Sequence[PythonFunction] = ()
