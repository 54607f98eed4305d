"""Misspelt names of declarations, detected by similar names that are used and not declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, renamed, walk, with_value
from wfc.compiler.rules import names as problems
from wfc.compiler.rules.spelling import apart
from wfc.compiler.slotted import replace

__all__ = ["misspelt_declarations"]

SECTIONS = frozenset(
    {"agents", "config", "events", "knowledge", "models", "texts", "resources", "retries", "state", "steps",
     "threads", "tools", "types"}
)  # fmt: skip
WITH_FIELDS = frozenset({"events", "types"})
HOLD_FIELDS = frozenset({"output", "form"})
STYLES = frozenset({"bad-name", "not-pascal-case", "not-snake-case"})
NOT_FOUND = frozenset(
    {"missing-entry", "result-without-field", "unfilled-field", "unknown-agent", "unknown-entry", "unknown-event",
     "unknown-field", "unknown-knowledge", "unknown-model", "unknown-text", "unknown-retry", "unknown-secret",
     "unknown-state-field", "unknown-step", "unknown-test", "unknown-thread", "unknown-tool", "unknown-type"}
)  # fmt: skip
MOST_NAMES = 20
MOST_PLACES = 3
NOUNS = {
    "agents": "agent",
    "knowledge": "collection",
    "models": "model",
    "texts": "prompt",
    "resources": "resource",
    "retries": "retry policy",
    "state": "state field",
    "steps": "step",
    "threads": "thread",
    "tools": "tool",
}
"""What messages call the declarations of a section."""


def misspelt_declarations(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect declared names that are similar to one which is used and not declared."""
    errors = [each for each in findings if each.severity is Severity.ERROR]
    missing = Counter(name for each in errors if each.code in NOT_FOUND for name in each.about)
    for each in errors:
        if each.code == "unknown-key" and each.place.part == "key" and each.place.address:
            missing.pop(str(each.place.address[-1]), None)  # it is written, at another place than it belongs
    styles = {each.place.address: each for each in errors if each.code in STYLES}
    declared = list(declarations(data)) if missing else []
    for name, _ in missing.most_common(MOST_NAMES):
        near = sorted(
            (far, len(address), index)
            for index, (address, each) in enumerate(declared)
            if (far := apart(name, each)) is not None and not is_declared(data, address, name)
        )
        for *_, index in near[:MOST_PLACES]:
            address, written = declared[index]
            uses = [each.place for each in errors if name in each.about and each.code != "unfilled-field"]
            found = suspicion(data, address, written, name, uses, styles.get(address))
            if address[0] == "secrets":
                found = named_outside(found)
            yield found if missing.keys() <= {name, written} else with_care(found)


def declarations(data: Data) -> Iterator[tuple[Address, str]]:
    """Generate a spec's declarations by name: entries, and fields of events, types, results and forms."""
    for section in sorted(SECTIONS & data.keys()):
        for address, _ in walk(data[section], (section,)):
            name = address[-1]
            if not isinstance(name, str):
                continue
            if (
                len(address) == 2
                or section in WITH_FIELDS
                or (len(address) > 3 and HOLD_FIELDS & set(address[:-1]))
            ):
                yield address, name
    secrets = data.get("secrets")
    for index, name in enumerate(secrets if isinstance(secrets, list) else ()):
        if isinstance(name, str):
            yield ("secrets", index), name


def is_declared(data: Data, address: Address, name: str) -> bool:
    """Return whether a name is already declared beside another one."""
    owner = at(data, address[:-1])
    return isinstance(owner, (dict, list)) and name in owner


def with_care(found: Suspicion) -> Suspicion:
    """Return a suspicion whose fix nobody applies unasked: other names may be the mistake."""
    fix = found.finding.fix
    if fix is None or fix.applicability != "safe":
        return found
    return replace(found, finding=replace(found.finding, fix=replace(fix, applicability="unsafe")))


def named_outside(found: Suspicion) -> Suspicion:
    """Return a suspicion about a secret with whose name that is: either may be that of the environment."""
    hint = f"{found.finding.hint} a secret has the name of the variable of the environment that holds it"
    return with_care(replace(found, finding=replace(found.finding, hint=hint)))


def suspicion(
    data: Data, address: Address, written: str, name: str, uses: list[Place], style: Finding | None
) -> Suspicion:
    by_key = isinstance(address[-1], str)
    place = Place(address, "key" if by_key else "value")
    if style is None:
        finding = problems.misspelt_declaration(place, written, name, uses)
    elif style.code == "not-pascal-case":
        finding = problems.not_pascal_case(place, written, name)
    elif style.code == "not-snake-case":
        finding = problems.not_snake_case(place, written, NOUNS.get(str(address[0]), "field"), name)
    else:
        finding = style
    if not by_key:
        return Suspicion(finding, with_value(data, address, name))
    return Suspicion(finding, renamed(data, address, name), ((address, (*address[:-1], name)),))
