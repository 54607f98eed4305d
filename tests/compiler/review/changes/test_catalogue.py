"""The catalogue of rules, and what holds for all comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from changes_cases import CASES, Case

from wfc.compiler.cli.reviewing.comparison import Comparison, compare_sides
from wfc.compiler.cli.reviewing.sides import DiskSide
from wfc.compiler.review.changes import AUDIENCES
from wfc.compiler.review.comparing import all_rules
from wfc.compiler.review.sameness import differences, same, word_diff
from wfc.compiler.rules import PROBLEMS
from wfc.compiler.rules.catalogue import load

RULES = all_rules()
ROOT = Path(__file__).parents[4]
SPECS = sorted(str(each) for folder in ("docs/language", "specs") for each in (ROOT / folder).rglob("*.yaml"))
Compare = Callable[..., Comparison]


def test_each_rule_has_a_mirror_that_mirrors_it_or_a_reason_why_it_has_none() -> None:
    for rule in RULES.values():
        assert bool(rule.mirror) != bool(rule.no_mirror), rule.id
        if rule.mirror:
            assert RULES[rule.mirror].mirror == rule.id
            assert RULES[rule.mirror].audience == rule.audience


def test_no_rule_has_the_id_of_a_finding() -> None:
    load()
    assert not set(RULES) & set(PROBLEMS)


def test_each_rule_is_explained_in_lines_of_a_terminal_s_width() -> None:
    for rule in RULES.values():
        assert rule.audience in AUDIENCES
        assert rule.summary.endswith((".", "?")), rule.id
        assert all(len(line) <= 120 for line in rule.explanation.splitlines()), rule.id


def test_each_rule_has_a_case() -> None:
    told = {rule for case in CASES for rule in case.rules}
    of_folders = {
        "workflow-added",
        "workflow-removed",
        "called-workflow-changed",
    }  # see the tests of the command
    of_runs = {
        id for id, rule in RULES.items() if rule.audience == "runs"
    } - told  # see `test_paused_changes.py`
    assert set(RULES) - told == of_folders | of_runs


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.spec}: {case.name}")
def test_the_opposite_change_is_told_by_the_mirrors(compare: Compare, case: Case) -> None:
    there = {change.rule for change in compare(case).changes}
    back = {change.rule for change in compare(case, is_back=True).changes}
    missing = {rule for rule in there if RULES[rule].mirror and RULES[rule].mirror not in back}
    assert missing == WITHOUT_MIRROR.get(case.name, set())


WITHOUT_MIRROR = {  # a field that is new and has to be given is gone again: that is no field that may be left out
    "an input is new that has to be given": {"input-required"},
    "an input is gone": {"input-removed"},
    "news have to say from where they come": {"message-field-required"},
    "news say nothing": {"message-field-removed"},
    "a setting is new that has to be given": {"setting-required"},
    "an input and a field of an outcome have other names": {"input-removed", "output-removed"},
    "an input that a prompt mentions has another name": {"input-removed"},
    "a field within a type has another name, wherever it is said": {"input-narrowed"},
    "a field within a type has another name, and there are maps": {"input-narrowed"},
    # which of a number and of what is worked out is greater is not sure, so that it counts as raised both ways
    "a bound of a loop is written down": {"rounds-raised"},
    # people are asked on more ways than before, and on all of them: that is one thing there, and none back
}


def test_of_what_is_the_same_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(SPECS) > 60
    old, new = DiskSide("old", SPECS), DiskSide("new", SPECS)
    monkeypatch.setattr(new, "digest", lambda path: f"{path} has changed")
    found = compare_sides(old, new)
    assert len([pair for pair in found.versions if pair[0] and pair[0].facts]) > 50
    assert found.changes == []


@pytest.mark.full
def test_whatever_differs_in_the_facts_is_told(compare: Compare) -> None:
    for case in CASES:
        found = compare(case)
        for old, new in found.versions:
            assert old is not None
            assert new is not None
            if not found.changes:
                one, other = without_descriptions(old.facts), without_descriptions(new.facts)
                assert same(one, other), [*differences(one, other)]


def without_descriptions(facts: Any) -> dict[str, Any]:
    """Return facts with what descriptions say, and not of what: a type may have another name."""
    said = sorted(each["text"] for each in facts["descriptions"].values() if each["text"])
    return {**facts, "descriptions": said}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("a b c", "a x c", "a [-b-] {+x+} c"),
        ("", "a", "{+a+}"),
        ("a\nb", "a b", "a b"),
        ("1 2 3 4 5 6 7 8 9 0", "1 2 3 4 5 6 7 8 9", "1 2 3 … 7 8 9 [-0-]"),
    ],
)
def test_words_that_are_new_and_words_that_are_gone_are_marked(old: str, new: str, told: str) -> None:
    assert word_diff(old, new) == told
