"""Modules that a release has generated are committed by their users: they must import and run with every later runtime.

The modules in ``golden`` were generated when output format 1 began, and never change.
"""

from __future__ import annotations

import importlib.util
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import wfc.runtime
from wfc.runtime.testing import run_virtually

FOLDER = Path(__file__).parent / "golden"

OFFERED = """
SKIP UNHANDLED All AllOf AtLeast BaseSerializer Basic Batch Bearer Breakpoint Cache CacheHit Child ChildEnd
ChildNote Collect Context ContextStateError Delay Duration EachOf Engine Event EventEmitted ExpressionError
Fail FirstOf Format Halt HttpResponse HumanResponseEvent InputRequiredEvent Inputs InternalDispatchEvent
InvalidAnswerError InvalidMessageError Item Items JsonSerializer Keep LateEvent LimitError Limits Message
MissingPackageError Model Moment Number OpenQuestion Output OutputFormatError Outside PickleSerializer
ProgressText PythonResource PythonTool Question QuestionAsked QuestionClosed Receives Record Resource
ResourceConfig ResourceManager Restart RetryInfo RetryPolicy RunConfig RunEndedError RunExistsError
RunFailedError RunInfo RunState RunUnknownError Secret SettingsError Skip SnapshotError StartEvent StepError
StepFailedError StepFailedEvent StepState StepStateChanged StopEvent StuckError Take TokenText
UndeclaredResultError Unhandled UnhandledEvent UnknownQuestionError Until Workflow WorkflowCancelledByUser
WorkflowCancelledEvent WorkflowConfigurationError WorkflowError WorkflowFailedEvent WorkflowHandler
WorkflowRuntimeError WorkflowStepDoesNotExistError WorkflowTimedOutEvent WorkflowTimeoutError
WorkflowValidationError catch_error default_engine filters pause require_output_format run_cancel
run_deadline run_error run_key runs_per step transform
""".split()
"""All that `wfc.runtime` offered when output format 1 began."""


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"format_1_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", OFFERED)
def test_every_name_of_then_is_still_offered(name: str) -> None:
    namespace: dict[str, Any] = {}
    exec(f"from wfc.runtime import {name}", namespace)  # noqa: S102 - a line of ours
    assert namespace[name] is getattr(wfc.runtime, name)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_every_module_of_then_is_still_imported(name: str) -> None:
    module = load(name)
    (workflow,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, wfc.runtime.Workflow)
        and value.__module__ == module.__name__
    )
    workflow(skip_graph_checks=["reachability"])


def test_a_module_of_then_still_runs_from_start_to_end() -> None:
    async def main() -> Any:
        return await load("minimal").Greet().run(name="Ada")

    assert "Ada" in run_virtually(main).text


@pytest.mark.parametrize(("room", "boxes"), [("study", 5), ("hall", 4)])
def test_a_module_of_then_still_saves_and_loops(room: str, boxes: int) -> None:
    async def main() -> Any:
        return await load("room_packing_workflow").RoomPacking().run(room=room)

    assert run_virtually(main).boxes == boxes


def test_a_module_of_then_still_waits_for_time_and_for_messages() -> None:
    async def main() -> Any:
        import asyncio

        module = load("order_payment_workflow")
        handler = module.OrderPayment().run(order_id="o1", total=Decimal(50))
        await asyncio.sleep(timedelta(days=5).total_seconds())
        await handler.send_event(module.Paid(order_id="o1", amount=Decimal(50)))
        return await handler

    ended = run_virtually(main)
    assert (type(ended).__name__, ended.amount, ended.reminded) == ("OrderPaid", Decimal(50), True)
