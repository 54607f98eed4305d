"""`cache` in specs: a model that answers over HTTP is asked once for what it has answered well."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import StepFailedError

SPEC = """
start: Asked
end: Told
config: {{url: {{type: string, format: uri}}}}
models: {{fast: {{use: "openai:gpt-4o-mini", base_url: "${{{{ config.url }}}}"}}}}
events: {{Asked: {{name: string}}, Told: {{mood: string}}}}
steps:
  ask:
    kind: llm
    accepts: Asked
    model: fast
    prompt: {prompt}
    output: {{mood: string}}
    cache: {cache}
    require: [{{that: result.mood != "bad", say: Not so bad.}}]
    emit: Told
tests:
  - name: a test keeps nothing
    start: {{name: Ann}}
    mock: {{ask: {{mood: mocked}}}}
    expect: {{with: {{mood: mocked}}}}
"""
MAP = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
models: {fast: {use: "openai:gpt-4o-mini", base_url: "${{ config.url }}"}}
events: {Asked: {names: list of string}, Told: {moods: list of string}}
steps:
  ask:
    kind: map
    accepts: Asked
    in: event.names
    as: name
    max: 10
    do: {kind: llm, model: fast, prompt: "Greet ${{ name }}."}
    cache: true
    concurrency: 1
    emit: Told
"""


class Model(ThreadingHTTPServer):
    """Gives one answer after the other, the last one again and again, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[str] = []
        self.asked: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        model = self.server
        assert isinstance(model, Model)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model.asked.append(body["messages"][-1]["content"])
        said = model.answers.pop(0) if len(model.answers) > 1 else model.answers[0]
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
            ],
        }
        text = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Model]:
    with Model() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("WFC_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("WFC_CACHE", str(tmp_path / "kept"))
        yield server
        server.shutdown()
        thread.join()


def run(shown: Any, spec: str, **inputs: Any) -> Any:
    async def main() -> Any:
        return await shown.workflow(spec)().run(**inputs)

    return asyncio.run(main())


def spec(prompt: str = "Greet ${{ event.name }}.", cache: str = "true") -> str:
    return SPEC.format(prompt=prompt, cache=cache)


def moods(*texts: str) -> list[str]:
    return [json.dumps({"mood": text}) for text in texts]


def test_the_same_inputs_are_asked_for_once(shown: Any, model: Model) -> None:
    model.answers = moods("good", "other")
    assert [run(shown, spec(), name=name).mood for name in ("Ann", "Ann", "Bob")] == ["good", "good", "other"]
    assert model.asked == ["Greet Ann.", "Greet Bob."]


@pytest.mark.parametrize(
    "changed",
    [
        spec(prompt="Welcome ${{ event.name }}."),
        spec().replace("gpt-4o-mini", "gpt-4o"),
        spec().replace("{mood: string}\n    cache", "{mood: string, why: optional string}\n    cache"),
        spec().replace("Not so bad.", "Not as bad."),
    ],
    ids=["prompt", "model", "output", "requirement"],
)
def test_another_definition_is_asked_again(shown: Any, model: Model, changed: str) -> None:
    model.answers = moods("good", "other")
    assert run(shown, spec(), name="Ann").mood == "good"
    assert run(shown, changed, name="Ann").mood == "other"


def test_what_has_nothing_to_do_with_the_answer_changes_nothing(shown: Any, model: Model) -> None:
    model.answers = moods("good", "other")
    assert run(shown, spec(), name="Ann").mood == "good"
    again = spec().replace("    kind: llm", "    description: Asks.\n    timeout: 10s\n    kind: llm")
    assert run(shown, again, name="Ann").mood == "good"


@pytest.mark.parametrize("answer", ["no JSON", *moods("bad")])
def test_an_answer_that_does_not_do_is_not_kept(shown: Any, model: Model, answer: str) -> None:
    model.answers = [answer]
    with pytest.raises(StepFailedError):
        run(shown, spec(), name="Ann")
    model.answers = moods("good")
    assert run(shown, spec(), name="Ann").mood == "good"


def test_what_is_too_old_is_asked_for_again(shown: Any, model: Model) -> None:
    model.answers = moods("good", "other")
    brief = spec(cache="{for: 1 ms}")
    assert [run(shown, brief, name="Ann").mood for _ in range(2)] == ["good", "other"]


def test_tests_of_a_spec_neither_use_nor_fill_it(shown: Any, model: Model) -> None:
    shown.tests(spec())
    model.answers = moods("good")
    assert run(shown, spec(), name="Ann").mood == "good"
    shown.tests(spec())
    assert len(model.asked) == 1


def test_each_item_of_a_map_has_its_own(shown: Any, model: Model) -> None:
    model.answers = ["Hi A", "Hi B", "Hi C"]
    assert run(shown, MAP, names=["a", "b"]).moods == ["Hi A", "Hi B"]
    assert run(shown, MAP, names=["b", "c", "a"]).moods == ["Hi B", "Hi C", "Hi A"]
    assert len(model.asked) == 3
