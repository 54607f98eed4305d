"""Rules about whole workflows that are new, gone, or called otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wfc.compiler.review.changes import Level, SpecChange, rule
from wfc.compiler.review.pair import Facts, Pair

__all__ = ["added", "changes_of_name", "changes_of_what_is_called", "removed"]

workflow_added = rule(
    "workflow-added",
    "callers",
    Level.INFO,
    """There is a workflow that there was not before.

All that it reaches is told as newly reached.""",
    mirror="workflow-removed",
)

workflow_removed = rule(
    "workflow-removed",
    "callers",
    Level.BREAK,
    """A workflow is gone.

Whoever starts it by its name, and every workflow that calls it, fails from now on. Runs of it that are paused stay on
the code that they have, as long as that is kept.""",
    mirror="workflow-added",
)

workflow_renamed = rule(
    "workflow-renamed",
    "callers",
    Level.BREAK,
    """A workflow has another name.

It is called by its name: by other workflows, by programs, by triggers, and by the store that knows its runs.""",
    no_mirror="the opposite of a new name is another new name",
)


called_changed = rule(
    "called-workflow-changed",
    "reviewers",
    Level.INFO,
    """A workflow that this one calls means something else than before.

Whoever knows this workflow and not that one learns of it here; what has changed is told with that one.""",
    no_mirror="the opposite of such a change is another one",
)

_TOUCHES_NO_CALLER = frozenset(
    "test-added test-removed test-weakened test-changed description-changed suppression-added suppression-removed "
    "flow-renamed called-workflow-changed version-changed version-not-raised".split()
)


def changes_of_what_is_called(
    caller: Facts, changes: Mapping[str, Sequence[SpecChange]]
) -> Iterator[SpecChange]:
    """Yield the steps of a workflow that call one of which something is told.

    Args:
        changes: What is told, by the workflow's name.
    """
    for name, step in caller["steps"].items():
        for called in step["reaches"].get("workflows", ()):
            told = [each for each in changes.get(called, ()) if each.rule not in _TOUCHES_NO_CALLER]
            if not told or called == caller["workflow"]:
                continue
            more = f", and {len(told) - 1} more" if len(told) > 1 else ""
            yield called_changed.found(
                str(caller["workflow"]),
                f"steps.{name}.calls.{called}",
                f"`{name}` calls `{called}`, of which is told: {told[0].told}{more}",
                after=" ".join(sorted(each.fingerprint for each in told)),
                new=step["at"],
            )


def added(new: Facts) -> Iterator[SpecChange]:
    """Yield that a workflow is new."""
    name = str(new["workflow"])
    told = f"the workflow `{name}` is new"
    yield workflow_added.found(name, "workflow", told, after=name, new=new["at"])


def removed(old: Facts) -> Iterator[SpecChange]:
    """Yield that a workflow is gone."""
    name = str(old["workflow"])
    told = f"the workflow `{name}` is gone"
    yield workflow_removed.found(
        name, "workflow", told, before=name, old=old["at"], advice="keep it until nobody calls it any more"
    )


def changes_of_name(pair: Pair) -> Iterator[SpecChange]:
    """Yield that a workflow has another name."""
    before, after = str(pair.old["workflow"]), str(pair.new["workflow"])
    if before != after:
        told = f"the workflow `{before}` is called `{after}` now"
        yield workflow_renamed.found(
            pair.name,
            "workflow",
            told,
            before=before,
            after=after,
            old=pair.old["at"],
            new=pair.new["at"],
            advice="let whoever calls it know the new name first",
        )
