"""Problems in policies: their shape, and their rules."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem

__all__ = ["wrong_policy"]


@problem
def wrong_policy(place: Place, why: str, hint: str = "") -> Finding:
    """A policy says something that cannot be understood, or that cannot be held against workflows.

    A policy has `policy: 1` and `rules`. Each rule says of what it is asked (`each: step`), of which of these
    (`where`), and what must hold: `require`, or `only_after` for what must have happened before on each path. Both are
    expressions as in specs, over what is known of a workflow; `wfc policy facts` shows that. Rules are worked out
    without running anything, and one that would take too much work is told here too.
    """
    return Finding("wrong-policy", why, place, hint)
