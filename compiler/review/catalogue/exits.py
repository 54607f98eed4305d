"""Rules about where steps lead: handlers, branches, conditions, what events are filled with, requirements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import became, place, said, same

__all__ = ["changes_of_exits"]

_INFO, _WARN, _ACT = Level.INFO, Level.WARN, Level.ACT
_ANOTHER = "the opposite of another one is another one"

_HANDLER = mirrored(
    "handler",
    "reviewers",
    ("added", _INFO, "A step, or the run, has a way out for what went wrong that it did not have before."),
    (
        "removed",
        _WARN,
        """A step, or the run, has no way out any more for an error, a time-out or a limit.

What was handled fails the run from now on, unless the run's own `on_error` takes it.""",
    ),
)

_BRANCH = mirrored(
    "branch",
    "reviewers",
    ("added", _WARN, "A step may lead to something to which it did not lead before."),
    ("removed", _WARN, "A step does not lead any more to something to which it led."),
)

order_changed = rule(
    "branch-order-changed",
    "reviewers",
    _WARN,
    "The ways out of a step are tried in another order: where two conditions hold, another one is taken.",
    no_mirror=_ANOTHER,
)

condition_changed = rule(
    "condition-changed",
    "reviewers",
    _WARN,
    """A way out of a step, an item of a list or a wait has another condition.

Written otherwise, but meaning the same, is no change.""",
    no_mirror="which of two conditions lets more pass is not known",
)

errors_changed = rule(
    "errors-changed",
    "reviewers",
    _WARN,
    "A handler takes other errors than before: those that it took are handled elsewhere, or fail the run.",
    no_mirror=_ANOTHER,
)

filled_changed = rule(
    "filled-changed",
    "reviewers",
    _WARN,
    "An event that a step emits is filled with something else than before.",
    no_mirror=_ANOTHER,
)

_REQUIREMENT = mirrored(
    "requirement",
    "reviewers",
    ("added", _INFO, "A step requires something that it did not require before, or it fails."),
    (
        "removed",
        _ACT,
        """A step requires something no more.

What was refused passes from now on.""",
    ),
)

requirement_text = rule(
    "requirement-text-changed",
    "reviewers",
    _INFO,
    "What is said when a requirement does not hold is another text.",
    no_mirror=_ANOTHER,
)


def changes_of_exits(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of where steps, and the run, lead."""
    for name, before, after in pair.changed_steps:
        yield from _exits(pair, f"steps.{name}", f"`{name}`", before, after)
        yield from _requirements(pair, name, before["requires"], after["requires"])
    yield from _exits(pair, "", "the run", pair.old, pair.new)
    for name, path, one, other in pair.actions:
        yield from _waits(pair, name, path, one, other)


def _exits(pair: Pair, path: str, who: str, before: Any, after: Any) -> Iterator[SpecChange]:
    added, removed = _HANDLER
    old, new = before["exits"], after["exits"]
    about = f"{path}.exits".lstrip(".")
    for key, exit_ in new.items():
        if key not in old:
            told = f"{who} has a way out for `{key}`: {_led(exit_)}"
            yield added.found(pair.name, f"{about}.{key}", told, after=_led(exit_), new=exit_["at"])
    for key, exit_ in old.items():
        if key not in new:
            told = f"{who} has no `{key}` any more, which led to {_led(exit_)}"
            yield removed.found(pair.name, f"{about}.{key}", told, before=_led(exit_), old=exit_["at"])
        elif key == "on_timeout" and _led(exit_) != _led(new[key]):
            continue  # it is told under security where silence leads
        elif not same(exit_, new[key]):
            yield from _exit(pair, f"{about}.{key}", who, key, exit_, new[key])


def _led(exit_: Any) -> str:
    return " or ".join(dict.fromkeys(_target(entry) for entry in exit_["entries"]))


def _target(entry: Any) -> str:
    if "ends" in entry:
        return {"fail": "a failure", "restart": "a new beginning"}[entry["ends"]]
    events = [f"`{emit['event']}`" + " for each item" * ("each" in emit) for emit in entry["emits"]]
    return " and ".join(events) or "nothing"


def _numbered(exit_: Any) -> dict[tuple[str, int], tuple[int, Any]]:
    """Return the entries of an exit by where they lead, and which of several with the same way they are."""
    found: dict[tuple[str, int], tuple[int, Any]] = {}
    so_far: Counter[str] = Counter()
    for number, entry in enumerate(exit_["entries"]):
        target = _target(entry)
        found[target, so_far[target]] = number, entry
        so_far[target] += 1
    return found


def _exit(pair: Pair, path: str, who: str, key: str, before: Any, after: Any) -> Iterator[SpecChange]:
    added, removed = _BRANCH
    old, new = _numbered(before), _numbered(after)
    of = who if key == "emit" else f"`{key}` of {who}"
    for which, (number, entry) in new.items():
        if which not in old:
            told = f"{of} leads to {which[0]}{_if(entry)}, to which it did not lead"
            yield added.found(
                pair.name,
                f"{path}.added.{number}",
                told,
                after=_shown(entry),
                new=entry["at"],
                covers=(path,),
            )
    for which, (number, entry) in old.items():
        if which not in new:
            told = f"{of} does not lead to {which[0]} any more, as it did{_if(entry)}"
            yield removed.found(
                pair.name,
                f"{path}.gone.{number}",
                told,
                before=_shown(entry),
                old=entry["at"],
                covers=(path,),
            )
    kept, order = [each for each in old if each in new], [each for each in new if each in old]
    if kept != order and any(entry["when"] is not None for _, entry in new.values()):
        was, now = (
            ", ".join(f"{target}{_if(of_[target, n][1])}" for target, n in each)
            for each, of_ in ((kept, old), (order, new))
        )
        yield order_changed.found(
            pair.name,
            f"{path}.order",
            f"{of} tries first {now}, and tried first {was}",
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=(path,),
        )
    for which in kept:
        at = f"{path}.entries.{new[which][0]}"
        covers = (path,) if kept != order or len(old) != len(new) else ()
        yield from _entry(pair, at, of, which[0], old[which][1], new[which][1], covers)


def _if(entry: Any) -> str:
    return "" if entry["when"] is None else f" if `{said(entry['when'])}`"


def _shown(entry: Any) -> str:
    return f"{_target(entry)}{_if(entry)}"


def _entry(
    pair: Pair, path: str, of: str, target: str, before: Any, after: Any, covers: tuple[str, ...]
) -> Iterator[SpecChange]:
    if not same(before["when"], after["when"]):
        was, now = said(before["when"]) or "always", said(after["when"]) or "always"
        yield condition_changed.found(
            pair.name,
            f"{path}.when",
            f"{of} leads to {target} if `{now}`, and did if `{was}`".replace("if `always`", "in any case"),
            before=was,
            after=now,
            old=place(before["when"]) or before["at"],
            new=place(after["when"]) or after["at"],
            covers=covers,
        )
    if sorted(before["errors"]) != sorted(after["errors"]):
        was, now = (said(sorted(each["errors"])) or "all others" for each in (before, after))
        yield errors_changed.found(
            pair.name,
            f"{path}.errors",
            f"{of} takes the errors {now}, and took {was}",
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=covers,
        )
    yield from _filled(pair, path, of, before, after, covers)


def _filled(
    pair: Pair, path: str, of: str, before: Any, after: Any, covers: tuple[str, ...]
) -> Iterator[SpecChange]:
    pairs = [
        (f"{path}.emits.{number}.fills", one["event"], one, other)
        for number, (one, other) in enumerate(zip(before["emits"], after["emits"], strict=False))
    ]
    if "fills" in before and "fills" in after:
        pairs.append((f"{path}.fills", "", before, after))
    for about, event, one, other in pairs:
        for field in dict.fromkeys([*one["fills"], *other["fills"]]):
            was, now = one["fills"].get(field), other["fills"].get(field)
            if not same(was, now):
                whose = f"`{field}` of `{event}`" if event else f"`{field}` of the new beginning"
                told = became(f"{whose}, as {of} fills it,", was, now)
                yield filled_changed.found(
                    pair.name,
                    f"{about}.{field}",
                    told,
                    before=said(was),
                    after=said(now),
                    old=place(was) or before["at"],
                    new=place(now) or after["at"],
                    covers=covers,
                )


_CHOOSING = {
    ("wait", "that"): "`{}` takes what it waits for",
    ("map", "keep"): "`{}` does something with an item",
    ("retrieve", "that"): "`{}` finds a passage",
}


def _waits(pair: Pair, name: str, path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    """Yield the conditions that are no way out: on what a wait takes, and which items or passages count."""
    for (does, key), words in _CHOOSING.items():
        one, other = before.get(key), after.get(key)
        if before["does"] != does or same(one, other):
            continue
        was, now = said(one) or "always", said(other) or "always"
        yield condition_changed.found(
            pair.name,
            f"{path}.{key}",
            f"{words.format(name)} if `{now}`, and did if `{was}`".replace("if `always`", "in any case"),
            before=was,
            after=now,
            old=place(one) or before["at"],
            new=place(other) or after["at"],
        )


def _requirements(pair: Pair, name: str, old: list[Any], new: list[Any]) -> Iterator[SpecChange]:
    added, removed = _REQUIREMENT
    before, after = ({each["that"]["means"]: each for each in listed} for listed in (old, new))
    path = f"steps.{name}.requires"
    for means, each in after.items():
        if means not in before:
            told = f"`{name}` requires `{said(each['that'])}`"
            yield added.found(pair.name, f"{path}.{means}", told, after=means, new=each["at"], covers=(path,))
        elif not same(before[means]["say"], each["say"]):
            was, now = said(before[means]["say"]), said(each["say"])
            told = f"where `{said(each['that'])}` does not hold `{name}` says “{now}”, and said “{was}”"
            yield requirement_text.found(
                pair.name,
                f"{path}.{means}.say",
                told,
                before=was,
                after=now,
                old=before[means]["at"],
                new=each["at"],
                covers=(path,),
            )
    for means, each in before.items():
        if means not in after:
            told = f"`{name}` does not require `{said(each['that'])}` any more"
            yield removed.found(
                pair.name, f"{path}.{means}", told, before=means, old=each["at"], covers=(path,)
            )
    if list(before) != list(after) and set(before) == set(after):
        yield order_changed.found(
            pair.name,
            f"{path}.order",
            f"`{name}` asks what it requires in another order",
            before=said(list(before)),
            after=said(list(after)),
            old=old[0]["at"],
            new=new[0]["at"],
            covers=(path,),
        )
