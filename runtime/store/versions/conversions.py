"""Conversions of what a run holds, as its class says them: described for the judgement, and made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from wfc.runtime.authoring.migrations import MigrationRule
from wfc.runtime.errors import SnapshotError
from wfc.runtime.store.classes import Classes
from wfc.runtime.store.judgement.conversions import Conversion
from wfc.runtime.store.values import Values
from wfc.runtime.store.versions.describing import describe_classes
from wfc.runtime.store.versions.types import TypeDescriber

__all__ = ["Converter"]


class _Known(NamedTuple):
    """A conversion: as data, what it does, and the reading of what it takes."""

    data: Conversion
    rule: MigrationRule
    reader: Values


class Converter:
    """The conversions of a workflow.

    Args:
        workflow: The object whose methods they are.
        rules: What they convert.
        values: The writing of values of the workflow.
    """

    def __init__(self, workflow: object, rules: Iterable[MigrationRule], values: Values) -> None:
        self._workflow = workflow
        self._values = values
        self._known = [_known(place, rule) for place, rule in enumerate(rules)]

    def conversions(self) -> list[Conversion]:
        """Return what they need and give, as data."""
        return [known.data for known in self._known]

    def convert(self, by: Conversion, fields: Mapping[str, Any], held: Collection[str]) -> dict[str, Any]:
        """Return the fields that are made of old ones, by the names of authors, each written by what it holds.

        Args:
            by: How they are made.
            fields: The old ones as they are kept, by the names of authors.
            held: Those of them that are written by what they hold.

        Raises:
            SnapshotError: One cannot be read, or nothing can be made of it.
        """
        data, rule, reader = self._known[by.place]
        names = {field["called"]: name for name, field in data.classes[data.before]["fields"].items()}
        kept = {name: fields[called] for called, name in names.items() if called in fields}
        old = reader.read_model(
            [data.before, kept, {}, {}, [names[called] for called in held if called in names]], rule.before
        )
        try:
            found: Mapping[str, Any] = rule.function.function(self._workflow, old=old)
            return {name: self._values.write(found[name]) for name in rule.gives}
        except Exception as error:
            title = "the state" if data.of == "state" else f"`{data.of}`"
            told = f"the new fields of {title} cannot be made: {type(error).__name__}: {error}"
            raise SnapshotError(told) from error


def _known(place: int, rule: MigrationRule) -> _Known:
    classes = Classes([rule.before])
    described = describe_classes(classes, TypeDescriber(classes.name_of))
    data = Conversion(place, rule.of, classes.name(rule.before), described, frozenset(rule.gives))
    return _Known(data, rule, Values(classes))
