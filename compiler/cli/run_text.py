"""A stored run as plain data, and its step runs as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wfc.compiler.cli.tables import moment

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.store.replay import Replay
    from wfc.runtime.store.sql.reading import TaskRow

__all__ = ["steps_of", "task_as_data", "told_of", "turns_as_rows"]

SECOND = 1_000_000_000

LONGEST = 120
"""How much of an error is shown in a table."""


def told_of(engine: Engine, run_id: str, at: int | None) -> dict[str, Any]:
    """Return a run as plain data: as it is now, or as it was after a tick."""
    from wfc.runtime.driver.engine.pictures import pending_of, state_of

    row, replay = engine.show(run_id), engine.told(run_id, at)
    is_now = at is None
    execution = replay.execution
    return {
        "run": row.run_id,
        "workflow": row.workflow,
        "version": row.version[:12],
        "version since tick": engine.version_since(run_id) or None,
        "key": row.key,
        "status": " ".join(filter(None, [row.status, engine.note_on(row)])) if is_now else "",
        "worker": engine.worker_on(row) if is_now else "",
        "started": moment(row.started),
        "ended": moment(row.ended) if is_now else "",
        "recoveries": row.recoveries,
        "tick": replay.seq,
        "told since tick": replay.first or None,
        "at": "" if is_now else moment(execution.at),
        "waits": [wait_of(one) for one in engine.waits_of(run_id)] if is_now else [],
        "questions": questions_of(engine, run_id, replay, is_now=is_now),
        "pending events": pending_of(execution),
        "posted": [posted_of(one) for one in engine.posted_to(run_id)] if is_now else [],
        "messages": [message_of(one) for one in engine.messages_of(run_id)] if is_now else [],
        "state": state_of(execution),
        "outcome": outcome_of(execution.outcome),
        "steps": [step_of(line) for line in replay.lines()],
        "searches": list(searches_of(engine, run_id, replay, with_parts=is_now)),
        "agents": list(turns_of(engine, run_id, replay)) if is_now else [],
    }


def turns_of(engine: Engine, run_id: str, replay: Replay, above: str = "") -> Iterator[dict[str, Any]]:
    """Yield what the agents have done that work for a run, by places such as `settle/turn 3/refund`.

    Args:
        above: The place of the agent that the run is the work of, with `/`.
    """
    lines = {line.number: line for line in replay.lines()}
    for part in engine.parts_of(run_id):
        number = part.removeprefix(f"{run_id}/").split("/")[-1].partition(".")[0]
        begun_by = lines.get(int(number)) if number.isdecimal() else None
        if begun_by is None:
            continue
        place = f"{above}{begun_by.place or begun_by.step}/"
        told = engine.told(part)
        if told.execution.plan.places is None:
            continue  # a workflow, and no agent
        for line in told.lines():
            if line.place:
                yield {"place": f"{place}{line.place}", **step_of(line), "run": part}
        yield from turns_of(engine, part, told, place)


def searches_of(engine: Engine, run_id: str, replay: Replay, *, with_parts: bool) -> Iterator[dict[str, Any]]:
    """Yield what the steps of a run have searched, then what the agents have that work for it."""
    for seq, search in replay.searches:
        if replay.counts(seq):
            yield {
                "run": run_id,
                "tick": seq,
                "step": search.step_name,
                "query": search.query,
                "collections": list(search.collections),
                "considered": search.considered,
            }
    for part in engine.parts_of(run_id) if with_parts else ():
        told = engine.told(part)
        if told.execution.plan.places is not None:
            yield from searches_of(engine, part, told, with_parts=True)


def wait_of(wait: Any) -> str:
    until = f" until {moment(wait.until)}" if wait.until is not None else ""
    return f"{wait.step} waits for {wait.what}{until}"


def posted_of(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "at": moment(item["at"])}


def message_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return what people were told of a run, or are to be told, with what has become of it."""
    return {**message, "at": moment(message["at"]), "ended": moment(message["ended"]) or None}


def questions_of(engine: Engine, run_id: str, replay: Replay, *, is_now: bool) -> list[dict[str, Any]]:
    if not is_now:
        from wfc.runtime.driver.run.questions import open_questions

        return [{"task": one.id, "title": one.title} for one in open_questions(replay.execution)]
    return [
        {"task": task.task_id, "title": task.title, "expires": moment(task.expires)}
        for task in engine.tasks(run_id=run_id)
    ]


def outcome_of(outcome: Any) -> Any:
    """Return how a run ended: its end event as data, or its error as a text."""
    if outcome is None or isinstance(outcome, Exception):
        return None if outcome is None else f"{type(outcome).__name__}: {outcome}"
    from wfc.compiler.cli.following import ended_by

    end = ended_by(outcome)
    return {"event": end.name, "with": end.values}


def step_of(line: Any) -> dict[str, Any]:
    return {
        "number": line.number,
        "step": line.step,
        "took": line.took,
        "began": moment(line.began),
        "seconds": None if line.ended is None else round((line.ended - line.began) / SECOND, 3),
        "attempts": line.attempts,
        "status": "undone" if line.is_undone else line.status,
        "gave": line.gave,
        "error": line.error,
        "tokens": line.tokens,
        "cost_usd": round(line.cost_usd, 6),
    }


def steps_of(steps: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[object]]]:
    """Return step runs as the names and rows of a table."""
    names = ["number", "step", "took", "began", "seconds", "attempts", "status", "gave", "error"]
    names += [name for name in ("tokens", "cost_usd") if any(step[name] for step in steps)]
    return names, [[cell(step[name]) for name in names] for step in steps]


def turns_as_rows(turns: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[object]]]:
    """Return what agents have done as the names and rows of a table, in the order in which it began."""
    names = ["place", "began", "seconds", "attempts", "status", "error"]
    ordered = sorted(turns, key=lambda each: str(each["began"]))
    return names, [[cell(each[name]) for name in names] for each in ordered]


def cell(value: object) -> object:
    if value is None:
        return ""
    return value[:LONGEST] + "…" if isinstance(value, str) and len(value) > LONGEST else value


def task_as_data(task: TaskRow) -> dict[str, Any]:
    """Return a task as plain data."""
    row = task._asdict()
    for name in ("about", "assigned", "delegations"):
        del row[name]
    passed_on = [one._asdict() for one in task.passed_on]
    return {**row, **task.about, "assign": task.assign, "passed_on": passed_on}
