"""Checks of a workflow's constructor options, and of the names of its steps."""

from __future__ import annotations

from typing import Any

from wfc.runtime.authoring.definition import Definition, WorkflowDefinition
from wfc.runtime.errors import WorkflowConfigurationError, WorkflowValidationError

__all__ = ["check_options", "check_step_names"]

_FREE_NAMES = frozenset({"engine", "resource_manager", "timeout", "validate"})
"""Names of workflow attributes that steps may have all the same: programs use them in this way."""


def check_options(timeout: Any, num_concurrent_runs: Any, stream_limit: Any, runtime: Any) -> None:
    """Reject options that are out of range.

    Raises:
        WorkflowConfigurationError: An option is out of range.
    """
    if timeout is not None and not isinstance(timeout, int | float):
        raise WorkflowConfigurationError(f"`timeout` must be a number of seconds, or None, not {timeout!r}")
    if stream_limit is not None and (type(stream_limit) is not int or stream_limit < 1):
        raise WorkflowConfigurationError("`stream_limit` must be an integer greater than 0, or None")
    if runtime is not None:
        raise WorkflowConfigurationError(
            "`runtime` is a word of llama-index-workflows: every workflow runs on this package's own runtime, so "
            "leave it out; `engine=Engine(…)` keeps runs apart"
        )
    if num_concurrent_runs is not None and (
        isinstance(num_concurrent_runs, bool)
        or not isinstance(num_concurrent_runs, int)
        or num_concurrent_runs < 1
    ):
        raise WorkflowConfigurationError("`num_concurrent_runs` must be an integer greater than 0, or None")


def check_step_names(definition: Definition, base: type[WorkflowDefinition]) -> None:
    """Reject steps whose names would hide attributes that every workflow has.

    Args:
        base: The base class of all workflows.

    Raises:
        WorkflowValidationError: There is such a step.
    """
    taken = sorted(name for name in definition.steps() if hasattr(base, name) and name not in _FREE_NAMES)
    if taken:
        raise WorkflowValidationError(
            f"{definition.kind.__name__} cannot be run: every workflow has {', '.join(f'`{name}`' for name in taken)} "
            f"already, so a step needs another name"
        )
