"""Two versions of a flow in one graph, in which what has changed is marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["compared"]

Data = Mapping[str, Any]
Key = tuple[str, ...]

APART: Final = " · "  # between the lines of an arrow's note
OUTER_SHAPES: Final = frozenset({"start", "end", "fail", "outside"})
"""The shapes of boxes that are no steps; a step keeps its name when its kind, and so its shape, is another."""


def compared(
    old: Data,
    new: Data,
    *,
    renamed: Mapping[str, str] | None = None,
    inside: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the graph of two versions: all that is in one of them, once.

    What only one version has is marked as ``added`` or ``removed``. What both have, and say differently, is marked as
    ``changed``: it has the lines of the later version, those of the earlier one that are gone after a "-", those that
    are new after a "+". Marks are words too, so that nobody needs to see colours.

    Args:
        old: The earlier version, as ``flow_graph`` makes it.
        new: The later one.
        renamed: What steps of the earlier version are called in the later one.
        inside: By the names of steps, the keys under which they say something else, where no drawing shows it.
    """
    names = renamed or {}
    old_keys = {box["id"]: key_of(box, names) for box in old["boxes"]}
    new_keys = {box["id"]: key_of(box, {}) for box in new["boxes"]}
    before = {old_keys[box["id"]]: box for box in old["boxes"]}
    after = {new_keys[box["id"]]: box for box in new["boxes"]}
    boxes = [
        box_of(before.get(key), after.get(key), (inside or {}).get(key[1], ()))
        for key in in_one_order(list(before), list(after))
    ]
    ids = {
        **{key: f"old-{box['id']}" for key, box in before.items()},
        **{key: box["id"] for key, box in after.items()},
    }
    arrows = [
        {**arrow, "source": ids[source], "target": ids[target]}
        for source, target, arrow in arrows_of(by_ends(old, old_keys), by_ends(new, new_keys))
    ]
    return {"title": new["title"], "description": new["description"], "boxes": boxes, "arrows": arrows}


def key_of(box: Data, renamed: Mapping[str, str]) -> Key:
    """Return what a box is known by in both versions. There is one start, whatever its event is called."""
    shape, title = box["shape"], box["title"]
    if shape in ("start", "fail"):
        return (shape, "")
    return (shape, title) if shape in OUTER_SHAPES else ("step", renamed.get(title, title))


def in_one_order(old: Sequence[Key], new: Sequence[Key]) -> Iterator[Key]:
    """Yield the keys of both versions in the order of the later one; what is gone stands after what it followed."""
    gone: dict[Key | None, list[Key]] = {}
    last: Key | None = None
    known = set(new)
    for key in old:
        if key in known:
            last = key
        else:
            gone.setdefault(last, []).append(key)
    yield from gone.get(None, ())
    for key in new:
        yield key
        yield from gone.get(key, ())


# --- boxes


def box_of(old: Data | None, new: Data | None, inside: Sequence[str]) -> dict[str, Any]:
    if new is None:
        assert old is not None
        return {**old, "id": f"old-{old['id']}", "change": "removed"}
    if old is None:
        return {**new, "change": "added"}
    notes = list(lines_of(old["notes"], new["notes"]))
    if old["title"] != new["title"]:
        notes.append(f"- {old['title']}")
    if notes == list(new["notes"]):
        notes += [f"changed: {', '.join(inside)}"] if inside else []
    changed = notes != list(new["notes"]) or old["shape"] != new["shape"]
    return {**new, "notes": notes, "change": "changed" if changed else ""}


def lines_of(old: Iterable[str], new: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the later version, marked where they are new, and then those that are gone."""
    before, after = list(old), list(new)
    for line in after:
        yield line if line in before else f"+ {line}"
    yield from (f"- {line}" for line in before if line not in after)


# --- arrows

Ends = Mapping[Key, list[tuple[int, Data]]]
"""Arrows, each with its place among all of its version."""


def by_ends(graph: Data, keys: Mapping[str, Key]) -> dict[Key, list[tuple[int, Data]]]:
    """Return the arrows of a graph by where they lead, what goes there, and in which way."""
    found: dict[Key, list[tuple[int, Data]]] = {}
    for number, arrow in enumerate(graph["arrows"]):
        source, target = keys[arrow["source"]], keys[arrow["target"]]
        # what comes from outside or goes out has its name by the box, which may be another in each version
        label = "" if source[0] == "start" else arrow["label"]
        found.setdefault((*source, *target, label, arrow["style"]), []).append((number, arrow))
    return found


def arrows_of(old: Ends, new: Ends) -> list[tuple[Key, Key, Data]]:
    """Return the arrows of both versions, each with the keys of its ends, in the order of the later one."""
    found: list[tuple[int, tuple[Key, Key, Data]]] = []
    last = -1
    for key in in_one_order(list(old), list(new)):
        ends = (key[0], key[1]), (key[2], key[3])
        before = [arrow for _, arrow in old.get(key, ())]
        after = new.get(key, ())
        for last, arrow in after:
            found.append((last, (*ends, arrow_of(taken(before, arrow, len(after)), arrow))))
        found += [(last, (*ends, {**arrow, "change": "removed"})) for arrow in before]
    return [each for _, each in sorted(found, key=lambda each: each[0])]


def taken(before: list[Data], arrow: Data, wanted: int) -> Data | None:
    """Take away from the earlier arrows the one that a later one was; of several, the one on the same occasion."""
    same = [each for each in before if each["note"] == arrow["note"]]
    found = next((each for each in same if each["when"] == arrow["when"]), same[0] if same else None)
    if found is None and wanted == len(before) == 1:
        found = before[0]
    if found is not None:
        before.remove(found)
    return found


def arrow_of(old: Data | None, new: Data) -> Data:
    if old is None:
        return {**new, "change": "added"}
    if all(old[name] == new[name] for name in ("label", "note", "when")):
        return new
    lines = list(lines_of(filter(None, old["note"].split(APART)), filter(None, new["note"].split(APART))))
    if old["label"] != new["label"]:
        lines.append(f"- {old['label']}")
    if old["when"] != new["when"]:
        lines += [f"+ when {new['when']}"] if new["when"] else []
        lines += [f"- when {old['when']}"] if old["when"] else []
    return {**new, "note": APART.join(lines), "change": "changed"}
