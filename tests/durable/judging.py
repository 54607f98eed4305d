"""What must be true of a run, however often its processes were killed: of its journal, and of its calls."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from durable_flows import Flow, workflow_of
from stores import KEEPERS

from wfc.runtime import Engine

__all__ = ["Judge", "file_of_errors"]

SECOND = 1_000_000_000

LATEST = float(os.environ.get("WFC_LATEST", "120")) * SECOND
"""The nanoseconds by which a timer may be late in a process that is alive: on an idle machine one second is enough."""

_MESSAGES = "message-", "topic-"
"""How the ids of messages begin: of those to one run, and of those under a topic."""

OVER = {"completed", "failed"}
"""The kinds of ticks after which a step run is over."""


def file_of_errors(folder: Path, name: str) -> Path:
    """The file for what the processes of one run say, or the workers on some flows.

    Each has its own, so that one that fails says nothing of the others.
    """
    return folder / f"stderr-{name.replace('/', '~')}.txt"


class Judge:
    """Holds what was kept and noted of runs against what must be true of them."""

    def __init__(self, folder: Path, keeper: str) -> None:
        self.folder = folder
        self.keeper = KEEPERS[keeper]
        self.latest = 0  # the nanoseconds by which the latest timer was late

    def noted(self, what: str, run_id: str = "") -> list[dict[str, Any]]:
        """The lines of a kind of notes: all, or those of a run and its parts."""
        path = self.folder / f"{what}.log"
        if not path.exists():
            return []
        with path.open() as file:
            lines: list[dict[str, Any]] = [json.loads(line) for line in file]
        return [
            one for one in lines if not run_id or one["run"] == run_id or one["run"].startswith(f"{run_id}/")
        ]

    def judge(self, flow: Flow, run_id: str, died: int, *, moved_clock: bool = False) -> None:
        """Holds all against each other.

        Args:
            died: How many processes have died, or were stopped.
            moved_clock: Whether they did not agree on the time, so that moments of theirs say nothing.
        """
        with contextlib.closing(self.keeper.open(self.folder)) as engine:
            engine.add(workflow_of(self.folder, flow.name, engine))
            row = engine.show(run_id)
            assert row.status == "done", f"{run_id}: {row}"
            end = engine.outcome(run_id).model_dump()
            assert end == flow.end, f"{run_id}: {end}"
            assert self.keeper.problems(engine) == [], run_id
            assert not engine.tasks(run_id=run_id), run_id
            parts = [row for row in engine.list_runs() if row.run_id.startswith(f"{run_id}/")]
            assert all(row.ended is not None for row in parts), f"{run_id}: not all parts are over: {parts}"
            ids = {row.run_id for row in parts}
            for each in sorted({run_id, *ids}):
                self.journal(engine, each, moved_clock=moved_clock)
        assert self.noted("differences", run_id) == []
        self.silence(flow, run_id)
        self.calls(flow, run_id, died)
        if not moved_clock:
            self.not_again(run_id)

    def silence(self, flow: Flow, run_id: str) -> None:
        """No process has said anything: neither one with the run, nor a worker on its workflow."""
        for file in self.folder.glob("stderr*.txt"):
            name = file.stem.removeprefix("stderr-")
            if (
                file == file_of_errors(self.folder, run_id)
                or flow.name in name.split("+")
                or name == "stderr"
            ):
                said = file.read_text()
                assert not said, f"a process has said something: {said[:3000]}"

    # --- the journal

    def journal(self, engine: Engine, run_id: str, *, moved_clock: bool = False) -> None:
        """All that was ever read or recorded of a journal is one list, without a gap, that was never changed."""
        ticks: dict[int, list[Any]] = {}
        kept = [(tick.seq, [tick.kind, tick.at, *tick.data]) for tick in engine.history(run_id)]
        kept += [(seq, json.loads(body)) for seq, body in self.keeper.pruned(engine, run_id)]
        kept += [
            (one["seq"], json.loads(one["body"])) for one in self.noted("recorded") if one["run"] == run_id
        ]
        for seq, body in kept:
            assert ticks.setdefault(seq, body) == body, f"{run_id}: the tick {seq} was another one once"
        assert sorted(ticks) == list(range(1, len(ticks) + 1)), f"{run_id}: gaps in {sorted(ticks)}"
        ordered = [ticks[seq] for seq in sorted(ticks)]
        moments = [tick[1] for tick in ordered]
        assert moments == sorted(moments), f"{run_id}: time went back"
        self.answers(run_id, ordered)
        if not moved_clock:
            self.timers(run_id, ordered)

    def answers(self, run_id: str, ticks: list[list[Any]]) -> None:
        """What was acknowledged is taken once, in its order."""
        said = [one["by"] for one in self.noted("acknowledged") if one["run"] == run_id]
        messages = list(dict.fromkeys(by for by in said if by.startswith(_MESSAGES)))
        arrived = [text for tick in ticks if tick[0] == "arrived" for text in _messages_in(tick)]
        assert arrived[: len(messages)] == messages, f"{run_id}: {arrived} of {messages}"
        assert len(arrived) == len(set(arrived)), f"{run_id}: a message was taken twice"
        answered = [(tick[2], json.dumps(tick[3:])) for tick in ticks if tick[0] == "answered"]
        assert len(answered) == len(set(answered)), f"{run_id}: an answer was taken twice"

    def timers(self, run_id: str, ticks: list[list[Any]]) -> None:
        """No timer is early, and in a process that is alive none is late."""
        for due, fired, since in timers_in(ticks):
            assert fired >= due, f"{run_id}: a timer was {due - fired} ns early"
            late = fired - max(due, since)
            self.latest = max(self.latest, late)
            assert late < LATEST, f"{run_id}: a timer was {late / 1e9} s late"

    # --- the calls

    def calls(self, flow: Flow, run_id: str, died: int) -> None:
        lines = self.noted("effects", run_id)
        begun = [one for one in lines if one["what"] == "begin"]
        made = Counter((one["call"], one["n"]) for one in begun)
        expected = Counter(flow.expected)
        assert made.keys() - expected.keys() == set(), f"{run_id}: calls that nobody wanted"
        missing = {call: count for call, count in (expected - made).items() if call not in flow.may_miss}
        assert not missing, f"{run_id}: {missing} are missing"
        extra = sum((made - expected).values())
        assert extra <= died * flow.at_once, f"{run_id}: {extra} calls too many for {died} deaths"
        if flow.is_alone:
            under_way: set[int] = set()  # in which processes, of which some have died
            for one in lines:
                if one["what"] == "begin":
                    assert one["process"] not in under_way, f"{run_id}: {one} began beside another call"
                    under_way.add(one["process"])
                else:
                    under_way.discard(one["process"])
        if flow.in_order:
            numbers = [one["n"] for one in begun]
            assert numbers == sorted(numbers), f"{run_id}: {numbers}"
        keys = defaultdict(set)
        for one in begun:
            keys[one["key"]].add((one["run"], one["call"], one["n"]))
        assert all(len(calls) == 1 for calls in keys.values()), f"{run_id}: one key, several calls: {keys}"

    def not_again(self, run_id: str) -> None:
        """No call of a step run begins after its end was known to be recorded."""
        over: dict[str, int] = {}
        for one in self.noted("recorded", run_id):
            kind, _, *data = json.loads(one["body"])
            if kind in OVER:
                over.setdefault(f"{one['run']}/{data[0]}", one["at"])
        for one in self.noted("effects", run_id):
            parts = one["key"].rsplit("/", 2)
            done = over.get(f"{parts[0]}/{parts[-1]}")
            assert done is None or one["what"] == "end" or one["at"] <= done, (
                f"{run_id}: {one} began again after its end"
            )


def timers_in(ticks: list[list[Any]]) -> Iterator[tuple[int, int, int]]:
    """Yield of waits, retries and a deadline when each was due, when it came, and since when its process was alive."""
    due: dict[int, int] = {}
    deadline, alive = 0, 0
    for kind, at, *data in ticks:
        if kind == "recovered":
            alive = at
        elif kind == "started" and data[3] is not None:
            deadline = deadline or at + round(data[3] * SECOND)
        elif kind == "paused" and data[1]["kind"] == "Delay":
            due[data[0]] = at + round(data[1]["seconds"] * SECOND)
        elif kind == "attempt-failed":  # of which only the end of the next attempt is seen
            due[data[0]] = at + round(data[1] * SECOND)
        elif kind == "cancelled" and "WorkflowTimeoutError" in json.dumps(data):
            yield deadline, at, alive
        elif kind in OVER and data[0] in due:
            yield due.pop(data[0]), at, alive


def _messages_in(tick: list[Any]) -> list[str]:
    return [one for one in _texts_in(tick) if one.startswith(_MESSAGES)]


def _texts_in(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for one in inner for text in _texts_in(one)]
