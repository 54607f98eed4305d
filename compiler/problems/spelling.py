"""Which known name an unknown one is most likely meant to be."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]

MANY = 200  # among more names than this only slips of a letter or two are looked for


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like an unknown one: a slip of a letter or two, or much in common; or ``None``."""
    names = sorted({each for each in known if each != name})
    plain = flat(name)
    limit = 1 if len(plain) < 5 else 2 if len(plain) < 9 else 3
    best: tuple[int, int, str] | None = None
    letters = set(plain)
    for each in names:
        other = flat(each)
        if abs(len(other) - len(plain)) > limit or len(letters.symmetric_difference(other)) > 2 * limit:
            continue
        apart = distance(plain, other, limit)
        if apart <= limit and apart < max(len(plain), len(other)):
            rank = (apart, abs(len(each) - len(name)), each)
            best = rank if best is None else min(best, rank)
    if best is not None:
        return best[2]
    if len(names) > MANY or len(name) > MANY:
        return None
    import difflib  # slow to import, and a good spec never needs it

    return next(iter(difflib.get_close_matches(name, names, n=1, cutoff=0.7)), None)


def flat(name: str) -> str:
    """A name without what people take for the same: capitals, `_`, `-` and spaces."""
    return name[:200].casefold().replace("_", "").replace("-", "").replace(" ", "")


def distance(one: str, other: str, limit: int) -> int:
    """How many letters must be changed, added, dropped or swapped with the next; any number over the limit is alike."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, letter_there in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != letter_there))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == letter_there:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]
