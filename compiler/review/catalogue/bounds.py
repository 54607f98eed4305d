"""Rules about bounds: times, attempts, rounds, items, costs, and how much goes on at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.review.catalogue.placing import change_between
from wfc.compiler.review.changes import Audience, ChangeRule, Level, SpecChange, mirrored
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import said, same
from wfc.schemas.spans import span

__all__ = ["bound_change", "changes_of_bounds", "in_words", "raised_or_lowered"]

_INFO, _WARN, _ACT = Level.INFO, Level.WARN, Level.ACT


def raised_or_lowered(
    id: str, audience: Audience, raised: tuple[Level, str], lowered: tuple[Level, str]
) -> tuple[ChangeRule, ChangeRule]:
    """Enter the rules for a bound that is raised or removed, and for one that is lowered or new."""
    return mirrored(id, audience, ("raised", *raised), ("lowered", *lowered))


_TIMEOUT = raised_or_lowered(
    "timeout",
    "operators",
    (
        _WARN,
        """One attempt of a step may take longer than before, or as long as it likes.

What hangs is noticed later, and what waits for it waits longer.""",
    ),
    (
        _WARN,
        """One attempt of a step may take less time than before.

What has taken longer and has succeeded fails from now on. Look at how long calls really take.""",
    ),
)

_WAIT = raised_or_lowered(
    "wait",
    "operators",
    (
        _INFO,
        """A step waits longer than before for what it waits for, or without a bound.

A wait that is under way when the change comes ends as it was to.""",
    ),
    (
        _WARN,
        """A step waits less long than before for what it waits for.

Whoever is asked has less time, and what follows when nobody answers happens sooner. A wait that is under way when the
change comes ends as it was to.""",
    ),
)

_AT_ONCE = raised_or_lowered(
    "concurrency",
    "operators",
    (
        _WARN,
        """More goes on at once than before.

What is called is called by more at a time: look at its own limits.""",
    ),
    (_INFO, "Less goes on at once than before, so that the whole may take longer."),
)

_ROUNDS = raised_or_lowered(
    "rounds",
    "operators",
    (
        _ACT,
        """A step may run more often in one run than before, or without a bound.

What it costs grows as often as it runs.""",
    ),
    (
        _WARN,
        """A step may run less often in one run than before.

Runs that needed more rounds go over the limit, and leave by `on_limit` or fail.""",
    ),
)

_ATTEMPTS = raised_or_lowered(
    "attempts",
    "operators",
    (
        _WARN,
        """An action is tried more often than before when it fails.

What is called is called more often, and it takes longer until the failure counts. Is it safe to repeat?""",
    ),
    (_WARN, "An action is tried less often than before when it fails, so that it fails for good more often."),
)

_RETRY_TIMES = raised_or_lowered(
    "retry-wait",
    "operators",
    (_INFO, "More time passes between attempts, or more for all of them together."),
    (_INFO, "Less time passes between attempts, or less for all of them together."),
)

_ITEMS = raised_or_lowered(
    "items",
    "operators",
    (
        _WARN,
        """More items may be worked on than before.

Each of them costs what one costs.""",
    ),
    (_WARN, "Fewer items may be worked on than before: a longer list fails."),
)

_COST = raised_or_lowered(
    "cost-bound",
    "operators",
    (
        _ACT,
        """A run may use more than before: more steps, tokens or money, or without a bound.

Look at what a run can cost now at worst.""",
    ),
    (_WARN, "A run may use less than before: those that used more fail from now on."),
)

_TURNS = raised_or_lowered(
    "agent-bound",
    "operators",
    (
        _ACT,
        """An agent may do more before it has to stop than before: turns, calls of tools, tokens or money.

Look at what one answer can cost now at worst.""",
    ),
    (_WARN, "An agent may do less before it has to stop than before, so that it may not come to an answer."),
)

_CACHE = raised_or_lowered(
    "cache-time",
    "operators",
    (
        _WARN,
        """A result is kept longer than before, and is used in place of a new one.

What has changed outside meanwhile is not seen.""",
    ),
    (_INFO, "A result is kept less long than before, so that the action is done more often."),
)

_RATE = raised_or_lowered(
    "rate",
    "operators",
    (_WARN, "A model or a tool may be called more often than before in the same time, or more at once."),
    (_INFO, "A model or a tool may be called less often than before, so that steps wait for their turn."),
)

_OF_STEPS: Final[tuple[tuple[str, str, tuple[ChangeRule, ChangeRule]], ...]] = (
    ("timeout", "the time for one attempt of `{}`", _TIMEOUT),
    ("within", "the time that `{}` waits", _WAIT),
    ("concurrency", "how many `{}` does at once", _AT_ONCE),
    ("max_runs", "how often `{}` may run", _ROUNDS),
    ("retry.max_attempts", "how often `{}` is tried", _ATTEMPTS),
    ("retry.delay", "the wait before the next attempt of `{}`", _RETRY_TIMES),
    ("retry.backoff", "the factor of the wait between attempts of `{}`", _RETRY_TIMES),
    ("retry.max_delay", "the longest wait between attempts of `{}`", _RETRY_TIMES),
    ("retry.jitter", "the chance in the wait between attempts of `{}`", _RETRY_TIMES),
    ("retry.within", "the time for all attempts of `{}`", _RETRY_TIMES),
    ("accepts.within", "the time for the events of `{}` to meet", _WAIT),
    ("action.max", "how many items `{}` may have", _ITEMS),
    ("action.for", "the time that `{}` waits", _WAIT),
    ("action.remind", "the time until `{}` reminds", _WAIT),
    ("cache.seconds", "how long the result of `{}` is kept", _CACHE),
)


def changes_of_bounds(pair: Pair) -> Iterator[SpecChange]:
    """Yield the bounds that have changed."""
    for name, before, after in pair.changed_steps:
        for path, words, rules in _OF_STEPS:
            one, other = _at(before, path), _at(after, path)
            if path == "cache.seconds":
                one, other = in_words(one), in_words(other)
            if path.startswith("retry.") and (before["retry"] is None or after["retry"] is None):
                if path != "retry.max_attempts" or (before["retry"] is None) == (after["retry"] is None):
                    continue
                one, other = _attempts(before), _attempts(after)
                path = "retry"  # noqa: PLW2901 - of which no more is told
            if path.startswith("cache.") and (before["cache"] is None or after["cache"] is None):
                continue
            yield from bound_change(pair, rules, f"steps.{name}.{path}", words.format(name), one, other)
        yield from _batches(pair, name, before, after)
    yield from _of_runs(pair)
    yield from _of_agents(pair)
    yield from _of_calls(pair)


def _at(fact: Any, path: str) -> Any:
    for key in path.split("."):
        fact = fact.get(key) if isinstance(fact, dict) else None
    return fact


def _attempts(step: Any) -> Any:
    """Return how often an action is tried, also where nothing is said of it."""
    retry = step["retry"]
    return {"at": step["at"], "text": "once", "value": 1} if retry is None else retry["max_attempts"]


def bound_change(
    pair: Pair,
    rules: tuple[ChangeRule, ChangeRule],
    about: str,
    words: str,
    before: Any,
    after: Any,
    at: tuple[Any, Any] = (None, None),
) -> Iterator[SpecChange]:
    """Yield that a bound has changed; where it is not sure in which direction, it is raised.

    Args:
        at: What holds the bounds, for their places.
    """
    if same(before, after):
        return
    is_lowered = before is None or (after is not None and _less(after, before))
    was, now = said(before), said(after)
    if before is None:
        told = f"{words} is bounded now: {now}"
    elif after is None:
        told = f"{words} has no bound any more, which was {was}"
    else:
        told = f"{words} is {now}, and was {was}"
    yield change_between(pair, rules[is_lowered], about, told, before, after, at)


def in_words(length: float | None) -> dict[str, Any] | None:
    """Return seconds as a bound that is told as people say it."""
    return None if length is None else {"text": span(length), "value": length}


def _less(one: Any, other: Any) -> bool:
    one, other = (each.get("value") if isinstance(each, dict) else each for each in (one, other))
    return isinstance(one, int | float) and isinstance(other, int | float) and one < other


def _batches(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    """Yield the bounds of batches; those of exits that emit other events are told of with these."""
    for key, exit_ in before["exits"].items():
        later = after["exits"].get(key, {"entries": []})
        for number, (one, other) in enumerate(zip(exit_["entries"], later["entries"], strict=False)):
            for place_, (emit, now) in enumerate(zip(one["emits"], other["emits"], strict=False)):
                if emit["event"] != now["event"] or "each" not in emit or "each" not in now:
                    continue
                path = f"steps.{name}.exits.{key}.entries.{number}.emits.{place_}.each"
                for what, words, rules in (
                    ("max", "how many", _ITEMS),
                    ("concurrency", "how many at once", _AT_ONCE),
                ):
                    told = f"{words} `{emit['event']}` `{name}` may emit"
                    yield from bound_change(
                        pair, rules, f"{path}.{what}", told, emit["each"][what], now["each"][what]
                    )


def _of_runs(pair: Pair) -> Iterator[SpecChange]:
    old, new = pair.old["limits"], pair.new["limits"]
    words = {
        "steps": "how many steps a run may have",
        "tokens": "how many tokens a run may use",
        "cost_usd": "how many dollars a run may cost",
        "concurrent_runs": "how many runs there may be at once",
    }
    for name, told in words.items():
        rules = _AT_ONCE if name == "concurrent_runs" else _COST
        yield from bound_change(pair, rules, f"limits.{name}", told, old.get(name), new.get(name))


def _of_agents(pair: Pair) -> Iterator[SpecChange]:
    for name, before, after in pair.both("agents"):
        for bound in {**before["bounds"], **after["bounds"]}:
            told = f"`{bound}` of the agent `{name}`"
            about = f"agents.{name}.bounds.{bound}"
            one, other = before["bounds"].get(bound), after["bounds"].get(bound)
            yield from bound_change(pair, _TURNS, about, told, one, other, (before, after))
    for name, path, before, after in pair.actions:
        if before["does"] == "agent":
            for bound in {**before["limits"], **after["limits"]}:
                told = f"`{bound}` of the agent that `{name}` asks"
                one, other = before["limits"].get(bound), after["limits"].get(bound)
                about = f"{path}.limits.{bound}"
                yield from bound_change(pair, _TURNS, about, told, one, other, (before, after))


def _of_calls(pair: Pair) -> Iterator[SpecChange]:
    for section, sort in (("models", "the model"), ("tools", "the tool")):
        for name, before, after in pair.both(section):
            one, other = _rate(before["limit"], after["limit"]), _rate(after["limit"], before["limit"])
            told = f"how often {sort} `{name}` may be called"
            yield from bound_change(pair, _RATE, f"{section}.{name}.limit", told, one, other, (before, after))
            if section == "tools":
                told = f"how long a call of the tool `{name}` may take"
                about = f"tools.{name}.timeout"
                one, other = in_words(before["timeout"]), in_words(after["timeout"])
                yield from bound_change(pair, _TIMEOUT, about, told, one, other, (before, after))


def _rate(limit: Any, other: Any) -> Any:
    """Return how often something may be called, as a bound that can be held against another one where that is sure."""
    if limit is None:
        return None
    shown, values = [], []
    if limit["rate"] is not None:
        shown.append(f"{limit['rate'][0]} in {span(limit['rate'][1])}")
        values.append(limit["rate"][0] / limit["rate"][1])
    if limit["at_once"] is not None:
        shown.append(f"{limit['at_once']} at once")
        values.append(limit["at_once"])
    found: dict[str, Any] = {"text": ", ".join(shown)}
    differing = [key for key in ("rate", "at_once") if other is None or limit[key] != other[key]]
    if len(differing) == 1 and limit[differing[0]] is not None:
        found["value"] = values[0] if differing[0] == "rate" else values[-1]
    return found
