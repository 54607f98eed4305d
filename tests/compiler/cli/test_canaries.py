"""Secrets are planted wherever a run may have them, and those who get them say them back: none comes out anywhere.

A served workflow lets an agent call tools by HTTP, in Python, as a program and of an MCP server, each with a secret of
its own; the model's service, too, says its key. All that others can see is collected, and looked through, with every
file that is written: the lock file of the server and what is kept of a step's result among them.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from model_wire import Asked, Call, Reply, serving

_FOUND = importlib.util.spec_from_file_location(
    "serving_process", Path(__file__).with_name("serving_process.py")
)
assert _FOUND is not None
assert _FOUND.loader is not None
sys.modules["serving_process"] = _process = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(_process)
PROGRAM, Serving = _process.PROGRAM, _process.Serving

PLANTED = {
    name: f"canary-{name}-7f3a9c1e5b-for-nobody"
    for name in ("key", "header", "token", "variable", "server", "ambient", "bound")
}

SPEC = """\
wfc: 1
workflow: canaries
start: Asked
end: Answered
secrets: [KEY, HEADER, TOKEN, VARIABLE, SERVER]
config: {url: {type: string, format: uri}}
models:
  fast: {use: "openai:fast", base_url: "${{ config.url }}/v1", api_key: KEY}
tools:
  fetch:
    http: {method: GET, url: "${{ config.url }}/echo", headers: {X-Key: {secret: HEADER}}}
    description: Fetches.
  tell:
    python: "telling:tell"
    description: Tells.
    args: {customer: string}
    output: string
    secrets: {token: {secret: TOKEN}}
  fail:
    python: "telling:fail"
    description: Fails.
    args: {customer: string}
    output: string
    secrets: {token: {secret: TOKEN}}
  print:
    command: [sh, -c, "printenv VARIABLE"]
    env: {VARIABLE: {secret: VARIABLE}}
    description: Prints.
    output: string
  loud:
    mcp: {command: [PYTHON, loud.py], env: {SERVER: {secret: SERVER}}}
events:
  Asked: {customer: string}
  Seen: {}
  Answered: {text: string}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: fetch
    cache: {for: 1h}
    emit: Seen
  help:
    kind: agent
    accepts: Seen
    model: fast
    prompt: Help.
    tools:
      - fetch
      - print
      - loud
      - {tool: tell, with: {customer: "${{ inputs.customer }}"}}
      - {tool: fail, with: {customer: "${{ inputs.customer }}"}}
    stream: {calls: true, tokens: true}
    emit: {event: Answered, with: {text: "${{ result }}"}}
"""
TOOLS = """\
def used(token):
    with open("used.txt", "a") as file:
        file.write(token + "\\n")

def tell(customer, *, token):
    used(token)
    return f"the token is {token}"

def fail(customer, *, token):
    raise ValueError({"token": token})
"""
LOUD = """\
import os
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("loud")
KEY = os.environ["SERVER"]

@server.tool(description="Shouts.")
async def shout(text: str, ctx: Context) -> str:
    await ctx.report_progress(1, 2, f"half, with {KEY}")
    return f"the key is {KEY}, and you said {text}"

@server.tool(description="Breaks.")
def break_off(text: str) -> str:
    raise ToolError(f"no {KEY}")

server.run()
"""
TRACING = """\
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from wfc.runtime.tracing import opentelemetry
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=open("trace.json", "a", buffering=1))))
opentelemetry.install(provider, record_content=True)
"""
MAY_SAY_BOUND = {"store": 0, "files": 0, "record": 0, "history": 0, "export": 0, "trace": 0, "stream": 1}
"""Where the customer stands, who is an input of the run and no secret (in traces as contents were asked for), and how
often at most, if that is a matter: it is bound, so no model may see it, and no call that is shown has it."""

VIEWS = {"run": "", "history": "/history", "flow": "/flow", "stream": "/stream"}


def answer(asked: Asked) -> Reply:
    """Call all tools, and then say the key that came with the question."""
    if not asked.turns:
        named = ("fetch", "tell", "fail", "print")
        loud = [each for each in asked.tools if "loud" in each]
        calls = [Call(tool, {}, tool) for tool in named]
        return Reply(calls=calls + [Call(each, {"text": "hello"}, each) for each in loud])
    return Reply(text=f"You sent {asked.headers['authorization']}. All is well.", pieces=7)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What can be seen of a run, by the name of the place."""
    folder = tmp_path_factory.mktemp("canaries")
    (folder / "canaries.yaml").write_text(SPEC.replace("PYTHON", sys.executable))
    (folder / "loud.py").write_text(LOUD)
    (folder / "telling.py").write_text(TOOLS)
    (folder / "wfc.toml").write_text('modules = ["telling"]\ncommands = ["sh", "' + sys.executable + '"]\n')
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        service = stack.enter_context(serving(answer))
        service.get = lambda path: {"you": "sent", "key": PLANTED["header"]}
        for name in ("key", "header", "token", "variable", "server", "ambient"):
            patch.setenv(name.upper(), PLANTED[name])
        patch.setenv("WFC_URL", service.url)
        pinned = wfc(folder, "tools", "pin", "canaries.yaml")
        server = Serving(folder, ".", "--store", "sqlite:///runs.db", before=TRACING)
        try:
            found = watched(server)
        finally:
            _, told = server.end()
        found["log"] = server.told + told
        found["prompts"] = "\n".join(asked.text for asked in service.asked)
        found["trace"] = (folder / "trace.json").read_text()
        stored = sorted(path for path in folder.glob("runs.db*") if path.is_file())
        found["store"] = "".join(path.read_bytes().decode("latin-1") for path in stored)
        run = json.loads(found["run"])["run"]
        for name, words in {"record": ["record", run], "export": ["runs", "export", run]}.items():
            found[name] = wfc(folder, *words, "--store", "sqlite:///runs.db")
        found["pin"] = pinned
        found["lock"] = (folder / "canaries.lock.json").read_text()
        found["files"] = "".join(
            path.read_bytes().decode("latin-1")
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "used.txt"
        )
        found["used"] = (folder / "used.txt").read_text()
        found["authorization"] = service.asked[0].headers["authorization"]
        yield found


def watched(server: Any) -> dict[str, str]:
    """Run the workflow, and look at it in each way."""
    run = server.start("canaries", wait=60, customer=PLANTED["bound"])["run"]
    found = {}
    for name, path in VIEWS.items():
        asked = urllib.request.Request(f"http://127.0.0.1:{server.port}/v1/runs/{run}{path}")
        asked.add_header("Authorization", f"Bearer {server.token}")
        with urllib.request.urlopen(asked, timeout=300) as reply:  # noqa: S310 - it is ours
            found[name] = reply.read().decode()
    return found


def wfc(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def forms(value: str) -> set[str]:
    """The forms in which a value may be hidden from whoever looks for it, but from nobody else."""
    return {value, quote(value), json.dumps(value)[1:-1], base64.b64encode(value.encode()).decode()}


PLACES = ["prompts", "log", "trace", "store", "record", "export", "pin", "lock", "files", *VIEWS]


def test_those_who_need_a_secret_have_got_it(seen: dict[str, str]) -> None:
    assert PLANTED["key"] in seen["authorization"]
    assert PLANTED["token"] in seen["used"]
    assert "[secret VARIABLE]" in seen["prompts"]  # what the program has printed
    assert "[secret HEADER]" in seen["prompts"]
    assert "the key is [secret SERVER], and you said hello" in seen["prompts"]
    assert "no [secret SERVER]" in seen["prompts"]


@pytest.mark.parametrize("place", PLACES)
def test_something_is_seen_there(seen: dict[str, str], place: str) -> None:
    assert any(word in seen[place] for word in ("canaries", "Help.", "Answered", "Shouts")), seen[place]


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("place", PLACES)
def test_nothing_planted_comes_out(seen: dict[str, str], place: str, name: str) -> None:
    if name == "bound" and place in MAY_SAY_BOUND:
        assert 0 < seen[place].count(PLANTED[name]) <= (MAY_SAY_BOUND[place] or 1_000)
        return
    assert not [form for form in forms(PLANTED[name]) if form in seen[place]]
