"""The specs that people read first are as `wfc fmt` writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.review.formatting import formatted
from wfc.compiler.workspace.detection import looks_like_spec

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("specs", "docs/language") for path in sorted((ROOT / folder).rglob("*.yaml"))]


@pytest.mark.parametrize("folder", ["specs", "docs/language"])
def test_what_people_read_first_is_canonical(folder: str) -> None:
    read = [
        path for path in FILES if path.is_relative_to(ROOT / folder) and looks_like_spec(path.read_bytes())
    ]
    assert len(read) > 20
    assert [path.name for path in read if formatted(path.read_text()) != path.read_text()] == []
