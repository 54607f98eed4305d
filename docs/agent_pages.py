"""The pages of agents: their excerpts of the specs in `specs/` and `docs/language/`."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Final

from excerpts import excerpt

__all__ = ["agent_pages"]

ROOT: Final = Path(__file__).parent.parent
FOLDERS: Final = {"specs": ROOT / "specs", "language": ROOT / "docs/language"}
BLOCK: Final = re.compile(r"<!-- generated: (?P<what>[^>]*?) -->\n.*?<!-- end -->", re.DOTALL)


def agent_pages() -> dict[Path, str]:
    """Return these pages with their excerpts as they are now."""
    pages = [*sorted((ROOT / "docs/agents").glob("*.md")), ROOT / "docs/moving_agents.md"]
    return {page: BLOCK.sub(partial(shown, page), page.read_text(encoding="utf-8")) for page in pages}


def shown(page: Path, match: re.Match[str]) -> str:
    """Return a block with its excerpt; the link is as seen from the page."""
    word, place, *paths = match["what"].split()
    assert word == "shown", match["what"]
    home, _, name = place.partition("/")
    link = Path(os.path.relpath(FOLDERS[home], page.parent)).as_posix()
    text = excerpt(name, *paths, folder=FOLDERS[home], link=link)
    return f"<!-- generated: {match['what']} -->\n\n{text}\n\n<!-- end -->"
