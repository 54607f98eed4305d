"""The filters: one table, from which expressions are typed and printed, and the reference is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.expressions.filters import lists, records, scalars, texts
from wfc.compiler.expressions.filters.definition import Filter

__all__ = ["FILTERS", "Filter"]

FILTERS: Final[Mapping[str, Filter]] = {
    each.name: each for each in (*texts.FILTERS, *scalars.FILTERS, *lists.FILTERS, *records.FILTERS)
}
"""Every filter by its name, in the order of the reference."""
