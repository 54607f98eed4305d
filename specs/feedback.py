"""Tools of the feedback monitors: messages read from a file, sources asked, shares traded."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Protocol

_HERE = Path(__file__).parent.resolve()
_BAD_WORDS = frozenset(
    {"awful", "bad", "broken", "bug", "crash", "crashes", "slow", "terrible", "worse", "wrong"}
)
_SECONDS = {"social": 1, "press": 2, "support": 3}
"""How long each source takes to answer."""


class Watcher(Protocol):
    """What a tool that takes a `context` may do with it here."""

    def report(self, text: str) -> None:
        """Tell whoever watches the run."""


def next_feedback(source: str, position: int) -> dict[str, str] | None:
    """The message at a position of a file beside this one, with its mood; ``None`` after the last."""
    messages = _messages(source)
    if position >= len(messages):
        return None
    text = messages[position]
    return {"mood": mood_of(text), "text": text}


def watch_feedback(source: str, position: int, context: Watcher) -> dict[str, str] | None:
    """As ``next_feedback``, telling the watcher what is being read."""
    context.report(f"reading message {position + 1} of {source}")
    return next_feedback(source, position)


async def ask_source(name: str, share: str) -> str:
    """What a source thinks of a share, ``good`` or ``bad``; takes it one to three seconds."""
    await asyncio.sleep(_SECONDS[name])
    said = [text for text in _messages(f"feedback_{name}.txt") if share.lower() in text.lower()]
    bad = sum(mood_of(text) == "bad" for text in said)
    return "bad" if bad * 2 > len(said) else "good"


async def trade(share: str, action: str) -> str:
    """Buys or sells a share and gives the order's number."""
    await asyncio.sleep(0)
    return f"{action}-{share}-1"


def mood_of(text: str) -> str:
    """``bad`` if the text has a word of complaint, else ``good``."""
    words = re.findall(r"\w+", text.lower())
    return "bad" if _BAD_WORDS.intersection(words) else "good"


def _messages(source: str) -> list[str]:
    path = (_HERE / source).resolve()
    if not path.is_relative_to(_HERE):
        raise ValueError(f"{source} is not beside the spec")
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
