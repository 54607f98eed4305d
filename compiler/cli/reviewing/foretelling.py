"""What a change means for runs that are paused, wherever they may stand: the runtime's judgement, told as changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from wfc.compiler.cli.reviewing.comparison import Comparison, Version
from wfc.compiler.review.catalogue.runs import LEVELS, run_change
from wfc.compiler.review.changes import Level, SpecChange, in_order
from wfc.compiler.review.facts import PlaceList
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import place
from wfc.compiler.review.ways import effect_of
from wfc.compiler.slotted import replace

if TYPE_CHECKING:
    from wfc.runtime.store.judgement.foretelling import Foretold
    from wfc.runtime.store.judgement.verdicts import Verdict

__all__ = ["foretell_runs"]

Places = dict[tuple[str, str], None]

_SAID: Final = {
    "pause": "that wait in {}",
    "event": "with {} that nobody has taken",
    "start": "that have not begun",
    "retry": "that are to try {} again",
    "work": "that were cut off in {}",
    "result": "that have failed in {} after its action",
}
"""How runs are called that stand somewhere; those that wait first."""

_MEANS: Final = {"refused": "cannot go on with this version", "migrated": "are converted"}
_NOTED: Final = {"wait-time-kept": "keep the time that they had"}
_HEAD: Final = re.compile(r"(, and the run |; the wait under way |: the next time |: if that one )")
_COUNTED: Final = re.compile(r"has run \d+ times")  # no plan says how often a run has done something
_NAME: Final = re.compile(r"`([^`]+)`")


def foretell_runs(comparison: Comparison) -> list[str]:
    """Add to a comparison what it means for paused runs; return what could not be judged, for people."""
    notes = []
    for pair in comparison.versions:
        before, after = pair
        if before is None or after is None or before.facts is None or after.facts is None:
            continue
        found = _of_pair(comparison, before, after)
        if found is None:
            notes.append(
                f"{after.path}: what it means for paused runs is not judged: a workflow that it calls has errors"
            )
        comparison.changes += found or []
    comparison.changes = in_order(comparison.changes)
    return notes


def _of_pair(comparison: Comparison, before: Version, after: Version) -> list[SpecChange] | None:
    assert before.facts is not None
    assert after.facts is not None
    found = [*_renamed(before.facts, after.facts)]
    from wfc.compiler.cli.reviewing.plans import may_touch_runs, planned

    if not may_touch_runs(before, after):
        return found
    was = planned(before, comparison.old)
    now = planned(after, comparison.new)
    if was is None or now is None:
        return None
    foretold = now.foretold_from(was, _filled(before.facts))
    assert before.workflow is not None
    types = {str(getattr(each, "name", "")) for each in before.workflow.types}
    return [*found, *_changes(_told_once(foretold, types), before.facts, after.facts)]


def _told_once(foretold: Sequence[Foretold], types: set[str]) -> Iterator[Foretold]:
    """Yield what is foretold without what follows from the rest.

    What becomes of what a step has waited for, of an answer for instance, follows from what is told of the wait.

    Args:
        types: The names of the types that are declared; a form is a type that is not.
    """
    following = [one for one in foretold if _follows(one.verdict, types)]
    others = [one for one in foretold if one not in following]
    told = {step for one in others for step, _ in one.places}
    refused = {step for one in others if one.verdict.means == "refused" for step, _ in one.places}
    for one in foretold:
        steps = {step for step, _ in one.places}
        if not (
            one in following and steps and steps <= (refused if one.verdict.means == "refused" else told)
        ):
            yield one


def _follows(verdict: Verdict, types: set[str]) -> bool:
    names = {name.partition(".")[0] for name in _NAME.findall(verdict.told)}
    is_of_form = verdict.rule.startswith("type-") and not types & names
    return is_of_form or verdict.rule in ("result-retyped", "step-exit-removed")


def _filled(facts: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the fields of forms that questions fill in or offer, by step."""
    found: dict[str, tuple[str, ...]] = {}
    for name, step in facts["steps"].items():
        action = step["action"]
        while action is not None and action["does"] == "map":
            action = action["do"]
        if action is not None and action["does"] == "human":
            found[name] = (*action["prefill"], *action["choices"])
    return found


def _renamed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[SpecChange]:
    """Yield what a new name of the workflow means for its runs."""
    was, now = str(before["workflow"]), str(after["workflow"])
    moved = after["moved"].get(f"workflow.{was}")
    if was == now or (moved is not None and moved["to"] == now):
        return
    advice = f"say so for runs that are under way, `moved: {{workflow.{was}: {now}}}`"
    told = f"there is no workflow `{was}` in this version: all its runs cannot go on with it"
    change = run_change(now, "workflow-removed", Level.BREAK, told, "runs.workflow", was, advice)
    yield replace(change, old=before["at"], new=after["at"])


def _changes(
    foretold: Iterable[Foretold], before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[SpecChange]:
    """Yield what is foretold; what several say of one thing is told once, with all places."""
    pair = Pair(before, after)
    renamed = pair.undeclared
    fields = {f"{owner}.{now}" for owner, names in pair.fields_renamed.items() for now in names.values()}
    merged: dict[tuple[str, str, str], tuple[Foretold, Places, bool]] = {}
    for one in foretold:
        head = _COUNTED.sub("may have run more often", _HEAD.split(one.verdict.told)[0])
        if one.verdict.rule == "new-step-missed" and _NAME.findall(head)[0] in renamed.values():
            continue  # it is there under another name
        if one.verdict.rule.endswith("-field-added") and _NAME.findall(head)[0] in fields:
            continue  # that the field is gone under its old name says it
        key = one.verdict.rule, one.verdict.means, head
        known, places, is_always = merged.get(key, (one, {}, False))
        merged[key] = known, places | dict.fromkeys(one.places), is_always or not one.places
    for (rule, means, head), (one, places, is_always) in merged.items():
        names = _NAME.findall(head)
        change = run_change(
            str(after["workflow"]),
            rule,
            _level(rule, means, places, is_always, after, names[0] if names else ""),
            f"{head}{_who(rule, means, {} if is_always else places)}",
            f"runs.{names[0] if names else ''}",
            head,
            one.verdict.advice if means == "refused" else "",
        )
        yield replace(change, old=_place(before, names), new=_place(after, names))


def _who(rule: str, means: str, places: Places) -> str:
    """Return what it means for which runs."""
    runs = _runs(places)
    if rule == "new-step-missed":
        return f": runs {runs} never get it"
    outcome = _NOTED.get(rule, "go on") if means == "noted" else _MEANS[means]
    return f": {'runs ' if places else ''}{runs} {outcome}"


def _runs(places: Places) -> str:
    if not places:
        return "all runs"
    found, named = [], set[str]()
    for at, words in _SAID.items():
        steps = sorted({step.removesuffix("_") for step, where in places if where == at} - named)
        named.update(
            steps if at == "pause" else ()
        )  # of a step that runs wait in, what comes after is not told too
        if steps:
            found.append(words.format(_listed(steps)))
    return " or ".join(found)


def _listed(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names[:5]]
    rest = len(names) - len(shown)
    return ", ".join([*shown, *([f"{rest} more"] if rest else [])])


def _level(
    rule: str, means: str, places: Places, is_always: bool, after: Mapping[str, Any], name: str
) -> Level:
    if rule == "new-step-missed":
        step = after["steps"].get(name.removesuffix("_"))
        is_grave = step is not None and (effect_of(after, step) or step["kind"] == "human")
        return Level.WARN if is_grave and any(at == "pause" for _, at in places) else Level.INFO
    if is_always or means != "refused" or any(at in ("pause", "event", "start") for _, at in places):
        return LEVELS[means]
    return Level.INFO if all(at == "result" for _, at in places) else Level.WARN


def _place(facts: Mapping[str, Any], names: list[str]) -> PlaceList | None:
    """Return where something stands by its name: a step, an event, a field of one, or of the state."""
    for name in names:
        of, _, field = name.partition(".")
        if of == "state":
            fields: Any = facts["state"]
        elif of in facts["steps"]:
            return place(facts["steps"][of])
        elif of in facts["events"]:
            fields = facts["events"][of]["fields"]
            if not field:
                return place(facts["events"][of])
        else:
            continue
        found = place(fields.get(field)) if isinstance(fields, dict) else None
        if found is not None:
            return found
    return None
