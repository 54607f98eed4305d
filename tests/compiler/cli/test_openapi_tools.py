"""Operations of a service by its OpenAPI description: from a spec to what the service is asked."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_FOUND = importlib.util.spec_from_file_location("desk_service", Path(__file__).with_name("desk_service.py"))
assert _FOUND is not None and _FOUND.loader is not None
sys.modules["desk_service"] = service = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(service)

KEY = "sk-not-for-anybodys-eyes-0123456789"

SPEC = """
wfc: 1
workflow: ask
start: Asked
end: [Told, Failed]
secrets: [DESK_KEY]
tools:
  desk:
    openapi: ./desk.openapi.json
    auth: {bearer: DESK_KEY}
    headers: {X-Team: sales}
EXTRA
events:
  Asked: {number: string, tags: {type: list of string, default: []}}
  Told: {title: string, notes: integer, status: integer}
  Failed: {why: string}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: desk.getTicket
    with: {id: "${{ event.number }}", with_notes: true, tag: "${{ event.tags }}"}
    on_error: {errors: [http, tool, connection], event: Failed, with: {why: "${{ error.name }}: ${{ error.message }}"}}
    emit:
      event: Told
      with:
        title: ${{ result.title }}
        notes: ${{ result.notes | default([]) | length }}
        status: ${{ response.status }}
"""

NEW = """
wfc: 1
workflow: open
start: Asked
end: Told
tools:
  desk: {openapi: ./desk.openapi.json, only: [createTicket]}
events:
  Asked: {title: string, owner: optional string, urgency: {type: optional string}}
  Told: {id: string, parent: string}
steps:
  open:
    kind: tool
    accepts: Asked
    tool: desk
    with: {title: "${{ event.title }}", owner: "${{ event.owner }}", about: {a: x}}
    emit: {event: Told, with: {id: "${{ result.id }}", parent: "${{ result.parent.title | default(\\"\\") }}"}}
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """A service, whose description lies beside the spec; gives what it is asked."""
    monkeypatch.setenv("DESK_KEY", KEY)
    with service.desk() as (address, asked):
        write(tmp_path, service.description(address))
        yield asked


def write(folder: Path, description: object) -> None:
    (folder / "desk.openapi.json").write_text(json.dumps(description))


def run(wfc: Any, folder: Path, text: str, *inputs: str) -> Any:
    path = folder / "ask.yaml"
    path.write_text(text.replace("EXTRA", ""))
    return wfc("run", str(path), *(word for each in inputs for word in ("-i", each)))


def test_an_operation_is_called_as_it_is_described(
    wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]
) -> None:
    done = run(wfc, tmp_path, SPEC, "number=T/1 ä", 'tags=["a", "b"]')
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Told", "with": {"title": "a pen", "notes": 1, "status": 200}}
    (asked,) = desk
    assert asked["path"] == "/api/tickets/T%2F1%20%C3%A4?with-notes=true&tag=a&tag=b"
    assert asked["headers"]["authorization"] == f"Bearer {KEY}"
    assert asked["headers"]["x-team"] == "sales"
    assert "x-reader" not in asked["headers"]


@pytest.mark.parametrize("number", ["..", ".", ""])
def test_an_argument_does_not_leave_its_part_of_the_path(
    wfc: Any, tmp_path: Path, desk: list[dict[str, Any]], number: str
) -> None:
    done = run(wfc, tmp_path, SPEC, f"number={number}")
    assert json.loads(done.out)["with"]["why"].startswith(
        "tool.arguments: `id` cannot be a part of an address"
    )
    assert not desk


def test_what_is_not_given_is_not_sent(wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]) -> None:
    done = run(wfc, tmp_path, NEW, "title=pen")
    assert done.status == 0, done.err
    assert json.loads(done.out)["with"] == {"id": "T2", "parent": "x"}
    assert desk[0]["body"] == {
        "title": "pen",
        "owner": None,
        "about": {"a": "x"},
    }  # it says that an owner may be null


def test_dates_are_written_as_the_service_has_them(
    wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]
) -> None:
    fixed = NEW.replace("about: {a: x}", "due_on: 2026-05-01")
    assert run(wfc, tmp_path, fixed, "title=pen").status == 0
    assert desk[0]["body"]["due-on"] == "2026-05-01"


def test_arguments_are_held_against_the_description(
    wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]
) -> None:
    done = run(wfc, tmp_path, NEW, f"title={'x' * 21}")
    assert done.status == 1
    assert "tool.arguments" in done.err and "title: 'xxxxxxxxxxxxxxxxxxxxx' is too long" in done.err
    assert not desk


def test_the_spec_may_say_another_address(wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]) -> None:
    data = json.loads((tmp_path / "desk.openapi.json").read_text())
    address = data["servers"][0]["url"]
    write(tmp_path, {**data, "servers": [{"url": "https://elsewhere.example"}]})
    done = run(wfc, tmp_path, SPEC.replace("EXTRA", f'    base_url: "{address}"'), "number=T1")
    assert done.status == 0, done.err
    assert desk[0]["path"] == "/api/tickets/T1?with-notes=true"


def test_a_reply_of_another_type_is_told(wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]) -> None:
    data = json.loads((tmp_path / "desk.openapi.json").read_text())
    data["components"]["schemas"]["Ticket"]["properties"]["title"] = {"type": "integer"}
    write(tmp_path, data)
    done = run(wfc, tmp_path, SPEC.replace("Told: {title: string", "Told: {title: integer"), "number=T1")
    assert json.loads(done.out)["with"]["why"].startswith("http.invalid_output: ")


def test_wrong_arguments_are_found_by_the_check(wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]) -> None:
    path = tmp_path / "ask.yaml"
    path.write_text(SPEC.replace("EXTRA", "").replace("with_notes: true", "with_nots: true"))
    done = wfc("check", str(path))
    assert "error: `desk.getTicket` has no field `with_nots` [" in done.out
    assert "did you mean `with_notes`?" in done.out
    assert done.err == "1 spec: 1 error; 1 can be fixed with `wfc check --fix`\n"


def test_the_list_names_all_operations(wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]) -> None:
    path = tmp_path / "ask.yaml"
    path.write_text(SPEC.replace("EXTRA", ""))
    done = wfc("tools", "list", str(path))
    assert done.status == 0
    first, second = done.out.splitlines()
    assert first.startswith(
        "desk.getTicket(id: string, with_notes: optional boolean, tag: optional list of string, "
    )
    assert first.endswith(" -> Ticket  # A ticket by its number.")
    assert second.startswith(
        "desk.createTicket(title: string, urgency: optional {enum: [low, high]}, due_on: optional date"
    )


ASKED_FIRST = """
wfc: 1
workflow: ask
start: Asked
end: Told
models: {careful: {use: "openai:gpt-4o"}}
tools:
  desk: {openapi: ./desk.openapi.json, auth: {bearer: DESK_KEY}}
secrets: [DESK_KEY]
AGENT
events:
  Asked: {number: string}
  Told: {}
steps:
  look:
    kind: agent
    accepts: Asked
    STEP
    emit: Told
tests:
  - name: a person has allowed it
    start: {number: T1}
    script: {look: [{calls: [{tool: desk.getTicket, with: {id: T1}}]}, {say: done}]}
    people: {desk.getTicket: [{decision: continue}]}
    tools: {desk.getTicket: {id: T1, title: a pen}}
    expect: {end: Told, calls: [{tool: desk.getTicket}]}
"""
ASKS = '{tool: desk.getTicket, approve: {within: 1h, show: "${{ call.args.id }}"}}'


@pytest.mark.parametrize(
    ("agent", "step"),
    [
        ("", f"model: careful\n    prompt: Look.\n    tools: [{ASKS}]"),
        (
            f"agents:\n  clerk: {{description: Looks., model: careful, tools: [{ASKS}]}}",
            "agent: clerk\n    prompt: Look.",
        ),
    ],
    ids=["in its step", "under agents"],
)
def test_a_person_allows_an_operation(
    wfc: Any, tmp_path: Path, desk: list[dict[str, Any]], agent: str, step: str
) -> None:
    path = tmp_path / "ask.yaml"
    path.write_text(ASKED_FIRST.replace("AGENT", agent).replace("STEP", step))
    done = wfc("test", str(path))
    assert done.status == 0, done.out + done.err
    assert not desk


def test_no_fix_takes_operations_out_that_are_listed_once(
    wfc: Any, tmp_path: Path, desk: list[dict[str, Any]]
) -> None:
    step = f"model: careful\n    prompt: Look.\n    tools: [{ASKS}, desk]"
    path = tmp_path / "ask.yaml"
    path.write_text(ASKED_FIRST.replace("AGENT", "").replace("STEP", step))
    before = path.read_text()
    done = wfc("check", "--fix", str(path))
    assert "tool-listed-twice" in done.out + done.err
    assert path.read_text() == before
