"""``wfc runs fork --step "STEP/turn N"``: an agent goes on from one of its turns, and calls nothing before it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DESK = """\
wfc: 1
workflow: desk
start: Asked
end: Settled
models:
  careful: {use: "openai:careful", base_url: "URL"}
tools:
  work: {python: "desk:work", args: {run: string, n: integer}, output: string, description: Works.}
events:
  Asked: {}
  Settled: {n: integer}
steps:
  settle:
    kind: agent
    accepts: Asked
    model: careful
    prompt: run r n 0
    tools: [{tool: work, approve: {within: 10 days}}]
    output: {n: integer}
    emit: Settled
"""

WORK = """\
from pathlib import Path


def work(run: str, n: int) -> str:
    with Path(__file__).with_name("works").open("a") as file:
        file.write(f"work {n}\\n")
    return f"{n} done"
"""


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, store_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A desk whose model calls its tool three times and then answers; a person has to allow each call."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "durable"))
    from model_service import serving_models

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "desk.py").write_text(WORK)
    (tmp_path / "wfc.toml").write_text('modules = ["desk"]\n')
    with serving_models(tmp_path / "replies") as address:
        (tmp_path / "desk.yaml").write_text(DESK.replace("URL", address))
        yield tmp_path


def effects(desk: Path) -> tuple[list[int], list[str]]:
    """Returns the replies that the model was asked for since then, by number, and the calls of its tool."""
    replies, works = desk / "replies", desk / "works"
    asked = [json.loads(line) for line in replies.read_text().splitlines()] if replies.exists() else []
    called = works.read_text().splitlines() if works.exists() else []
    replies.unlink(missing_ok=True)
    works.unlink(missing_ok=True)
    return [one["n"] for one in asked if one["what"] == "begin"], called


@pytest.mark.parametrize(
    ("place", "asks", "replies", "works"),
    [
        ("settle/turn 3", 1, [2, 3], ["work 2"]),
        ("settle/turn 3/work", 0, [3], ["work 2"]),  # the call began when it had been allowed
        ("settle/turn 4", 0, [3], []),
    ],
)
def test_a_fork_goes_on_from_a_turn(
    wfc: Any, desk: Path, place: str, asks: int, replies: list[int], works: list[str]
) -> None:
    begun = wfc("run", "desk.yaml", "--run-id", "one")
    assert (begun.status, json.loads(allowed(wfc, 3))["with"]) == (3, {"n": 4}), begun.err
    assert effects(desk) == ([0, 1, 2, 3], ["work 0", "work 1", "work 2"])
    before = wfc("runs", "show", "one", "--ticks", "--format", "json").out

    told = wfc("runs", "fork", "one", "--step", place)
    assert (told.status, effects(desk)) == (0, ([], [])), told.err
    listed = wfc("runs", "list", "--format", "json").out.splitlines()
    assert {json.loads(line)["run"].partition("/")[0] for line in listed} == {"one"}

    done = wfc("runs", "fork", "one", "--step", place, "--run-id", "two", "--yes")
    assert done.status == (3 if asks else 0), done.err
    out = allowed(wfc, asks) if asks else done.out.splitlines()[-1]
    assert json.loads(out)["with"] == {"n": 4}
    assert effects(desk) == (replies, works), "what was done before that turn is not done again"
    assert wfc("runs", "show", "one", "--ticks", "--format", "json").out == before


def allowed(wfc: Any, count: int) -> str:
    """Allows so many calls one after the other, after which there is nothing to allow; returns the last line."""
    for _ in range(count):
        (task,) = _tasks(wfc)
        answered = wfc("tasks", "answer", task, '{"decision": "continue"}')
    assert (answered.status, _tasks(wfc)) == (0, []), answered.err
    return str(answered.out.splitlines()[-1])


def _tasks(wfc: Any) -> list[str]:
    return [json.loads(line)["task"] for line in wfc("tasks", "list", "--format", "json").out.splitlines()]
