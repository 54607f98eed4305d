"""Excerpts of specs that are checked and run by the tests, for `reference.md` and the pages of `docs/agents/`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

__all__ = ["FOLDER", "excerpt"]

FOLDER: Final = Path(__file__).parent / "language"


def excerpt(name: str, *paths: str, folder: Path = FOLDER, link: str = "language") -> str:
    """A spec as a block of YAML, whole or only what stands at some paths (`steps.ask`), and where it lies.

    Args:
        name: The file, without its ending.
        paths: Keys, with dots between them; what they have in common is written once.
        folder: Where it lies.
        link: The same, as seen from the page.
    """
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    if not paths:
        return f"```yaml\n{text}```\n\n*The file: [{name}.yaml]({link}/{name}.yaml).*"
    lines: list[str] = []
    shown: list[str] = []
    for path in paths:
        keys = path.split(".")
        while shown != keys[: len(shown)]:
            shown.pop()
        found = block(text, keys, len(shown))
        if lines and not shown and (len(found) > 1 or lines[-1].startswith(" ")):
            lines.append("")
        lines += found
        shown = keys[:-1]
    body = "\n".join(lines)
    return f"```yaml\n{body}\n```\n\n*From [{name}.yaml]({link}/{name}.yaml).*"


def block(text: str, keys: list[str], known: int) -> list[str]:
    """The lines of what stands at some keys, each key above it that is not known yet on a line of its own."""
    lines = text.splitlines()
    node = yaml.compose(text)
    above: list[str] = []
    start = 0
    for depth, key in enumerate(keys):
        assert isinstance(node, yaml.MappingNode), keys
        at, node = next(pair for pair in node.value if pair[0].value == key)
        start = at.start_mark.line
        if known <= depth < len(keys) - 1:
            above.append(lines[start])
    end = last_line(node) + 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return [*above, *lines[start:end]]


def last_line(node: yaml.Node) -> int:
    """The number of a value's last line, from 0; what follows a block is not a part of it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return last_line(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return last_line(node.value[-1])
    return node.end_mark.line - (node.end_mark.column == 0)
