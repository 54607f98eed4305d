"""The fold of a run's ticks beside the run itself: each tick goes through JSON, and both must be equal after it."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from typing import Any, ClassVar

from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.releasing import finish_run
from wfc.runtime.core.advance.relevance import is_relevant
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Tick
from wfc.runtime.errors import SnapshotError
from wfc.runtime.store.reading import read_execution
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.ticks import decode_tick, encode_tick
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_execution

ONLY_DRIVER = ("key", "messages")
"""What the driver notes of a step run, and what follows from the rest."""


class FoldingPort:
    """The port of a run whose ticks go to a fold beside it; their effects happen at once.

    A run goes on where its fold is another one, so that a test does not hang; ``differences`` has what was found.
    """

    differences: ClassVar[list[str]] = []
    is_parking = False

    def __init__(self, run: Any) -> None:
        self.run = run
        self.ready = run.execution.starting
        self.fold: Fold | None = None
        self.was_over = False
        self.is_on = True
        self.is_recording = False
        self.pending = 0

    def apply(self, tick: Tick) -> None:
        execution = self.run.execution
        if not is_relevant(execution, tick):
            return
        self.advance(execution, tick, max(self.run.now(), execution.at))
        effects = execution.take_effects()
        if execution.outcome is not None and not self.was_over:
            self.was_over = True
            finish_run(execution)
            effects = [*effects, *execution.take_effects()]
        for effect in effects:
            self.run.carry_out_one(effect)
        if execution.outcome is not None:
            self.run.conclude()

    def advance(self, execution: Execution, tick: Tick, at: int) -> None:
        try:
            if self.fold is None and self.is_on:
                self.fold = Fold(execution)
            if self.fold is not None:
                self.fold.live_is_ahead = False
                self.fold.advance(execution, tick, at)
                return
        except SnapshotError:
            pass  # a test with something that cannot be kept
        except Exception as error:
            said = "".join(traceback.format_exception(error)[-3:])
            self.differences.append(f"{type(tick).__name__}: {said}")
        is_ahead, self.fold, self.is_on = self.fold is not None and self.fold.live_is_ahead, None, False
        if not is_ahead:
            advance(execution, tick, at)

    def after(self, call: Callable[[], None]) -> None:
        call()

    def forget(self, step_run: StepRun) -> None: ...

    def give_up(self, reason: str) -> None: ...

    def release_run(self) -> None: ...

    async def settled(self) -> None: ...


class Fold:
    """An execution that knows of a run only what its ticks say in JSON."""

    def __init__(self, live: Execution) -> None:
        self.values = values_for(live.plan, None)
        self.execution = self.read(live) if live.number else self.fresh(live)
        self.execution.observed = live.observed
        self.bodies: list[bytes] = []
        self.live_is_ahead = False  # whether the run has taken the present tick in

    def fresh(self, live: Execution) -> Execution:
        made = Execution(live.plan, live.run_id, self.state_of(live))
        made.inputs, made.at = live.inputs, live.at
        return made

    def read(self, live: Execution) -> Execution:
        """What a snapshot of the run says now."""
        data = json.loads(json.dumps(write_execution(live, self.values, live.at)))
        return read_execution(data, live.plan, live.run_id, self.state_of(live), self.values, live.at)

    def state_of(self, live: Execution) -> Any:
        state = json.loads(json.dumps(self.values.write_model(live.state)))
        return self.values.read_model(state, type(live.state))

    def advance(self, live: Execution, tick: Tick, at: int) -> None:
        """Applies a tick to the run, and what JSON keeps of it to the fold."""
        if not is_relevant(live, tick):
            before = picture(live, self.values)
            advance(live, tick, at)
            assert picture(live, self.values) == before, f"{type(tick).__name__} was said to change nothing"
            return
        body = encode_tick(tick, at, live, self.values)
        read, moment = decode_tick(body, self.execution, self.values)
        again = encode_tick(read, moment, self.execution, self.values)
        assert json.loads(again) == json.loads(body)
        self.bodies.append(body)
        self.live_is_ahead = True
        advance(live, tick, at)
        self.execution.observed = live.observed
        advance(self.execution, read, moment)
        said = f"after {body.decode()[:300]}"
        assert self.values.write(self.execution.outcome) == self.values.write(live.outcome), said
        assert [type(one) for one in self.execution.effects] == [type(one) for one in live.effects], said
        self.compare(live, said)
        self.execution.take_effects()

    def compare(self, live: Execution, said: str = "") -> None:
        """Holds the fold against the run."""
        self.execution.starting.clear()
        found, expected = picture(self.execution, self.values), picture(live, self.values)
        for name in {**found, **expected}:
            assert found.get(name) == expected.get(name), f"{name} {said}"


def picture(execution: Execution, values: Values) -> dict[str, Any]:
    """All that an execution is, as JSON data; what has been handed to workers is not told from what is ready."""
    data = write_execution(execution, values, execution.at)
    del data["number"]
    data = {name: one for name, one in data.items() if name not in ("ready", "at_work")}
    for run in data.get("runs", ()):
        about = run.get("about", {})
        for name in ONLY_DRIVER:
            about.pop(name, None)
        about.pop("choices", None)
    data["at"] = execution.at
    data["number"] = execution.number
    data["state"] = values.write_model(execution.state)
    data["busy"] = list(execution.busy)
    data["in_flight"] = sorted(execution.in_flight)
    return json.loads(json.dumps(data))  # type: ignore[no-any-return]
