"""``workflows.errors``: the classes of errors."""

from __future__ import annotations

from wfc.runtime.errors import (
    ContextStateError,
    WorkflowCancelledByUser,
    WorkflowConfigurationError,
    WorkflowError,
    WorkflowRuntimeError,
    WorkflowStepDoesNotExistError,
    WorkflowTimeoutError,
    WorkflowValidationError,
)
from wfc.runtime.errors import (
    SnapshotError as ContextSerdeError,
)

__all__ = [
    "ContextSerdeError",
    "ContextStateError",
    "WorkflowCancelledByUser",
    "WorkflowConfigurationError",
    "WorkflowDone",
    "WorkflowRuntimeError",
    "WorkflowStepDoesNotExistError",
    "WorkflowTimeoutError",
    "WorkflowValidationError",
]


class WorkflowDone(WorkflowError):  # noqa: N818 - the name is llama-index-workflows'
    """An error that no run raises, defined because programs may refer to it."""
