"""Declarations whose own names are misspelt, which shows by what asks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.recovery.changes import Data, Suspicion, at, renamed, walk, with_value
from wfc.compiler.rules import names as problems
from wfc.compiler.rules.spelling import apart

__all__ = ["misspelt_declarations"]

SECTIONS = frozenset(
    {"agents", "config", "events", "knowledge", "models", "prompts", "resources", "retries", "state", "steps",
     "tools", "types"}
)  # fmt: skip
OF_FIELDS = frozenset({"events", "types"})
BELOW = frozenset({"output", "form"})
STYLES = frozenset({"bad-name", "not-pascal-case", "not-snake-case"})
ASKING = frozenset(
    {"missing-entry", "result-without-field", "unfilled-field", "unknown-agent", "unknown-entry", "unknown-event",
     "unknown-field", "unknown-knowledge", "unknown-model", "unknown-prompt", "unknown-retry", "unknown-secret",
     "unknown-state-field", "unknown-step", "unknown-tool", "unknown-type"}
)  # fmt: skip
MOST_NAMES = 20
MOST_PLACES = 3


def misspelt_declarations(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Names that are declared, each so much like one that is asked for and not there that it may be meant."""
    errors = [each for each in findings if each.severity is Severity.ERROR]
    asked = Counter(name for each in errors if each.code in ASKING for name in each.about)
    styles = {each.place.address: each for each in errors if each.code in STYLES}
    declared = list(declarations(data)) if asked else []
    for name, _ in asked.most_common(MOST_NAMES):
        near = sorted(
            (far, len(address), index)
            for index, (address, each) in enumerate(declared)
            if (far := apart(name, each)) is not None and not has(data, address, name)
        )
        for *_, index in near[:MOST_PLACES]:
            address, written = declared[index]
            uses = [each.place for each in errors if name in each.about and each.code != "unfilled-field"]
            yield suspicion(data, address, written, name, uses, styles.get(address))


def declarations(data: Data) -> Iterator[tuple[Address, str]]:
    """What a spec declares, by name: things, and the fields of events, types, results and forms."""
    for section in sorted(SECTIONS & data.keys()):
        for address, _ in walk(data[section], (section,)):
            name = address[-1]
            if not isinstance(name, str):
                continue
            if len(address) == 2 or section in OF_FIELDS or (len(address) > 3 and BELOW & set(address[:-1])):
                yield address, name
    secrets = data.get("secrets")
    for index, name in enumerate(secrets if isinstance(secrets, list) else ()):
        if isinstance(name, str):
            yield ("secrets", index), name


def has(data: Data, address: Address, name: str) -> bool:
    """Whether there is a name already where another one is declared."""
    owner = at(data, address[:-1])
    return isinstance(owner, (dict, list)) and name in owner


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
        finding = problems.not_snake_case(place, written, WORDS.get(str(address[0]), "name"), name)
    else:
        finding = style
    if not by_key:
        return Suspicion(finding, with_value(data, address, name))
    return Suspicion(finding, renamed(data, address, name), ((address, (*address[:-1], name)),))


WORDS = {
    "agents": "agent",
    "knowledge": "collection",
    "models": "model",
    "prompts": "prompt",
    "resources": "resource",
    "retries": "retry policy",
    "state": "state field",
    "steps": "step",
    "tools": "tool",
}
