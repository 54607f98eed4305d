"""Names with a bracket in the place of their colon, as in `Asked{ {name: string}`: YAML reads all of it as a key.

So it does where the colon stands before the name: `:Asked {name: string}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, renamed, with_value
from wfc.compiler.rules import names as problems
from wfc.compiler.slotted import replace

__all__ = ["torn_keys"]

TORN: Final = re.compile(r":?(?P<name>[A-Za-z]\w*+) *+(?:[^\w\s:{\[] *+)?[{\[][ :{\[]*+(?P<key>\w+)")


def torn_keys(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a bracket in a key stands in the place of a colon, or that the two have changed places."""
    for each in findings:
        address, owner = each.place.address, at(data, each.place.address[:-1])
        torn = TORN.fullmatch(address[-1]) if address and isinstance(address[-1], str) else None
        value = at(data, address)
        if (
            torn is None
            or not isinstance(value, str)
            or not value.endswith("}")
            or not isinstance(owner, dict)
        ):
            continue
        name, key, inner = torn["name"], torn["key"], value.removesuffix("}").rstrip()
        if name in owner:
            continue
        finding = problems.bad_name(Place(address, "key"), str(address[-1]), "a bracket opens in it")
        finding = replace(finding, hint=f"write `{name}: {{{key}: {inner}}}`", fix=None)
        changed = with_value(renamed(data, address, name), (*address[:-1], name), {key: inner})
        yield Suspicion(finding, changed, explains=1)
