"""When a failed attempt is tried again, and after how long."""

from __future__ import annotations

from typing import Any

import pytest

from wfc.runtime import ExpressionError, RetryPolicy, StepError, WorkflowValidationError
from wfc.runtime.authoring.retry import seed_of
from wfc.runtime.errors.raised import step_error

BUSY = StepError("http.503", "busy", status=503)


@pytest.mark.parametrize(
    ("options", "attempts", "wait"),
    [
        ({"delay": 1.0, "backoff": 2.0, "max_attempts": 9}, 1, 1.0),
        ({"delay": 1.0, "backoff": 2.0, "max_attempts": 9}, 4, 8.0),
        ({"delay": 1.0, "backoff": 2.0, "max_attempts": 9, "max_delay": 5.0}, 4, 5.0),
        ({"delay": 1.0, "backoff": 10.0, "max_attempts": 900, "max_delay": 5.0}, 800, 5.0),
        ({"delay": 1.0, "max_attempts": 2}, 2, None),
        ({"max_attempts": 1}, 1, None),
        ({"retry_on": ("http.5xx",)}, 1, 1.0),
        ({"retry_on": ("http",)}, 1, 1.0),
        ({"retry_on": ("http.4xx", "timeout")}, 1, None),
        ({"never_on": ("http.503",)}, 1, None),
        ({"retry_on": ("http",), "never_on": ("http.5xx",)}, 1, None),
        ({"total_timeout": 10.5}, 1, 1.0),
        ({"total_timeout": 10.4}, 1, None),
    ],
)
def test_waits(options: dict[str, Any], attempts: int, wait: float | None) -> None:
    assert RetryPolicy(**options).next(9.5, attempts, BUSY, seed=1) == wait


@pytest.mark.parametrize(
    ("asked", "max_delay", "wait"), [(5.0, None, 5.0), (0.5, None, 1.0), (5.0, 5.0, 5.0), (6.0, 5.0, 1.0)]
)
def test_a_service_may_ask_for_a_longer_wait(asked: float, max_delay: float | None, wait: float) -> None:
    error = StepError("http.429", "slow down", retry_after=asked)
    assert RetryPolicy(max_delay=max_delay).next(0, 1, error, seed=1) == wait


def test_jitter_is_the_same_in_a_replay_and_different_in_another_run() -> None:
    policy = RetryPolicy(jitter=1.0)
    waits = [policy.next(0, 1, BUSY, seed=seed_of(run, "fetch", 1, 1)) for run in ("a", "a", "b")]
    assert waits[0] == waits[1] != waits[2]
    assert all(wait is not None and 1.0 <= wait <= 2.0 for wait in waits)


def test_an_expression_is_never_tried_again() -> None:
    assert RetryPolicy().next(0, 1, ExpressionError("no"), seed=1) is None


@pytest.mark.parametrize("options", [{"max_attempts": 0}, {"delay": -1}, {"jitter": -1}, {"backoff": -1}])
def test_numbers_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(WorkflowValidationError):
        RetryPolicy(**options)


@pytest.mark.parametrize(
    ("error", "name", "matching", "other"),
    [
        (ValueError("x"), "python.ValueError", "python", "python.TypeError"),
        (KeyError("x"), "python.KeyError", "python.LookupError", "timeout"),
        (TimeoutError(), "timeout", "python.TimeoutError", "connection"),
        (ConnectionResetError("x"), "connection", "python.OSError", "timeout"),
        (ExpressionError("x"), "expression", "expression", "python"),
        (StepError("http.404", "x"), "http.404", "http.4xx", "http.5xx"),
        (StepError("http.404", "x", also=("model",)), "http.404", "model", "tool"),
    ],
)
def test_errors_have_names(error: Exception, name: str, matching: str, other: str) -> None:
    found = step_error(error)
    assert found.name == name
    assert found.matches(matching)
    assert not found.matches(other)
