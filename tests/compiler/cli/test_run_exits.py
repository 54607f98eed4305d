"""``wfc run`` of runs that go on by exits of their own: what is told, the exit status, and interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TRIP = """\
wfc: 1
workflow: trip
start: Wanted
end: [Booked, Dropped]
on_error: {event: Undo, with: {why: "${{ error.step | default('no step') }}"}}
on_cancel: {event: Undo, with: {why: cancelled}}
events:
  Wanted: {how: string}
  Undo: {why: string}
  Booked: {}
  Dropped: {why: string}
tools:
  book: {python: "trip_tools:book", args: {how: string}}
  undo: {python: "trip_tools:undo", args: {why: string}, output: string}
steps:
  book: {kind: tool, accepts: Wanted, tool: book, with: {how: "${{ event.how }}"}, emit: Booked}
  undo:
    kind: tool
    accepts: Undo
    tool: undo
    with: {why: "${{ event.why }}"}
    emit: {event: Dropped, with: {why: "${{ result }}"}}
"""
UNDOING = 'await asyncio.sleep(float(os.environ.get("TAKES", "0.1")))'
TOOLS = """\
import asyncio
import os
from pathlib import Path

async def book(how: str) -> None:
    if how == "slow":
        await asyncio.sleep(60)
    raise ConnectionError("nobody is there")

async def undo(why: str) -> str:
    UNDOING
    Path(__file__).with_name("undone").write_text(why)
    return why
""".replace("UNDOING", UNDOING)
ABOVE = """\
wfc: 1
workflow: above
start: Asked
end: [Done, Late]
deadline: 3 s
on_deadline: Late
events: {Asked: {}, Done: {}, Late: {}}
steps:
  call:
    kind: workflow
    accepts: Asked
    workflow: trip
    with: {how: slow}
    emit: [{event: Done, when: result is Booked}, Late]
"""


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    (tmp_path / "trip.yaml").write_text(TRIP)
    (tmp_path / "above.yaml").write_text(ABOVE)
    (tmp_path / "trip_tools.py").write_text(TOOLS)
    return tmp_path


def test_the_exit_that_a_run_takes_is_told_and_summed_up(wfc: Any, trip: Path) -> None:
    done = wfc("run", "trip.yaml", "-i", "how=badly")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Dropped", "with": {"why": "book"}}
    assert "the run, by its on_error: connection of book is taken -> Undo: " in done.err
    assert "on the way the run, by its on_error, took connection of book -> Undo" in done.err.splitlines()[-1]


@pytest.mark.full
def test_parts_that_were_cancelled_finish_what_they_undo(wfc: Any, trip: Path) -> None:
    done = wfc("run", "above.yaml")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Late", "with": {}}
    assert (trip / "undone").read_text() == "cancelled"
    assert "cancelled parts of the run finish what belongs to their end: " in done.err


def test_a_part_that_fails_to_undo_is_told(wfc: Any, trip: Path) -> None:
    (trip / "trip_tools.py").write_text(TOOLS.replace(UNDOING, 'raise OSError("no disk")'))
    for name in ("trip.yaml", "above.yaml"):  # one process has one workflow of a name
        text = (trip / name).read_text()
        (trip / name).write_text(text.replace("workflow: trip", "workflow: bad_trip"))
    done = wfc("run", "above.yaml")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Late", "with": {}}
    assert (
        "/call/1 has not finished it: step `undo` failed on Undo, " in done.err
        and "OSError: no disk" in done.err
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("times", [pytest.param(1, marks=pytest.mark.full), 2])
def test_an_interrupted_run_goes_by_its_exit_and_a_second_interrupt_ends_it(trip: Path, times: int) -> None:
    # who runs the tests in the background has told its children to ignore interrupts
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from wfc.compiler.cli import main; sys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "run", "trip.yaml", "-i", "how=slow"],
        cwd=trip,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TAKES": "1" if times == 1 else "600"},  # the second comes while it goes on
    ) as process:
        assert process.stderr is not None
        for word in ("book: started", "undo: started")[:times]:
            assert any(word in line for line in process.stderr)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert (trip / "undone").exists() == (times == 1)
