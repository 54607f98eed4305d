"""The proof against what really runs: random flows, compiled, and run with answers and times drawn by lot."""

from __future__ import annotations

import asyncio
import random
import sys
import types
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import random_flows
from random_flows import Builder, Flow, refused, rejected, whole

from wfc.compiler.check.net import Net, Unit, Way
from wfc.compiler.pipeline import compile_text
from wfc.runtime import StepError, StepFailedError, StuckError, Workflow, WorkflowError
from wfc.runtime.testing import run_virtually

HERE = Path(__file__).parent
RUNS = 6  # of each flow, with different answers and times

HEAD = """\
wfc: 1
workflow: trial
start: S
end: Finish
tools:
  roll:
    python: "dice:roll"
    args: {step: string}
    output: {way: integer, key: integer, items: list of integer}
    read_only: true
events:
  S: {key: {type: integer, default: 0}}
  Finish: {}
"""


class Writer:
    """A flow as a spec.

    Most steps roll a die, which says by which way they leave, how long their lists are, which value the events
    that they send have in common with others, and how long it takes. Some do that for each item of a `map`, some wait.
    """

    def __init__(self, flow: Flow, by: random.Random) -> None:
        self.flow = flow
        self.by = by
        self.finishes = False

    def spec(self) -> str:
        flow = self.flow
        events = {event for unit in flow.units for event in unit.slots} - {"S"}
        lines = [f"  {event}: {{key: {{type: integer, default: 0}}}}\n" for event in sorted(events)]
        outside = "".join(f"  {event}: {{key: key}}\n" for event in flow.outside)
        receives = f"key: inputs.key\nreceives:\n{outside}" if outside else ""
        return (
            HEAD
            + "".join(lines)
            + receives
            + "steps:\n"
            + "".join("".join(self.step(unit)) for unit in flow.units)
        )

    def step(self, unit: Unit) -> Iterator[str]:
        ways = {occasion: [way for way in unit.ways if way.occasion == occasion] for occasion in OCCASIONS}
        yield f"  {unit.name}:\n    accepts: {self.accepts(unit, ways['on_timeout'])}\n"
        kind, index = self.action(unit, ways)
        yield kind
        if unit.bounded:
            yield "    max_runs: 2\n"
        if unit.bounded and ways["on_limit"]:
            yield f"    on_limit: {self.entry(ways['on_limit'][0])}\n"
        if ways["on_error"]:
            yield f"    on_error: [{self.entry(ways['on_error'][0])}]\n"
        yield "    emit:\n"
        for number, way in enumerate(ways["emit"]):
            last = number == len(ways["emit"]) - 1
            fields = 'key: "${{ result.key }}"' if index == "result.way" else ""
            yield f"      - {self.entry(way, None if last else f'{index} == {number}', fields)}\n"

    def action(self, unit: Unit, ways: dict[str, list[Way]]) -> tuple[str, str]:
        """What a step does, and what of that says by which way it leaves."""
        simple = len(ways["emit"]) == 1 and not ways["on_error"]
        if simple and self.by.random() < 0.3:
            seconds = self.by.choice((1, 4, 9))
            return self.by.choice(("    kind: transform\n", f"    kind: wait\n    for: {seconds}s\n")), ""
        if not any(way.batches for way in ways["emit"]) and self.by.random() < 0.2:
            do = f"{{kind: tool, tool: roll, args: {{step: {unit.name}}}}}"
            items = self.by.choice(("[]", "[1]", "[1, 2, 3]"))
            each = f"    kind: map\n    in: '{items}'\n    as: one\n    max: 5\n    do: {do}\n"
            return each, '(result | pluck("way") | sum)'
        return f"    kind: tool\n    tool: roll\n    args: {{step: {unit.name}}}\n", "result.way"

    def accepts(self, unit: Unit, on_timeout: list[Way]) -> str:
        events = f"[{', '.join(unit.slots)}]"
        if unit.form == "one":
            return events
        parts = [
            f"at_least: {{count: {unit.count}, of: {events}}}"
            if unit.form == "at_least"
            else f"{unit.form}: {events}"
        ]
        if unit.name in self.flow.matching:
            parts.append("match_by: event.key")
        if unit.name in self.flow.cancelling:
            parts.append("rest: cancel")
        if unit.timed:
            parts.append(f"within: 5s, on_timeout: {self.entry(on_timeout[0]) if on_timeout else 'proceed'}")
        return f"{{{', '.join(parts)}}}"

    def entry(self, way: Way, when: str | None = None, fields: str = "") -> str:
        sent = f", with: {{{fields}}}" if fields else ""
        parts = [f"{{event: {event}{sent}}}" for event in way.singles]
        items = "result.items" if way.occasion == "emit" and fields else "[1, 2]"
        given = ', with: {key: "${{ item }}"}'
        parts += [
            f'{{each: {{in: "{items}", as: item, event: {event}{given}, max: 9}}}}' for event in way.batches
        ]
        if way.ends:
            fails = self.finishes and not parts and self.by.random() < 0.3
            self.finishes = self.finishes or not fails
            parts.append("{fail: it had to be}" if fails else "{event: Finish}")
        made = (
            "{event: nothing}"
            if not parts
            else parts[0]
            if len(parts) == 1
            else f"{{all: [{', '.join(parts)}]}}"
        )
        return made if when is None else f"{made[:-1]}, when: {when}}}"


OCCASIONS = ("emit", "on_error", "on_limit", "on_timeout")


class Dice:
    """The tool of these specs."""

    def __init__(self, units: list[Unit], seed: int) -> None:
        self.by = random.Random(seed)  # noqa: S311 — dice, not secrets
        self.ways = {unit.name: sum(way.occasion == "emit" for way in unit.ways) for unit in units}
        self.caught = {unit.name for unit in units if any(way.occasion == "on_error" for way in unit.ways)}

    async def roll(self, step: str) -> dict[str, Any]:
        await asyncio.sleep(self.by.choice((0, 0, 1, 2, 3, 7)))
        if step in self.caught and self.by.random() < 0.25:
            raise StepError("tool", "it fell off the table")
        items = [self.by.randrange(2) for _ in range(self.by.choice((0, 1, 2, 2)))]
        return {"way": self.by.randrange(self.ways[step]), "key": self.by.randrange(2), "items": items}


def compiled(spec: str) -> type[Workflow]:
    """The workflow class of a spec that compiles."""
    result = compile_text(spec.encode(), str(HERE / "trial.yaml"))
    found = [each.message for each in result.diagnostics if each.severity.word == "error"]
    assert not result.failed, (found, spec)
    module = types.ModuleType("trial")
    module.__file__ = str(HERE / "trial.py")  # beside `dice.py`
    sys.modules["trial"] = module
    exec(compile(result.python, "trial.py", "exec"), module.__dict__)  # noqa: S102 — made here
    workflow = module.__dict__["Trial"]
    assert isinstance(workflow, type)
    return workflow


def speakable(net: Net) -> bool:
    """Whether a spec can say it: one exit of a kind, a limit's only with a limit, the start event from outside only."""
    for unit in net.units[1:]:
        occasions = [way.occasion for way in unit.ways if way.occasion != "emit"]
        if len(occasions) == len(unit.ways) or len(set(occasions)) < len(occasions):
            return False
        if "on_limit" in occasions and not unit.bounded:
            return False
        if any("S" in (*way.singles, *way.batches) for way in unit.ways):
            return False
    return whole(net)


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
        fine = "it had to be" in told or "max_runs" in told or (flow.matching and "received two" in told)
        return "failed" if fine else f"wrong: {type(error).__name__} {told}"
    assert asyncio.get_running_loop().time() - began < 10_000
    return type(result).__name__


def play(seeds: range, *, pairing: bool = False) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How runs ended, and which of them did not as promised."""
    fates: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    for seed in seeds:
        flow = accepted(seed, pairing=pairing)
        if flow is None:
            continue
        by = random.Random(seed)  # noqa: S311 — dice, not secrets
        workflow = compiled(Writer(flow, by).spec())
        for _ in range(RUNS):
            random_flows.die = Dice(flow.units, by.randrange(10**9)).roll
            fate = run_virtually(partial(outcome, workflow, flow, by))
            fates[fate.partition(":")[0]] += 1
            if ":" in fate:
                wrong.append((seed, fate))
    print(f"\nseeds {seeds.start}–{seeds.stop - 1}: {dict(fates)}")
    return fates, wrong


def accepted(seed: int, *, pairing: bool) -> Flow | None:
    """The flow of a seed, if the proof accepts it and a spec can say it."""
    if pairing:
        flow = Builder(seed).flow()
        fine = bool(flow.matching or flow.cancelling) and speakable(flow.net) and not rejected(flow)
        return flow if fine else None
    net = Builder(seed).net_with_outside() if seed % 4 == 0 else Builder(seed).net()
    return Flow(list(net.units[1:]), net.outside) if speakable(net) and not refused(net) else None


def test_accepted_flows_run_to_their_end() -> None:
    fates, wrong = play(range(120))
    assert not wrong
    assert fates.total() > 200


def test_accepted_flows_that_pair_by_values_or_cancel_run_to_their_end() -> None:
    fates, wrong = play(range(3_000_000, 3_000_250), pairing=True)
    assert not wrong
    assert fates.total() > 100


@pytest.mark.slow
def test_thousands_of_accepted_flows_run_to_their_end() -> None:
    fates, wrong = play(range(1000, 13_000))
    assert not wrong
    assert fates.total() > 20_000


@pytest.mark.slow
def test_thousands_of_accepted_flows_that_pair_by_values_or_cancel_run_to_their_end() -> None:
    fates, wrong = play(range(3_100_000, 3_112_000), pairing=True)
    assert not wrong
    assert fates.total() > 10_000
