"""``wfc serve`` as a process, over real sockets: what it serves, what it withstands, how it ends."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

_FOUND = importlib.util.spec_from_file_location(
    "serving_process", Path(__file__).with_name("serving_process.py")
)
assert _FOUND is not None
assert _FOUND.loader is not None
sys.modules["serving_process"] = _process = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(_process)
COUNT, DESK, Serving = _process.COUNT, _process.DESK, _process.Serving

SHOP = """\
wfc: 1
workflow: shop
start: Ordered
end: Noted
secrets: [SHOP_SECRET]
types: {Hook: {order_id: {type: string, as: orderId}}}
events: {Ordered: {id: string, event: string}, Noted: {what: string}}
triggers:
  orders:
    webhook: orders
    auth: {hmac: {secret: SHOP_SECRET, header: X-Sign, within: 5 min}}
    body: Hook
    with: {id: "${{ trigger.body.order_id }}", event: "${{ trigger.headers['x-event'] | default('none') }}"}
steps:
  note: {kind: transform, accepts: Ordered, emit: {event: Noted, with: {what: "${{ event.event }} of ${{ event.id }}"}}}
"""


def trickle(connection: socket.socket) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        connection.sendall(b"x")
        time.sleep(0.02)


def messages(reply: http.client.HTTPResponse) -> Iterator[tuple[str, str, Any]]:
    """Yield the id, the kind and the data of each message of a stream, as a browser reads them."""
    found: dict[str, str] = {}
    while line := reply.readline().decode():
        name, _, value = line.rstrip("\n").partition(": ")
        if line == "\n" and "event" in found:
            yield found.get("id", ""), found["event"], json.loads(found["data"])
        found = {} if line == "\n" else {**found, name: value}


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Serving]]:
    """Starts ``wfc serve`` in a folder of specs; all are killed in the end."""
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db")
    (tmp_path / "desk.yaml").write_text(DESK)
    (tmp_path / "count.yaml").write_text(COUNT)
    begun: list[Serving] = []

    def call(*arguments: str, before: str = "") -> Serving:
        begun.append(Serving(tmp_path, *(arguments or (".",)), before=before))
        return begun[-1]

    yield call
    for one in begun:
        one.kill()


@pytest.mark.full
def test_a_question_is_answered_by_a_link_and_the_run_ends(serve: Callable[..., Serving]) -> None:
    server = serve()
    assert "serving count, desk" in server.told
    assert [one["workflow"] for one in server.call("GET", "/v1/workflows")[1]["workflows"]] == [
        "count",
        "desk",
    ]
    run = server.start("desk", 60, what="tea")["run"]
    (task,) = server.call("GET", "/v1/tasks")[1]["tasks"]
    assert (task["run"], task["title"]) == (run, "May they have tea?")
    told = messages(server.stream(run))
    assert [kind for _, kind, _ in (next(told) for _ in range(5))] == [
        "hello",
        "event",
        "step",
        "step",
        "task",
    ]
    status, made = server.call("POST", f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})
    assert status == 201
    linked = {"Authorization": f"Link {made['token']}"}
    assert server.call("GET", "/v1/links/task", **linked)[1]["title"] == "May they have tea?"
    answer = {"answer": {"granted": True, "why": ""}}
    assert server.call("POST", "/v1/links/task", answer, **linked)[0] == 422
    answer["answer"]["why"] = "it is four"
    assert server.call("POST", "/v1/links/task", answer, **linked)[0] == 200
    assert server.call("POST", "/v1/links/task", answer, **linked)[1]["code"] == "link.used"
    assert list(told)[-1][1] == "end"
    status, run_data = server.call("GET", f"/v1/runs/{run}?wait=60")
    assert (run_data["status"], run_data["result"]["with"]) == (
        "done",
        {"granted": True, "why": "it is four"},
    )
    parked = server.start("desk", 60, what="more")["run"]
    assert server.call("POST", f"/v1/runs/{parked}/cancel", {"reason": "no"})[1]["status"] == "cancelled"
    assert server.end()[0] == 0


@pytest.mark.full
def test_a_stream_goes_on_where_it_was_when_the_server_is_killed(serve: Callable[..., Serving]) -> None:
    server = serve()
    run = server.start("count", to=400)["run"]
    seen = []
    for message in messages(server.stream(run)):
        seen.append(message)
        if len(seen) == 100:
            server.process.kill()
            break
    server.process.wait()
    server = serve()
    rest = list(messages(server.stream(run, seen[-1][0])))
    assert server.call("GET", f"/v1/runs/{run}?wait=60")[1]["result"]["with"] == {"n": 400}
    ids = [one for one, _, _ in seen[1:] + rest[1:]]
    at_once = [one for one, _, _ in messages(server.stream(run))][1:]
    assert ids == at_once
    turns = [data["with"]["n"] for _, _, data in seen + rest if data.get("event") == "Turn"]
    assert turns == list(range(401))


@pytest.mark.full
def test_a_webhook_of_a_spec_starts_one_run(
    serve: Callable[..., Serving], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_SECRET", "of the shop")
    (tmp_path / "shop.yaml").write_text(SHOP)
    server = serve("shop.yaml")
    body = json.dumps({"orderId": "A-1", "more": [1]})
    at = int(time.time())
    signed = hmac.new(b"of the shop", f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Sign": f"t={at},v1={signed}", "X-Event": "payment", "Authorization": ""}
    for _ in range(2):
        status, told = server.call("POST", "/v1/hooks/orders", json.loads(body), **headers)
        assert status == 202, told
    run = server.call("GET", f"/v1/runs/{told['run']}?wait=60")[1]
    assert run["result"]["with"] == {"what": "payment of A-1"}
    assert len(server.call("GET", "/v1/runs")[1]["runs"]) == 1
    assert server.call("POST", "/v1/hooks/orders", {"orderId": "A-2"}, **headers)[0] == 401


@pytest.mark.full
def test_sigterm_ends_streams_and_loses_no_run(serve: Callable[..., Serving]) -> None:
    server = serve()
    parked = server.start("desk", 60, what="tea")["run"]
    runs = [server.start("count", to=300)["run"] for _ in range(5)]
    told = messages(server.stream(parked))
    next(told)
    server.process.send_signal(signal.SIGTERM)
    assert list(told)[-1][1] == "bye"
    _, output = server.process.communicate(timeout=120)
    assert (server.process.returncode, output) == (0, "the server has ended\n")
    server = serve()
    for run in runs:
        assert server.call("GET", f"/v1/runs/{run}?wait=60")[1]["status"] == "done"
    assert server.call("GET", f"/v1/runs/{parked}")[1]["status"] == "parked"


@pytest.mark.full
def test_three_workers_on_postgresql_end_each_run_once_though_one_of_them_dies(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From one process to several: the server works on nothing, and whoever answers has a link."""
    monkeypatch.setenv("WFC_STORE", database)
    monkeypatch.setenv("WFC_SERVER_KEY", "k" * 40)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/desk.yaml").write_text(DESK)
    (tmp_path / "specs/count.yaml").write_text(COUNT)
    server = Serving(tmp_path, "specs/", "--no-work")
    command = [sys.executable, "-c", _process.PROGRAM, "worker", "specs/"]
    workers = [subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) for _ in range(3)]
    try:
        asks = [server.start("desk", what=f"tea {number}")["run"] for number in range(9)]
        counts = [server.start("count", to=300)["run"] for _ in range(9)]
        workers[0].kill()
        for run in asks:
            while not (tasks := server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]):
                time.sleep(0.1)
            _, link = server.call("POST", f"/v1/tasks/{tasks[0]['task']}/link", {"for": "user:eve"})
            answer = {"answer": {"granted": True, "why": run}}
            sent = {"Authorization": f"Link {link['token']}"}
            assert server.call("POST", "/v1/links/task", answer, **sent)[0] == 200
            assert server.call("POST", "/v1/links/task", answer, **sent)[0] == 410
        for run in (*asks, *counts):
            for _ in range(10):  # one that is answered and not yet taken up is waited for, too
                shown = server.call("GET", f"/v1/runs/{run}?wait=60")[1]
                if shown["status"] == "done":
                    break
            assert shown["status"] == "done"
            history = server.call("GET", f"/v1/runs/{run}/history?most=500")[1]["ticks"]
            kinds = Counter(one["kind"] for one in history)
            if run in asks:
                assert shown["result"]["with"] == {"granted": True, "why": run}
                assert kinds["answered"] == 1
            else:
                assert shown["result"]["with"] == {"n": 300}
    finally:
        server.kill()
        for one in workers:
            one.kill()
            one.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_the_page_is_opened_from_a_terminal_and_no_log_has_the_token(tmp_path: Path) -> None:
    import pty

    (tmp_path / "desk.yaml").write_text(DESK)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", _process.PROGRAM, "serve", "desk.yaml", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=theirs)
    os.close(theirs)
    try:
        told = ""
        while "#k=" not in told or not told.endswith("\n"):
            told += os.read(ours, 4096).decode()
        token = (tmp_path / ".wfc/server.token").read_text()
        assert re.search(rf"http://127\.0\.0\.1:\d+/#k={re.escape(token)}\s", told)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    server = Serving(tmp_path, "desk.yaml")  # what it tells goes into a pipe, as into a log
    server.kill()
    assert "#k=" not in server.told
    assert token not in server.told


@pytest.mark.full
def test_five_thousand_streams_at_once_are_bounded_and_it_goes_on(serve: Callable[..., Serving]) -> None:
    """One person has eight streams; connections beyond their bound are refused; who was there before is not harmed."""
    server = serve()
    run = server.start("desk", what="tea")["run"]
    before = server.stream(run)
    assert next(messages(before))[1] == "hello"
    head = f"GET /v1/runs/{run}/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n\r\n"
    opened, statuses = [], Counter[int]()
    for _ in range(5000):
        one = server.connect()
        one.sendall(head.encode())
        opened.append(one)
    for one in opened:
        with suppress(ConnectionError):
            found = one.recv(13)
            statuses[int(found[9:12]) if found else 0] += 1
    assert set(statuses) <= {200, 429, 503, 0}, statuses
    assert statuses[200] == 7
    # which of the two bounds refuses one depends on who is faster; all are told, by either
    assert statuses[429] > 0 and statuses[429] + statuses[503] > 4900, statuses
    for one in opened:
        one.close()
    end = time.monotonic() + 120
    while (reply := server.call("GET", "/v1/tasks"))[0] != 200:
        assert time.monotonic() < end, reply
        time.sleep(0.1)
    told = reply[1]
    (task,) = told["tasks"]
    answer = {"answer": {"granted": True, "why": "x"}}
    _, made = server.call("POST", f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})
    sent = {"Authorization": f"Link {made['token']}"}
    assert server.call("POST", "/v1/links/task", answer, **sent)[0] == 200
    assert [kind for _, kind, _ in messages(before)][-1] == "end"
    with open(f"/proc/{server.process.pid}/status") as told_of:
        used = next(int(line.split()[1]) for line in told_of if line.startswith("VmRSS"))
    assert used < 400_000  # kilobytes


@pytest.mark.full
def test_heads_that_never_end_or_are_too_large_are_cut_off(serve: Callable[..., Serving]) -> None:
    # not so soon that a busy machine takes as long to send a request
    server = serve(before="import wfc.runtime.server.process as p; p.HEAD_IN = 5.0\n")
    head = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with server.connect() as silent, server.connect() as slow, server.connect() as later:
        slow.sendall(head)
        later.sendall(head + b"\r\n" + head)  # a whole request, and half of one
        assert silent.recv(99) == slow.recv(99) == b""
        told = b""
        while part := later.recv(999):
            told += part
        assert told.count(b"HTTP/1.1 200 OK") == 1
    with server.connect() as large:
        large.sendall(head + b"X: " + b"x" * 200_000)
        assert large.recv(99).startswith(b"HTTP/1.1 400")
    with server.connect() as unread:
        # refused before its body, which then comes for ever
        unread.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n")
        assert unread.recv(99).startswith(b"HTTP/1.1 401")
        with pytest.raises(OSError):
            trickle(unread)
    assert server.call("GET", "/v1/me")[0] == 200
    assert server.end() == (0, "the server has ended\n")


@pytest.mark.full
@pytest.mark.parametrize(
    "request_line",
    [
        "GET http://evil.example/livez HTTP/1.1",
        "GET //evil.example/livez HTTP/1.1",
        "GET /livez HTTX/1.1",
        "GET /../livez HTTP/1.1",
        "GET /v1/../livez HTTP/1.1",
        "GET /%2e%2e/livez HTTP/1.1",
        "GET /livez%00 HTTP/1.1",
        "GET /livez\\ HTTP/1.1",
        "CONNECT /livez HTTP/1.1",
        "GET",
        "\x16\x03\x01",
    ],
)
def test_lines_that_are_none_are_refused(shared: Serving, request_line: str) -> None:
    with shared.connect() as connection:
        connection.sendall(request_line.encode() + b"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        told = connection.recv(99)
    assert re.match(rb"HTTP/1.1 4\d\d", told), told


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for requests that change nothing."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "desk.yaml").write_text(DESK)
    server = Serving(folder, "desk.yaml", "--store", "sqlite:///runs.db")
    yield server
    server.kill()


@pytest.mark.full
def test_a_request_in_two_bodies_is_refused(shared: Serving) -> None:
    with shared.connect() as connection:
        connection.sendall(
            b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        )
        told = b"".join(iter(lambda: connection.recv(9999), b""))  # until it is closed
        assert told.startswith(b"HTTP/1.1 400")
        assert told.count(b"HTTP/1.1") == 1
        assert b"body.two_lengths" in told


# --- how it is started


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db")
    path = tmp_path / "desk.yaml"
    path.write_text(DESK)
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "0.0.0.0"), "beyond this machine it needs tokens"),  # noqa: S104 - which is refused
        (("--host", "0.0.0.0", "--tokens", "who.toml"), "--plain-http"),  # noqa: S104
        (("--tokens", "nobody.toml"), "nobody.toml cannot be read"),
        (("--tokens", "desk.yaml"), "desk.yaml is not TOML"),
        (
            ("--host", "192.0.2.1", "--tokens", "who.toml", "--plain-http"),
            "nothing can be served at 192.0.2.1",
        ),
        (("--port", "99999"), "99999"),
        (("--new-token", "user:ann"), "--role see, start, answer, operate or author"),
        (("--role", "see"), "--new-token NAME"),
        (("--stdio", "--port", "8470"), "--port counts for nothing with --stdio"),  # also if it is the usual
        (("--mcp", "--stdio", "--host", "127.0.0.1"), "--host counts for nothing with --stdio"),
        (("--stdio", "--tokens", "who.toml"), "--tokens counts for nothing with --stdio"),
        (("--stdio", "--author"), "--author counts for nothing with --stdio"),
        (("--stdio", "--origin", "https://a.example"), "--origin counts for nothing with --stdio"),
        (("--new-token", 'a"', "--role", "see"), "NAME is such as user:ann"),
        (("desk.yaml", "copy.yaml"), "both of the name `desk`"),
        (("--origin", "evil"), "--origin"),
        (("--address", "ftp://x"), "--address"),
        (("--name", "http://x"), "--name"),
    ],
)
def test_what_is_said_wrong_is_told(desk: Path, wfc: Any, arguments: tuple[str, ...], said: str) -> None:
    digest = "0" * 64
    desk.with_name("who.toml").write_text(
        f'[[principal]]\nname = "user:ann"\nroles = ["see"]\nsha256 = "{digest}"\n'
    )
    desk.with_name("copy.yaml").write_text(DESK)
    done = wfc("serve", *arguments)
    assert done.status in {1, 2}
    assert said in done.err


def test_a_taken_port_a_short_token_and_a_readable_secret_are_refused(
    desk: Path, wfc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = wfc("serve", "desk.yaml", "--port", str(taken.getsockname()[1]))
        assert done.status != 0
        assert "nothing can be served at 127.0.0.1:" in done.err
    token = desk.parent / ".wfc/server.token"
    assert token.stat().st_mode & 0o077 == 0
    if os.name == "posix":
        token.chmod(0o644)
        assert f"others can read {token}" in wfc("serve", "desk.yaml").err
    monkeypatch.setenv("WFC_SERVER_TOKEN", "short")
    assert "may be guessed" in wfc("serve", "desk.yaml").err


@pytest.mark.parametrize(
    ("trusted", "arguments", "said"),
    [
        (
            "",
            (),
            "nobody will be told of questions and failures: nobody has agreed that `./note` is started here",
        ),
        ("1", (), ""),
        ("", ("--no-work",), ""),  # those who work tell
    ],
)
def test_a_server_says_once_that_the_program_that_tells_people_may_not_be_started(
    desk: Path, monkeypatch: pytest.MonkeyPatch, trusted: str, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("WFC_TRUST", trusted)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(desk.parent / "configuration"))
    note = desk.with_name("note")
    note.write_text("#!/bin/sh\n")
    note.chmod(0o755)
    desk.with_name("wfc.toml").write_text('commands = ["./note"]\n[tell]\nprogram = ["./note"]\n')
    server = Serving(desk.parent, "desk.yaml", *arguments)
    server.start("desk", 60, what="tea") if trusted else None
    _, told = server.end()
    found = [line for line in f"{server.told}{told}".splitlines() if "nobody" in line]
    assert len(found) == bool(said), found
    if said:
        assert found[0].startswith(said)
        assert f"`wfc trust {desk.parent}` agrees, or WFC_TRUST=1 where nobody sits" in found[0]


def test_a_new_token_is_that_of_its_principal(desk: Path, wfc: Any) -> None:
    from wfc.runtime.server.access import Access, read_principals

    done = wfc("serve", "--new-token", "user:ann", "--role", "see", "--role", "answer")
    file = desk.with_name("who.toml")
    file.write_text(done.out)
    found = Access(read_principals(file)).find(done.err.split()[-1])
    assert found is not None
    assert (found.name, found.roles) == ("user:ann", {"see", "answer"})
    assert done.err.split()[-1] not in done.out
