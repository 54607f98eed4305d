"""Lets the tests here share the two validators: `import printing`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("printing", Path(__file__).with_name("printing.py"))
assert _spec is not None
assert _spec.loader is not None
sys.modules["printing"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
