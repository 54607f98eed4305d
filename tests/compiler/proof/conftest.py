"""Lets the tests here share what makes random flows and plays them: `import game, random_flows`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

for _name in (
    "conditions",
    "random_flows",
    "language",
    "layout",
    "test_flows",
    "game",
    "writing",
    "test_on_the_runtime",
    "test_language_flows",
):
    _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules[_name] = _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
