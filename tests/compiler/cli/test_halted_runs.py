"""``wfc run --break`` and ``wfc runs resume --step --break --no-breaks``: runs that halt, and rest so in a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli import main

SPEC = """\
wfc: 1
workflow: count
start: Asked
end: Done
state: {seen: {type: list of integer, default: []}}
events:
  Asked: {n: integer}
  Once: {n: integer}
  Twice: {n: integer}
  Done: {n: integer}
steps:
  one: {kind: transform, accepts: Asked, save: {seen: "${{ state.seen + [event.n] }}"}, emit: {event: Once, with: {n: "${{ event.n + 1 }}"}}}
  two: {kind: transform, accepts: Once, save: {seen: "${{ state.seen + [event.n] }}"}, emit: {event: Twice, with: {n: "${{ event.n + 1 }}"}}}
  three: {kind: transform, accepts: Twice, emit: {event: Done, with: {n: "${{ event.n + 1 }}"}}}
"""  # noqa: E501


@pytest.fixture(params=["", "limits: {concurrent_runs: 5}\n"], ids=["alone", "beside others"])
def call(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> Any:
    """Calls a command on the store of a project; returns its exit status, and what it has printed.

    The workflow's runs begin at once, or when it is their turn.
    """
    (tmp_path / "count.yaml").write_text(SPEC + request.param, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WFC_STORE", f"sqlite:///{tmp_path}/runs.db")

    def run(*words: str) -> tuple[int, str, str]:
        status = main(list(words))
        out, err = capsys.readouterr()
        return status, out, err

    return run


def begin(call: Any, *words: str) -> tuple[int, str, str]:
    found: tuple[int, str, str] = call("run", "count.yaml", "-i", "n=1", "--run-id", "r", *words)
    return found


def listed(call: Any) -> dict[str, Any]:
    _, out, _ = call("runs", "list", "--format", "json")
    found: dict[str, Any] = json.loads(out.splitlines()[0])
    return found


def test_a_run_halts_before_a_step_and_says_how_it_goes_on(call: Any) -> None:
    status, out, err = begin(call, "--break", "two")
    assert (status, out) == (3, "")
    assert "two: to be resumed: the run halted before it" in err
    assert "go on with  wfc runs resume r, or by one step with --step" in err
    row = listed(call)
    assert (row["status"], row["note"]) == ("halted", "halted at a breakpoint")
    assert row["waits for"] == "two: to be resumed: the run halted before it"
    status, out, _ = call("runs", "resume", "r")
    assert (status, json.loads(out)) == (0, {"event": "Done", "with": {"n": 4}})


@pytest.mark.parametrize("how", [(), ("--no-breaks",), ("--break", "three"), ("--step",)])
def test_a_run_with_a_key_goes_on_from_a_halt(call: Any, how: tuple[str, ...]) -> None:
    Path("count.yaml").write_text(f"key: inputs.n\n{SPEC}", encoding="utf-8")
    begin(call, "--break", "two")
    status, out, err = call("runs", "resume", "r", *how)
    if how in ((), ("--no-breaks",)):
        assert (status, json.loads(out)["with"]) == (0, {"n": 4})
        return
    assert status == 3
    assert "three: to be resumed" in err
    status, out, _ = call("runs", "resume", "r")
    assert (status, json.loads(out)["with"]) == (0, {"n": 4})


def test_step_by_step_to_the_end(call: Any) -> None:
    begin(call, "--break", "one")
    for step in ("two", "three"):
        status, out, err = call("runs", "resume", "r", "--step")
        assert (status, out) == (3, "")
        assert f"{step}: to be resumed" in err
    status, out, _ = call("runs", "resume", "r", "--step")
    assert (status, json.loads(out)["with"]) == (0, {"n": 4})


def test_breakpoints_are_replaced_and_taken_away(call: Any) -> None:
    begin(call, "--break", "one", "--break", "two")
    _, _, err = call("runs", "resume", "r", "--break", "three")
    assert "three: to be resumed" in err
    begin(call, "--run-id", "s", "--break", "one", "--break", "two")
    status, _, _ = call("runs", "resume", "s", "--no-breaks")
    assert status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--break", "tow"), "--break tow: there is no step `tow`; there are `one`, `two`, `three`"),
        (("--break", "two", "--detach"), "--detach begins nothing here: give --break to `wfc runs resume`"),
    ],
)
def test_what_cannot_be_halted_at_is_refused(call: Any, words: tuple[str, ...], told: str) -> None:
    status, _, err = begin(call, *words)
    assert status == 2
    assert told in err


def test_options_that_exclude_each_other_are_refused(call: Any) -> None:
    begin(call, "--break", "two")
    status, _, err = call("runs", "resume", "r", "--step", "--no-breaks")
    assert status == 2
    assert "--break, --no-breaks and --step exclude each other" in err
    status, _, err = call("runs", "resume", "r", "--break", "nowhere")
    assert status == 2
    assert "there is no step `nowhere`" in err
    assert listed(call)["status"] == "halted"


def test_what_each_step_has_changed_is_told(call: Any) -> None:
    begin(call)
    status, out, _ = call("runs", "follow", "r", "--changes", "--format", "json")
    told = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [(one["step"], one["kind"], one["changes"]) for one in told] == [
        ("one", "Completed", [{"path": "seen[0]", "after": 1}]),
        ("two", "Completed", [{"path": "seen[1]", "after": 2}]),
    ]
    _, later, _ = call(
        "runs", "follow", "r", "--changes", "--since", str(told[0]["tick"]), "--format", "json"
    )
    assert [json.loads(line)["step"] for line in later.splitlines()] == ["two"]
    _, out, _ = call("runs", "follow", "r", "--changes")
    assert [line.split("  ")[-1] for line in out.splitlines()] == [
        "one: seen[0] = 1, which is new",
        "two: seen[1] = 2, which is new",
    ]


def test_a_halt_and_its_end_are_told(call: Any) -> None:
    begin(call, "--break", "two")
    _, out, _ = call("runs", "follow", "r", "--no-wait")
    assert out.splitlines()[-1].endswith("  the run has halted before two")
    assert call("runs", "resume", "r", "--no-breaks")[0] == 0
    _, out, _ = call("runs", "follow", "r")
    assert sum(line.endswith("  the run goes on") for line in out.splitlines()) == 1
    _, out, _ = call("runs", "follow", "r", "--format", "json")
    halts = [one["halted"] for one in map(json.loads, out.splitlines()) if "halted" in one]
    assert halts == ["before two", "goes on"]


def test_what_a_person_has_changed_while_a_run_halts_is_told(call: Any) -> None:
    begin(call, "--break", "two")
    status, _, err = call("runs", "edit", "r", "--set", "seen=[7, 8]")
    assert status in (0, 3), err
    assert listed(call)["status"] == "halted"
    _, out, _ = call("runs", "follow", "r", "--changes", "--no-wait", "--format", "json")
    (_, edited) = [json.loads(line) for line in out.splitlines()]
    assert edited["by"].startswith("user:")
    assert edited["changes"] == [{"path": "seen[0:1]", "before": [1], "after": [7, 8]}]
    _, out, _ = call("runs", "follow", "r", "--changes", "--no-wait")
    assert out.splitlines()[-1].endswith("seen[0:1]: [1] -> [7, 8]")
    status, _, _ = call("runs", "resume", "r")
    assert status == 0


AGENT = """\
wfc: 1
workflow: desk
start: Asked
end: Settled
models:
  careful: {use: "openai:careful", base_url: "URL"}
tools:
  work: {command: [printf, "%s done", "${{ args.n }}"], args: {run: string, n: integer}, output: string, description: Works.}
events:
  Asked: {}
  Settled: {n: integer}
steps:
  settle:
    kind: agent
    accepts: Asked
    model: careful
    prompt: run r n 0
    tools: [work]
    output: {n: integer}
    emit: Settled
"""  # noqa: E501


def test_an_agent_is_stepped_through_call_by_call(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "durable"))
    from model_service import serving_models

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("WFC_TRUST", "1")
    (tmp_path / "wfc.toml").write_text('commands = ["printf"]\n', encoding="utf-8")
    with serving_models(tmp_path / "effects") as address:
        (tmp_path / "desk.yaml").write_text(AGENT.replace("URL", address), encoding="utf-8")
        status, _, err = call("run", "desk.yaml", "--break", "settle/turn 2/pay")
        assert status == 2
        assert "--break settle/turn 2/pay: there is no place `settle/turn 2/pay`" in err
        status, _, err = call("run", "desk.yaml", "--run-id", "r", "--break", "settle/turn 2/work")
        assert status == 3, err
        assert "settle/turn 2/work: to be resumed: the run halted before it" in err
        for place in ("settle/turn 3", "settle/turn 3/work"):
            status, _, err = call("runs", "resume", "r", "--step")
            assert status == 3, err
            assert f"{place}: to be resumed" in err
        status, out, _ = call("runs", "resume", "r")
        assert (status, json.loads(out)) == (0, {"event": "Settled", "with": {"n": 4}})
