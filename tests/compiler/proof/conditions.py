"""Conditions of random flows: as data, as they are written, and whether they hold."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

Facts = Mapping[str, object]

DOMAINS: dict[str, tuple[object, ...]] = {
    "inputs.urgent": (False, True),
    "inputs.mode": ("a", "b", "c"),
    "result.sure": (False, True),
    "result.mood": ("x", "y", "z"),
    "result": ("Heads", "Tails"),
}
"""What conditions look at, with all its values. Those of `result.way`, a number, and `event` are each step's own;
`result` by itself is what a called workflow ended with."""


@dataclass(frozen=True)
class Test:
    """Whether something has a value."""

    subject: str
    value: object


@dataclass(frozen=True)
class Not:
    one: Condition


@dataclass(frozen=True)
class Both:
    one: Condition
    other: Condition


@dataclass(frozen=True)
class Either:
    one: Condition
    other: Condition


Condition = Test | Not | Both | Either


def holds(condition: Condition, facts: Facts) -> bool:
    """Whether a condition holds of the facts."""
    match condition:
        case Test(subject, value):
            return facts[subject] == value
        case Not(one):
            return not holds(one, facts)
        case Both(one, other):
            return holds(one, facts) and holds(other, facts)
        case Either(one, other):
            return holds(one, facts) or holds(other, facts)


def written(condition: Condition) -> str:
    """A condition in the words of the language."""
    match condition:
        case Test("event" | "result" as subject, value):
            return f"{subject} is {value}"
        case Test(subject, bool(value)):
            return subject if value else f"not {subject}"
        case Test(subject, str(value)):
            return f'{subject} == "{value}"'
        case Test(subject, value):
            return f"{subject} == {value}"
        case Not(Test("event" | "result" as subject, value)):
            return f"{subject} is not {value}"
        case Not(one):
            return f"not ({written(one)})"
        case Both(one, other):
            return f"({written(one)}) and ({written(other)})"
        case Either(one, other):
            return f"({written(one)}) or ({written(other)})"


def subjects(conditions: Sequence[Condition | None]) -> set[str]:
    """All that some conditions look at."""
    found: set[str] = set()
    work = [each for each in conditions if each is not None]
    while work:
        match work.pop():
            case Test(subject, _):
                found.add(subject)
            case Not(one):
                work.append(one)
            case Both(one, other) | Either(one, other):
                work += [one, other]
    return found


def assignments(names: Sequence[str], domains: Mapping[str, Sequence[object]]) -> Iterator[dict[str, object]]:
    """Every way to give values to some subjects."""
    for values in product(*(domains[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def drawn(by: random.Random, names: Sequence[str], domains: Mapping[str, Sequence[object]]) -> Condition:
    """Any condition on some subjects; each is looked at once, so that no condition is against itself."""
    names = list(dict.fromkeys(names))
    kind = by.randrange(6) if len(names) > 1 else by.randrange(3)
    if kind < 2:
        subject = by.choice(names)
        return Test(subject, by.choice(domains[subject]))
    if kind == 2:
        return Not(drawn(by, [by.choice(names)], domains))
    by.shuffle(names)
    middle = by.randrange(1, len(names))
    one, other = drawn(by, names[:middle], domains), drawn(by, names[middle:], domains)
    return Both(one, other) if kind < 5 else Either(one, other)
