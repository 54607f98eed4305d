"""Completion in shells: the scripts, and what they are answered."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wfc.compiler.cli import offers


@pytest.fixture
def pressed(wfc, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(offers, "PATIENCE", 240)  # in seconds: a machine may have much else to do

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


@pytest.fixture
def stored(wfc, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store with a run that waits for an answer, its spec, and one that cannot be read to its end."""
    assert wfc("init").status == 0
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db")
    given = ("-i", "item=chair", "-i", "quantity=300", "--run-id", "big-one")
    assert wfc("run", "specs/orders.yaml", *given).status == 3
    Path("cut.yaml").write_text("steps: {greet: {kind: [}", encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("wfc runs show big", ["plain,big-one"]),
        ("wfc runs retry none big", ["plain,big-one"]),
        ("wfc graph specs/orders.yaml --run b", ["plain,big-one"]),
        ("wfc send A={} --run=b", ["plain,big-one"]),
        ("wfc tasks answer big", ["plain,big-one/ask_sales/2"]),
        ("wfc runs list --workflow ", ["plain,orders"]),
        ("wfc runs fork big-one --step l", ["plain,look_at_quantity"]),
        ("wfc run specs/orders.yaml -i item=a --break ask", ["plain,ask_sales"]),
        ("wfc explain unknown-eve", ["plain,unknown-event"]),
        ("wfc runs show --store sqlite:///none.db b", ["file,b"]),
        ("wfc run cut.yaml --break g", ["file,g"]),
        ("wfc run none.yaml --break g", ["file,g"]),
        ("wfc run --break g", ["file,g"]),
        ("wfc runs fork none --step l", ["file,l"]),
    ],
)
def test_names_are_offered(pressed, stored: None, line: str, answers: list[str]) -> None:
    assert pressed(line) == answers


HAND = """\
from pathlib import Path
from wfc.runtime import StartEvent, StopEvent, Workflow, step

Path("imported").touch()
print("I am imported")


class ByHand(Workflow):
    @step
    async def greet(self, event: StartEvent) -> StopEvent:
        return StopEvent(result="hello")
"""


def test_steps_are_offered_without_the_code_of_the_run(
    wfc, pressed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db")
    Path("hand.py").write_text(HAND, encoding="utf-8")
    program = [sys.executable, "-c", "import sys; from wfc.compiler.cli import main; sys.exit(main())"]
    begun = subprocess.run(
        [*program, "run", "hand.py", "--run-id", "r2", "--break", "greet"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert begun.returncode == 3, begun.stderr.decode()
    Path("imported").unlink()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert pressed("wfc runs resume r2 --break g") == ["plain,greet"]
    assert not Path("imported").exists()
    Path("hand.py").unlink()
    assert pressed("wfc runs resume r2 --break g") == ["plain,greet"]


MANY = """\
wfc: 1
workflow: many
start: Asked
end: Greeted
events: {Asked: {count: integer}, Greeted: {}}
tools: {say: {python: "says:say", args: {number: integer}, output: string}}
steps:
  greet:
    kind: map
    accepts: Asked
    in: "[event.count, 2]"
    as: number
    max: 5
    do: {kind: tool, tool: say, with: {number: "${{ number }}"}}
    emit: Greeted
"""


def test_what_a_step_does_with_its_items_is_no_step(wfc, pressed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db")
    Path("says.py").write_text("def say(number: int) -> str:\n    return str(number)\n", encoding="utf-8")
    Path("many.yaml").write_text(MANY, encoding="utf-8")
    begun = wfc("run", "many.yaml", "-i", "count=1", "--run-id", "r1", "--break", "greet")
    assert begun.status == 3, begun.err
    assert pressed("wfc runs resume r1 --break ") == ["plain,greet"]


def test_a_server_that_does_not_answer_is_not_waited_for(pressed, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    from wfc.runtime.store.postgresql import connection

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("WFC_STORE", f"postgresql://nobody@127.0.0.1:{port}/runs")
        monkeypatch.setattr(connection, "PATIENCE", 900)  # how long connecting takes
        monkeypatch.setattr(offers, "PATIENCE", 0.5)
        begun = time.monotonic()
        assert pressed("wfc runs show b") == ["file,b"]
        assert time.monotonic() - begun < 300


def typed(shell: list[str], folder: Path, setup: list[str], line: str, wanted: str) -> str:
    """Type a line and Tab at a shell's own terminal, and return what that shows until it is what is wanted."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        told = {"PATH": path, "HOME": str(folder), "TERM": "dumb", "PS1": "$ ", "LANG": "C.UTF-8"}
        os.execvpe(shell[0], shell, told)  # noqa: S606
    shown = ""
    try:
        for each in [*setup, "echo rea''dy"]:
            os.write(terminal, f"{each}\n".encode())
        end = time.monotonic() + 240
        asked = False
        while wanted not in shown.partition("\nready")[2] and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 65_536).decode(errors="replace")
            if not asked and "\nready" in shown:
                os.write(terminal, f"{line}\t".encode())
                asked = True
    except OSError:  # the shell has ended: what it has shown says why
        pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    return shown.partition("\nready")[2]


SHELLS = {
    "bash": (["bash", "--norc", "-i"], ["source ./wfc.bash"]),
    "zsh": (["zsh", "-f", "-i"], ["PS1='$ '", "autoload -U compinit; compinit -u", "source ./wfc.zsh"]),
}


@pytest.mark.full
@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("wfc expl", "wfc explain "),
        ("wfc fmt --ch", "wfc fmt --check "),
        ("wfc graph --format ht", "wfc graph --format html "),
        ("wfc check spe", "wfc check specs/"),
        ("wfc test 'a folder/o", "wfc test 'a folder/orders.yaml' "),
    ],
)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_itself_completes(wfc, tmp_path: Path, shell: str, line: str, whole: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    (tmp_path / f"wfc.{shell}").write_text(wfc("completion", shell).out)
    (tmp_path / "specs").mkdir()
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder/orders.yaml").touch()
    assert whole in typed(SHELLS[shell][0], tmp_path, SHELLS[shell][1], line, whole)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_itself_completes(wfc, stored: None, tmp_path: Path) -> None:
    (tmp_path / "wfc.fish").write_text(wfc("completion", "fish").out)
    lines = ("wfc expl", "wfc fmt --ch", "wfc check spe", "wfc runs show big", "wfc tasks answer b")
    asked = ["source ./wfc.fish", *(f'complete -C "{line}"' for line in lines)]
    program = tmp_path / "bin/wfc"  # which takes its time, as a machine may have much else to do
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom wfc.compiler.cli import main, offers\n"
        "offers.PATIENCE = 240\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    path = f"{program.parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["fish", "--no-config", "-c", "\n".join(asked)],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path), "WFC_STORE": "sqlite:///runs.db"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line.split("\t") for line in done.stdout.splitlines()] == [
        ["explain", "Explain a finding's code."],
        ["--check", "Write nothing; status 1 if a file would change."],
        ["specs/"],
        ["big-one", "orders; parked"],
        ["big-one/ask_sales/2", "300 times chair; shall we?"],
    ], done.stderr
