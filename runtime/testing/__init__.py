"""Tests of workflows: a clock that jumps, scripted models, and the tests that a spec carries."""

from __future__ import annotations

from wfc.runtime.testing.answers import ScriptedReply
from wfc.runtime.testing.cases import (
    Delivery,
    MockAnswer,
    SpecTest,
    TestOutcome,
    run_test,
    start_mocked,
)
from wfc.runtime.testing.clock import DeadlockError, VirtualTimeLoop, run_virtually
from wfc.runtime.testing.models import ScriptedModel

__all__ = [
    "DeadlockError",
    "Delivery",
    "MockAnswer",
    "ScriptedModel",
    "ScriptedReply",
    "SpecTest",
    "TestOutcome",
    "VirtualTimeLoop",
    "run_test",
    "run_virtually",
    "start_mocked",
]
