"""Specs that name other files: every command sees these, and shows what is wrong at its own place."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

SHARED = "wfc: 1\ntypes:\n  Mood: {enum: [good, bad]}\n"
GREET = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
imports: [./shared.yaml]
events:
  Asked: {name: string, mood: Mood}
  Greeted: {text: string}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit: {event: Greeted, with: {text: "Hello ${{ event.name }}"}}
"""
OUTER = """\
wfc: 1
workflow: outer
start: Begun
end: [Over, Failed]
events:
  Begun: {name: string}
  Over: {text: string}
  Failed: {reason: string}
steps:
  ask:
    kind: workflow
    accepts: Begun
    workflow: inner
    with: {name: "${{ event.name }}"}
    on_error: [{event: Failed, with: {reason: "${{ error.message }}"}}]
    emit: {event: Over, with: {text: "${{ result.text }}"}}
tests:
  - name: the other one answers
    start: {name: Ada}
    real: [ask]
    expect: {end: Over, with: {text: Hello Ada}}
"""
INNER = """\
wfc: 1
workflow: inner
start: Asked
end: Greeted
events:
  Asked: {name: string}
  Greeted: {text: string}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit: {event: Greeted, with: {text: "Hello ${{ event.name }}"}}
"""
COMMANDS = (("check",), ("graph",), ("compile",), ("test",), ("run", "-i", "name=Ada", "-i", "mood=good"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a folder of its own: nothing above or beside it belongs to it."""
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "shared.yaml").write_text(SHARED)
    (tmp_path / "greet.yaml").write_text(GREET)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[0])
def test_every_command_finds_imported_types(wfc, project: Path, command: tuple[str, ...]) -> None:
    assert wfc(command[0], "greet.yaml", *command[1:]).status == 0


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[0])
def test_a_mistake_in_an_imported_file_is_shown_once_and_there(
    wfc, project: Path, command: tuple[str, ...]
) -> None:
    (project / "shared.yaml").write_text(SHARED.replace("[good, bad]", "[good, good]"))
    done = wfc(command[0], "greet.yaml", *command[1:])
    told = done.out + done.err
    assert done.status == 1
    assert told.count("error: ") == 1
    assert told.startswith("shared.yaml:3:")


def test_a_link_out_of_the_project_is_not_followed(wfc, project: Path, tmp_path_factory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "shared.yaml"
    outside.write_text(SHARED)
    (project / "shared.yaml").unlink()
    os.symlink(outside, project / "shared.yaml")
    done = wfc("check", "greet.yaml")
    assert done.status == 1
    assert "[file-outside-project]" in done.out + done.err


def test_a_compiled_module_runs_beside_its_shared_module(wfc, project: Path) -> None:
    assert wfc("compile", "greet.yaml", "-o", "out").status == 0
    assert set(json.loads((project / "out/wfc-manifest.json").read_text())["modules"]) == {
        "greet_workflow.py",
        "shared_shared.py",
    }
    done = wfc("run", "out/greet_workflow.py", "-i", "name=Ada", "-i", "mood=good")
    assert done.status == 0
    assert "Hello Ada" in done.out


def test_a_called_workflow_really_runs(wfc, project: Path) -> None:
    (project / "outer.yaml").write_text(OUTER)
    (project / "inner.yaml").write_text(INNER)
    assert wfc("test", "outer.yaml").status == 0


def test_tests_that_cannot_run_for_a_broken_called_workflow_have_failed(wfc, project: Path) -> None:
    (project / "outer.yaml").write_text(OUTER)
    (project / "inner.yaml").write_text(INNER.replace("event.name", "event.nome"))
    done = wfc("test", "outer.yaml")
    assert done.status == 1
    assert "inner.yaml:12:" in done.err
