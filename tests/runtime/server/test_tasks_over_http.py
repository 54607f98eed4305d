"""Questions are listed, answered, passed on, and answered by links, each by whom it is for, and once."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgi_client import KEY, PRINCIPALS, TOKENS, Client, Served, serving, started, until
from postgres_server import KINDS
from served_flows import Both

from wfc.runtime import Question, Record, StartEvent, StopEvent, Unmet, Workflow, pause
from wfc.runtime.errors import InvalidAnswerError
from wfc.runtime.server.access import Principal, digest_of
from wfc.runtime.server.links import TaskLink, write_link
from wfc.runtime.server.refusals import problem_of


async def asked(client: Client) -> tuple[str, str]:
    """Start a run that asks; return its id, and that of the question."""
    run = await started(client, "approval", text="it")
    await until(client, run, "parked")
    found = (await client.get("/v1/tasks")).json["tasks"]
    (task,) = (one["task"] for one in found if one["run"] == run)
    return run, task


def test_a_question_is_answered_by_one_of_those_who_are_asked(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run, task = await asked(client)
        bob = client.as_("bob")
        (listed,) = (await bob.get("/v1/tasks")).json["tasks"]
        assert listed["title"] == "May it go out?"
        assert listed["assign"] == ["group:leads"]
        shown = (await bob.get(f"/v1/tasks/{task}")).json
        assert set(shown["form"]["properties"]) == {"ok", "note"}
        wrong = await bob.post(f"/v1/tasks/{task}/answer", {"answer": {"ok": "yes"}})
        assert (wrong.status, wrong.code) == (422, "answer.invalid")
        refused = await bob.post(f"/v1/tasks/{task}/answer", {"answer": {"ok": False}})
        assert (refused.status, refused.code) == (422, "answer.invalid")
        assert "a refusal says why" in refused.json["detail"]
        told = {"pointer": "/answer/note", "message": "a refusal says why", "beside": ["/answer/ok"]}
        assert refused.json["errors"] == [told]  # it speaks of both
        given = await bob.post(f"/v1/tasks/{task}/answer", {"answer": {"ok": False, "note": "too long"}})
        assert given.status in {200, 202}
        told = await until(client, run, "done")
        assert told["result"]["with"] == {"ok": False, "note": "too long"}
        done = (await client.get(f"/v1/runs/{run}/deeds")).json["deeds"]
        assert ("user:bob", "answer_task") in [(one["who"], one["action"]) for one in done]
        again = await bob.post(f"/v1/tasks/{task}/answer", {"answer": {"ok": True}})
        assert again.headers["idempotent-replay"] == "true"
        assert again.json["answered_by"] == ["user:bob"]

    served_anew(use)


def test_each_unmet_requirement_is_told_with_the_places_of_which_it_speaks() -> None:
    class Stay(Record):
        first: int
        last: int
        least: int
        most: int

    class Ended(StopEvent):
        pass

    class Trip(Workflow):
        @pause
        def ask(self, event: StartEvent) -> Question[Stay]:
            return Question(Stay, title="How long?")

        @ask.require
        def require_ask(self, result: Stay) -> Iterator[str]:
            if result.last <= result.first:
                yield Unmet("after the first day", "first", "last")
            yield "a sentence of none"
            if result.most <= result.least:
                yield Unmet("above the least", "first", "least", "most")
            yield Unmet("of one", "last")

        @ask.then
        def after_ask(self, result: Stay) -> Ended:
            return Ended()

    async def refused() -> InvalidAnswerError:
        handler = Trip().run()
        while not handler.questions():  # noqa: ASYNC110 - it asks at once
            await asyncio.sleep(0)
        with pytest.raises(InvalidAnswerError) as raised:
            await handler.answer(
                handler.questions()[0].id, {"first": 7, "last": 3, "least": 4, "most": 2}, by="ann"
            )
        await handler.cancel_run()
        return raised.value

    problem = problem_of(asyncio.run(refused()))
    assert problem.as_data("")["errors"] == [
        {"pointer": "/answer/last", "message": "after the first day", "beside": ["/answer/first"]},
        {
            "pointer": "/answer/most",
            "message": "above the least",
            "beside": ["/answer/first", "/answer/least"],
        },
        {"pointer": "/answer/last", "message": "of one"},
    ]


def test_who_is_not_asked_can_neither_answer_nor_see(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        _, task = await asked(client)
        answer = {"answer": {"ok": True}}
        stranger = client.as_("answerer")
        assert (await stranger.get("/v1/tasks")).json["tasks"] == []
        assert (await stranger.get(f"/v1/tasks/{task}")).code == "task.unknown"
        assert (await stranger.post(f"/v1/tasks/{task}/answer", answer)).code == "task.unknown"
        assert (await client.post(f"/v1/tasks/{task}/answer", answer)).code == "task.not_yours"
        assert (await client.as_("other").post(f"/v1/tasks/{task}/answer", answer)).code == "task.unknown"
        assert (await client.get(f"/v1/tasks/{task}")).json["closed"] is None

    served_anew(use)


def test_one_person_with_two_tokens_and_a_link_is_one_of_two(store: Path | str) -> None:
    bob = frozenset({"answer"})
    people = [
        *PRINCIPALS,
        Principal("user:bob", bob, groups=("leads",), digest=digest_of(TOKENS["bob again"])),
    ]
    ok = {"answer": {"ok": True}}

    async def use() -> None:
        place = store if isinstance(store, str) else store.parent
        async with serving(place, Both, principals=people) as client:
            run = await started(client, "both", text="it")
            await until(client, run, "parked")
            (task,) = (await client.get(f"/v1/tasks?run={run}")).json["tasks"]
            path = f"/v1/tasks/{task['task']}"
            links = [await client.post(f"{path}/link", {"for": f"user:{who}"}) for who in ("bob", "eve")]
            own, other = ([("Authorization", f"Link {one.json['token']}")] for one in links)
            assert (await client.as_("bob").post(f"{path}/answer", ok)).status in {200, 202}
            for _ in range(12_000):  # until the run has taken it up
                shown = (await client.get(path)).json
                if shown["answered_by"]:
                    break
                await asyncio.sleep(0.01)
            again = await client.as_("bob again").post(f"{path}/answer", ok)
            assert "idempotent-replay" in again.headers
            assert (await client.as_("").get("/v1/links/task", own)).code == "link.used"
            assert (await client.as_("").post("/v1/links/task", ok, own)).code == "link.used"
            shown = (await client.get(path)).json
            assert (shown["answered_by"], shown["closed"]) == (["user:bob"], None)
            assert (await client.get(f"/v1/runs/{run}")).json["status"] == "parked"
            assert (await client.as_("").post("/v1/links/task", ok, other)).status in {200, 202}
            ended = await until(client, run, "done")
            assert ended["result"]["with"] == {"ok": True, "note": "2 have said so"}

    asyncio.run(use())


def test_of_two_who_answer_at_once_one_counts(served: Served) -> None:
    async def use(client: Client) -> None:
        run, task = await asked(client)
        await passed(client, task, "user:bob")
        link = await client.post(f"/v1/tasks/{task}/link", {"for": "user:sue"})
        yes, no = await asyncio.gather(
            client.as_("bob").post(f"/v1/tasks/{task}/answer", {"answer": {"ok": True, "note": "bob"}}),
            linked(client, link.json["token"], {"ok": False, "note": "sue"}),
        )
        assert {yes.status, no.status} <= {200, 202, 409, 410}
        told = await until(client, run, "done")
        assert told["result"]["with"]["note"] in {"bob", "sue"}

    served(use)


async def linked(client: Client, token: str, value: object = None, method: str = "POST") -> Any:
    headers = [("Authorization", f"Link {token}"), ("Content-Type", "application/json")]
    body = json.dumps({"answer": value}).encode() if method == "POST" else b""
    return await Client(client.app, "").send(method, "/v1/links/task", body, headers)


def test_a_link_shows_one_question_and_answers_it_once(served: Served) -> None:
    async def use(client: Client) -> None:
        run, task = await asked(client)
        made = await client.post(f"/v1/tasks/{task}/link", {"for": "user:sue", "seconds": 60})
        assert made.status == 201
        token = made.json["token"]
        assert made.json["link"] == f"http://127.0.0.1:8470/task#{token}"
        for _ in range(2):  # looking uses nothing up
            shown = await linked(client, token, method="GET")
            assert shown.json["title"] == "May it go out?"
            assert "run" not in shown.json
        assert (await linked(client, token, {"ok": False})).code == "answer.invalid"
        assert (await linked(client, token, {"ok": True})).json == {"for": "user:sue", "answered": True}
        assert (
            await linked(client, token, {"ok": True})
        ).code == "link.used"  # before the run has taken it, too
        await until(client, run, "done")
        assert (await client.get(f"/v1/tasks/{task}")).json["answered_by"] == ["user:sue"]
        assert (await linked(client, token, {"ok": True})).code == "link.used"
        assert (await linked(client, token, method="GET")).code == "link.used"

    served(use)


@pytest.mark.parametrize("scheme", ["", "Bearer ", "Basic ", "link"])
def test_a_link_that_is_shown_in_another_way_is_told_how(served: Served, scheme: str) -> None:
    async def use(client: Client) -> None:
        _, task = await asked(client)
        token = (await client.post(f"/v1/tasks/{task}/link", {"for": "user:sue"})).json["token"]
        shown = [("Authorization", f"{scheme}{token}")] if scheme else []
        told = await Client(client.app, "").send("GET", "/v1/links/task", b"", shown)
        assert (told.status, told.code) == (401, "link.missing")
        assert "`Authorization: Link TOKEN`" in told.json["detail"]

    served(use)


@pytest.mark.parametrize(
    ("made_for", "passed_to", "code"),
    [
        ("user:bob", ["user:carol"], "link.passed_on"),
        ("user:eve", ["user:carol"], "link.passed_on"),  # she was not asked, and by nobody's leave is now
        ("user:bob", ["user:carol", "user:dan"], "link.passed_on"),
        ("user:carol", ["user:carol"], None),  # made before, for whom it was passed on to
        ("user:bob", ["user:carol", "user:bob"], None),  # it came back
    ],
)
def test_a_link_ends_when_its_question_is_passed_on_to_others(
    served: Served, made_for: str, passed_to: list[str], code: str | None
) -> None:
    async def use(client: Client) -> None:
        run, task = await asked(client)
        token = (await client.post(f"/v1/tasks/{task}/link", {"for": made_for})).json["token"]
        assert (await linked(client, token, method="GET")).status == 200
        for to in passed_to:
            await passed(client, task, to)
        shown = await linked(client, token, method="GET")
        assert shown.status == (410 if code else 200)
        answered = await linked(client, token, {"ok": True, "note": "by a link"})
        assert answered.status == (410 if code else 200)
        if code is None:
            await until(client, run, "done")
            return
        assert (shown.code, answered.code) == (code, code)
        assert "passed on" in answered.json["detail"]
        assert "May it go out?" not in json.dumps(answered.json)
        again = (await client.post(f"/v1/tasks/{task}/link", {"for": made_for})).json["token"]
        assert (
            await linked(client, again, {"ok": True, "note": "again"})
        ).status == 200  # a link made after it
        await until(client, run, "done")
        assert (await client.get(f"/v1/tasks/{task}")).json["answered_by"] == [made_for]

    served(use)


async def passed(client: Client, task: str, to: str) -> None:
    """Pass a question on, and wait until that is recorded."""
    assert (await client.post(f"/v1/tasks/{task}/delegate", {"to": to})).status == 202
    for _ in range(12_000):
        if (await client.get(f"/v1/tasks/{task}")).json["assign"] == [to]:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"nobody has passed it on to {to}")


def test_of_many_answers_by_one_link_at_once_one_counts(served: Served) -> None:
    async def use(client: Client) -> None:
        run, task = await asked(client)
        made = await client.post(f"/v1/tasks/{task}/link", {"for": "user:sue"})
        replies = await asyncio.gather(
            *(linked(client, made.json["token"], {"ok": True, "note": str(n)}) for n in range(10))
        )
        (taken,) = [str(n) for n, one in enumerate(replies) if one.status == 200]
        assert {one.code for one in replies if one.status != 200} <= {"link.used", "task.answered"}
        told = await until(client, run, "done")
        assert told["result"]["with"]["note"] == taken

    served(use)


def test_links_that_were_altered_or_are_late_are_refused_alike(served: Served) -> None:
    async def use(client: Client) -> None:
        _, task = await asked(client)
        token = (await client.post(f"/v1/tasks/{task}/link", {"for": "user:sue"})).json["token"]
        body, _, signature = token.partition(".")
        data = json.loads(base64.urlsafe_b64decode(body + "=="))
        other = (
            base64.urlsafe_b64encode(json.dumps([*data[:1], "user:eve", *data[2:]]).encode())
            .decode()
            .rstrip("=")
        )
        late = write_link(TaskLink(task, "user:sue", int(time.time()) - 1, "user:ann"), KEY)
        foreign = write_link(
            TaskLink(task, "user:sue", int(time.time()) + 60, "user:ann"), b"another key" * 4
        )
        swapped = body[:-1] + ("A" if body[-1] != "A" else "B")
        bad = [
            "",
            ".",
            body,
            f"{body}.",
            f"{other}.{signature}",
            f"{swapped}.{signature}",
            late,
            foreign,
            token + "=",
            "é.é",
        ]
        answers = [await linked(client, one, {"ok": True}) for one in bad]
        assert {(one.status, one.code, one.json["detail"]) for one in answers} == {
            (401, "link.invalid", answers[0].json["detail"])
        }
        assert (await client.get(f"/v1/tasks/{task}")).json["closed"] is None

    served(use)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"for": ""}, "delegation.invalid"),
        ({"for": "a,b"}, "delegation.invalid"),
        ({"for": "user:sue", "seconds": 0}, "body.members"),
        ({"for": "user:sue", "seconds": 10**9}, "body.members"),
        ({"for": 3}, "body.members"),
        ({"whom": "x"}, "body.members"),
    ],
)
def test_links_for_nobody_or_for_ever_are_not_made(served: Served, body: object, code: str) -> None:
    async def use(client: Client) -> None:
        _, task = await asked(client)
        answer = await client.post(f"/v1/tasks/{task}/link", body)
        assert (answer.status, answer.code) == (422, code)

    served(use)


@pytest.mark.parametrize("served_anew", KINDS, indirect=True)
def test_a_question_is_passed_on(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run, task = await asked(client)
        assert (
            await client.post(f"/v1/tasks/{task}/delegate", {"to": "user:ann", "because": "a holiday"})
        ).status == 202
        for _ in range(12_000):
            told = (await client.get(f"/v1/tasks/{task}")).json
            if told["assign"] == ["user:ann"]:
                break
            await asyncio.sleep(0.01)
        assert told["passed_on"][0]["because"] == "a holiday"
        assert (await client.as_("bob").get("/v1/tasks")).json["tasks"] == []
        assert (await client.post(f"/v1/tasks/{task}/answer", {"answer": {"ok": True}})).status in {200, 202}
        await until(client, run, "done")

    served_anew(use)


def test_questions_are_listed_page_by_page(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        tasks = [(await asked(client))[1] for _ in range(3)]
        first = (await client.get("/v1/tasks?most=2")).json
        second = (await client.get(f"/v1/tasks?most=2&after={first['next']}")).json
        assert [one["task"] for one in first["tasks"] + second["tasks"]] == tasks
        assert second["next"] is None
        bad = await client.get("/v1/tasks?after=WzEsMl0")
        assert (bad.status, bad.code) == (400, "cursor")

    served_anew(use)
