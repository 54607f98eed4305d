"""What is told of changes: exactly the rules that a careful reviewer wants, in these words, at these places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from changes_cases import CASES, Case

from wfc.compiler.cli.reviewing.comparison import Comparison

TOLD = Path(__file__).parent / "told"
Compare = Callable[..., Comparison]


def lines(name: str, comparison: Comparison) -> Iterator[str]:
    yield f"# {name}"
    for change in comparison.changes:
        yield f"{change.audience} {change.level.word}: {change.told} [{change.rule}]"
        for words, at, is_old in (("before", change.old, True), ("now", change.new, False)):
            located = comparison.located(at, is_old=is_old)
            if at is not None:
                assert located is not None, change
                units = (comparison.old if is_old else comparison.new).units
                text = units[located.path].document.text[located.start.offset : located.end.offset]
                yield f"    {words} {located.start.line}:{located.start.column} {text.splitlines()[0]}"
    yield ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.spec}: {case.name}")
def test_exactly_the_rules_are_told_that_a_reviewer_wants(compare: Compare, case: Case) -> None:
    found = compare(case)
    assert [*found.broken] == []
    assert {change.rule for change in found.changes} == case.rules


@pytest.mark.parametrize("spec", sorted({case.spec for case in CASES}))
def test_the_sentences_and_places_are_golden(
    compare: Compare, spec: str, golden: Callable[[Path, str], None]
) -> None:
    told = [lines(case.name, compare(case)) for case in CASES if case.spec == spec]
    golden(TOLD / f"{spec}.txt", "\n".join(line for each in told for line in each))
