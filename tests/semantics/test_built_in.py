"""The records of the language: what the compiler knows of them is what the runtime holds them to."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from wfc.compiler.types import BUILT_IN, Constraints, Enumeration, Optional, Record, show
from wfc.runtime import records
from wfc.runtime.records import File

KINDS = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "map of string": {"type": "object", "additionalProperties": {"type": "string"}},
}


def schema_of(record: Record) -> dict[str, Any]:
    """The JSON Schema that the compiler's fields amount to."""
    properties: dict[str, Any] = {}
    for name, field in record.fields.items():
        inner = field.type.of if isinstance(field.type, Optional) else field.type
        found: dict[str, Any]
        if isinstance(inner, Enumeration):
            found = {"type": "string", "enum": list(inner.values)}
        else:
            found = dict(KINDS[show(inner)])
        if isinstance(field.type, Optional):
            found = {"anyOf": [found, {"type": "null"}], "default": None}
        if field.has_default and field.default != {}:  # of what can be changed a schema shows none
            found["default"] = field.default
        bounds: Constraints = field.constraints
        for key, bound in (
            ("minLength", bounds.min_length),
            ("maxLength", bounds.max_length),
            ("pattern", bounds.pattern),
        ):
            if bound is not None:
                found[key] = bound
        properties[name] = {
            **found,
            "description": field.description,
            "title": name.replace("_", " ").title(),
        }
    return properties


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_has_one_schema(name: str) -> None:
    found = getattr(records, name).model_json_schema()
    if name == "File":
        assert found["properties"]["content"].pop("contentEncoding") == "base64"
    assert found["properties"] == schema_of(BUILT_IN[name])
    assert found["required"] == [key for key, each in BUILT_IN[name].fields.items() if each.required]
    assert found["title"] == name and found["additionalProperties"] is False


def test_a_file_holds_its_bytes() -> None:
    file = File.of(b"\x00\xffhi", name="a b.bin", media_type="application/octet-stream")
    assert (file.data, File.model_validate_json(file.model_dump_json())) == (b"\x00\xffhi", file)
    assert File.of(b"", name="empty", media_type="text/plain").data == b""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "../secrets"),
        ("name", ".."),
        ("name", "a\\b"),
        ("name", "a\nb"),
        ("name", "a" * 256),
        ("media_type", "text"),
        ("media_type", "text/plain; charset=utf-8"),
        ("media_type", "text/plain\n"),
        ("content", "aGk"),
        ("content", "a Gk="),
        ("content", "é==="),
        ("content", "QUFB" * 2_500_001),
    ],
)
def test_a_file_is_bounded_and_names_no_place(field: str, value: str) -> None:
    good = {"name": "a.txt", "media_type": "text/plain", "content": "aGk="}
    assert File.model_validate(good).data == b"hi"
    with pytest.raises(ValidationError):
        File.model_validate({**good, field: value})
