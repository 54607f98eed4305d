"""What a person's answer lacks, said of the field that lacks it."""

from __future__ import annotations

__all__ = ["Unmet"]


class Unmet(str):
    """The sentence of a requirement that speaks of one field of an answer, which forms show there.

    Args:
        said: The sentence.
        field: The name of the field.
    """

    __slots__ = ("field",)
    field: str

    def __new__(cls, said: str, field: str) -> Unmet:
        """Return the sentence."""
        made = super().__new__(cls, said)
        made.field = field
        return made
