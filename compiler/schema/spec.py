"""A spec: a document's data, as far as it is well-shaped."""

from __future__ import annotations

from typing import Any

from wfc.compiler.diagnostics import Address
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import Document

__all__ = ["Spec"]


@dataclass(frozen=True, slots=True)
class Spec:
    """Data that conforms to the schema, so that later passes need not check it again.

    Args:
        document: Where it was read from.
        data: Fits the schema, and has no part that is not supported yet. Not to be changed: repeated values
            are one object.
        broken: Addresses that are not in ``data`` although something stands there, because it has been
            reported; and the addresses above them, down to that of a section. ``("steps", "draft") in broken``
            says that there is a step `draft`, and that ``data`` lacks something of it or all of it.
    """

    document: Document
    data: dict[str, Any]
    broken: frozenset[Address]
