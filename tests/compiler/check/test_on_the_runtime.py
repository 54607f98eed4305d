"""The proof against what really runs: random flows, compiled, and run with answers drawn by lot."""

from __future__ import annotations

import random
import sys
import types
from collections.abc import Iterator

import pytest
from random_flows import Builder, refused, whole

from wfc.compiler.check.net import Net, Unit, Way
from wfc.compiler.pipeline import compile_text
from wfc.runtime import Workflow
from wfc.runtime.testing import MockAnswer, SpecTest, run_test

RUNS = 6  # of each flow, with different answers

HEAD = """\
wfc: 1
workflow: trial
start: S
end: Finish
tools:
  roll: {python: "dice:roll", args: {}, output: {way: integer, items: list of integer}, read_only: true}
events:
  Finish: {}
"""


def spec(net: Net) -> str:
    """A flow as a spec: each step rolls a die that says which way it leaves, and how long its lists are."""
    events = {event for unit in net.units for event in unit.slots}
    lines = [f"  {event}: {{}}\n" for event in sorted(events)]
    return HEAD + "".join(lines) + "steps:\n" + "".join("".join(step(unit)) for unit in net.units[1:])


def step(unit: Unit) -> Iterator[str]:
    ways = {occasion: [way for way in unit.ways if way.occasion == occasion] for occasion in OCCASIONS}
    yield f"  {unit.name}:\n    kind: tool\n    tool: roll\n    accepts: {accepts(unit, ways['on_timeout'])}\n"
    if unit.bounded:
        yield "    max_runs: 2\n"
    if unit.bounded and ways["on_limit"]:
        yield f"    on_limit: {entry(ways['on_limit'][0])}\n"
    if ways["on_error"]:
        yield f"    on_error: [{entry(ways['on_error'][0])}]\n"
    yield "    emit:\n"
    for index, way in enumerate(ways["emit"]):
        last = index == len(ways["emit"]) - 1
        yield f"      - {entry(way, None if last else f'result.way == {index}')}\n"


OCCASIONS = ("emit", "on_error", "on_limit", "on_timeout")


def accepts(unit: Unit, on_timeout: list[Way]) -> str:
    events = f"[{', '.join(unit.slots)}]"
    if unit.form == "one":
        return events
    form = (
        f"at_least: {{count: {unit.count}, of: {events}}}"
        if unit.form == "at_least"
        else f"{unit.form}: {events}"
    )
    if not unit.timed:
        return f"{{{form}}}"
    return f"{{{form}, within: 5s, on_timeout: {entry(on_timeout[0]) if on_timeout else 'proceed'}}}"


def entry(way: Way, when: str | None = None) -> str:
    parts = [f"{{event: {event}}}" for event in way.singles]
    items = "result.items" if way.occasion == "emit" else "[1, 2]"
    parts += [f'{{each: {{in: "{items}", as: item, event: {event}, max: 9}}}}' for event in way.batches]
    parts += ["{event: Finish}"] if way.ends else []
    made = (
        "{event: nothing}" if not parts else parts[0] if len(parts) == 1 else f"{{all: [{', '.join(parts)}]}}"
    )
    return made if when is None else f"{made[:-1]}, when: {when}}}"


def answers(net: Net, by: random.Random) -> dict[str, tuple[MockAnswer, ...]]:
    """Eight answers of each step's action; the last one repeats."""
    drawn = {}
    for unit in net.units[1:]:
        ways = sum(way.occasion == "emit" for way in unit.ways)
        caught = any(way.occasion == "on_error" for way in unit.ways)
        drawn[unit.name] = tuple(
            MockAnswer(error="tool")
            if caught and by.random() < 0.25
            else MockAnswer({"way": by.randrange(ways), "items": [1] * by.choice((0, 1, 2, 2))})
            for _ in range(8)
        )
    return drawn


def compiled(net: Net) -> type[Workflow] | None:
    """The workflow class of a flow; ``None`` if it is refused."""
    result = compile_text(spec(net).encode(), "trial.yaml")
    if result.failed:
        return None
    module = types.ModuleType("trial")
    module.__file__ = "trial.py"
    sys.modules["trial"] = module
    exec(compile(result.python, "trial.py", "exec"), module.__dict__)  # noqa: S102 — made here
    return module.__dict__["Trial"]


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


def play(seeds: range) -> tuple[int, list[tuple[int, str]]]:
    """How many runs there were, and which of them did not end as promised."""
    count, wrong = 0, []
    for seed in seeds:
        net = Builder(seed).net()
        if not speakable(net) or refused(net):
            continue
        workflow = compiled(net)
        assert workflow is not None, (seed, spec(net))
        by = random.Random(seed)  # noqa: S311 — dice, not secrets
        for _ in range(RUNS):
            case = SpecTest(str(seed), mock=answers(net, by), expect={"end": "Finish"})
            outcome = run_test(workflow, case)
            count += 1
            if not outcome.passed:
                wrong.append((seed, " ".join(outcome.problems)))
    print(f"\nseeds {seeds.start}–{seeds.stop - 1}: {count} runs")
    return count, wrong


def test_accepted_flows_run_to_their_end() -> None:
    count, wrong = play(range(120))
    assert not wrong
    assert count > 200


@pytest.mark.slow
def test_thousands_of_accepted_flows_run_to_their_end() -> None:
    count, wrong = play(range(1000, 13_000))
    assert not wrong
    assert count > 20_000
