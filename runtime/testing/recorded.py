"""A test made of a stored run: what it began with, what its actions gave, what came from outside, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import to_json

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import SECOND, as_datetime
from wfc.runtime.core.step_runs import Exit, Pause, StepRun
from wfc.runtime.core.ticks import (
    Answered,
    Arrived,
    AttemptFailed,
    Cancelled,
    Completed,
    Failed,
    ItemCompleted,
    ItemFailed,
    PauseFailed,
    PauseResolved,
    Started,
    Tick,
    TimerFired,
)
from wfc.runtime.errors import StepFailedError, StoreError, WorkflowCancelledByUser
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import Event, StopEvent, event_name
from wfc.runtime.plan.pauses import Child, PartResult, Question
from wfc.runtime.store.replay import Replay
from wfc.runtime.store.ticks import decode_tick
from wfc.runtime.store.values import Values
from wfc.runtime.testing.answers import MockAnswer
from wfc.runtime.testing.preparing import Delivery, SpecTest

__all__ = ["RunReader", "recorded_test", "test_as_data"]

NEVER: Final = 1000 * 86_400.0
"""The seconds after which a step gives something that had not when the run ended."""


NO_CONFIG: Final[Mapping[str, Any]] = {}


class _Reply(NamedTuple):
    """Something that a step run got: when, in seconds since the beginning, and what; ``error`` is a name."""

    seq: int
    number: int
    step: str
    at: float
    value: Any = None
    error: str | None = None


class RunReader:
    """A reader of a run's ticks, which notes what a test needs."""

    def __init__(self, replay: Replay, values: Values) -> None:
        self.replay = replay
        self.replies: list[_Reply] = []
        self.arrived: list[tuple[int, Delivery]] = []
        self.began: dict[int, tuple[str, float]] = {}  # step runs that act: their steps, and when they began
        self.start: Mapping[str, Any] = {}
        self.started = 0
        self.cancelled: float | None = None
        self._values = values

    def read(self, body: bytes) -> None:
        """Read the next tick.

        Raises:
            StoreError: It does not say what an action gave: it was recorded by an older version.
        """
        execution = self.replay.execution
        tick, at = decode_tick(body, execution, self._values)
        seconds = (max(at, execution.at) - self.started) / SECOND
        run = _run_of(execution, tick)
        pause = execution.paused.get(tick.number) if isinstance(tick, Answered) else None
        if pause is not None and (not isinstance(pause.value, Question) or pause.value.quorum is None):
            pause = None
        if isinstance(tick, Started):
            self.start, self.started = _plain(tick.event), max(at, execution.at)
        elif isinstance(tick, Arrived) and tick.sender is None:
            self.arrived.append(
                (self.replay.seq + 1, Delivery(event_name(tick.event), _plain(tick.event), seconds))
            )
        elif isinstance(tick, Cancelled) and isinstance(tick.error, WorkflowCancelledByUser):
            self.cancelled = seconds
        self.replay.tell(body)
        for one in [*execution.in_flight.values(), *(pause.run for pause in execution.paused.values())]:
            if _is_mocked(one):
                self.began.setdefault(one.number, (_name(one), seconds))
        if run is not None and run.number in self.began:
            for value, error in _given(run, tick) if pause is None else _voted(run, pause, execution):
                self.replies.append(_Reply(self.replay.seq, run.number, _name(run), seconds, value, error))

    def _asks(self, step: str) -> bool:
        return Question in self.replay.execution.plan.by_name[step].pauses

    def mocks(self, *, timed: bool) -> dict[str, list[MockAnswer]]:
        """Return the answers of each step, for its runs in their order."""
        by_run: dict[int, list[_Reply]] = {}
        for reply in self.replies:
            if self.replay.counts(reply.seq):
                by_run.setdefault(reply.number, []).append(reply)
        undone = {line.number for line in self.replay.lines() if line.is_undone}
        found: dict[str, list[MockAnswer]] = {}
        for number, (step, began) in sorted(self.began.items()):
            if number not in undone:
                found.setdefault(step, []).append(
                    _answer(by_run.get(number, []), began, asks=self._asks(step), timed=timed)
                )
        return found


def _run_of(execution: Execution, tick: Tick) -> StepRun | None:
    """Return the step run that a tick is of, if it gets something by it."""
    if isinstance(tick, TimerFired):
        waiting = execution.timers.get(tick.timer)
        if not isinstance(waiting, Pause) or not isinstance(waiting.value, Question | Child):
            return None
        return waiting.run if waiting.timers.get(tick.timer) in (Exit.EXPIRED, Exit.BROKEN) else None
    number = getattr(tick, "number", None)
    if number is None:
        return None
    pause = execution.paused.get(number)
    if pause is None:
        return execution.in_flight.get(number)
    return pause.run if isinstance(pause.value, Question | Child) else None


def _is_mocked(run: StepRun) -> bool:
    """Return whether a test has to say what a step run gives: it acts, or waits for people or other runs."""
    step = run.step
    waits = step.pauses and not (Question in step.pauses or Child in step.pauses)
    return step.action is not None and step.item is None and not waits and run.exit is Exit.ACTION


def _name(run: StepRun) -> str:
    return run.step.name if run.step.of is None else run.step.of.name


def _given(run: StepRun, tick: Tick) -> Iterator[tuple[Any, str | None]]:
    """Yield what a step run got by a tick: a result as JSON data, or the name of an error."""
    if isinstance(tick, Answered):
        yield _plain(tick.answer), None
    elif isinstance(tick, PauseResolved):
        answer = tick.result.answer if isinstance(tick.result, PartResult) else tick.result
        yield _outcome(answer), None
    elif isinstance(tick, TimerFired):
        yield None, "timeout"
    elif isinstance(tick, PauseFailed | AttemptFailed | ItemFailed):
        if not run.step.pauses or isinstance(tick, PauseFailed):
            yield None, step_error(tick.error).name
    elif isinstance(tick, Failed) and not run.step.pauses:
        error = tick.error
        inner = error.error if isinstance(error, StepFailedError) else step_error(error)
        yield (_plain(tick.result), None) if tick.result is not None else (None, inner.name)
    elif isinstance(tick, Completed | ItemCompleted) and not run.step.pauses and run.exit is Exit.ACTION:
        if tick.gave is not None:
            how, value = tick.gave
            yield (value, None) if how == "give" else (None, value)
        else:
            raise StoreError(f"what `{_name(run)}` gave is not recorded: the run is of an older version")


def _voted(run: StepRun, pause: Pause, execution: Execution) -> Iterator[tuple[Any, str | None]]:
    """Yield what several people have answered, once they are enough."""
    if run.number not in execution.paused:
        yield [_plain(answer) for _, answer in pause.answers], None


def _plain(value: Any) -> Any:
    return json.loads(to_json(value, by_alias=True))


def _outcome(result: Any) -> Any:
    """Return the end of another run as a mock says it."""
    if isinstance(result, Event):
        return {"event": event_name(result), "with": _plain(result)}
    return _plain(result)


def _answer(replies: Sequence[_Reply], began: float, *, asks: bool, timed: bool) -> MockAnswer:
    """Return the answer of a step run; one that got nothing gets it after the end."""
    made = []
    for reply in replies:
        after = max(0.0, reply.at - began) if timed else 0.0
        began = reply.at
        made.append(MockAnswer(value=reply.value, error=reply.error, after=round(after, 3)))
    if not made:
        return MockAnswer(error="timeout") if asks else MockAnswer(error="connection", after=NEVER)
    return made[0] if len(made) == 1 else MockAnswer(attempts=tuple(made))


def recorded_test(
    name: str,
    replay: Replay,
    bodies: Sequence[bytes],
    values: Values,
    *,
    timed: bool,
    config: Mapping[str, Any] = NO_CONFIG,
) -> SpecTest:
    """Return the test that does what a run has done.

    Args:
        replay: The run, of which nothing is told yet.
        bodies: All of its ticks.
        timed: Whether answers come as late as they did.
        config: Fields of the config, as JSON data, that are not as declared.

    Raises:
        StoreError: The run is not over, or its ticks do not say enough.
    """
    recorder = RunReader(replay, values)
    for body in bodies:
        recorder.read(body)
    outcome = replay.execution.outcome
    if outcome is None:
        raise StoreError(f"the run {replay.execution.run_id} is not over: a test says how it ends")
    return SpecTest(
        name=name,
        start=recorder.start,
        mock=recorder.mocks(timed=timed),
        clock=as_datetime(recorder.started).isoformat(),
        expect=_expected(outcome),
        deliver=tuple(one for seq, one in recorder.arrived if replay.counts(seq)),
        config=config,
        cancel=recorder.cancelled if isinstance(outcome, WorkflowCancelledByUser) else None,
    )


def _expected(outcome: StopEvent | Exception) -> dict[str, Any]:
    if isinstance(outcome, StopEvent):
        fields = _plain(outcome)
        return {"end": event_name(outcome), **({"with": fields} if fields else {})}
    if isinstance(outcome, WorkflowCancelledByUser):
        return {"fails": "cancelled"}
    if isinstance(outcome, StepFailedError):
        return {"fails": outcome.error.name}
    return {"fails": getattr(outcome, "name", "") or type(outcome).__name__}


def test_as_data(case: SpecTest) -> dict[str, Any]:
    """Return a test as it stands in a spec."""
    data: dict[str, Any] = {"name": case.name, "clock": case.clock, "start": dict(case.start)}
    if case.config:
        data["config"] = dict(case.config)
    if case.mock:
        data["mock"] = {step: _answers(answers) for step, answers in case.mock.items()}
    if case.deliver:
        data["deliver"] = [
            {"event": one.event, "with": dict(one.fields), "after": _length(one.after)}
            for one in case.deliver
        ]
    if case.cancel is not None:
        data["cancel"] = _length(case.cancel)
    return {**data, "expect": dict(case.expect)}


test_as_data.__test__ = False  # type: ignore[attr-defined] # not one of pytest's


def _answers(answers: Sequence[MockAnswer]) -> Any:
    found = [_written(one) for one in answers]
    same = all(one == found[0] for one in found)
    return found[0] if same and not isinstance(found[0], list) else found[:1] if same else found


def _written(answer: MockAnswer) -> Any:
    if answer.attempts:
        return {"attempts": [_written(one) for one in answer.attempts]}
    late = {"after": _length(answer.after)} if answer.after else {}
    if answer.error is not None:
        return {"error": answer.error, **late}
    return {"give": answer.value, **late} if late or isinstance(answer.value, dict) else answer.value


def _length(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"
