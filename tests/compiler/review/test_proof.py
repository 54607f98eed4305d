"""``wfc check --proof``: what it tells of ends, clocks, waits, loops and races, as text and as JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(HERE / "facts.yaml", tmp_path))


@pytest.mark.parametrize(("form", "suffix"), [("full", "txt"), ("json", "json")])
def test_what_is_told_is_golden(
    wfc, facts: Path, golden: Callable[[Path, str], None], form: str, suffix: str
) -> None:
    done = wfc("check", "--proof", "facts.yaml", "--format", form)
    assert done.status == 1
    assert "[race-on-state]" in done.err
    golden(HERE / f"facts.{suffix}", done.out)


def test_a_comment_that_hides_a_warning_does_not_hide_the_race(wfc, facts: Path) -> None:
    marked = facts.read_text().replace(
        "  left: {kind", "  # wfc: ignore[race-on-state] because the last one is as good\n  left: {kind"
    )
    facts.write_text(marked)
    done = wfc("check", "--proof", "facts.yaml")
    assert (done.status, done.err) == (0, "")
    assert "both save `state.last` [race-on-state]" in done.out


def test_of_a_spec_with_errors_nothing_is_told_and_of_others_everything(
    wfc, facts: Path, tmp_path: Path
) -> None:
    (tmp_path / "wrong.yaml").write_text(
        facts.read_text()
        .replace("workflow: everything", "workflow: wrong")
        .replace("emit: nothing", "emit: Nothing_")
    )
    done = wfc("check", "--proof", ".", "--format", "json")
    assert done.status == 1
    assert [each["workflow"] for each in json.loads(done.out)] == ["everything"]
    assert "wrong.yaml: nothing is proved of a spec with errors\n" in done.err


@pytest.mark.parametrize(
    "more", [["--fix"], ["--diff"], ["--import-tools"], ["--suppressed"], ["--format", "sarif"]]
)
def test_what_does_not_go_with_it_is_wrong_usage(wfc, facts: Path, more: list[str]) -> None:
    done = wfc("check", "--proof", "facts.yaml", *more)
    assert (done.status, done.out) == (2, "")
    assert "`--proof` goes with" in done.err


def test_every_spec_of_the_project_has_its_ends_told(wfc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = wfc("check", "--proof", "specs", "docs/language", "--format", "json")
    told = json.loads(done.out)
    assert len(told) > 40
    for each in told:
        proof = each["proof"]
        assert proof["ends"] and all(end["by"] for end in proof["ends"]), each["path"]
        assert all(loop["bounded_by"] for loop in proof["loops"]), each["path"]
