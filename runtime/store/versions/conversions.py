"""Conversions of what a run holds, as its class says them: described for the judgement, and made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from wfc.runtime.authoring.migrations import MigrationRule
from wfc.runtime.errors import SnapshotError
from wfc.runtime.plan.versions.moves import Conversion
from wfc.runtime.store.values import Values
from wfc.runtime.store.versions.types import TypeDescriber
from wfc.runtime.values.outside_names import own_name

__all__ = ["Converter"]


class Converter:
    """The conversions of a workflow.

    Args:
        workflow: The object whose methods they are.
        rules: What they convert.
        values: The writing of values of the workflow.
    """

    def __init__(self, workflow: object, rules: Iterable[MigrationRule], values: Values) -> None:
        self._workflow = workflow
        self._rules = {rule.of: rule for rule in rules}
        self._values = values

    def conversions(self) -> list[Conversion]:
        """Return what they need and give, as data."""
        describer = TypeDescriber(self._values.classes.name_of)
        return [
            Conversion(
                rule.of,
                {
                    own_name(name, field): describer.of(field.annotation, field.metadata)
                    for name, field in rule.before.model_fields.items()
                },
                frozenset(rule.gives),
            )
            for rule in self._rules.values()
        ]

    def convert(self, of: str, fields: Mapping[str, Any], held: Collection[str]) -> dict[str, Any]:
        """Return the fields that are made of old ones, by the names of authors, each written by what it holds.

        Args:
            of: What is converted.
            fields: The old ones as they are kept, by the names of authors.
            held: Those of them that are written by what they hold.

        Raises:
            SnapshotError: One cannot be read, or nothing can be made of it.
        """
        rule = self._rules[of]
        names = {own_name(name, field): name for name, field in rule.before.model_fields.items()}
        kept = {name: fields[called] for called, name in names.items()}
        data = [rule.before.__name__, kept, {}, {}, [names[called] for called in held if called in names]]
        reader = Values(self._values.classes.and_these([rule.before]))
        old = reader.read_model(data, rule.before)
        try:
            found: Mapping[str, Any] = rule.function.function(self._workflow, old=old)
        except Exception as error:
            raise SnapshotError(f"nothing can be made of `{of}`: {type(error).__name__}: {error}") from error
        return {name: self._values.write(found[name]) for name in rule.gives}
