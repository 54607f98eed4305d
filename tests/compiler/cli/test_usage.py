"""`wfc run` says at its end what models have used, by step and in all."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SPEC = """
wfc: 1
workflow: tell
start: Asked
end: Told
config: {url: {type: string, format: uri, default: "http://nowhere.example"}}
models:
  fast: {use: "openai-chat:gpt-4o-mini", SERVER}
  house: {use: "openai:of-our-own", base_url: "${{ config.url }}", fallback: [fast]}
events: {Asked: {}, Told: {text: string}}
limits: {cost_usd: 1}
steps:
  tell:
    kind: llm
    accepts: Asked
    model: MODEL
    prompt: Tell me a story.
    require: [{that: "result != 'no'", say: Not so.}]
    emit: {event: Told, with: {text: "${{ result }}"}}
"""


class Service(ThreadingHTTPServer):
    answers: tuple[str, ...] = ("once",)
    cached = 0


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Service)
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said, *self.server.answers = self.server.answers
        usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
        usage["prompt_tokens_details"] = {"cached_tokens": self.server.cached}
        message = {"role": "assistant", "content": said}
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": usage,
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with Service(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("WFC_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-anybodys-eyes")
        yield server
        server.shutdown()
        thread.join()


def write(folder: Path, text: str) -> str:
    path = folder / "tell.yaml"
    path.write_text(text)
    return str(path)


def spec(folder: Path, *, own_server: bool, model: str = "fast", limited: bool = True) -> str:
    text = SPEC.replace("SERVER", 'base_url: "${{ config.url }}"' if own_server else "timeout: 1 min")
    text = text.replace("MODEL", model)
    if model == "fast":
        text = text.replace(
            '  house: {use: "openai:of-our-own", base_url: "${{ config.url }}", fallback: [fast]}\n', ""
        )
    if not own_server and model == "fast":
        text = text.replace(
            'config: {url: {type: string, format: uri, default: "http://nowhere.example"}}\n', ""
        )
    return write(folder, text if limited else text.replace("limits: {cost_usd: 1}\n", ""))


def last(done: Any) -> str:
    return str(done.err.splitlines()[-1].partition("s  ")[2])


def test_prices_of_providers_are_known(wfc: Any, service: Service, tmp_path: Path) -> None:
    done = wfc("run", spec(tmp_path, own_server=False))
    assert done.status == 0, done.err
    assert (
        last(done) == "tell asked openai-chat:gpt-4o-mini once, 1,000 tokens in, 200 out, 0.00027 US dollars"
    )


def test_each_reply_counts_and_what_is_cached_is_told(wfc: Any, service: Service, tmp_path: Path) -> None:
    service.answers, service.cached = ("no", "once"), 400
    done = wfc("run", spec(tmp_path, own_server=False))
    # what comes from the cache costs half, in 2026 as in 2024
    assert last(done) == (
        "tell asked openai-chat:gpt-4o-mini 2 times, 2,000 tokens in (800 of them cached), 400 out, "
        "0.00048 US dollars"
    )


def test_the_settings_prices_come_first(wfc: Any, service: Service, tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").write_text('prices = {"openai-chat:gpt-4o-mini" = {input = 100, output = 1000}}')
    for own_server in (False, True):
        service.answers = ("once",)
        done = wfc("run", spec(tmp_path, own_server=own_server))
        assert last(done).endswith("1,000 tokens in, 200 out, 0.3 US dollars"), done.err


def test_a_limit_asks_for_a_price_where_nobody_knows_it(wfc: Any, service: Service, tmp_path: Path) -> None:
    for path in (spec(tmp_path, own_server=True), spec(tmp_path, own_server=False, model="house")):
        done = wfc("run", path)
        assert done.status != 0
        assert "nobody knows what" in done.err
        assert "at its `base_url`, for listed prices are those of the provider's own address" in done.err
        assert "in the settings, `[tool.wfc]` of the pyproject.toml or wfc.toml" in done.err
    done = wfc("run", spec(tmp_path, own_server=True, limited=False))
    assert last(done) == "tell asked openai-chat:gpt-4o-mini once, 1,000 tokens in, 200 out, price unknown"


def test_a_limit_holds_by_the_providers_prices(wfc: Any, service: Service, tmp_path: Path) -> None:
    service.answers = ("no", "no", "once")
    text = Path(spec(tmp_path, own_server=False)).read_text()
    path = write(tmp_path, text.replace("cost_usd: 1", "cost_usd: 0.0005"))
    done = wfc("run", path)
    assert done.status != 0
    assert "has cost 0.00054 US dollars, and may cost 0.0005" in done.err
    assert list(service.answers) == ["once"]
