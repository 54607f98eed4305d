"""Fields as state machines of Amazon give them, `order_id.$: $.order_id`: what is written here instead."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.expressions import Scope, parse_expression
from wfc.compiler.slotted import replace

__all__ = ["given_by_path"]

PATH: Final = re.compile(r"\$(?P<context>\$\.Execution\.Input)?(?P<path>(?:\.[^\W\d]\w*)+)")
ROOTS: Final = ("event", "events", "result")
"""Where a path may lead; there it begins in what the state is given, which its own result may have changed."""


def given_by_path(finding: Finding, name: str, value: object, place: Place, scope: Scope) -> Finding:
    """Return the finding about a field that is not there, with its value as an expression, if that is known."""
    if scope.names.keys().isdisjoint((*ROOTS, "inputs")):
        return finding  # nothing is worked out there, as in a test
    written = PATH.fullmatch(value) if isinstance(value, str) else None
    known = [] if written is None else meant(written, place, scope)
    if not known:
        return replace(finding, hint=f'a value is put in by `{name}: "${{{{ … }}}}"`', fix=None)
    hint = f'write `{name}: "{known[0]}"`' + "".join(f', or `"{each}"`' for each in known[1:])
    edits = (Edit(place.key, name), Edit(Place(place.address), known[0]))
    return replace(finding, hint=hint, fix=Fix(hint, edits) if len(known) == 1 else None)


def meant(written: re.Match[str], place: Place, scope: Scope) -> list[str]:
    """Return the expressions that a path may be meant as: those that lead to a field that is there."""
    groups = [("inputs",)] if written["context"] else [ROOTS, ("inputs",)]
    for roots in groups:
        paths = [f"{root}{written['path']}" for root in roots if root in scope.names]
        if known := [f"${{{{ {each} }}}}" for each in paths if is_known(each, place, scope)]:
            return known
    return []


def is_known(words: str, place: Place, scope: Scope) -> bool:
    """Return whether a path leads to a field that is there."""
    found: list[Finding] = []
    parse_expression(words, place, scope, found.append)
    return not found
