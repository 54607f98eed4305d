"""Runs of two compiled specs that know each other: one sends, the other waits."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.load import execute
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


@pytest.fixture
def compiled(tmp_path: Path) -> Any:
    before = set(sys.modules)

    def compile_both(if_absent: str = "") -> tuple[ModuleType, ModuleType]:
        (tmp_path / "sender.yaml").write_text(SENDER.replace("IF_ABSENT", if_absent))
        (tmp_path / "hearer.yaml").write_text(HEARER)
        assert main(["compile", str(tmp_path)]) == 0
        paths = [tmp_path / f"{name}_workflow.py" for name in ("sender", "hearer")]
        sender, hearer = (execute(path.stem, str(path), path.read_text()) for path in paths)
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
