"""What the tests of this folder share is imported by name, such as `from desk_flow import desk`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

for _name in ("desk_flow", "careful_agent", "provider_rules"):
    _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules[_name] = _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
