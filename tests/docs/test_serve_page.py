"""The page on serving is followed, command by command: to an answer by a link, and to three workers on PostgreSQL."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_ports import kept_port

pytestmark = pytest.mark.full

PAGE = Path(__file__).parent.parent.parent / "docs" / "serve.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = "postgresql://wfc@db.example/runs"
SHOWN_PORT = "8470"
TOKEN = "WyI5NTBi"
"""With this the token of the page's link begins."""


def blocks(language: str, heading: str) -> list[str]:
    """Return the blocks of a language under a heading of the page."""
    part = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [text for found, text in FENCE.findall(part) if found == language]


def shown(heading: str) -> list[tuple[str, str]]:
    """Return the commands under a heading, each with what the page says that it prints."""
    text = "".join(blocks("console", heading)).replace("\\\n", "")
    return [
        (command.partition("  #")[0].strip(), told)
        for command, _, told in (one.partition("\n") for one in text.split("$ ")[1:])
    ]


def fits(told: str, page: str) -> bool:
    """Return whether something was printed as the page shows it, where an ellipsis stands for anything."""
    return re.search(".*".join(map(re.escape, page.strip().split("…"))), told, re.DOTALL) is not None


class Reader:
    """Who follows the page in a shell: servers and workers in the background, everything else until it ends."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = str(kept_port())
        self.exports: dict[str, str] = {}
        self.background: list[tuple[subprocess.Popen[bytes], Path]] = []
        self.run = ""

    def enter(self, command: str) -> str:
        """Enter a command of the page with one's own port, token and run; return what it has printed, if it ends."""
        command = command.replace(SHOWN_PORT, self.port).replace("950b…", self.run)
        if "Bearer …" in command:
            command = command.replace("Bearer …", f"Bearer {(self.home / '.wfc/server.token').read_text()}")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, **self.exports}
        if command.startswith(("wfc serve", "wfc worker")):
            words = f"{command} --port {self.port}" if "serve" in command else command
            seen = self.home / f"seen{len(self.background)}.txt"
            with seen.open("wb") as file:
                started = subprocess.Popen(
                    words.split(), cwd=self.home, env=environment, stdout=file, stderr=file
                )
            self.background.append((started, seen))
            self.wait_for(lambda: re.search("at http|working on", seen.read_text()), seen)
            return seen.read_text()
        done = subprocess.run(
            ["bash", "-c", command],
            check=False,
            cwd=self.home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        if found := re.match(r'{"run":"(\w+)"', done.stdout):
            self.run = found[1]
        return done.stdout

    def wait_for(self, holds: Callable[[], object], seen: Path) -> None:
        end = time.monotonic() + 300
        while not holds():
            assert time.monotonic() < end, seen.read_text()
            time.sleep(0.05)

    def end(self) -> None:
        """End what is in the background."""
        for one, _ in self.background:
            one.terminate()
        for one, _ in self.background:
            one.wait(120)
        self.background.clear()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    (spec,) = blocks("yaml", "From nothing to an answer")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/refund.yaml").write_text(spec, encoding="utf-8")
    found = Reader(tmp_path)
    yield found
    for one, _ in found.background:
        one.kill()
        one.wait()


def answer(browser: Any, link: str) -> None:
    """Answer a question behind a link as somebody does who has no token, in a browser of one's own."""
    eve = browser.new_context()
    eve.set_default_timeout(180_000)  # a machine may have much else to do
    page = eve.new_page()
    page.goto(link)
    page.get_by_role("heading", name="Pay back 250 for order A-17?").wait_for()
    page.get_by_label("Granted").check()
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("Your answer is recorded").wait_for()
    eve.close()


LOOK = 'curl -s -H "Authorization: Bearer …" "http://127.0.0.1:8470/v1/runs/950b…?wait=20"'


def follow_to_the_end(reader: Reader, browser: Any | None) -> None:
    """Start a run, let it be answered by a link, and see its end, as the page does.

    Args:
        browser: In which the link is opened; else the answer is given by ``curl``, with the link's token.
    """
    token = ""
    for command, page in shown("From nothing to an answer"):
        is_answer = '"answer"' in command
        if not command.startswith("curl") or (is_answer and (browser or "Link" not in command)):
            continue
        told = reader.enter(command.replace("WyI5NTBi…", token))
        wanted = page.replace("950b…", reader.run).replace(SHOWN_PORT, reader.port).replace(TOKEN, "")
        for _ in range(30):  # on a busy machine a run may go on for longer than the page waits
            if fits(told, wanted) or '"status"' not in wanted:
                break
            told = reader.enter(LOOK)
        assert fits(told, wanted), f"{told}\n{wanted}"
        if found := re.match(r'{"link":"([^"]+)","token":"([^"]+)"', told):
            token = found[2]
            if browser:
                answer(browser, found[1])


def test_the_page_leads_from_nothing_to_an_answer_by_a_link(reader: Reader, browser: Any) -> None:
    install, (serve, told) = shown("From nothing to an answer")[:2]
    assert install[0] == 'pip install "wfc-workflows[server]"'
    printed = reader.enter(serve)
    wanted = told.replace(SHOWN_PORT, reader.port).splitlines()[:3]  # the fourth line is for a terminal
    assert all(fits(printed, line) for line in wanted), printed
    follow_to_the_end(reader, browser)


def test_the_page_leads_to_three_workers_on_postgresql(reader: Reader, browser: Any, database: str) -> None:
    commands = [command for command, _ in shown("To three workers on PostgreSQL")]
    assert commands[0] == 'pip install "wfc-workflows[server,dbos]"'
    for command in commands[1:]:
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            assert value in {ADDRESS, "…"}
            reader.exports[name] = database if value == ADDRESS else "k" * 40
            continue
        for _ in range(3 if "worker" in command else 1):
            reader.enter(command)
    assert len(reader.background) == 4
    follow_to_the_end(reader, browser)
    reader.background[1][0].kill()  # one of the three; the others have what comes next
    follow_to_the_end(reader, None)
    reader.end()
