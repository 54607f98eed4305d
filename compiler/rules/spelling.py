"""Which known name an unknown one is most likely meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TypeVar, cast

__all__ = ["apart", "as_near", "bounded", "is_one_slip", "nearest", "sure"]

MANY = 200  # among more names than this only slips of a letter or two are looked for
COMPARISONS = 60_000
LONG = 60  # so are they for longer names, which take time that grows with the square of their length
LIKE = 0.71  # the share of letters in common from which a longer name may be meant
Found = TypeVar("Found")


class Comparisons:
    """What names were compared with, and how many comparisons are left.

    Args:
        left: How many.
        before: Those of the bound around it.
    """

    def __init__(self, left: int, before: Comparisons | None) -> None:
        self.left = left
        self.letters: dict[tuple[str, str], int | None] = {} if before is None else before.letters
        """How many letters apart two names are."""
        self.shares: dict[tuple[str, str], float] = {} if before is None else before.shares
        """The share of letters that two names have in common."""
        self.found: dict[tuple[Callable[..., object], tuple[str, ...]], dict[str, object]] = (
            {} if before is None else before.found
        )
        """What was found among the same names."""


NOW: ContextVar[Comparisons | None] = ContextVar("NOW", default=None)


@contextmanager
def bounded(comparisons: int = COMPARISONS) -> Iterator[None]:
    """Within it so many names are compared at most; after that nothing is like anything.

    A suggestion costs time for every known name. A file with thousands of unknown names among thousands of known
    ones would cost minutes for suggestions that nobody sees: a hundred findings are shown. Within another bound
    what was compared there is not compared again, and costs nothing: a spec is analysed up to fifty times.
    """
    token = NOW.set(Comparisons(comparisons, NOW.get()))
    try:
        yield
    finally:
        NOW.reset(token)


def spent(comparisons: int) -> bool:
    """Whether so many comparisons more would be too many; if not, they are counted."""
    now = NOW.get()
    if now is None:
        return False
    now.left -= comparisons
    return now.left < 0


def once(function: Callable[[str, tuple[str, ...]], Found]) -> Callable[[str, Iterable[str]], Found]:
    """Within a bound, look for the same name among the same names only once."""

    @wraps(function)
    def found(name: str, known: Iterable[str]) -> Found:
        names = tuple(known)
        now = NOW.get()
        if now is None:
            return function(name, names)
        before = cast("dict[str, Found]", now.found.get((function, names), {}))
        if name in before:
            return before[name]
        said = function(name, names)
        if now.left >= 0:  # otherwise it may not have been compared with all of them
            now.found.setdefault((function, names), {})[name] = said
        return said

    return found


@once
def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like an unknown one: a slip of a letter or two, or much in common; or ``None``."""
    if spent(0):
        return None
    plain = flat(name)
    names = [each for each in known if not counted(name, each) and flat(each) != plain * 2]
    if spent(len(names) - compared(name, names)):
        return None
    best: tuple[int, int, str] | None = None
    others = {each for each in names if each != name}
    for each in sorted(others):
        far = apart(name, each)
        if far is not None:
            rank = (far, abs(len(each) - len(name)), each)
            best = rank if best is None else min(best, rank)
    if (best is None or best[0] > 1) and run_together(name, others):
        return None  # either of the two would leave out the other
    if best is not None:
        return best[2]
    return None if len(names) > MANY or len(name) > LONG else most_in_common(name, names)


def compared(name: str, names: Iterable[str]) -> int:
    """With how many of some names one has been compared before."""
    now = NOW.get()
    return 0 if now is None else sum((name, each) in now.letters for each in names)


def most_in_common(name: str, names: Iterable[str]) -> str | None:
    """The name that has most in common with another one, if that is enough."""
    # what all names of a group have in common makes a name like none of them
    group = name[: name.rfind(".") + 1]
    own = {each.removeprefix(group): each for each in names if each.startswith(group) and len(each) <= LONG}
    if not own:
        group, own = "", {each: each for each in names if len(each) <= LONG}
    now = NOW.get()
    shares = {} if now is None else now.shares
    rest = name.removeprefix(group)
    unseen = [each for each in own if (rest, each) not in shares]
    if spent(5 * len(unseen)):
        return None
    if unseen:
        import difflib  # slow to import, and a good spec never needs it

        matcher = difflib.SequenceMatcher(b=rest)
        for each in unseen:
            matcher.set_seq1(each)
            quick = min(matcher.real_quick_ratio(), matcher.quick_ratio())
            shares[rest, each] = matcher.ratio() if quick >= LIKE else quick
    share, found = max(((shares[rest, each], each) for each in own), default=(0.0, ""))
    return own[found] if share >= LIKE else None


@once
def as_near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The nearest name, and others that are as few letters away: `PST` is `POST` as likely as `PUT`."""
    names = [*known]
    first = nearest(name, names)
    if first is None:
        return ()
    far = apart(name, first)
    if far is None or spent(len(names) - compared(name, names)):
        return (first,)
    others = {each for each in names if each not in (name, first) and not counted(name, each)}
    return (first, *sorted(each for each in others if apart(name, each) == far))


def is_one_slip(name: str, names: Iterable[str]) -> bool:
    """Whether a name is one letter away from what it is most like, so that hardly another one is meant."""
    return any(apart(name, each) in {0, 1} for each in as_near(name, names))


def run_together(name: str, names: Set[str]) -> bool:
    """Whether a name is two of the known ones without anything between, as `leftright` is of `left` and `right`."""
    known = {each for each in names if len(each) > 2 and name.startswith(each)}
    return any(name[len(each) :] in names for each in known if name != each * 2)


def counted(name: str, other: str) -> bool:
    """Whether two names differ in their numbers only, and so are meant to be two: `Page` and `Page2`."""
    return (
        name != other
        and any(map(str.isdigit, name + other))
        and without_digits(name) == without_digits(other)
    )


def without_digits(name: str) -> str:
    return "".join([each for each in flat(name) if not each.isdigit()])


def apart(name: str, other: str) -> int | None:
    """How many letters apart two names are that may be meant to be one; ``None`` if they are too far apart for that."""
    now = NOW.get()
    if now is None:
        return letters_apart(name, other)
    if (name, other) not in now.letters:
        now.letters[name, other] = letters_apart(name, other)
    return now.letters[name, other]


def letters_apart(name: str, other: str) -> int | None:
    plain, there = flat(name), flat(other)
    if plain == there * 2 or there == plain * 2:  # put in twice
        return 1
    limit = 1 if len(plain) < 4 else 2 if len(plain) < 9 else 3
    if abs(len(there) - len(plain)) > limit or len(set(plain).symmetric_difference(there)) > 2 * limit:
        return None
    far = distance(plain, there, limit)
    if far <= limit and far < max(len(plain), len(there)) and (far <= 1 or akin(plain, there)):
        return far
    return None


def sure(name: str, meant: str, known: Iterable[str]) -> bool:
    """Whether an unknown name is so close to the known one, and to no other, that it can be corrected unasked.

    One slip is, of names of six letters and more two are: ``FETCH`` is two from ``PATCH`` and means something else. So
    does ``order_id`` beside ``OrderPaid``: who writes a name in another manner has not slipped twice as well.
    """
    names = set(known) - {name}
    if len(names) > MANY * 10 or spent(len(names)):
        return False
    plain = flat(name)
    limit = 1 if len(plain) < 6 or name[:1].isupper() != meant[:1].isupper() else 2
    near = {each for each in names if abs(len(flat(each)) - len(plain)) <= limit}
    return {each for each in near if distance(plain, flat(each), limit) <= limit} == {meant} and len(
        plain
    ) > 1


def flat(name: str) -> str:
    """A name without what people take for the same: capitals, `_`, `-` and spaces."""
    return name[:200].casefold().replace("_", "").replace("-", "").replace(" ", "")


def akin(one: str, other: str) -> bool:
    """Whether two short names have all letters but one in common; of longer ones that is not asked."""
    return len(one) > 4 or sum(one.count(each) > other.count(each) for each in set(one)) <= 1


def distance(one: str, other: str, limit: int) -> int:
    """How many letters must be changed, added, dropped or swapped with the next; any number over the limit is alike."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i, *[limit + 1] * len(other)]
        # what is further apart than the limit needs more changes than that
        for j in range(max(1, i - limit), min(len(other), i + limit) + 1):
            letter_there = other[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != letter_there))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == letter_there:
                cost = min(cost, earlier[j - 2] + 1)
            row[j] = cost
        if min(row) > limit:
            return limit + 1
    return row[-1]
