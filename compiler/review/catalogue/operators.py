"""Rules about what whoever runs the workflow has to know: models, settings, triggers, caches, resources, retries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.review.catalogue.bounds import in_words
from wfc.compiler.review.catalogue.fields import CONFIG, changes_of_given
from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import Difference, became, differences, place, said, same
from wfc.compiler.slotted import replace
from wfc.schemas.spans import span

__all__ = ["changes_for_operators"]

_INFO, _WARN, _ACT = Level.INFO, Level.WARN, Level.ACT
_ANOTHER = "the opposite of another one is another one"

model_changed = rule(
    "model-changed",
    "operators",
    _WARN,
    """Another model answers than before.

Its answers, its price, its limits and where the data go may be others.""",
    no_mirror=_ANOTHER,
)

model_settings = rule(
    "model-settings-changed",
    "operators",
    _WARN,
    "A model is asked with other settings than before.",
    no_mirror=_ANOTHER,
)

_FALLBACK = mirrored(
    "fallback",
    "operators",
    ("added", _WARN, "Another model is asked when a model fails: data go there, too."),
    ("removed", _WARN, "A model is not asked any more when another one fails."),
)

_DECLARED: Final = {
    section: (
        f"the {word}",
        mirrored(
            word,
            "reviewers",
            ("added", _INFO, f"{one} {word} is new. What it reaches is told where a step uses it."),
            ("removed", _INFO, f"{one} {word} is gone."),
        ),
    )
    for section, word, one in (("models", "model", "A"), ("tools", "tool", "A"), ("agents", "agent", "An"))
}

_TRIGGER = mirrored(
    "trigger",
    "operators",
    ("added", _ACT, "Something starts runs by itself that did not before: a schedule, a topic or a webhook."),
    ("removed", _ACT, "Something does not start runs by itself any more, so that nobody may start them."),
)

trigger_changed = rule(
    "trigger-changed",
    "operators",
    _ACT,
    "Runs are started at other times than before, by something else, or with other inputs.",
    no_mirror=_ANOTHER,
)

_CACHE = mirrored(
    "cache",
    "operators",
    (
        "added",
        _WARN,
        "A result is kept and used in place of a new one: what changes outside meanwhile is not seen.",
    ),
    ("removed", _INFO, "A result is not kept any more: the action is done each time."),
)

resource_changed = rule(
    "resource-changed",
    "operators",
    _ACT,
    "An object that tools share is new, gone, made by another function or kept otherwise.",
    no_mirror="resources may come and go in one change",
)

retried_otherwise = rule(
    "retried-errors-changed",
    "operators",
    _WARN,
    "Other errors than before are tried again.",
    no_mirror=_ANOTHER,
)

counted_otherwise = rule(
    "counted-per-changed",
    "operators",
    _WARN,
    "How many runs there may be at once is counted by another value, or for all of them together.",
    no_mirror=_ANOTHER,
)

decided_by_setting = rule(
    "setting-decides",
    "reviewers",
    _ACT,
    """A field of `config` has another default, and a condition, a requirement or a bound is decided by it.

An approval that is asked for above a limit is asked for at another limit: each place that is decided by the field is
told by itself.""",
    no_mirror=_ANOTHER,
)

lost_declared = rule(
    "removed-declared",
    "runs",
    _WARN,
    """The spec says that something of runs under way may be lost: `removed`.

Is nothing of it needed any more?""",
    no_mirror="that nothing is said to be lost needs no decision",
)


def changes_for_operators(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed for those who run the workflow."""
    yield from _models(pair)
    yield from _settings(pair)
    yield from _triggers(pair)
    yield from _caches(pair)
    yield from _resources(pair)
    for name, before, after in pair.changed_steps:
        yield from _retried(pair, name, before["retry"], after["retry"])
    one, other = pair.old["limits"].get("per"), pair.new["limits"].get("per")
    if not same(one, other):
        told = became("the value by which runs at once are counted", one, other)
        yield counted_otherwise.found(
            pair.name,
            "limits.per",
            told,
            before=said(one),
            after=said(other),
            old=place(one),
            new=place(other),
        )
    for name in pair.new["removed"]:
        if name not in pair.old["removed"]:
            told = f"what runs under way have of `{name}` may be lost"
            yield lost_declared.found(
                pair.name,
                f"removed.{name}",
                told,
                after=name,
                new=[pair.new["at"][0], "removed"],
                covers=("removed",),
            )


def _as_told(setting: Difference) -> tuple[Any, Any]:
    """Return what a setting of a model was and is, a length of time as people say it."""
    if setting.path == ("timeout",):
        return in_words(setting.old), in_words(setting.new)
    return setting.old, setting.new


def _models(pair: Pair) -> Iterator[SpecChange]:
    yield from _declared(pair)
    added, removed = _FALLBACK
    for name, before, after in pair.both("models"):
        path, at = f"models.{name}", {"old": before["at"], "new": after["at"]}
        if before["use"] != after["use"]:
            told = f"the model `{name}` is `{after['use']}`, and was `{before['use']}`"
            yield model_changed.found(
                pair.name, f"{path}.use", told, before=before["use"], after=after["use"], **at
            )
        if not same(before["settings"], after["settings"]):
            was, now = said(before["settings"]), said(after["settings"])
            changed = [
                became(f"`{' '.join(found.path)}`", *_as_told(found))
                for found in differences(before["settings"], after["settings"])
            ]
            told = f"the model `{name}` is asked otherwise: {'; '.join(changed)}"
            yield model_settings.found(pair.name, f"{path}.settings", told, before=was, after=now, **at)
        for each in after["fallback"]:
            if each not in before["fallback"]:
                told = f"when the model `{name}` fails `{each}` is asked"
                yield added.found(
                    pair.name, f"{path}.fallback.{each}", told, after=each, covers=(f"{path}.fallback",), **at
                )
        for each in before["fallback"]:
            if each not in after["fallback"]:
                told = f"when the model `{name}` fails `{each}` is not asked any more"
                yield removed.found(
                    pair.name,
                    f"{path}.fallback.{each}",
                    told,
                    before=each,
                    covers=(f"{path}.fallback",),
                    **at,
                )
    yield from _used_models(pair)


def _declared(pair: Pair) -> Iterator[SpecChange]:
    for section, (word, (added, removed)) in _DECLARED.items():
        for name, each in pair.added(section):
            told = f"{word} `{name}` is new"
            yield added.found(pair.name, f"{section}.{name}", told, after=name, new=each["at"])
        for name, each in pair.gone(section):
            told = f"{word} `{name}` is gone"
            yield removed.found(pair.name, f"{section}.{name}", told, before=name, old=each["at"])


def _used_models(pair: Pair) -> Iterator[SpecChange]:
    used = [
        (path, f"`{name}`", one, other) for name, path, one, other in pair.actions if one["does"] == "llm"
    ]
    used += [
        (f"agents.{name}", f"the agent `{name}`", one, other) for name, one, other in pair.both("agents")
    ]
    for path, who, one, other in used:
        if one["model"] != other["model"]:
            was, now = _use(pair.old, one["model"]), _use(pair.new, other["model"])
            told = f"{who} asks the model {now}, and asked {was}"
            yield model_changed.found(
                pair.name, f"{path}.model", told, before=was, after=now, old=one["at"], new=other["at"]
            )


def _use(facts: Any, name: str | None) -> str:
    model = facts["models"].get(name)
    return f"`{name}`" if model is None or model["use"] == name else f"`{name}` (`{model['use']}`)"


def _settings(pair: Pair) -> Iterator[SpecChange]:
    for change in changes_of_given(pair, CONFIG, "config", "", pair.old["config"], pair.new["config"]):
        yield change
        if change.rule == "setting-default-changed":
            name = change.about.split(".")[1]
            for words, at in _decided(pair, name):
                yield replace(
                    decided_by_setting.found(
                        pair.name,
                        f"decided.{name}.{words}",
                        f"{words} is decided by `config.{name}`, which is {change.after}, and was {change.before}",
                        before=change.before,
                        after=change.after,
                        old=change.old,
                    ),
                    new=at,
                )


def _decided(pair: Pair, setting: str) -> Iterator[tuple[str, Any]]:
    """Yield the places that are decided by a setting: in words, and where they are."""
    for each in pair.new["decisions"].get(setting, ()):
        yield each["words"], each["at"]


def _triggers(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _TRIGGER
    for name, each in pair.added("triggers"):
        told = f"the trigger `{name}` starts runs: {_source(each)}"
        yield added.found(pair.name, f"triggers.{name}", told, after=_source(each), new=each["at"])
    for name, each in pair.gone("triggers"):
        told = f"the trigger `{name}` is gone: {_source(each)}"
        yield removed.found(pair.name, f"triggers.{name}", told, before=_source(each), old=each["at"])
    for name, before, after in pair.both("triggers"):
        was, now = _source(before), _source(after)
        told = f"the trigger `{name}` starts runs by {now}, and did by {was}"
        yield trigger_changed.found(
            pair.name, f"triggers.{name}", told, before=was, after=now, old=before["at"], new=after["at"]
        )


def _source(trigger: Any) -> str:
    names = ("schedule", "zone", "missed", "webhook", "header", "within", "topic", "secret", "values")
    return ", ".join(
        f"{name} {said(trigger[name])}"
        for name in names
        if trigger.get(name) and trigger[name] != {"value": {}}
    )


def _caches(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _CACHE
    for name, before, after in pair.changed_steps:
        one, other = before["cache"], after["cache"]
        if one is None and other is not None:
            told = f"what `{name}` gives is kept{_for(other)}"
            yield added.found(pair.name, f"steps.{name}.cache", told, after=_for(other), new=other["at"])
        if one is not None and other is None:
            told = f"what `{name}` gives is not kept any more"
            yield removed.found(pair.name, f"steps.{name}.cache", told, before=_for(one), old=one["at"])


def _for(cache: Any) -> str:
    return "" if cache["seconds"] is None else f" for {span(cache['seconds'])}"


def _resources(pair: Pair) -> Iterator[SpecChange]:
    old, new = pair.old["resources"], pair.new["resources"]
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if not same(before, after):
            was, now = (
                None if each is None else f"`{each['python']}` for each {each['per']}"
                for each in (before, after)
            )
            told = f"the resource `{name}` is {now or 'gone'}" + (f", and was {was}" if was else "")
            yield resource_changed.found(
                pair.name,
                f"resources.{name}",
                told,
                before=was or "",
                after=now or "",
                old=place(before),
                new=place(after),
            )


def _retried(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    if before is None or after is None:
        return
    for found in differences(
        {key: before[key] for key in ("retry_on", "never_on")},
        {key: after[key] for key in ("retry_on", "never_on")},
    ):
        was, now = said(found.old) or "all", said(found.new) or "all"
        if found.path[0] == "never_on":
            was, now = said(found.old) or "none", said(found.new) or "none"
        told = f"`{found.path[0]}` of `{name}` is {now}, and was {was}"
        yield retried_otherwise.found(
            pair.name,
            f"steps.{name}.retry.{found.path[0]}",
            told,
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
        )
