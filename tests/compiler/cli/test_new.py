"""``wfc new``: each copy works where it is written."""

from __future__ import annotations

import contextlib
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
        (["kitchen", "--name", "true"], "YAML reads `true` as something else"),
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
    assert wfc("fmt", "--check", "here").status == 0
    assert wfc("compile", "here", "-o", "made").status == 0
    assert wfc("new", name, "there", "--name", "another_name").status == 0
    assert wfc("check", "there").status == 0
    assert wfc("test", "there").status == 0


def at_a_terminal(folder: Path, typed: bytes) -> tuple[int, str]:
    """Type at the questions of a command; return its exit status and what it has shown."""
    ours, theirs = pty.openpty()
    command = [str(Path(sys.executable).parent / "wfc"), "new"]
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        os.write(ours, typed)
        status = process.wait(240)
    shown = b""
    with contextlib.suppress(OSError):  # it ends so, where all is read
        while more := os.read(ours, 65_536):
            shown += more
    os.close(ours)
    return status, shown.decode()


@pytest.mark.full
def test_questions_at_a_terminal(tmp_path: Path) -> None:
    assert at_a_terminal(tmp_path, b"kitchen\ncanteen\n")[0] == 0
    assert "workflow: canteen\n" in (tmp_path / "canteen.yaml").read_text()


@pytest.mark.full
def test_a_question_is_asked_until_the_answer_fits(tmp_path: Path) -> None:
    status, shown = at_a_terminal(tmp_path, b"nonsense\nkitchen\nMy Kitchen\nnull\ncanteen\n")
    assert status == 0, shown
    assert "small letters" in shown and "reads `null` as something else" in shown
    assert (tmp_path / "canteen.yaml").exists()


@pytest.mark.full
def test_who_leaves_a_question_has_found_no_bug(tmp_path: Path) -> None:
    status, shown = at_a_terminal(tmp_path, b"kitchen\n\x04")
    assert (status, "bug" in shown) == (130, False), shown
    assert not [*tmp_path.iterdir()]
