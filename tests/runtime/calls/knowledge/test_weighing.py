"""How much the places of each order count in `hybrid`."""

from __future__ import annotations

import math
import random
from statistics import NormalDist, fmean, pstdev

import pytest

from wfc.runtime.calls.knowledge.weighing import (
    Usual,
    beside_each_other,
    likely_by_meaning,
    likely_by_words,
    usual_of_the_nearest,
)


def idf(having: int, count: int) -> float:
    return math.log((count - having + 0.5) / (having + 0.5))


@pytest.mark.parametrize(
    ("asked", "found", "least", "most"),
    [
        ([1], [[1]], 0.2, 0.5),  # one text has the one word; chance would give it to some text, too
        ([1, 1], [[1, 1]], 0.99, 1.0),
        ([1, 1], [[1, 1], [1]], 0.99, 1.0),
        ([2, 2], [[2, 2], [2, 2]], 0.45, 0.5),  # two texts have both, and share what there is
        ([300, 300, 300], [[300, 300, 300]], 0.0, 0.05),  # words of every seventh text
        ([300, 300, 300, 0, 0, 0], [[300, 300, 300]], 0.0, 0.05),  # and the words of the matter are in none
        ([1900], [[1900]], 0.0, 0.001),
        ([], [], 0, 0),
        ([3] * 200, [[3] * 200], 0.99, 1.0),  # nothing overflows
    ],
)
def test_what_hardly_is_there_by_chance_is_believed(
    asked: list[int], found: list[list[int]], least: float, most: float
) -> None:
    scores = [sum(max(idf(having, 2000), 1e-6) for having in words) for words in found]
    likely = likely_by_words(scores, asked, 2000)
    assert all(least <= each <= most for each in likely[:1]) and len(likely) == len(found)
    assert math.fsum(likely) <= 1
    assert likely == sorted(likely, reverse=True)


@pytest.mark.parametrize(
    ("deviations", "least", "most"),
    [
        ([6.0], 0.99, 1.0),
        ([5.0, 3.3, 3.2], 0.9, 1.0),
        ([3.4, 3.3, 3.2], 0.0, 0.1),  # the best of 2,000 are about so far away by chance
        ([6.0, 6.0], 0.49, 0.5),
        ([-1.0], 0.0, 0.001),
        ([], 0, 0),
    ],
)
def test_what_is_farther_from_the_usual_than_chance_has_it_is_believed(
    deviations: list[float], least: float, most: float
) -> None:
    usual = Usual(0.1, 0.05, 2000)
    likely = likely_by_meaning([usual.mean + usual.spread * each for each in deviations], usual)
    assert all(least <= each <= most for each in likely[:1]) and len(likely) == len(deviations)
    assert math.fsum(likely) <= 1


def test_words_that_no_text_has_make_other_words_likelier() -> None:
    scores, asked = [idf(300, 2000) * 3], [300, 300, 300]
    beliefs = [likely_by_words(scores, [*asked, *[0] * count], 2000)[0] for count in range(5)]
    assert beliefs == sorted(beliefs, reverse=True) and beliefs[0] > 2 * beliefs[4] > 0
    rare = [idf(1, 2000) * 2]
    assert likely_by_words(rare, [1, 1, 0, 0], 2000)[0] > 0.99  # what is sure stays so


@pytest.mark.parametrize(
    ("orders", "counts"),
    [
        ([[0.8, 0.1], [0.4, 0.2]], [[0.8, 0.1], [0.1, 0.05]]),
        ([[0.4], [0.4]], [[0.4], [0.4]]),
        ([[0.5, 0.2], []], [[0.5, 0.2], []]),
        ([[0.0], [0.0]], [[0.0], [0.0]]),
        ([[], []], [[], []]),
    ],
)
def test_the_order_that_is_less_sure_of_its_best_counts_less(
    orders: list[list[float]], counts: list[list[float]]
) -> None:
    found = beside_each_other(orders)
    assert [pytest.approx(each) for each in counts] == found


@pytest.mark.parametrize("usual", [Usual(0.0, 0.0, 0), Usual(0.5, 0.0, 3), Usual(1.0, 0.0, 1)])
def test_where_nothing_is_known_all_are_as_likely(usual: Usual) -> None:
    first, second = likely_by_meaning([0.9, 0.5], usual)
    assert first == second and 0 < first <= 0.5


def test_the_nearest_alone_tell_what_is_usual() -> None:
    rng = random.Random(7)  # noqa: S311
    cosines = sorted((rng.gauss(0.2, 0.05) for _ in range(20_000)), reverse=True)
    told = usual_of_the_nearest(cosines[:100], len(cosines))
    assert told.mean == pytest.approx(0.2, abs=0.05) and told.spread == pytest.approx(0.05, rel=0.3)
    usual_of_all = usual_of_the_nearest(cosines, len(cosines))
    assert usual_of_all == pytest.approx((fmean(cosines), pstdev(cosines), len(cosines)))
    exact = [NormalDist().inv_cdf(1 - each / 1001) for each in range(1, 1001)]
    assert usual_of_the_nearest(exact[:200], 1000)[:2] == pytest.approx((0, 1), abs=0.02)
    assert usual_of_the_nearest([0.9] * 20, 1000).spread == 0
    assert usual_of_the_nearest([0.9] * 3, 1000) == Usual(0.0, 0.0, 1000)
