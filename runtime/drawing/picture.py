"""What is drawn: boxes with lines of text, and arrows between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Arrow", "Box", "Kind", "Picture"]

Kind = Literal["step", "event", "start", "end", "external", "resource", "child", "failed"]


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its name, its shape, and lines of text, the first of which is its title."""

    id: str
    kind: Kind
    lines: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one box to another, by their names."""

    source: str
    target: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and arrows; an arrow's ends are among the boxes."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    description: str = ""
