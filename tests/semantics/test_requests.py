"""What specs send and say to the outside: requests as a service gets them, prompts as a model gets them."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from wfc.runtime import SettingsError, StepFailedError


class Service(ThreadingHTTPServer):
    """Keeps what it is sent, and answers as it is told; then with what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.got: list[dict[str, Any]] = []
        self.answers: list[tuple[int, dict[str, str], str]] = []


class Handler(BaseHTTPRequestHandler):
    def answer(self) -> None:
        service = self.server
        assert isinstance(service, Service)
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        service.got.append({"method": self.command, "path": self.path, "body": body, "headers": headers})
        status, sent, text = (
            service.answers.pop(0) if service.answers else (200, {"X-Seen": "yes"}, '{"n": 3}')
        )
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **sent}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = answer  # noqa: N815 - http.server calls them so

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("WFC_URL", server.url + "/api")
        monkeypatch.setenv("TOKEN", "a-token-of-no-worth")
        yield server
        server.shutdown()
        thread.join()


def run(workflow: type[Any], **inputs: Any) -> Any:
    async def main() -> Any:
        return await workflow().run(**inputs)

    return asyncio.run(main())


REQUEST = """
start: Asked
end: Told
secrets: [TOKEN]
config: {url: {type: string, format: uri}}
events:
  Asked: {id: string, note: optional string, tags: list of string, at: datetime}
  Told: {n: integer, status: integer, seen: optional string}
retries: {again: {max_attempts: 3, delay: 1 ms, retry_on: [http.429, http.5xx]}}
steps:
  call:
    kind: http
    accepts: Asked
    method: POST
    url: ${{ config.url }}/items/${{ event.id }}/x?fixed=${{ event.id }}
    query: {note: "${{ event.note }}", tags: "${{ event.tags }}", yes: true, n: 3, at: "${{ event.at }}"}
    headers: {X-Id: "id ${{ event.id }}", X-Key: {secret: TOKEN}}
    auth: {bearer: TOKEN}
    body: {id: "${{ event.id }}", note: "${{ event.note }}", deep: [{at: "${{ event.at }}"}]}
    output: {n: integer}
    idempotency_key: key-${{ event.id }}
    retry: again
    emit: {event: Told, with: {status: "${{ response.status }}", seen: "${{ response.headers['x-seen'] }}"}}
"""

ASKED = {
    "id": "a/../b ?&#%ü",
    "tags": ["x", "y z"],
    "at": datetime.fromisoformat("2026-01-31T09:00:00+01:00"),
}


def test_a_request_as_a_service_gets_it(shown: Any, service: Service) -> None:
    told = run(shown.workflow(REQUEST), **ASKED)
    (got,) = service.got
    encoded = "a%2F..%2Fb%20%3F%26%23%25%C3%BC"
    path, _, query = got["path"].partition("?")
    assert path == f"/api/items/{encoded}/x"  # all but the base is encoded, `/` included
    pairs = query.replace("+", "%20").split("&")
    assert pairs[0] == f"fixed={encoded}"
    # a null is left out, a list repeats its name
    assert pairs[1:5] == ["tags=x", "tags=y%20z", "yes=true", "n=3"]
    assert pairs[5:] == ["at=2026-01-31T08%3A00%3A00Z"]
    assert json.loads(got["body"]) == {
        "id": ASKED["id"],
        "note": None,
        "deep": [{"at": "2026-01-31T08:00:00Z"}],
    }
    assert got["headers"]["x-key"] == "a-token-of-no-worth"
    assert got["headers"]["authorization"] == "Bearer a-token-of-no-worth"
    assert got["headers"]["idempotency-key"].startswith("key-a/")
    assert (told.n, told.status, told.seen) == (3, 200, "yes")


def test_attempts_of_a_step_run_share_their_key(shown: Any, service: Service) -> None:
    service.answers = [(503, {}, ""), (429, {"Retry-After": "0"}, "")]
    assert run(shown.workflow(REQUEST), **{**ASKED, "id": "a"}).n == 3
    assert [one["headers"]["idempotency-key"] for one in service.got] == ["key-a"] * 3


def test_a_reply_that_is_not_as_declared_fails_the_step(shown: Any, service: Service) -> None:
    service.answers = [(200, {}, '{"n": "three"}')]
    with pytest.raises(StepFailedError) as failed:
        run(shown.workflow(REQUEST), **ASKED)
    assert failed.value.name == "http.invalid_output"


def test_a_missing_secret_is_named_and_not_retried(
    shown: Any, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOKEN")
    with pytest.raises(StepFailedError, match="TOKEN") as failed:
        run(shown.workflow(REQUEST), **ASKED)
    assert failed.value.attempt == 1
    assert service.got == []


def test_a_missing_config_value_is_named(
    shown: Any, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WFC_URL")
    with pytest.raises((SettingsError, StepFailedError), match="WFC_URL"):
        run(shown.workflow(REQUEST), **ASKED)


PROMPT = r"""
start: Asked
end: Told
models: {fast: {use: "openai:gpt-4o-mini"}}
events: {Asked: {names: list of string, note: optional string, price: decimal}, Told: {text: string}}
steps:
  ask:
    kind: llm
    accepts: Asked
    model: fast
    system: |
      You speak {"json": true}. {% if event.note is not none %}Note: ${{ event.note }}{% endif %}
    prompt: |
      Hello {these} at ${{ event.price }}:
      {% for name in event.names %}
      - ${{ name | upper }}
        {% if name == "b" %}
        (that one)
        {% endif %}
      {% endfor %}
      {% if event.names | length > 1 %}
      many
      {% elif event.names | length == 1 %}
      one
      {% else %}
      none
      {% endif %}
      Bye \n $. \"""
    emit: Told
"""


@pytest.mark.parametrize(
    ("names", "note", "prompt", "system"),
    [
        (["a", "b"], None, "- A\n- B\n  (that one)\nmany\n", 'You speak {"json": true}. \n'),
        (["${{ 1 }}"], "n", "- ${{ 1 }}\none\n", 'You speak {"json": true}. Note: n\n'),
        ([], "{x}", "none\n", 'You speak {"json": true}. Note: {x}\n'),
    ],
)
def test_a_prompt_as_a_model_gets_it(
    shown: Any, names: list[str], note: str | None, prompt: str, system: str
) -> None:
    module = sys.modules[shown.workflow(PROMPT).__module__]
    event = module.Asked(names=names, note=note, price=Decimal("1.50"))
    parameters = inspect.signature(module.ask_prompt).parameters
    assert list(parameters) == ["event"]
    assert module.ask_prompt(event) == f'Hello {{these}} at 1.50:\n{prompt}Bye \\n $. \\"""\n'
    assert module.ask_system(event) == system


TOOL_WITH_RESPONSE = """
start: Asked
end: Told
secrets: [TOKEN]
config: {url: {type: string, format: uri}}
tools:
  page:
    http: {method: GET, url: "${{ config.url }}/pages/${{ args.number }}", auth: {bearer: TOKEN}}
    args: {number: integer}
    output: {n: integer}
events: {Asked: {}, Told: {n: integer, seen: string, status: integer}}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: page
    with: {number: 7}
    retry: {max_attempts: 2, delay: 1 ms}
    require: [{that: response.status == 200, say: only 200 counts}]
    stream: {after: "it was ${{ response.status }}"}
    emit:
      event: Told
      with:
        n: ${{ result.n }}
        seen: ${{ response.headers['x-seen'] | default('-') }}
        status: ${{ response.status }}
"""
MAP = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
tools:
  page:
    http: {method: GET, url: "${{ config.url }}/pages/${{ args.number }}"}
    args: {number: integer}
    output: {n: integer}
events: {Asked: {numbers: list of integer}, Told: {found: list of string}}
steps:
  look:
    kind: map
    accepts: Asked
    in: event.numbers
    as: number
    max: 9
    concurrency: 1
    do: DO
    require: [{that: response.status < 203, say: no}]
    give: "${{ number }}: ${{ response.status }} ${{ response.headers['x-seen'] | default('-') }} ${{ result.n }}"
    on_item_error: {give: "${{ number }}: ${{ error.name }}"}
    emit: {event: Told, with: {found: "${{ result }}"}}
"""


def test_a_tool_that_is_a_request_has_a_response(shown: Any, service: Service) -> None:
    workflow = shown.workflow(TOOL_WITH_RESPONSE)
    service.answers = [(202, {}, '{"n": 1}'), (200, {"X-Seen": "now"}, '{"n": 2}')]
    told = run(workflow)
    assert (told.n, told.seen, told.status) == (2, "now", 200)


@pytest.mark.parametrize(
    "do",
    [
        '{kind: http, method: GET, url: "${{ config.url }}/pages/${{ number }}", output: {n: integer}}',
        '{kind: tool, tool: page, with: {number: "${{ number }}"}}',
    ],
    ids=["http", "tool"],
)
def test_each_request_of_a_map_has_its_own_response(shown: Any, service: Service, do: str) -> None:
    workflow = shown.workflow(MAP.replace("DO", do))
    service.answers = [
        (200, {"X-Seen": "a"}, '{"n": 1}'),
        (201, {}, '{"n": 2}'),
        (203, {"X-Seen": "c"}, '{"n": 3}'),
        (404, {}, '{"n": 4}'),
    ]
    assert run(workflow, numbers=[1, 2, 3, 4]).found == [
        "1: 200 a 1",
        "2: 201 - 2",
        "3: requirement",
        "4: http.404",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "tool: page\n",
            'tool: {python: "stage:plain", output: {n: integer}}\n',
            ["unknown-name response"] * 4,
        ),
        ("response.status == 200", "response.state == 200", ["unknown-field state"]),
    ],
)
def test_only_what_sends_a_request_has_a_response(
    shown: Any, old: str, new: str, expected: list[str]
) -> None:
    assert old in TOOL_WITH_RESPONSE
    found = [each for each in shown.findings(TOOL_WITH_RESPONSE.replace(old, new)) if "unused" not in each]
    assert found == expected
