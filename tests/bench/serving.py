"""Measures what is served over HTTP, by one harness on sockets for all. Run it by hand::

    python tests/bench/serving.py               # about five minutes
    python tests/bench/serving.py --quick       # small sizes, to see that it works
    python tests/bench/serving.py --only lists  # one of: starts readers stalled lists ticks hooks drain

Servers are processes of their own; stores are files in memory where there is such a folder. Contestants take turns, and
medians are shown: ratios count, on a machine that does other work.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import hmac
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

TOKEN = "t" * 40
SECRET = "the secret of those who send"
STARTED = b'{"inputs":{"text":"a"}}'
SHARED = "/dev/shm"


# --- the servers


def starlette_alone(port: int, _: str) -> None:
    """Answers each request with the bytes of a run that is over."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    reply = json.dumps(
        {"handler_id": "h" * 32, "status": "completed", "result": {"value": {"text": "a"}}, "x": "x" * 200}
    )

    async def run(request: Request) -> Response:
        await request.json()
        return Response(reply, media_type="application/json")

    app = Starlette(routes=[Route("/workflows/echo/run", run, methods=["POST"])])
    uvicorn.run(
        app, host="127.0.0.1", port=port, log_level="error", access_log=False, http="h11", loop="asyncio"
    )


def theirs(port: int, _: str) -> None:
    """llama-agents-server, with its store in memory."""
    from llama_agents.server import WorkflowServer
    from workflows import Workflow, step
    from workflows.events import StartEvent, StopEvent

    class Echo(Workflow):
        @step
        async def echo(self, ev: StartEvent) -> StopEvent:
            return StopEvent(result=ev.get("text"))

    server = WorkflowServer()
    server.add_workflow("echo", Echo())
    asyncio.run(
        server.serve(
            "127.0.0.1", port, {"log_level": "error", "access_log": False, "http": "h11", "loop": "asyncio"}
        )
    )


def ours_alike(port: int, _: str) -> None:
    """Our server for the same programs, whose runs are in memory too."""
    from wfc.runtime.llama_index import Workflow, step
    from wfc.runtime.llama_index.events import StartEvent, StopEvent
    from wfc.runtime.llama_index.server import WorkflowServer

    class Echo(Workflow):
        @step
        async def echo(self, ev: StartEvent) -> StopEvent:
            return StopEvent(result=ev.get("text"))

    server = WorkflowServer()
    server.add_workflow("echo", Echo())
    asyncio.run(server.serve("127.0.0.1", port, {"access_log": False, "log_level": "error"}))


def ours(port: int, address: str) -> None:
    """What `wfc serve` serves, over a store."""
    import os as system

    from wfc.runtime import (
        Engine,
        Event,
        Question,
        Record,
        StartEvent,
        StopEvent,
        WebhookTrigger,
        Workflow,
        pause,
        run_trigger,
        step,
        transform,
    )
    from wfc.runtime.server import process
    from wfc.runtime.server.access import Access, of_token
    from wfc.runtime.server.application import Application
    from wfc.runtime.server.installation import Installation, ServerBounds

    system.environ["BENCH_SECRET"] = SECRET

    class Asked(StartEvent, closed=True):
        text: str = ""
        turns: int = 0
        waits: float = 0.0
        size: int = 0

    class Turn(Event, closed=True):
        left: int
        waits: float
        filler: str

    class Done(StopEvent, closed=True):
        text: str

    class Echo(Workflow, name="echo"):
        @transform
        def echo(self, event: Asked) -> Done:
            return Done(text=event.text)

    class Turns(Workflow, name="turns"):
        @transform
        def begin(self, event: Asked) -> Turn:
            return Turn(left=event.turns, waits=event.waits, filler="x" * event.size)

        @step
        async def turn(self, event: Turn) -> Turn | Done:
            if event.waits:
                await asyncio.sleep(event.waits)
            return (
                Turn(left=event.left - 1, waits=event.waits, filler=event.filler)
                if event.left
                else Done(text="")
            )

    class Ok(Record):
        ok: bool

    class Asks(Workflow, name="asks"):
        @pause
        def ask(self, event: Asked) -> Question[Ok]:
            return Question(Ok, title=f"May {event.text}?", assign=["group:all"])

        @ask.then
        def after_ask(self, event: Asked, result: Ok) -> Done:
            return Done(text="")

    class Order(Record):
        order: str

    class Hooked(Workflow, name="hooked"):
        @transform
        def take(self, event: Asked) -> Done:
            return Done(text=event.text)

        @run_trigger("orders", webhook="orders", secret="BENCH_SECRET", header="X-Sign")
        def by_orders(self, trigger: WebhookTrigger[Order]) -> Asked:
            return Asked(text=trigger.body.order)

    engine = Engine(store=address)
    bounds = ServerBounds(streams=5000, streams_each=5000, waits=5000)
    access = Access([of_token(TOKEN, "user:bench")])
    made = [one(engine=engine) for one in (Echo, Turns, Asks, Hooked)]
    app = Application(Installation(engine, made, access, bounds=bounds, key=b"k" * 32, at_once=2000))
    process.serve(app, process.listening("127.0.0.1", port), lambda: None)
    engine.close()


SERVERS: dict[str, Callable[[int, str], None]] = {
    one.__name__: one for one in (starlette_alone, theirs, ours_alike, ours)
}


class Server:
    """A server in a process of its own."""

    def __init__(self, name: str, address: str = "") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", name, str(self.port), address])
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{name} does not listen")

    def computing(self) -> float:
        """The seconds of the processor that its threads have taken so far."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9

    def memory(self) -> int:
        """The bytes of memory that its process has."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) * 1024


@contextmanager
def serving(name: str, address: str = "") -> Iterator[Server]:
    server = Server(name, address)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


@contextmanager
def stored() -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=SHARED if os.path.isdir(SHARED) else None) as folder:
        yield f"sqlite:///{folder}/runs.db?synchronous=normal"


# --- the harness


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    named = {
        "Host": "127.0.0.1",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Length": str(len(body)),
        **headers,
    }
    if body:
        named.setdefault("Content-Type", "application/json")
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


class Connection:
    """A connection that is kept, over which one request goes after the other."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> Connection:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        return self

    async def ask(self, sent: bytes) -> tuple[int, bytes]:
        self.writer.write(sent)
        head = await self.reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), await self.reader.readexactly(size)

    async def data(self, method: str, path: str, body: object = None) -> Any:
        raw = b"" if body is None else json.dumps(body).encode()
        status, told = await self.ask(request(method, path, raw))
        assert status < 400, told
        return json.loads(told)


async def flood(port: int, requests: list[bytes], width: int) -> tuple[float, list[tuple[int, bytes]]]:
    """Send requests over some connections as fast as they are answered; return the seconds, and the answers."""
    left, answers = iter(requests), []
    connections = [await Connection(port).open() for _ in range(width)]

    async def one(connection: Connection) -> None:
        for sent in left:
            answers.append(await connection.ask(sent))

    began = time.perf_counter()
    await asyncio.gather(*map(one, connections))
    taken = time.perf_counter() - began
    for each in connections:
        each.writer.close()
    return taken, answers


def row(what: str, figure: str, wanted: str) -> None:
    print(f"| {what} | {figure} | {wanted} |", flush=True)


# --- what is measured


def starts(quick: bool) -> None:
    """Runs that are started and end, over HTTP."""
    count, turns = (200, 1) if quick else (1500, 5)
    old = b'{"start_event": {"text": "a"}}'
    rates: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}
    for _ in range(turns):
        for name in SERVERS:
            with stored() as address, serving(name, address) as server:
                path, body = (
                    ("/v1/workflows/echo/runs?wait=20", STARTED)
                    if name == "ours"
                    else ("/workflows/echo/run", old)
                )
                sent = [request("POST", path, body)] * count
                asyncio.run(flood(server.port, sent[:100], 16))
                before = server.computing()
                taken, answers = asyncio.run(flood(server.port, sent, 16))
                costs.setdefault(name, []).append(1000 * (server.computing() - before) / count)
                assert all(status in {200, 201} for status, _ in answers), answers[-1]
                if name == "ours":
                    assert all(json.loads(body)["status"] == "done" for _, body in answers)
                rates.setdefault(name, []).append(count / taken)
    middle = {name: statistics.median(found) for name, found in rates.items()}
    row("runs a second started and ended: `wfc serve`, kept in a file", f"{middle['ours']:,.0f}", "")
    row("`WorkflowServer`, in memory", f"{middle['ours_alike']:,.0f}", "")
    row("llama-agents-server, in memory", f"{middle['theirs']:,.0f}", "")
    row("starlette alone, which answers as many bytes", f"{middle['starlette_alone']:,.0f}", "")
    for name in ("ours_alike", "ours"):
        row(f"{name} by llama-agents-server", f"{middle[name] / middle['theirs']:.1f} ×", "5 ×")
        row(f"{name} by starlette", f"{middle[name] / middle['starlette_alone']:.2f} ×", "0.5 ×")
    least = {name: min(found) for name, found in costs.items()}
    told = ", ".join(f"{name} {found:.2f}" for name, found in least.items())
    row("milliseconds of computing a run, the least", told, "")
    for name in ("ours_alike", "ours"):
        row(f"computing of llama-agents-server by {name}", f"{least['theirs'] / least[name]:.1f} ×", "5 ×")
        row(f"computing of starlette by {name}", f"{least['starlette_alone'] / least[name]:.2f} ×", "0.5 ×")


class Reader(asyncio.Protocol):
    """Somebody who follows a run to its end.

    When something has come is noted at once, and read afterwards, so that a thousand readers in one process do not wait
    for each other here.
    """

    def __init__(self, run: str) -> None:
        self._run = run
        self._came: list[tuple[float, bytes]] = []
        self.over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(request("GET", f"/v1/runs/{self._run}/stream"))
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._came.append((time.time(), data))
        if b"event: end" in data:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set()

    def delays(self, since: float) -> Iterator[float]:
        """Yield how late each message was that has come since a moment."""
        rest = b""
        for at, data in self._came:
            *whole, rest = (rest + data).split(b"\n\n")
            for one in whole if at > since else ():
                told = one.partition(b"data: ")[2]
                if b'"at":' in told:
                    yield at - datetime.fromisoformat(json.loads(told)["at"]).timestamp()


async def follow(port: int, run: str) -> Reader:
    """Follow a run to its end."""
    found = Reader(run)
    await asyncio.get_running_loop().create_connection(lambda: found, "127.0.0.1", port)
    return found


def readers(quick: bool) -> None:
    """Many readers of one run, and of as many runs."""
    count, most = (50, 5) if quick else (1000, 30)
    for what, runs, wanted in (("one run", 1, 150), ("as many runs", count, 250)):
        with stored() as address, serving("ours", address) as server:

            async def measure(runs: int = runs, server: Server = server) -> tuple[list[float], float, float]:
                connection = await Connection(server.port).open()
                body = {"inputs": {"turns": most, "waits": 0.5 if runs == 1 else 4.0}}
                if runs > 1:
                    body["inputs"]["turns"] = 3
                names = [
                    (await connection.data("POST", "/v1/workflows/turns/runs", body))["run"]
                    for _ in range(runs)
                ]
                before = server.memory()
                found = [await follow(server.port, names[number % runs]) for number in range(count)]
                await asyncio.sleep(6 if not quick else 2)
                since = time.time()  # what was there before they came is not late
                each = (server.memory() - before) / count
                computed = server.computing()
                await asyncio.gather(*(one.over.wait() for one in found))
                computed = server.computing() - computed
                delays = [delay for one in found for delay in one.delays(since)]
                return delays, each, 1e6 * computed / len(delays)

            delays, each, cost = asyncio.run(measure())
            ordered = sorted(delays)
            p50, p99 = (1000 * ordered[int(len(ordered) * part)] for part in (0.5, 0.99))
            row(
                f"{count:,} readers of {what}: how late, median and p99",
                f"{p50:.0f} and {p99:.0f} ms",
                f"p99 {wanted} ms",
            )
            row("the same: memory a reader", f"{each / 1000:.0f} kB", "60 kB" if runs == 1 else "")
            row("the same: microseconds of computing a message to a reader", f"{cost:.0f}", "")


def stalled(quick: bool) -> None:
    """Readers that read nothing any more."""
    count = 20 if quick else 100
    with stored() as address, serving("ours", address) as server:

        async def measure() -> tuple[float, float]:
            connection = await Connection(server.port).open()
            body = {"inputs": {"turns": 400, "waits": 0.05, "size": 8000}}
            run = (await connection.data("POST", "/v1/workflows/turns/runs", body))["run"]
            before, began = server.memory(), time.monotonic()
            sockets = []
            for _ in range(count):
                one = socket.socket()
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                one.connect(("127.0.0.1", server.port))
                one.sendall(request("GET", f"/v1/runs/{run}/stream"))
                sockets.append(one)
            most, gone, since = 0, 0.0, 0.0
            while time.monotonic() - began < 90:
                await asyncio.sleep(0.5)
                most = max(most, server.memory() - before)
                since = since or (time.monotonic() if most > 64_000 * count else 0.0)
                left = open_connections(server)
                if left <= 1:
                    gone = time.monotonic() - began
                    break
            for one in sockets:
                one.close()
            return most / count, gone

        each, gone = asyncio.run(measure())
        row(
            f"{count} readers that read nothing: memory a reader, at the most",
            f"{each / 1000:.0f} kB",
            "256 kB",
        )
        row(
            "the same: all gone after",
            f"{gone:.0f} s" if gone else "not within 90 s",
            "35 s after they are full",
        )


def open_connections(server: Server) -> int:
    """How many connections are open to a server, by the system's list."""
    port = f":{server.port:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(line.split()[1].endswith(port) and line.split()[3] == "01" for line in lines)


def lists(quick: bool) -> None:
    """Lists of many runs that wait, and of questions."""
    runs, tasks = (200, 50) if quick else (10_000, 1000)
    with stored() as address, serving("ours", address) as server:

        async def measure() -> None:
            asks = [request("POST", "/v1/workflows/asks/runs", STARTED)] * runs
            _, answers = await flood(server.port, asks, 16)
            connection = await Connection(server.port).open()
            while True:
                counts = await connection.data("GET", "/v1/runs/counts")
                if sum(one["count"] for one in counts["runs"] if one["status"] == "parked") == runs:
                    break
                await asyncio.sleep(0.5)
            assert len(answers) == runs
            for what, path, wanted in (
                (f"a page of 500 of {runs:,} parked runs", "/v1/runs?status=parked&most=500", "100 ms"),
                (f"a page of 500 of {runs:,} questions", "/v1/tasks?most=500", "100 ms"),
                (f"counts of {runs:,} runs", "/v1/runs/counts", "100 ms"),
            ):
                found = []
                for _ in range(9):
                    began = time.perf_counter()
                    await connection.data("GET", path)
                    found.append(time.perf_counter() - began)
                row(what, f"{1000 * statistics.median(found):.0f} ms", wanted)
            for what, key, path, most in (
                (f"all {runs:,} parked runs, page by page", "runs", "/v1/runs?status=parked", runs),
                (f"{tasks:,} questions, page by page", "tasks", "/v1/tasks?", tasks),
            ):
                began, after, seen = time.perf_counter(), "", 0
                while seen < most:
                    told = await connection.data("GET", f"{path}&most=1000{after}")
                    seen += len(told[key])
                    after = f"&after={told['next']}"
                row(what, f"{1000 * (time.perf_counter() - began):.0f} ms", "100 ms")

        asyncio.run(measure())


def ticks(quick: bool) -> None:
    """How a long run was after any tick."""
    turns = 100 if quick else 9999
    with stored() as address, serving("ours", address) as server:

        async def measure() -> None:
            connection = await Connection(server.port).open()
            started = await connection.data("POST", "/v1/workflows/turns/runs", {"inputs": {"turns": turns}})
            while (run := await connection.data("GET", f"/v1/runs/{started['run']}?wait=60"))[
                "status"
            ] != "done":
                pass
            last = run["tick"]
            for at in (1, last // 2, last):
                found, costs = [], []
                asks = request("GET", f"/v1/runs/{run['run']}/at/{at}")
                for _ in range(5):
                    began, computed = time.perf_counter(), server.computing()
                    status, _ = await connection.ask(asks)
                    found.append(1000 * (time.perf_counter() - began))
                    costs.append(1000 * (server.computing() - computed))
                    assert status == 200
                row(
                    f"a run of {last:,} ticks after tick {at:,}; by computing",
                    f"{statistics.median(found):.0f} ms; {statistics.median(costs):.0f} ms",
                    "200 ms",
                )

        asyncio.run(measure())


def hooks(quick: bool) -> None:
    """Webhooks, each sent twice now and then."""
    rate, seconds = (100, 2) if quick else (1000, 10)
    sent = []
    for number in range(rate * seconds):
        body = json.dumps({"order": f"o{number}"}).encode()
        sign = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        sent.append(request("POST", "/v1/hooks/orders", body, **{"X-Sign": sign}))
    with stored() as address, serving("ours", address) as server:

        async def measure() -> tuple[float, float, int, int]:
            doubled = [one for number, one in enumerate(sent) for _ in range(2 if number % 100 == 0 else 1)]
            before = server.computing()
            taken, answers = await flood(server.port, doubled, 32)
            cost = 1000 * (server.computing() - before) / len(doubled)
            runs = {json.loads(body)["run"] for status, body in answers if status == 202}
            assert len(answers) == len(doubled)
            connection = await Connection(server.port).open()
            while True:
                counts = (await connection.data("GET", "/v1/runs/counts"))["runs"]
                done = sum(one["count"] for one in counts if one["status"] == "done")
                if done == sum(one["count"] for one in counts):
                    return len(doubled) / taken, cost, len(runs), done
                await asyncio.sleep(0.5)

        speed, cost, runs, done = asyncio.run(measure())
        row("webhooks a second, as fast as they are taken", f"{speed:,.0f}", f"{rate:,}")
        row("milliseconds of computing a webhook", f"{cost:.2f}", "1")
        row(
            f"of {len(sent):,}: runs that were promised, and done", f"{runs:,} and {done:,}", f"{len(sent):,}"
        )


def drain(quick: bool) -> None:
    """SIGTERM while there are many streams."""
    count = 50 if quick else 500
    with stored() as address, serving("ours", address) as server:

        async def measure() -> float:
            connection = await Connection(server.port).open()
            body = {"inputs": {"turns": 1000, "waits": 0.2}}
            run = (await connection.data("POST", "/v1/workflows/turns/runs", body))["run"]
            for _ in range(count):
                await follow(server.port, run)
            await asyncio.sleep(3)
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(server.process.wait, 60)
            return time.monotonic() - began

        taken = asyncio.run(measure())
        row(f"SIGTERM under {count} streams, with a run under way: gone after", f"{taken:.1f} s", "10 s")


MEASURES: dict[str, Callable[[bool], None]] = {
    one.__name__: one for one in (starts, readers, stalled, lists, ticks, hooks, drain)
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", choices=list(MEASURES), action="append")
    options.add_argument("--serve", nargs=3)
    chosen = options.parse_args()
    if chosen.serve:
        name, port, address = chosen.serve
        SERVERS[name](int(port), address)
        return
    print("| what | figure | wanted |\n|---|--:|--:|")
    for name in chosen.only or MEASURES:
        MEASURES[name](chosen.quick)


if __name__ == "__main__":
    main()
