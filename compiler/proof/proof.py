"""Rule 4: no `all` join waits for an event that cannot come, and none receives two in one frame."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from wfc.compiler.proof.net import Net
from wfc.compiler.proof.outcomes import Outcomes, TooMany, Trace
from wfc.compiler.slotted import dataclass

__all__ = ["Failure", "prove"]

ONE = 1
MANY = 2


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a join is not proven.

    Args:
        kind: ``starves`` (some of its events come, others don't), ``overfills`` (one comes twice), ``itself``
            (its own output comes back to it), ``circle`` (joins wait for each other), ``complex`` (too many
            courses to look at).
        slot: Of the event that is missing, or that comes twice.
        trace: A course that shows it, from the fork on.
        circle: The joins of a ``circle``, or the one that feeds ``itself``.
    """

    kind: Literal["starves", "overfills", "itself", "circle", "complex"]
    join: int
    slot: int = 0
    trace: Trace | None = None
    circle: tuple[int, ...] = ()


def prove(net: Net) -> list[Failure]:
    """Prove every join, each after those that it leans on; what cannot be proven, and why.

    A join may lean only on joins already proven: were two to vouch for each other, both could wait for ever. As every
    join of a circle would also feed itself, those are found first, and the rest have an order.
    What reaches a join that failed is excused for the sake of the rest, so that one mistake is one finding.
    """
    joins = [node for node in sorted(net.forks) if net.units[node].form == "all" and node in net.alive]
    failures = list(_feeding_themselves(net, joins))
    given_up = {join for failure in failures for join in failure.circle}
    trusted = {join for join in joins if net.units[join].timed}
    pending = [join for join in joins if join not in given_up]
    leans = {join: _leans(net, join) for join in pending}
    while pending:
        failed: list[Failure] = []
        before = len(pending)
        for join in list(pending):
            if leans[join] <= trusted | given_up:
                failure = _examine(net, join, trusted, given_up)
                if failure is None:
                    pending.remove(join)
                    trusted.add(join)
                else:
                    failed.append(failure)
        if len(pending) == before:
            assert failed, "joins that do not feed themselves have an order"
            failures += failed
            given_up.update(failure.join for failure in failed)
            pending = [join for join in pending if join not in given_up]
    return failures


def _feeding_themselves(net: Net, joins: list[int]) -> Iterator[Failure]:
    """Joins to which their own output comes back within the frame, those of one circle together."""
    itself = [join for join in joins if join in net.leading_to(join)]
    told: set[int] = set()
    for join in itself:
        if join not in told:
            circle = [
                each for each in itself if each in net.leading_to(join) and join in net.leading_to(each)
            ]
            told.update(circle)
            yield Failure("itself" if len(circle) == 1 else "circle", join, circle=tuple(circle))


def _leans(net: Net, join: int) -> frozenset[int]:
    """The `all` joins without a time-out through which the tokens of a join may have come within its frame."""
    return frozenset(
        node
        for node in net.leading_to(join)
        if net.units[node].form == "all" and not net.units[node].timed and node in net.alive and node != join
    )


def _examine(net: Net, join: int, trusted: Collection[int], given_up: Collection[int]) -> Failure | None:
    """Look at every vector that one frame can bring to an `all` join: first those courses alone that lead to it."""
    narrow = _judge(net, join, trusted, given_up, narrow=True)
    return narrow and _judge(net, join, trusted, given_up, narrow=False)


def _judge(
    net: Net, join: int, trusted: Collection[int], given_up: Collection[int], *, narrow: bool
) -> Failure | None:
    try:
        outcomes = Outcomes(net, net.forks[join], join, trusted, given_up, narrow=narrow)
        outcome = outcomes.of_root()
    except TooMany:
        return Failure("complex", join)
    for vector, trace in outcome.open.items():
        slots = outcomes.slots(vector, join)
        if MANY in slots:
            return Failure("overfills", join, slots.index(MANY), trace)
        if not net.units[join].timed and ONE in slots and 0 in slots:
            return Failure("starves", join, slots.index(0), trace)
    if outcome.ended is not None:
        slots = outcomes.slots(outcome.ended, join)
        if MANY in slots:
            return Failure("overfills", join, slots.index(MANY))
    return None
