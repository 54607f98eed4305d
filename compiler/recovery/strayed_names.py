"""Names that are not found where they are declared, and stand as a key somewhere else: none is corrected unasked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from wfc.compiler.diagnostics import Address, Finding
from wfc.compiler.recovery.sections import SECTIONS
from wfc.compiler.recovery.suspicion import Data, walk
from wfc.compiler.slotted import replace
from wfc.compiler.yaml import Document

__all__ = ["STRANGE", "named_by_environment", "where_declared", "with_strayed"]

STRANGE: Final = frozenset({"unknown-entry", "unknown-key"})
"""Findings at keys that nobody knows at their place."""
OF_FIELD: Final = re.compile(r"`(config|state|inputs)` has no field ")
DEEPEST: Final = 5


def where_declared(finding: Finding, data: Data) -> Address:
    """Return the map in which a name is declared that a finding misses; empty if that is not known."""
    if finding.code == "unknown-field" and (found := OF_FIELD.match(finding.message)):
        if found[1] != "inputs":
            return (found[1],)
        start = data.get("start")
        return ("events", start) if isinstance(start, str) else ()
    section = SECTIONS.get(finding.code, "")
    return (section,) if section else ()


def with_strayed(findings: Sequence[Finding], document: Document) -> list[Finding]:
    """Return findings about names that are keys elsewhere with that place in their hints, and without safe fixes."""
    data = document.data
    wanted = {
        name
        for each in findings
        if each.code == "unknown-field" or each.code in SECTIONS
        for name in each.about
    }
    if not wanted or not isinstance(data, dict):
        return [*findings]
    keys: dict[str, list[Address]] = {}
    for section, content in data.items():
        below = () if section == "tests" else walk(content, (section,), DEEPEST)
        for address in ((section,), *(address for address, _ in below)):
            if address[-1] in wanted:
                keys.setdefault(str(address[-1]), []).append(address)
    strange = {each.place.address for each in findings if each.code in STRANGE and each.place.part == "key"}
    return [strayed(each, keys, strange, document) if each.about else each for each in findings]


def strayed(
    finding: Finding, keys: Mapping[str, list[Address]], strange: set[Address], document: Document
) -> Finding:
    """Return the finding about a name, if that is a key elsewhere, with what to do about that key."""
    name, data = finding.about[0], document.data
    found = keys.get(name, ())
    if (
        not found
        or not isinstance(data, dict)
        or (finding.code not in SECTIONS and finding.code != "unknown-field")
    ):
        return finding
    owner, fix = where_declared(finding, data), finding.fix
    if fix is not None and fix.applicability == "safe":
        finding = replace(finding, fix=replace(fix, applicability="unsafe"))
    lost = [each for each in found if each in strange or (owner and is_too_deep(each, owner))]
    if not owner or len(lost) != 1:
        return finding
    hint = f"`{name}` is a key in line {document.line(lost[0])}, at another level: if that is meant, it belongs under"
    hint = f"{hint} `{owner[-1]}`"
    return replace(finding, hint="; ".join(filter(None, [hint, finding.hint])))


def named_by_environment(finding: Finding, data: Data) -> Finding:
    """Return the finding about a secret whose fix is certain only if others use the name as it is declared: one of the
    two is that of the environment's variable, and only the author knows which.
    """
    fix = finding.fix
    if fix is None or fix.applicability != "safe" or not finding.about:
        return finding
    name, meant = finding.about[0], fix.edits[0].new
    is_used = any(
        value == meant
        for section in data
        if section != "secrets"
        for _, value in walk(data[section], (section,))
    )
    if is_used and name.casefold() != meant.casefold():
        return finding
    hint = f"{finding.hint} if the variable of the environment is called `{name}`, write that under `secrets`"
    return replace(finding, hint=hint, fix=replace(fix, applicability="unsafe"))


def is_too_deep(address: Address, owner: Address) -> bool:
    """Return whether a key stands further in than the declarations of its section."""
    return (
        len(address) > len(owner) + 1 and address[: len(owner)] == owner and owner[0] in {"config", "state"}
    )
