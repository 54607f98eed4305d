"""What the fields within types of an earlier version are called in a later one.

Facts do not know the names of types, and expressions do not say of what type a value is. So such a field is followed
only where its names are sure: no other field has the later name in the earlier version, or the earlier name in the
later one. What others give or read (inputs, outcomes, settings, what models and tools give) keeps its names, since for
them the field has gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.review.facts.places import PlaceList
from wfc.compiler.review.sameness import differences, same
from wfc.compiler.slotted import dataclass

__all__ = ["TypeFields", "type_fields_renamed"]

_SECTIONS: Final = ("steps", "exits", "key", "limits", "agents", "tools", "models", "resources")
_TEXTS: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*')""")


@dataclass(frozen=True, slots=True)
class TypeFields:
    """The fields within types that have another name.

    Args:
        names: The earlier names with the later ones.
        where: By the later name, a field whose type has it, and its places in both versions.
    """

    names: Mapping[str, str]
    where: Mapping[str, tuple[str, PlaceList, PlaceList]]

    def of(self, shape: Any) -> Any:
        """Return a type, or a field, with the later names of fields within it."""
        if isinstance(shape, dict):
            return {**shape, "type": self.of(shape["type"])}
        if not isinstance(shape, list):
            return shape
        if len(shape) == 2 and shape[0] == "record" and isinstance(shape[1], dict):
            inside = {self.names.get(name, name): each for name, each in shape[1].items()}
            return ["record", {name: [self.of(each[0]), *each[1:]] for name, each in inside.items()}]
        return [self.of(each) for each in shape]


def type_fields_renamed(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[Mapping[str, Any], TypeFields]:
    """Return the facts of an earlier version with the later names of fields within types, and these names.

    Args:
        old: With the later names of all else.
    """
    names, where = _candidates(old, new)
    while names:
        rewriting = _OtherTypeFields(names, has_maps=_has_maps(old) or _has_maps(new))
        found = rewriting.facts(old)
        wrong = _contradicted(old, found, new, names)
        if not wrong:
            return found, TypeFields(names, where)
        names = {before: now for before, now in names.items() if before not in wrong}
    return old, TypeFields({}, {})


# --- which fields


def _candidates(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, tuple[str, PlaceList, PlaceList]]]:
    """Return fields that are gone, each with the only one of its type that is new, and where both are."""
    pairs = set[tuple[str, str]]()
    where: dict[str, tuple[str, PlaceList, PlaceList]] = {}
    later = dict(_fields(new))
    for path, field in _fields(old):
        if path in later and not same(field["type"], later[path]["type"]):
            for before, now in _pairs(field["type"], later[path]["type"]):
                pairs.add((before, now))
                where.setdefault(now, (path, field["at"], later[path]["at"]))
    if not pairs:
        return {}, {}
    known, known_later = set(_named(old)), set(_named(new))
    sure = [
        (before, now)
        for before, now in pairs
        if before not in known_later
        and now not in known
        and sum(before == one or now == other for one, other in pairs) == 1
    ]
    return dict(sorted(sure)), where


def _fields(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of events and of the state, as they are told of."""
    for name, event in facts["events"].items():
        yield from ((f"{name}.{field}", each) for field, each in event["fields"].items())
    yield from ((f"state.{field}", each) for field, each in facts["state"].items())


def _pairs(old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields of records within a type that are gone, each with the only one of its type that is new."""
    if not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new):
        return
    if old[:1] == new[:1] == ["record"] and isinstance(old[1], dict) and isinstance(new[1], dict):
        before, after = old[1], new[1]
        gone = [name for name in before if name not in after]
        added = [name for name in after if name not in before]
        for name in gone:
            alike = [each for each in added if same(before[name], after[each])]
            if len(alike) == 1 and sum(same(before[one], after[alike[0]]) for one in gone) == 1:
                yield name, alike[0]
        old = [before[name][0] for name in before if name in after]
        new = [after[name][0] for name in before if name in after]
    for one, other in zip(old, new, strict=True):
        yield from _pairs(one, other)


def _named(facts: Any) -> Iterator[str]:
    """Yield the names of all fields."""
    if isinstance(facts, list):
        if len(facts) == 2 and facts[0] == "record" and isinstance(facts[1], dict):
            yield from facts[1]
            yield from _named([each[0] for each in facts[1].values()])
            return
        for each in facts:
            yield from _named(each)
    elif isinstance(facts, dict):
        for name, each in facts.items():
            if isinstance(each, dict) and "required" in each and "type" in each:
                yield name
            if name != "at":
                yield from _named(each)


def _has_maps(facts: Any) -> bool:
    """Return whether there are maps, whose keys look like fields where values are written."""
    if isinstance(facts, list):
        return facts[:1] == ["map"] or any(map(_has_maps, facts))
    return isinstance(facts, dict) and any(map(_has_maps, facts.values()))


def _contradicted(
    old: Mapping[str, Any], found: Mapping[str, Any], new: Mapping[str, Any], names: Mapping[str, str]
) -> set[str]:
    """Return the fields of which something else differs that mentions one of the names, or of which nothing is said."""
    said = " ".join(
        f"{each.path} {each.old} {each.new}"
        for section in _SECTIONS
        for each in differences(found[section], new[section], (section,))
        if not _is_type(each.old) or not _is_type(each.new)
    )
    wrong = {
        before
        for before, now in names.items()
        if re.search(rf"\b({re.escape(before)}|{re.escape(now)})\b", said)
    }
    changed = any(found[section] != old[section] for section in _SECTIONS)
    return wrong if changed else set(names)


def _is_type(fact: Any) -> bool:
    return isinstance(fact, dict) and "type" in fact


# --- with other names


class _OtherTypeFields:
    """What writes facts anew with other names of fields within types."""

    def __init__(self, names: Mapping[str, str], *, has_maps: bool) -> None:
        self.names, self.has_maps = names, has_maps
        known = "|".join(map(re.escape, names))
        self.attribute = re.compile(rf"(?<=\.)({known})(?!\w)")
        self.listed = re.compile(r"(\bRecordDisplay\[[^\]]*\])")
        self.within = re.compile(rf"\b({known})\b")
        self.quoted = re.compile(rf"""(\| ?\w+\([^()]*?["'])({known})(?=["'])""")

    def facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(facts)
        for section in _SECTIONS:
            found[section] = self.of(facts[section])
        found["tests"] = {
            name: {
                **test,
                **{
                    part: {**test[part], "value": self.data(test[part]["value"])}
                    for part in ("gives", "expect")
                },
            }
            for name, test in facts["tests"].items()
        }
        return found

    def of(self, facts: Any) -> Any:
        if isinstance(facts, list):
            return [self.of(each) for each in facts]
        if not isinstance(facts, dict):
            return facts
        found = {key: each if key in ("at", "type") else self.of(each) for key, each in facts.items()}
        if isinstance(facts.get("means"), str):
            found["means"], found["text"] = self.expression(facts["means"]), self.expression(facts["text"])
        elif isinstance(facts.get("text"), str) and "reads" in facts:
            found["text"] = _HOLES.sub(lambda hole: self.expression(hole[0]), facts["text"])
        if isinstance(facts.get("reads"), list):
            found["reads"] = sorted(map(self.expression, facts["reads"]))
        if isinstance(facts.get("entries"), dict) and not self.has_maps:
            found["entries"] = self.keys(found["entries"])
        if "value" in facts and "at" in facts:
            found["value"] = self.data(facts["value"])
        return found

    def data(self, given: Any) -> Any:
        """Return data of the author's own; where there are maps, as they are."""
        if self.has_maps:
            return given
        if isinstance(given, list):
            return [self.data(each) for each in given]
        return (
            self.keys({key: self.data(each) for key, each in given.items()})
            if isinstance(given, dict)
            else given
        )

    def keys(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {self.names.get(key, key): each for key, each in given.items()}

    def expression(self, text: str) -> str:
        """Return an expression with the later names: of attributes, of records, and of filters by a field."""
        text = self.quoted.sub(lambda found: found[1] + self.names[found[2]], text)
        pieces = _TEXTS.split(text)
        return "".join(each if number % 2 else self._unquoted(each) for number, each in enumerate(pieces))

    def _unquoted(self, text: str) -> str:
        text = self.attribute.sub(lambda found: self.names[found[1]], text)
        return self.listed.sub(
            lambda found: self.within.sub(lambda name: self.names[name[1]], found[1]), text
        )


_HOLES: Final = re.compile(r"\$\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
