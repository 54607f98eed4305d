"""A folder with texts, and its collection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wfc.runtime.calls.knowledge import searching
from wfc.runtime.calls.knowledge.definition import Knowledge

Write = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; nothing has been brought up to date in this process."""
    monkeypatch.setattr(searching, "_UP_TO_DATE", {})
    (tmp_path / "texts").mkdir()
    return tmp_path / "texts"


@pytest.fixture
def write(folder: Path) -> Write:
    """Write files, by their paths in the folder."""

    def written(files: dict[str, str | bytes]) -> Path:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            raw = content.encode() if isinstance(content, str) else content
            (folder / path).write_bytes(raw)
        return folder

    return written


@pytest.fixture
def texts(folder: Path) -> Knowledge:
    """All files of the folder."""
    return Knowledge("texts", ["./**/*"], folder, size=200)
