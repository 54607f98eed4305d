"""Secrets in what is sent, and access tokens from a real service."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from http_service import Reply, Request, Service, ask

from wfc.runtime.calls.bindings import OAuth2, Secret
from wfc.runtime.calls.http import call_http, tokens
from wfc.runtime.errors import SettingsError, StepError

PASSWORD = "pass word/+&not-for-anybodys-eyes"
TOKEN = "first.token-not-for-anybodys-eyes"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFICE", PASSWORD)
    monkeypatch.setattr(tokens, "_KEPT", {})


class Desk:
    """A service whose every address wants a token, and the one that gives tokens."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.given: list[str] = []
        self.valid: set[str] = set()
        self.reply: dict[str, Any] = {"token_type": "Bearer", "expires_in": 3600}
        service.answer = self.answer

    def answer(self, request: Request) -> Reply:
        if request.path == "/token":
            token = f"{TOKEN}-{len(self.given)}"
            self.given.append(token)
            self.valid.add(token)
            return Reply(body=json.dumps({"access_token": token, **self.reply}).encode())
        if request.headers.get("authorization", "").removeprefix("Bearer ") in self.valid:
            return Reply(body=json.dumps({"seen": request.headers["authorization"]}).encode())
        return Reply(401, body=b'"no"')

    def auth(self, **more: Any) -> OAuth2:
        return OAuth2(f"{self.service.url}/token", **{"user": "me", "password": Secret("OFFICE"), **more})


@pytest.fixture
def desk(service: Service) -> Desk:
    return Desk(service)


def test_a_token_is_asked_for_once_and_kept(desk: Desk) -> None:
    for _ in range(3):
        result, _ = ask(
            "POST", f"{desk.service.url}/x", auth=desk.auth(scope="read", body={"audience": "all"}), body={}
        )
    first = desk.service.asked[0]
    assert [each.path for each in desk.service.asked] == ["/token", "/x", "/x", "/x"]
    assert parse_qs(first.body.decode()) == {
        "grant_type": ["client_credentials"],
        "scope": ["read"],
        "audience": ["all"],
    }
    assert b64decode(first.headers["authorization"].removeprefix("Basic ")).decode() == f"me:{PASSWORD}"
    # nobody who reads the result learns the token
    assert result == {"seen": "Bearer [secret OFFICE]"}


def test_many_at_once_ask_for_one_token(desk: Desk) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*(call_http("GET", f"{desk.service.url}/x", auth=desk.auth()) for _ in range(8)))

    asyncio.run(all_at_once())
    assert len(desk.given) == 1


@pytest.mark.parametrize(
    ("seconds", "asked"), [(3600, 1), ("3600", 1), (60, 3), (30, 3), (0, 3), (None, 1), (-5, 3)]
)
def test_a_token_is_used_until_a_minute_before_its_end(desk: Desk, seconds: object, asked: int) -> None:
    desk.reply["expires_in"] = seconds
    for _ in range(3):
        ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    assert len(desk.given) == asked


def test_after_a_401_a_token_is_got_anew_once(desk: Desk) -> None:
    ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    desk.valid.clear()
    ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    assert len(desk.given) == 2
    desk.service.answer = lambda request: desk.answer(request) if request.path == "/token" else Reply(401)
    before = len(desk.service.asked)
    with pytest.raises(StepError) as caught:
        ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    assert caught.value.name == "http.401"
    assert [each.path for each in desk.service.asked[before:]] == ["/x", "/token", "/x"]


def test_tokens_are_kept_apart_by_all_that_is_sent_for_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for auth in (desk.auth(), desk.auth(user="you"), desk.auth(scope="x"), desk.auth(body={"a": 1})):
        ask("GET", f"{desk.service.url}/x", auth=auth)
    monkeypatch.setenv("OFFICE", "another-password")
    ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    assert len(desk.given) == 5


def test_what_proves_it_may_stand_in_the_form(desk: Desk) -> None:
    form = {"client_id": "me", "client_secret": Secret("OFFICE")}
    ask("GET", f"{desk.service.url}/x", auth=desk.auth(user=None, password=None, body=form))
    first = desk.service.asked[0]
    assert parse_qs(first.body.decode())["client_secret"] == [PASSWORD]
    assert "authorization" not in first.headers


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (Reply(400, body=json.dumps({"error": PASSWORD}).encode()), "http.400"),
        (Reply(503), "http.503"),
        (Reply(body=b"{"), "http.invalid_output"),
        (Reply(body=b"[]"), "http.invalid_output"),
        (Reply(body=b'{"access_token": ""}'), "http.invalid_output"),
        (Reply(body=b'{"access_token": 3}'), "http.invalid_output"),
        (Reply(body=b'{"access_token": "a\\nb"}'), "http.invalid_output"),
        (Reply(body=b'{"access_token": "a", "token_type": "mac"}'), "http.invalid_output"),
        (Reply(body=b'{"access_token": "a", "expires_in": "soon"}'), "http.invalid_output"),
        (Reply(302, headers={"Location": "http://127.0.0.1:1/"}), "http.redirect"),
        (Reply(cut=True), "connection"),
    ],
)
def test_no_token_no_request(desk: Desk, reply: Reply, name: str) -> None:
    desk.service.answer = lambda _: reply
    with pytest.raises(StepError) as caught:
        ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    assert caught.value.name == name
    assert [each.path for each in desk.service.asked] == ["/token"]
    assert PASSWORD not in f"{caught.value!r} {caught.value.body}"


def test_a_missing_password_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OFFICE")
    with pytest.raises(SettingsError, match="OFFICE"):
        ask("GET", f"{desk.service.url}/x", auth=desk.auth())
    assert not desk.service.asked


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_a_secret_in_query_and_body_is_sent_and_shown_nowhere(service: Service, kind: str) -> None:
    def echo(request: Request) -> Reply:
        said = {"q": request.query, "body": request.body.decode()}
        return Reply(400, body=json.dumps(said).encode())

    service.answer = echo
    key = Secret("OFFICE")
    with pytest.raises(StepError) as caught:
        ask(
            "POST",
            f"{service.url}/x",
            query={"k": key, "n": [1, key]},
            headers={"Content-Type": kind},
            body={"a": key, "b": [key]},
        )
    assert service.last.query == [("k", PASSWORD), ("n", "1"), ("n", PASSWORD)]
    if kind == "application/json":
        assert json.loads(service.last.body) == {"a": PASSWORD, "b": [PASSWORD]}
    else:
        assert parse_qs(service.last.body.decode()) == {"a": [PASSWORD], "b": [PASSWORD]}
    seen = f"{caught.value!r} {caught.value.body}"
    assert PASSWORD not in seen
    assert "not-for-anybodys-eyes" not in seen


def test_a_secret_in_the_query_stays_in_its_service(start: Callable[[], Service]) -> None:
    service, other = start(), start()
    service.answer = lambda _: Reply(302, headers={"Location": f"{other.url}/x"})
    with pytest.raises(StepError) as caught:
        ask("GET", f"{service.url}/x", query={"k": Secret("OFFICE")})
    assert (caught.value.name, other.asked) == ("http.redirect", [])
