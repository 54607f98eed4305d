"""Places as editors count them, held against Python's own encoders."""

from __future__ import annotations

import pytest

from wfc.compiler.lsp.lines import Lines

TEXT = "a: é\r\nb: 😀 x\u2028y\n\rc: 1\n"
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@pytest.mark.parametrize("encoding", UNITS)
def test_there_and_back(encoding: str) -> None:
    codec, size = UNITS[encoding]
    lines = Lines(TEXT, encoding)
    for offset in range(len(TEXT) + 1):
        line, character = lines.position(offset)
        start = lines.starts[line]
        assert character == len(TEXT[start:offset].encode(codec)) // size
        if TEXT[offset - 1 : offset + 1] != "\r\n":
            assert lines.offset(line, character) == offset


def test_lines_end_where_those_of_editors_do() -> None:
    assert [TEXT[start:] for start in Lines(TEXT).starts][1].startswith("b: ")
    assert Lines(TEXT).position(TEXT.index("c: 1")) == (3, 0)


def test_places_that_are_not_there() -> None:
    lines = Lines("a: 1\nb: 2")
    assert lines.offset(9, 9) == len("a: 1\nb: 2")
    assert lines.offset(0, 99) == 4
