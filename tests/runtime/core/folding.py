"""The fold of a run's ticks beside the run itself: each tick goes through JSON, and both must be equal after it."""

from __future__ import annotations

import json
from typing import Any

from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.relevance import is_relevant
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Tick
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.ticks import decode_tick, encode_tick
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_execution

ONLY_DRIVER = ("key", "messages", "started_runs")
"""What the driver notes of a step run, and what follows from the rest."""


class Fold:
    """An execution that knows of a run only what its ticks say in JSON."""

    def __init__(self, live: Execution) -> None:
        self.values = values_for(live.plan, None)
        state = self.values.write_model(live.state)
        self.execution = Execution(live.plan, live.run_id, self.values.read_model(state, type(live.state)))
        self.execution.inputs = live.inputs
        self.execution.observed = live.observed
        self.execution.at = live.at
        self.bodies: list[bytes] = []

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
        advance(live, tick, at)
        self.execution.observed = live.observed
        advance(self.execution, read, moment)
        said = f"after {body.decode()[:300]}"
        assert str(self.execution.outcome) == str(live.outcome), said
        assert [type(one) for one in self.execution.effects] == [type(one) for one in live.effects], said
        self.compare(live, said)
        self.execution.effects.clear()

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
