"""``workflows.testing``: runs in tests."""

from __future__ import annotations

from wfc.runtime.llama_index.testing.runner import WorkflowTestResult, WorkflowTestRunner

__all__ = ["WorkflowTestResult", "WorkflowTestRunner"]
