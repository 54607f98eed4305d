"""Ticks as JSON: all of them have a form, and what has none is refused before anything happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest

from wfc.runtime import (
    All,
    Batch,
    Event,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    step,
    transform,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Arrived, Cancelled, Completed, ItemFailed, Started, Tick
from wfc.runtime.driver.run.failures import step_failed
from wfc.runtime.errors import SnapshotError, StepFailedError
from wfc.runtime.plan.outcomes import UNHANDLED, Fail, Restart
from wfc.runtime.store import ticks
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.ticks import decode_tick, encode_tick
from wfc.runtime.store.values import Values

CORE = Path(__file__).parent.parent / "core"


class Begun(StartEvent):
    text: str = ""


class Told(Event):
    value: Any = None


class Kept(RunState):
    words: list[Any] = []  # noqa: RUF012 - pydantic copies it
    price: Decimal = Decimal(0)


class Flow(Workflow):
    @step
    async def begin(self, event: Begun) -> Told:
        return Told()

    @transform
    def end(self, state: Kept, event: Told) -> StopEvent:
        return StopEvent()


def begun() -> tuple[Execution, Values]:
    plan = definition_of(Flow).plan
    execution = Execution(plan, "r", plan.new_state())
    advance(execution, Started(Begun(), {}), 1)
    return execution, values_for(plan, None)


def test_every_tick_has_a_form() -> None:
    assert set(ticks._FORMS) == set(get_args(Tick))
    assert len(ticks._READERS) == len(ticks._FORMS)


@pytest.mark.parametrize(
    "emitted",
    [
        None,
        Told(value={"$": "all", "of": [1]}),
        [Told(value=1), Told(value=[(1, "a")])],
        Batch(Told, [], concurrency=3),
        All(Told(value=b"\0"), [Told()], Batch(Told, [Told(value=2)])),
        Fail("in vain"),
        Restart(Begun(text="again")),
        UNHANDLED,
        StopEvent(result=Decimal("1.50")),
    ],
    ids=str,
)
def test_what_is_emitted_is_written_as_it_is_read(emitted: Any) -> None:
    execution, values = begun()
    body = encode_tick(Completed(1, emitted), 5, execution, values)
    read, at = decode_tick(body, execution, values)
    assert isinstance(read, Completed) and at == 5
    assert type(read.emitted) is type(emitted) and str(read.emitted) == str(emitted)
    assert encode_tick(read, at, execution, values) == body


@pytest.mark.parametrize(
    ("tick", "said"),
    [
        (Completed(1, Told(value=float("nan"))), "has no form in JSON"),
        (Completed(1, Told(value=float("inf"))), "has no form in JSON"),
        (Completed(1, Told(value="\ud800")), "has no form in JSON"),
        (Arrived(Told(value="x" * 16_000_001)), "it takes 160000"),
        (Completed(1, Told(value=object())), "cannot be in a snapshot"),
        (Completed(1, None, {"words": [lambda: 0]}), "cannot be in a snapshot"),
    ],
    ids=["nan", "inf", "surrogate", "large", "object", "saved"],
)
def test_what_has_no_form_is_refused(tick: Tick, said: str) -> None:
    execution, values = begun()
    with pytest.raises(SnapshotError, match=said):
        encode_tick(tick, 5, execution, values)


class Refusing:
    """A serializer of somebody's own that raises instead of writing."""

    allowed_types = ()

    def __init__(self, error: Exception) -> None:
        self._error = error

    def serialize(self, value: object) -> str:
        raise self._error


@pytest.mark.parametrize(
    ("error", "said"), [(ValueError("not today"), "not today"), (RecursionError(), "nested too deep")]
)
def test_what_a_serializer_cannot_write_is_refused(error: Exception, said: str) -> None:
    execution, _ = begun()
    values = values_for(execution.plan, Refusing(error))  # type: ignore[arg-type]
    with pytest.raises(SnapshotError, match=said):
        encode_tick(Completed(1, Told(value=object())), 5, execution, values)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"[1]", b'["completed"]', b'["completed",1]', b'["gone",1]', b'["completed",1.5,1,null,null]',
     b'["cancelled",1,"x"]', b'["item-failed",1,1,{"$":"error","of":{"exception_type":"a","exception_message":""}}]',
     b'["completed",1,1,["Nobody",{}],null]' + b"[" * 5, b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_tick_is_refused(body: bytes) -> None:
    execution, values = begun()
    with pytest.raises(SnapshotError):
        decode_tick(body, execution, values)


def test_of_a_list_that_grows_only_the_rest_is_written() -> None:
    execution, values = begun()
    execution.state.words = words = [f"word {number}" for number in range(1000)]
    body = encode_tick(Completed(1, None, {"words": [*words, "more"]}), 5, execution, values)
    assert len(body) < 100
    read, _ = decode_tick(body, execution, values)
    assert isinstance(read, Completed) and read.saved == {"words": [*words, "more"]}
    # equal is not the same
    execution.state.words = [1, 2]
    body = encode_tick(Completed(1, None, {"words": [True, 2, 3]}), 5, execution, values)
    read, _ = decode_tick(body, execution, values)
    assert isinstance(read, Completed) and isinstance(read.saved, dict) and read.saved["words"][0] is True


def test_an_error_of_two_classes_takes_the_same_way_out() -> None:
    execution, values = begun()
    raised = ValueError("odd")
    failed = step_failed("begin", "Begun", 2, StepError("odd", "odd"), raised)
    assert isinstance(failed, ValueError)
    body = encode_tick(Cancelled(failed), 5, execution, values)
    read, _ = decode_tick(body, execution, values)
    assert isinstance(read, Cancelled) and type(read.error) is StepFailedError
    assert (str(read.error), read.error.name, read.error.attempt) == (str(failed), "odd", 2)
    assert isinstance(read.error.__cause__, ValueError)
    assert encode_tick(read, 5, execution, values) == body
    with pytest.raises(SnapshotError, match="another one"):
        decode_tick(json.dumps(["item-failed", 1, 1, values.write(raised)]).encode(), execution, values)
    assert decode_tick(
        encode_tick(ItemFailed(1, StepError("odd", "")), 5, execution, values), execution, values
    )


_BODIES = """
import importlib.util, random, sys, hashlib
sys.path.insert(0, sys.argv[1])
from random_workflows import Maker
import test_model
digest = hashlib.sha256()
for one in range(20):
    maker = Maker(random.Random(f"{sys.argv[2]}/{one}"))
    workflow = maker.make()
    for two in range(5):
        for body in test_model.play(f"{sys.argv[2]}/{one}/{two}", maker, workflow).fold.bodies:
            digest.update(body)
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_ticks_are_the_same_bytes_whatever_the_hash_seed(seed: str) -> None:
    found = set()
    for hash_seed in ("0", "1", "99"):
        done = subprocess.run(
            [sys.executable, "-c", _BODIES, str(CORE), seed],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1
