"""Lets the tests here import the files beside them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest


def beside(name: str) -> ModuleType:
    """A file of this folder."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="session")
def planting() -> ModuleType:
    """``planting.py``."""
    return beside("planting")


@pytest.fixture(scope="session")
def beds(planting: ModuleType) -> list[object]:
    """All specs of the repository without findings that have names in expressions."""
    found: list[object] = planting.beds()
    return found
