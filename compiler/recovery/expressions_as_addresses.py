"""Addresses that are none because an expression in them is written as in other systems: one mistake, told once."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding
from wfc.compiler.slotted import replace

__all__ = ["with_expressions_in_addresses"]

AS_TEXT = frozenset({"expression-as-text", "statement-elsewhere"})


def with_expressions_in_addresses(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings of which those about an address say how the expression in it is written, without another one."""
    wrong = {each.place.address for each in findings if each.code == "bad-url"}
    written = {
        each.place.address: each for each in findings if each.code in AS_TEXT and each.place.address in wrong
    }
    if not written:
        return [*findings]
    left = [each for each in findings if each not in written.values()]
    return [
        replace(each, hint=about.hint, fix=about.fix)
        if each.code == "bad-url" and (about := written.get(each.place.address)) is not None
        else each
        for each in left
    ]
