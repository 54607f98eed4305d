"""All checks together against the game: random specs in most of the language, played to the end in every way."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
from game import Game, State, Token, play
from language import Dresser, features
from random_flows import Flow, whole
from writing import Beside, Writer

from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import Project

FLOW = frozenset(
    {"join-starves", "join-overfills", "join-feeds-itself", "joins-in-a-circle", "join-from-outside"}
    | {"flow-too-complex", "unbounded-cycle", "run-without-end", "join-never-fires", "rest-cancels-more"}
    | {"emit-falls-through", "join-in-two-flows"}
)
"""Findings that say that a run may not go well; what others say is about something else."""


@dataclass
class Tally:
    """What the checker and the game said of some flows.

    Args:
        flows: Those that were written and checked.
        beside: Those of them that have other mistakes, for which the game is not meant.
        wrong: Those accepted that did not go well, and how.
        with_feature: Feature → refused flows that have it, and ``harmless`` those of them that went well in every play.
    """

    flows: int = 0
    beside: int = 0
    accepted: int = 0
    refused: int = 0
    long: int = 0
    wrong: list[tuple[int, str]] = field(default_factory=list)
    harmless: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    with_feature: Counter[str] = field(default_factory=Counter)
    accepted_with: Counter[str] = field(default_factory=Counter)
    harmless_with: Counter[str] = field(default_factory=Counter)

    def say(self, seeds: range) -> None:
        share = len(self.harmless) / max(self.refused, 1)
        print(
            f"\nseeds {seeds.start}–{seeds.stop - 1}: {self.flows} flows, {self.beside} with other mistakes, "
            f"{self.accepted} accepted, wrongly {self.wrong}, {self.refused} refused, of these harmless "
            f"{len(self.harmless)} ({share:.1%}) {dict(self.reasons)}; not played to the end: {self.long}"
        )
        for name in sorted(self.accepted_with | self.with_feature):
            met, fine = self.with_feature[name], self.harmless_with[name]
            print(
                f"  {name:20} accepted {self.accepted_with[name]:6}  refused {met:6}  harmless {fine / max(met, 1):.1%}"
            )


def found(flow: Flow, seed: int) -> set[str]:
    """Codes of the errors of a flow that is written as a spec."""
    spec = Writer(flow, random.Random(seed)).spec()  # noqa: S311 — flows, not secrets
    checked = check_text(spec.encode(), "here/trial.yaml", Project(Beside()))
    return {each.code for each in checked.diagnostics if each.severity.word == "error"}


def sayable(flow: Flow) -> bool:
    """Whether rule 1 has nothing to say, nor the language: only the run's start sends its first event."""
    sent = {event for unit in flow.nodes for way in unit.ways for event in (*way.singles, *way.batches)}
    return "S" not in sent and whole(flow.graph)


def judge(tally: Tally, seed: int, form: str = "") -> None:
    """A random flow as a spec, checked by all that checks specs, and held against all its plays.

    Args:
        form: The feature that the flow is to have; empty: any flow will do.
    """
    flow = Dresser(seed).dressed()
    if not sayable(flow) or (form and form not in features(flow)):
        return
    tally.flows += 1
    codes = found(flow, seed)
    if codes - FLOW:
        tally.beside += 1
        return
    verdict = play(flow, seed)
    tally.long += verdict == "long"
    if codes:
        tally.refused += 1
        tally.with_feature.update(features(flow))
    else:
        tally.accepted += 1
        tally.accepted_with.update(features(flow))
    if codes and verdict == "fine":
        tally.harmless.append(seed)
        tally.harmless_with.update(features(flow))
        tally.reasons.update(codes)
    if not codes and verdict not in ("fine", "long"):
        tally.wrong.append((seed, verdict))


def examine(seeds: range) -> Tally:
    """The tally of some flows."""
    tally = Tally()
    for seed in seeds:
        judge(tally, seed)
    tally.say(seeds)
    return tally


@pytest.mark.parametrize(
    ("seeds", "least"),
    [
        (range(4_000_000, 4_000_075), 20),
        pytest.param(range(4_000_075, 4_000_500), 130, marks=pytest.mark.full),
    ],
    ids=["part", "rest"],
)
def test_no_accepted_flow_in_more_of_the_language_goes_wrong(seeds: range, least: int) -> None:
    tally = examine(seeds)
    assert not tally.wrong
    assert tally.accepted > least


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_no_accepted_flow_in_more_of_the_language_goes_wrong_in_a_long_search(part: int) -> None:
    tally = examine(range(4_100_000 + part * 10_000, 4_110_000 + part * 10_000))
    assert not tally.wrong


ASKING = (9_002_569, 9_009_618, 9_016_576, 9_020_267, 9_027_558, 9_043_091)


@pytest.mark.parametrize("seed", ASKING)
def test_a_flow_that_goes_well_by_which_event_came_is_accepted(seed: int) -> None:
    """Flows that only come to an end because a step leaves by other ways after its other events."""
    flow = Dresser(seed).dressed()
    assert "when event" in features(flow)
    assert play(flow, seed) == "fine"
    assert not found(flow, seed)


class Visits(Game):
    """A game that notes which steps begin."""

    def __init__(self, flow: Flow) -> None:
        super().__init__(flow)
        self.begun_steps: set[str] = set()

    def run(self, state: State, token: Token, *, full: bool, timed_out: bool = False) -> list[State]:
        self.begun_steps.add(self.nodes[token.node].name)
        return super().run(state, token, full=full, timed_out=timed_out)


@pytest.mark.parametrize("seed", [9_000_393, 9_000_692, 9_000_954, 9_003_695, 9_036_440])
def test_no_play_comes_to_a_step_that_is_told_to_be_never_reached(seed: int) -> None:
    """Each lies behind an entry for an event that only the steps behind it send."""
    flow = Dresser(seed).dressed()
    assert sayable(flow)
    spec = Writer(flow, random.Random(seed)).spec()  # noqa: S311 — flows, not secrets
    checked = check_text(spec.encode(), "here/trial.yaml", Project(Beside()))
    told = {
        spec[each.start.offset : each.end.offset]
        for each in checked.diagnostics
        if each.code == "unreachable-step"
    }
    assert told
    game = Visits(flow)
    game.letter = True
    work = [game.begun(tuple(1 for _ in game.outside), inputs) for inputs in game.inputs()]
    while work:
        work += game.moves(work.pop()) or []
    assert "s1" in game.begun_steps
    assert not told & game.begun_steps


SHARED = (15_000_119, 15_000_391, 15_001_006, 15_001_684, 15_001_752, 15_002_586, 15_003_361, 15_004_687)


@pytest.mark.parametrize("seed", SHARED)
def test_a_flow_whose_courses_share_a_join_in_which_nothing_is_different_is_accepted(seed: int) -> None:
    """Flows in which an exit comes to an `any` of the usual course, whose branches each course opens but once."""
    flow = Dresser(seed).dressed()
    assert "exit on_deadline leads on" in features(flow)
    assert play(flow, seed) == "fine"
    assert not found(flow, seed)
