"""Joins that cancel the rest take nothing with them that anybody else waits for."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Join
from wfc.compiler.proof.net import Net, Way
from wfc.compiler.proof.paths import route, tell
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import runs as problems
from wfc.compiler.slotted import dataclass

__all__ = ["Lost", "lost", "nothing_else_is_cancelled"]


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that a join with `rest: cancel` may cut off, and that somebody else waits for.

    Args:
        node: The step that may be cancelled.
        way: The way by which it would have left.
        event: What of that would not have come to the join.
    """

    node: int
    way: Way
    event: str


def nothing_else_is_cancelled(subject: Subject, report: Report) -> None:
    """All that a join with `rest: cancel` may cancel leads to this join alone, or to an end."""
    for join in subject.net.forks:
        accepts = subject.step(join).accepts if join else None
        if not isinstance(accepts, Join) or accepts.rest != "cancel":
            continue
        found = lost(subject.net, join)
        if found is not None:
            name = subject.name(found.node)
            related = ((subject.way(found.node, found.way), f"here `{name}` sends `{found.event}`"),)
            place = Place((*accepts.address, "rest"))
            told = (
                f"{tell(subject.net, route(subject.net, found.node), found.node, found.way)} → {found.event}"
            )
            report(problems.rest_cancels_more(place, name, subject.name(join), found.event, told, related))


def lost(net: Net, join: int) -> Lost | None:
    """What else waits for the work that a join may cancel; ``None`` if nothing does.

    Then what is lost are events that would come to a join which has fired, and nobody can tell.
    """
    region = net.leading_to(join) | {join}
    for node in sorted(region - {join}):
        for way in net.units[node].ways:
            for event in (*way.singles, *way.batches):
                if any(target not in region for target in net.targets([event])):
                    return Lost(node, way, event)
            if way.ends and (way.singles or way.batches):
                return Lost(node, way, net.ends[0] if net.ends else "the end")
    return None
