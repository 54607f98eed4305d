"""`history` and `stream: {tokens: true}` in specs: generated code that talks with a service that streams."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import TokenText

SPEC = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
models: {fast: {use: "openai:gpt-4o-mini", base_url: "${{ config.url }}"}}
retries: {twice: {max_attempts: 2, delay: 0s, retry_on: [connection, model]}}
events: {Asked: {texts: list of string}, Next: {}, Told: {messages: list of Message}}
state: {messages: {type: list of Message, default: []}}
steps:
  answer:
    kind: llm
    accepts: [Asked, Next]
    model: fast
    system: Be kind.
    history: ${{ state.messages }}
    prompt: ${{ inputs.texts[(state.messages | length) // 2] }}
    stream: {tokens: true}
    retry: twice
    save:
      messages:
        "${{ state.messages + [
          {role: 'user', content: inputs.texts[(state.messages | length) // 2]},
          {role: 'assistant', content: result}
        ] }}"
    max_runs: 5
    on_limit: {event: Told, with: {messages: "${{ state.messages }}"}}
    emit:
      - event: Told
        when: (state.messages | length) // 2 == inputs.texts | length
        with: {messages: "${{ state.messages }}"}
      - Next
"""
MAP = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
models: {fast: {use: "openai:gpt-4o-mini", base_url: "${{ config.url }}"}}
events: {Asked: {texts: list of string, before: optional list of Message}, Told: {answers: list of string}}
steps:
  answer:
    kind: map
    accepts: Asked
    in: event.texts
    as: text
    max: 10
    do:
      kind: llm
      model: fast
      history:
        - {role: user, content: "About ${{ text }}?"}
        - {role: assistant, content: "Yes."}
      prompt: ${{ text }}
    stream: {tokens: true}
    concurrency: 1
    emit: Told
"""
CACHED = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
models: {fast: {use: "openai:gpt-4o-mini", base_url: "${{ config.url }}"}}
events: {Asked: {before: list of Message}, Told: {text: string}}
steps:
  answer:
    {kind: llm, accepts: Asked, model: fast, history: "${{ event.before }}", prompt: Go on.,
     stream: {tokens: true}, cache: true, emit: Told}
"""


class Model(ThreadingHTTPServer):
    """Streams one answer after the other, by words; ``None`` in place of a word breaks the connection."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[list[str | None]] = []
        self.asked: list[list[tuple[str, str]]] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        model = self.server
        assert isinstance(model, Model)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert body["stream"] is True
        model.asked.append([(each["role"], each["content"]) for each in body["messages"]])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for word in model.answers.pop(0):
            if word is None:
                self.close_connection = True
                return
            self.send({"delta": {"role": "assistant", "content": word}, "finish_reason": None})
        self.send({"delta": {}, "finish_reason": "stop"})
        self.part(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def send(self, choice: dict[str, Any]) -> None:
        data = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        self.part(f"data: {json.dumps({**data, 'choices': [{'index': 0, **choice}]})}\n\n".encode())

    def part(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

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


def run(shown: Any, spec: str, **inputs: Any) -> tuple[Any, list[TokenText]]:
    """The end event, and the pieces that were shown."""

    async def main() -> tuple[Any, list[TokenText]]:
        made = shown.workflow(spec)()
        handler = made.run(start_event=made.start_event_class.model_validate_json(json.dumps(inputs)))
        pieces = [each async for each in handler.stream_events() if isinstance(each, TokenText)]
        return await handler, pieces

    return asyncio.run(asyncio.wait_for(main(), 30))


def test_what_was_said_goes_with_each_question_and_answers_are_shown(shown: Any, model: Model) -> None:
    model.answers = [["Hel", "lo!"], ["Fi", None], ["Fine."]]
    end, pieces = run(shown, SPEC, texts=["Hi", "How are you?"])
    said = [("user", "Hi"), ("assistant", "Hello!"), ("user", "How are you?"), ("assistant", "Fine.")]
    assert [(each.role, each.content) for each in end.messages] == said
    again = [("system", "Be kind."), *said[:3]]
    assert model.asked == [[("system", "Be kind."), said[0]], again, again]
    assert {each.step for each in pieces} == {"answer"}
    shown_in: dict[tuple[str, int], str] = {}
    for each in pieces:
        key = each.worker_id, each.attempt
        shown_in[key] = shown_in.get(key, "") + each.text
    assert list(shown_in.values()) == ["Hello!", "Fi", "Fine."]
    assert [attempt for _, attempt in shown_in] == [1, 1, 2]


def test_each_item_of_a_map_has_its_history_and_its_pieces(shown: Any, model: Model) -> None:
    model.answers = [["a", "b"], ["c"]]
    end, pieces = run(shown, MAP, texts=["one", "two"])
    assert end.answers == ["ab", "c"]
    assert [asked[0] for asked in model.asked] == [("user", "About one?"), ("user", "About two?")]
    assert ["".join(each.text for each in pieces if each.worker_id == one) for one in ("2", "3")] == [
        "ab",
        "c",
    ]


def test_a_history_is_part_of_what_is_kept(shown: Any, model: Model) -> None:
    model.answers = [["a"], ["b"]]
    before = [{"role": "user", "content": "hello"}]
    ends = [run(shown, CACHED, before=each) for each in ([], [], before, before)]
    assert [end.text for end, _ in ends] == ["a", "a", "b", "b"]
    assert ["".join(each.text for each in pieces) for _, pieces in ends] == ["a", "a", "b", "b"]
    assert len(model.asked) == 2
