"""Real processes are killed, at chosen points and at random moments, until their runs are over; then all is held
against what the journal says and what the steps have written down outside.

The whole matrix is ``pytest tests/durable -m slow``: ``WFC_KILLS`` is how many random kills there are, ``WFC_SEED``
the seed, and ``WFC_KEEPER`` the store if it is to be only one.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from durable_flows import FLOWS, Flow, guests_of
from judging import file_of_errors
from playing import Nursery, keepers, new_nursery_in, play
from stores import POINTS


@pytest.fixture(scope="module", params=keepers())
def nursery(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with new_nursery_in(tmp_path_factory.mktemp("durable"), request, WFC_GRACE="0.1") as found:
        yield found


def some(names: str) -> list[object]:
    """The flows of the default suite, and the others for the full one."""
    quick = names.split()
    return [
        pytest.param(flow, id=name, marks=[] if name in quick else pytest.mark.full)
        for name, flow in FLOWS.items()
    ]


@pytest.mark.parametrize("flow", some("loop"))
def test_a_process_that_dies_at_any_point_loses_nothing_and_repeats_nothing(
    nursery: Nursery, flow: Flow
) -> None:
    """Each process dies at another point, and the next one goes on."""
    points = [f"{point}:{2 + at % 2}" for at, point in enumerate(POINTS)]
    died = play(nursery, flow, f"{flow.name}-points", points, [], prunes=True, people_die_at=[1])
    assert died >= 3


@pytest.mark.parametrize("flow", some("by_hand"))
def test_a_process_that_is_killed_at_any_moment_loses_nothing(nursery: Nursery, flow: Flow) -> None:
    chance = random.Random(flow.name)  # noqa: S311 - the same each time
    play(nursery, flow, f"{flow.name}-moments", [], [chance.uniform(0.02, 0.4) for _ in range(4)])


@pytest.mark.full
@pytest.mark.parametrize("name", ["votes", "mail"])
def test_what_people_do_while_a_run_is_put_to_rest_is_taken_once(nursery: Nursery, name: str) -> None:
    """The process that does both dies at each of its points."""
    flow, died = FLOWS[name], 0
    for point in (*POINTS[:6], "recovered", "posted"):
        about = {"flow": name, "run_id": f"{name}-resting-{point}"}
        killed = nursery.wait(nursery.ask("restless", **about, point=f"{point}:2"), point)
        killed += nursery.wait(nursery.ask("restless", **about, point=f"{point}:3"), point)
        died += play(nursery, flow, about["run_id"], [], [], died=killed)
    assert died >= 6


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 9))])
def test_who_has_joined_a_run_that_is_no_part_of_it_gets_its_end(nursery: Nursery, seed: int) -> None:
    """Two runs want the same one, at first of one worker, which dies; then each is in a process of its own."""
    chance = random.Random(seed)  # noqa: S311 - the same each time
    guests, died, about = [f"guest-{seed}-{n}" for n in range(2)], 0, {"flow": "guest", "inputs": {"n": seed}}
    for run_id in guests:
        assert not nursery.wait(nursery.ask("enqueue", run_id=run_id, **about))
    point = f"{chance.choice(POINTS[:6])}:{chance.randint(4, 9)}"
    working: dict[str, Any] = {"flows": ["guest", "shared"], "said_of": f"guest-{seed}"}
    died += nursery.wait(nursery.ask("work", **working, point=point))
    for _ in range(2):
        pids = [nursery.ask("run", run_id=run_id, **about) for run_id in guests]
        time.sleep(chance.uniform(0.005, 0.1))
        for pid in chance.sample(pids, chance.randint(1, 2)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in pids:
            if (was_killed := nursery.was_killed(pid)) is None:
                time.sleep(chance.uniform(0.0, 0.2))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                was_killed = nursery.wait(pid)
            died += was_killed
    assert not nursery.wait(nursery.ask("work", **working))
    assert not file_of_errors(nursery.folder, working["said_of"]).read_text()
    first = [run_id for run_id in guests if nursery.judge.noted("effects", run_id)]
    assert first
    for run_id in guests:
        nursery.judge.judge(guests_of(seed, is_first=run_id in first), run_id, died)


def test_a_worker_goes_on_with_a_run_whose_part_has_just_ended(nursery: Nursery) -> None:
    """Its process died before the run had heard of that end; whoever takes it up must not put it to rest before."""
    flow, run_id = FLOWS["whole"], "whole-ended"
    died = nursery.wait(nursery.ask("run", flow=flow.name, run_id=run_id, point="child-ended:1"))
    assert died
    assert not nursery.wait(nursery.ask("work", flows=[flow.name, "part"], said_of=run_id))
    nursery.judge.judge(flow, run_id, died)


@pytest.mark.slow
@pytest.mark.parametrize("flow", FLOWS.values(), ids=list(FLOWS))
def test_first_second_and_a_later_hit_of_every_point(nursery: Nursery, flow: Flow) -> None:
    chance = random.Random(os.environ.get("WFC_SEED", "1"))  # noqa: S311 - the same each time
    for point in POINTS:
        for hit in (1, 2, chance.randint(3, 12)):
            run_id = f"{flow.name}-{point}-{hit}"
            play(
                nursery, flow, run_id, [f"{point}:{hit}"], [], prunes=point == "pruned", people_die_at=[1, 2]
            )


@pytest.mark.slow
def test_a_thousand_kills(nursery: Nursery) -> None:
    seed, left = os.environ.get("WFC_SEED", "1"), int(os.environ.get("WFC_KILLS", "1000"))
    chance = random.Random(seed)  # noqa: S311 - the same each time
    died = number = 0
    while died < left:
        flow = chance.choice(list(FLOWS.values()))
        points = [f"{chance.choice(POINTS)}:{chance.randint(1, 12)}" for _ in range(chance.randint(0, 6))]
        delays = [chance.expovariate(5) + 0.01 for _ in range(chance.randint(0, 6))]
        posted = [chance.randint(1, 3) for _ in range(chance.randint(0, 2))]
        prunes = chance.random() < 0.5
        died += play(
            nursery, flow, f"{flow.name}-{seed}-{number}", points, delays, prunes=prunes, people_die_at=posted
        )
        number += 1
        (nursery.folder / "died.txt").write_text(f"{died} in {number} runs")
    print(
        f"{died} processes were killed in {number} runs; the latest timer {nursery.judge.latest / 1e6:.0f} ms late"
    )
