"""The filters: one table, from which expressions are typed and printed, and the reference is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from wfc.compiler.on_demand import modules_of

if TYPE_CHECKING:
    from wfc.compiler.expressions.filters import lists, records, scalars, texts
    from wfc.compiler.expressions.filters.definition import Filter
else:
    texts, scalars, lists, records = map(modules_of(__name__), ("texts", "scalars", "lists", "records"))

__all__ = ["FILTERS"]


class FilterTable(Mapping[str, "Filter"]):
    """Every filter by its name; a family is loaded when a name is asked for that none before it has."""

    def __init__(self) -> None:
        self.loaded: dict[str, Filter] = {}
        self.left = [texts, scalars, lists, records]

    def load(self) -> None:
        """Add the filters of the next family."""
        self.loaded.update((each.name, each) for each in self.left.pop(0).FILTERS)

    def __getitem__(self, name: str) -> Filter:
        while name not in self.loaded and self.left:
            self.load()
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        while self.left:
            self.load()
        return iter(self.loaded)

    def __len__(self) -> int:
        return sum(1 for _ in self)


FILTERS: Final[Mapping[str, Filter]] = FilterTable()
"""Every filter by its name, in the order of the reference."""
