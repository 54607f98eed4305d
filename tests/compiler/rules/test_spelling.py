"""Names that are like others: the same ones within a bound and without, and no pair of them compared twice."""

from __future__ import annotations

import difflib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.passes import check_text
from wfc.compiler.rules import spelling

NAMES = st.lists(st.text("abcA_1.", min_size=1, max_size=9), max_size=12)


def words(count: int, seed: int) -> list[str]:
    """Names of the same few letters, so that many of them are nearly alike."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    return ["".join(draw.choices("abcdefghij", k=9)).capitalize() for _ in range(count)]


@given(st.text("abcA_1.", max_size=9), NAMES)
def test_a_bound_that_is_not_reached_changes_nothing(name: str, known: list[str]) -> None:
    outside = spelling.nearest(name, known), spelling.as_near(name, known)
    with spelling.bounded():
        assert (spelling.nearest(name, known), spelling.as_near(name, known)) == outside
        with spelling.bounded(0):  # nothing is left to compare, for all of it was compared before
            assert (spelling.nearest(name, known), spelling.as_near(name, known)) == outside


@given(st.text("abcdef", max_size=9), st.lists(st.text("abcdef", min_size=1, max_size=9), max_size=12))
def test_most_in_common_is_what_the_standard_library_says(name: str, known: list[str]) -> None:
    found = difflib.get_close_matches(name, known, n=1, cutoff=spelling.LIKE)
    assert spelling.most_in_common(name, known) == (found[0] if found else None)


def test_what_a_bound_has_cut_off_is_looked_for_again() -> None:
    known = ["customer", "orders", "prices"]
    with spelling.bounded(2):
        assert spelling.nearest("custommer", known) is None
        with spelling.bounded():
            assert spelling.nearest("custommer", known) == "customer"


def test_no_two_names_are_compared_twice_however_often_a_spec_is_analysed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs: list[tuple[str, str]] = []
    real = spelling.letters_apart

    def counted(name: str, other: str) -> int | None:
        pairs.append((name, other))
        return real(name, other)

    monkeypatch.setattr(spelling, "letters_apart", counted)
    types, unknown = words(100, 1), words(100, 2)
    spec = (
        "wfc: 1\nworkflow: greet\nstart: Asked\nend: Told\ntypes:\n"
        + "".join(f"  {each}: {{a: string}}\n" for each in types)
        + "events:\n  Told: {}\n  Asked:\n"
        + "".join(f"    f{number}: {each}\n" for number, each in enumerate(unknown))
        + "steps:\n  go: {kind: transform, accepts: Asked, emit: Told}\n"
    )
    found = check_text(spec.encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == ["unknown-type"] * 100
    assert len(unknown) * len(types) <= len(pairs) == len(set(pairs))
