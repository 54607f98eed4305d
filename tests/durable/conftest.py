"""What the tests of this folder share is imported by name: `from durable_flows import FLOWS`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("durable_flows", Path(__file__).with_name("durable_flows.py"))
assert _spec is not None
assert _spec.loader is not None
sys.modules["durable_flows"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
