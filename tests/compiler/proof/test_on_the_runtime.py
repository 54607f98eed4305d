"""The proof against what really runs: random flows, compiled, and run with answers and times drawn by lot."""

from __future__ import annotations

import asyncio
import random
import sys
import types
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import random_flows
from random_flows import Builder, Flow, refused, rejected, whole
from writing import Beside, Writer

from wfc.compiler.passes import compile_text
from wfc.compiler.proof.graph.flow_graph import FlowGraph, StepNode
from wfc.compiler.workspace.project import Project
from wfc.runtime import StepError, StepFailedError, StuckError, Workflow, WorkflowError
from wfc.runtime.testing import run_virtually

HERE = Path(__file__).parent
RUNS = 6  # of each flow, with different answers and times


class Dice:
    """The tool of these specs."""

    def __init__(self, nodes: list[StepNode], seed: int) -> None:
        self.by = random.Random(seed)  # noqa: S311 — dice, not secrets
        self.ways = {unit.name: sum(way.occasion == "emit" for way in unit.ways) for unit in nodes}
        self.caught = {unit.name for unit in nodes if any(way.occasion == "on_error" for way in unit.ways)}

    def result(self, step: str) -> dict[str, Any]:
        items = [self.by.randrange(2) for _ in range(self.by.choice((0, 1, 2, 2)))]
        said = {"sure": self.by.random() < 0.5, "mood": self.by.choice("xyz"), "items": items}
        return {"way": self.by.randrange(max(self.ways[step], 1)), "key": self.by.randrange(2), **said}

    async def roll(self, step: str) -> dict[str, Any]:
        await asyncio.sleep(self.by.choice((0, 0, 1, 2, 3, 7)))
        if step in self.caught and self.by.random() < 0.25:
            raise StepError("tool", "it fell off the table")
        return self.result(step)


def compiled(spec: str, name: str = "trial") -> type[Workflow]:
    """The workflow class of a spec that compiles."""
    result = compile_text(spec.encode(), str(HERE / f"{name}.yaml"), project=Project(Beside()))
    found = [each.message for each in result.diagnostics if each.severity.word == "error"]
    assert not result.failed, (found, spec)
    module = types.ModuleType(name)
    module.__file__ = str(HERE / f"{name}.py")  # beside `dice.py`
    sys.modules[name] = module
    exec(compile(result.python, f"{name}.py", "exec"), module.__dict__)  # noqa: S102 — made here
    workflow = module.__dict__[name.title()]
    assert isinstance(workflow, type)
    return workflow


def speakable(graph: FlowGraph) -> bool:
    """Whether a spec can say it: one exit of a kind, a limit's only with a limit, the start event from outside only."""
    for unit in graph.nodes[1:]:
        occasions = [way.occasion for way in unit.ways if way.occasion != "emit"]
        if len(occasions) == len(unit.ways) or len(set(occasions)) < len(occasions):
            return False
        if "on_limit" in occasions and not unit.bounded:
            return False
        if any("S" in (*way.singles, *way.batches) for way in unit.ways):
            return False
    return whole(graph)


async def outcome(workflow: type[Workflow], flow: Flow, by: random.Random) -> str:
    """How a run ends; events from outside come to it meanwhile, any number at any time."""
    handler = workflow().run()
    began = asyncio.get_running_loop().time()
    while flow.outside and by.random() < 0.7 and not handler.is_done():
        await asyncio.sleep(by.choice((0, 1, 3)))
        if not handler.is_done():
            kind = getattr(sys.modules["trial"], by.choice(flow.outside))
            await handler.send_event(kind(key=0))
    try:
        result = await handler
    except StuckError as error:
        return f"stuck: {error}"
    except StepFailedError as error:
        return "failed" if error.name in ("fail", "limit") else f"wrong: {error}"
    except WorkflowError as error:
        told = str(error)
        fine = "it had to be" in told or "max_runs" in told
        return "failed" if fine else f"wrong: {type(error).__name__} {told}"
    assert asyncio.get_running_loop().time() - began < 10_000
    return type(result).__name__


def play(seeds: range, *, cancelling: bool = False) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How runs ended, and which of them did not as promised."""
    fates: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    for seed in seeds:
        flow = accepted(seed, cancelling=cancelling)
        if flow is None:
            continue
        by = random.Random(seed)  # noqa: S311 — dice, not secrets
        workflow = compiled(Writer(flow, by).spec())
        for _ in range(RUNS):
            random_flows.die = Dice(flow.nodes, by.randrange(10**9)).roll
            fate = run_virtually(partial(outcome, workflow, flow, by))
            fates[fate.partition(":")[0]] += 1
            if ":" in fate:
                wrong.append((seed, fate))
    print(f"\nseeds {seeds.start}–{seeds.stop - 1}: {dict(fates)}")
    return fates, wrong


def accepted(seed: int, *, cancelling: bool) -> Flow | None:
    """The flow of a seed, if the proof accepts it and a spec can say it."""
    if cancelling:
        flow = Builder(seed).flow()
        sayable = speakable(flow.graph) and not flow.exits  # those of the run are in the richer language
        fine = bool(flow.cancelling or flow.finishing) and sayable and not rejected(flow)
        return flow if fine else None
    graph = Builder(seed).graph_with_outside() if seed % 4 == 0 else Builder(seed).graph()
    return Flow(list(graph.nodes[1:]), graph.outside) if speakable(graph) and not refused(graph) else None


@pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 120), marks=pytest.mark.full)], ids=["part", "rest"]
)
def test_accepted_flows_run_to_their_end(seeds: range) -> None:
    fates, wrong = play(seeds)
    assert not wrong
    assert fates.total() > 1.6 * len(seeds)


@pytest.mark.parametrize(
    "seeds",
    [
        range(3_000_000, 3_000_080),
        pytest.param(range(3_000_080, 3_000_250), marks=pytest.mark.full),
    ],
    ids=["part", "rest"],
)
def test_accepted_flows_that_cancel_run_to_their_end(seeds: range) -> None:
    fates, wrong = play(seeds, cancelling=True)
    assert not wrong
    assert fates.total() > 0.4 * len(seeds)


@pytest.mark.slow
def test_thousands_of_accepted_flows_run_to_their_end() -> None:
    fates, wrong = play(range(1000, 13_000))
    assert not wrong
    assert fates.total() > 20_000


@pytest.mark.slow
def test_thousands_of_accepted_flows_that_cancel_run_to_their_end() -> None:
    fates, wrong = play(range(3_100_000, 3_112_000), cancelling=True)
    assert not wrong
    assert fates.total() > 10_000
