"""The words of texts and of questions, as SQLite's full-text search compares them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["indexed_words", "query_of"]

_MOST_WORDS: Final = 200

_UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai and Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese and Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
"""Characters of scripts that are written without spaces, or whose words end in many ways, as in Korean."""

_EACH: Final = re.compile(f"[{_UNSPACED}]")
_PIECE: Final = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")


def indexed_words(text: str) -> str:
    """Return a text with a space around each character of a script that has none between words."""
    return _EACH.sub(r" \g<0> ", text) if not text.isascii() else text


def query_of(question: str) -> str:
    """Return what is asked of the full-text search: one of the words is enough, each taken literally.

    Of scripts without spaces any two characters that stand side by side are a word.

    Returns:
        Nothing if there is no word.
    """
    found: dict[str, None] = {}
    for piece in _PIECE.findall(question[:100_000].lower()):
        if _EACH.match(piece):
            pairs = [piece] if len(piece) == 1 else (piece[i : i + 2] for i in range(len(piece) - 1))
            found.update((" ".join(pair), None) for pair in pairs)
        else:
            found[piece] = None
        if len(found) >= _MOST_WORDS:
            break
    return " OR ".join(f'"{each}"' for each in list(found)[:_MOST_WORDS])
