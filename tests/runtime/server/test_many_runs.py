"""Many runs at once: counted, grouped by what they fail by, cancelled and resumed together; and the audit of it all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgi_client import Client, Served, started, until
from postgres_server import KINDS


async def failed(client: Client, count: int) -> list[str]:
    runs = [await started(client, "echo", text="fail") for _ in range(count)]
    for run in runs:
        await until(client, run, "failed")
    return runs


async def parked(client: Client, count: int) -> list[str]:
    runs = [await started(client, "approval", text="a") for _ in range(count)]
    for run in runs:
        await until(client, run, "parked")
    return runs


async def audit(client: Client, **which: str) -> list[dict[str, Any]]:
    query = "&".join(f"{name}={value}" for name, value in which.items())
    return list((await client.get(f"/v1/audit?{query}")).json["entries"])


def test_failures_are_grouped_by_step_and_error(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        runs = await failed(client, 3)
        await until(client, await started(client, "echo", text="a"), "done")
        told = (await client.get("/v1/runs/counts")).json
        counts = {(one["workflow"], one["status"]): one["count"] for one in told["runs"]}
        assert counts == {("echo", "failed"): 3, ("echo", "done"): 1}
        (group,) = told["failures"]
        assert (group["workflow"], group["step"], group["error"], group["count"]) == (
            "echo",
            "echo",
            "told_to",
            3,
        )
        assert set(group["runs"]) == set(runs)
        assert group["since"] <= group["last"]
        assert told["tasks"] == {"open": 0, "overdue": 0}
        assert (await client.get("/v1/runs/counts?since=2100-01-01T00:00:00Z")).json["failures"] == []
        assert (await client.as_("other").get("/v1/runs/counts")).json == {
            "runs": [],
            "failures": [],
            "failures_left_off": False,
            "set_aside": 0,
        }

    served_anew(use)


@pytest.mark.parametrize("text", ["x", "2027-01-01", "2027-01-01T00:00:00", "9999-01-01T00:00:00Z", "%00"])
def test_a_moment_that_is_none_is_refused(served: Served, text: str) -> None:
    async def use(client: Client) -> None:
        for path in ("/v1/runs/counts", "/v1/runs"):
            assert (await client.get(f"{path}?since={text}")).code == "query"

    served(use)


def test_runs_are_found_by_their_beginning_and_by_when_they_began(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        first = await started(client, "order", order="A_1%")
        run = await started(client, "echo", text="a")

        async def found(query: str) -> list[str]:
            return [one["run"] for one in (await client.get(f"/v1/runs?{query}")).json["runs"]]

        assert await found(f"search={run[:8]}") == [run]
        assert await found("search=A_1%25") == [first]
        assert await found("search=A__%25") == []
        assert await found("since=2100-01-01T00:00:00Z") == []
        assert await found("until=2100-01-01T00:00:00Z") == [run, first]

    served_anew(use)


def test_those_that_failed_alike_are_resumed_together_after_a_dry_run(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        runs = await failed(client, 2)
        alike = {"workflow": "echo", "step": "echo", "error": "told_to", "reason": "it is mended"}
        dry = (await client.post("/v1/runs/resume?dry", alike)).json
        assert {one["run"] for one in dry["runs"]} == set(runs)
        assert all([each["step"] for each in one["again"]] == ["echo"] for one in dry["runs"]), dry
        assert not any(one["done"] for one in dry["runs"])
        assert await audit(client, action="resume_run") == []
        told = (await client.post("/v1/runs/resume", alike)).json
        assert all(one["done"] for one in told["runs"])
        entries = await audit(client, action="resume_run")
        assert {(one["target"], one["result"], one["who"]) for one in entries} == {
            (run, "200: it is mended", "user:ann") for run in runs
        }
        none = (await client.post("/v1/runs/resume?dry", alike | {"error": "another"})).json
        assert none["runs"] == []

    served_anew(use)


def test_several_are_cancelled_together_each_told_apart(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        runs = await parked(client, 2)
        done = await started(client, "echo", text="a")
        await until(client, done, "done")
        listed = {"runs": [*runs, done, "nobody", runs[0]], "reason": "they are too old"}
        dry = (await client.post("/v1/runs/cancel?dry", listed)).json["runs"]
        assert [one.get("code") for one in dry] == [None, None, "run.ended", "run.unknown"]
        told = (await client.post("/v1/runs/cancel", listed)).json["runs"]
        assert [(one["done"], one.get("code")) for one in told] == [
            (True, None),
            (True, None),
            (False, "run.ended"),
            (False, "run.unknown"),
        ]
        for run in runs:
            assert (await client.get(f"/v1/runs/{run}")).json["status"] == "cancelled"
        assert [one["result"] for one in await audit(client, target=runs[0])] == [
            "200: they are too old",
            "201",
        ]
        by_workflow = {"workflow": "approval", "status": "parked", "reason": "all"}
        (await parked(client, 1))
        assert len((await client.post("/v1/runs/cancel", by_workflow)).json["runs"]) == 1

    served_anew(use)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"runs": ["a"], "workflow": "echo"},
        {"workflow": "echo", "status": "done"},
        {"runs": []},
        {"runs": ["a"] * 201},
        {"runs": [3]},
    ],
)
def test_a_choice_of_runs_that_is_none_is_refused(served: Served, data: dict[str, Any]) -> None:
    async def use(client: Client) -> None:
        for action in ("cancel", "resume"):
            answer = await client.post(f"/v1/runs/{action}", data)
            assert (answer.status, answer.code) == (422, "body.members")

    served(use)


def test_nobody_changes_runs_of_workflows_that_are_not_his(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        (run,) = await parked(client, 1)
        other = client.as_("other")
        assert (await other.post("/v1/runs/cancel", {"workflow": "approval"})).json["runs"] == []
        (told,) = (await other.post("/v1/runs/cancel", {"runs": [run]})).json["runs"]
        assert (told["done"], told["code"]) == (False, "run.unknown")
        assert (await client.get(f"/v1/runs/{run}")).json["status"] == "parked"

    served_anew(use)


def test_several_questions_are_answered_each_as_if_alone(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        runs = await parked(client, 2)
        tasks = [one["task"] for one in (await client.get("/v1/tasks")).json["tasks"]]
        answers = [
            {"task": tasks[0], "answer": {"ok": True}},
            {"task": tasks[1], "answer": {"ok": False}},
            {"task": "nobody/a/1", "answer": {"ok": True}},
        ]
        told = (await client.as_("bob").post("/v1/tasks/answers", {"answers": answers})).json["answers"]
        assert [one.get("code") for one in told] == [None, "answer.invalid", "task.unknown"]
        assert [one["status"] for one in [await until(client, runs[0], "done")]] == ["done"]
        assert (await client.get(f"/v1/runs/{runs[1]}")).json["status"] == "parked"
        by_bob = await audit(client, who="user:bob", action="answer_task")
        assert sorted(one["result"] for one in by_bob) == ["200", "answer.invalid", "task.unknown"]

    served_anew(use)


# --- the audit


def test_the_audit_has_what_was_done_and_refused_by_whom_and_nothing_of_strangers(
    served_anew: Served,
) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "approval", text="secret of mine")
        await until(client, run, "parked")
        (task,) = (await client.get("/v1/tasks")).json["tasks"]
        made = (await client.post(f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})).json
        link = [("Authorization", f"Link {made['token']}"), ("Content-Type", "application/json")]
        stranger = client.as_("")
        assert (await stranger.send("POST", "/v1/links/task", b'{"answer": {"ok": 1}}', link)).status == 422
        assert (
            await stranger.send("POST", "/v1/links/task", b'{"answer": {"ok": true}}', link)
        ).status == 200
        assert (await client.as_("answerer").post(f"/v1/runs/{run}/cancel")).status == 403
        assert (await stranger.post(f"/v1/runs/{run}/cancel")).status == 401
        await until(client, run, "done")
        assert (await client.post(f"/v1/runs/{run}/cancel", {"reason": "late"})).code == "run.ended"
        told = [(one["who"], one["via"], one["action"], one["result"]) for one in await audit(client)]
        assert told == [
            ("user:ann", "token", "cancel_run", "run.ended: late"),
            ("user:eve", "link", "answer_by_link", "200"),
            ("user:eve", "link", "answer_by_link", "answer.invalid"),
            ("user:ann", "token", "link_task", "201"),
            ("user:ann", "token", "start_run", "201"),
        ]
        page = (await client.get("/v1/audit?most=2")).json
        rest = (await client.get(f"/v1/audit?after={page['next']}")).json
        assert [*page["entries"], *rest["entries"]] == await audit(client)
        text = (await client.get("/v1/audit")).body.decode()
        assert "secret of mine" not in text and made["token"] not in text
        assert (await client.as_("viewer").get("/v1/audit")).status == 403
        assert (await client.as_("other").get("/v1/audit")).status == 403

    served_anew(use)


# --- what changes


def test_pages_hear_which_runs_have_come_further(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        seen, asked, hidden = (client.as_(who).stream("/v1/stream") for who in ("ann", "bob", "other"))
        for stream in (seen, asked, hidden):
            assert (await anext(stream))["event"] == "hello"
        (run,) = await parked(client, 1)
        told = [await anext(seen)]
        while told[-1]["data"]["runs"][-1]["status"] != "parked":
            told.append(await anext(seen))
        assert {one["run"] for message in told for one in message["data"]["runs"]} == {run}
        assert (await anext(asked))["data"] == {"tasks": True}
        quiet = asyncio.ensure_future(anext(hidden))
        await asyncio.sleep(0.6)
        assert not quiet.done()
        client.app.server.drain()
        assert (await quiet)["event"] == "bye"
        for stream in (seen, asked):
            rest = [one["event"] async for one in stream]
            assert rest[-1] == "bye"
        await hidden.aclose()  # type: ignore[attr-defined]

    served_anew(use)


def test_failed_runs_are_set_aside_for_a_reason_until_they_fail_again(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        runs = await failed(client, 3)
        alike = {"workflow": "echo", "step": "echo", "error": "told_to"}
        for without in (alike, alike | {"reason": "  "}):
            assert (await client.post("/v1/runs/set-aside", without)).status == 422
        dry = (await client.post("/v1/runs/set-aside?dry", alike | {"reason": "known"})).json
        assert {one["run"] for one in dry["runs"]} == set(runs)
        assert not any(one["done"] for one in dry["runs"])
        assert await client_counts(client) == [3, 0]

        named = {"runs": [*runs[:2], await parked_one(client)], "reason": "the bank knows"}
        told = (await client.post("/v1/runs/set-aside", named)).json["runs"]
        assert [one["done"] for one in told] == [True, True, False]
        assert told[2]["code"] == "run.not_failed"
        assert await client_counts(client) == [1, 2]
        entries = await audit(client, action="set_aside_run", target=runs[0])
        assert [(one["who"], one["result"]) for one in entries] == [("user:ann", "200: the bank knows")]
        left = (await client.post("/v1/runs/resume?dry", alike)).json["runs"]
        assert [one["run"] for one in left] == runs[2:]

        back = {"runs": runs[:1], "back": True}
        assert [one["done"] for one in (await client.post("/v1/runs/set-aside", back)).json["runs"]] == [True]
        assert await client_counts(client) == [2, 1]

        assert (await client.post(f"/v1/runs/{runs[1]}/resume", {"reason": "once more"})).status == 202
        await until(client, runs[1], "failed")  # again, so that it is news
        assert await client_counts(client) == [3, 0]

    served_anew(use)


@pytest.mark.parametrize("served_anew", KINDS, indirect=True)
@pytest.mark.parametrize(
    ("course", "since"),
    [
        ("x", 0),
        ("x x x", 0),
        ("x y", 1),  # another error
        ("x ok x", 1),  # the step has gone well meanwhile, and has failed when it ran again
        ("x x ok x x", 2),
    ],
)
def test_failures_count_from_the_first_that_was_not_mended(
    served_anew: Served, course: str, since: int
) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "trouble", text=f"{course} bad")
        fails = [word for word in course.split() if word != "ok"]
        ended: list[str] = []
        while True:
            await until(client, run, "failed")
            now = (await client.get(f"/v1/runs/{run}")).json["ended"]
            ended += [] if now in ended else [now]
            if len(ended) == len(fails):
                break
            await client.post(f"/v1/runs/{run}/resume", {})
        (group,) = (await client.get("/v1/runs/counts")).json["failures"]
        assert group["error"] == fails[-1]
        assert group["since"] == ended[since]
        assert group["last"] == ended[-1]
        other = await started(client, "trouble", text="x bad")
        await until(client, other, "failed")
        groups = (await client.get("/v1/runs/counts")).json["failures"]
        with_other = next(one for one in groups if one["error"] == "x")
        assert with_other["since"] == (ended[since] if fails[-1] == "x" else with_other["last"])

    served_anew(use)


async def parked_one(client: Client) -> str:
    return (await parked(client, 1))[0]


async def client_counts(client: Client) -> list[int]:
    told = (await client.get("/v1/runs/counts")).json
    return [sum(one["count"] for one in told["failures"]), told["set_aside"]]


def test_who_has_done_what_with_a_run_and_why(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        (run,) = await failed(client, 1)
        assert (await client.get(f"/v1/runs/{run}/deeds")).json["set_aside"] is False
        await client.post("/v1/runs/set-aside", {"runs": [run], "reason": "known"})
        assert (await client.get(f"/v1/runs/{run}/deeds")).json["set_aside"] is True
        await client.post(f"/v1/runs/{run}/resume", {"reason": "it is mended: look"})
        await until(client, run, "failed")
        await client.post(f"/v1/runs/{run}/cancel", {"reason": "too late"})  # refused, and so no deed
        told = (await client.get(f"/v1/runs/{run}/deeds")).json
        assert told["set_aside"] is False  # it has failed since
        assert [(one["who"], one["action"], one["reason"]) for one in told["deeds"]] == [
            ("user:ann", "resume_run", "it is mended: look"),
            ("user:ann", "set_aside_run", "known"),
            ("user:ann", "start_run", ""),
        ]
        assert (await client.as_("other").get(f"/v1/runs/{run}/deeds")).status == 404

    served_anew(use)
