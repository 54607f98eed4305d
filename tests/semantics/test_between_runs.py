"""Runs of two compiled specs that know each other: one sends, the other waits."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.programs import execute
from wfc.runtime import Engine

SENDER = """\
wfc: 1
workflow: sender
start: Asked
end: [Told, Failed]
events:
  Asked: {number: integer, text: string}
  News: {number: integer, text: string}
  Told: {}
  Failed: {why: string}
steps:
  tell:
    kind: send
    accepts: Asked
    to: hearer
    to_key: event.number
    event: News
    IF_ABSENT
    on_error: [{errors: [run], event: Failed, with: {why: "${{ error.name }}"}}]
    emit: Told
"""
HEARER = """\
wfc: 1
workflow: hearer
start: Begun
end: Done
key: inputs.number
receives: {News: {key: number}}
events:
  Begun: {number: integer}
  News: {number: integer, text: string}
  Done: {text: string}
steps:
  hear:
    kind: wait
    accepts: Begun
    event: News
    within: 1 day
    on_timeout: {event: Done, with: {text: nothing}}
    emit: Done
"""


NEWS = "News: {number: integer, text: string}"
STATION = """\
wfc: 1
workflow: station
start: Seen
end: Told
events:
  Seen: {text: string}
  Warned: {text: string}
  Told: {}
steps:
  tell: {kind: send, accepts: Seen, topic: storm, event: Warned, emit: Told}
"""
HARBOUR = """\
wfc: 1
workflow: harbour
start: ShipCame
end: ShipLeft
receives: {Warned: RECEIVED}
events:
  ShipCame: {}
  Warned: {text: string}
  ShipLeft: {reason: string}
steps:
  stay:
    kind: wait
    accepts: ShipCame
    event: Warned
    within: 2 days
    on_timeout: {event: ShipLeft, with: {reason: the time is over}}
    emit: {event: ShipLeft, with: {reason: "${{ result.text }}"}}
"""


def compile_all(folder: Path, **specs: str) -> list[ModuleType]:
    """The modules of specs that are compiled together."""
    for name, text in specs.items():
        (folder / f"{name}.yaml").write_text(text)
    assert main(["compile", str(folder)]) == 0
    paths = [folder / f"{name}_workflow.py" for name in specs]
    return [execute(path.stem, str(path), path.read_text()) for path in paths]


@pytest.fixture
def compiled(tmp_path: Path) -> Any:
    before = set(sys.modules)

    def compile_both(
        if_absent: str = "", sends: str = NEWS, takes: str = NEWS
    ) -> tuple[ModuleType, ModuleType]:
        sent = SENDER.replace("IF_ABSENT", if_absent).replace(NEWS, sends)
        sender, hearer = compile_all(tmp_path, sender=sent, hearer=HEARER.replace(NEWS, takes))
        return sender, hearer

    yield compile_both
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_an_event_finds_its_run_by_workflow_and_key(compiled: Any) -> None:
    sender, hearer = compiled()

    async def both() -> tuple[Any, Any]:
        engine = Engine()
        waiting = [hearer.Hearer(engine=engine).run(number=number) for number in (1, 2)]
        told = await sender.Sender(engine=engine).run(number=2, text="hello")
        assert not waiting[0].is_done()
        await waiting[0].cancel_run()
        return told, await waiting[1]

    told, heard = asyncio.run(both())
    assert (type(told).__name__, heard.text) == ("Told", "hello")


AS_SENT = 'News: {number: {type: integer, as: "_no"}, text: {type: string, as: "@text"}}'
AS_TAKEN = 'News: {number: {type: integer, as: "the no."}, text: {type: string, as: "The text"}}'


@pytest.mark.parametrize("is_stored", [False, True])
@pytest.mark.parametrize(
    ("sends", "takes"),
    [(AS_SENT, NEWS), (NEWS, AS_TAKEN), (AS_SENT, AS_TAKEN)],
    ids=["sent", "taken", "both"],
)
@pytest.mark.parametrize("if_absent", ["", "if_absent: {keep: 1 day}"])
def test_between_workflows_fields_have_their_own_names(
    compiled: Any, tmp_path: Path, sends: str, takes: str, if_absent: str, is_stored: bool
) -> None:
    sender, hearer = compiled(if_absent, sends, takes)

    async def both() -> str:
        engine = Engine(store=f"sqlite:///{tmp_path / 'runs.db'}") if is_stored else Engine()
        engine.add(hearer.Hearer)
        waiting = hearer.Hearer(engine=engine).run(number=2) if not if_absent else None
        assert type(await sender.Sender(engine=engine).run(number=2, text="hello")).__name__ == "Told"
        if waiting is None:
            waiting = hearer.Hearer(engine=engine).run(number=2)
        found = await waiting
        engine.close()
        return str(found.text)

    assert asyncio.run(both()) == "hello"


def test_a_run_that_is_not_there_is_an_error_and_so_is_one_that_is_over(compiled: Any) -> None:
    sender, hearer = compiled()

    async def both() -> list[str]:
        engine = Engine()
        hearer.Hearer(engine=engine)
        found = [(await sender.Sender(engine=engine).run(number=1, text="a")).why]
        waiting = hearer.Hearer(engine=engine).run(number=1)
        await sender.Sender(engine=engine).run(number=1, text="b")
        await waiting
        return [*found, (await sender.Sender(engine=engine).run(number=1, text="c")).why]

    assert asyncio.run(both()) == ["run.unknown", "run.ended"]


def test_if_absent_start_starts_the_run_and_gives_it_the_event(compiled: Any) -> None:
    sender, hearer = compiled("if_absent: start")

    async def both() -> Any:
        engine = Engine()
        engine.add(hearer.Hearer)
        told = await sender.Sender(engine=engine).run(number=1, text="a")
        for started in engine.runs_of("hearer", "1"):
            assert (await started.future).text == "a"
        assert engine.has_ended(("hearer", "1"))
        return told

    assert type(asyncio.run(both())).__name__ == "Told"


def test_if_absent_keep_keeps_the_event_for_the_run(compiled: Any) -> None:
    sender, hearer = compiled("if_absent: {keep: 1 day}")

    async def both() -> Any:
        engine = Engine()
        hearer.Hearer(engine=engine)
        await sender.Sender(engine=engine).run(number=1, text="kept")
        return await hearer.Hearer(engine=engine).run(number=1)

    assert asyncio.run(both()).text == "kept"


def test_a_topic_reaches_all_runs_that_do_not_want_another(tmp_path: Path) -> None:
    before = set(sys.modules)
    wanting = {"any_topic": "{}", "this_topic": "{topic: storm}", "other_topic": "{topic: fog}"}
    specs = {
        name: HARBOUR.replace("harbour", name).replace("RECEIVED", received)
        for name, received in wanting.items()
    }
    station, *harbours = compile_all(tmp_path, station=STATION, **specs)

    async def all_of_them() -> list[bool]:
        engine = Engine()
        workflows = ("AnyTopic", "ThisTopic", "OtherTopic")
        waiting = [
            getattr(module, name)(engine=engine).run()
            for module, name in zip(harbours, workflows, strict=True)
        ]
        await station.Station(engine=engine).run(text="wind 10")
        await waiting[0]
        await waiting[1]
        found = [each.is_done() for each in waiting]
        await waiting[2].cancel_run()
        return found

    assert asyncio.run(all_of_them()) == [True, True, False]
    for name in set(sys.modules) - before:
        del sys.modules[name]
