"""The page that leads from a laptop to three machines is followed, command by command, by real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "durable.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = "postgresql://wfc@db.example.com:5432/runs"


class Terminal:
    """A shell in which the reader of the page works; what appears in it is in a file.

    Args:
        home: The folder in which it begins.
    """

    def __init__(self, home: Path) -> None:
        self.seen = home / "seen.txt"
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        unset = {"WFC_STORE", "WFC_CRASH_AT"}
        environment = {
            **{name: value for name, value in os.environ.items() if name not in unset},
            "PATH": programs,
        }
        with self.seen.open("w") as seen:
            self.shell = subprocess.Popen(
                ["bash"],
                stdin=subprocess.PIPE,
                stdout=seen,
                stderr=seen,
                cwd=home,
                env=environment,
                text=True,
                start_new_session=True,
            )
        self.enter("set -m")

    def enter(self, command: str) -> str:
        """Enter a command, wait until it has ended or goes on in the background; return what has appeared."""
        assert self.shell.stdin is not None
        before = len(self.seen.read_text())
        self.shell.stdin.write(f"{command} </dev/null\n" if command.startswith("wfc") else f"{command}\n")
        self.shell.stdin.write('echo "ended with $?"\n')
        self.shell.stdin.flush()
        self.wait_for(lambda: "ended with " in self.seen.read_text()[before:], command)
        return self.seen.read_text()[before:]

    def wait_to_see(self, text: str, times: int = 1) -> None:
        self.wait_for(lambda: self.seen.read_text().count(text) >= times, text)

    def wait_for(self, holds: Callable[[], object], what: str) -> None:
        end = time.monotonic() + 300  # a machine may have much else to do
        while not holds():
            assert time.monotonic() < end, f"{what}\n{self.seen.read_text()}"
            time.sleep(0.05)

    def close(self) -> None:
        """End the shell, with all that was started in it and still runs."""
        assert self.shell.stdin is not None
        self.shell.stdin.write("kill -9 $(jobs -p)\nwait\nexit\n")
        self.shell.stdin.close()
        try:
            self.shell.wait(120)
        except subprocess.TimeoutExpired:
            os.killpg(self.shell.pid, signal.SIGKILL)
            raise


def commands() -> list[str]:
    shown = [
        text for language, text in FENCE.findall(PAGE.read_text(encoding="utf-8")) if language == "console"
    ]
    return [line.removeprefix("$ ") for text in shown for line in text.splitlines()]


def write_files(folder: Path) -> None:
    """Write the files that the page shows."""
    shown = dict(reversed(FENCE.findall(PAGE.read_text(encoding="utf-8"))))
    (folder / "mailing.yaml").write_text(shown["yaml"], encoding="utf-8")
    (folder / "post.py").write_text(shown["python"], encoding="utf-8")


def test_the_page_shows_what_is_executed() -> None:
    given = commands()
    assert sum(command.startswith("kill -9 ") for command in given) == 3
    assert f"export WFC_STORE={ADDRESS}" in given
    assert [command for command in given if command.startswith("pip ")] == [
        "pip install 'wfc-workflows[dbos]'"
    ]


@pytest.mark.full
def test_who_follows_the_page_comes_to_its_end(tmp_path: Path, database: str) -> None:
    write_files(tmp_path)
    terminal = Terminal(tmp_path)
    sent = [tmp_path / folder / "sent.txt" for folder in (".", "machine1", "machine2", "machine3")]

    def letters(subject: str) -> Counter[int]:
        lines = [line.split() for file in sent if file.exists() for line in file.read_text().splitlines()]
        return Counter(int(number) for number, about, _ in lines if about == subject)

    workers = 0
    try:
        told: dict[str, str] = {}
        for command in commands():
            if command.startswith("pip "):
                continue  # what it installs is here
            if command.startswith(
                "kill "
            ):  # when the one before it has been replaced, and the run goes on, or is over
                wanted = min(len(letters("coffee")) + 2, 20)
                terminal.wait_for(lambda wanted=wanted: len(letters("coffee")) >= wanted, command)
            if "wfc worker" in command:
                workers += 1
            elif workers and command == "wfc tasks list":
                terminal.wait_to_see("coffee  mailing  rests")
            elif command == "wfc runs show coffee":
                terminal.wait_to_see("the run is done")
            told[command] = terminal.enter(command.replace(ADDRESS, database))
            terminal.wait_to_see("working on ", workers)
        all_told = terminal.seen.read_text()
    finally:
        terminal.close()
    first = told["wfc run mailing.yaml -i subject=tea -i letters=3 --run-id tea"]
    assert "rests in" in first and "ended with 3" in first
    assert "tea/approve/1" in told["wfc tasks list"] or "coffee/approve/1" in told["wfc tasks list"]
    assert json.dumps({"event": "MailingSent", "with": {"letters": 3}}) in all_told
    assert letters("tea") == dict.fromkeys(range(1, 4), 1)
    assert set(letters("coffee")) == set(range(1, 21)), "no letter is lost"
    assert letters("coffee").total() <= 20 + 3, "only what was under way at a kill is sent again"
    assert_all_was_shown(all_told)
    assert "status: done" in told["wfc runs show coffee"]
    assert "refused" not in all_told and "Traceback" not in all_told


def assert_all_was_shown(told: str) -> None:
    """What `follow` showed has no gap and no repeat: each letter was passed on once, in order of the ticks."""
    ticks = [int(found) for found in re.findall(r"^ +(\d+)  \d{4}-", told, re.MULTILINE)]
    assert ticks == sorted(ticks)
    passed_on = re.findall(r"^ +(\d+)  \S+ \S+  send -> (\w+)$", told, re.MULTILINE)
    assert len({tick for tick, _ in passed_on}) == len(passed_on)
    assert [name for _, name in passed_on] == ["LetterDue"] * 19 + ["MailingSent"]
