"""Rules about what a run holds: its state, its inputs, and the events that are under way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.runtime.store.judgement.moves import Moves
from wfc.runtime.store.judgement.position import RunPosition
from wfc.runtime.store.judgement.types import classes_in, fits, shown
from wfc.runtime.store.judgement.verdicts import Verdict, migrated, refused

__all__ = ["judge_values"]


def judge_values(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    """Judge the classes of all that a run holds."""
    for kind in sorted(_held(moves, position)):
        yield from _class(moves, kind)
    for kind in sorted(position.mentions - position.values):
        if moves.name(kind) is None:
            yield _gone(moves, kind)


def _held(moves: Moves, position: RunPosition) -> set[str]:
    """Return the classes of what a run holds, with those that are in fields of these; some may be lost."""
    classes = moves.old["classes"]
    found: set[str] = set()
    todo = [moves.old["state"], *position.values]
    while todo:
        kind = todo.pop()
        if kind in classes and kind not in found:
            found.add(kind)
            for name, field in classes[kind].get("fields", {}).items():
                if not _is_converted(moves, kind, name):
                    todo += classes_in(field["type"])
    return {kind for kind in found if not _is_lost(moves, kind, position)}


def _is_converted(moves: Moves, kind: str, name: str) -> bool:
    """Return whether nothing is left of what stands in a field but what is made of it."""
    conversion = moves.conversion(kind)
    if conversion is None:
        return False
    found = moves.field(kind, name)
    later = moves.new["classes"].get(moves.name(kind), {}).get("fields", {})
    if found in later:
        return later[found]["called"] in conversion.gives
    return moves.old["classes"][kind]["fields"][name]["called"] in conversion.takes


def _is_lost(moves: Moves, kind: str, position: RunPosition) -> bool:
    """Return whether all that a run has of a class are pending events that may be lost."""
    return kind in position.pending and may_drop(moves, kind)


def may_drop(moves: Moves, kind: str) -> bool:
    """Return whether pending events of a class are gone, as the later version says that they may be."""
    return moves.name(kind) is None and moves.may_lose(moves.spec_name(kind))


def _gone(moves: Moves, kind: str) -> Verdict:
    name = moves.spec_name(kind)
    return refused(
        f"{_sort(moves, kind)}-removed",
        f"`{name}` is gone, and the run has one",
        f"say what it is called now, `moved: {{{name}: …}}`, or bring it back",
    )


def _class(moves: Moves, kind: str) -> Iterator[Verdict]:
    now = moves.name(kind)
    if now is None:
        yield _gone(moves, kind)
        return
    name, sort = moves.spec_name(kind), _sort(moves, kind)
    if now != kind and kind not in moves.old_forms:
        yield migrated(f"{sort}-renamed", f"`{name}` is called `{now.removesuffix('_')}` now")
    before, later = moves.old["classes"][kind], moves.new["classes"].get(now, {})
    if "values" in before:
        yield from _enumeration(before, later, name, sort)
        return
    fields, new_fields = before["fields"], later.get("fields", {})
    conversion = moves.conversion(kind)
    given = () if conversion is None else conversion.gives
    for field, about in sorted(fields.items()):
        if _is_converted(moves, kind, field):
            continue
        found = moves.field(kind, field)
        yield from _field(moves, about, new_fields.get(found), f"{name}.{about['called']}", sort)
    known = {moves.field(kind, field) for field in fields}
    for field, about in sorted(new_fields.items()):
        if about["called"] in given:
            yield migrated(
                f"{sort}-field-converted", f"`{name}.{about['called']}` is made of what the run has"
            )
        elif field not in known:
            yield _added(about, f"{name}.{about['called']}", sort)


def _enumeration(before: Any, later: Any, name: str, sort: str) -> Iterator[Verdict]:
    if missing := sorted(set(before["values"]) - set(later.get("values", ()))):
        yield refused(f"{sort}-retyped", f"`{name}` has lost {', '.join(missing)}", "bring them back")


def _field(moves: Moves, before: Any, later: Any, path: str, sort: str) -> Iterator[Verdict]:
    if later is None:
        yield _field_gone(moves, path, sort)
        return
    if later["called"] != before["called"]:
        yield migrated(f"{sort}-field-renamed", f"`{path}` is called `{later['called']}` now")
    if not fits(before["type"], later["type"], moves.is_same):
        was, now = shown(before["type"]), shown(later["type"])
        yield refused(
            f"{sort}-field-retyped",
            f"`{path}` was {was}, which is not always {now}",
            "give the new type a field of its own, with a default, or convert the value under `migrate`",
        )


def _field_gone(moves: Moves, path: str, sort: str) -> Verdict:
    rule = f"{sort}-field-removed"
    if moves.may_lose(path):
        return migrated(rule, f"`{path}` is dropped, as `removed` says")
    return refused(
        rule,
        f"`{path}` is gone, and the run has a value there",
        f"say what it is called now, `moved: {{{path}: …}}`, that it may be lost, `removed: [{path}]`, or "
        f"what is made of it, under `migrate`",
    )


def _added(about: Any, path: str, sort: str) -> Verdict:
    rule = f"{sort}-field-added"
    if about["required"]:
        return refused(
            rule,
            f"`{path}` is new and has no default, and the run has no value for it",
            "give it a default, or make it of what the run has, under `migrate`",
        )
    return migrated(rule, f"`{path}` is new and gets its default")


def _sort(moves: Moves, kind: str) -> str:
    """Return what a class is: the state, an event or another type."""
    if kind == moves.old["state"]:
        return "state"
    if kind in moves.old["starts"]:
        return "start-event"
    return "event" if kind in moves.old_events else "type"
