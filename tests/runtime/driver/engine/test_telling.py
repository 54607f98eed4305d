"""What people are told of stored runs: at least once each, with bounds, and never of runs that tell."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from waiting import until

from wfc.runtime import Child, Engine, Question, Record, StartEvent, StopEvent, Workflow, pause, step
from wfc.runtime.driver.engine.telling import MOST_ATTEMPTS, Teller, sender
from wfc.runtime.errors import WorkflowError
from wfc.runtime.store.sql.messages import messages_of, take_messages
from wfc.schemas.tell import WHAT, Tell

ALL = Tell(frozenset(WHAT), people={"user:ann": "ann@example.com"})


class Answer(Record):
    ok: bool


class Asking(Workflow):
    @pause
    async def ask(self, ev: StartEvent) -> Question[Answer]:
        return Question(Answer, title="May it?", assign=["user:ann", "user:bob"])

    @ask.then
    def asked(self, ev: StartEvent, result: Answer) -> StopEvent:
        return StopEvent(result=result.ok)


class Failing(Workflow):
    @step
    async def break_down(self, ev: StartEvent) -> StopEvent:
        raise ValueError("no tea")


class Stuck(Workflow):
    @step
    async def end(self, ev: StartEvent) -> StopEvent | None:
        return None


class Late(Workflow):
    @step
    async def sleep(self, ev: StartEvent) -> StopEvent:
        await asyncio.sleep(30)
        return StopEvent()


class Above(Workflow):
    @pause
    async def call(self, ev: StartEvent) -> Child[StopEvent]:
        return Child(Failing, {})

    @call.then
    def called(self, ev: StartEvent, result: StopEvent) -> StopEvent:
        return result


def within(store: str | Path, main: Callable[[Engine], Awaitable[Any]]) -> Any:
    engine = Engine(store=store)
    try:
        return asyncio.run(main(engine))  # type: ignore[arg-type]
    finally:
        engine.close()


class Told:
    """Gets messages, or refuses as many as it is told to."""

    def __init__(self, refuses: int = 0) -> None:
        self.refuses = refuses
        self.tries = 0
        self.messages: list[Mapping[str, Any]] = []

    async def send(self, message: Mapping[str, Any]) -> None:
        self.tries += 1
        if self.tries <= self.refuses:
            raise WorkflowError("nobody is at home")
        self.messages.append(message)


def teller(engine: Engine, told: Told, notes: list[str] | None = None) -> Teller:
    return Teller(engine, ALL, told.send, ([] if notes is None else notes).append, first_wait=0.001)


def test_an_open_question_and_its_passing_on_are_told_to_whom_they_ask(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        handler = Asking(engine=engine).run(run_id="one")
        await until(engine.tasks)
        await telling.pass_on()
        (message,) = told.messages
        assert message["what"] == "task"
        assert (message["title"], message["step"], message["task"]) == ("May it?", "ask", "one/ask/1")
        assert (message["assign"], message["to"]) == (["user:ann", "user:bob"], ["ann@example.com"])
        assert message["command"] == "wfc tasks show one/ask/1"
        await engine.delegate("one/ask/1", "user:cleo", by="user:bob", because="ill")
        await telling.pass_on()
        await telling.pass_on()
        (_, message) = told.messages
        assert (message["assign"], message["because"]) == (["user:ann", "user:cleo"], "ill")
        await engine.answer("one/ask/1", {"ok": True}, by="user:ann")
        await handler
        await telling.pass_on()
        assert len(told.messages) == 2, "an end that is well is not told"

    within(store, main)


def test_a_question_that_is_closed_by_then_is_not_told(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        handler = Asking(engine=engine).run(run_id="one")
        await until(engine.tasks)
        await engine.answer("one/ask/1", {"ok": True}, by="user:ann")
        await handler
        await telling.pass_on()
        assert told.tries == 0
        (message,) = engine.store.select(partial(messages_of, run_id="one"))
        assert message["became"] == "the question was closed before"

    within(store, main)


@pytest.mark.parametrize(
    ("workflow", "what", "said", "step"),
    [
        (Failing, "failed", "no tea", "break_down"),
        (Stuck, "stuck", "no end event can come", ""),
        (Late, "late", "50 ms", ""),
    ],
)
def test_a_run_that_goes_wrong_is_told(
    store: str | Path, workflow: type[Workflow], what: str, said: str, step: str
) -> None:
    async def main(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        timeout = 0.05 if workflow is Late else 30.0
        with pytest.raises(WorkflowError):
            await workflow(engine=engine, disable_validation=True, timeout=timeout).run(run_id="one")
        await telling.pass_on()
        (message,) = told.messages
        assert (message["what"], message["step"], message["run"]) == (what, step, "one")
        assert said in message["error"]
        assert message["command"] == "wfc runs show one"

    within(store, main)


def test_the_failure_of_a_part_is_told_as_that_of_the_run_above(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        with pytest.raises(WorkflowError):
            await Above(engine=engine).run(run_id="one")
        await telling.pass_on()
        assert [(one["what"], one["run"]) for one in told.messages] == [("failed", "one")]

    within(store, main)


def test_quiet_runs_and_what_they_start_are_not_told(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        engine.add(Above)
        engine.add(Failing)
        await engine.enqueue(Above(engine=engine), StartEvent(), "one", is_quiet=True)
        with pytest.raises(WorkflowError):
            await (await engine.resume("one"))
        await telling.pass_on()
        assert told.tries == 0

    within(store, main)


def test_a_message_is_tried_again_with_bounds_and_who_gives_up_says_so_once(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        told, notes = Told(refuses=10**6), list[str]()
        telling = teller(engine, told, notes)
        with pytest.raises(WorkflowError):
            await Failing(engine=engine).run(run_id="one")
        end = time.monotonic() + 240
        while not notes:
            await telling.pass_on()
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        await telling.pass_on()
        assert told.tries == MOST_ATTEMPTS
        assert len(notes) == 1 and "given up after 8 attempts: nobody is at home" in notes[0]
        (message,) = engine.store.select(partial(messages_of, run_id="one"))
        assert (message["attempts"], message["ended"] is not None) == (8, True)

    within(store, main)


def test_a_message_whose_sender_dies_is_sent_by_another_under_the_same_id(store: str | Path) -> None:
    taken: list[Any] = []

    async def dies(engine: Engine) -> None:
        teller(engine, Told())
        with pytest.raises(WorkflowError):
            await Failing(engine=engine).run(run_id="one")
        taken.extend(await engine.store.write(partial(take_messages, seconds=0.05, most=10)))

    async def another(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        while not told.messages:
            await telling.pass_on()
            await asyncio.sleep(0.01)
        assert [one["id"] for one in told.messages] == [one.message_id for one in taken]

    within(store, dies)
    within(store, another)


@pytest.fixture
def hook() -> Iterator[Any]:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.got.append((self.path, self.headers["Idempotency-Key"], json.loads(body)))  # type: ignore[attr-defined]
            self.send_response(503 if len(server.got) == 1 else 204)  # type: ignore[attr-defined]
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    server.got = []  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("is_secret", [False, True])
def test_an_address_gets_each_message_as_json_again_if_it_refuses(
    store: str | Path, hook: Any, is_secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{hook.server_port}/hooks/9a8b7c6d5e"
    monkeypatch.setenv("HOOK", address)
    tell = Tell(frozenset(WHAT), secret="HOOK") if is_secret else Tell(frozenset(WHAT), address=address)

    async def main(engine: Engine) -> None:
        telling = Teller(engine, tell, sender(tell, Path.cwd()), print, first_wait=0.001)
        with pytest.raises(WorkflowError):
            await Failing(engine=engine).run(run_id="one")
        end = time.monotonic() + 240
        while len(hook.got) < 2:
            await telling.pass_on()
            if is_secret and len(hook.got) == 1:
                (message,) = engine.store.select(partial(messages_of, run_id="one"))
                assert "503" in message["became"] and "9a8b7c6d5e" not in message["became"]
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        (path, key, body), (_, again, _) = hook.got
        assert (path, key, body["id"]) == ("/hooks/9a8b7c6d5e", again, key)
        assert body["what"] == "failed"
        await telling.pass_on()
        assert len(hook.got) == 2

    within(store, main)


def test_nothing_is_noted_where_nobody_is_told(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        with pytest.raises(WorkflowError):
            await Failing(engine=engine).run(run_id="one")
        assert engine.store.select(partial(messages_of, run_id="one")) == []

    within(store, main)


def test_a_run_that_is_given_up_is_told_as_dead(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        told = Told()
        telling = teller(engine, told)
        await engine.enqueue(Failing(engine=engine), StartEvent(), "one")

        def wear_out(connection: Any) -> None:  # as if its processes had died again and again
            connection.execute("UPDATE runs SET status = 'live', recoveries = 10, claimed_seq = 0")

        await engine.store.write(wear_out)
        assert await engine.store.claim() == []
        assert engine.show("one").status == "dead"
        await telling.pass_on()
        (message,) = told.messages
        assert (message["what"], message["run"]) == ("dead", "one")
        assert "10 times in a row" in message["error"]

    within(store, main)
