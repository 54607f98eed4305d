"""What goes wrong besides deaths: processes that stand still, full disks, locks, clocks, loss of power, poison."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from durable_flows import FLOWS, NAPPING, Flow, workflow_of
from effects import HELD_AT
from judging import file_of_errors
from playing import Nursery, keepers, new_nursery_in, nursery_in, play

from wfc.runtime import Engine
from wfc.runtime.driver.messages import EventData
from wfc.runtime.errors import (
    InvalidAnswerError,
    RunEndedError,
    RunUnknownError,
    StoreError,
    UnknownQuestionError,
)
from wfc.runtime.store.sql.claiming import MOST_RECOVERIES

LEASE = 2.0
"""The seconds after which a process counts as dead that gives no sign of life, in the test of one that stands still."""

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", params=keepers())
def nursery(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with new_nursery_in(tmp_path_factory.mktemp("faults"), request, WFC_GRACE="0.1") as found:
        yield found


@pytest.fixture(params=keepers())
def impatient(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Nursery]:
    """A nursery with short leases, which a slow disk may outlast: a process that lives is taken for dead."""
    with new_nursery_in(tmp_path, request, WFC_LEASE=str(LEASE), WFC_GRACE="0.1") as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """A nursery whose store is a file: what can go wrong with that is its own."""
    with nursery_in(tmp_path_factory.mktemp("file")) as found:
        yield found


def enqueue(nursery: Nursery, flow: str, run_id: str) -> None:
    assert not nursery.wait(nursery.ask("enqueue", flow=flow, run_id=run_id))


def wait_for_calls(nursery: Nursery, run_id: str, most: int) -> None:
    """Waits until a run has made so many calls."""
    until = time.monotonic() + 300
    while len(nursery.judge.noted("effects", run_id)) < most:
        assert time.monotonic() < until
        time.sleep(0.01)


def is_over(nursery: Nursery, run_id: str) -> bool:
    with contextlib.closing(nursery.judge.keeper.open(nursery.folder)) as engine:
        return any(row.run_id == run_id and row.ended is not None for row in engine.list_runs())


def is_locked(nursery: Nursery) -> bool:
    """Whether a process is just writing to the file; on a server nobody waits for one that stands still."""
    if not (nursery.folder / "runs.db").exists():
        return False
    with contextlib.closing(
        sqlite3.connect(nursery.folder / "runs.db", timeout=0.2, isolation_level=None)
    ) as file:
        try:
            file.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        file.execute("ROLLBACK")
    return False


def test_who_stood_still_writes_no_more_on_what_was_taken_over_and_goes_on_with_the_rest(
    impatient: Nursery,
) -> None:
    nursery = impatient
    for run_id in ("taken", "left"):
        enqueue(nursery, "long", run_id)
    held = Path(f"{nursery.effects}.held")
    held.touch()
    stopped = nursery.ask("work", flows=["long"])
    for run_id in ("taken", "left"):
        wait_for_calls(nursery, run_id, 2 * HELD_AT + 1)  # the last has just begun
    os.kill(stopped, signal.SIGSTOP)
    while is_locked(nursery):  # it must not be stopped just while it commits
        os.kill(stopped, signal.SIGCONT)
        time.sleep(0.2)
        os.kill(stopped, signal.SIGSTOP)
    held.unlink()
    time.sleep(3 * LEASE)
    before = len(nursery.judge.noted("effects", "taken"))
    other = nursery.ask("run", flow="long", run_id="taken", prunes=True)
    wait_for_calls(nursery, "taken", before + 6)
    os.kill(stopped, signal.SIGCONT)
    assert not nursery.wait(other)
    assert not nursery.wait(stopped)
    nursery.judge.judge(
        NAPPING._replace(in_order=False), "taken", 1
    )  # it may have begun what was just recorded
    nursery.judge.judge(NAPPING, "left", 0)
    with contextlib.closing(nursery.judge.keeper.open(nursery.folder)) as engine:
        assert "recovered" not in {tick.kind for tick in engine.history("left")}


def test_a_run_that_kills_its_process_does_not_hold_up_others(nursery: Nursery) -> None:
    enqueue(nursery, "poison", "poison")
    others = [FLOWS[name] for name in ("loop", "fan", "again")]
    for flow in others:
        enqueue(nursery, flow.name, f"beside-{flow.name}")
    died = 0
    while nursery.wait(nursery.ask("work", flows=["poison", *(flow.name for flow in others)])):
        died += 1
        assert died <= MOST_RECOVERIES + 1
    for flow in others:
        nursery.judge.judge(flow, f"beside-{flow.name}", died)
    with contextlib.closing(nursery.judge.keeper.open(nursery.folder)) as engine:
        assert engine.show("poison").status == "dead"
    calls = nursery.judge.noted("effects", "poison")
    assert len(calls) == died == MOST_RECOVERIES + 1
    assert len({one["key"] for one in calls}) == 1


def test_where_the_disk_is_full_a_run_goes_on_when_there_is_room_again(file: Nursery) -> None:
    flow = FLOWS["loop"]
    with contextlib.closing(sqlite3.connect(file.folder / "runs.db", isolation_level=None)) as connection:
        connection.execute("VACUUM")  # so that no page is free
    for number in range(50):  # until one does not find a page that is half empty
        run_id = f"full-{number}"
        assert not file.wait(file.ask("run", flow="loop", run_id=run_id, pages=0))
        if not is_over(file, run_id):
            break
    else:
        raise AssertionError("the disk was never full")
    file_of_errors(file.folder, run_id).unlink(missing_ok=True)  # which may tell of it
    assert not file.wait(file.ask("run", flow="loop", run_id=run_id))
    file.judge.judge(flow, run_id, 1)


@pytest.mark.parametrize("seconds", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_a_lock_of_another_program_holds_runs_up_and_does_no_harm(file: Nursery, seconds: int) -> None:
    pid = file.ask("run", flow="long", run_id=f"locked-{seconds}")
    wait_for_calls(file, f"locked-{seconds}", 4)
    with contextlib.closing(sqlite3.connect(file.folder / "runs.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.execute("ROLLBACK")
    assert not file.wait(pid)
    file.judge.judge(NAPPING, f"locked-{seconds}", 0)


@pytest.mark.parametrize(
    "flow", [FLOWS["batch"], FLOWS["late"], FLOWS["again"]], ids=["batch", "late", "again"]
)
def test_a_clock_may_be_an_hour_ahead_and_behind(nursery: Nursery, flow: Flow) -> None:
    """Nothing waits for an hour, and time does not go back."""
    run_id, died = f"clock-{flow.name}", 0
    began = time.monotonic()
    for clock, point in (
        (0, "committed:4"),
        (3600, "committed:3"),
        (-3600, "committed:5"),
        (3600, ""),
        (0, ""),
    ):
        died += nursery.wait(nursery.ask("run", flow=flow.name, run_id=run_id, clock=clock, point=point))
    assert time.monotonic() - began < 3000  # less than it is ahead
    nursery.judge.judge(flow, run_id, died, moved_clock=True)


def test_two_processes_share_a_file_and_one_dies(nursery: Nursery) -> None:
    flows = [FLOWS[name] for name in ("loop", "batch", "fan", "quorum", "again", "budget")]
    for flow in flows:
        enqueue(nursery, flow.name, f"shared-{flow.name}")
    names = [flow.name for flow in flows]
    one, two = (nursery.ask("work", flows=names) for _ in range(2))
    time.sleep(0.3)
    os.kill(one, signal.SIGKILL)
    died = (
        int(nursery.wait(one)) + int(nursery.wait(two)) + int(nursery.wait(nursery.ask("work", flows=names)))
    )
    for flow in flows:
        nursery.judge.judge(flow, f"shared-{flow.name}", died)


# --- people


async def refused(call: Any, *errors: type[Exception]) -> None:
    with pytest.raises(errors):
        await call


def test_what_people_say_too_early_wrongly_twice_and_too_late(nursery: Nursery) -> None:
    async def before() -> None:
        engine = opened(nursery, "mail", "ask")
        await refused(engine.post("odd-mail", EventData("Said", {"n": 1})), RunUnknownError)
        await refused(engine.answer("odd-ask/ask/2", {}, by="user:ann"), UnknownQuestionError)
        for flow in ("mail", "ask"):
            workflow = engine.workflow(flow)
            await engine.enqueue(workflow, workflow._wfc.plan.start_class(n=0), f"odd-{flow}")
        for n in (1, 2, 1, 2):  # nobody has the run, which has not even begun
            await engine.post("odd-mail", EventData("Said", {"n": n}), message_id=f"message-{n}")
        engine.close()

    async def after() -> None:
        engine = opened(nursery, "mail", "ask")
        await refused(engine.post("odd-mail", EventData("Said", {"n": 9})), RunEndedError)
        ticks = len(engine.history("odd-ask"))
        task = engine.tasks(run_id="odd-ask")[0].task_id
        for wrong in ({"n": "many", "note": ""}, {"n": 41}, "yes", None):
            await refused(engine.answer(task, wrong, by="user:ann"), InvalidAnswerError)
        assert len(engine.history("odd-ask")) == ticks, "an answer that is refused changes nothing"
        handler = await engine.answer(task, {"n": 41, "note": "yes"}, by="user:ann")
        assert handler is not None
        await handler
        assert await engine.answer(task, {"n": 41, "note": "yes"}, by="user:ann") is None
        await refused(engine.answer(task, {"n": 41, "note": "yes"}, by="user:bob"), InvalidAnswerError)
        engine.close()

    asyncio.run(before())
    mail = nursery.ask("run", flow="mail", run_id="odd-mail")
    people = nursery.ask("people", flow="mail", run_id="odd-mail")
    assert not nursery.wait(people)
    assert not nursery.wait(mail)
    assert not nursery.wait(nursery.ask("work", flows=["ask"]))
    asyncio.run(after())
    nursery.judge.judge(FLOWS["mail"], "odd-mail", 0)
    nursery.judge.judge(FLOWS["ask"], "odd-ask", 0)


def opened(nursery: Nursery, *flows: str) -> Engine:
    os.environ["WFC_EFFECTS"] = str(nursery.effects)
    engine = nursery.judge.keeper.open(nursery.folder)
    for flow in flows:
        engine.add(workflow_of(nursery.folder, flow, engine))
    return engine


def test_a_parked_run_finds_another_module(nursery: Nursery, tmp_path: Path) -> None:
    """One with the same steps takes it up; one with others is refused, and the run waits for what it began with."""
    enqueue(nursery, "ask", "module")
    assert not nursery.wait(nursery.ask("work", flows=["ask"]))
    text = (nursery.folder / "ask.yaml").read_text()
    changes = {"other": text.replace("  after:", "  afterwards:"), "same": f"# new\n{text}"}
    for name, changed in changes.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ask.yaml").write_text(changed)
        for file in ("effects.py", "wfc.toml"):
            shutil.copy(nursery.folder / file, folder)
        command = "from wfc.compiler.cli import main; raise SystemExit(main())"
        subprocess.run(
            [sys.executable, "-c", command, "compile", "ask.yaml"],
            check=True,
            cwd=folder,
            capture_output=True,
        )

    async def answer(folder: Path) -> Any:
        engine = nursery.judge.keeper.open(nursery.folder)
        engine.add(workflow_of(folder, "ask", engine))
        try:
            handler = await engine.answer("module/ask/2", {"n": 41, "note": "yes"}, by="user:ann")
            assert handler is not None
            return await handler
        finally:
            engine.close()

    os.environ["WFC_EFFECTS"] = str(nursery.effects)
    with pytest.raises(StoreError, match="other steps"):
        asyncio.run(answer(tmp_path / "other"))
    assert asyncio.run(answer(tmp_path / "same")).n == 42
    nursery.judge.judge(FLOWS["ask"], "module", 0)


def test_a_reader_that_reconnects_sees_each_tick_once(nursery: Nursery) -> None:
    chance = random.Random("reader")  # noqa: S311 - the same each time
    flow, run_id, seen = FLOWS["loop"], "read", list[int]()

    async def read() -> None:
        is_over = False
        while not is_over:
            engine = opened(nursery, "loop")
            left = chance.randint(1, 6)
            try:
                is_over = True
                async for told in engine.follow(run_id, since=seen[-1] if seen else 0):
                    seen.append(told.seq)
                    left -= 1
                    if not left:
                        is_over = False
                        break
            except RunUnknownError:
                is_over = False
                await asyncio.sleep(0.01)
            engine.close()

    async def main() -> None:
        delays = [chance.uniform(0.05, 0.3) for _ in range(5)]
        await asyncio.gather(read(), asyncio.to_thread(play, nursery, flow, run_id, ["commit:3"], delays))

    asyncio.run(main())
    with contextlib.closing(nursery.judge.keeper.open(nursery.folder)) as engine:
        assert seen == [tick.seq for tick in engine.history(run_id)]


# --- loss of power, and much


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Nursery, Path]]:
    """A nursery whose processes keep a copy of each file of the store whenever it was synced."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("power")
    source, library, copies = (
        Path(__file__).with_name("synced_copies.c"),
        folder / "copies.so",
        folder / "copies",
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    copies.mkdir()
    with nursery_in(folder, LD_PRELOAD=str(library), WFC_SYNCED_COPIES=str(copies)) as found:
        yield found, copies


@pytest.fixture
def copying(copied: tuple[Nursery, Path]) -> tuple[Nursery, Path]:
    """The same, its copies begun anew: others, who kept none, may have changed the files since."""
    nursery, copies = copied
    for path in copies.iterdir():
        path.unlink()
    for path in nursery.folder.glob("runs.db*"):
        if path.is_file() and not path.name.endswith("-shm"):
            shutil.copy(path, copies / f"0-{path.name}")
    return copied


def lose_power(nursery: Nursery, copies: Path, chance: random.Random | None = None) -> None:
    """Puts the files back to what was synced: at last, or at a random earlier moment, after which nothing was."""
    every = sorted(path for path in copies.iterdir() if not path.name.endswith(".unfinished"))
    if chance is not None:
        kept = chance.randint(1, len(every))
        for path in every[kept:]:
            path.unlink()
        every = every[:kept]
    for path in nursery.folder.glob("runs.db*"):
        if path.is_file():
            path.unlink()
    for path in every:  # the last copy of each counts
        shutil.copy(path, nursery.folder / path.name.partition("-")[2])


@pytest.mark.parametrize(
    "flow", [FLOWS[name] for name in ("loop", "batch", "whole")], ids=lambda flow: flow.name
)
def test_a_loss_of_power_loses_nothing_that_was_acted_on(copying: tuple[Nursery, Path], flow: Flow) -> None:
    nursery, copies = copying
    chance, run_id, died = random.Random(flow.name), f"power-{flow.name}", 0  # noqa: S311 - the same each time
    for _ in range(4):
        pid = nursery.ask("run", flow=flow.name, run_id=run_id)
        time.sleep(chance.uniform(0.05, 0.3))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        died += nursery.wait(pid)
        lose_power(nursery, copies)
    assert not nursery.wait(nursery.ask("run", flow=flow.name, run_id=run_id))
    nursery.judge.judge(flow, run_id, died)


@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_files_as_of_an_earlier_sync_are_whole_and_their_runs_end(
    copying: tuple[Nursery, Path], seed: int
) -> None:
    nursery, copies = copying
    chance, run_id, flow = random.Random(seed), f"earlier-{seed}", FLOWS["loop"]  # noqa: S311
    for _ in range(10 if seed == 3 else 3):
        pid = nursery.ask("run", flow=flow.name, run_id=run_id)
        time.sleep(chance.uniform(0.05, 0.4))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        nursery.wait(pid)
        lose_power(nursery, copies, chance)
    assert not nursery.wait(nursery.ask("run", flow=flow.name, run_id=run_id))
    with contextlib.closing(opened(nursery, "loop")) as engine:
        assert engine.outcome(run_id).model_dump() == flow.end
        assert engine.store.problems() == []
        ticks = engine.history(run_id)
    assert [tick.seq for tick in ticks] == list(range(1, len(ticks) + 1))


@pytest.mark.slow
def test_a_map_of_ten_thousand_items_is_killed(tmp_path: Path) -> None:
    numbers = list(range(10_000))
    with nursery_in(tmp_path, WFC_FOLDS="0") as nursery:
        died, about = 0, {"flow": "many", "run_id": "many", "inputs": {"numbers": numbers}}
        for seconds in (2, 3, 4):
            pid = nursery.ask("run", **about)
            time.sleep(seconds)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            died += nursery.wait(pid)
        assert not nursery.wait(nursery.ask("run", **about))
        calls = [one["n"] for one in nursery.judge.noted("effects", "many")]
        assert set(calls) == set(numbers)
        assert len(calls) <= len(numbers) + died * 20
        with contextlib.closing(opened(nursery, "many")) as engine:
            assert engine.outcome("many").model_dump() == {"n": 10_000, "sum": sum(numbers)}
            assert engine.store.problems() == []
