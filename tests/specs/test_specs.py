"""The specs that come with the project: each checks, passes its own tests, and runs on real input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from wfc.compiler.cli import main

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").rglob("*.yaml"))
WFC = [sys.executable, "-c", "import sys; from wfc.compiler.cli import main; sys.exit(main(sys.argv[1:]))"]
HISTORY = [("feat: fly", "a"), ("Fix the landing", "b"), ("Bump the year", "c")]


def wfc(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*WFC, *map(str, args)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_a_spec_has_no_findings_and_passes_its_own_tests(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spec.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=")
    assert (main(["check", str(spec)]), capsys.readouterr().out) == (0, "")
    if "\nworkflow: " in spec.read_text(
        encoding="utf-8"
    ):  # what is shared, and parts, have no tests of their own
        status, told = main(["test", str(spec)]), capsys.readouterr()
        assert status == 0, told.out + told.err


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a history."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True, capture_output=True)
    for subject, text in HISTORY:
        (folder / "file.c").write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--no-gpg-sign", "-m", subject], check=True)
    return folder


def test_release_notes_of_a_real_history_from_the_compiled_module(repository: Path, tmp_path: Path) -> None:
    compiled = wfc("compile", ROOT / "specs/release_notes.yaml", "-o", tmp_path / "build")
    assert compiled.returncode == 0, compiled.stderr
    done = wfc("run", tmp_path / "build/release_notes_workflow.py", "-i", f"repository={repository}")
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout)
    assert (end["event"], end["with"]["commits"]) == ("NotesWritten", len(HISTORY))
    headings = [line for line in end["with"]["markdown"].splitlines() if line.startswith("#")]
    assert headings == ["# Release notes", "## Added", "## Changed", "## Fixed"]


@pytest.mark.full
def test_release_notes_of_a_folder_without_a_history_say_why(tmp_path: Path) -> None:
    done = wfc("run", ROOT / "specs/release_notes.yaml", "-i", f"repository={tmp_path}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "step `read` failed on NotesWanted, attempt 1" in done.stderr
    assert "HistoryUnreadable" in done.stderr


def test_the_monitor_reads_a_real_file_and_tells_its_watcher() -> None:
    done = wfc("run", ROOT / "specs/feedback_monitor_streaming.yaml", "-i", "at_most=3")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["with"]["good"] == 2
    assert "reading message 1 of feedback.txt" in done.stderr
    assert "a complaint: The app crashes" in done.stderr


def test_a_misspelt_verdict_is_a_finding(tmp_path: Path) -> None:
    text = (ROOT / "specs/feedback_trader.yaml").read_text(encoding="utf-8")
    spec = tmp_path / "trader.yaml"
    spec.write_text(text.replace('event.verdict == "good"', 'event.verdict == "goood"', 1), encoding="utf-8")
    (finding,) = json.loads(wfc("check", "--format", "json", spec).stdout)
    assert (finding["code"], finding["hint"]) == ("no-such-value", "did you mean `good`?")


def test_a_person_edits_a_reply() -> None:
    inputs = ["-i", "customer=Ada", "-i", "draft=Dear Ada"]
    answer = ["--answer", 'review={"decision": "edit", "text": "Hello"}']
    done = wfc("run", ROOT / "specs/reply_approval.yaml", *inputs, *answer)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"event": "ReplyApproved", "with": {"text": "Hello", "edited": True}}


def test_a_payment_finds_its_order() -> None:
    inputs = ["-i", "order_id=o1", "-i", "total=50"]
    paid = ["--deliver", 'Paid={"order_id": "o1", "amount": "50"}']
    done = wfc("run", ROOT / "specs/order_payment.yaml", *inputs, *paid)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"event": "OrderPaid", "with": {"amount": "50", "reminded": False}}


def test_a_workflow_of_several_files_runs() -> None:
    answers = {
        "inspect": {"hours": "1", "spare_parts": [{"name": "chain", "price": "30"}]},
        "ask_owner": {"agree": True},
        "repair": None,
        "take_money": {"paid": True},
    }
    given = [
        word for step, answer in answers.items() for word in ("--answer", f"{step}={json.dumps(answer)}")
    ]
    inputs = ["-i", "owner=Ada", "-i", "complaint=squeaks"]
    done = wfc("run", ROOT / "specs/bicycle_repair/bicycle_repair.yaml", *inputs, *given)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"event": "BicycleReturned", "with": {"paid": "90"}}


def test_a_workflow_runs_others_beside_it() -> None:
    done = wfc("run", ROOT / "specs/moving_house.yaml", "-i", 'rooms=["kitchen", "hall"]')
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"event": "VanOrdered", "with": {"boxes": 11, "van": "small"}}
