"""``wfc init``: what is written works, and nothing that is there is written over."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

SPEC = "specs/orders.yaml"
ASKS = """\
wfc: 1
workflow: asks
start: Asked
end: Told
events: {Asked: {}, Told: {word: string}}
steps:
  ask:
    kind: human
    accepts: Asked
    title: Which word?
    form: {word: string}
    within: 1d
    on_timeout: {fail: nobody said one}
    emit: Told
"""


def files_in(folder: str) -> set[str]:
    return {each.relative_to(folder).as_posix() for each in Path(folder).rglob("*") if each.is_file()}


def test_what_is_written_works(wfc) -> None:
    done = wfc("init")
    assert (done.status, done.err) == (0, "")
    assert files_in(".") == {SPEC, "wfc.toml", "workflow.schema.json", ".vscode/extensions.json"}
    assert f"  {SPEC} " in done.out and "wfc test specs" in done.out
    assert wfc("fmt", "--check", "specs").status == 0
    assert wfc("check", "specs").err == "1 spec: no findings\n"
    assert wfc("test", "specs").err == "3 passed\n"
    ran = wfc("run", SPEC, "-i", "item=chair", "-i", "quantity=3")
    assert ran.status == 0
    assert "chair" in ran.out
    said = Path(SPEC).read_text().split("\n")[0]
    schema = (Path(SPEC).parent / said.removeprefix("# yaml-language-server: $schema=")).resolve()
    assert json.loads(schema.read_text())["$schema"].startswith("https://json-schema.org/")


@pytest.mark.parametrize(
    ("ci", "place"), [("github", ".github/workflows/wfc.yml"), ("gitlab", ".gitlab-ci.yml")]
)
def test_ci_asks_what_holds(wfc, ci: str, place: str) -> None:
    assert wfc("init", "shop", "--ci", ci, "--no-editor").status == 0
    assert files_in("shop") == {SPEC, "wfc.toml", place}
    assert not Path("shop", SPEC).read_text().startswith("# yaml-language-server")
    data = yaml.safe_load(Path("shop", place).read_text())
    steps = (
        data["workflows"]["script"]
        if ci == "gitlab"
        else [s.get("run") for s in data["jobs"]["check"]["steps"]]
    )
    assert f'pip install "wfc-workflows=={version("wfc-workflows")}"' in steps
    os.chdir("shop")
    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "begun"]):
        subprocess.run(["git", "-c", "user.name=ann", "-c", "user.email=ann@localhost", *command], check=True)
    ours = [
        shlex.split(step.replace("origin/$GITHUB_BASE_REF", "main").replace("$WFC_OPTIONS", "--against main"))
        for step in steps
        if step and step.startswith("wfc ")
    ]
    done = [wfc(*(word for word in each[1:] if word != "--post")) for each in ours]
    assert [each.status for each in done] == [0] * len(ours)
    assert "no change in meaning" in done[-1].out, "it is compared with what it is to be merged into"
    assert {each[1] for each in ours} == {"fmt", "ci"}


def test_runs_are_kept_beside_the_settings_and_out_of_the_repository(wfc) -> None:
    wfc("init", "--no-editor")
    subprocess.run(["git", "init", "-q"], check=True)
    Path("specs/asks.yaml").write_text(ASKS)
    assert wfc("run", "specs/asks.yaml", "--run-id", "first").status == 3
    assert "first" in wfc("runs", "list").out
    os.chdir("specs")
    assert "first" in wfc("runs", "list").out
    shown = subprocess.run(["git", "status", "--short", ".."], check=True, capture_output=True, text=True)
    assert {line.split("/")[-1] for line in shown.stdout.split()} == {"??", "wfc.toml", ""}


@pytest.mark.parametrize("name", ["wfc.toml", "pyproject.toml"])
def test_a_project_with_settings_gets_no_others(wfc, name: str) -> None:
    Path(name).write_text("[tool.wfc.config]\n" if name == "pyproject.toml" else "")
    assert wfc("init", "--no-editor").status == 0
    assert files_in(".") == {SPEC, name}
    assert wfc("init", "other", "--no-editor").status == 0
    assert files_in("other") == {SPEC}


def test_nothing_is_written_over(wfc) -> None:
    Path("specs").mkdir()
    Path(SPEC).write_text("mine")
    done = wfc("init")
    assert done.status == 2
    assert done.err.endswith(f"Error: `{SPEC}` is there already; nothing was written\n")
    assert files_in(".") == {SPEC} and Path(SPEC).read_text() == "mine"


def test_a_link_leads_nowhere_else(wfc, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "project").mkdir()
    os.symlink(tmp_path / "outside", tmp_path / "project/specs")
    assert "would lie outside" in wfc("init", "project").err
    assert not files_in("outside") and not files_in("project")


def test_a_file_in_the_way_is_told(wfc) -> None:
    Path("shop").write_text("a file")
    done = wfc("init", "shop")
    assert done.status == 2 and "cannot write" in done.err
