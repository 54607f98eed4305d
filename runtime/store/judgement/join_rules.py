"""Rules about events that belong together: open branches, batches, and the joins where they meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wfc.runtime.store.judgement.moves import Description, Moves
from wfc.runtime.store.judgement.position import FramePosition, JoinPosition, RunPosition
from wfc.runtime.store.judgement.verdicts import Verdict, in_words, noted, refused

__all__ = ["judge_joins"]

_FIRST = "let the run go on under its own version until they have met"


def judge_joins(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    """Judge the joins that a run has open, and those that it would come to without the branches for them."""
    told: set[Verdict] = set()
    for frame in position.frames:
        for verdict in _frame(moves, frame):
            if verdict not in told:
                told.add(verdict)
                yield verdict
    if position.has_begun:
        yield from _new_joins(moves, position)


def _frame(moves: Moves, frame: FramePosition) -> Iterator[Verdict]:
    if frame.fork is not None and moves.step(frame.fork) is None:
        name = frame.fork
        told = f"the step `{name}` is gone, from which branches of the run have started that are to meet"
        yield refused(
            "step-removed", told, f"say what it is called now, `moved: {{{name}: …}}`, or bring it back"
        )
        return
    stands = {join.step: join for join in frame.joins}
    if frame.kind == "fork":
        for key, step in moves.old["steps"].items():
            if _is_join(step) and step["join"]["fork"] == frame.fork:
                yield from _join(moves, key, stands.get(key))
    elif frame.kind == "batch":
        for key in frame.collectors:
            yield from _join(moves, key, stands.get(key))
        yield from _batches(moves, frame)


def _is_join(step: Any) -> bool:
    return step["join"] is not None and step["join"]["kind"] != "EachOf"


def _join(moves: Moves, key: str, stands: JoinPosition | None) -> Iterator[Verdict]:
    """Judge a join in a frame of its fork that is open."""
    before = moves.old["steps"][key]
    if stands is not None and stands.has_fired and not before["matches"]:
        return
    now = moves.step(key)
    if now is None:
        arrived = () if stands is None else stands.arrived
        if arrived or before["collects"] or (stands is not None and stands.has_timer):
            held = f" with {in_words(arrived)}" if arrived else ""
            told = f"the step `{key}` is gone, and the run waits in it for events to meet{held}"
            yield refused(
                "step-removed", told, f"say what it is called now, `moved: {{{key}: …}}`, or bring it back"
            )
        return
    later = moves.new["steps"][now]
    if _as_now(moves, before) == _as_it_is(later):
        if before["soft"]["within"] != later["soft"]["within"] and stands is not None and stands.has_timer:
            yield noted(
                "wait-time-kept", f"the time for `{key}` has changed; the wait under way ends as it was to"
            )
        return
    slots, new_slots = _slots(moves, before), [frozenset(slot) for slot in later["slots"]]
    added = [sorted(slot) for slot in new_slots if slot not in slots]
    kind = (before["join"] or {}).get("kind"), (later["join"] or {}).get("kind")
    if kind == ("AllOf", "AllOf") and added and all(slot in new_slots for slot in slots):
        names = in_words(name for slot in added for name in slot)
        told = f"`{key}` waits for {names} too now, and the branches that would bring that have parted without it"
        yield refused("join-branch-added", f"{told}: the run would wait for ever", _FIRST)
    else:
        yield refused(
            "join-changed",
            f"`{key}` joins events otherwise now, and the run has branches on their way to it",
            _FIRST,
        )


def _as_now(moves: Moves, step: Any) -> Any:
    """Return what a join is, with the names of the later version."""
    join = step["join"]
    renamed = join and {**join, "fork": None if join["fork"] is None else moves.step(join["fork"])}
    takes = {moves.name(event) for event in step["accepts"]} if step["collects"] else set()
    return renamed, set(_slots(moves, step)), takes, step["matches"], step["collects"], step["take"]


def _as_it_is(step: Any) -> Any:
    slots = {frozenset(slot) for slot in step["slots"]}
    takes = set(step["accepts"]) if step["collects"] else set()
    return step["join"], slots, takes, step["matches"], step["collects"], step["take"]


def _slots(moves: Moves, step: Any) -> list[frozenset[str | None]]:
    return [frozenset(map(moves.name, slot)) for slot in step["slots"]]


def _batches(moves: Moves, frame: FramePosition) -> Iterator[Verdict]:
    """Judge who collects an open batch."""
    assert frame.fork is not None
    before = moves.old["steps"][frame.fork]["batches"]
    now = moves.new["steps"][moves.step(frame.fork) or ""]["batches"]
    was = {
        moves.name(event) or event if event else "": set(map(moves.step, keys))
        for event, keys in before.items()
    }
    if any(set(now.get(event, ())) != keys for event, keys in was.items() if keys):
        told = f"other steps collect now what `{frame.fork}` has begun as a batch"
        yield refused("join-changed", told, _FIRST)


# --- joins that the run would come to


def _new_joins(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    """Judge joins that the run comes to without having passed the fork where their branches part."""
    ahead = {now for run in position.steps if (now := moves.step(run.step.removesuffix("[]"))) is not None}
    outside = {moves.name(event) or "" for event in (*position.pending, *moves.old["receives"])}
    outside |= set(moves.new["receives"])
    for key, step in sorted(moves.new["steps"].items()):
        if step["join"] is None and not step["collects"]:
            continue
        if _was_so(moves, key, step):
            continue
        forks = _forks_of(moves.new, key, step)
        begins = ahead | {one for one in _acceptors(moves.new, outside) if one != key or None in forks}
        if key in _reached(moves.new, begins, forks):
            told = f"`{key}` joins events now that did not part as it expects where the run has come from"
            yield refused("join-added", told, "let the run go on under its own version")


def _was_so(moves: Moves, key: str, step: Any) -> bool:
    """Return whether a join had the same fork before."""
    before = next((one for name, one in moves.old["steps"].items() if moves.step(name) == key), None)
    if before is None or before["collects"] != step["collects"]:
        return False
    if step["collects"]:
        was = {moves.step(fork) for fork in _openers(moves.old, before, moves.old["steps"])}
        return was == _openers(moves.new, step, moves.new["steps"])
    if before["join"] is None:
        return False
    fork = before["join"]["fork"]
    return bool((None if fork is None else moves.step(fork)) == step["join"]["fork"])


def _openers(description: Description, collector: Any, steps: Any) -> set[str]:
    key = next(name for name, one in steps.items() if one is collector)
    return {
        name
        for name, one in description["steps"].items()
        if any(key in collectors for collectors in one["batches"].values())
    }


def _forks_of(description: Description, key: str, step: Any) -> set[str | None]:
    if step["collects"]:
        return set(_openers(description, step, description["steps"]))
    return {step["join"]["fork"]}


def _acceptors(description: Description, events: Iterable[str]) -> set[str]:
    wanted = set(events)
    return {key for key, step in description["steps"].items() if wanted.intersection(step["accepts"])}


def _reached(description: Description, begins: Iterable[str], forks: set[str | None]) -> set[str]:
    """Return the steps to which some lead, without those that lie behind forks."""
    found: set[str] = set()
    passed: set[str] = set()
    todo = list(begins)
    while todo:
        key = todo.pop()
        if key in passed or key in forks:
            continue
        passed.add(key)
        after = _acceptors(description, description["steps"][key]["emits"])
        found |= after
        todo += after
    return found
