"""Where a run stands, read from what is kept of it: its code is not needed for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wfc.runtime.core.step_runs import Exit, FrameKind
from wfc.runtime.store.judgement.moves import Description
from wfc.runtime.store.judgement.position import FramePosition, JoinPosition, RunPosition, StepPosition
from wfc.runtime.store.versions.walking import Walk

__all__ = ["position_at_start", "position_of"]

_EXITS: Final = {
    Exit.LIMIT: "on_limit",
    Exit.TIMEOUT: "on_timeout",
    Exit.EXPIRED: "on_expired",
    Exit.MATCH: "match_by",
}

_FRAMES: Final = {
    FrameKind.FORK: "fork",
    FrameKind.BATCH: "batch",
    FrameKind.ITEM: "item",
    FrameKind.RECOVERY: "recovery",
}


class _Census(Walk):
    """The classes that a run names, and those of which it has something."""

    def __init__(self, order: list[str]) -> None:
        super().__init__(order)
        self.values: set[str] = set()
        self.mentions: set[str] = set()

    def kind(self, name: str) -> str:
        self.mentions.add(name)
        return name

    def model(self, data: list[Any]) -> list[Any]:
        self.values.add(data[0])
        return super().model(data)

    def value(self, data: Any) -> Any:
        if isinstance(data, dict) and data.get("$") == "enum":
            self.values.add(data["name"])
        return super().value(data)


def position_at_start(start: dict[str, Any]) -> RunPosition:
    """Return where a run stands that has not begun.

    Args:
        start: What it is to begin with.
    """
    census = _Census([])
    census.model(start["event"])
    census.model(start["state"])
    return RunPosition(has_begun=False, values=frozenset(census.values))


def position_of(checkpoint: dict[str, Any], plan: Description) -> RunPosition:
    """Return where a run stands.

    Args:
        plan: The description of its plan.
    """
    census = _Census(plan["order"])
    data = census.checkpoint(checkpoint)["execution"]
    return RunPosition(
        has_begun="inputs" in data,
        steps=tuple(_steps(data)),
        frames=tuple(_frame(frame) for frame in data.get("frames", ())),
        pending=tuple(event[0] for _, event in data.get("inbox", ())),
        values=frozenset(census.values),
        mentions=frozenset(census.mentions),
        gathered=tuple(dict.fromkeys(step for step, kind, *_ in data.get("buffers", ()) if kind == "pair")),
        counts=tuple((step, count) for step, count in data.get("counts", ())),
        limits=frozenset(step for step, _ in data.get("limits", ())),
        way=data.get("way", ""),
        left_by=tuple(data.get("left_by", ())),
    )


def _steps(data: dict[str, Any]) -> Iterator[StepPosition]:
    queued = {number for _, numbers in data.get("queues", ()) for number in numbers}
    retried = {about[0] for _, _, kind, *about in data.get("timers", ()) if kind == "attempt"}
    paused = {pause["run"]: pause for pause in data.get("paused", ())}
    for run in data.get("runs", ()):
        number, exit = run["n"], Exit(run.get("exit", 0))
        stands = StepPosition(
            number,
            run["step"],
            "queue" if number in queued else "retry" if number in retried else "work",
            events=tuple(_events(run.get("on", {"list": []}))),
            attempt=run.get("attempt", 1),
            exit=_EXITS.get(exit, ""),
            has_result=exit is Exit.RESULT,
            has_parts=bool(run.get("about", {}).get("started_runs")),
        )
        yield stands if number not in paused else _waiting(stands, paused[number])


def _events(on: Any) -> Iterator[str]:
    """Yield the classes of what a step runs on: an event, a list of them, or those of a join."""
    if isinstance(on, list):
        yield on[0]
    else:
        yield from (event[0] for event in on.get("list", ()))
        yield from (event[0] for _, event in on.get("slots", ()))


def _waiting(run: StepPosition, pause: dict[str, Any]) -> StepPosition:
    value = pause["for"]
    return run._replace(
        at="pause",
        pause=value["kind"],
        awaits=tuple(value.get("events", ())),
        form=value.get("form"),
        filled=tuple({**(value.get("prefill") or {}), **(value.get("choices") or {})}),
        is_shared=value.get("quorum") is not None,
        given=sum(one != {"$": "skip"} for one in pause.get("given", ())),
        has_parts=run.has_parts or value["kind"] == "Child",
    )


def _frame(frame: dict[str, Any]) -> FramePosition:
    joins = [
        JoinPosition(step, tuple(event[0] for _, event in arrived), fired, timer is not None)
        for step, _, arrived, fired, timer in frame.get("joins", ())
    ]
    joins += [
        JoinPosition(step, tuple(event[0] for _, event in events), has_fired=False, has_timer=False)
        for step, events in frame.get("collected", ())
    ]
    kind: Any = _FRAMES[FrameKind(frame.get("kind", 0))]
    return FramePosition(kind, frame.get("fork"), tuple(frame.get("collectors", ())), tuple(joins))
