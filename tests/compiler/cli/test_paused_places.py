"""What is foretold of paused runs, held against runs that stand at each place to which the tests of a spec bring them.

The runs are those of the tests of the earlier version. After each tick a run could be stopped, so there it is written
as a store has it, and put into the terms of the later version as an upgrade does. What it is told then has to be
foretold by ``wfc diff``, and what is foretold has to be told to some run; where it is not refused, it goes on.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.reviewing.comparison import Comparison, compare_sides
from wfc.compiler.cli.reviewing.foretelling import _filled
from wfc.compiler.cli.reviewing.plans import may_touch_runs, planned, program_of
from wfc.compiler.cli.reviewing.sides import DiskSide
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Recovered, Started, Tick
from wfc.runtime.driver import run as runs
from wfc.runtime.driver.engine.converting import convert
from wfc.runtime.driver.run import workers
from wfc.runtime.store.checkpoint import write_checkpoint
from wfc.runtime.store.folding import write_start
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.versions.describing import describe
from wfc.runtime.store.versions.position import position_of

HERE = Path(__file__).parent
CHANGES = HERE.parent / "review" / "changes"
SPECS = CHANGES / "specs"
sys.path[:0] = [str(HERE), str(CHANGES)]

from changes_cases import CASES as CHANGED  # noqa: E402
from paused_cases import CASES as WAITING  # noqa: E402
from paused_cases import TESTS  # noqa: E402
from paused_cases import changed as after  # noqa: E402

Rules = set[tuple[str, str]]
"""Rules by their ids, each with what it means."""


class Stand(NamedTuple):
    """A run at a moment: as a store has it, and what it began with."""

    checkpoint: dict[str, Any] | None
    start: bytes


class Recorder:
    """The runs of the tests of specs, at each moment at which they could be stopped."""

    def __init__(self) -> None:
        self.starts: dict[int, tuple[Execution, bytes]] = {}
        self.stands: list[tuple[Execution, Stand]] = []

    def advance(self, execution: Execution, tick: Tick, at: int) -> None:
        values = values_for(execution.plan, None)
        if isinstance(tick, Started):
            start = write_start(tick.event, execution.state, {}, values)
            self.starts[id(execution)] = execution, start
            self.stands.append((execution, Stand(None, start)))
        advance(execution, tick, at)
        if execution.outcome is None:
            written = json.loads(json.dumps(write_checkpoint(execution, values)))
            self.stands.append((execution, Stand(written, self.starts[id(execution)][1])))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    found = Recorder()
    monkeypatch.setattr(workers, "advance", found.advance)
    monkeypatch.setattr(runs, "advance", found.advance)
    return found


def resting(stands: list[tuple[Execution, Stand]], plan: dict[str, Any]) -> Iterator[Stand]:
    """Yields the stands of runs of a plan at which they may rest; those that stand alike once."""
    seen = set()
    for execution, stand in stands:
        if is_other(describe(execution.plan).data, plan):
            continue  # of a workflow that it has called
        position = None if stand.checkpoint is None else position_of(stand.checkpoint, plan)
        steps = () if position is None else position.steps
        goes_on_at_once = any(
            not (plan["steps"][one.step]["acts"] or plan["steps"][one.step]["pauses"]) for one in steps
        )  # in the same commit
        if not goes_on_at_once and position not in seen:
            seen.add(position)
            yield stand


def is_other(found: dict[str, Any], plan: dict[str, Any]) -> bool:
    """Returns whether a plan is another one; classes may differ that no run has values of, such as the config's."""
    return {**found, "classes": None} != {**plan, "classes": None}


def goes_on(execution: Execution) -> None:
    """Lets a run begin again under its new version, up to what it wants from outside."""
    advance(execution, Recovered(), execution.at)
    assert execution.outcome is None, execution.outcome
    assert all(run.step in execution.plan.by_key.values() for run in execution.in_flight.values())


class Change(NamedTuple):
    """A change of a spec: its text before and after, and the spec's name."""

    spec: str
    before: str
    after: str


def changes() -> Iterator[tuple[str, Change]]:
    for one in CHANGED:
        text = (SPECS / f"{one.spec}.yaml").read_text(encoding="utf-8")
        before, now = (one.edited(text), text) if one.is_back else (text, one.edited(text))
        yield f"{one.spec}: {one.name}", Change(one.spec, before, now)
    for name, case in WAITING.items():
        tests = next(text for step, text in TESTS.items() if f"  {step}:\n" in case.spec)
        yield name, Change("refund", case.spec + tests, after(case))


CASES = dict(changes())
TAKEN_AT_ONCE = "a step takes it whenever it comes: it is only kept where the run has left its usual course"
NOT_MET: dict[str, dict[str, str]] = {
    "remembering: a loop may go on less long": {"limit-lowered": "it would have to go round twenty times"},
    "models: a model has to give something else": {
        "type-field-retyped": "no run fails after the model's reply"
    },
    "refund: nobody is asked any more": {"type-removed": "nobody answers in the tests of this spec"},
    "days_orders: news may say from where they come": {"event-field-added": TAKEN_AT_ONCE},
    "days_orders: news have to say from where they come": {"event-field-added": TAKEN_AT_ONCE},
    "days_orders: news say nothing": {"event-field-removed": TAKEN_AT_ONCE},
    "days_orders: news are short": {"event-field-retyped": TAKEN_AT_ONCE},
    "days_orders: an event does not come from outside any more": {"event-removed": TAKEN_AT_ONCE},
}
"""What no test of a spec brings a run to, and why, by the change."""


def of_runs(comparison: Comparison, stands: list[tuple[Execution, Stand]]) -> tuple[Rules, Rules]:
    """Returns what is foretold of runs, and what they are told; where a run is not refused it goes on."""
    foretold, told = Rules(), Rules()
    for old, new in comparison.versions:
        if old is None or new is None or old.facts is None or new.facts is None:
            continue
        was = planned(old, comparison.old)
        now = planned(new, comparison.new)
        program = program_of(new, comparison.new)
        assert was is not None
        assert now is not None
        assert program is not None
        found = now.foretold_from(was, _filled(old.facts))
        assert may_touch_runs(old, new) or not found
        foretold |= {(one.verdict.rule, one.verdict.means) for one in found}
        for stand in resting(stands, was.plan):
            made = convert("one", was.plan, stand.checkpoint, stand.start, program.workflow())
            told |= {(one.rule, one.means) for one in made.verdicts}
            assert may_touch_runs(old, new) or not made.verdicts
            if made.execution is not None:
                goes_on(made.execution)
    return foretold, told


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if at % 8 == 0 else pytest.mark.full) for at, name in enumerate(CASES)],
)
def test_what_is_foretold_is_told_to_runs_that_stand_there_and_nothing_else(
    name: str, tmp_path: Path, recorder: Recorder
) -> None:
    change = CASES[name]
    for folder, text in (("old", change.before), ("new", change.after)):
        shutil.copytree(SPECS, tmp_path / folder)
        (tmp_path / folder / f"{change.spec}.yaml").write_text(text, encoding="utf-8")
    paths = [str(tmp_path / folder / f"{change.spec}.yaml") for folder in ("old", "new")]
    assert main(["test", paths[0]]) == 0
    comparison = compare_sides(DiskSide("old", paths[:1]), DiskSide("new", paths[1:]))
    foretold, told = of_runs(comparison, recorder.stands)
    assert told <= foretold, "not foretold"
    if name == "nobody is asked":  # of a run that was about to leave by the exit of the time that was up
        assert ("step-exit-removed", "refused") in told
    not_met = NOT_MET.get(name, {})
    assert {rule for rule, _ in foretold - told} == {*not_met}, "foretold, and told to no run"
