"""Each key of the language, with a wrong value of each sort: one finding, at that place, and no traceback."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from wfc.compiler.passes import check_text


@pytest.mark.parametrize(
    ("part", "parts"), [(0, 36), *(pytest.param(part, 12, marks=pytest.mark.full) for part in range(12))]
)
def test_a_wrong_value_is_one_finding_at_its_place(
    part: int, parts: int, specs: list[Any], wrong_values: ModuleType
) -> None:
    """A value that is right after all, or another right one, has its reason in the tables."""
    wrong, right = [], 0
    for number, each in enumerate(wrong_values.spoilt(specs)):
        if number % parts != part:
            continue
        found = check_text(each.text.encode(), "spec.yaml").diagnostics
        if not found:
            verdict, reasons = "is accepted", wrong_values.FITS
        elif len(found) == 1 and found[0].start.offset <= each.end and found[0].end.offset >= each.start:
            right += 1
            continue
        else:
            verdict, reasons = (
                f"is {len(found)} findings: {[one.code for one in found][:4]}",
                wrong_values.FOLLOWS,
            )
        if wrong_values.reason(each, reasons) is None:
            wrong.append(f"{each.key}: {wrong_values.VALUES[each.kind]} {verdict} ({each.name})")
    assert not wrong
    assert right > 100
