"""``wfc draft``: a model and the check, in a loop that ends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.drafting import drafter
from wfc.compiler.cli.drafting.conversation import spec_in
from wfc.compiler.cli.drafting.drafter import Draft, Task, draft
from wfc.compiler.cli.drafting.looking import answer
from wfc.compiler.cli.skill import skill_text
from wfc.runtime import StepError, WorkflowError
from wfc.runtime.testing import ScriptedModel

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text(encoding="utf-8")


def block(text: str) -> str:
    return f"Here it is:\n\n```yaml\n{text}```\n"


WRONG = block(GREET.replace("accepts: Asked", "accepts: Aksed"))
FAILING = block(GREET.replace("Hello Ada", "Hello Bob"))
GOOD = block(GREET)

Drafted = Callable[..., Draft]


@pytest.fixture
def drafted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drafted:
    """Lets a scripted model draft; what it writes is looked at in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drafter, "ask", lambda folder, tool, arguments: answer(tool, arguments))

    def run(model: ScriptedModel, **options: Any) -> Draft:
        return asyncio.run(draft(Task("greet whoever comes", model, tmp_path, **options)))

    return run


def test_findings_and_failed_tests_lead_to_a_good_spec(drafted: Drafted) -> None:
    model = ScriptedModel("Which greeting?", WRONG, FAILING, GOOD)
    told: list[str] = []
    made = drafted(model, tell=lambda number, said: told.append(f"{number}: {said}"))
    assert (made.text, made.problem, made.name) == (GREET, "", "greet")
    assert told == [
        "1: no spec in the reply",
        "2: 1 error (unknown-event)",
        "3: 1 of 1 tests failed",
        "4: nothing is wrong, and its test passes",
    ]
    assert "It begins with Asked (name: string" in made.retold
    first, second, third, fourth = model.prompts
    assert "greet whoever comes" in first
    assert "greet whoever comes" in second
    assert "did you mean `Asked`?" in third
    assert "An event is mentioned that `events` does not declare" in third  # explained at first sight
    assert '"Hello Ada", not "Hello Bob"' in fourth
    assert [len(each) for each in model.histories] == [0, 0, 2, 2]  # never more than the last spec
    assert "greet whoever comes" in model.histories[3][0].content


def test_what_was_used_is_told(drafted: Drafted) -> None:
    made = drafted(ScriptedModel(GOOD))
    (line,) = made.usage.lines()
    assert line.startswith("write asked scripted:model once, ")


def test_it_ends_after_so_many_tries(drafted: Drafted) -> None:
    made = drafted(ScriptedModel(WRONG, WRONG, WRONG, GOOD), tries=3)
    assert (made.tries, made.problem, made.retold) == (3, "1 error (unknown-event)", "")
    assert "Aksed" in made.text


def test_it_ends_when_the_tokens_are_used_up(drafted: Drafted) -> None:
    made = drafted(ScriptedModel(WRONG, WRONG, GOOD), tokens=20)
    assert made.tries == 1
    assert "and may use 20" in made.problem
    assert "Aksed" in made.text


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (GREET.partition("tests:")[0], "it has no tests"),
        (
            GREET.replace("expect: {end: Greeted", "expect: {ran: {greet: 1}").replace(
                "with: {text: Hello Ada}", "emitted: [Asked, Greeted]"
            ),
            "no test ends with Greeted",
        ),
    ],
)
def test_what_is_not_shown_by_tests_is_not_taken(drafted: Drafted, spec: str, said: str) -> None:
    told: list[str] = []
    made = drafted(ScriptedModel(block(spec), GOOD), tell=lambda _, said: told.append(said))
    assert told == [said, "nothing is wrong, and its test passes"]
    assert made.text == GREET


def test_a_model_that_cannot_be_asked_is_an_error(drafted: Drafted) -> None:
    with pytest.raises(WorkflowError):
        drafted(ScriptedModel(StepError("settings", "there is no key")))


def test_what_was_written_before_the_model_failed_is_kept(drafted: Drafted) -> None:
    made = drafted(ScriptedModel(WRONG, StepError("settings", "the key was withdrawn")))
    assert "the key was withdrawn" in made.problem
    assert "Aksed" in made.text


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("no spec at all", None),
        ("```yaml\na: 1\n```", None),
        ("```python\nwfc = 1\n```", None),
        (GREET, GREET),
        (f"```\n{GREET}```", GREET),
        (f"```yaml\nwfc: 0\n```\nbetter:\n```yaml\n{GREET}```\n", GREET),
        ("`" * 100_000, None),
        ("```yaml\n" * 20_000, None),
        ("\ud800", None),
    ],
    ids=lambda each: repr(each)[:20],
)
def test_the_spec_in_a_reply(reply: str, found: str | None) -> None:
    assert spec_in(reply) == found


class Provider(BaseHTTPRequestHandler):
    """A service that speaks OpenAI's protocol, with replies that a test has prepared."""

    replies: list[str]
    asked: list[dict[str, Any]]
    over: threading.Event

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if not self.replies:
            self.over.wait(240)  # it thinks until the test is over
            return
        message = {"role": "assistant", "content": self.replies.pop(0)}
        body = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "tiny",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
        }
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def provider() -> Iterator[tuple[str, type[Provider]]]:
    """The address of a service, and its class, which has its replies."""
    kind = type("Prepared", (Provider,), {"replies": [], "asked": [], "over": threading.Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", kind
    kind.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.full
def test_the_command_asks_a_service_and_writes_the_spec(
    wfc, tmp_path: Path, provider: tuple[str, type[Provider]]
) -> None:
    address, kind = provider
    kind.replies += [WRONG, GOOD, GOOD, WRONG]
    given = ("--model", "openai:tiny", "--base-url", address)
    done = wfc("draft", "greet whoever comes", *given)
    assert done.status == 0, done.err
    assert (tmp_path / "greet.yaml").read_text(encoding="utf-8") == GREET
    assert "try 1: 1 error (unknown-event)\ntry 2: nothing is wrong, and its test passes\n" in done.err
    assert "2 times, 2,000 tokens in, 200 out, price unknown" in done.err
    assert done.out.startswith("It begins with Asked")
    system = str(kind.asked[0]["messages"][0])
    assert json.dumps(skill_text()[:200])[1:-1] in json.dumps(kind.asked[0]["messages"])
    assert "system" in system
    assert wfc("draft", "greet", *given).status == 0  # beside the first one
    assert (tmp_path / "greet_2.yaml").exists()
    failed = wfc("draft", "greet", *given, "--tries", "1", "-o", "mine.yaml")
    assert failed.status == 1
    assert "no spec after 1 tries: 1 error (unknown-event)" in failed.err
    assert "Aksed" in (tmp_path / "mine.yaml.txt").read_text(encoding="utf-8")
    assert not (tmp_path / "mine.yaml").exists()
    assert sorted(each.name for each in tmp_path.glob("*.txt")) == ["mine.yaml.txt"]


def test_a_good_spec_that_cannot_be_written_is_kept(
    wfc, tmp_path: Path, provider: tuple[str, type[Provider]]
) -> None:
    address, kind = provider
    kind.replies += [GOOD]
    (tmp_path / "mine.yaml").mkdir()
    given = ("--model", "openai:tiny", "--base-url", address, "-o", "mine.yaml", "--force")
    done = wfc("draft", "greet whoever comes", *given)
    assert done.status == 1
    assert "cannot write mine.yaml: Is a directory" in done.err
    assert "tokens in" in done.err  # it was paid
    assert "the last one is kept in mine.yaml.txt\n" in done.err
    assert (tmp_path / "mine.yaml.txt").read_text(encoding="utf-8") == GREET


def test_what_was_used_costs_what_the_projects_settings_say(drafted: Drafted, tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").write_text(
        'prices = {"scripted:model" = {input = 1000000, output = 0}}\n', encoding="utf-8"
    )
    used = [*drafted(ScriptedModel(GOOD)).usage.lines()]
    assert re.search(r", [1-9][0-9]* US dollars$", used[0]), used


def test_each_spec_is_kept_before_it_is_looked_at(drafted: Drafted) -> None:
    kept: list[str] = []
    drafted(ScriptedModel("Which?", WRONG, GOOD), keep=kept.append, tell=lambda *_: kept.append("looked"))
    assert kept == ["looked", GREET.replace("accepts: Asked", "accepts: Aksed"), "looked", GREET, "looked"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_draft_is_kept(tmp_path: Path, provider: tuple[str, type[Provider]], end: int) -> None:
    address, kind = provider
    kind.replies += [WRONG]  # and then it is never answered
    command = [
        sys.executable,
        "-c",
        "import sys; from wfc.compiler.cli import main; sys.exit(main())",
        "draft",
    ]
    told = subprocess.Popen(
        [*command, "greet whoever comes", "--model", "openai:tiny", "--base-url", address],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENAI_API_KEY": "none"},
    )
    assert told.stderr is not None
    for line in told.stderr:
        if line.startswith("try 1: 1 error"):
            break
    told.send_signal(end)
    rest = told.communicate(timeout=240)[1]
    assert "Aksed" in (tmp_path / "draft.yaml.txt").read_text(encoding="utf-8")
    if end != signal.SIGKILL:
        assert "the last one is kept in draft.yaml.txt\n" in rest
    assert "Traceback" not in rest


def test_wrong_usage_asks_no_model(wfc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WFC_DRAFT_MODEL", raising=False)
    there = tmp_path / "there.yaml"
    there.write_text("mine")
    model = ("--model", "openai:tiny")
    for args, said in (
        (("greet",), "which model?"),
        (("greet", "--model", "tiny"), "which model?"),
        ((" ", *model), "say in words"),
        (("x" * 20_001, *model), "more than 20000"),
        (("greet", *model, "-o", "there.yaml"), "--force writes over it"),
        (("greet", *model, "-o", "none/new.yaml"), "there is no folder"),
        (("greet", *model, "-o", "new.txt"), "ends in .yaml"),
        (("greet", *model, "--tries", "0"), "--tries"),
    ):
        done = wfc("draft", *args)
        assert done.status == 2, args
        assert said in done.err
    assert there.read_text() == "mine"
