"""What exists only so that programs written for llama-index-workflows run: its names, in modules of its names.

In such a program ``workflows`` becomes ``wfc.runtime.llama_index``. Nothing else imports this room, but for the door
``wfc.runtime.integrations.llama_index``: it may be deleted, with that and with its tests.
"""

from __future__ import annotations

from wfc.runtime.authoring.decorators import catch_error, step
from wfc.runtime.driver.context import Context
from wfc.runtime.workflow import Workflow

__all__ = ["Context", "Workflow", "catch_error", "step"]
