"""One attempt of a step run: preparation, action, check of the requirements, and tail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic_core import to_json

from wfc.runtime.authoring.retry import seed_of
from wfc.runtime.authoring.run_bounds import bounded_retry
from wfc.runtime.calls.cache import store_entry
from wfc.runtime.core.moments import SECOND
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import (
    AttemptFailed,
    Completed,
    Failed,
    ItemCompleted,
    ItemFailed,
    MatchValueComputed,
    Tick,
)
from wfc.runtime.driver.run.acting import ActingRun, act
from wfc.runtime.driver.run.beginning_pauses import begin_pause, join_not_in_time, not_in_time
from wfc.runtime.driver.run.children import Children
from wfc.runtime.driver.run.doubles import Instead, pause_double
from wfc.runtime.driver.run.failures import failed_event, step_failed
from wfc.runtime.driver.run.given import note_error, note_result
from wfc.runtime.driver.run.step_runs import (
    expression_error,
    unmet_requirements,
    with_cause,
)
from wfc.runtime.driver.run.telling import note_state, tell, tell_before, tell_handled, tell_of_emitted
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.errors import SnapshotError, StepError, WorkflowError
from wfc.runtime.errors.raised import is_final, step_error
from wfc.runtime.events.internal import StepState
from wfc.runtime.plan.outcomes import UNHANDLED
from wfc.runtime.plan.pauses import Outside
from wfc.runtime.plan.signature import Call
from wfc.runtime.values.drafts import Saved, changes_in, deep_changes_in, deep_draft_of, draft_of

__all__ = ["AttemptingRun", "failed_attempt", "make_attempt", "settle"]

_OF_A_MODEL = ("model", "connection", "timeout")
"""Errors for which the next model is asked."""


class AttemptingRun(ActingRun, Protocol):
    """The interface of a run that attempts of step runs use."""

    @property
    def run_id(self) -> str:
        """The run's id."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """The function that returns the time of day."""

    @property
    def now(self) -> Callable[[], int]:
        """The function that returns the moment, as the run counts moments."""

    @property
    def port(self) -> object | None:
        """Where the run's ticks are kept."""

    @property
    def children(self) -> Children[Any]:
        """The runs that this run has started."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""


async def make_attempt(run: AttemptingRun, step_run: StepRun) -> Tick:
    """Execute an attempt; return the tick with its outcome.

    Raises:
        StepError: The action took too long, or its result does not meet the requirements.
        Exception: The action failed.
    """
    step = step_run.step
    if run.execution.observed and step_run.exit <= Exit.TIMEOUT:
        note_state(run, step_run, StepState.RUNNING)
    if step_run.exit is not Exit.ACTION or step.action is None:
        if step.shares_events:
            await asyncio.sleep(0)
        return _transform(run, step_run) if step_run.exit is Exit.ACTION else _other_way(run, step_run)
    step_run.response = None
    step_run.called = False
    if run.port is not None and step.needs_snapshot and not run.execution.plan.is_generated:
        step_run.snapshot = deep_draft_of(step_run.snapshot)  # in which a body may change what it likes
    if step.cache is not None:
        step_run.fresh = []
    if step.idempotency_key is not None and not hasattr(step_run, "key"):
        step_run.key = str(step.idempotency_key(run, step_run, None))
    if step_run.attempt == 1:
        tell_before(run, step_run)
    try:
        result = await (_pause(run, step_run) if step.pauses else act(run, step_run))
    except Exception:
        if step.shares_events:
            await asyncio.sleep(0)
        raise
    if step.shares_events:
        await asyncio.sleep(0)  # the others start, and its tail sees what they have saved
    return result if step.pauses else _conclude(run, step_run, result)


def _conclude(run: AttemptingRun, step_run: StepRun, result: Any) -> Tick:
    """Return the tick for the result of an action.

    Raises:
        StepError: The result does not meet the requirements.
    """
    step = step_run.step
    step_run.called = True  # its inputs are behind it
    if said := unmet_requirements(run, step_run, result):
        raise StepError("requirement", "the result is not as required: " + "; ".join(said))
    if step.cache is not None:
        for path, text in step_run.fresh:
            store_entry(path, run.clock().timestamp(), text)
        step_run.fresh = []
    if step.stream_after is not None:
        try:
            said_after = step.stream_after(run, step_run, result)
        except WorkflowError:
            raise
        except Exception as error:
            raise expression_error(error) from error
        tell(run, step_run, said_after)
    if step.of is not None:
        tick = _give(run, step_run, result)
    elif step.then is None:
        tick = Completed(step_run.number, result)
    else:
        tick = _exit(run, step.then, step_run, result)
    return tick if step.pauses else note_result(run, tick, result)


def _give(run: AttemptingRun, step_run: StepRun, result: Any) -> Tick:
    """Return the tick with the result of an item."""
    give = step_run.step.give
    try:
        if give is None:
            return ItemCompleted(step_run.number, result)
        return ItemCompleted(step_run.number, *_evaluate(run, give, step_run, result))
    except Exception as error:
        return _tail_failure(run, step_run, error, result)


def _item_failed(run: AttemptingRun, step_run: StepRun, found: StepError) -> Tick:
    """Return the tick for an item whose action has failed for good, and tell of it if the step goes on."""
    step = step_run.step
    note_state(run, step_run, StepState.NOT_RUNNING, error=found.message)
    tick: Tick = ItemFailed(step_run.number, found)
    if step.give_instead is not None:
        try:
            given = ItemCompleted(step_run.number, *_evaluate(run, step.give_instead, step_run, None))
            tick = note_error(run, given, found.name)
        except Exception as error:
            return _tail_failure(run, step_run, error)
    instead: Literal["fail", "give", "null", "skip"] = (
        "give" if step.give_instead is not None else step.on_item_error
    )
    if instead != "fail":
        tell_handled(run, step_run, found.name, found.message, None, instead)
    return tick


def _other_way(run: AttemptingRun, step_run: StepRun) -> Tick:
    """Return the tick of a step run that does not reach its action, or is past it."""
    step = step_run.step
    if step_run.exit is Exit.LIMIT:
        return _taken(run, step.on_limit, step_run, "limit", "it has run as often as it may")
    if step_run.exit is Exit.TIMEOUT:
        return _taken(run, step.on_timeout, step_run, "timeout", "its join did not get all events in time")
    if step_run.exit is Exit.MATCH:
        return _match(run, step_run)
    if step_run.exit is Exit.RESULT:
        return _conclude(run, step_run, step_run.result)
    return (
        _expired(run, step_run)
        if step_run.exit is Exit.EXPIRED
        else failed_attempt(run, step_run, step_run.result)
    )


def _expired(run: AttemptingRun, step_run: StepRun) -> Tick:
    """Return the tick of a step run whose wait is over without what it waited for."""
    step = step_run.step
    if step.on_expired is not None:
        return _taken(run, step.on_expired, step_run, "timeout", not_in_time(step))
    error = StepError("timeout", not_in_time(step))
    return failed_attempt(run, step_run, error)


def _match(run: AttemptingRun, step_run: StepRun) -> Tick:
    """Compute the value by which a join matches an event with others; return its tick."""
    assert step_run.step.match_by is not None
    try:
        value = step_run.step.match_by(run, step_run, None)
        return MatchValueComputed(step_run.number, to_json(value, by_alias=True).decode())
    except Exception as error:
        return _tail_failure(run, step_run, error)


async def _pause(run: AttemptingRun, step_run: StepRun) -> Tick:
    """Start a pause; return the tick with what the step waits for.

    Raises:
        Exception: Its inputs cannot be evaluated, or it returned nothing that it could wait for.
    """
    step = step_run.step
    double = run.doubles.get(step.name) if run.doubles is not None and step.item is None else None
    if double is None:
        return await begin_pause(run, step_run)
    longest = (await begin_pause(run, step_run)).within if Outside in step.pauses else step.bound
    step_run.called = True
    result = await pause_double(double, run.context_of(step_run), longest, step.timeout)
    if result is Instead.EXPIRE:
        return _expired(run, step_run)
    if result is not Instead.PAUSE:
        return _conclude(run, step_run, result)
    step_run.called = False
    return await begin_pause(run, step_run)


def _transform(run: AttemptingRun, step_run: StepRun) -> Tick:
    """Run a step that consists of a tail only, with its progress texts; return its tick."""
    step = step_run.step
    if step.stream_before is not None or step.stream_after is not None:
        step_run.called = False
        tell_before(run, step_run)
    if step.stream_after is not None:
        tell(run, step_run, step.stream_after(run, step_run, None))
    return _exit(run, step.then, step_run)


def failed_attempt(run: AttemptingRun, step_run: StepRun, error: Exception) -> Tick:
    """Return the tick for a failed attempt: a retry, the result of `on_error`, or the run's end."""
    step = step_run.step
    inputs_failed = run.execution.plan.is_generated and not getattr(step_run, "called", True)
    if inputs_failed and not is_final(error) and not isinstance(error, StepError):
        # what a spec's step evaluates before its call are expressions; what an address must not hold says so itself
        error = with_cause(expression_error(error), error)
    if run.children:
        run.children.stop_of(step_run.number)
    step_run.raised = error
    step_run.error = found = step_error(error)
    final = is_final(error)
    delay = None if final else _next_delay(run, step_run, error)
    falls_back = delay is None and not final and _has_another_model(step_run, found)
    if falls_back:
        delay = 0.0
    if delay is not None:
        note_state(run, step_run, StepState.RETRYING, error=found.message, retry_in=delay)
        is_item = step.of is not None  # which keeps its place, so that the next one begins after it
        return AttemptFailed(step_run.number, delay, error, falls_back=falls_back, keeps_place=is_item)
    if step.of is not None and not final:
        return _item_failed(run, step_run, found)
    saved: Saved = None
    if step.on_error is not None and not final:
        try:
            emitted, saved = _evaluate(run, step.on_error, step_run, None)
        except Exception as tail_error:
            return _tail_failure(run, step_run, tail_error)
        if emitted is not UNHANDLED:
            tell_handled(run, step_run, found.name, found.message, emitted)
            if run.execution.plan.shows is not None:
                tell_of_emitted(run, step_run, emitted)
            return note_error(run, Completed(step_run.number, emitted, saved), found.name)
    return _failure(run, step_run, found, error, saved)


def _next_delay(run: AttemptingRun, step_run: StepRun, error: Exception) -> float | None:
    """Return the seconds before a retry by the step's policy; ``None``: there is none."""
    step = step_run.step
    retry = bounded_retry(step.retry, run.execution.bounds, step.index)
    if retry is None:
        return None
    seed = seed_of(run.run_id, step.name, step_run.number, step_run.attempt)
    elapsed = (run.now() - step_run.began) / SECOND
    return retry.next(elapsed, step_run.attempt - step_run.since, error, seed=seed)


def _taken(run: AttemptingRun, tail: Call | None, step_run: StepRun, name: str, message: str) -> Tick:
    """Evaluate the tail of a limit or a time-out, and tell of it if the run goes on there."""
    tick = _exit(run, tail, step_run)
    if isinstance(tick, Completed):
        tell_handled(run, step_run, name, message, tick.emitted)
    return tick


def _exit(run: AttemptingRun, tail: Call | None, step_run: StepRun, result: Any = None) -> Tick:
    """Evaluate a tail; nothing can happen between its evaluation and the tick that records it."""
    if tail is None:
        error = StepError("timeout", join_not_in_time(run.execution.within_of(step_run.step)))
        return _failure(run, step_run, error, error)
    try:
        emitted, saved = _evaluate(run, tail, step_run, result)
        if run.execution.plan.shows is not None:
            tell_of_emitted(run, step_run, emitted)
        return Completed(step_run.number, emitted, saved)
    except Exception as error:
        return _tail_failure(run, step_run, error, result)


def _evaluate(run: AttemptingRun, tail: Call, step_run: StepRun, result: Any) -> tuple[Any, Saved]:
    """Return what a tail gives, and what it has changed in the state; the state itself stays as it is."""
    if not step_run.step.saves:
        return tail(run, step_run, result), None
    state = run.execution.state
    if run.port is None or run.execution.plan.is_generated:
        draft = step_run.draft = draft_of(state)
        return tail(run, step_run, result), changes_in(draft, state)
    draft = step_run.draft = deep_draft_of(state)  # a tail that people write may change what a field holds
    return tail(run, step_run, result), deep_changes_in(draft, state)


def settle(
    run: AttemptingRun, step_run: StepRun, refused: SnapshotError, keep: Callable[[Tick], None]
) -> None:
    """Keep the tick of an attempt whose result cannot be kept, which is an error of the step.

    Args:
        keep: Records and applies a tick, or raises a ``SnapshotError`` before anything has happened.
    """
    error = _not_kept(refused)
    again = step_run.step.action is not None and step_run.exit in (Exit.ACTION, Exit.RESULT)
    tick = failed_attempt(run, step_run, error) if again else _tail_failure(run, step_run, error)
    try:
        keep(tick)
    except SnapshotError:  # so is what its `on_error` emits
        keep(_failure(run, step_run, error, error))


def _tail_failure(run: AttemptingRun, step_run: StepRun, error: Exception, result: Any = None) -> Tick:
    tick = _failure(run, step_run, step_error(error), error, tail=True)
    tick.result = result
    return tick


def _failure(
    run: AttemptingRun,
    step_run: StepRun,
    found: StepError,
    error: Exception,
    saved: Saved = None,
    *,
    tail: bool = False,
) -> Failed:
    note_state(run, step_run, StepState.NOT_RUNNING, error=found.message)
    found.step = step_run.step.name
    failed = step_failed(step_run.step.name, step_run.event_name, step_run.attempt, found, error, tail=tail)
    if not step_run.step.plain:
        failed.elapsed_seconds = (run.now() - step_run.began) / SECOND
    handled = None
    if step_run.step.handler and not tail:
        handled = failed_event(step_run, error, failed, run.clock())
    return Failed(step_run.number, failed, handled, saved)


def _not_kept(refused: SnapshotError) -> StepError:
    """Return the error of a step whose result a journal cannot keep."""
    name = "result.too_large" if refused.name == "too_large" else "result"
    return with_cause(StepError(name, f"the result cannot be kept: {refused}"), refused)


def _has_another_model(step_run: StepRun, error: StepError) -> bool:
    """Return whether a step run can ask another model after an error."""
    return step_run.choice + 1 < getattr(step_run, "choices", 1) and error.matches(*_OF_A_MODEL)
