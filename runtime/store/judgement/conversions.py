"""Conversions: values of the present version that are made of what a run of an earlier one holds, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from wfc.runtime.store.judgement.types import fits

__all__ = ["Classes", "Conversion"]

Classes = Mapping[str, Any]
"""The descriptions of classes, by their names."""


class Conversion(NamedTuple):
    """A conversion of values that a run has.

    Args:
        place: Its place among those of the later version.
        of: ``state``, or the present name of an event.
        before: The class whose fields a run has there, if it is to be converted.
        classes: The description of that class, and of those that its fields name.
        gives: The fields that are made of them.
    """

    place: int
    of: str
    before: str
    classes: Classes
    gives: Collection[str]

    @property
    def takes(self) -> set[str]:
        """The names of the fields that it takes."""
        return {field["called"] for field in self.classes[self.before]["fields"].values()}

    def is_for(self, fields: Mapping[str, Any], classes: Classes) -> bool:
        """Return whether it takes what stands in these fields of a class of an earlier version.

        Args:
            classes: The classes of that version.
        """
        known = {field["called"]: field["type"] for field in fields.values()}
        reading = _Reading(classes, self.classes)
        return all(
            fits(known[name], field["type"], reading.fits) if name in known else not field["required"]
            for field in self.classes[self.before]["fields"].values()
            for name in [field["called"]]
        )


class _Reading:
    """What was written of classes of an earlier version, read by others, whatever these are called."""

    def __init__(self, old: Classes, new: Classes) -> None:
        self._old, self._new = old, new
        self._known: dict[tuple[str, str], bool] = {}

    def fits(self, old: str, new: str) -> bool:
        """Return whether all that was written of a class can be read by another one."""
        if (old, new) not in self._known:
            self._known[old, new] = True  # until the contrary is shown, as classes may hold themselves
            self._known[old, new] = self._compare(old, new)
        return self._known[old, new]

    def _compare(self, old: str, new: str) -> bool:
        before, later = self._old.get(old), self._new.get(new)
        if before is None or later is None:
            return old == new  # of those that every workflow has
        if "values" in before or "values" in later:
            return (
                set(before.get("values", ())) <= set(later.get("values", ()))
                and before.keys() == later.keys()
            )
        fields, wanted = before["fields"], later["fields"]
        return fields.keys() <= wanted.keys() and all(
            fits(fields[name]["type"], field["type"], self.fits) if name in fields else not field["required"]
            for name, field in wanted.items()
        )
