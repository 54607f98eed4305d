"""Examples that are too large to keep, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["LARGE"]


LARGE: Final[Mapping[str, Callable[[], bytes]]] = {
    "file-too-large": lambda: b"#" * (4 * 2**20 + 1),
    "too-many-findings": lambda: b"wfc: 1\n" * 3000,
    "too-many-values": lambda: b"wfc: [" + b"1," * 500_001 + b"]\n",
}
"""Code → what makes its example."""
