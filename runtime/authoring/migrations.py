"""``@run_migration``: methods that make values of the present version of a workflow of what a paused run holds."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import BaseModel

from wfc.runtime.authoring.run_rules import RunFunction
from wfc.runtime.errors import WorkflowValidationError

__all__ = ["MigrationRule", "migrations_in", "run_migration"]

F = TypeVar("F", bound=Callable[..., Any])


class MigrationRule(NamedTuple):
    """A conversion of a workflow.

    Args:
        of: ``state``, or the present name of an event.
        before: The class whose fields a run has there, if it is to be converted.
        gives: The fields that the function returns, by name.
    """

    of: str
    before: type[BaseModel]
    gives: tuple[str, ...]
    function: RunFunction


class MigrationFunction(RunFunction):
    """A method that converts what a paused run holds."""

    def __init__(self, of: str, gives: tuple[str, ...], function: Callable[..., Any]) -> None:
        super().__init__(f"run_migration {function.__name__}", function)
        self.of = of
        self.gives = gives


def run_migration(of: str, *, gives: tuple[str, ...]) -> Callable[[F], F]:
    """Register a method that converts the state, or an event, of runs that began under an earlier version.

    Of several for the same, the first is taken of which a run has all the fields.

    Its parameter ``old`` is of a record whose fields are those that such a run has there; it returns new ones by name.

    Args:
        of: ``state``, or the name that the event has now.
        gives: The fields that it returns.
    """

    def register(function: F) -> F:
        return cast("F", MigrationFunction(of, gives, function))

    return register


def migrations_in(functions: Mapping[str, RunFunction]) -> list[MigrationRule]:
    """Return the conversions among the functions of a class that belong to its runs.

    Raises:
        WorkflowValidationError: The parameter of one does not say what is converted.
    """
    return [
        MigrationRule(each.of, _class_before(each), each.gives, each)
        for each in functions.values()
        if isinstance(each, MigrationFunction)
    ]


def _class_before(function: MigrationFunction) -> type[BaseModel]:
    names = {**function.function.__globals__, **function.names}
    found = typing.get_type_hints(function.function, names).get("old")
    if not isinstance(found, type) or not issubclass(found, BaseModel):
        raise WorkflowValidationError(
            f"`{function.__name__}` needs a parameter `old` with the record of what runs have had"
        )
    return found
