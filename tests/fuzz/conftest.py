"""Loads the files of the fuzz target, which is a program of its own, for the tests here."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def fuzzing() -> ModuleType:
    """``fuzz.py``."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        return importlib.import_module("fuzz")
    finally:
        sys.path.pop(0)
