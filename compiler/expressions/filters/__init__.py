"""The filters: one table, from which expressions are typed and spelled and the reference is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.expressions.filters import lists, records, scalars, texts
from wfc.compiler.expressions.filters.table import Call, Filter, Parameter, Spelling

__all__ = ["FILTERS", "Call", "Filter", "Parameter", "Spelling"]

FILTERS: Final[Mapping[str, Filter]] = {
    each.name: each for each in (*texts.FILTERS, *scalars.FILTERS, *lists.FILTERS, *records.FILTERS)
}
"""Every filter by its name, in the order of the reference."""
