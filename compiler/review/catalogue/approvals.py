"""Rules about people who have to allow something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.catalogue.bounds import bound_change
from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import became, place, said, same
from wfc.compiler.review.ways import Ways

__all__ = ["changes_of_approvals"]

_INFO, _ACT, _BREAK = Level.INFO, Level.ACT, Level.BREAK

approval_removed = rule(
    "approval-removed",
    "security",
    _BREAK,
    """A step that changes something outside can be reached without the person who was asked before it.

On each way to it, or on some, a person was asked; now there is none on that way. Runs that are paused at that question
go on under their own version. Where nothing that was seen to change anything outside comes after the question, it
asks for a decision and no more.""",
    mirror="approval-added",
    also=(_ACT,),
)

approval_added = rule(
    "approval-added",
    "security",
    _INFO,
    "A person is asked where nobody was before, as before a step that changes something outside.",
    mirror="approval-removed",
)

_CALLS = mirrored(
    "call-approval",
    "security",
    (
        "removed",
        _BREAK,
        """An agent may call a tool without a person who has to allow the call.

What the model reads may be a stranger's words, and they may lead it to this call.""",
    ),
    ("added", _INFO, "A person has to allow the calls of a tool by an agent."),
)

call_approval_changed = rule(
    "call-approval-changed",
    "security",
    _ACT,
    "Other calls of a tool by an agent have to be allowed, by others, or the question is another one.",
    no_mirror="which of two conditions lets more pass is not known",
)

_QUORUM = mirrored(
    "quorum",
    "security",
    ("raised", _INFO, "More people have to answer a question than before."),
    ("lowered", _BREAK, "Fewer people have to answer a question than before: one of them alone may decide."),
)

approval_condition = rule(
    "approval-condition-changed",
    "security",
    _ACT,
    """It is decided otherwise than before when a person is asked.

The condition chooses between a way on which a person is asked and one on which nobody is. Look at what passes without
a person now.""",
    no_mirror="which of two conditions lets more pass is not known",
)

timeout_leads_elsewhere = rule(
    "timeout-leads-elsewhere",
    "security",
    _ACT,
    """Something else happens than before when nobody answers, or when what was waited for does not come in time.

Silence may be made consent by that: look at what it leads to.""",
    no_mirror="the opposite of another way is another way",
)


_PEOPLE = mirrored(
    "person-asked",
    "security",
    (
        "added",
        _ACT,
        """Somebody else is asked than before.

Whoever is asked reads what the question shows, and decides. Look at whether they may.""",
    ),
    (
        "removed",
        _ACT,
        """Somebody is not asked any more.

Where nobody else is named, everybody may answer.""",
    ),
)


def changes_of_approvals(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of what people have to allow."""
    yield from _effects(pair)
    yield from _conditions(pair)
    for name, before, after in pair.changed_steps:
        yield from _timeout(pair, name, before, after)
    for name, path, one, other in pair.actions:
        if one["does"] == "human":
            yield from _quorum(pair, name, path, one, other)
            yield from _people(pair, name, path, one, other)
    for agent, before, after in pair.both("agents"):
        yield from _calls(pair, f"agents.{agent}", agent, before, after)


def _effects(pair: Pair) -> Iterator[SpecChange]:
    """Yield the effects before which people are asked no more, and those before which they are newly."""
    old, new = pair.ways
    known = [name for name in old.effects() if name in pair.new["steps"]]
    for name in known:
        before, after = _asked_before(old, name), _asked_before(new, name)
        for asking in sorted(before - after):
            told = f"`{name}` can be reached without anybody being asked in `{asking}`"
            if asking in pair.new["steps"] and name in new.behind(asking):
                told += ", which was asked on every way to it"
            elif after:
                continue  # somebody else is asked on every way
            yield approval_removed.found(
                pair.name,
                f"approvals.{name}.{asking}",
                told,
                before=asking,
                old=pair.old["steps"][asking]["at"],
                new=pair.new["steps"][name]["at"],
            )
        if not before and after:
            asking = sorted(after)[0]
            told = f"`{name}` is reached only after `{asking}` has asked"
            yield approval_added.found(
                pair.name, f"approvals.{name}", told, after=asking, new=pair.new["steps"][asking]["at"]
            )
    yield from _gone(pair, old, known)
    yield from _new(pair)


def _asked_before(ways: Ways, name: str) -> set[str]:
    """Return the steps that ask people and stand on every way to a step."""
    return {
        asking
        for asking in ways.people
        if asking != name and name in ways.behind(asking) and name not in ways.reached(ways.begins, (asking,))
    }


def _new(pair: Pair) -> Iterator[SpecChange]:
    """Yield the questions that are new; those on every way to an effect are told with that."""
    old, new = pair.ways
    told = {
        asking
        for name in old.effects()
        if name in pair.new["steps"] and not _asked_before(old, name)
        for asking in _asked_before(new, name)
    }
    for asking in new.people:
        before = pair.old["steps"].get(asking)
        if (before is None or before["kind"] != "human") and asking not in told:
            yield approval_added.found(
                pair.name,
                f"approvals.{asking}",
                f"somebody is asked in `{asking}`",
                after=asking,
                new=pair.new["steps"][asking]["at"],
            )


def _gone(pair: Pair, old: Ways, effects: list[str]) -> Iterator[SpecChange]:
    """Yield the questions that are gone and stood on some ways to an effect; those on every way are told above."""
    for asking in old.people:
        after = pair.new["steps"].get(asking)
        if after is not None and after["kind"] == "human":
            continue
        behind = [name for name in effects if name in old.behind(asking)]
        told_already = [name for name in behind if asking in _asked_before(old, name)]
        if not told_already:
            shown = " and ".join(f"`{name}`" for name in behind[:3])
            more = f", which came before {shown} on some ways" if behind else ""
            yield approval_removed.found(
                pair.name,
                f"approvals.{asking}",
                f"nobody is asked in `{asking}` any more{more}",
                before=asking,
                old=pair.old["steps"][asking]["at"],
                level=_BREAK if behind else _ACT,
            )


def _conditions(pair: Pair) -> Iterator[SpecChange]:
    """Yield conditions that choose between a way with a person and one without."""
    ways = pair.ways[1]
    for name, before, after in pair.changed_steps:
        for key, exit_ in before["exits"].items():
            later = after["exits"].get(key)
            if later is None or [each["when"] for each in exit_["entries"]] == []:
                continue
            one, other = _whens(exit_), _whens(later)
            if same(one, other) or not _chooses_person(ways, later):
                continue
            changed = [(a, b) for a, b in zip(one, other, strict=False) if not same(a, b)]
            was, now = changed[0] if len(one) == len(other) else (one, other)
            yield approval_condition.found(
                pair.name,
                f"approval-condition.{name}.{key}",
                f"`{name}` decides otherwise whether anybody is asked: by `{said(now)}`, and did by `{said(was)}`",
                before=said(was),
                after=said(now),
                old=place(was) or place(exit_),
                new=place(now) or place(later),
                covers=_covered(name, key, exit_) if len(one) == len(other) else (),
            )


def _covered(name: str, key: str, exit_: Any) -> tuple[str, ...]:
    return tuple(f"steps.{name}.exits.{key}.entries.{number}.when" for number in range(len(exit_["entries"])))


def _whens(exit_: Any) -> list[Any]:
    return [entry["when"] for entry in exit_["entries"]]


def _chooses_person(ways: Ways, exit_: Any) -> bool:
    """Return whether some entries of an exit lead straight to a question, and others not."""
    asked = set()
    for entry in exit_["entries"]:
        first = ways.accepting(emit["event"] for emit in entry["emits"])
        asked.add(any(step in ways.people for step in first))
    return asked == {True, False}


def _timeout(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    one, other = before["exits"].get("on_timeout"), after["exits"].get("on_timeout")
    if one is None or other is None or _leads(one) == _leads(other):
        return
    was, now = _leads(one), _leads(other)
    yield timeout_leads_elsewhere.found(
        pair.name,
        f"steps.{name}.exits.on_timeout",
        f"when the time of `{name}` is up it leads to {now}, and led to {was}",
        before=was,
        after=now,
        old=place(one),
        new=place(other),
    )


def _leads(exit_: Any) -> str:
    found = []
    for entry in exit_["entries"]:
        found += [f"`{emit['event']}`" for emit in entry["emits"]]
        found += (
            [{"fail": "a failure", "restart": "a new beginning"}[entry["ends"]]] if "ends" in entry else []
        )
    return " or ".join(found) or "nothing"


def _quorum(pair: Pair, name: str, path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    words = f"how many have to answer in `{name}`"
    one, other = (each["quorum"] or _one(each) for each in (before, after))
    yield from bound_change(pair, _QUORUM, f"{path}.quorum", words, one, other)


def _people(pair: Pair, name: str, path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    added, removed = _PEOPLE
    was, now = ({str(said(each)): each for each in action["assign"]} for action in (before, after))
    for one, at in now.items():
        if one not in was:
            told = f"`{name}` may be answered by {one}"
            yield added.found(
                pair.name, f"{path}.assign.{one}", told, after=one, new=place(at), covers=(f"{path}.assign",)
            )
    for one, at in was.items():
        if one not in now:
            told = f"`{name}` may not be answered by {one} any more"
            yield removed.found(
                pair.name, f"{path}.assign.{one}", told, before=one, old=place(at), covers=(f"{path}.assign",)
            )


def _one(action: Any) -> Any:
    return {"at": action["at"], "text": "1", "value": 1}


def _calls(pair: Pair, path: str, agent: str, before: Any, after: Any) -> Iterator[SpecChange]:
    removed, added = _CALLS
    for tool, use in before["tools"].items():
        now = after["tools"].get(tool)
        if now is None or same(use["approval"], now["approval"]):
            continue
        about = f"{path}.tools.{tool}.approval"
        if now["approval"] is None:
            told = f"the agent `{agent}` may call `{tool}` without anybody who allows it"
            yield removed.found(pair.name, about, told, before=tool, old=use["at"], new=now["at"])
        elif use["approval"] is None:
            told = f"somebody has to allow calls of `{tool}` by the agent `{agent}`"
            yield added.found(pair.name, about, told, after=tool, old=use["at"], new=now["at"])
        else:
            was, is_ = said(use["approval"]), said(now["approval"])
            told = became(
                f"how calls of `{tool}` by the agent `{agent}` are allowed", use["approval"], now["approval"]
            )
            yield call_approval_changed.found(
                pair.name, about, told, before=was, after=is_, old=use["at"], new=now["at"]
            )
