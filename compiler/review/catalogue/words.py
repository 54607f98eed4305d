"""Rules about words: prompts, questions, descriptions, tests, and comments that silence findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Pair, gives_what_it_waits_for
from wfc.compiler.review.sameness import place, said, same, word_diff

__all__ = ["changes_of_words"]

_INFO, _WARN = Level.INFO, Level.WARN
_ANOTHER = "the opposite of another text is another text"

prompt_changed = rule(
    "prompt-changed",
    "reviewers",
    _INFO,
    """What a model is told is another text.

The words that are new stand in `{+…+}`, those that are gone in `[-…-]`.
No check knows what a model makes of it: try it.""",
    no_mirror=_ANOTHER,
)

prompt_data = rule(
    "prompt-data-changed",
    "reviewers",
    _WARN,
    """Other data than before are put into what a model is told.

Where they come from outside and did not reach a model before, that is told under security, too.""",
    no_mirror="data may come and go in one change",
)

question_text = rule(
    "question-text-changed",
    "reviewers",
    _INFO,
    "A person is asked with other words, or is shown something else.",
    no_mirror=_ANOTHER,
)

answer_changed = rule(
    "answer-type-changed",
    "reviewers",
    _WARN,
    """What a model, a tool or a called workflow gives is of another type, or a form has other fields.

What follows is checked against the new type; that the other side gives it is not.""",
    no_mirror="the opposite of another type is another type",
)

described = rule(
    "description-changed",
    "reviewers",
    _INFO,
    """A description or a label is another text.

Of tools and agents that is what models read to choose them; of a field of an answer, what they read to fill it.""",
    no_mirror=_ANOTHER,
)

_TEST = mirrored(
    "test",
    "reviewers",
    ("added", _INFO, "A test of the spec is new."),
    (
        "removed",
        _WARN,
        "A test of the spec is gone: what it held is held by nothing, unless another one holds it.",
    ),
)

test_weakened = rule(
    "test-weakened",
    "reviewers",
    _WARN,
    "A test expects less than before.",
    no_mirror="what expects something else as well as more is a change of the test",
)

test_changed = rule(
    "test-changed",
    "reviewers",
    _INFO,
    "A test begins otherwise, is answered otherwise, or expects something else.",
    no_mirror="the opposite of another test is another test",
)

_SUPPRESSION = mirrored(
    "suppression",
    "reviewers",
    ("added", _WARN, "A comment asks not to mind a finding that was minded before. Does its reason hold?"),
    ("removed", _INFO, "A comment that asked not to mind a finding is gone."),
)


def changes_of_words(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of words."""
    yield from _prompts(pair)
    for name, path, before, after in pair.actions:
        if before["does"] == "human":
            yield from _questions(pair, name, path, before, after)
    yield from _answers(pair)
    yield from _descriptions(pair)
    yield from _tests(pair)
    yield from _suppressions(pair)


def _prompts(pair: Pair) -> Iterator[SpecChange]:
    for name, path, before, after in pair.actions:
        if before["does"] in ("llm", "agent"):
            yield from _texts(pair, path, f"`{name}`", before, after)
    for name, one, other in pair.both("agents"):
        yield from _texts(pair, f"agents.{name}", f"the agent `{name}`", one, other)


def _texts(pair: Pair, path: str, who: str, before: Any, after: Any) -> Iterator[SpecChange]:
    for key, words in (("system", "system text"), ("prompt", "prompt")):
        one, other = before[key], after[key]
        if same(one, other):
            continue
        was, now = _text(one), _text(other)
        old, new = place(one) or before["at"], place(other) or after["at"]
        told = (
            f"the {words} of {who}: {word_diff(was, now)}"
            if was and now
            else f"the {words} of {who} is {'new' if now else 'gone'}"
        )
        yield prompt_changed.found(pair.name, f"{path}.{key}", told, before=was, after=now, old=old, new=new)
        more, less = _read(other) - _read(one), _read(one) - _read(other)
        if more or less:
            parts = [
                f"reads {_named(more)}" if more else "",
                f"no longer reads {_named(less)}" if less else "",
            ]
            told = f"the {words} of {who} {' and '.join(filter(None, parts))}"
            yield prompt_data.found(
                pair.name,
                f"{path}.{key}.reads",
                told,
                before=said(sorted(less)),
                after=said(sorted(more)),
                old=old,
                new=new,
            )


def _text(fact: Any) -> str:
    return "" if fact is None else str(fact["text"])


def _read(fact: Any) -> set[str]:
    return set() if fact is None else set(fact.get("reads", ()))


def _named(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _questions(pair: Pair, name: str, path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    for key in ("title", "show"):
        one, other = before[key], after[key]
        if not same(one, other):
            was, now = _text(one), _text(other)
            told = f"`{key}` of the question of `{name}`: {word_diff(was, now)}"
            yield question_text.found(
                pair.name,
                f"{path}.{key}",
                told,
                before=was,
                after=now,
                old=place(one) or before["at"],
                new=place(other) or after["at"],
            )
    if not same(before["form"], after["form"]):
        was, now = _form(before["form"]), _form(after["form"])
        yield answer_changed.found(
            pair.name,
            f"{path}.form",
            f"the form of `{name}` has {now}, and had {was}",
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=(f"steps.{name}.result",),
        )


def _form(form: Any) -> str:
    fields = (
        f"{name}{'' if field['required'] else '?'}: {field['text']}" for name, field in (form or {}).items()
    )
    return ", ".join(fields) or "no fields"


def _answers(pair: Pair) -> Iterator[SpecChange]:
    for name, path, before, after in pair.actions:
        one, other = before.get("output"), after.get("output")
        if one is not None and other is not None and not same(one, other):
            yield _answer(
                pair, f"{path}.output", f"`{name}`", one, other, before, after, (f"steps.{name}.result",)
            )
    for section, sort in (("tools", "the tool"), ("agents", "the agent")):
        for name, before, after in pair.both(section):
            one, other = before["output"], after["output"]
            if not same(one, other):
                users = [step for step, _, _ in pair.changed_steps]
                covers = tuple(f"steps.{step}.result" for step in users)
                yield _answer(
                    pair, f"{section}.{name}.output", f"{sort} `{name}`", one, other, before, after, covers
                )

    for name, before, after in pair.changed_steps:
        one, other = before["result"], after["result"]
        if gives_what_it_waits_for(before, after):
            continue
        if one is not None and other is not None and not same(one, other):
            yield _answer(pair, f"steps.{name}.result", f"`{name}`", one, other, before, after, ())


def _fields(before: Any, after: Any) -> str:
    """Return in which fields two types differ."""
    found = [*_differing(before["type"], after["type"])]
    return ", ".join(f"`{each}`" for each in found[:5]) or said(after)


def _differing(before: Any, after: Any, path: str = "") -> Iterator[str]:
    if (
        isinstance(before, list)
        and isinstance(after, list)
        and before[:1] == after[:1]
        and len(before) == len(after)
    ):
        one, other = before[1], after[1]
        if before[0] == "record" and isinstance(one, dict) and isinstance(other, dict):
            for name in dict.fromkeys([*one, *other]):
                if not same(one.get(name), other.get(name)):
                    was, now = one.get(name), other.get(name)
                    deeper = (
                        [] if was is None or now is None else [*_differing(was[0], now[0], f"{path}{name}.")]
                    )
                    yield from deeper or [f"{path}{name}"]
        elif not same(one, other) and before[0] != "enum":
            yield from _differing(one, other, path)


def _answer(
    pair: Pair, about: str, who: str, one: Any, other: Any, before: Any, after: Any, covers: tuple[str, ...]
) -> SpecChange:
    was, now = said(one), said(other)
    told = (
        f"{who} gives {now}, and gave {was}"
        if was != now
        else f"{who} gives something else: {_fields(one, other)}"
    )
    return answer_changed.found(
        pair.name, about, told, before=was, after=now, old=before["at"], new=after["at"], covers=covers
    )


def _descriptions(pair: Pair) -> Iterator[SpecChange]:
    listed = [("description", "the workflow", pair.old, pair.new)]
    for section, sort in (("steps", "the step"), ("tools", "the tool"), ("agents", "the agent")):
        listed += [
            (f"{section}.{name}.description", f"{sort} `{name}`", one, other)
            for name, one, other in pair.both(section)
        ]
    for about, who, one, other in listed:
        was, now = str(one["description"]), str(other["description"])
        if was != now:
            told = f"the description of {who}: {word_diff(was, now)}"
            yield described.found(
                pair.name, about, told, before=was, after=now, old=one["at"], new=other["at"]
            )
    for about, one, other in pair.both("descriptions"):
        was, now = str(one["text"]), str(other["text"])
        told = f"the description of `{about}`: {word_diff(was, now)}"
        yield described.found(
            pair.name, f"descriptions.{about}", told, before=was, after=now, old=one["at"], new=other["at"]
        )
    if pair.old["labels"] != pair.new["labels"]:
        was, now = said(pair.old["labels"]), said(pair.new["labels"])
        told = f"the labels are {now}, and were {was}"
        yield described.found(
            pair.name, "labels", told, before=was, after=now, old=pair.old["at"], new=pair.new["at"]
        )


def _tests(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _TEST
    for name, test in pair.added("tests"):
        yield added.found(pair.name, f"tests.{name}", f"the test “{name}” is new", after=name, new=test["at"])
    for name, test in pair.gone("tests"):
        yield removed.found(
            pair.name, f"tests.{name}", f"the test “{name}” is gone", before=name, old=test["at"]
        )
    for name, before, after in pair.both("tests"):
        lost = _lost(before["expect"]["value"], after["expect"]["value"])
        which = test_weakened if lost else test_changed
        told = (
            f"the test “{name}” does not expect {said(lost)} any more"
            if lost
            else f"the test “{name}” has changed"
        )
        yield which.found(
            pair.name,
            f"tests.{name}",
            told,
            before=said(before["expect"]),
            after=said(after["expect"]),
            old=before["at"],
            new=after["at"],
        )


def _lost(before: Any, after: Any, path: str = "") -> list[str]:
    """Return what was expected and is not expected any more, in any way."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    found = [f"{path}{key}" for key in before if key not in after]
    for key in before:
        if key in after:
            found += _lost(before[key], after[key], f"{path}{key}.")
    return found


def _suppressions(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _SUPPRESSION
    old, new = (
        [(each["code"], str(each["because"])) for each in facts["suppressions"]]
        for facts in (pair.old, pair.new)
    )
    for which, one, other, word, facts in (
        (added, new, old, "newly", pair.new),
        (removed, old, new, "no longer", pair.old),
    ):
        left = list(other)
        for (code, because), each in zip(one, facts["suppressions"], strict=True):
            if (code, because) in left:
                left.remove((code, because))
                continue
            told = f"a comment {word} silences `{code}`, because {because or 'of nothing that it says'}"
            is_new = which is added
            yield which.found(
                pair.name,
                f"suppressions.{code}",
                told,
                before="" if is_new else because,
                after=because if is_new else "",
                old=None if is_new else each["at"],
                new=each["at"] if is_new else None,
                covers=("suppressions",),
            )
