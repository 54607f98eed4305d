"""What a change of a workflow means for runs wherever they may stand, told from the two plans alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wfc.runtime.store.judgement.conversions import Conversion
from wfc.runtime.store.judgement.judging import judge_by
from wfc.runtime.store.judgement.missed_rules import judge_missed
from wfc.runtime.store.judgement.moves import Description, Moves
from wfc.runtime.store.judgement.position import RunPosition
from wfc.runtime.store.judgement.resting import Filled, RestingPlace, joined, resting_places
from wfc.runtime.store.judgement.verdicts import Verdict

__all__ = ["Foretold", "foretell"]


class Foretold(NamedTuple):
    """What a change means for some runs.

    Args:
        verdict: As it is given of each of them.
        places: Where they stand, as steps and what they do there; empty: it is so of all runs.
    """

    verdict: Verdict
    places: tuple[tuple[str, str], ...]


def foretell(
    old: Description,
    new: Description,
    *,
    moved: Mapping[str, str],
    removed: Collection[str],
    conversions: Collection[Conversion],
    filled: Filled,
) -> list[Foretold]:
    """Return what the judgement says of runs of a plan that may go on under another one, wherever they may stand.

    Args:
        filled: The fields of forms that questions name, by step.
    """
    if old == new:
        return []
    moves = Moves(old, new, moved, removed, conversions)
    places = list(resting_places(old, filled))

    def judged(position: RunPosition) -> dict[Verdict, None]:
        return dict.fromkeys(one for one in judge_by(moves, position) if one.rule != "new-step-missed")

    everywhere = judged(RunPosition(has_begun=False, values=frozenset(old["starts"])))
    found: dict[Verdict, dict[tuple[str, str], None]] = {one: {} for one in everywhere}
    for place, verdicts in _told(places, judged, everywhere):
        for one in (*verdicts, *judge_missed(moves, place.position)):
            if one not in everywhere:
                found.setdefault(one, {})[place.step, place.at] = None
    return [Foretold(verdict, tuple(stands)) for verdict, stands in found.items()]


def _told(
    places: Sequence[RestingPlace],
    judged: Callable[[RunPosition], Mapping[Verdict, None]],
    everywhere: Mapping[Verdict, None],
) -> Iterator[tuple[RestingPlace, Collection[Verdict]]]:
    """Yield the places with what is said of each; those of which nothing is said are judged together."""
    for way in dict.fromkeys(place.position.way for place in places):
        waiting = [[place for place in places if place.position.way == way]]
        while waiting:
            group = waiting.pop()
            verdicts = judged(joined(group))
            if len(group) == 1 or verdicts.keys() <= everywhere.keys():
                yield from ((place, verdicts) for place in group)
            else:
                half = len(group) // 2
                waiting += [group[half:], group[:half]]
