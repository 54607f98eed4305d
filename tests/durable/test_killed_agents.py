"""Agents are killed after each tick in turn, real processes over a store, and go on: the end is the same, and no call
that is recorded is made again.

The specs and their scripts are those by which agents were designed; the models answer over HTTP. There is a run of
its own for each tick, at two places: ``advanced``, where nothing is recorded yet, and ``committed``. Whoever takes it
up dies, too, and a third process brings it to its end: ``pytest -m slow tests/durable/test_killed_agents.py -s``.
The ordinary suite has a few of these.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from durable_flows import workflow_of
from model_wire import Asked, Call, Reply, Service, serving
from playing import Nursery
from stores import KEEPERS

from wfc.compiler.cli.programs import compiled_here
from wfc.compiler.cli.spec_tests import spec_test
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load
from wfc.runtime.calls.transcripts import ANSWER_TOOL
from wfc.runtime.events import event_name
from wfc.runtime.testing import ScriptedReply, SpecTest

TESTS = Path(__file__).parents[1]
DESIGNED = TESTS / "specs" / "agents"
LANGUAGE = TESTS.parent / "docs" / "language"

MODULES = {
    "shop": ["find_order", "refund", "voucher"],
    "web": ["search"],
    "sums": ["calculate"],
    "trips": ["flights", "hotel"],
}
"""The modules of the tools, each with its functions, which note each call."""

TOOL = """
async def {name}(**given):
    note("{name}", given)
    return {gives!r}
"""

NOTING = """
import json, os

def note(call, given):
    given.pop("token", None)  # a secret, which the tool needs and no note
    handle = os.open(os.environ["WFC_EFFECTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (json.dumps([call, given], default=str, sort_keys=True) + "\\n").encode())
    os.close(handle)
"""

GIVES = {
    "find_order": {"item": "pen 9417", "city": "Oslo", "shipped": True},
    "refund": {"number": "R-1"},
    "voucher": {"code": "V-1"},
    "search": ["a book about tea"],
    "calculate": 31415.25,
    "flights": ["at nine"],
    "hotel": {"number": "H-1"},
}
MARKS = {
    "find_order": "pen 9417",
    "refund": "R-1",
    "voucher": "V-1",
    "search": "about tea",
    "calculate": "31415.25",
    "flights": "at nine",
    "hotel": "H-1",
    "weather": "-3417",
}
"""The words of each tool's result by which it is known in a journal."""


@dataclass(frozen=True)
class Killed:
    """A spec whose agents are killed.

    Args:
        files: The spec, and what lies beside it.
        who: Of each agent, or step, the words by which its requests are known.
        script: What its models reply; by itself what the first test of the spec has.
        answers: What people answer to the question with this in its title.
    """

    files: Sequence[Path]
    who: dict[str, str]
    answers: dict[str, Any] = field(default_factory=dict)
    script: dict[str, list[ScriptedReply]] | None = None
    gives: dict[str, Any] = field(default_factory=dict)


THOUGHTS = {
    "propose": [
        ScriptedReply(
            give=[{"answer": "I look.", "calls": [{"tool": "find_order", "args": '{"order_id": "A"}'}]}]
        ),
        ScriptedReply(give=[{"answer": "It is in Oslo.", "calls": []}], shown="9417 in Oslo"),
    ],
    "look": [
        ScriptedReply(give=[{"good": True, "instead": "no first"}], shown="find_order"),
        ScriptedReply(give=[{"good": True, "instead": "no second"}], shown="It is in Oslo."),
    ],
}

KILLED = {
    "order_desk": Killed(
        [DESIGNED / "s01_desk.yaml", DESIGNED / "desk.openapi.yaml"], {"answer": "You answer customers."}
    ),
    "report_desk": Killed(
        [DESIGNED / "s04_supervisor.yaml"],
        {
            "chief": "You lead a team.",
            "researcher": "Find facts and say",
            "mathematician": "Use the tool for every",
            "writer": "Write short reports.",
        },
    ),
    "travel_chat": Killed(
        [DESIGNED / "s05_swarm.yaml"], {"flights": "You find flights.", "hotels": "You book hotels in"}
    ),
    "refund_desk": Killed(
        [DESIGNED / "s07_approval.yaml"],
        {"settle": "You settle complaints."},
        {
            "Refund": {"decision": "change", "args": {"amount": "50"}},
            "voucher": {"decision": "refuse", "note": "too much already"},
        },
    ),
    "lost_and_found": Killed(
        [LANGUAGE / "own_style.yaml", LANGUAGE / "second_thoughts.yaml"],
        {"propose": "Call tools until you know", "look": "Is this a good reply?"},
        {"find_order": {"decision": "continue"}},
        THOUGHTS,
        {"find_order": "a pen 9417 in Oslo"},
    ),
}


MOST_KILLS = 300
"""More than any of these runs has ticks."""


class Scripts:
    """Answers as the scripts of a run say; a question that is asked again gets the same answer, word for word."""

    def __init__(self, who: dict[str, str], script: dict[str, Sequence[ScriptedReply]]) -> None:
        self._who = who
        self._left = {name: list(enumerate(replies)) for name, replies in script.items()}
        self._given: dict[str, tuple[str, Reply]] = {}
        self.asked: Counter[str] = Counter()
        self.marks: dict[str, str] = {}

    def answer(self, asked: Asked) -> Reply:
        if asked.text not in self._given:
            self._given[asked.text] = self._new(asked)
        name, reply = self._given[asked.text]
        self.asked[name] += 1
        return reply

    def _new(self, asked: Asked) -> tuple[str, Reply]:
        agent = next(name for name, words in self._who.items() if words in asked.text)
        fits = (
            (place, number, one)
            for place, (number, one) in enumerate(self._left[agent])
            if one.asked in asked.text and one.shown in asked.text
        )
        place, number, found = next(fits)
        del self._left[agent][place]
        name = f"{agent} {number}"
        reply = as_reply(found, asked, name)
        self.marks[name] = reply.calls[0].id if reply.calls else found.say or first_text(found.give[0])
        return name, reply

    def unused(self) -> list[str]:
        """The replies that nobody has asked for."""
        return [f"{name} {number}" for name, left in self._left.items() for number, _ in left]


def first_text(record: Any) -> str:
    """Return the first text in a record, by which it is known in a journal."""
    return next(value for value in record.values() if isinstance(value, str))


def as_reply(said: ScriptedReply, asked: Asked, name: str) -> Reply:
    """Return a scripted reply as the service gives it, with ids by which it is known in a journal."""
    known = name.replace(" ", "-")
    if said.give and not asked.tools:
        return Reply(record=said.give[0])
    if said.give:
        return Reply(calls=[Call(ANSWER_TOOL, said.give[0], f"{known}-0")])
    calls = [
        Call(tool if tool in asked.tools else f"hand_over_to_{tool}", dict(args), f"{known}-{at}")
        for at, (tool, args) in enumerate(said.calls)
    ]
    assert {each.tool for each in calls} <= set(asked.tools)
    return Reply(text=said.say, calls=calls)


class Stage:
    """Where one spec's runs are played."""

    def __init__(self, name: str, folder: Path, service: Service, case: SpecTest) -> None:
        self.name = name
        self.killed = KILLED[name]
        self.case = case
        self.folder = folder
        self.service = service
        self.effects = folder / "effects.log"
        files = {path.name: path.read_text(encoding="utf-8") for path in self.killed.files}
        gives = {**GIVES, **self.killed.gives}
        for module, functions in MODULES.items():
            files[f"{module}.py"] = NOTING + "".join(
                TOOL.format(name=each, gives=gives[each]) for each in functions
            )
        environment = {"WFC_FLOWS": name, "WFC_MODELS_AT": service.url, "WFC_WEATHER_URL": service.url}
        environment |= dict.fromkeys(("K", "OPENAI_API_KEY", "DESK_TOKEN", "BANK_TOKEN"), "none")
        self.nursery = Nursery(folder, files=files, **environment)
        service.get = self._weather
        self.weather = 0
        self.numbers = itertools.count(1)

    def _weather(self, path: str) -> Any:
        self.weather += 1
        return {"celsius": -3417, "storm": True}

    def play(self, run_id: str, point: str) -> bool:
        """Let a process work on a run, up to a point or its end; return whether it was killed."""
        start = dict(self.case.start)
        about = {
            "inputs": start
            | {key: f"{value} {run_id}" for key, value in start.items() if key == "traveller"},
            "answers": self.killed.answers,
            "messages": [
                (each.event, {**each.fields, "traveller": f"{each.fields['traveller']} {run_id}"})
                for each in self.case.deliver
            ],
        }
        pid = self.nursery.ask("talk", flow=self.name, run_id=run_id, point=point, **about)
        return self.nursery.wait(pid, f"{run_id} {point}")

    def ticks(self, run_id: str) -> list[str]:
        """What is recorded of a run and its parts."""
        query = (
            "SELECT body FROM ticks JOIN runs USING (run) WHERE run_id = ? OR run_id LIKE ? ORDER BY run, seq"
        )
        with contextlib.closing(sqlite3.connect(self.folder / "runs.db")) as connection:
            rows = connection.execute(query, (run_id, f"{run_id}/%")).fetchall()
        return [bytes(body).decode() if not isinstance(body, str) else body for (body,) in rows]

    def under_way(self, run_id: str) -> int:
        """How many runs are not over: a run and its parts."""
        query = "SELECT count(*) FROM runs WHERE ended IS NULL AND (run_id = ? OR run_id LIKE ?)"
        with contextlib.closing(sqlite3.connect(self.folder / "runs.db")) as connection:
            return int(connection.execute(query, (run_id, f"{run_id}/%")).fetchone()[0])

    def end(self, run_id: str) -> dict[str, Any]:
        """The event with which a run has ended, and its fields."""
        with contextlib.closing(KEEPERS["sqlite"].open(self.folder)) as engine:
            engine.add(workflow_of(self.folder, self.name, engine))
            assert engine.show(run_id).status == "done", self.nursery.judge.folder
            assert KEEPERS["sqlite"].problems(engine) == []
            event = engine.outcome(run_id)
        return {"event": event_name(event), **event.model_dump(mode="json")}


class Watched:
    """A run whose calls are counted: which of them are recorded, and how often each was made.

    Args:
        run_id: Its name, which no other run of these tests has.
    """

    def __init__(self, stage: Stage, run_id: str) -> None:
        self.stage = stage
        self.run_id = run_id
        self.scripts = Scripts(stage.killed.who, dict(stage.killed.script or stage.case.script))
        self.recorded: dict[str, int] = {}
        self.kills = 0
        stage.service.answer = self.scripts.answer
        stage.weather = 0
        stage.effects.write_text("")

    def play(self, point: str) -> bool:
        """Let a process work on it; what was recorded before is not done again. Return whether it was killed."""
        killed = self.stage.play(self.run_id, point)
        self.kills += killed
        made = self.made()
        again = {call: made[call] for call, times in self.recorded.items() if made[call] != times}
        assert not again, f"{point}: recorded, and made again: {again}"
        ticks = self.stage.ticks(self.run_id)
        self.recorded = {name: made[name] for name in made if self.is_recorded(name, ticks)}
        return killed

    def is_recorded(self, call: str, ticks: list[str]) -> bool:
        """Whether the result of a call is in a journal; of replies that say the same the first ones are."""
        marks = self.scripts.marks
        if call not in marks:
            return any(MARKS[call] in tick for tick in ticks)
        alike = [name for name in marks if marks[name] == marks[call]]
        said = f'"text":{json.dumps(marks[call])}'  # beside what else of it is told to others
        judged = [tick for tick in ticks if '"reply":{' in tick and said in tick]
        return len(judged) > alike.index(call) or (
            len(alike) == 1 and len(marks[call]) > 2 and any(marks[call] in tick for tick in ticks)
        )

    def made(self) -> Counter[str]:
        """How often each call was made so far."""
        noted = [json.loads(line)[0] for line in self.stage.effects.read_text().splitlines()]
        return self.scripts.asked + Counter(noted) + Counter({"weather": self.stage.weather})

    def judge(self) -> None:
        """Hold its end, and its calls, against what they are if nobody is killed."""
        expected = self.stage.case.expect
        end = self.stage.end(self.run_id)
        assert end["event"] == expected["end"]
        assert end.items() >= expected.get("with", {}).items()
        assert self.recorded.keys() == self.made().keys()
        assert self.scripts.unused() == []


@pytest.fixture(scope="module", params=KILLED)
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    path = KILLED[request.param].files[0]
    source = load(str(path))
    resolved = compiled_here(source.raw, source.path, project_of([source])).workflow
    assert resolved is not None and resolved.name == request.param
    with serving(lambda asked: Reply(status=500)) as service:
        stage = Stage(
            request.param, tmp_path_factory.mktemp(request.param), service, spec_test(resolved.tests[0])
        )
        with contextlib.closing(stage.nursery):
            yield stage


def test_nobody_is_killed(stage: Stage) -> None:
    run = Watched(stage, "whole")
    assert not run.play("")
    run.judge()
    assert set(run.made().values()) == {1}


def play_killed(stage: Stage, place: str, number: int) -> bool:
    """Kill the process of a run at its tick of a number, and the next one when it has taken the run up; return whether
    the run has so many.
    """
    run = Watched(stage, f"{place}-{number}-{next(stage.numbers)}")
    killed = run.play(f"{place}:{number}")
    if killed and run.play("recovered:1"):
        assert not run.play("")
    run.judge()
    assert max(run.made().values()) <= 3
    return killed


@pytest.mark.parametrize("number", [3, 8])
def test_killed_at_a_tick(stage: Stage, number: int) -> None:
    assert play_killed(stage, "committed", number)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["advanced", "committed"])
def test_killed_at_each_tick(stage: Stage, place: str) -> None:
    number = next(each for each in range(1, MOST_KILLS) if not play_killed(stage, place, each))
    print(f"{stage.name}: killed at {number - 1} ticks, {place}")
    assert number > 10
