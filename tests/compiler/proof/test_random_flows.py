"""The proof against the game itself: random flows, played to the end in every way."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from game import play
from random_flows import Builder, Flow, refused, rejected, whole


@dataclass
class Tally:
    flows: int = 0
    accepted: int = 0
    harmful: int = 0
    harmless: int = 0
    long: int = 0
    wrong: list[tuple[int, str]] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)


def examine(seeds: range, *, outside: bool = False) -> Tally:
    """Random flows, held against all their plays."""
    tally = Tally()
    for seed in seeds:
        graph = Builder(seed).graph_with_outside() if outside else Builder(seed).graph()
        if whole(graph):
            reasons = refused(graph)
            played = not UNPLAYABLE.intersection(reasons)
            judge(
                tally,
                seed,
                reasons,
                play(Flow(list(graph.nodes[1:]), graph.outside), seed) if played else None,
            )
    return tally


def examine_cancelling(seeds: range) -> Tally:
    """The same, of flows with joins that cancel the rest, or of batches that go on before all is done."""
    tally = Tally()
    for seed in seeds:
        flow = Builder(seed).flow()
        if whole(flow.graph) and (flow.cancelling or flow.finishing):
            reasons = rejected(flow)
            judge(tally, seed, reasons, play(flow, seed) if not UNPLAYABLE.intersection(reasons) else None)
    return tally


# the game is not defined where batches do not nest
UNPLAYABLE = frozenset({"recursive", "mixed", "outside", "escapes"})


def judge(tally: Tally, seed: int, reasons: list[str], verdict: str | None) -> None:
    tally.flows += 1
    if verdict is None:
        return
    if not reasons:
        tally.accepted += 1
        if verdict not in ("fine", "long"):
            tally.wrong.append((seed, verdict))
    elif verdict == "fine":
        tally.harmless += 1
        for reason in reasons:
            tally.reasons[reason] = tally.reasons.get(reason, 0) + 1
    else:
        tally.harmful += 1
    tally.long += verdict == "long"


def say(tally: Tally, seeds: range) -> None:
    refusals = tally.harmful + tally.harmless
    share = tally.harmless / refusals if refusals else 0.0
    print(
        f"\nseeds {seeds.start}–{seeds.stop - 1}: {tally.flows} flows, {tally.accepted} accepted, {refusals} refused, "
        f"of these harmless {tally.harmless} ({share:.1%}) {tally.reasons}; not played to the end: {tally.long}"
    )


def a_part_and_the_rest(first: int) -> pytest.MarkDecorator:
    """Seeds for the ordinary suite, and those that are left for the full one."""
    rest = pytest.param(range(first + 150, first + 1500), marks=pytest.mark.full)
    return pytest.mark.parametrize("seeds", [range(first, first + 150), rest], ids=["part", "rest"])


@a_part_and_the_rest(0)
def test_no_accepted_flow_gets_stuck_or_overfilled(seeds: range) -> None:
    tally = examine(seeds)
    say(tally, seeds)
    assert not tally.wrong
    assert tally.accepted > 0.2 * len(seeds)


@a_part_and_the_rest(2_000_000)
def test_no_accepted_flow_with_events_from_outside_gets_stuck_or_overfilled(seeds: range) -> None:
    tally = examine(seeds, outside=True)
    say(tally, seeds)
    assert not tally.wrong
    assert tally.accepted > 0.13 * len(seeds)


@pytest.mark.slow
def test_no_accepted_flow_gets_stuck_or_overfilled_in_a_long_search() -> None:
    seeds = range(1_000_000, 1_070_000)
    tally = examine(seeds)
    say(tally, seeds)
    assert not tally.wrong
    assert tally.flows >= 50_000


@a_part_and_the_rest(3_000_000)
def test_no_accepted_flow_that_cancels_gets_stuck_or_overfilled(seeds: range) -> None:
    tally = examine_cancelling(seeds)
    say(tally, seeds)
    assert not tally.wrong
    assert tally.accepted > 0.13 * len(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_no_accepted_flow_that_cancels_gets_stuck_in_a_long_search(part: int) -> None:
    seeds = range(3_100_000 + part * 10_000, 3_110_000 + part * 10_000)
    tally = examine_cancelling(seeds)
    say(tally, seeds)
    assert not tally.wrong
