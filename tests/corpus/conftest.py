"""Lets the tests here import the files beside them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def beside(name: str) -> ModuleType:
    """A file of this folder."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="session")
def mutations() -> ModuleType:
    """``mutations.py``."""
    return beside("mutations")


@pytest.fixture(scope="session")
def wrong_values() -> ModuleType:
    """``wrong_values.py``."""
    return beside("wrong_values")


@pytest.fixture(scope="session")
def mutants(mutations: ModuleType, specs: list[object]) -> dict[str, list[Any]]:
    """All specs with one mistake each, by its class."""
    found: dict[str, list[Any]] = mutations.mutants(specs)
    return found


@pytest.fixture(scope="session")
def specs() -> list[object]:
    """All specs of the repository without findings."""
    found: list[object] = beside("sources").sources()
    return found
