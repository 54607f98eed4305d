"""Runs are played to their ends by processes that are killed again and again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from durable_flows import FOLDER, Flow
from judging import Judge, file_of_errors
from model_service import serving_models
from postgres_server import Server
from stores import DATABASE, KEEPERS

__all__ = ["Nursery", "keepers", "new_nursery_in", "nursery_in", "play"]

CHOSEN = os.environ.get("WFC_KEEPER", "")
"""The name of the engine that alone is put to the test; empty: all are, those on a server with the full suite."""


PATIENCE = float(os.environ.get("WFC_PATIENCE", "300"))
"""The seconds after which a process is asked what it is at."""


def keepers() -> list[Any]:
    """The parameters of a fixture that makes a nursery: the names of the engines that are put to the test."""
    if CHOSEN:
        return [CHOSEN]
    return [name if name == "sqlite" else pytest.param(name, marks=pytest.mark.full) for name in KEEPERS]


def new_nursery_in(
    folder: Path, request: pytest.FixtureRequest, **environment: str
) -> contextlib.AbstractContextManager[Nursery]:
    """A nursery for the engine that is the parameter of a fixture, with a database of its own."""
    if request.param != "sqlite":
        server: Server = request.getfixturevalue("postgres")
        (folder / DATABASE).write_text(server.new_database())
    return nursery_in(folder, request.param, **environment)


class Nursery:
    """A process that forks those that are to be killed.

    Args:
        files: What lies in its folder, by name; by itself the flows that all are killed in.
        environment: With ``WFC_FLOWS``, the names of workflows, these are loaded, and their models asked at
            ``WFC_MODELS_AT``.
    """

    def __init__(
        self, folder: Path, keeper: str = "sqlite", files: Mapping[str, str] | None = None, **environment: str
    ) -> None:
        self.folder = folder
        for name, text in (files or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        self.effects = folder / "effects.log"
        self.effects.touch()
        if files is None:
            for file in FOLDER.iterdir():
                if file.is_file():
                    shutil.copy(file, folder / file.name)
        specs = sorted(str(path) for path in folder.glob("*.yaml") if ".openapi." not in path.name)
        command = [sys.executable, "-c", "from wfc.compiler.cli import main; raise SystemExit(main())"]
        subprocess.run([*command, "compile", *specs], check=True, capture_output=True, cwd=folder)
        self.judge = Judge(folder, keeper)
        KEEPERS[keeper].open(folder).close()  # so that it is there before all others
        self._said: dict[int, Path] = {}  # where the errors of processes are, by their ids
        said = folder / "stderr.txt"
        with said.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("nursery.py")), str(folder), keeper],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=_environment(folder) | environment,
            )
        assert self._read() == "ready", said.read_text()

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ask(self, do: str, *, said_of: str = "", **command: Any) -> int:
        """Starts a process that does something, and returns its id.

        Args:
            said_of: What the file is named after in which its errors are; by itself the run, or the flows.
        """
        name = said_of or command.get("run_id") or "+".join(command["flows"])
        said = file_of_errors(self.folder, name)
        pid: int = self._send(do, stderr=str(said), **command)
        self._said[pid] = said
        return pid

    def _send(self, do: str, **command: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **command}) + "\n")
        self.process.stdin.flush()
        return json.loads(self._read())

    def wait(self, pid: int, about: str = "") -> bool:
        """Waits for the end of a process; returns whether it was killed, which is the only other way to end."""
        return self._was_killed(pid, self._send("wait", pid=pid, seconds=None), about)

    def was_killed(self, pid: int, about: str = "") -> bool | None:
        """Whether a process was killed; ``None``: it goes on."""
        status = self._send("wait", pid=pid, seconds=0)
        return None if status is None else self._was_killed(pid, status, about)

    def _was_killed(self, pid: int, status: int, about: str) -> bool:
        assert status in {0, -signal.SIGKILL}, f"{about}: {status}: {self._said[pid].read_text()[-3000:]}"
        return status != 0

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(120)


def _environment(folder: Path) -> dict[str, str]:
    here = Path(__file__).parent
    modules = os.pathsep.join(map(str, (folder, here, here.parent, here.parent / "runtime" / "core")))
    noted = str(folder / "effects.log")
    return {**os.environ, "PYTHONPATH": modules, "WFC_EFFECTS": noted, "WFC_CRASH_AT": "nowhere"}


@contextlib.contextmanager
def nursery_in(folder: Path, keeper: str = "sqlite", **environment: str) -> Iterator[Nursery]:
    """A nursery that is closed in the end."""
    with serving_models(folder / "effects.log") as url:
        environment["WFC_MODEL_URL"] = url
        with contextlib.closing(Nursery(folder, keeper, **environment)) as found:
            yield found


class People:
    """The process that does what people do in a run; it is started anew when it has died at one of its points."""

    def __init__(self, nursery: Nursery, flow: Flow, run_id: str, die_at: Sequence[int]) -> None:
        self._nursery = nursery
        self._about = {"flow": flow.name, "run_id": run_id}
        self._die_at = [*die_at]
        self.died = 0
        self._process: int | None = None
        if flow.people:
            self._start()

    def _start(self) -> None:
        point = f"posted:{self._die_at.pop(0)}" if self._die_at else ""
        self._process = self._nursery.ask("people", **self._about, point=point)

    def look(self) -> None:
        """Start the process anew if it has died."""
        if self._process is not None:
            self._go_on(self._nursery.was_killed(self._process))

    def finish(self) -> None:
        """Wait until all is done that people do."""
        while self._process is not None:
            self._go_on(self._nursery.wait(self._process, f"people of {self._about}"))

    def _go_on(self, was_killed: bool | None) -> None:
        if was_killed:
            self.died += 1
            self._start()
        elif was_killed is not None:
            self._process = None


def play(
    nursery: Nursery,
    flow: Flow,
    run_id: str,
    points: Sequence[str],
    delays: Sequence[float],
    *,
    prunes: bool = False,
    people_die_at: Sequence[int] = (),
    died: int = 0,
) -> int:
    """Runs a flow to its end, by processes that die at points or after delays; returns how many have died.

    Args:
        died: How many that had the run have died before.
    """
    about: dict[str, Any] = {"flow": flow.name, "run_id": run_id, "prunes": prunes}
    people = People(nursery, flow, run_id, people_die_at)
    plan = [*((point, 0.0) for point in points), *(("", delay) for delay in delays), ("", 0.0)]
    for point, delay in plan:
        pid = nursery.ask("run", **about, point=point)
        if delay:
            time.sleep(delay)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        said, until = f"{run_id} {point} {delay}", time.monotonic() + PATIENCE
        while (was_killed := nursery.was_killed(pid, said)) is None:
            people.look()
            time.sleep(0.01)
            if time.monotonic() > until:
                was_killed = nursery.wait(pid, said)
                break
        died += was_killed
    people.finish()
    died += people.died
    if flow.people:  # who had the run for a while may have been the last that had it
        nursery.wait(nursery.ask("run", **about, point=""), run_id)
    if flow.parts:  # what was left over when a process died is for workers
        nursery.wait(nursery.ask("work", flows=[flow.name, *flow.parts], said_of=run_id), run_id)
    nursery.judge.judge(flow, run_id, died)
    return died
