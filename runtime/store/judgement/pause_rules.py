"""Rules about what the steps of a run wait for: people, events, other runs, items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.runtime.store.judgement.moves import Moves
from wfc.runtime.store.judgement.position import StepPosition
from wfc.runtime.store.judgement.types import fits, shown
from wfc.runtime.store.judgement.verdicts import Verdict, in_words, migrated, noted, refused

__all__ = ["judge_pause"]

_WAITS_FOR = {
    "Question": "a person",
    "Delay": "a time",
    "Until": "a time",
    "Outside": "an event",
    "Child": "another run",
    "Items": "its items",
}

_FIRST = "let it go on under its own version until that is over"


def judge_pause(moves: Moves, run: StepPosition, before: Any, now: Any, name: str) -> Iterator[Verdict]:
    """Judge what a step of a run waits for, by what the step says before and now."""
    if run.pause not in now["pauses"]:
        told = (
            f"the run waits for {_WAITS_FOR.get(run.pause, run.pause)} in `{name}`, which does not any more"
        )
        yield refused("wait-removed", told, _FIRST)
        return
    if run.pause == "Question":
        yield from _question(moves, run, before, now, name)
    elif run.pause == "Outside":
        yield from _outside(moves, run, before, now, name)
    else:
        yield from _response(moves, run, before, now, name)
    if before["soft"]["bound"] != now["soft"]["bound"]:
        yield noted(
            "wait-time-kept", f"the time for `{name}` has changed; the wait under way ends as it was to"
        )


def _response(moves: Moves, run: StepPosition, before: Any, now: Any, name: str) -> Iterator[Verdict]:
    """Judge what a run of another workflow is to give, or what items have given."""
    was, is_ = before["result"], now["result"]
    if run.pause == "Items":
        key = moves.step(f"{run.step}[]")
        if key is None or not run.given:
            return  # that the items are gone is said of those under way
        was, is_ = moves.old["steps"][f"{run.step}[]"]["result"], moves.new["steps"][key]["result"]
    if not fits(was, is_, moves.is_same):
        told = f"what `{name}` waits for gives {shown(was)}, and `{name}` takes {shown(is_)} now"
        yield refused("response-retyped", told, _FIRST)


def _outside(moves: Moves, run: StepPosition, before: Any, now: Any, name: str) -> Iterator[Verdict]:
    wanted = {moves.name(event) for event in run.awaits}
    if gone := [event for event in run.awaits if moves.name(event) not in now["awaits"]]:
        told = f"the run waits for {in_words(gone)} in `{name}`, which takes {in_words(now['awaits'])} now"
        yield refused("response-event-changed", told, _FIRST)
    elif set(run.awaits) == set(before["awaits"]) and (more := [e for e in now["awaits"] if e not in wanted]):
        yield migrated("response-event-added", f"what waits in `{name}` takes {in_words(more)} too")


def _question(moves: Moves, run: StepPosition, before: Any, now: Any, name: str) -> Iterator[Verdict]:
    if any(run.is_shared != _is_list(taken) for taken in now["takes"]):
        several = "several people" if run.is_shared else "one person"
        told = f"the open question of `{name}` is for {several}, which it is not any more"
        yield refused("question-changed", told, _FIRST)
        return
    fields, later = _fields(moves.old, before, run.form), _fields(moves.new, now, run.form)
    if _as_now(moves, fields) == later:
        return
    if lost := [field for field in run.filled if field not in later]:
        told = f"the form of `{name}` has no {in_words(lost)} any more, which the open question fills"
        yield refused("form-changed", told, _FIRST)
    else:
        yield migrated("form-changed", f"the open question of `{name}` is asked with the new form")


def _is_list(type_: Any) -> bool:
    return isinstance(type_, list) and type_[0] == "list"


def _fields(description: Any, step: Any, form: int | None) -> dict[str, Any]:
    """Return the fields of a form, by name."""
    forms = step["forms"]
    if not forms or (form or 0) >= len(forms):
        return {}
    kind = forms[form or 0]
    found = description["classes"].get(kind[1] if isinstance(kind, list) else "", {})
    return dict(found.get("fields", {"": kind}))


def _as_now(moves: Moves, fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with the present names of the classes in their types."""
    return {name: _renamed(moves, field) for name, field in fields.items()}


def _renamed(moves: Moves, data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _renamed(moves, one) for name, one in data.items()}
    if isinstance(data, list) and len(data) == 2 and data[0] == "class":
        return ["class", moves.name(data[1])]
    return [_renamed(moves, one) for one in data] if isinstance(data, list) else data
