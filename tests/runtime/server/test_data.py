"""What is sent is JSON, whatever stands in it, and hides nothing on a screen."""

from __future__ import annotations

from math import inf, nan

import pytest

from wfc.runtime.server.data import json_bytes


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"a": nan, "b": [-inf, 1.5]}, '{"a":null,"b":[null,1.5]}'),
        ({"a": "\ud800é"}, '{"a":"\\ud800é"}'),
        ({"a": "\ud800", "b": [nan, (inf, 1.5)], "c": {"\udfff": nan}}, None),
        (["\u202e\x7f"], '["\\u202e\\u007f"]'),
        (["\u202e\ud800", nan], '["\\u202e\\ud800",null]'),
    ],
)
def test_what_no_encoding_has_is_written_as_its_number_and_what_is_no_number_as_null(
    data: object, told: str | None
) -> None:
    told = told or '{"a":"\\ud800","b":[null,[null,1.5]],"c":{"\\udfff":null}}'
    assert json_bytes(data) == told.encode()
