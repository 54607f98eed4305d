"""``wfc worker SPEC`` starts runs by schedules and topics: one for each moment and message, whoever looks and dies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.programs import load_program
from wfc.runtime import Engine
from wfc.runtime.driver.engine.starting import TriggerStarter
from wfc.runtime.driver.messages import EventData
from wfc.runtime.errors import RunLostError, WorkflowError

SPEC = """\
wfc: 1
workflow: report
start: Wanted
end: Made
receives: {Price: {topic: prices}}
events:
  Wanted: {about: string, moment: {type: optional datetime}}
  Waits: {}
  Price: {amount: integer}
  Made: {text: string}
config: {where: {type: string, default: here}}
triggers:
  mornings:
    cron: "30 2 * * *"
    zone: Europe/Berlin
    missed: MISSED
    with: {about: "${{ config.where }} ${{ trigger.name }}", moment: "${{ trigger.due }}"}
  wanted:
    topic: wanted
    with: {about: "${{ trigger.body.about }}"}
  words:
    topic: words
    body: list of string
    with: {about: "${{ trigger.body | join('+') }}"}
steps:
  look:
    kind: transform
    accepts: Wanted
    emit:
      - {event: Waits, when: event.about == "price"}
      - {event: Made, with: {text: "${{ event.about }}"}}
  hear:
    kind: wait
    accepts: Waits
    event: Price
    within: 30d
    on_timeout: {event: Made, with: {text: nothing}}
    emit: {event: Made, with: {text: "for ${{ result.amount }}"}}
"""

BY_THE_CLOCK = SPEC.replace("MISSED", "skip").replace("30 2 * * *", "30 2 29 2 *")
"""For the machine's own clock: due on a day on which hardly ever a test is at work."""


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000_000


@pytest.fixture
def starter(
    store: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[tuple[str, str]]]:
    """Looks for what is due at moments, each time in a process's place of its own; gives the runs that are there."""
    monkeypatch.chdir(tmp_path)

    def call(
        missed: str, *moments: str, sends: Callable[[Engine], Any] | None = None, spec: str = SPEC
    ) -> list[tuple[str, str]]:
        Path("report.yaml").write_text(spec.replace("MISSED", missed))
        for moment in moments:
            engine = Engine(store=store)
            program = load_program("report.yaml")
            assert program is not None
            notes: list[str] = []
            made = [program.workflow(engine=engine)]
            looks = TriggerStarter(engine, made, notes.append, clock=lambda moment=moment: at(moment))  # type: ignore[misc]

            async def main(engine: Engine = engine, looks: TriggerStarter = looks) -> None:
                await looks.look()
                if sends is not None:
                    await sends(engine)
                    await looks.look()

            asyncio.run(main())
            rows = engine.list_runs()
            found = []
            for row in sorted(rows, key=lambda row: row.run_id):
                start = engine.store.described(row.run_id)
                assert start is not None
                found.append((row.run_id, json.loads(start.start)["event"][-1]["about"]))
            engine.close()
            assert not notes or sends is not None
            call.notes = notes  # type: ignore[attr-defined]
        return found

    return call


def runs(found: list[tuple[str, str]]) -> list[str]:
    return [run_id.removeprefix("report-mornings-") for run_id, _ in found]


async def sent(engine: Engine, topic: str, fields: Any, message_id: str | None = None) -> bool:
    kept = await engine.keep_for_topic(topic, EventData("Wanted", fields), message_id)
    assert kept is not None
    return kept[1]


def test_what_was_due_before_anybody_looked_is_not_started(starter: Any) -> None:
    assert starter("all", "2026-01-10T12:00:00+00:00") == []


def test_a_moment_starts_one_run_with_its_fields(starter: Any) -> None:
    found = starter(
        "skip", "2026-01-10T01:29:59+00:00", "2026-01-10T01:30:00+00:00", "2026-01-10T01:30:40+00:00"
    )
    assert found == [("report-mornings-20260110T013000Z", "here mornings")]


@pytest.mark.parametrize(
    ("missed", "expected"),
    [
        ("skip", []),
        ("once", ["20260113T013000Z"]),
        ("all", ["20260111T013000Z", "20260112T013000Z", "20260113T013000Z"]),
    ],
)
def test_missed_moments_are_made_up_for_as_the_spec_says(
    starter: Any, missed: str, expected: list[str]
) -> None:
    found = starter(
        missed, "2026-01-10T12:00:00+00:00", "2026-01-13T12:00:00+00:00", "2026-01-13T12:00:01+00:00"
    )
    assert runs(found) == expected


JUMPS = {
    "back, and there again": (
        "10T01:29:59 10T01:30:10 10T00:30:00 10T01:30:10",
        {"skip": ["10"], "all": ["10"]},
    ),
    "a day back, and through all of it again": (
        "10T12:00:00 11T01:30:05 10T01:29:59 10T01:30:05 11T01:30:10 12T01:30:00",
        {"skip": ["11", "12"], "all": ["11", "12"]},
    ),
    "a day ahead, and back": (
        "10T01:00:00 11T01:30:10 10T01:30:10 11T01:30:20",
        {"skip": ["11"], "all": ["10", "11"]},
    ),
    "to and fro, as of two machines that do not agree": (
        "10T01:25:00 10T01:30:20 10T01:26:00 10T01:31:00 10T01:30:10 10T01:32:00",
        {"skip": ["10"], "all": ["10"]},
    ),
}


@pytest.mark.parametrize("missed", ["skip", "all"])
@pytest.mark.parametrize("jumps", JUMPS)
def test_a_clock_that_jumps_starts_nothing_twice(starter: Any, jumps: str, missed: str) -> None:
    """Each look is by a process of its own; what a jump ahead has passed over is missed."""
    moments, expected = JUMPS[jumps]
    found = starter(missed, *(f"2026-01-{one}+00:00" for one in moments.split()))
    assert runs(found) == [f"202601{day}T013000Z" for day in expected[missed]]


def test_a_clock_that_jumps_in_one_process_starts_nothing_twice(
    store: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report.yaml").write_text(SPEC.replace("MISSED", "all"))
    program = load_program("report.yaml")
    assert program is not None
    engine = Engine(store=store)
    now = [at("2026-01-10T01:00:00+00:00")]
    looks = TriggerStarter(engine, [program.workflow(engine=engine)], print, clock=lambda: now[0])

    async def main() -> None:
        for minutes in (0, 31, -600, 31, 24 * 60 + 31, 32, 24 * 60 + 32, 48 * 60 + 30):
            now[0] = at("2026-01-10T01:00:00+00:00") + minutes * 60 * 1_000_000_000
            await looks.look()
            await looks.look()

    asyncio.run(main())
    found = sorted((row.run_id, "") for row in engine.list_runs())
    engine.close()
    assert runs(found) == ["20260110T013000Z", "20260111T013000Z", "20260112T013000Z"]


def test_missed_moments_of_a_workflow_that_has_another_name_now(starter: Any) -> None:
    starter("all", "2026-01-10T12:00:00+00:00")
    renamed = SPEC.replace("workflow: report", "workflow: news") + "moved: {workflow.report: news}\n"
    moments = "2026-01-12T12:00:00+00:00", "2026-01-12T12:00:01+00:00"
    found = [run_id for run_id, _ in starter("all", *moments, spec=renamed)]
    assert found == ["news-mornings-20260111T013000Z", "news-mornings-20260112T013000Z"]
    assert len(starter("all", "2026-01-12T12:00:02+00:00", spec=renamed)) == 2, "nothing is taken over twice"


def test_at_most_a_hundred_missed_moments_are_made_up_for(starter: Any) -> None:
    found = starter("all", "2025-01-10T12:00:00+00:00", "2026-01-13T12:00:00+00:00")
    assert len(found) == 100
    assert runs(found)[-1] == "20260113T013000Z"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [  # on 29 March 2:30 does not exist and becomes 3:00; on 25 October it comes twice and counts once
        ("2026-03-28T12:00:00+01:00", "2026-03-29T12:00:00+02:00", ["20260329T010000Z"]),
        ("2026-10-24T12:00:00+02:00", "2026-10-25T12:00:00+01:00", ["20261025T003000Z"]),
    ],
)
def test_clocks_that_are_put_forward_and_back(
    starter: Any, before: str, after: str, expected: list[str]
) -> None:
    assert runs(starter("all", before, after)) == expected


def test_a_message_of_a_topic_starts_a_run_of_each_trigger_that_listens(starter: Any) -> None:
    async def sends(engine: Engine) -> None:
        assert await sent(engine, "wanted", {"about": "tea"}, "m1")
        assert not await sent(engine, "wanted", {"about": "tea"}, "m1"), "sent twice"
        await sent(engine, "words", ["a", "b"])
        await sent(engine, "others", {"about": "milk"})

    found = starter("skip", "2026-01-10T12:00:00+00:00", sends=sends)
    assert [about for _, about in found] == ["tea", "a+b"]


def test_a_message_that_does_not_fit_is_told_and_does_not_stop_the_next(starter: Any) -> None:
    async def sends(engine: Engine) -> None:
        await sent(engine, "wanted", {"about": 7})
        await sent(engine, "wanted", {"about": "tea"})

    found = starter("skip", "2026-01-10T12:00:00+00:00", sends=sends)
    assert [about for _, about in found] == ["tea"]
    (note,) = starter.notes
    assert "the message 1 of `wanted` does not fit `report.wanted`" in note


@pytest.fixture
def waiting(
    store: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Engine, TriggerStarter, list[str]]]:
    """An engine with two runs that are to get what comes under a topic, who brings it, and what that one notes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("wfc.runtime.driver.engine.starting.LOOKS_EVERY", 0.01)
    Path("report.yaml").write_text(BY_THE_CLOCK)
    program = load_program("report.yaml")
    assert program is not None
    engine = Engine(store=store)
    notes: list[str] = []
    looks = TriggerStarter(engine, [program.workflow(engine=engine)], notes.append)

    async def main() -> None:
        await looks.look()
        await sent(engine, "wanted", {"about": "price"})
        await sent(engine, "wanted", {"about": "price"})
        await looks.look()
        await engine.keep_for_topic("prices", EventData("Price", {"amount": 7}), None)

    asyncio.run(main())
    yield engine, looks, notes
    engine.close()


def inboxes(engine: Engine) -> list[str]:
    """Return the ids of the runs that have got something."""
    statement = "SELECT run_id FROM inbox JOIN runs USING (run) ORDER BY run_id"
    rows = engine.store.select(lambda connection: connection.execute(statement).fetchall())
    return [run_id for (run_id,) in rows]


def test_a_message_to_a_run_that_is_lost_here_is_brought_later(
    waiting: tuple[Engine, TriggerStarter, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do the looks end with that, the first one neither, and it is said once."""
    engine, looks, notes = waiting
    post, failures = engine.post, [RunLostError(text) for text in ("lost", "lost", "lost", "elsewhere")]

    async def fails_first(run_id: str, *args: Any, **options: Any) -> None:
        if failures:
            raise failures.pop(0)
        await post(run_id, *args, **options)

    async def main() -> None:
        stops = asyncio.Event()
        await looks.look_and_note()
        looking = asyncio.create_task(looks.run(stops))
        async with asyncio.timeout(240):
            while len(inboxes(engine)) < 2 and not looking.done():
                await asyncio.wait([looking], timeout=0.01)
            await sent(engine, "words", ["later"])
            while len(engine.list_runs()) < 3 and not looking.done():
                await asyncio.wait([looking], timeout=0.01)
        assert not looking.done()
        stops.set()
        await looking

    monkeypatch.setattr(engine, "post", fails_first)
    asyncio.run(main())
    assert inboxes(engine) == ["report-wanted-1", "report-wanted-2"]
    assert [note.rpartition(": ")[2] for note in notes] == ["lost", "elsewhere"]


def test_a_message_reaches_the_others_when_a_run_is_gone(
    waiting: tuple[Engine, TriggerStarter, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, looks, notes = waiting
    post = engine.post
    raised: list[str] = []

    async def forgotten_before(run_id: str, *args: Any, **options: Any) -> None:
        if run_id == "report-wanted-1":
            await engine.store.forget(run_id)
        try:
            await post(run_id, *args, **options)
        except WorkflowError as error:
            raised.append(type(error).__name__)
            raise

    monkeypatch.setattr(engine, "post", forgotten_before)
    asyncio.run(looks.look())
    assert raised == ["RunUnknownError"]
    assert inboxes(engine) == ["report-wanted-2"]
    assert notes == []


@pytest.fixture
def start(wfc: Any, tmp_path: Path, store_address: str) -> Iterator[Callable[..., Any]]:
    (tmp_path / "report.yaml").write_text(BY_THE_CLOCK)
    begun: list[subprocess.Popen[str]] = []

    def call(*args: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-c",
            "import sys; from wfc.compiler.cli import main; sys.exit(main())",
            *args,
        ]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        begun.append(process)
        return process

    yield call
    for process in begun:
        process.kill()
        process.communicate()


def rows(wfc: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in wfc("runs", "list", "--format", "json").out.splitlines()]


def until(holds: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come to be"
        time.sleep(0.05)


@pytest.mark.full
def test_two_workers_of_which_one_is_killed_start_one_run_for_each_message(wfc: Any, start: Any) -> None:
    first, _ = start("worker", "report.yaml"), start("worker", "report.yaml")
    assert wfc("worker", "report.yaml", "--until-idle").status == 0  # from now on somebody listens
    for n in range(6):
        body = json.dumps({"about": "price" if n == 0 else f"tea {n}"})
        done = wfc("send", f"Wanted={body}", "--topic", "wanted", "--id", f"m{n}")
        assert (done.status, done.err.startswith("recorded")) == (0, True)
        if n == 2:
            first.send_signal(signal.SIGKILL)
    assert "sent already" in wfc("send", 'Wanted={"about": "x"}', "--topic", "wanted", "--id", "m3").err
    until(lambda: [row["status"] for row in rows(wfc)].count("done") == 5 and len(rows(wfc)) == 6)
    until(lambda: any(row["status"] == "parked" for row in rows(wfc)))
    assert wfc("send", 'Price={"amount": 7}', "--topic", "prices").status == 0
    until(lambda: all(row["status"] == "done" for row in rows(wfc)))
    assert len(rows(wfc)) == 6


def test_a_topic_reaches_the_runs_that_receive_it_by_a_worker(wfc: Any, start: Any) -> None:
    assert wfc("run", "report.yaml", "-i", "about=price", "--detach", "--run-id", "one").status == 0
    assert wfc("worker", "report.yaml", "--until-idle").status == 0
    assert wfc("send", 'Price={"amount": 7}', "--topic", "prices").err == "recorded; no worker is at work\n"
    assert wfc("worker", "report.yaml", "--until-idle").status == 0
    (row,) = rows(wfc)
    assert row["status"] == "done"


def test_the_next_moments_are_shown(wfc: Any, start: Any) -> None:
    done = wfc("worker", "report.yaml", "--schedules")
    assert done.status == 0
    (line,) = done.out.splitlines()
    assert (line.endswith("  report.mornings") and " 02:30 +0" in line) or " 03:00 +0" in line


@pytest.mark.parametrize("named", ["made", "made/wfc-manifest.json", "specs"])
def test_a_worker_takes_all_workflows_of_a_folder(wfc: Any, start: Any, tmp_path: Path, named: str) -> None:
    """Also the triggers of those; what else lies in the folder is none of them."""
    if named == "specs":
        (tmp_path / "specs").mkdir()
        (tmp_path / "report.yaml").rename(tmp_path / "specs" / "report.yaml")
    else:
        assert wfc("compile", "report.yaml", "-o", "made/").status == 0
        (tmp_path / "made" / "other.py").write_text("raise AssertionError")
    done = wfc("worker", named, "--schedules")
    assert done.out.endswith("  report.mornings\n"), done.err
    assert wfc("worker", named, "--until-idle").status == 0
    assert wfc("send", 'Wanted={"about": "tea"}', "--topic", "wanted").status == 0
    assert wfc("worker", named, "--until-idle").status == 0
    (row,) = rows(wfc)
    assert (row["status"], row["workflow"]) == ("done", "report")


def test_a_folder_without_a_workflow_is_refused(wfc: Any, start: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    manifest = tmp_path / "empty" / "wfc-manifest.json"
    for text in (None, "[]", '{"output_format": 1, "modules": {}}'):
        if text is not None:
            manifest.write_text(text)
            done = wfc("worker", "empty/wfc-manifest.json", "--until-idle")
            assert "`empty` has no wfc-manifest.json with workflows: `wfc compile` writes it" in done.err
        done = wfc("worker", "empty", "--until-idle")
        assert (done.status, done.out) == (2, "")
        assert "empty" in done.err and "no spec" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("send", "Price={}", "--topic", " "), "is no topic"),
        (("send", "Price={}", "--topic", "x", "--run", "one"), "no run is named"),
        (("send", "Price={", "--topic", "x"), "is not JSON"),
        (("send", "={}", "--topic", "x"), "is not `EVENT=JSON`"),
        (("worker", "--schedules"), "have no schedules"),
    ],
)
def test_what_cannot_be_sent_or_shown_is_said(wfc: Any, start: Any, args: tuple[str, ...], said: str) -> None:
    assert said in wfc(*args).err
