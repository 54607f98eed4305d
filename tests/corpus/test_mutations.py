"""One mistake, one finding: how often that holds for mistakes of many classes in all specs of the repository."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wfc.compiler.passes import check_text

MISSED = Path(__file__).parent / "missed.txt"
"""Those of which not the right thing is said, as `--golden` wrote them."""
RIGHT = 0.985
"""The share of mutants of which exactly one thing must be said, the right one, at the right place."""
RIGHT_OF_EACH = 0.90
"""The same for each class by itself."""
SUGGESTED = 0.90
"""The share of misspellings of which the right suggestion must come first."""
COUNTED = ("right", "several", "another", "elsewhere")
EXCHANGES = 0.60
"""The share of exchanges of two values of which a finding must be at one of the two."""
HARMLESS = 0.02
"""The greatest share of mutants without any finding, which are not counted: the change made no mistake."""

few_or_all = pytest.mark.parametrize(
    "share", [1 / 6, pytest.param(1, marks=pytest.mark.full)], ids=["few", "all"]
)
"""How many mistakes of each class are judged, at most: few in the ordinary suite."""


def verdict(mutant: Any) -> tuple[str, bool]:
    """What is wrong with what is said of a mutant, in a word; and whether the right suggestion comes first."""
    found = check_text(mutant.text.encode(), "spec.yaml").diagnostics
    if not found:
        return "none", False
    first = re.search(r"`([^`]*)`", found[0].hint)
    suggested = first is not None and first[1] == mutant.meant
    start, end = found[0].start.offset, found[0].end.offset
    if len(found) > 1:
        return "several", suggested
    if found[0].code in mutant.anywhere:
        return "right", suggested
    if found[0].code not in mutant.codes:
        return f"another code ({found[0].code})", suggested
    touches = start <= mutant.end and end >= mutant.start
    return "right" if (start, end) == (mutant.start, mutant.end) or (
        mutant.loose and touches
    ) else "elsewhere", suggested


@few_or_all
def test_one_mistake_is_one_finding(
    mutations: ModuleType, mutants: dict[str, list[Any]], share: float, request: pytest.FixtureRequest
) -> None:
    total: Counter[str] = Counter()
    missed, table, low = [], [], []
    for name, made in mutants.items():
        if made[0].other is not None:
            continue  # an exchange is two mistakes, and judged below
        count: Counter[str] = Counter()
        for mutant in made:
            said, suggested = verdict(mutant)
            if said == "none" and name in mutations.HARMLESS:
                count["harmless"] += 1
                continue
            count[said.partition(" ")[0]] += 1
            if mutant.meant and said != "none":
                count["misspelt"] += 1
                count["suggested"] += suggested
            if said not in {"right", "none"} or (mutant.meant and said != "none" and not suggested):
                missed.append(
                    f"{name}: {mutant.name}: {said if said != 'right' else 'no right suggestion'}\n"
                )
            if sum(count[each] for each in COUNTED) == share * mutations.MOST:
                break
        total += count
        counted = sum(count[each] for each in COUNTED)
        table.append(
            f"{name:34} {counted:5} mistakes {count['right'] / max(counted, 1):6.1%} right"
            + (f" {count['suggested'] / count['misspelt']:6.1%} suggested" if count["misspelt"] else "")
            + (f" ({count['harmless']} more are no mistakes)" if count["harmless"] else "")
        )
        # of the few in the ordinary suite one may be wrong by chance
        if counted < 5 or counted - count["right"] > max(1, (1 - RIGHT_OF_EACH) * counted):
            low.append(name)
    counted = sum(total[each] for each in COUNTED)
    right, suggested = total["right"] / counted, total["suggested"] / total["misspelt"]
    print("\n".join(table))  # shown by `pytest -s`, and when this test fails
    print(
        f"{counted} mistakes, {right:.2%} right; {total['misspelt']} misspellings, {suggested:.2%} suggested"
    )
    assert not low
    assert counted >= 1_900 * share
    assert total["none"] <= HARMLESS * counted
    assert right >= RIGHT
    assert suggested >= SUGGESTED
    if share == 1 and request.config.getoption("--golden"):
        MISSED.write_text("".join(missed), encoding="utf-8")
    listed = MISSED.read_text(encoding="utf-8")
    print("".join(each for each in missed if each not in listed))  # new ones, to be read and mended


@few_or_all
def test_an_exchange_of_two_values_is_found_at_one_of_them(
    mutations: ModuleType, mutants: dict[str, list[Any]], share: float
) -> None:
    """Exchanges without any finding are not counted: two texts fit each other's place."""
    total: Counter[str] = Counter()
    for name, made in mutants.items():
        count: Counter[str] = Counter()
        for mutant in made if made[0].other is not None else ():
            found = check_text(mutant.text.encode(), "spec.yaml").diagnostics
            if not found:
                continue
            count["wrong"] += 1
            count["findings"] += len(found)
            count["once"] += len(found) == 1
            count["found"] += any(is_at(each, mutant) for each in found)
            if count["wrong"] == share * mutations.MOST:
                break
        if count:
            total += count
            print(f"{name:34} {dict(count)}")
    print(f"exchanges: {dict(total)}")
    assert total["found"] >= EXCHANGES * total["wrong"]


def is_at(finding: Any, mutant: Any) -> bool:
    """Whether a finding is at one of two values that are exchanged, or at its key."""
    sites = [(mutant.start, mutant.end), mutant.other]
    return any(finding.start.offset <= end and finding.end.offset >= start for start, end in sites)


@pytest.mark.full
def test_the_mutants_are_the_same_each_time(mutations: ModuleType, specs: list[Any]) -> None:
    one, other = mutations.mutants(specs[:20]), mutations.mutants(specs[:20])
    assert one == other
