"""How likely each passage of an order is the one that is asked for, by its score: what `hybrid` weighs places by.

Scores of words and of vectors cannot be compared. What can be is how unlikely a score would be by chance: a passage
that alone has all the rare words of a question hardly is there by chance, and one that has three words of every third
text is; nor is a vector that is five deviations nearer than others are. By Bayes' rule, each passage being as likely as
any other before, one whose score is ``exp(s)`` times as likely if it is meant than by chance has ``exp(s)`` of the sum
of all; those that are not in the list have what chance gives them together.

An order that is not even sure of its best has nothing to say against one that is: its places count less by the square
of the ratio. That and `_OTHER_WORDS` were chosen by five sets of made-up texts (`tests/bench/retrieval.py`); what is
near them does as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

__all__ = ["Usual", "beside_each_other", "likely_by_meaning", "likely_by_words", "usual_of_the_nearest"]


_OTHER_WORDS: Final = 0.25
"""By how much, as a logarithm, each word that no passage has makes it likelier that the question is in other words than
the passage that is meant."""


class Usual(NamedTuple):
    """What cosines the passages of an index have to a question.

    Args:
        mean: Of all cosines.
        spread: Their standard deviation.
        passages: How many there are.
    """

    mean: float
    spread: float
    passages: int


def likely_by_words(scores: Sequence[float], having: Sequence[int], count: int) -> list[float]:
    """Return how likely each passage is meant, by its score by words.

    A word that a share `p` of the passages has adds about ``log((1 - p) / p)`` to a score, as SQLite has it, so that by
    chance ``exp(score)`` is 1 on average for a word that nothing has, and ``2 * (1 - p)`` for another.

    Args:
        scores: Of the passages that were found.
        having: How many passages have each word of the question.
        count: How many passages there are.
    """
    chance = math.log(max(count, 1))
    for each in having:
        if not each:
            chance += _OTHER_WORDS
        elif each < count / 2:
            chance += math.log(2 * (1 - each / count))
    return _shares(scores, chance)


def beside_each_other(orders: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return how much each place counts, where several orders become one.

    Args:
        orders: How likely each passage of each is meant.
    """
    sure = [max(each, default=0.0) for each in orders]
    surest = max(sure) or 1.0
    return [[share * (own / surest) ** 2 for share in each] for each, own in zip(orders, sure, strict=True)]


def likely_by_meaning(scores: Sequence[float], usual: Usual) -> list[float]:
    """Return how likely each passage is meant, by its cosine.

    That a cosine is by chance grows less likely with the square of its distance from what is usual, as of any sum of
    many small things; of `count` of them the farthest is some ``sqrt(2 * log(count))`` deviations away.

    Args:
        scores: Of the passages that were found.
    """
    count = max(usual.passages, 1)
    chance = math.log(count) + math.log(0.5 + math.sqrt(math.log(count) / math.pi))
    spread = usual.spread or math.inf
    return _shares([max(each - usual.mean, 0.0) ** 2 / (2 * spread**2) for each in scores], chance)


def _shares(evidence: Sequence[float], chance: float) -> list[float]:
    """Return the share that each passage has of all, where those that are not in the list have one together."""
    most = max([chance, *evidence])
    whole = math.exp(chance - most) + sum(math.exp(each - most) for each in evidence)
    return [math.exp(each - most) / whole for each in evidence]


_FEW: Final = 8


def usual_of_the_nearest(cosines: Sequence[float], count: int) -> Usual:
    """Return what is usual by the nearest alone, where a store tells no more: by the worst of them and the middle one.

    Args:
        cosines: Best first.
        count: How many passages there are.
    """
    many = len(cosines)
    if many < _FEW:
        return Usual(0.0, 0.0, count)
    if many >= count:
        mean = math.fsum(cosines) / many
        return Usual(mean, math.sqrt(math.fsum((each - mean) ** 2 for each in cosines) / many), count)
    normal = NormalDist()
    low, middle = (normal.inv_cdf(1 - each / (count + 1)) for each in (many, many // 2))
    spread = max(cosines[many // 2 - 1] - cosines[-1], 0.0) / (middle - low)
    return Usual(cosines[-1] - spread * low, spread, count)
