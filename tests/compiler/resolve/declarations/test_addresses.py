"""Which server a request is sent to: data may choose among servers, and make none."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

Resolve = Callable[..., Any]

CONFIG = {
    "base": "string",
    "scheme": "string",
    "x": "string",
    "desks": {"type": "map of string", "default": {}},
    "hosts": {"type": "list of string", "default": []},
}
EVENTS = {"Asked": {"name": "string", "host": "string", "n": "integer", "kind": "string", "flag": "boolean"}}


def findings(resolved: Resolve, **step: object) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = resolved(
        secrets=["KEY"],
        config=CONFIG,
        events=EVENTS,
        steps={
            "greet": {
                "kind": "http",
                "accepts": "Asked",
                "method": "POST",
                "url": "https://a.example",
                "output": {"text": "string"},
                "emit": "Greeted",
                **step,
            }
        },
    ).found
    return [each for each in found if each[0] != "unused-declaration"]


HOLES = [  # with the expression that decides too much
    ("http://${{ event.host }}", "event.host"),
    ("http://api.${{ event.host }}/x", "event.host"),
    ("https://x:${{ event.n }}/", "event.n"),
    ("https://${{ event.name }}@x/", "event.name"),
    ("${{ config.base }}.${{ event.host }}/x", "event.host"),
    ("${{ config.base }}${{ event.host }}", "event.host"),
    ("${{ config.scheme }}://${{ event.host }}/x", "event.host"),
    ("${{ config.x }}//${{ event.host }}", "event.host"),
    ("${{ event.host }}/x", "event.host"),
    ("${{ config.base ~ event.host }}/x", "config.base ~ event.host"),
    ("${{ config.base | replace('a', event.name) }}/x", "config.base | replace('a', event.name)"),
    ("https://${{ config.x[event.n:] }}/x", "config.x[event.n:]"),
    (
        "https://${{ config.desks[event.kind] | default(event.host) }}/x",
        "config.desks[event.kind] | default(event.host)",
    ),
    ("https://${{ 'a' if event.flag else event.host }}/x", "'a' if event.flag else event.host"),
    ("https://a${{ event.flag }}/x", "event.flag"),
]


@pytest.mark.parametrize(("url", "marked"), HOLES)
def test_data_that_makes_a_server_is_found_where_it_stands(resolved: Resolve, url: str, marked: str) -> None:
    assert findings(resolved, url=url) == [("url-base-not-config", marked)]
    assert ("url-base-not-config", marked) in findings(
        resolved, auth={"oauth2": {"url": url, "user": "u", "password": "KEY"}}
    )
    assert findings(resolved, url={"from": "event.name", "only": [url]}) == [("url-base-not-config", marked)]


CHOSEN = [
    "https://a.example/${{ event.host }}",
    "https://a.example?q=${{ event.host }}",
    "https://a.example#${{ event.host }}",
    "${{ config.base }}",
    "${{ config.base }}/${{ event.host }}",
    "${{ config.base }}?q=${{ event.host }}",
    "${{ config.base ~ '.example' }}/${{ event.host }}",
    "${{ config.base + '.example' }}/${{ event.host }}",
    "${{ config.scheme }}://${{ config.x }}:80/${{ event.host }}",
    "https://${{ config.desks[event.kind] | default('a.example') }}/x",
    "https://${{ config.hosts[event.n] }}/x",
    "https://${{ 'a' if event.flag else config.x | lower }}.example/x",
    "https://${{ {'a': 'x', 'b': 'y'}[event.kind] | default('z') }}.example/${{ event.name }}",
    "${{ config.x }}//a.example/${{ event.host }}",
]


@pytest.mark.parametrize("url", CHOSEN)
def test_data_may_choose_a_server(resolved: Resolve, url: str) -> None:
    assert not [each for each in findings(resolved, url=url) if each[0] in {"url-base-not-config", "bad-url"}]


BAD = [
    ("a.example/x", "does not say its scheme"),
    ("localhost:8000", "does not say its scheme"),
    ("/x", "names no server"),
    ("//a.example/x", "names no server"),
    ("", "names no server"),
    ("ftp://a.example/x", "`ftp` is not the scheme"),
    ("https:///x", "names no server"),
    ("https://me:you@a.example/x", "names a user"),
    ("https://a b/x", "holds a blank"),
    ("https://a\\b/x", "holds a blank or a backslash"),
    ("${{ config.base }}@a.example/x", "names a user"),
]


@pytest.mark.parametrize(("url", "why"), BAD)
def test_what_is_no_address_is_said(resolved: Resolve, url: str, why: str) -> None:
    found = resolved(
        config=CONFIG,
        steps={
            "greet": {
                "kind": "http",
                "accepts": "Asked",
                "method": "GET",
                "url": url,
                "output": {"text": "string"},
                "emit": "Greeted",
            }
        },
    )
    assert [each[0] for each in found.found] == ["bad-url"]
    assert why in found.errors[0]


def test_a_model_has_a_server_too(resolved: Resolve) -> None:
    models = {"m": {"use": "openai:x", "base_url": "api.example/v1"}}
    ask = {
        "kind": "llm",
        "accepts": "Asked",
        "model": "m",
        "prompt": "x",
        "emit": {"event": "Greeted", "with": {"text": "${{ result }}"}},
    }
    assert resolved(models=models, steps={"greet": ask}).found == [("bad-url", "api.example/v1")]


# --- by chance, against how each address was put together

FIXED = [
    "config.base",
    "'abc'",
    "config.desks[event.kind] | default('d')",
    "('a' if event.flag else config.x)",
    "config.x ~ 'y'",
]
LOOSE = [
    "event.host",
    "event.n",
    "config.x ~ event.name",
    "(event.host if event.flag else 'a')",
    "event.name | lower",
]


def build(rng: random.Random) -> tuple[str, bool]:
    """An address from parts, and whether data stands before its path."""
    loose = False

    def hole(share: float) -> str:
        nonlocal loose
        found = rng.random() < share
        loose |= found
        return f"${{{{ {rng.choice(LOOSE if found else FIXED)} }}}}"

    head = rng.choice(["https://", "http://", "${{ config.scheme }}://", ""])
    if not head:
        head = "${{ config.base }}" + (
            hole(0.5) if rng.random() < 0.3 else rng.choice(["", ".b", ":80", "//s"])
        )
    else:
        for _ in range(rng.randint(1, 3)):
            head += rng.choice(["a.example", "x-1", ".", ":80"]) if rng.random() < 0.5 else hole(0.2)
        if head.endswith("//"):
            head += "s"
    tail = ""
    for _ in range(rng.randint(0, 4)):
        opener = rng.choice("/?#") if not tail else rng.choice(["/", "-", "", "?", "=", "@", "//", "://"])
        tail += opener + (f"${{{{ {rng.choice(LOOSE)} }}}}" if rng.random() < 0.6 else "t")
    if head == "${{ config.base }}" and tail.startswith("//"):
        tail = tail[1:]
    return head + tail, loose


def test_by_chance(resolved: Resolve, seed: str) -> None:
    rng = random.Random(seed)  # noqa: S311 - chance, not secrecy
    seen = {True: 0, False: 0}
    for _ in range(400):
        url, loose = build(rng)
        codes = {
            code for code, _ in findings(resolved, url=url) if code in {"url-base-not-config", "bad-url"}
        }
        assert codes == ({"url-base-not-config"} if loose else set()), url
        seen[loose] += 1
    assert min(seen.values()) > 50


# --- what a request carries


def test_a_secret_in_query_and_body(resolved: Resolve) -> None:
    assert not findings(resolved, query={"key": {"secret": "KEY"}}, body={"deep": [{"x": {"secret": "KEY"}}]})
    assert not findings(resolved, body={"secret": "${{ event.name }}"})
    assert findings(resolved, body={"deep": {"secret": "KEYS"}}) == [("unknown-secret", "KEYS")]


@pytest.mark.parametrize(
    ("step", "marked"),
    [
        ({"auth": {"bearer": "KEY"}}, "auth"),
        ({"headers": {"X-Key": {"secret": "KEY"}}}, "{secret: KEY}"),
        ({"query": {"k": {"secret": "KEY"}}}, "{secret: KEY}"),
        ({"body": {"a": [{"secret": "KEY"}]}}, "{secret: KEY}"),
    ],
)
def test_no_secret_goes_to_any_address(resolved: Resolve, step: dict[str, object], marked: str) -> None:
    found = findings(resolved, url={"from": "event.name", "only": "public"}, **step)
    assert [code for code, _ in found] == ["secret-to-any-address"]
    assert not findings(resolved, url={"from": "event.name", "only": ["https://a.example"]}, **step)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ({"from": "event.n", "only": "public"}, "wrong-value"),
        ({"from": "event.nam", "only": "public"}, "unknown-field"),
        ({"from": "event.name"}, "missing-key"),
        ({"only": "public"}, "missing-key"),
        ({"from": "event.name", "only": "private"}, "unknown-value"),
        ({"from": "event.name", "only": []}, "nothing-in-it"),
        ({"from": "event.name", "only": {"a": 1}}, "wrong-type"),
        ({"from": "event.name", "only": ["https://a.example?q=1"]}, "bad-url"),
        ({"from": "event.name", "only": ["https://a.example/${{ event.name }}"]}, "url-base-not-config"),
        ({"from": "event.name", "only": ["a.example"]}, "bad-url"),
        ([], "wrong-type"),
    ],
)
def test_wrong_addresses_from_data(resolved: Resolve, url: object, code: str) -> None:
    assert [each for each, _ in findings(resolved, url=url)] == [code]


def test_a_body_that_nobody_reads(resolved: Resolve) -> None:
    assert findings(resolved, method="GET", body={"a": 1}) == [("body-of-get", "body")]


@pytest.mark.parametrize(
    ("given", "missing"), [({"user": "u"}, "password"), ({"password": "KEY"}, "user"), ({}, "user")]
)
def test_what_proves_who_asks_for_a_token_is_whole(
    resolved: Resolve, given: dict[str, str], missing: str
) -> None:
    found = findings(resolved, auth={"oauth2": {"url": "https://a.example/token", **given}})
    assert [code for code, _ in found] == ["missing-entry"], missing
