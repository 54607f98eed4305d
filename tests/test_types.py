"""The types of both houses, which mypy at its strictest has nothing to say of."""

from __future__ import annotations

from collections.abc import Callable


def test_the_houses_pass_strict_mypy(passes_mypy: Callable[..., None]) -> None:
    passes_mypy("-p", "wfc.compiler", "-p", "wfc.runtime", "-p", "wfc.schemas")
