"""What strangers try: none of it gets further than the door, and nothing of it is an error of ours."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from asgi_client import KEY, TOKENS, Client, Served, started, until

from wfc.runtime.errors import SettingsError
from wfc.runtime.server.access import Access, Principal, of_token, read_principals
from wfc.runtime.server.endpoint import ANYBODY, LINK, OPENED, SENDER
from wfc.runtime.server.routes import ENDPOINTS

START = "/v1/workflows/echo/runs"
JSON = [("Content-Type", "application/json")]


async def count(client: Client) -> int:
    return len((await client.get("/v1/runs?most=500")).json["runs"])


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "127.0.0.1:x",
        "127.0.0.1:99999",
        "[::1",
    ],
)
def test_another_name_for_this_machine_is_refused(served: Served, host: str | None) -> None:
    async def use(client: Client) -> None:
        answer = await client.send("GET", "/livez", host=host)
        assert (answer.status, answer.code) == (421, "host")

    served(use)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8470", "LOCALHOST", "[::1]:8470"])
def test_the_names_of_this_machine_are_taken(served: Served, host: str) -> None:
    async def use(client: Client) -> None:
        assert (await client.send("GET", "/livez", host=host)).status == 200

    served(use)


@pytest.mark.parametrize("path", ["http://evil.example/livez", "*", ""])
def test_paths_that_do_not_begin_at_the_root_are_refused(served: Served, path: str) -> None:
    async def use(client: Client) -> None:
        assert (await client.get(path)).code in {"path"}

    served(use)


PROXIED = [
    ("X-Forwarded-Host", "desk.example"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-For", "127.0.0.1"),
    ("Forwarded", "for=127.0.0.1;host=desk.example;proto=https"),
    ("X-Forwarded-User", "user:ann"),
    ("Remote-User", "user:ann"),
    ("X-Forwarded-Email", "ann@desk.example"),
    ("Cookie", f"k={TOKENS['ann']}; __Host-k={TOKENS['ann']}; session={TOKENS['ann']}"),
    ("X-Original-URL", "/v1/audit"),
    ("X-HTTP-Method-Override", "POST"),
]


def test_what_a_proxy_may_say_counts_for_nothing(served: Served) -> None:
    """Nobody proves by a header of a proxy, or by a cookie that one has added, who he is or where he wants to go."""

    async def use(client: Client) -> None:
        run = await started(client, "approval", text="it")
        await until(client, run, "parked")
        (task,) = (await client.get(f"/v1/tasks?run={run}")).json["tasks"]
        before = await count(client)
        for header in (*([one] for one in PROXIED), PROXIED):
            stranger = client.as_("")
            assert (await stranger.send("GET", "/v1/me", headers=header)).code == "token"
            started_so = await stranger.send("POST", START, b'{"inputs": {"text": "a"}}', [*JSON, *header])
            assert started_so.code == "token"
            assert (await stranger.send("GET", "/livez", headers=header, host="desk.example")).code == "host"
            assert (await client.as_("viewer").get("/v1/me", header)).json["name"] == "user:viewer"
            link = await client.post(f"/v1/tasks/{task['task']}/link", {"for": "user:eve"}, header)
            assert link.json["link"].startswith("http://127.0.0.1:8470/")
        assert await count(client) == before

    served(use)


@pytest.mark.parametrize(
    "headers",
    [
        [("Origin", "https://evil.example")],
        [("Origin", "null")],
        [("Origin", "http://127.0.0.1:3000")],
        [("Sec-Fetch-Site", "cross-site")],
    ],
)
def test_pages_of_other_sites_may_not_use_it(served: Served, headers: list[tuple[str, str]]) -> None:
    async def use(client: Client) -> None:
        before = await count(client)
        answer = await client.post(START, {"inputs": {"text": "a"}}, headers)
        assert (answer.status, answer.code) == (403, "origin")
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert await count(client) == before

    served(use)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=utf-16",
        "",
    ],
)
def test_what_a_form_of_a_page_could_send_is_refused(served: Served, kind: str) -> None:
    async def use(client: Client) -> None:
        body = b'{"inputs": {"text": "a"}}'
        answer = await client.send("POST", START, body, [("Content-Type", kind)] if kind else [])
        assert (answer.status, answer.code) == (415, "body.type")

    served(use)


@pytest.mark.parametrize(
    "name",
    ["Host", "Origin", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID"],
)
def test_headers_that_are_there_twice_are_refused(served: Served, name: str) -> None:
    async def use(client: Client) -> None:
        answer = await client.send("GET", "/v1/me", headers=[(name, "a"), (name, "b")])
        assert (answer.status, answer.code) == (400, "header.twice")

    served(use)


BODIES = {
    "no JSON": b"{",
    "a list": b"[]",
    "a text": b'"a"',
    "NaN": b'{"inputs": {"text": NaN}}',
    "infinite": b'{"inputs": {"times": 1e999}}',
    "endless": b'{"inputs": {"times": ' + b"9" * 5000 + b"}}",
    "deep": b'{"inputs": {"text": ' + b"[" * 50_000 + b"]" * 50_000 + b"}}",
    "deep objects": b'{"a":' * 200 + b"1" + b"}" * 200,
    "twice": b'{"inputs": {"text": "a", "text": "b"}}',
    "half a character": b'{"inputs": {"text": "\\ud800"}}',
    "bytes": b'{"inputs": {"text": "\xff"}}',
    "UTF-16": '{"inputs": {}}'.encode("utf-16"),
    "NUL": b"\x00",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies_that_readers_differ_about_are_refused(served: Served, body: bytes) -> None:
    async def use(client: Client) -> None:
        before = await count(client)
        answer = await client.send("POST", START, body, JSON)
        assert answer.code in {"body.json", "run.inputs"}, answer.body
        assert 400 <= answer.status < 500
        assert await count(client) == before

    served(use)


@pytest.mark.parametrize(
    ("headers", "size", "code"),
    [
        ([("Content-Length", "2000000")], 10, "body.large"),
        ([("Content-Length", "-1")], 10, "body.large"),
        ([("Content-Length", "9" * 30)], 10, "body.large"),
        ([("Content-Length", "10")], 1_000_001, "body.large"),
        ([], 1_000_001, "body.large"),
        ([("Content-Encoding", "gzip")], 10, "body.encoding"),
    ],
)
def test_bodies_are_bounded_whatever_is_said_of_their_size(
    served: Served, headers: list[tuple[str, str]], size: int, code: str
) -> None:
    async def use(client: Client) -> None:
        assert (await client.send("POST", START, b" " * size, [*JSON, *headers])).code == code

    served(use)


HOSTILE = [
    "..",
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "%0d%0aX-Evil:%201",
    "%ff",
    "%E2%80%AE",
    "<script>",
    "$%7B%7B%20secrets.A%20%7D%7D",
    "'%20OR%20'1'='1",
    "a" * 5000,
    "%25",
    "__proto__",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_names_that_there_are_not(served: Served, name: str) -> None:
    async def use(client: Client) -> None:
        paths = [
            f"/v1/workflows/{name}",
            f"/v1/runs/{name}",
            f"/v1/runs/{name}/history",
            f"/v1/runs/{name}/stream",
            f"/v1/runs/{name}/at/1",
            f"/v1/tasks/{name}",
        ]
        for path in paths:
            answer = await client.get(path)
            assert answer.status == 404, path
            assert answer.code in {"workflow.unknown", "run.unknown", "task.unknown", "path"}
            assert all("\n" not in value and "\r" not in value for value in answer.headers.values())
        for query in ("after", "status", "most", "key", "workflow"):
            assert (await client.get(f"/v1/runs?{query}={name}")).status in {200, 400}

    served(use)


@pytest.mark.parametrize(
    "text", ["\u202e evil", "\x00", "${{ secrets.A }}", "<img onerror=x>", "\x1b[31m", "a" * 9999]
)
def test_hostile_texts_go_through_as_data_and_none_reorders_a_screen(served: Served, text: str) -> None:
    async def use(client: Client) -> None:
        answer = await client.post(f"{START}?wait=60", {"inputs": {"text": text}})
        assert answer.json["result"]["with"]["text"] == text
        assert answer.body.decode().isprintable()
        run = answer.json["run"]
        async for event in client.parts("GET", f"/v1/runs/{run}/stream"):
            body = event.get("body", b"").decode()
            assert body.replace("\n", "").isprintable()

    served(use)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("most=0", "query"),
        ("most=1001", "query"),
        ("most=x", "query"),
        ("most=1&most=2", "query"),
        ("nope=1", "query"),
        ("status=nope", "query"),
        ("after=x", "cursor"),
        ("after=" + "W1" * 3000, "cursor"),
        ("after=WzFlMTBd", "cursor"),
        ("after=W3RydWVd", "cursor"),
    ],
)
def test_parameters_that_are_none_are_refused(served: Served, query: str, code: str) -> None:
    async def use(client: Client) -> None:
        answer = await client.get(f"/v1/runs?{query}")
        assert (answer.status, answer.code) == (400, code)

    served(use)


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800", "\\n"])
def test_a_forged_cursor_reaches_no_store(served: Served, text: str) -> None:
    async def use(client: Client) -> None:
        cursor = base64.urlsafe_b64encode(f'[1, "{text}"]'.encode()).decode().rstrip("=")
        answer = await client.get(f"/v1/tasks?after={cursor}")
        assert (answer.status, answer.code) == (400, "cursor")

    served(use)


# --- who may do what


def filled(path: str) -> str:
    return re.sub(r"\{\w+\}", "1", path)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_each_endpoint_is_for_its_roles_alone(served: Served, endpoint: Any) -> None:
    async def use(client: Client) -> None:
        for who, roles in {
            "": set(),
            "old": set(),
            "viewer": {"see"},
            "starter": {"start"},
            "answerer": {"answer"},
            "ann": {"see", "start", "answer", "operate"},
        }.items():
            answer = await client.as_(who).send(endpoint.method, filled(endpoint.path), b"", JSON)
            if endpoint.roles == (ANYBODY,):
                assert answer.status == (404 if "{" in endpoint.path else 200)
            elif endpoint.roles == (OPENED,):
                assert answer.status in {404, 422}
            elif endpoint.roles == (SENDER,):
                assert (answer.status, answer.code) == (401, "hook.refused")
            elif endpoint.roles == (LINK,):
                assert (answer.status, answer.code) == (401, "link.missing")  # a token of one's own is none
            elif not roles:
                assert (answer.status, answer.code) == (401, "token")
                assert answer.headers["www-authenticate"].startswith("Bearer")
            elif roles.isdisjoint(endpoint.roles):
                assert (answer.status, answer.code) == (403, "role.missing")
            else:
                assert answer.status not in {401, 403} and answer.status < 500

    served(use)


def test_every_endpoint_that_changes_something_needs_a_role_or_a_link() -> None:
    free = {one.name for one in ENDPOINTS if one.roles == (ANYBODY,)}
    pages = {"show_page", "show_page_file", "show_task_page", "show_form_page", "show_chat_page"}
    assert free == {"livez", "readyz", *pages}  # what is fixed, and the same for everybody
    assert not [one.name for one in ENDPOINTS if one.method != "GET" and set(one.roles) & {ANYBODY, "see"}]


def test_what_one_may_not_see_is_not_there(served: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "echo", text="a")
        other = client.as_("other")
        for path in (
            f"/v1/runs/{run}",
            f"/v1/runs/{run}/stream",
            f"/v1/runs/{run}/at/1",
            "/v1/workflows/echo",
        ):
            there, not_there = (
                await other.get(path),
                await other.get(path.replace(run, "x").replace("echo", "x")),
            )
            assert there.status == not_there.status == 404
            assert there.code == not_there.code
        for action in ("cancel", "resume", "fork", "upgrade", "events"):
            assert (await other.post(f"/v1/runs/{run}/{action}", {})).status in {404, 422}
        assert (await other.get("/v1/runs")).json["runs"] == []
        assert (await other.get("/v1/runs?workflow=echo")).json["runs"] == []
        assert (await other.get("/metrics")).status == 403
        assert (await other.post(START, {"inputs": {"text": "a"}})).code == "workflow.unknown"
        assert "echo" not in (await other.get("/v1/openapi.json")).body.decode()

    served(use)


def test_no_reply_holds_a_token_or_the_key(served: Served) -> None:
    async def use(client: Client) -> None:
        secrets = [
            *TOKENS.values(),
            KEY.decode(),
            *(one.digest for one in client.app.server.access.principals),
        ]
        for endpoint in ENDPOINTS:
            if endpoint.method == "GET":
                for who in ("ann", "", "other"):
                    answer = await client.as_(who).get(filled(endpoint.path))
                    told = answer.body.decode() + json.dumps(answer.headers)
                    assert not [one for one in secrets if one in told]

    served(use)


def test_every_reply_has_strict_headers(served: Served) -> None:
    async def use(client: Client) -> None:
        for path in ("/livez", "/v1/me", "/nope", "/v1/workflows/echo/flow?form=html"):
            headers = (await client.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
            assert "default-src 'none'" in headers["content-security-policy"]
            assert not {"set-cookie", "access-control-allow-origin", "server"} & set(headers)

    served(use)


@pytest.mark.parametrize("path", ["/", "/task", "/form", "/chat", "/page/app.js", "/page/icon.svg"])
def test_no_file_of_the_page_is_a_service_worker(served: Served, path: str) -> None:
    async def use(client: Client) -> None:
        plain = await client.get(path)
        assert plain.status == 200
        assert "worker-src 'none'" in plain.headers["content-security-policy"]
        asked = await client.get(path, headers=[("service-worker", "script")])
        assert (asked.status, asked.code) == (403, "page.no_worker")

    served(use)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    async def use(client: Client) -> None:
        answer = await client.send(method, "/v1/runs")
        assert (answer.status, answer.code, answer.headers["allow"]) == (405, "method", "GET")

    served(use)


# --- files of principals

GOOD = '[[principal]]\nname = "user:ann"\nroles = ["see"]\nsha256 = "' + "0" * 64 + '"\n'


def test_a_file_of_principals_is_read(tmp_path: Path) -> None:
    file = tmp_path / "who.toml"
    file.write_text(GOOD + 'workflows = ["order*"]\ngroups = ["leads"]\nexpires = 2027-01-01T00:00:00Z\n')
    (found,) = read_principals(file)
    assert (found.name, found.roles, found.groups) == ("user:ann", {"see"}, ("leads",))
    assert found.knows("order_desk") and found.knows("order.part") and not found.knows("reorder")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1",
        "[[principal]]",
        GOOD.replace("see", "admin"),
        GOOD.replace('["see"]', "[]"),
        GOOD.replace('["see"]', '["author"]') + 'workflows = ["refund"]\n',
        GOOD.replace("0", "x", 1),
        GOOD.replace("user:ann", ""),
        GOOD.replace("user:ann", "a,b"),
        GOOD + 'token = "x"\n',
        GOOD + 'expires = "soon"\n',
        GOOD + "groups = 3\n",
        "principal = 3",
        "principal = [3]",
        "[",
    ],
)
def test_a_file_of_principals_with_a_mistake_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "who.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"who\.toml"):
        read_principals(file)


def test_tokens_that_may_be_guessed_or_shared_are_refused() -> None:
    with pytest.raises(SettingsError, match="guessed"):
        of_token("short", "user:ann")
    one = of_token("t" * 40, "user:ann")
    with pytest.raises(SettingsError, match="same token"):
        Access([one, Principal("user:bob", frozenset({"see"}), digest=one.digest)])
    assert Access([]).find("") is None
    assert Access([Principal("user:bob", frozenset({"see"}))]).find("") is None
