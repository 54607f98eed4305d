"""Keys of a step at the left edge, as `with:`, under which YAML reads the steps that follow as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.moved_blocks import is_step
from wfc.compiler.recovery.suspicion import Data, Suspicion
from wfc.compiler.rules import shape as problems
from wfc.compiler.schema.expansion import schema

__all__ = ["keys_at_the_edge"]


def keys_at_the_edge(data: Data, _: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a key at the top with steps below it is one of the last step above it."""
    steps, known = data.get("steps"), schema()["$defs"]["spec"]["properties"]
    if not isinstance(steps, dict) or not steps:
        return
    name, owner = list(steps.items())[-1]
    for key, content in data.items():
        if key in known or not isinstance(content, dict) or not isinstance(owner, dict) or key in owner:
            continue
        following = {each: step for each, step in content.items() if is_step(step) and each not in steps}
        if following:
            yield suspicion(data, str(name), key, following)


def suspicion(data: Data, name: str, key: str, following: dict[str, Any]) -> Suspicion:
    """Return the suspicion that a key belongs to a step, and that others follow on that."""
    finding = problems.misplaced_key(
        Place((key,), "key"),
        f"`{key}` stands at the top, and seems to belong among the keys of step `{name}`",
        f"indent it as far as the other keys of `{name}`",
    )
    own = {each: value for each, value in data[key].items() if each not in following}
    steps = {**data["steps"], name: {**data["steps"][name], key: own}, **following}
    moves: list[tuple[Address, Address]] = [((key,), ("steps", name, key))]
    moves += [((key, each), ("steps", each)) for each in following]
    left = {each: value for each, value in data.items() if each != key}
    return Suspicion(finding, {**left, "steps": steps}, tuple(moves), 2)
