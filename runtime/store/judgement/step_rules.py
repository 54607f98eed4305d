"""Rules about the steps where a run stands: what they accept, what they wait for, and how often they may try."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wfc.runtime.store.judgement.moves import Description, Moves
from wfc.runtime.store.judgement.pause_rules import judge_pause
from wfc.runtime.store.judgement.position import RunPosition, StepPosition
from wfc.runtime.store.judgement.types import fits, shown
from wfc.runtime.store.judgement.value_rules import may_drop
from wfc.runtime.store.judgement.verdicts import Verdict, migrated, noted, refused

__all__ = ["judge_steps"]

_WHERE: Final = {
    "work": "is at work in it",
    "queue": "has an event for it",
    "retry": "is to try it again",
    "pause": "waits in it",
}


def judge_steps(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    """Judge the steps where a run stands, and the events that nobody has taken yet."""
    for run in position.steps:
        yield from _step(moves, run)
    for event in position.pending:
        yield from _pending(moves, event)
    for key, count in position.counts:
        yield from _count(moves, key, count)
    for key in position.gathered:
        yield from _gathered(moves, key)
    yield from _limits(moves, position)
    yield from _way(moves, position)


def _step(moves: Moves, run: StepPosition) -> Iterator[Verdict]:
    key = moves.step(run.step)
    name = run.step.removesuffix("[]").removesuffix("_")
    if key is None:
        yield refused(
            "step-removed",
            f"the step `{name}` is gone, and the run {_WHERE[run.at]}",
            f"say what it is called now, `moved: {{{name}: …}}`, or bring it back",
        )
        return
    before, now = moves.old["steps"][run.step], moves.new["steps"][key]
    if key != run.step:
        yield from _renamed(run, name, key)
    yield from _accepts(moves, run, now, name)
    if run.exit in before["exits"] and run.exit not in now["exits"]:
        told = f"the run is to go on by `{run.exit}` of `{name}`, which is gone"
        yield refused("step-exit-removed", told, "bring it back")
    was, is_ = _result(moves.old, run.step), _result(moves.new, key)
    if run.has_result and not fits(was, is_, moves.is_same):
        told = f"`{name}` has given {shown(was)} already, and its result is {shown(is_)} now"
        yield refused("result-retyped", told, "let it go on under its own version until that is used")
    if run.pause:
        yield from judge_pause(moves, run, before, now, name)
    yield from _retries(run, before["soft"]["retry"], now["soft"]["retry"], name)


def _result(description: Description, key: str) -> Any:
    """Return the type of a step's result; of one with items that of what each gives."""
    steps = description["steps"]
    return steps.get(f"{key}[]", steps[key])["result"]


def _renamed(run: StepPosition, name: str, key: str) -> Iterator[Verdict]:
    if run.has_parts:
        told = f"`{name}` has a new name while it waits for a run, which is known by the old one"
        yield refused("step-renamed-with-parts", told, "let that run end first")
    else:
        yield migrated("step-renamed", f"the step `{name}` is called `{key.removesuffix('_')}` now")


def _accepts(moves: Moves, run: StepPosition, now: Any, name: str) -> Iterator[Verdict]:
    if now["subclasses"] or run.step.endswith("[]"):
        return
    for event in run.events:
        kind = moves.name(event)
        if kind is not None and kind in moves.new["classes"] and kind not in now["accepts"]:
            told = f"`{name}` does not accept `{event}` any more, and the run {_WHERE[run.at]} with one"
            yield refused(
                "step-no-longer-accepts", told, f"let `{name}` accept it as long as runs stand there"
            )


def _retries(run: StepPosition, before: Any, now: Any, name: str) -> Iterator[Verdict]:
    if before == now or run.attempt == 1:
        return
    most = now["max_attempts"] if isinstance(now, dict) else None if isinstance(now, str) else 1
    if most is not None and run.attempt > most:
        told = f"the run is at the attempt {run.attempt} of `{name}`, of which {most} are allowed now"
        yield noted("retry-limit-lowered", f"{told}: if that one fails, the step has failed")


def _pending(moves: Moves, event: str) -> Iterator[Verdict]:
    kind = moves.name(event)
    if kind is None:
        if may_drop(moves, event):
            yield migrated("pending-event-dropped", f"a pending `{event}` is dropped, as `removed` says")
        return
    was, is_ = (
        any(name in step["awaits"] for step in plan["steps"].values())
        for plan, name in ((moves.old, event), (moves.new, kind))
    )
    if was and not is_:
        told = f"no step waits for `{event}` any more, and the run has a pending one"
        yield refused(
            "event-no-longer-accepted", told, "drop it with `wfc runs edit RUN --drop-event`, or take it"
        )


def _count(moves: Moves, key: str, count: int) -> Iterator[Verdict]:
    now = moves.step(key)
    most = None if now is None else moves.new["steps"][now]["limit"]
    if isinstance(most, int) and count > most and most != moves.old["steps"][key]["limit"]:
        told = f"`{key}` has run {count} times, and may run {most} times now: the next time is over its limit"
        yield noted("limit-lowered", told)


def _gathered(moves: Moves, key: str) -> Iterator[Verdict]:
    """Judge the events that a step written by hand has collected, by the order in which it takes them."""
    now = moves.step(key)
    slots = [] if now is None else moves.new["steps"][now]["slots"]
    before = [[moves.name(event) for event in slot] for slot in moves.old["steps"][key]["slots"]]
    if now is None or before != slots:
        told = f"`{key}` holds events for others to come, and takes other events now"
        yield refused("join-changed", told, "let it go on under its own version first")


def _limits(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    worked_out = {moves.step(key) for key in position.limits}
    for key, step in sorted(moves.new["steps"].items()):
        if position.has_begun and step["limit"] == "computed" and key not in worked_out:
            told = (
                f"how often `{key}` may run is worked out when a run starts, and this one has started without"
            )
            yield refused("limit-computed", told, "write the limit as a number")


def _way(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    if position.way and moves.name(position.way) not in moves.new["ways"]:
        told = f"the run goes on by `{position.way}`, which no exit of the run emits any more"
        yield refused("run-exit-removed", told, "bring it back")
