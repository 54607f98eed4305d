"""Programs are started only if the user has agreed, and who is asked when."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.agreeing import started_by
from wfc.runtime.calls import trust
from wfc.runtime.calls.commands import executable
from wfc.runtime.errors import SettingsError

SPEC = """
wfc: 1
workflow: echo
start: Asked
end: Told
events:
  Asked: {text: string}
  Told: {text: string}
steps:
  echo:
    kind: command
    accepts: Asked
    command: [echo, "${{ event.text }}"]
    emit: {event: Told, with: {text: "${{ result }}"}}
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that proposes a program, and a user who has agreed to nothing."""
    monkeypatch.delenv("WFC_TRUST")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "wfc.toml").write_text('commands = ["echo", "cat"]')
    (folder / "echo.yaml").write_text(SPEC)
    return folder


def run(wfc: Any, project: Path) -> Any:
    return wfc("run", str(project / "echo.yaml"), "-i", "text=hello")


def test_without_a_terminal_it_is_refused_with_the_command_that_agrees(wfc: Any, project: Path) -> None:
    done = run(wfc, project)
    assert done.status == 1
    assert "nobody has agreed that `echo` is started here" in done.err
    assert f"`wfc trust '{project}'` agrees, or WFC_TRUST=1 where nobody sits" in done.err
    assert not trust.trust_file().exists()


def test_who_has_agreed_is_not_asked_again(wfc: Any, project: Path) -> None:
    done = wfc("trust", str(project))
    assert (done.status, done.out) == (0, "may be started: echo\nmay be started: cat\n")
    assert run(wfc, project).status == 0
    assert json.loads(trust.trust_file().read_text()) == {str(project): ["cat", "echo"]}
    assert trust.trust_file().stat().st_mode & 0o077 == 0


def test_another_command_is_asked_about_anew(wfc: Any, project: Path) -> None:
    wfc("trust", str(project))
    (project / "wfc.toml").write_text('commands = ["echo", "rm"]')
    assert wfc("trust", "--list", str(project)).out == "may be started: echo\nnot agreed to: rm\n"
    with pytest.raises(SettingsError, match="nobody has agreed that `rm`"):
        executable("rm", project)


def test_another_folder_is_another_question(wfc: Any, project: Path, tmp_path: Path) -> None:
    wfc("trust", str(project))
    other = tmp_path / "other"
    other.mkdir()
    (other / "wfc.toml").write_text('commands = ["echo"]')
    with pytest.raises(SettingsError, match="nobody has agreed"):
        executable("echo", other)


def test_what_settings_do_not_name_nobody_can_agree_to(wfc: Any, project: Path) -> None:
    trust.agree(project, ["ls"])
    with pytest.raises(SettingsError, match="`ls` is not allowed"):
        executable("ls", project)


def test_an_agreement_is_taken_back(wfc: Any, project: Path) -> None:
    wfc("trust", str(project))
    done = wfc("trust", "--withdraw", str(project))
    assert (done.status, done.out) == (0, "not agreed to: echo\nnot agreed to: cat\n")
    assert run(wfc, project).status == 1
    assert json.loads(trust.trust_file().read_text()) == {}


@pytest.mark.parametrize(("value", "status"), [("1", 0), ("0", 1), ("", 1), ("true", 1)])
def test_machines_agree_by_a_variable(
    wfc: Any, project: Path, monkeypatch: pytest.MonkeyPatch, value: str, status: int
) -> None:
    monkeypatch.setenv("WFC_TRUST", value)
    assert run(wfc, project).status == status


def test_a_folder_without_settings_has_nothing_to_agree_to(wfc: Any, tmp_path: Path) -> None:
    done = wfc("trust", str(tmp_path))
    assert (done.status, done.out) == (0, "")
    assert "no settings hold" in done.err


@pytest.mark.parametrize("text", ["[]", "nonsense", '{"/": 1}', '{"/": [1]}', "[" * 100_000, "\xff"])
def test_a_file_that_is_broken_lets_nothing_start(wfc: Any, project: Path, text: str) -> None:
    path = trust.trust_file()
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="latin-1")
    done = run(wfc, project)
    assert done.status == 1
    assert "is not what `wfc trust` writes" in done.err
    assert wfc("trust", str(project)).status == 1


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_a_file_that_others_may_write_is_not_believed(wfc: Any, project: Path) -> None:
    wfc("trust", str(project))
    trust.trust_file().chmod(0o666)
    assert "others than you may write to it" in run(wfc, project).err


def test_a_relative_folder_of_configuration_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")
    assert trust.trust_file().is_absolute()


def test_a_mocked_run_starts_nothing_and_asks_nobody(wfc: Any, project: Path) -> None:
    tests = "tests: [{name: a, start: {text: x}, mock: {echo: y}, expect: {with: {text: y}}}]\n"
    (project / "echo.yaml").write_text(SPEC + tests)
    assert wfc("test", str(project / "echo.yaml")).status == 0


def test_which_programs_a_module_starts() -> None:
    assert started_by("f(['git', x])\ng(command=[\n  'npx'])\nh([], [1], (\"cat\",))") == {"git", "npx"}


@pytest.mark.full
@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1)])
def test_at_a_terminal_the_user_is_asked_once(project: Path, answer: str, status: int) -> None:
    def at_terminal() -> tuple[int, str]:
        outer, inner = pty.openpty()
        with subprocess.Popen(
            [str(Path(sys.executable).parent / "wfc"), "run", "echo.yaml", "-i", "text=hello"],
            cwd=project,
            stdin=inner,
            stdout=inner,
            stderr=inner,
        ) as process:
            os.close(inner)
            os.write(outer, f"{answer}\n".encode())
            said = b""
            try:
                while piece := os.read(outer, 4096):
                    said += piece
            except OSError:
                pass  # its other end is closed
        os.close(outer)
        return process.returncode, said.decode()

    first, said = at_terminal()
    assert "this workflow starts the program: echo" in said
    assert f"May workflows in {project} start it?" in said
    assert first == status
    assert trust.agreed_in(project) == ({"echo"} if answer == "y" else set())
    again, said = at_terminal()
    assert ("this workflow starts" in said) == (answer == "n")
    assert again == status
