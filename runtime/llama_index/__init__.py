"""Compatibility with llama-index-workflows: its names, in modules with the same names.

In a program written for it, ``workflows`` becomes ``wfc.runtime.llama_index``. Only
``wfc.runtime.integrations.llama_index`` imports this package: both may be deleted, together with their tests.
"""

from __future__ import annotations

from wfc.runtime.authoring.decorators import catch_error, step
from wfc.runtime.driver.context import Context
from wfc.runtime.workflow import Workflow

__all__ = ["Context", "Workflow", "catch_error", "step"]
