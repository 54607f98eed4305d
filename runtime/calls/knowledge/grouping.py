"""Passages side by side → groups → groups of groups, so that a change among them changes few groups.

Where a group ends is told by the digests of what is in it, and not by their number: whoever adds a passage in the midst
changes the group that it comes into and those above, and the others stay as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

__all__ = ["MOST_AT_ONCE", "Group", "groups"]

MOST_AT_ONCE: Final = 16
"""How many passages or groups need no group above them: so many are looked at at once."""
_FEWEST: Final = 4
_ENDS_ONE_OF: Final = 6


class Group(NamedTuple):
    """Some that stand side by side.

    Args:
        digest: What it is known by.
        start: The place of its first one among those of the level below.
        of: The digests of all.
    """

    digest: bytes
    start: int
    of: Sequence[bytes]


def groups(digests: Sequence[bytes], digest_of: Callable[[Sequence[bytes]], bytes]) -> list[list[Group]]:
    """Return the groups of each level, from the lowest to one with few.

    Args:
        digests: What the passages are known by, in reading order.
        digest_of: Returns what a group is known by, given what is in it.
    """
    found: list[list[Group]] = []
    while len(digests) > MOST_AT_ONCE:
        level = []
        for start, end in _bounds(digests):
            of = digests[start:end]
            level.append(Group(digest_of(of), start, of))
        found.append(level)
        digests = [each.digest for each in level]
    return found


def _bounds(digests: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield where each group begins and ends; a short rest belongs to the one before."""
    start = 0
    for at, digest in enumerate(digests, start=1):
        size = at - start
        ends = size >= MOST_AT_ONCE or (size >= _FEWEST and digest[0] % _ENDS_ONE_OF == 0)
        if ends and len(digests) - at >= _FEWEST:
            yield start, at
            start = at
    yield start, len(digests)
