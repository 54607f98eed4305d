"""Problems with agents, and collections of texts that can be searched."""

from __future__ import annotations

from collections.abc import Iterable

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name

__all__ = ["approves_no_tool"]


@problem
def approves_no_tool(place: Place, name: str, known: Iterable[str]) -> Finding:
    """`approve` names something that is not among the agent's tools.

    `approve` lists those of an agent's `tools` whose use a person must allow each time. What the agent cannot use,
    nobody needs to allow; most often it is a slip, and the tool that was meant would be used without asking. Write
    the name as it stands under `tools`.
    """
    names = list(known)
    return Finding(
        "approves-no-tool",
        f"`{name}` is not among the tools here",
        place,
        closest(name, names),
        fix=correct_name(place, name, names),
    )
