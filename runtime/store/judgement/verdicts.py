"""What a judgement says: one verdict for each thing that a change of the workflow means for a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from wfc.runtime.store.judgement.moves import Moves

__all__ = ["Judgement", "Verdict", "migrated", "noted", "refused"]


class Verdict(NamedTuple):
    """What one change means for a run.

    Args:
        rule: The id of the rule.
        means: ``refused``: the run cannot go on; ``migrated``: what it has is converted; ``noted``: it goes on, and
            something is to be known.
        told: The change and its consequence, in the words of the workflow's author.
        advice: What can be done about it; empty: nothing need be.
    """

    rule: str
    means: Literal["refused", "migrated", "noted"]
    told: str
    advice: str = ""


class Judgement(NamedTuple):
    """Whether a run may go on under another version of its workflow."""

    moves: Moves
    verdicts: tuple[Verdict, ...]

    @property
    def refusals(self) -> list[Verdict]:
        """The reasons for which the run cannot go on; none: it can."""
        return [one for one in self.verdicts if one.means == "refused"]


def refused(rule: str, told: str, advice: str = "") -> Verdict:
    """Return a verdict by which a run cannot go on."""
    return Verdict(rule, "refused", told, advice)


def migrated(rule: str, told: str) -> Verdict:
    """Return a verdict by which something of a run is converted."""
    return Verdict(rule, "migrated", told)


def noted(rule: str, told: str) -> Verdict:
    """Return a verdict by which a run goes on, although something is to be known."""
    return Verdict(rule, "noted", told)


def in_words(names: Iterable[str]) -> str:
    """Return names as people list them."""
    return " and ".join(f"`{name}`" for name in names)
