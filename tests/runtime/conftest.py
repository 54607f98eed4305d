"""Runs of workflows in a loop whose clock jumps, so that no test waits."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from wfc.runtime import Event, Workflow
from wfc.runtime.testing import run_virtually

# what several tests of a room share is imported by name: `from order_flows import Paid`
for _path in (
    "waiting",
    "core/folding",
    "core/random_workflows",
    "driver/engine/keyed_flows",
    "driver/engine/order_flows",
    "driver/engine/checkpoint_flows",
    "driver/engine/version_flows",
    "driver/engine/version_cases",
    "driver/engine/part_flows",
    "driver/engine/shared_flows",
    "store/parking",
    "store/sqlite/journals",
    "store/version_1",
):
    _file = Path(__file__).parent / f"{_path}.py"
    _spec = importlib.util.spec_from_file_location(_file.stem, _file)
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules[_file.stem] = _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)

Play = Callable[..., Any]
Counted = Callable[[], AbstractContextManager[list[int]]]
Watch = Callable[..., list[Event]]


@pytest.fixture
def virtually() -> Callable[[Callable[[], Awaitable[Any]]], Any]:
    """Runs a coroutine function with a virtual clock; gives what it returns."""
    return run_virtually


@pytest.fixture
def play() -> Play:
    """Runs a workflow; gives its result, or raises what it failed with."""

    def run(workflow: type[Workflow] | Workflow, **inputs: Any) -> Any:
        async def main() -> Any:
            made = workflow() if isinstance(workflow, type) else workflow
            return await made.run(**inputs)

        return run_virtually(main)

    return run


@pytest.fixture
def watch() -> Watch:
    """Runs a workflow; gives all that its stream shows, with what happens inside. Failures are no matter."""

    def run(workflow: type[Workflow], **inputs: Any) -> list[Event]:
        async def main() -> list[Event]:
            handler = workflow().run(**inputs)
            events = [event async for event in handler.stream_events(expose_internal=True)]
            try:
                await handler
            except Exception:  # the last event tells of it
                return events
            return events

        return run_virtually(main)  # type: ignore[no-any-return]

    return run


@pytest.fixture
def calls_counted() -> Counted:
    """A block whose calls are counted, so that a test of cost needs no clock.

    What the collector of garbage and other tools call while the block runs is not the block's work.
    """

    @contextmanager
    def counted() -> Iterator[list[int]]:
        made = [0]

        def count(frame: FrameType, what: str, argument: object) -> None:
            if what in ("call", "c_call") and frame.f_globals["__name__"].startswith("wfc."):
                made[0] += 1

        gc.disable()
        sys.setprofile(count)
        try:
            yield made
        finally:
            sys.setprofile(None)
            gc.enable()
        assert made[0], "nothing of wfc was called"

    return counted
