"""Lets the tests here share what makes random flows: `import random_flows`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("random_flows", Path(__file__).with_name("random_flows.py"))
assert _spec is not None
assert _spec.loader is not None
sys.modules["random_flows"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
