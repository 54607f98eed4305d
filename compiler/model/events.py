"""The messages between steps."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """A message between steps.

    Args:
        name: As written.
        record: Its fields; ``record.role`` is ``event``.
        role: ``start``, ``end`` or ``message``.
        extends: The name of the event whose fields it has too; ``record`` has them already.
    """

    name: str
    record: Record
    role: Literal["start", "end", "message"]
    address: Address
    extends: str = ""


__all__ = ["Event"]
