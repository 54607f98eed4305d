"""Requests over real HTTP, to a server in a thread."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest
from http_service import Reply, Request, Service, ask, gives, text_reply

from wfc.runtime.calls.bindings import Basic, Bearer, Secret
from wfc.runtime.calls.http import replies
from wfc.runtime.errors import SettingsError, StepError
from wfc.runtime.events import Record
from wfc.runtime.values.outputs import Output

TOKEN = "token-not-for-anybodys-eyes"


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_TOKEN", TOKEN)


class Weather(Record):
    celsius: float
    day: date | None = None


@pytest.mark.parametrize(
    ("reply", "output", "result"),
    [
        (Reply(body=b'{"celsius": 21.5, "humidity": 3}'), Weather, Weather(celsius=21.5)),
        (
            Reply(body=b'{"celsius": 1, "day": "2026-02-03"}'),
            Weather,
            Weather(celsius=1, day=date(2026, 2, 3)),
        ),
        (Reply(body=b'["a", "b"]'), list[str], ["a", "b"]),
        (Reply(body=b"null"), Output(Weather | None), None),
        (Reply(status=204, body=b"", headers={}), Output(Weather | None), None),
        (Reply(body=b'{"a": [1, null]}'), None, {"a": [1, None]}),
        (Reply(body=b'{"a": [1, null]}'), Any, {"a": [1, None]}),
        (Reply(body=b""), None, None),
        (text_reply("grüß"), None, "grüß"),
        (text_reply("grüß"), str, "grüß"),
        (Reply(body=b'"quoted"'), str, '"quoted"'),
        (text_reply('{"celsius": 2}'), Weather, Weather(celsius=2)),  # a service that says nothing of JSON
        (
            Reply(body="ü".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"}),
            None,
            "ü",
        ),
        (Reply(body=b"{broken"), None, "{broken"),
    ],
)
def test_the_body_is_json_or_text_as_declared(
    service: Service, reply: Reply, output: Any, result: object
) -> None:
    gives(service, reply)
    assert ask("GET", service.url, output=output)[0] == result


def test_status_and_headers_come_with_the_body(service: Service) -> None:
    gives(service, Reply(status=201, headers={"Content-Type": "application/json", "X-Left": "3"}))
    response = ask("POST", service.url)[1]
    assert (response.status, response.headers["x-left"]) == (201, "3")


def test_a_query_leaves_null_out_and_keeps_what_the_address_has(service: Service) -> None:
    query = {
        "limit": 3,
        "lang": None,
        "tag": ["a&b", "c"],
        "all": True,
        "day": date(2026, 1, 2),
        "sum": Decimal("1.0"),
    }
    ask("GET", service.url + "/kb?page=2", query=query)
    assert service.last.path == "/kb"
    assert service.last.query == parse_qsl("page=2&limit=3&tag=a%26b&tag=c&all=true&day=2026-01-02&sum=1.0")


@pytest.mark.parametrize(
    ("body", "headers", "kind", "sent"),
    [
        ({"text": "hä"}, {}, "application/json", '{"text":"hä"}'),
        ([1], {}, "application/json", "[1]"),
        (Weather(celsius=1), {}, "application/json", '{"celsius":1.0,"day":null}'),
        ("plain", {}, "text/plain; charset=utf-8", "plain"),
        ("<a/>", {"Content-Type": "application/xml"}, "application/xml", "<a/>"),
        ({"a": "b c", "d": None}, {"content-type": "application/x-www-form-urlencoded"}, None, "a=b+c"),
    ],
)
def test_a_body_is_json_unless_it_is_text(
    service: Service, body: object, headers: dict[str, str], kind: str | None, sent: str
) -> None:
    ask("POST", service.url, body=body, headers=headers)
    assert service.last.body.decode() == sent
    assert kind is None or service.last.headers["content-type"] == kind


def test_secrets_go_into_auth_and_headers(service: Service) -> None:
    ask(
        "GET",
        service.url,
        auth=Bearer(Secret("DESK_TOKEN")),
        headers={"X-Key": Secret("DESK_TOKEN"), "X-App": "wfc"},
    )
    sent = service.last.headers
    assert (sent["authorization"], sent["x-key"], sent["x-app"]) == (f"Bearer {TOKEN}", TOKEN, "wfc")
    ask("GET", service.url, auth=Basic("ann", Secret("DESK_TOKEN")))
    assert service.last.headers["authorization"].startswith("Basic ")


def test_the_idempotency_key_goes_with_what_changes_something(service: Service) -> None:
    ask("POST", service.url, idempotency_key="reply-1")
    assert service.last.headers["idempotency-key"] == "reply-1"
    ask("GET", service.url, idempotency_key="reply-1")
    assert "idempotency-key" not in service.last.headers


@pytest.mark.parametrize(
    ("status", "names"),
    [
        (400, ["http", "http.4xx", "http.400"]),
        (404, ["http.4xx", "http.404"]),
        (429, ["http.429", "http.4xx"]),
        (503, ["http", "http.5xx", "http.503"]),
        (304, ["http"]),
    ],
)
def test_a_status_of_failure_is_an_error_with_names(service: Service, status: int, names: list[str]) -> None:
    body = b"" if status == 304 else b'{"detail": "no such order"}'
    gives(service, Reply(status=status, body=body))
    if status == 304:
        assert ask("GET", service.url)[1].status == 304
        return
    with pytest.raises(StepError, match="no such order") as caught:
        ask("GET", service.url + "/orders/7", query={"q": "private"})
    error = caught.value
    assert (error.name, error.status, error.body) == (f"http.{status}", status, {"detail": "no such order"})
    assert all(error.matches(name) for name in names)
    assert not error.matches("http.418", "timeout", "model")
    assert f"GET {service.url}/orders/7 replied {status}" in error.message
    assert "private" not in error.message


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3), ("0.5", 0.5), ("soon", None), ("inf", None)],
    ids=["seconds", "half", "a word", "for ever"],
)
def test_how_long_to_wait_is_told(service: Service, header: str, seconds: float | None) -> None:
    gives(service, Reply(status=429, headers={"Retry-After": header}))
    with pytest.raises(StepError) as caught:
        ask("GET", service.url)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize(("hours", "seconds"), [(1, 3600), (-1, 0)], ids=["to come", "gone by"])
def test_a_date_to_wait_for_is_told_as_seconds(service: Service, hours: int, seconds: float) -> None:
    date = datetime.now(UTC) + timedelta(hours=hours)  # not where tests are collected, which may be long ago
    gives(service, Reply(status=429, headers={"Retry-After": format_datetime(date, usegmt=True)}))
    with pytest.raises(StepError) as caught:
        ask("GET", service.url)
    assert caught.value.retry_after == pytest.approx(seconds, abs=60)


def test_a_reply_of_another_type_is_told(service: Service) -> None:
    gives(service, Reply(body=b'{"celsius": "warm"}'))
    with pytest.raises(StepError, match="`celsius`") as caught:
        ask("GET", service.url, output=Weather)
    assert caught.value.name == "http.invalid_output"


def test_a_reply_without_end_is_refused(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "LARGEST_BODY", 1000)
    gives(service, text_reply("x" * 1001))
    with pytest.raises(StepError) as caught:
        ask("GET", service.url)
    assert caught.value.name == "http.too_large"


def test_a_slow_reply_is_a_timeout(service: Service) -> None:
    release = threading.Event()

    def slow(_: Request) -> Reply:
        release.wait(10)
        return Reply()

    service.answer = slow
    with pytest.raises(StepError) as caught:
        ask("GET", service.url, wait=0.1)
    release.set()
    assert caught.value.name == "timeout"


def test_a_cut_reply_and_a_missing_service_are_connection_errors(service: Service, nobody: str) -> None:
    gives(service, Reply(cut=True))
    with pytest.raises(StepError) as caught:
        ask("GET", service.url)
    assert caught.value.name == "connection"
    with pytest.raises(StepError) as caught:
        ask("GET", nobody)
    assert caught.value.name == "connection"


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("ftp://example.com", {}),
        ("/orders", {}),
        ("http://", {}),
        ("http://exa mple.com:port", {}),
        ("http://example.com", {"X-A": "a\r\nX-B: b"}),
        ("http://example.com", {"X A": "a"}),
    ],
)
def test_what_is_no_request_is_not_sent(url: str, headers: dict[str, str]) -> None:
    with pytest.raises(StepError) as caught:
        ask("GET", url, headers=headers)
    assert caught.value.name == "http.invalid_request"


def test_redirects_of_the_same_service_are_followed(service: Service) -> None:
    gives(service, Reply(status=302, headers={"Location": "/new"}), Reply(body=b"1"))
    assert ask("GET", service.url + "/old", auth=Bearer(Secret("DESK_TOKEN")))[0] == 1
    assert service.last.path == "/new"
    assert service.last.headers["authorization"] == f"Bearer {TOKEN}"


def test_a_secret_is_not_carried_to_another_service(start: Callable[[], Service]) -> None:
    one, other = start(), start()
    gives(one, Reply(status=307, headers={"Location": other.url}))
    with pytest.raises(StepError, match="another service") as caught:
        ask("GET", one.url, headers={"X-Key": Secret("DESK_TOKEN")})
    assert caught.value.name == "http.redirect"
    assert not other.asked
    gives(other, Reply(body=b"1"))
    assert ask("GET", one.url)[0] == 1  # without a secret it follows


def test_redirects_in_a_circle_end(service: Service) -> None:
    gives(service, Reply(status=302, headers={"Location": "/"}))
    with pytest.raises(StepError) as caught:
        ask("GET", service.url)
    assert caught.value.name == "http.redirect"


def test_a_missing_secret_names_its_variable(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESK_TOKEN")
    with pytest.raises(SettingsError, match="DESK_TOKEN"):
        ask("GET", service.url, auth=Bearer(Secret("DESK_TOKEN")))
    assert not service.asked


def test_a_service_that_repeats_a_secret_does_not_get_it_into_the_run(service: Service) -> None:
    service.answer = lambda request: Reply(body=json.dumps({"you sent": request.headers}).encode())
    result, _ = ask(
        "GET", service.url, auth=Basic("ann", Secret("DESK_TOKEN")), headers={"X-K": Secret("DESK_TOKEN")}
    )
    assert result["you sent"]["x-k"] == "[secret DESK_TOKEN]"
    assert result["you sent"]["authorization"] == "Basic [secret DESK_TOKEN]"
