"""Mistakes of people who are new to the language: each gives one finding, with what to write instead."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from wfc.compiler.passes import check_text

NOVICES = runpy.run_path(str(Path(__file__).with_name("novices.py")))
SPEC: str = NOVICES["SPEC"]
ELSEWHERE = runpy.run_path(str(Path(__file__).with_name("elsewhere.py")))
TABLE: list[tuple[str, str, str, str, str]] = [*NOVICES["TABLE"], *ELSEWHERE["TABLE"]]


def test_the_spec_is_right() -> None:
    assert not check_text(SPEC.encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(
    ("old", "new", "code", "says"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_a_mistake_gives_one_finding(old: str, new: str, code: str, says: str) -> None:
    assert old in SPEC
    text = SPEC.replace(old, new, 1)
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.code == code
    assert found.hint.startswith(says)
    assert bool(found.hint) == bool(says)


def test_most_mistakes_come_with_a_remedy() -> None:
    assert sum(bool(row[4]) for row in TABLE) >= 0.95 * len(TABLE)
