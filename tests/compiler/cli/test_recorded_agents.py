"""``wfc record``: a real run of agents becomes a test with scripts, which passes and holds no key."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CANARY = "canary-5b1f-not-for-anybodys-eyes"
SPEC = """\
wfc: 1
workflow: desk
start: Asked
end: Settled
secrets: [K, SHOP]
config: {url: {type: string, format: uri}}
models:
  careful: {use: "openai:careful", base_url: "${{ config.url }}", api_key: K}
  fast: {use: "openai:fast", base_url: "${{ config.url }}", api_key: K}
tools:
  find:
    python: "shop:find"
    args: {order: string}
    output: {item: string, price: decimal}
    description: Finds.
  note: {python: "shop:note", args: {text: string}, output: string, description: Notes.}
  refund:
    python: "shop:refund"
    args: {order: string, amount: decimal}
    output: string
    secrets: {token: {secret: SHOP}}
    description: Refunds.
agents:
  helper: {description: Helps., model: fast, tools: [note], max_turns: 3}
events:
  Asked: {order: string}
  Settled: {text: string, sure: boolean}
steps:
  settle:
    kind: agent
    accepts: Asked
    model: careful
    prompt: Settle ${{ event.order }}
    tools:
      - find
      - helper
      - tool: refund
        with: {order: "${{ event.order }}"}
        approve: {within: 10 days}
    output: {text: string, sure: boolean}
    emit: Settled
"""
SHOP = """\
def find(order: str) -> dict:
    return {"item": "pen", "price": "2.50"}


def note(text: str) -> str:
    return "42"


def refund(order: str, amount: str, *, token: str) -> str:
    raise ValueError(f"{token} is not welcome")
"""


def calling(*wanted: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
        for n, (tool, args) in enumerate(wanted)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


REPLIES = {
    "careful": [
        calling(("find", {"order": "A1"}), ("helper", {"task": "note it"}), ("nope", {})),
        calling(("refund", {"amount": "2.50"})),
        calling(("final_result", {"text": "Nothing is paid.", "sure": True})),
    ],
    "fast": [calling(("note", {"text": "A1"})), {"role": "assistant", "content": "It is noted."}],
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = sum(one["role"] == "assistant" for one in asked["messages"])
        told = REPLIES[asked["model"]]
        message = told[min(said, len(told) - 1)]
        body = {
            "id": "1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10},
        }  # fmt: skip
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "desk.yaml").write_text(SPEC)
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "wfc.toml").write_text('modules = ["shop"]\n')
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db?synchronous=normal")
        monkeypatch.setenv("WFC_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("K", CANARY)
        monkeypatch.setenv("SHOP", CANARY)
        yield tmp_path
        server.shutdown()
        thread.join()


def test_a_run_with_agents_becomes_a_test_with_scripts(
    wfc: Any, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = wfc("run", "desk.yaml", "-i", "order=A1", "--run-id", "one")
    assert begun.status == 3, begun.err
    task = _task(wfc)
    answer = '{"decision": "change", "args": {"amount": "1.00"}, "note": "half"}'
    answered = wfc("tasks", "answer", task, answer)
    assert answered.status == 0, answered.err
    shown = wfc("runs", "show", "one", "--format", "json")
    assert sorted(each["place"] for each in json.loads(shown.out)["agents"]) == [
        "settle/turn 1",
        "settle/turn 1/find",
        "settle/turn 1/helper",
        "settle/turn 1/helper/turn 1",
        "settle/turn 1/helper/turn 1/note",
        "settle/turn 1/helper/turn 2",
        "settle/turn 1/nope",
        "settle/turn 2",
        "settle/turn 2/refund",
        "settle/turn 3",
    ]
    assert "settle/turn 2/refund" in wfc("runs", "show", "one").out
    done = wfc("record", "one", "--name", "nothing is paid")
    assert done.status == 0, done.err
    found = {
        key.strip(" -"): json.loads(value)
        for key, _, value in (line.partition(": ") for line in done.out.splitlines())
    }
    assert "mock" not in found
    assert found["script"]["settle"][1] == {"calls": [{"tool": "refund", "with": {"amount": "2.50"}}]}
    assert found["script"]["settle"][2] == {"give": {"text": "Nothing is paid.", "sure": True}}
    assert found["script"]["helper"][1] == {"say": "It is noted."}
    assert found["tools"] == {
        "find": [{"give": {"item": "pen", "price": "2.50"}}],
        "note": ["42"],
        "refund": [{"error": "python.ValueError"}],
    }
    assert found["people"] == {"refund": [{"decision": "change", "with": {"amount": "1.00"}, "note": "half"}]}
    assert CANARY not in done.out
    assert done.err.splitlines() == ["left out, as no script can say it: a call of `nope` that was not made"]
    (desk / "desk.yaml").write_text(f"{SPEC}tests:\n{done.out}")
    monkeypatch.delenv("K")
    tested = wfc("test", "desk.yaml")
    assert (tested.status, "1 passed" in tested.out + tested.err) == (0, True), tested.out + tested.err


def _task(wfc: Any) -> str:
    """The id of the question that is open."""
    listed = wfc("tasks", "list").out
    return next(word for word in listed.split() if word.startswith("one/"))


def test_a_run_that_is_not_over_and_one_that_is_not_there(wfc: Any, desk: Path) -> None:
    assert wfc("run", "desk.yaml", "-i", "order=A1", "--run-id", "one").status == 3
    done = wfc("record", "one")
    assert (done.status, done.out, "is not over" in done.err) == (1, "", True)
    gone = wfc("record", "two")
    assert (gone.status, gone.out, "`two`" in gone.err) == (1, "", True)


TEAM = """\
wfc: 1
workflow: desk
start: Asked
end: Settled
secrets: [K]
config: {url: {type: string, format: uri}}
models:
  front: {use: "openai:front", base_url: "${{ config.url }}", api_key: K}
  back: {use: "openai:back", base_url: "${{ config.url }}", api_key: K}
  fast: {use: "openai:echo", base_url: "${{ config.url }}", api_key: K}
agents:
  reception: {description: Greets., model: front, handoffs: [kitchen]}
  kitchen: {description: Cooks., model: back, args: {dish: string}, prompt: "Cook ${{ args.dish }}.", tools: [taster]}
  taster: {description: Tastes., model: fast}
events:
  Asked: {order: string}
  Settled: {text: string, by: string}
steps:
  serve:
    kind: agent
    accepts: Asked
    agent: reception
    prompt: Serve ${{ event.order }}
    emit: {event: Settled, with: {text: "${{ result }}", by: "${{ agent.name }}"}}
"""
REPLIES["front"] = [calling(("hand_over_to_kitchen", {"dish": "soup"}))]
REPLIES["back"] = [
    calling(("taster", {"task": "salt"}), ("taster", {"task": "heat"})),
    {"role": "assistant", "content": "Soup."},
]
REPLIES["echo"] = [{"role": "assistant", "content": "Fine."}]


@pytest.mark.full
def test_hand_overs_and_agents_at_once_are_told_apart(wfc: Any, desk: Path) -> None:
    (desk / "desk.yaml").write_text(TEAM)
    begun = wfc("run", "desk.yaml", "-i", "order=soup", "--run-id", "one")
    assert begun.status == 0, begun.err
    done = wfc("record", "one")
    assert done.status == 0, done.err
    lines = (line.partition(": ") for line in done.out.splitlines())
    script = {key.strip(" -"): json.loads(value) for key, _, value in lines}["script"]
    assert script == {
        "serve": [{"calls": [{"hand_over": "kitchen", "with": {"dish": "soup"}}]}],
        "kitchen": [
            {
                "calls": [
                    {"tool": "taster", "with": {"task": "salt"}},
                    {"tool": "taster", "with": {"task": "heat"}},
                ]
            },
            {"say": "Soup."},
        ],
        "taster": [{"say": "Fine.", "asked": "salt"}, {"say": "Fine.", "asked": "heat"}],
    }
    (desk / "desk.yaml").write_text(f"{TEAM}tests:\n{done.out}")
    tested = wfc("test", "desk.yaml")
    assert tested.status == 0, tested.out + tested.err


ASKING = """\
wfc: 1
workflow: desk
start: Asked
end: Settled
secrets: [K]
config: {url: {type: string, format: uri}}
models:
  front: {use: "openai:MODEL", base_url: "${{ config.url }}", api_key: K}
tools:
  TOOL:
    mcp: {command: [PYTHON, SERVICE, LOG]}
    args: {day: string}
    output: {text: string}
    description: Books.
    ask: {within: 1h}
events:
  Asked: {order: string}
  Settled: {text: string}
steps:
  serve:
    kind: agent
    accepts: Asked
    model: front
    prompt: Serve ${{ event.order }}
    tools: [TOOL]
    emit: {event: Settled, with: {text: "${{ result }}"}}
"""
for _tool in ("book_seats", "book_table"):
    REPLIES[f"books_by_{_tool}"] = [
        calling((_tool, {"day": "Monday"})),
        {"role": "assistant", "content": "It is booked."},
    ]


def _booked(wfc: Any, desk: Path, tool: str, *answers: str) -> str:
    """Lets an agent book by a tool that asks; returns the spec."""
    service = Path(__file__).parents[2] / "runtime/calls/asking_mcp_service.py"
    words = {"TOOL": tool, "MODEL": f"books_by_{tool}", "PYTHON": sys.executable, "SERVICE": str(service)}
    spec = ASKING
    for name, word in {**words, "LOG": str(desk / "log")}.items():
        spec = spec.replace(name, word)
    (desk / "desk.yaml").write_text(spec)
    (desk / "wfc.toml").write_text(f"commands = [{json.dumps(sys.executable)}]\n")
    assert wfc("run", "desk.yaml", "-i", "order=tea", "--run-id", "one").status == 3
    for answer in answers:
        assert wfc("tasks", "answer", _task(wfc), answer).status in (0, 3)
    return spec


def test_what_a_tool_has_asked_is_in_its_script(
    wfc: Any, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WFC_TRUST", "1")
    spec = _booked(wfc, desk, "book_seats", '{"seats": 4}')
    done = wfc("record", "one")
    assert (done.status, done.err) == (0, ""), done.err
    lines = (line.partition(": ") for line in done.out.splitlines())
    found = {key.strip(" -"): json.loads(value) for key, _, value in lines}
    assert found["tools"] == {
        "book_seats": [
            {
                "ask": {"title": "How many seats on Monday?", "form": {"seats": "integer"}},
                "then": {"text": "4 on Monday"},
            }
        ]
    }
    assert found["people"] == {"book_seats": [{"seats": 4}]}
    (desk / "desk.yaml").write_text(f"{spec}tests:\n{done.out}")
    monkeypatch.delenv("WFC_TRUST")
    tested = wfc("test", "desk.yaml")
    assert tested.status == 0, tested.out + tested.err


def test_a_tool_that_asked_twice_in_a_call_is_refused(
    wfc: Any, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WFC_TRUST", "1")
    _booked(wfc, desk, "book_table", '{"seats": 4}', '{"sure": true}')
    done = wfc("record", "one")
    assert (done.status, done.out) == (1, "")
    assert "the tool `book_table` asked more than once in one call, which no script can say" in done.err


TALKING = """\
wfc: 1
workflow: desk
start: Asked
end: Settled
secrets: [K]
config: {url: {type: string, format: uri}}
models:
  front: {use: "openai:echo", base_url: "${{ config.url }}", api_key: K}
  sums: {use: "openai:sums", base_url: "${{ config.url }}", api_key: K}
threads:
  talk: {keep: {messages: 2, summarize: sums}}
events:
  Asked: {order: string}
  Second: {text: string}
  Third: {text: string}
  Settled: {text: string}
steps:
  one:
    kind: llm
    accepts: Asked
    model: front
    prompt: First
    thread: talk
    emit: {event: Second, with: {text: "${{ result }}"}}
  two:
    kind: llm
    accepts: Second
    model: front
    prompt: Then
    thread: talk
    emit: {event: Third, with: {text: "${{ result }}"}}
  three:
    kind: llm
    accepts: Third
    model: front
    prompt: At last
    thread: talk
    emit: {event: Settled, with: {text: "${{ result }}"}}
"""
REPLIES["sums"] = [{"role": "assistant", "content": "They (all) said Fine."}]


def test_the_summary_of_a_thread_is_in_its_script(wfc: Any, desk: Path) -> None:
    (desk / "desk.yaml").write_text(TALKING)
    begun = wfc("run", "desk.yaml", "-i", "order=soup", "--run-id", "one")
    assert begun.status == 0, begun.err
    done = wfc("record", "one")
    assert (done.status, done.err) == (0, ""), done.err
    lines = (line.partition(": ") for line in done.out.splitlines())
    script = {key.strip(" -"): json.loads(value) for key, _, value in lines}["script"]
    assert script["talk"] == [{"say": "They (all) said Fine."}]
    assert {name: len(said) for name, said in script.items()} == {"one": 1, "two": 1, "three": 1, "talk": 1}
    (desk / "desk.yaml").write_text(f"{TALKING}tests:\n{done.out}")
    tested = wfc("test", "desk.yaml")
    assert tested.status == 0, tested.out + tested.err
