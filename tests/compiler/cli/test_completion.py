"""Completion in shells: the scripts, and what they are answered."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def pressed(wfc, monkeypatch: pytest.MonkeyPatch):
    def call(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("_WFC_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        done = wfc()
        assert done.status == 0
        return done.out.splitlines()

    return call


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("wfc ver", ["plain,verify"]),
        ("wfc completion ", ["plain,bash", "plain,zsh", "plain,fish"]),
        ("wfc new ticket", ["plain,ticket_triage"]),
        ("wfc fmt --ch", ["plain,--check"]),
        ("wfc check spe", ["file,spe"]),
        ("wfc runs lis", ["plain,list"]),
    ],
)
def test_what_may_follow(pressed, line: str, answers: list[str]) -> None:
    assert pressed(line) == answers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(wfc, shell: str) -> None:
    done = wfc("completion", shell)
    assert done.status == 0 and f"_WFC_COMPLETE={shell}_complete" in done.out


def test_nonsense_is_refused(wfc, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wfc("completion", "cmd").status == 2
    monkeypatch.setenv("_WFC_COMPLETE", "other")
    assert wfc().status == 2


@pytest.mark.full
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_itself_completes(wfc, tmp_path: Path) -> None:
    (tmp_path / "wfc.bash").write_text(wfc("completion", "bash").out)
    asked = """
        source ./wfc.bash
        COMP_WORDS=(wfc expl) COMP_CWORD=1
        _wfc_completion wfc expl wfc
        echo "${COMPREPLY[@]}"
    """
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "-c", asked], cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stdout == "explain\n", done.stderr
