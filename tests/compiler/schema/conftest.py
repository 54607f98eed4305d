"""Let the tests here share the standard's validator: `import standard`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("standard", Path(__file__).with_name("standard.py"))
assert _spec is not None
assert _spec.loader is not None
sys.modules["standard"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
