"""Talks that are kept: shown again, to whoever was at work last, one step run at a time, nothing lost or said twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from desk_flow import (
    FindArgs,
    Task,
    TurnModel,
    assert_valid,
    call,
    calls,
    hand_over_to,
    in_turn,
    says,
    talking,
)

from wfc.runtime import Engine, StepError
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.threads import KeptThread, first_to_keep
from wfc.runtime.calls.transcripts import Said, TurnReply, TurnRequest
from wfc.runtime.records import File
from wfc.runtime.store.threads import MemoryThreads, ThreadKey
from wfc.runtime.testing import run_virtually

TALK = KeptThread("desk.talk")


async def find(_context: Any, args: FindArgs) -> str:
    return f"{args.order_id} is here"


FIND = AgentTool("find", find, FindArgs)


def shown(request: TurnRequest) -> list[str]:
    """What a model is shown of a talk, in short."""
    return [one.text or "".join(each.text for each in one.answers) or "calls" for one in request.said]


def talk(kind: Any, *questions: str, store: str | None = None) -> list[str]:
    """What is answered to questions, each in a run of its own."""

    async def main() -> list[str]:
        engine = Engine(store=store)
        engine.add(kind)
        found = [(await kind(engine=engine).run(question=each)).text for each in questions]
        engine.close()
        return found

    return asyncio.run(main())


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_talk_goes_on_in_the_next_run_with_the_same_key(is_stored: bool, tmp_path: Path) -> None:
    find_a = calls(call("find", '{"order_id": "A"}', "a"))
    model = TurnModel(in_turn(find_a, says("one"), says("two"), says("three")))
    store = f"sqlite:///{tmp_path / 'runs.db'}" if is_stored else None
    found = talk(talking(Agent("desk", model, tools=[FIND]), TALK), "ann 1", "bob 2", "ann 3", store=store)
    assert found == ["desk: one", "desk: two", "desk: three"]
    assert [shown(each) for each in model.asked] == [
        ["ann 1"],
        ["ann 1", "calls", "A is here"],
        ["bob 2"],
        ["ann 1", "calls", "A is here", "one", "ann 3"],
    ]


def test_files_are_shown_with_their_prompt_and_kept_in_no_talk() -> None:
    model = TurnModel(in_turn(says(""), says("one"), says("two")))
    receipt = File(name="a.png", media_type="image/png", content="aGVsbG8=")
    kind = talking(Agent("desk", model, max_turns=3, asks_once=True), TALK, files=[receipt])
    assert talk(kind, "ann 1", "ann 2") == ["desk: one", "desk: two"]
    assert [([file.name for file in each.files], each.since, len(each.said)) for each in model.asked] == [
        (["a.png"], 0, 1),
        (["a.png"], 2, 3),  # what was said of an empty answer has come since
        (["a.png"], 0, 3),
    ]


def test_a_stored_talk_goes_on_in_another_process(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    model = TurnModel(in_turn(says("one"), says("two")))
    kind = talking(Agent("desk", model), TALK)
    assert talk(kind, "ann 1", store=store) + talk(kind, "ann 2", store=store) == ["desk: one", "desk: two"]
    assert shown(model.asked[-1]) == ["ann 1", "one", "ann 2"]


def test_the_agent_that_was_handed_over_to_goes_on() -> None:
    first = TurnModel(in_turn(calls(call("hand_over_to_second", '{"task": "cook"}')), says("again first")))
    second = TurnModel(in_turn(says("soup?"), calls(call("hand_over_to_first", '{"task": "back"}', "b"))))
    agents = (
        Agent("first", first, tools=[hand_over_to("second")], args=Task),
        Agent("second", second, tools=[hand_over_to("first")], args=Task, system="You cook."),
    )
    found = talk(talking(agents[0], TALK, [agents[1]]), "ann 1", "ann 2")
    assert found == ["second: soup?", "first: again first"]
    assert second.asked[-1].system == "You cook."
    assert shown(second.asked[-1])[-2:] == ["soup?", "ann 2"]
    for request in (*first.asked, *second.asked):
        assert_valid(request.said)


def test_an_agent_without_tools_is_told_of_calls_in_words() -> None:
    """Providers refuse calls in a transcript where no tools are offered."""
    caller = TurnModel(in_turn(calls(call("find", '{"order_id": "A"}', "a")), says("one")))
    plain = TurnModel(in_turn(says("two")))

    async def main() -> None:
        engine = Engine()
        await talking(Agent("desk", caller, tools=[FIND]), TALK)(engine=engine).run(question="ann 1")
        await talking(Agent("plain", plain), TALK)(engine=engine).run(question="ann 2")

    asyncio.run(main())
    assert not any(one.calls or one.answers for one in plain.asked[0].said)
    assert "(find gave: A is here)" in "\n".join(shown(plain.asked[0]))


def test_what_is_old_is_left_out_at_the_beginning_of_a_turn() -> None:
    model = TurnModel(in_turn(*(says(f"answer {number}") for number in range(1, 5))))
    kind = talking(Agent("desk", model), KeptThread("desk.talk", messages=3))
    talk(kind, *(f"ann {number}" for number in range(1, 5)))
    assert shown(model.asked[-1]) == ["ann 3", "answer 3", "ann 4"]


class SummingUp(TurnModel):
    """A model that sums up, and keeps what it is asked to."""

    async def ask(self, host: Any, prompt: str, **options: Any) -> Any:
        reply = self._answer(TurnRequest([Said(role="user", text=prompt)]))
        self.asked.append(TurnRequest([Said(role="user", text=prompt)]))
        if isinstance(reply, Exception):
            raise reply
        return reply.text


def test_what_is_old_is_summed_up_and_the_summary_with_it_later() -> None:
    model = TurnModel(in_turn(*(says(f"answer {number}") for number in range(1, 5))))
    summing = SummingUp(in_turn(says("S1"), says("S2")))
    kind = talking(Agent("desk", model), KeptThread("desk.talk", messages=2, summarize=summing))
    talk(kind, *(f"ann {number}" for number in range(1, 5)))
    assert shown(model.asked[2]) == [
        "(What was said before, summed up: S1)\n\nann 2",
        "answer 2",
        "ann 3",
    ]
    assert shown(model.asked[3])[0] == "(What was said before, summed up: S2)\n\nann 3"
    assert "ann 1" in summing.asked[0].said[0].text
    assert "summed up: S1" in summing.asked[1].said[0].text


def test_a_summary_that_fails_fails_the_step_and_the_talk_is_as_it_was() -> None:
    model = TurnModel(in_turn(*(says(f"answer {number}") for number in range(1, 5))))
    summing = SummingUp(in_turn(StepError("model.refused", "no"), says("S")))
    kind = talking(Agent("desk", model), KeptThread("desk.talk", messages=2, summarize=summing))
    found = talk(kind, "ann 1", "ann 2", "ann 3", "ann 4")
    assert found[2] == "model.refused: no"
    assert shown(model.asked[-1]) == ["(What was said before, summed up: S)\n\nann 2", "answer 2", "ann 4"]


@pytest.mark.parametrize("seeds", [range(50), pytest.param(range(50, 2000), marks=pytest.mark.full)])
def test_what_is_kept_of_any_transcript_is_one_that_providers_take(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311 - it decides what a test does
        said = list(random_talk(chance))
        thread = KeptThread("t", chance.choice([None, 1, 3, 10]), chance.choice([None, 1, 20]))
        rest = said[first_to_keep(thread, said) :]
        assert_valid([*rest, Said(role="user", text="more")])
        turns = [place for place, one in enumerate(rest) if one.role == "user"]
        if thread.messages is not None and len(turns) > 1:
            assert len(rest) <= thread.messages


def random_talk(chance: random.Random) -> Any:
    for turn in range(chance.randint(1, 6)):
        yield Said(role="user", text="x" * chance.randint(1, 50))
        for number in range(chance.randint(0, 3)):
            wanted = [call("find", "{}", f"{turn}.{number}.{each}") for each in range(chance.randint(1, 3))]
            yield Said(role="model", calls=wanted)
            yield Said(
                role="tools", answers=[{"id": each.id, "tool": "find", "text": "y"} for each in wanted]
            )
        yield Said(role="model", text="answer")


def test_what_stands_in_place_of_the_prompt_is_kept_and_reading_leaves_nothing() -> None:
    model = TurnModel(in_turn(says("one"), says("two"), says("three")))
    agent = Agent("desk", model)

    async def main() -> None:
        engine = Engine()
        for more in ({"kept_as": "short"}, {"read_only": True}, {}):
            await talking(agent, TALK, **more)(engine=engine).run(question="ann long")

    asyncio.run(main())
    assert shown(model.asked[1]) == ["short", "one", "ann long"]
    assert shown(model.asked[2]) == ["short", "one", "ann long"]


def test_a_talk_that_is_over_is_forgotten() -> None:
    async def main() -> tuple[str, str]:
        kept = MemoryThreads(lambda _: False)
        for key, seconds in (("a", -1.0), ("b", 60.0)):
            await kept.take(ThreadKey("t", key), "run")
            await kept.put(ThreadKey("t", key), "run", "said", seconds)
        return await kept.read(ThreadKey("t", "a")), await kept.read(ThreadKey("t", "b"))

    assert asyncio.run(main()) == ("", "said")


def slow(log: list[str]) -> Agent:
    async def wait(_context: Any, args: FindArgs) -> str:
        log.append(f"begin {args.order_id}")
        await asyncio.sleep(5)
        log.append(f"end {args.order_id}")
        return "done"

    def answer(request: TurnRequest) -> TurnReply:
        last = request.said[-1]
        if last.role == "user":
            return calls(call("wait", f'{{"order_id": "{last.text}"}}', f"c{len(request.said)}"))
        return says(str(len(request.said)))

    return Agent("desk", TurnModel(answer), tools=[AgentTool("wait", wait, FindArgs)])


def test_of_one_talk_one_run_is_at_work_and_others_take_their_turns() -> None:
    log: list[str] = []
    kind = talking(slow(log), TALK)

    async def main() -> list[str]:
        engine = Engine()
        asked = ["ann 1", "ann 2", "ann 3", "bob 1"]
        runs = [kind(engine=engine).run(question=each) for each in asked]
        return [(await each).text for each in runs]

    assert run_virtually(main) == ["desk: 3", "desk: 7", "desk: 11", "desk: 3"]
    of_ann = [line for line in log if "ann" in line]
    assert of_ann == ["begin ann 1", "end ann 1", "begin ann 2", "end ann 2", "begin ann 3", "end ann 3"]
    assert log.index("begin bob 1") < log.index("end ann 1")


def test_a_run_that_was_cancelled_holds_nobody_up() -> None:
    log: list[str] = []
    kind = talking(slow(log), TALK)

    async def main() -> str:
        engine = Engine()
        first = kind(engine=engine).run(question="ann 1")
        await asyncio.sleep(1)
        second = kind(engine=engine).run(question="ann 2")
        await asyncio.sleep(1)
        await first.cancel_run()
        return str((await second).text)

    assert run_virtually(main) == "desk: 3"
    assert log == ["begin ann 1", "begin ann 2", "end ann 2"]


def kill_after(commits: int, store: Path, log: Path, run_id: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WFC_CRASH_AT": f"commit:{commits}" if commits else ""}
    program = [
        sys.executable,
        str(Path(__file__).with_name("desk_flow.py")),
        "talk",
        f"sqlite:///{store}",
        str(log),
        run_id,
    ]
    return subprocess.run(program, capture_output=True, text=True, env=environment, timeout=120, check=False)


@pytest.mark.parametrize(
    "commits", [[6], *(pytest.param([each], marks=pytest.mark.full) for each in (1, 2, 3, 4, 5, 7, 8, 9, 10))]
)
def test_a_process_that_is_killed_leaves_the_talk_as_it_was_or_with_all_that_was_said(
    commits: list[int], tmp_path: Path
) -> None:
    store, log = tmp_path / "runs.db", tmp_path / "log"
    assert kill_after(0, store, log, "r1").stdout == "desk: 0 is here\n"
    died = sum(kill_after(each, store, log, "r2").returncode == -signal.SIGKILL for each in commits)
    assert died
    last = kill_after(0, store, log, "r2")
    assert last.stdout == "desk: 0 is here; 1 is here\n" or "is over" in last.stderr, last.stderr
    assert kill_after(0, store, log, "r3").stdout == "desk: 0 is here; 0 is here; 1 is here; 2 is here\n"
    made = Counter(log.read_text().split("\n")[:-1])
    wanted = Counter(f"think {number}" for number in (1, 3, 5, 7, 9, 11)) + Counter(
        f"find {number}" for number in range(3)
    )
    assert made.keys() == wanted.keys()
    assert sum((made - wanted).values()) <= died
