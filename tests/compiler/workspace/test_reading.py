"""Files of any size are read as a whole or up to a limit, also those that say something else of their size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wfc.compiler.workspace.reading import read_file, read_open

SIZES = [0, 1, 2, 4_095, 4_096, 100_000]


@pytest.mark.parametrize("size", SIZES)
def test_a_file_is_read_up_to_the_limit(tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    (tmp_path / "file").write_bytes(content)
    for limit in (0, 1, size - 1, size, size + 1, 2**28):
        if limit >= 0:
            assert read_file(str(tmp_path / "file"), limit) == content[:limit]


@pytest.mark.parametrize("told", [0, 1, 50, 99, 100, 101, 10_000])
def test_what_a_file_says_of_its_size_is_no_promise(tmp_path: Path, told: int) -> None:
    content = os.urandom(3_000_000)
    (tmp_path / "file").write_bytes(content)
    number = os.open(tmp_path / "file", os.O_RDONLY)
    try:
        found = read_open(number, told, 2_900_000)
    finally:
        os.close(number)
    assert found in (content[:told], content[:2_900_000])
    assert len(found) >= told or told > len(content)


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="this platform has no such files")
def test_a_file_without_a_size_is_read() -> None:
    assert b"\n" in read_file("/proc/self/maps", 10_000)
