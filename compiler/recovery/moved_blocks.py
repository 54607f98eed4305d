"""Blocks at the wrong level: keys and declarations that would be right further in or further out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.sections import SECTIONS
from wfc.compiler.recovery.strayed_names import STRANGE, where_declared
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, walk, with_value
from wfc.compiler.rules import shape as problems
from wfc.compiler.rules.phrases import joined
from wfc.compiler.schema.expansion import schema

__all__ = ["moved_blocks", "steps_at_the_top"]

CLOSED: Final = frozenset(
    {"accepts", "auth", "cache", "defaults", "do", "each", "emit", "limits", "on_error", "on_limit", "on_timeout",
     "retry", "stream", "tool"}
)  # fmt: skip
"""Keys whose maps have keys of the language alone; in others any name would find a place."""
OF_EXITS: Final = frozenset({"save", "when", "with"})
OTHERWISE_WITHIN: Final = frozenset({"deadline", "description"})
"""Keys of the top that in a step, a policy or a test may as well be meant for itself."""
IN_PLACE_OF_STEPS: Final = ("events", "state", "tools", "types")
"""Sections that may stand right above the steps."""
NOT_COMING: Final = frozenset({"event-never-emitted", "not-received"})
"""Findings about events that would come from outside, if `receives` named them."""
MOST_PLACES: Final = 4
MOST_STRANGE: Final = 8
MOST_IN_ONE_MAP: Final = 2  # keys that nobody knows; where there are more, they do not stand at a wrong level


def steps_at_the_top(data: Data, _: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that what looks like a step and stands at the top belongs under `steps`: before all else, since a key of
    the language may have its name.
    """
    known, steps = schema()["$defs"]["spec"]["properties"], data.get("steps")
    for key, content in data.items() if isinstance(steps, dict) else ():
        if key not in known and is_step(content) and fits_there(data, (key,), ("steps", key)):
            yield move(data, (key,), ("steps", key), 1)


def moved_blocks(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that what means nothing at its place belongs to another level, or what is missing stands at one."""
    yield from indented_sections(data)
    yield from steps_without_section(data)
    tried = set()
    for source, target, least in moves(data, findings):
        if (source, target) in tried or not fits_there(data, source, target):
            continue
        tried.add((source, target))
        yield move(data, source, target, least)


def move(data: Data, source: Address, target: Address, least: int) -> Suspicion:
    """Return the suspicion that a key with all that belongs to it stands at a wrong place."""
    message = f"`{source[-1]}` stands {spot(source[:-1])}, and seems to belong {spot(target[:-1])}"
    finding = problems.misplaced_key(Place(source, "key"), message, how_to_move(data, target))
    return Suspicion(finding, moved(data, source, target), ((source, target),), least)


def indented_sections(data: Data) -> Iterator[Suspicion]:
    """Suspect that a line such as `steps:` is indented like the entries below it, which then belong above."""
    sections = schema()["$defs"]["spec"]["properties"]
    for section, content in data.items():
        for key in content if isinstance(content, dict) else ():
            if key not in sections or key in data or content[key] is not None:
                continue
            names = list(content)
            after = names[names.index(key) + 1 :]
            finding = problems.misplaced_key(
                Place((section, key), "key"),
                f"`{key}` stands under `{section}`, and seems to be a section of its own",
                "begin its line at the left edge",
            )
            left = {each: content[each] for each in names if each != key and each not in after}
            changed = {**with_value(data, (section,), left), key: {each: content[each] for each in after}}
            yield Suspicion(finding, changed, tuple(((section, each), (key, each)) for each in after), 1)


def steps_without_section(data: Data) -> Iterator[Suspicion]:
    """Suspect that declarations of a section are steps: the line above them is missing, or stands elsewhere."""
    steps = data.get("steps") or {}
    for section in IN_PLACE_OF_STEPS if isinstance(steps, dict) else ():
        content = data.get(section)
        if not isinstance(content, dict):
            continue
        names = [key for key, each in content.items() if is_step(each)]
        if not names or steps.keys() & names:
            continue
        left = {key: each for key, each in content.items() if key not in names}
        several = len(names) > 1
        finding = problems.misplaced_key(
            Place((section, names[0]), "key"),
            f"{joined(names)} {'stand' if several else 'stands'} under `{section}`, and "
            f"{'seem to be steps' if several else 'seems to be a step'}",
            where_steps_belong(data, section, names),
        )
        moves = tuple(((section, key), ("steps", key)) for key in names)
        together = {key: content[key] for key in names} | steps
        changed = {**with_value(data, (section,), left), "steps": together}
        yield Suspicion(finding, changed, moves, 2 if steps else 1)


def where_steps_belong(data: Data, section: str, names: Sequence[str]) -> str:
    """Return what to do about steps in another section: move the line `steps:`, where nothing stands between."""
    if "steps" not in data:
        return f"write `steps:` above `{names[0]}`"
    sections = list(data)
    follows = sections[sections.index(section) + 1 :][:1] == ["steps"]
    if data["steps"] is None or (follows and list(data[section])[-len(names) :] == [*names]):
        return f"move the line `steps:` above `{names[0]}`"
    return f"move {'them' if len(names) > 1 else 'it'} under `steps`"


def is_step(content: object) -> bool:
    return isinstance(content, dict) and {"kind", "accepts"} <= content.keys()


def how_to_move(data: Data, target: Address) -> str:
    """Return what to do about a key that belongs elsewhere."""
    owner = at(data, target[:-1])
    if isinstance(owner, str):  # the name of an event, which is one of several keys then
        return f"write `{target[-2]}: {{event: {owner}, {target[-1]}: …}}`"
    if owner is None and len(target) == 2:
        return f"write `{target[0]}:` above it, and indent it below that line, with all that belongs to it"
    whole = "move it there, with all that belongs to it"
    return f"{whole}: indent it as far as the other keys there" if owner else whole


def moves(data: Data, findings: Sequence[Finding]) -> Iterator[tuple[Address, Address, int]]:
    """Generate what may stand at another place than it belongs: where it is, where it would be, what that explains."""
    yield from missing(data, findings)
    yield from nested(data, findings)
    yield from undeclared(data, findings)
    yield from strange(data, findings)


def nested(data: Data, findings: Sequence[Finding]) -> Iterator[tuple[Address, Address, int]]:
    """Generate moves of keys of a step or of the spec that stand among names which the author chooses."""
    definitions = schema()["$defs"]
    sections = definitions["spec"]["properties"]
    for address in dict.fromkeys(each.place.address for each in findings):
        if len(address) > 3 and address[0] == "steps" and address[2] not in CLOSED:
            kind = at(data, (*address[:2], "kind"))
            if address[3] in definitions.get(f"{kind}_step", {}).get("properties", ()):
                yield address[:4], (*address[:2], address[3]), 1
        names = SECTIONS.values()
        if len(address) > 1 and address[1] in sections and address[0] in names:
            yield address[:2], (address[1],), 1
        if len(address) > 1 and address[0] == "config" and address[1] in names:
            yield address[:2], (address[1],), 1
        if len(address) > 1 and address[0] in {"events", "state", "types"}:
            content = at(data, address[:2])
            if is_step(content):
                yield address[:2], ("steps", address[1]), 2


def undeclared(data: Data, findings: Sequence[Finding]) -> Iterator[tuple[Address, Address, int]]:
    """Generate moves of what has the name of something that is declared nowhere."""
    names = {(where_declared(each, data), name): None for each in findings for name in each.about}
    names = {each: None for each in names if each[0]}
    if not names:
        return
    wanted = {name for _, name in names}
    places = [address for address, _ in walk(data) if address[-1] in wanted and "tests" not in address]
    for owner, name in islice(names, MOST_STRANGE):
        found = (each for each in places if each[-1] == name and each[:1] != owner and each[:-1] != owner)
        for address in islice(found, MOST_PLACES):
            if address[-2:-1] == owner and owner[0] not in data:
                yield address[:-1], owner, 2
            yield address, (*owner, name), 2


def strange(data: Data, findings: Sequence[Finding]) -> Iterator[tuple[Address, Address, int]]:
    """Generate moves of keys that nobody knows at their place: to their sections, further out, further in."""
    known = [each.place.address for each in findings if each.code in STRANGE and each.place.part == "key"]
    beside_each_other = Counter(address[:-1] for address in known)
    lacking = [each for each in findings if each.code == "missing-key"]
    unknown = {name for each in findings if each.code not in {*STRANGE, "missing-key"} for name in each.about}
    not_coming = {name for each in findings if each.code in NOT_COMING for name in each.about}
    for address in islice(known, MOST_STRANGE):
        if len(address) > 2 and address[0] != "steps" and beside_each_other[address[:-1]] > MOST_IN_ONE_MAP:
            continue  # the map as a whole is meant for something else
        key, value = address[-1], at(data, address)
        if key in OTHERWISE_WITHIN and (len(address) > 2 or address[0] == "steps"):
            continue
        for each in lacking:
            if key in each.about:
                yield address, (*each.place.address, key), 2
        if isinstance(value, dict) and "kind" in value and isinstance(key, str):
            yield address, ("steps", key), 1
        if len(address) == 1 and key in not_coming:
            yield address, ("receives", key), 2
        if len(address) == 1 and key in unknown:
            for section in islice((each for each in data if each in SECTIONS.values()), 12):
                yield address, (section, key), 2
        for out in range(len(address) - 2, -1, -1):
            yield address, (*address[:out], key), 1
        beside = at(data, address[:-1])
        for other in beside if isinstance(beside, dict) else ():
            if other in CLOSED and other != key:
                yield address, (*address[:-1], other, key), 1


def missing(data: Data, findings: Sequence[Finding]) -> Iterator[tuple[Address, Address, int]]:
    """Generate moves of keys that something cannot do without, and that stand further in."""
    for each in findings:
        if each.code == "missing-key":
            owner = each.place.address
            inside = [(address, address[-1]) for address, _ in walk(at(data, owner), owner, 3)]
            for address, key in inside:
                if key in each.about and len(address) > len(owner) + 1:
                    yield address, (*owner, key), 1


def fits_there(data: Data, source: Address, target: Address) -> bool:
    """Return whether a value can be moved: it stands in a map, and its new place is free and in a map."""
    here, owner = at(data, source[:-1]), at(data, target[:-1])
    if not isinstance(here, dict) or source[-1] not in here:
        return False  # a misspelt key, which findings name as it is meant
    if source == target or target[: len(source)] == source or not isinstance(source[-1], str):
        return False
    if isinstance(owner, str):
        return target[-2:-1] == ("emit",) and target[-1] in OF_EXITS
    return (owner is None and len(target) == 2) or (isinstance(owner, dict) and target[-1] not in owner)


def moved(data: Data, source: Address, target: Address) -> Data:
    """Return the data with a value at another place."""
    value, owner = at(data, source), at(data, source[:-1])
    left: Any = with_value(data, source[:-1], {key: each for key, each in owner.items() if key != source[-1]})
    there = at(left, target[:-1])
    if there is None:
        return {**left, str(target[0]): {target[-1]: value}}
    fuller = {"event": there} if isinstance(there, str) else there
    result: Data = with_value(left, target[:-1], {**fuller, target[-1]: value})
    return result


def spot(owner: Address) -> str:
    """Return where the keys of a map stand, in words."""
    if not owner:
        return "at the top"
    if len(owner) == 2 and owner[0] == "steps":
        return f"among the keys of step `{owner[1]}`"
    last = next((each for each in reversed(owner) if isinstance(each, str)), "")
    inside = f" of step `{owner[1]}`" if len(owner) > 2 and owner[0] == "steps" else ""
    return f"under `{last}`{inside}"
