"""Fields of records."""

from __future__ import annotations

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.types import UNKNOWN, Field, Record, parse_fields

__all__ = ["read_fields"]


def read_fields(content: object, address: Address, record: Record, declared: Declarations) -> None:
    """Fill a record with its fields; fields that were malformed are present, with an unknown type."""
    if isinstance(content, dict):
        parse_fields(content, Place(address), declared.types, declared.report, record)
    if not declared.is_broken(address):
        return
    depth = len(address)
    for each in declared.broken:
        if each[:depth] == address and len(each) > depth and isinstance(each[depth], str):
            name = normal_form(str(each[depth]))
            record.fields[name] = Field(name, UNKNOWN, has_default=True, address=each[: depth + 1])
