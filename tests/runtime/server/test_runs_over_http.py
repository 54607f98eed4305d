"""Runs are started, shown, followed, resumed and cancelled over the application."""

from __future__ import annotations

import asyncio

import pytest
from asgi_client import Client, Served, started, until


def test_a_run_is_started_and_its_result_comes_back(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        answer = await client.post("/v1/workflows/echo/runs?wait=60", {"inputs": {"text": "hi", "times": 2}})
        assert answer.status == 201, answer.body
        told = answer.json
        assert told["status"] == "done"
        assert told["result"] == {"event": "Done", "with": {"text": "hihi"}}
        assert answer.headers["location"] == f"http://127.0.0.1:8470/v1/runs/{told['run']}"
        assert answer.headers["etag"] == f'"{told["tick"]}"'
        assert (await client.get(f"/v1/runs/{told['run']}")).json == told
        assert (await client.get("/v1/runs")).json["runs"][0]["run"] == told["run"]

    served_anew(use)


def test_a_run_that_fails_says_why(served: Served) -> None:
    async def use(client: Client) -> None:
        answer = await client.post("/v1/workflows/echo/runs?wait=60", {"inputs": {"text": "fail"}})
        assert answer.json["status"] == "failed"
        assert answer.json["error"]["step"] == "echo"
        assert "it was told to fail" in answer.json["error"]["message"]

    served(use)


def test_a_workflow_is_shown_with_the_schemas_of_its_types(served: Served) -> None:
    async def use(client: Client) -> None:
        told = (await client.get("/v1/workflows/order")).json
        assert told["inputs"]["properties"] == {"order": {"title": "Order", "type": "string"}}
        assert told["inputs"]["required"] == ["order"]
        assert list(told["results"]) == ["Done"]
        assert told["events"]["Paid"]["properties"]["amount"]["type"] == "integer"
        names = [one["workflow"] for one in (await client.get("/v1/workflows")).json["workflows"]]
        assert names == ["echo", "approval", "order", "long", "sleeps", "talk", "trouble"]
        assert "echo" in (await client.get("/v1/workflows/echo/flow")).body.decode()

    served(use)


@pytest.mark.parametrize(
    ("inputs", "pointer"),
    [
        ({}, "/inputs/text"),
        ({"text": 3}, "/inputs/text"),
        ({"text": "a", "times": "2"}, "/inputs/times"),
        ({"text": "a", "other": 1}, "/inputs/other"),
    ],
)
def test_inputs_that_do_not_fit_are_refused_at_their_place(
    served_anew: Served, inputs: dict[str, object], pointer: str
) -> None:
    async def use(client: Client) -> None:
        answer = await client.post("/v1/workflows/echo/runs", {"inputs": inputs})
        assert (answer.status, answer.code) == (422, "run.inputs")
        assert [one["pointer"] for one in answer.json["errors"]] == [pointer]
        assert (await client.get("/v1/runs")).json["runs"] == []

    served_anew(use)


def test_the_same_request_starts_one_run(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        key = [("Idempotency-Key", "order 7")]
        ten = [client.post("/v1/workflows/echo/runs", {"inputs": {"text": "a"}}, key) for _ in range(10)]
        answers = await asyncio.gather(*ten)
        assert sorted(one.status for one in answers) == [200] * 9 + [201]
        assert len({one.json["run"] for one in answers}) == 1
        assert sum("idempotent-replay" in one.headers for one in answers) == 9
        other = await client.post("/v1/workflows/echo/runs", {"inputs": {"text": "b"}}, key)
        assert (other.status, other.code) == (422, "key.reused")
        # of somebody else it is another key
        starter = await client.as_("starter").post("/v1/workflows/echo/runs", {"inputs": {"text": "b"}}, key)
        assert starter.status == 201
        assert len((await client.get("/v1/runs")).json["runs"]) == 2

    served_anew(use)


def test_one_run_of_a_key_is_under_way(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "order", order="A1")
        again = await client.post("/v1/workflows/order/runs", {"inputs": {"order": "A1"}})
        assert (again.status, again.code, again.json["run"]) == (409, "run.exists", run)

    served_anew(use)


def test_events_reach_a_run_once(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "order", order="A1")
        await until(client, run, "parked")
        bad = await client.post(f"/v1/runs/{run}/events", {"event": "Nope", "with": {}})
        assert (bad.status, bad.code) == (422, "message.invalid")
        bad = await client.post(
            f"/v1/runs/{run}/events", {"event": "Paid", "with": {"order": "B2", "amount": 1}}
        )
        assert (bad.status, bad.code) == (422, "message.invalid")
        paid = {"event": "Paid", "with": {"order": "A1", "amount": 5}, "message_id": "m1"}
        assert (await client.post("/v1/messages", {"workflow": "order", **paid})).json == {"runs": [run]}
        told = await until(client, run, "done")
        assert told["result"]["with"] == {"text": "A1: 5"}
        late = await client.post(f"/v1/runs/{run}/events", paid)
        assert (late.status, late.code) == (409, "run.ended")
        none = await client.post("/v1/messages", {"workflow": "order", **paid})
        assert (none.status, none.code) == (404, "run.unknown")

    served_anew(use)


def test_a_run_is_shown_as_it_was_at_a_tick(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "order", order="A1")
        await until(client, run, "parked")
        await client.post(f"/v1/runs/{run}/events", {"event": "Paid", "with": {"order": "A1", "amount": 5}})
        last = (await until(client, run, "done"))["tick"]
        assert (await client.get(f"/v1/runs/{run}/at/1")).json["state"] == {"paid": 0}
        shown = (await client.get(f"/v1/runs/{run}/at/{last}")).json
        assert shown["state"] == {"paid": 5}
        assert [one["status"] for one in shown["steps"]] == ["done"]
        ticks = (await client.get(f"/v1/runs/{run}/history?most=2")).json
        assert [one["tick"] for one in ticks["ticks"]] == [1, 2]
        rest = (await client.get(f"/v1/runs/{run}/history?since={ticks['next']}")).json
        assert [one["tick"] for one in rest["ticks"]] == list(range(3, last + 1))
        beyond = await client.get(f"/v1/runs/{run}/at/{last + 1}")
        assert (beyond.status, beyond.code) == (409, "run.not_possible")

    served_anew(use)


def test_lists_go_on_page_by_page(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        runs = [await started(client, "sleeps", text=str(number)) for number in range(5)]
        seen: list[str] = []
        after = ""
        while after is not None:
            page = (await client.get(f"/v1/runs?most=2&workflow=sleeps{after and f'&after={after}'}")).json
            seen += [one["run"] for one in page["runs"]]
            after = page["next"]
        assert seen == runs[::-1]
        assert (await client.get("/v1/runs?status=done")).json["runs"] == []

    served_anew(use)


def test_a_run_is_cancelled_unless_it_has_moved(served: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "sleeps", text="a")
        tick = (await until(client, run, "parked"))["tick"]
        moved = await client.post(f"/v1/runs/{run}/cancel", {}, [("If-Match", f'"{tick - 1}"')])
        assert (moved.status, moved.code, moved.json["tick"]) == (412, "run.moved", tick)
        answer = await client.post(
            f"/v1/runs/{run}/cancel", {"reason": "no need"}, [("If-Match", f'"{tick}"')]
        )
        assert (answer.status, answer.json["status"]) == (200, "cancelled")
        assert (await client.post(f"/v1/runs/{run}/cancel")).code == "run.ended"

    served(use)


def test_a_failed_run_is_resumed_once_it_is_known_what_is_done_again(served: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "echo", text="fail")
        tick = (await until(client, run, "failed"))["tick"]
        dry = await client.post(f"/v1/runs/{run}/resume?dry")
        assert dry.status == 200
        assert [one["step"] for one in dry.json["again"]] == ["echo"]
        assert (await client.get(f"/v1/runs/{run}")).json["tick"] == tick
        assert (await client.post(f"/v1/runs/{run}/resume")).status == 202
        for _ in range(12_000):
            told = (await client.get(f"/v1/runs/{run}")).json
            if told["status"] == "failed" and told["tick"] > tick:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(told)

    served(use)


def test_a_run_is_forked_once_it_is_known_what_is_done_again(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "order", order="A1")
        await until(client, run, "parked")
        assert (await client.post(f"/v1/runs/{run}/fork", {})).code == "body.members"
        dry = await client.post(f"/v1/runs/{run}/fork?dry", {"at": 1, "state": {"paid": 3}})
        assert dry.status == 200
        assert len((await client.get("/v1/runs")).json["runs"]) == 1
        wrong = await client.post(f"/v1/runs/{run}/fork", {"at": 1, "state": {"paid": "x"}})
        assert (wrong.status, wrong.code) == (422, "value.invalid")
        made = await client.post(f"/v1/runs/{run}/fork", {"at": 1, "state": {"paid": 3}})
        assert made.status == 201
        other = made.json["run"]
        await until(client, other, "parked")
        state = (
            await client.get(f"/v1/runs/{other}/at/{(await client.get(f'/v1/runs/{other}')).json['tick']}")
        ).json["state"]
        assert state == {"paid": 3}
        assert len((await client.get("/v1/runs")).json["runs"]) == 2

    served_anew(use)


def test_a_field_that_a_workflow_without_state_does_not_declare_is_refused(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "approval", text="a")
        tick = (await until(client, run, "parked"))["tick"]
        refused = await client.post(f"/v1/runs/{run}/fork", {"at": 1, "state": {"paid": 3}})
        assert (refused.status, refused.code) == (422, "value.invalid")
        assert "the state has no field `paid`: the workflow declares none" in refused.json["detail"]
        assert (await client.get(f"/v1/runs/{run}")).json["tick"] == tick
        assert len((await client.get("/v1/runs")).json["runs"]) == 1

    served_anew(use)


def test_whoever_waits_for_a_run_that_rests_is_told_at_once(served: Served) -> None:
    async def use(client: Client) -> None:
        answer = await client.post("/v1/workflows/approval/runs?wait=20", {"inputs": {"text": "a"}})
        assert answer.json["status"] == "parked"
        assert answer.json["open_tasks"] == 1
        assert answer.json["waits"][0]["step"] == "approve"

    served(use)
