"""What the tests of this folder share is imported by name: `from desk_flow import desk`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("desk_flow", Path(__file__).with_name("desk_flow.py"))
assert _spec is not None
assert _spec.loader is not None
sys.modules["desk_flow"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
