"""What a person's answer lacks, said of the field that lacks it."""

from __future__ import annotations

__all__ = ["Unmet"]


class Unmet(str):
    """The sentence of a requirement that speaks of fields of an answer, which forms show there.

    Args:
        said: The sentence.
        fields: The names of the fields, in the order in which they stand in the form.
    """

    __slots__ = ("fields",)
    fields: tuple[str, ...]

    def __new__(cls, said: str, *fields: str) -> Unmet:
        """Return the sentence."""
        made = super().__new__(cls, said)
        made.fields = fields
        return made
