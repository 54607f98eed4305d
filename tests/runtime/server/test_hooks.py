"""Webhooks start runs: those of who proves to be the sender, each delivery one, and nothing else."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Answer, Client, serving

from wfc.runtime import (
    Record,
    StartEvent,
    StopEvent,
    WebhookTrigger,
    Workflow,
    run_trigger,
    transform,
)
from wfc.runtime.authoring.triggers import Hook
from wfc.runtime.errors import SettingsError, WorkflowValidationError
from wfc.runtime.server.hooked import hooks_of
from wfc.runtime.server.signatures import signed_content

SECRET = "a-secret-of-the-shop"
PATH = "/v1/hooks/"


class Ordered(StartEvent, closed=True):
    order: str
    sender: str = ""


class Taken(StopEvent, closed=True):
    order: str


class Body(Record):
    order: str
    lines: int = 1


class Orders(Workflow, name="orders"):
    @transform
    def take(self, event: Ordered) -> Taken:
        return Taken(order=event.order)

    @run_trigger("token", webhook="token", secret="SHOP")
    def by_token(self, trigger: WebhookTrigger[Body]) -> Ordered:
        return Ordered(order=trigger.body.order, sender=json.dumps(dict(trigger.headers)))

    @run_trigger("signed", webhook="signed", secret="SHOP", header="X-Signature")
    def by_signature(self, trigger: WebhookTrigger[Body]) -> Ordered:
        return Ordered(order=trigger.body.order)

    @run_trigger("timed", webhook="timed", secret="SHOP", header="X-Signature", within=300.0)
    def by_time(self, trigger: WebhookTrigger[Body]) -> Ordered:
        return Ordered(order=trigger.body.order)

    @run_trigger("unset", webhook="unset", secret="NO_SUCH_SECRET")
    def by_none(self, trigger: WebhookTrigger[Body]) -> Ordered:
        return Ordered(order=trigger.body.order)


@pytest.fixture
def hooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs a coroutine function with a client of a server of ``Orders``."""
    monkeypatch.setenv("SHOP", SECRET)

    def run(use: Callable[[Client, list[str]], Awaitable[None]]) -> None:
        notes: list[str] = []

        async def main() -> None:
            async with serving(tmp_path, Orders, note=notes.append) as client, asyncio.timeout(240):
                await use(client, notes)

        asyncio.run(main())

    return run


async def send(client: Client, hook: str, body: object, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return await client.as_("").send("POST", PATH + hook, raw, named)


def signature(content: bytes, key: str = SECRET) -> str:
    return hmac.new(key.encode(), content, hashlib.sha256).hexdigest()


async def orders(client: Client) -> list[str]:
    listed = (await client.get("/v1/runs")).json["runs"]
    found = [(await client.get(f"/v1/runs/{one['run']}?wait=20")).json for one in listed]
    return sorted(one["result"]["with"]["order"] for one in found)


def test_a_delivery_starts_one_run_however_often_it_is_sent(hooked: Any) -> None:
    async def use(client: Client, _: list[str]) -> None:
        body = json.dumps({"order": "a", "lines": 2, "more": True}).encode()
        first = await send(client, "signed", body, X_Signature=f"sha256={signature(body)}")
        assert first.status == 202, first.body
        again = await asyncio.gather(
            *(send(client, "signed", body, X_Signature=signature(body), Webhook_Id=f"{n}") for n in range(9))
        )
        assert {one.json["run"] for one in again} == {first.json["run"]}
        assert {one.headers.get("idempotent-replay") for one in again} == {"true"}
        other = json.dumps({"order": "b"}).encode()
        encoded = base64.b64encode(bytes.fromhex(signature(other))).decode()
        assert (await send(client, "signed", other, X_Signature=encoded)).status == 202
        assert await orders(client) == ["a", "b"]

    hooked(use)


def test_a_token_proves_who_sends_and_no_run_gets_to_see_it(hooked: Any) -> None:
    async def use(client: Client, _: list[str]) -> None:
        token = f"Bearer {SECRET}"
        for sent in ({"Webhook_Id": "1"}, {"Webhook_Id": "1"}, {"Idempotency_Key": "1"}, {}, {}):
            answer = await send(client, "token", {"order": "a"}, Authorization=token, Cookie=SECRET, **sent)
            assert answer.status == 202
        assert await orders(client) == ["a"] * 4
        for one in (await client.get("/v1/runs")).json["runs"]:
            assert SECRET not in (await client.get(f"/v1/runs/{one['run']}/history")).body.decode()

    hooked(use)


def test_while_a_secret_is_changed_the_former_one_counts_too(
    hooked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(client: Client, _: list[str]) -> None:
        body, new = b'{"order": "a"}', "the-new-secret-of-the-shop"
        by_old, by_new = signature(body), signature(body, new)
        first = await send(client, "signed", body, X_Signature=by_old)
        monkeypatch.setenv("SHOP", new)
        assert (await send(client, "signed", body, X_Signature=by_old)).status == 401
        monkeypatch.setenv("SHOP_FORMER", SECRET)
        for one in (by_old, by_new):  # the same delivery, however it is signed
            assert (await send(client, "signed", body, X_Signature=one)).json == first.json
        for one in (SECRET, new):
            assert (await send(client, "token", body, Authorization=f"Bearer {one}")).status == 202
        assert (await send(client, "signed", body, X_Signature=signature(body, "another"))).status == 401
        monkeypatch.setenv("SHOP_FORMER", "")  # with an empty key anybody could sign
        assert (await send(client, "signed", body, X_Signature=signature(body, ""))).status == 401
        assert (await send(client, "token", body, Authorization="Bearer ")).status == 401

    hooked(use)


def test_what_is_not_proved_is_refused_and_nothing_tells_why(hooked: Any) -> None:
    async def use(client: Client, _: list[str]) -> None:
        body = b'{"order": "a"}'
        good, now = signature(body), int(time.time())
        old = f"t={now - 999},v1=" + signature(f"{now - 999}.".encode() + body)
        to_come = f"t={now + 999},v1=" + signature(f"{now + 999}.".encode() + body)
        wrong: list[tuple[str, bytes, dict[str, str]]] = [
            ("nope", body, {"X_Signature": good}),
            ("signed", body, {}),
            ("signed", body, {"X_Signature": ""}),
            ("signed", body, {"X_Signature": "sha256="}),
            ("signed", body, {"X_Signature": "0" * 64}),
            ("signed", body, {"X_Signature": good[:-1]}),
            ("signed", body, {"X_Signature": good + "0"}),
            ("signed", body, {"X_Signature": "é" * 64}),
            ("signed", body, {"X_Signature": "A" * 5000}),
            ("signed", body + b" ", {"X_Signature": good}),
            ("signed", body, {"X_Signature": signature(body, "another")}),
            ("signed", body, {"X_Signature": signature(body, "")}),
            ("signed", body, {"Authorization": f"Bearer {SECRET}"}),
            ("signed", body, {"X_Signature": f"t={now},v1={good}"}),
            ("signed", body, {"X_Signature": "v1,"}),
            ("signed", body, {"X_Signature": "v0="}),
            ("signed", body, {"X_Signature": "t="}),
            ("timed", body, {"X_Signature": good}),  # no time is signed
            ("timed", body, {"X_Signature": old}),
            ("timed", body, {"X_Signature": to_come}),
            ("timed", body, {"X_Signature": old.replace(f"{now - 999}", f"{now}")}),
            ("token", body, {}),
            ("token", body, {"Authorization": SECRET}),
            ("token", body, {"Authorization": f"Basic {SECRET}"}),
            ("token", body, {"Authorization": f"Bearer {SECRET}x"}),
            ("token", body, {"Authorization": "Bearer é"}),
        ]
        told = set()
        for hook, sent, headers in wrong:
            answer = await send(client, hook, sent, **headers)
            assert (answer.status, answer.code) == (401, "hook.refused"), (hook, headers)
            told.add(answer.json["detail"])
        assert len(told) == 1
        assert (await client.get("/v1/runs")).json["runs"] == []
        new = f"t={now},v1=00,v1=" + signature(f"{now}.".encode() + body)
        assert (await send(client, "timed", body, X_Signature=new)).status == 202

    hooked(use)


BODIES = [
    (b"", 400, "body.json"),
    (b"{", 400, "body.json"),
    (b'{"order": "a", "order": "b"}', 400, "body.json"),
    (b'{"order": "\\ud800"}', 400, "body.json"),
    (b"[" * 50_000 + b"]" * 50_000, 400, "body.json"),
    (b'{"order": NaN}', 400, "body.json"),
    (b"\xff", 400, "body.json"),
    (b"[]", 422, "hook.body"),
    (b"{}", 422, "hook.body"),
    (b'{"order": 3}', 422, "hook.body"),
    (b'{"order": "a", "lines": "2"}', 422, "hook.body"),
    (b" " * 1_000_001, 413, "body.large"),
]


def test_what_does_not_fit_is_told_to_who_may_send(hooked: Any) -> None:
    async def use(client: Client, _: list[str]) -> None:
        for body, status, code in BODIES:
            answer = await send(client, "signed", body, X_Signature=signature(body))
            assert (answer.status, answer.code) == (status, code), body[:99]
        assert (await client.get("/v1/runs")).json["runs"] == []

    hooked(use)


def test_a_secret_that_is_missing_is_told_to_the_operator_alone(hooked: Any) -> None:
    async def use(client: Client, notes: list[str]) -> None:
        answer = await send(client, "unset", b"{}", Authorization="Bearer x")
        assert (answer.status, answer.code) == (503, "server.settings")
        assert "NO_SUCH_SECRET" not in answer.body.decode()
        assert "NO_SUCH_SECRET" in "".join(notes)

    hooked(use)


SLACK = (
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar"
    "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack."
    "com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121."
    "803a0bc887a14d10d2c447fce8b6703c"
)


@pytest.mark.parametrize(
    ("secret", "headers", "body", "now"),
    [
        (
            "It's a Secret to Everybody",
            {"x-sign": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
            "Hello, World!",
            None,
        ),
        (
            "8f742231b10e8888abcd99yyyzzz85a5",
            {
                "x-sign": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
                "x-slack-request-timestamp": "1531420618",
            },
            SLACK,
            1531420618,
        ),
        (
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            {
                "x-sign": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                "webhook-timestamp": "1614265330",
            },
            '{"test": 2432232314}',
            1614265330,
        ),
    ],
    ids=["GitHub", "Slack", "Standard Webhooks"],
)
def test_the_examples_that_services_publish_are_proved(
    secret: str, headers: dict[str, str], body: str, now: int | None
) -> None:
    hook = Hook("a", "S", "X-Sign", None if now is None else 300)
    told = signed_content(hook, secret, headers, body.encode(), now or 0)
    assert told is not None
    assert told.endswith(body.encode())
    assert signed_content(hook, secret, headers, body.encode() + b".", now or 0) is None
    if now is not None:
        assert signed_content(hook, secret, headers, body.encode(), now + 301) is None


def test_a_secret_that_is_no_key_is_not_taken_for_an_empty_one() -> None:
    content = b"1.2.{}"
    forged = base64.b64encode(hmac.new(b"", content, hashlib.sha256).digest()).decode()
    headers = {"x": f"v1,{forged}", "webhook-id": "1", "webhook-timestamp": "2"}
    for secret in ("whsec_", "whsec_!", "whsec_abc"):
        assert signed_content(Hook("a", "S", "X", None), secret, headers, b"{}", 0) is None


def test_two_webhooks_of_one_path_are_refused() -> None:
    class Others(Orders, name="others"):
        pass

    with pytest.raises(SettingsError, match="both have the webhook"):
        hooks_of([Orders(), Others()])


def test_a_trigger_is_one_thing() -> None:
    with pytest.raises(WorkflowValidationError, match="needs a `cron`"):
        run_trigger("a", webhook="a")
    with pytest.raises(WorkflowValidationError, match="needs a `cron`"):
        run_trigger("a", webhook="a", secret="S", topic="b")
