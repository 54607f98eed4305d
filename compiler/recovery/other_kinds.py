"""Steps that have the keys of another kind than their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.rules import shape as problems
from wfc.compiler.schema.expansion import validator

__all__ = ["other_kinds"]

MOST_STEPS: Final = 4
OF_WAIT: Final = frozenset({"on_timeout", "within"})
"""Keys of how long something is waited for, which an agent has too."""


def other_kinds(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect another kind of a step, or of the action of a `map`, with keys that its own kind does not know."""
    owners: dict[Address, list[str]] = {}
    for each in findings:
        owner = each.place.address[:-1]
        if each.code == "unknown-key" and (len(owner) == 2 or owner[-1:] == ("do",)) and owner[0] == "steps":
            owners.setdefault(owner, []).append(str(each.place.address[-1]))
    lacking = {key for each in findings if each.code == "missing-key" for key in each.about}
    for owner, strange in list(owners.items())[:MOST_STEPS]:
        step = at(data, owner)
        if not lacking.isdisjoint(strange):
            continue  # something else lacks it, from which it may have been moved
        kind = step.get("kind") if isinstance(step, dict) else None
        if not isinstance(kind, str):
            continue
        if kind == "transform" and strange == ["with"]:
            continue  # fields of the event that it emits, as every kind but this one has other values under `with`
        if kind == "llm" and OF_WAIT.issuperset(strange):
            continue  # a bound of its time, which is its `timeout`
        address = (*owner, "kind")
        ways = [
            (each, with_value(data, address, each))
            for each in fitting(step, "step" if len(owner) == 2 else "action")
        ]
        for index, (other, changed) in enumerate(ways):
            finding = problems.other_kind(Place(address), kind, strange, other)
            yield Suspicion(finding, changed, explains=len(strange), rivals=tuple(ways[index + 1 :]))


def fitting(step: dict[str, object], noun: str) -> list[str]:
    """Return the other kinds of which a step would have the right keys."""
    definitions = validator().definitions
    kinds = definitions["step" if noun == "step" else "map_action"]["properties"]["kind"]["enum"]
    return [
        kind
        for kind in kinds
        if kind != step["kind"] and validator().definition(f"{kind}_{noun}")({**step, "kind": kind})
    ]
