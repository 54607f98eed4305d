"""Joins that cancel the rest take nothing with them that anybody else waits for."""

from __future__ import annotations

from wfc.compiler.check.net import Way
from wfc.compiler.check.subject import Subject
from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.nodes import Join
from wfc.compiler.problems import runs as problems

__all__ = ["nothing_else_is_cancelled"]


def nothing_else_is_cancelled(subject: Subject, report: Report) -> None:
    """All that a join with `rest: cancel` may cancel leads to this join alone, or to an end.

    Then what is lost are events that would come to a join which has fired, and nobody can tell.
    """
    net = subject.net
    for join in net.forks:
        accepts = subject.step(join).accepts if join else None
        if not isinstance(accepts, Join) or accepts.rest != "cancel":
            continue
        region = net.leading_to(join) | {join}
        for node in sorted(net.leading_to(join) - {join}):
            found = next(
                (lost for way in net.units[node].ways if (lost := _elsewhere(subject, way, region))), None
            )
            if found is not None:
                event, way = found
                related = ((subject.way(node, way), f"here `{subject.name(node)}` sends `{event}`"),)
                place = Place((*accepts.address, "rest"))
                report(
                    problems.rest_cancels_more(place, subject.name(node), subject.name(join), event, related)
                )
                break


def _elsewhere(subject: Subject, way: Way, region: frozenset[int]) -> tuple[str, Way] | None:
    """An event of a way that does not lead to the join, beside others that may."""
    net = subject.net
    for event in (*way.singles, *way.batches):
        if any(target not in region for target in net.targets([event])):
            return event, way
    if way.ends and (way.singles or way.batches):
        return net.ends[0] if net.ends else "the end", way
    return None
