"""``wfc new``: each copy works where it is written."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from wfc.compiler.cli.starting.patterns import patterns

ROOT = Path(__file__).parents[3]


def test_all_specs_are_listed(wfc) -> None:
    done = wfc("new", "--list")
    named = {line.split()[0] for line in done.out.splitlines() if not line.startswith(" ")}
    assert named == {path.stem for path in (ROOT / "specs").glob("*.yaml")} | {"bicycle_repair"}
    assert "Sort a support ticket with a model and send it to the right queue." in done.out


def test_a_copy_works(wfc) -> None:
    done = wfc("new", "reply_approval")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("written: reply_approval.yaml\n")
    assert not Path("reply_approval.yaml").read_text().startswith("# yaml-language-server")
    assert wfc("check", ".").status == 0
    assert wfc("test", ".").status == 0


def test_a_copy_has_its_own_name_and_knows_the_schema(wfc) -> None:
    assert wfc("init").status == 0
    done = wfc("new", "moving_house", "--name", "office_move")
    assert done.out.startswith("written: specs/office_move.yaml, specs/room_packing.yaml\n")
    text = Path("specs/office_move.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=../workflow.schema.json\n")
    assert "\nworkflow: office_move\n" in text
    assert wfc("check", "specs").status == 0
    assert wfc("test", "specs").status == 0
    assert wfc("fmt", "--check", "specs").status == 0


def test_a_copy_brings_what_it_needs(wfc) -> None:
    wfc("new", "feedback_trader", "a")
    assert sorted(os.listdir("a")) == [
        *("feedback.py", "feedback.txt", "feedback_press.txt", "feedback_social.txt", "feedback_support.txt"),
        "feedback_trader.yaml",
    ]
    wfc("new", "bicycle_repair", "b")
    assert sorted(os.listdir("b")) == ["bicycle_repair.yaml", "office.yaml", "shared.yaml", "workshop.yaml"]


def test_nothing_is_written_over(wfc) -> None:
    Path("room_packing.yaml").write_text("mine")
    done = wfc("new", "moving_house")
    assert done.status == 2
    assert done.err.endswith("Error: `room_packing.yaml` is there already; nothing was written\n")
    assert os.listdir(".") == ["room_packing.yaml"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["reply_aproval"], "did you mean `reply_approval`?"),
        (["quite else"], "`wfc new --list` lists them"),
        ([], "which pattern? `wfc new --list` lists them"),
        (["kitchen", "--name", "My Kitchen"], "small letters"),
    ],
)
def test_wrong_usage(wfc, args: list[str], said: str) -> None:
    done = wfc("new", *args)
    assert done.status == 2 and said in done.err
    assert not os.listdir(".")


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(patterns()))
def test_every_copy_works(wfc, name: str) -> None:
    assert wfc("new", name, "here").status == 0
    assert wfc("check", "here").status == 0
    assert wfc("test", "here").status == 0


@pytest.mark.full
def test_questions_at_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [str(Path(sys.executable).parent / "wfc"), "new"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.write(ours, b"kitchen\ncanteen\n")
        assert process.wait(60) == 0
    os.close(ours)
    os.close(theirs)
    assert "workflow: canteen\n" in (tmp_path / "canteen.yaml").read_text()
