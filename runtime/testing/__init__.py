"""Tests of workflows: a clock that jumps, scripted models, and the tests that a spec carries."""

from __future__ import annotations

from wfc.runtime.testing.answers import MockAnswer, ScriptedReply
from wfc.runtime.testing.cases import TestOutcome, run_test, start_mocked
from wfc.runtime.testing.clock import DeadlockError, VirtualTimeLoop, run_virtually
from wfc.runtime.testing.models import ScriptedModel
from wfc.runtime.testing.preparing import Delivery, SpecTest
from wfc.runtime.testing.rehearsing import Rehearsal, rehearse

__all__ = [
    "DeadlockError",
    "Delivery",
    "MockAnswer",
    "Rehearsal",
    "ScriptedModel",
    "ScriptedReply",
    "SpecTest",
    "TestOutcome",
    "VirtualTimeLoop",
    "rehearse",
    "run_test",
    "run_virtually",
    "start_mocked",
]
