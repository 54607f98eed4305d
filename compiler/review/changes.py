"""What a change of a workflow means: the rules, and the changes that they find."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from hashlib import sha256
from typing import Final, Literal

from wfc.compiler.review.facts.places import PlaceList
from wfc.compiler.slotted import dataclass, field

__all__ = [
    "AUDIENCES",
    "RULES",
    "Audience",
    "ChangeRule",
    "Level",
    "SpecChange",
    "in_order",
    "level_named",
    "mirrored",
    "rule",
]

Audience = Literal["security", "callers", "runs", "operators", "reviewers"]

AUDIENCES: Final[dict[Audience, str]] = {
    "security": "Security",
    "callers": "Callers",
    "runs": "Paused runs",
    "operators": "Operators",
    "reviewers": "Reviewers",
}
"""Whom a change touches, in the order in which changes are told, with its title."""


class Level(IntEnum):
    """How grave a change is; a greater value is graver."""

    INFO = 1
    WARN = 2
    ACT = 3
    BREAK = 4

    @property
    def word(self) -> str:
        """The level as a word."""
        return self.name.lower()


def level_named(word: str) -> Level:
    """Return the level of a word."""
    return Level[word.upper()]


@dataclass(frozen=True, slots=True)
class SpecChange:
    """One change, as one sentence for the reviewer.

    Args:
        rule: The rule's id.
        told: The sentence, in the author's words and without a full stop.
        workflow: The workflow's name, in the later version where there is one.
        about: What has changed, by names: ``steps.pay.timeout``.
        before: What stood there; empty if nothing did.
        after: What stands there; empty if nothing does.
        old: The place in the earlier version, if there is one.
        new: The place in the later version, if there is one.
        advice: What can be done about it; may be empty.
        covers: The parts of the facts of which nothing else has to be told then, besides ``about``.
    """

    rule: str
    audience: Audience
    level: Level
    told: str
    workflow: str
    about: str
    before: str = ""
    after: str = ""
    old: PlaceList | None = None
    new: PlaceList | None = None
    advice: str = ""
    covers: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """What the change is known by: the same for the same change, wherever it stands in the file."""
        said = (self.rule, self.workflow, self.about, self.before, self.after)
        return sha256("\0".join(said).encode(errors="backslashreplace")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """A rule about changes.

    Args:
        explanation: What ``wfc explain`` prints: its first line says what has changed, the rest why that matters and
            what to do.
        mirror: The rule for the opposite change; empty if there is none.
        no_mirror: Why there is none.
    """

    id: str
    audience: Audience
    level: Level
    explanation: str
    mirror: str = ""
    no_mirror: str = ""
    also: tuple[Level, ...] = field(default=())

    @property
    def summary(self) -> str:
        """The first line of the explanation."""
        return self.explanation.partition("\n")[0]

    def found(
        self,
        workflow: str,
        about: str,
        told: str,
        *,
        before: str = "",
        after: str = "",
        old: PlaceList | None = None,
        new: PlaceList | None = None,
        advice: str = "",
        level: Level | None = None,
        covers: tuple[str, ...] = (),
    ) -> SpecChange:
        """Return a change that this rule finds."""
        assert level is None or level == self.level or level in self.also, (self.id, level)
        return SpecChange(
            self.id,
            self.audience,
            self.level if level is None else level,
            told,
            workflow,
            about,
            before,
            after,
            old,
            new,
            advice,
            covers,
        )


RULES: Final[dict[str, ChangeRule]] = {}
"""Every rule by its id; complete once ``wfc.compiler.review.catalogue`` is imported."""


def rule(
    id: str,
    audience: Audience,
    level: Level,
    explanation: str,
    *,
    mirror: str = "",
    no_mirror: str = "",
    also: Sequence[Level] = (),
) -> ChangeRule:
    """Enter a rule into the catalogue.

    Args:
        also: The other levels that its changes may have, which its explanation tells.
    """
    assert bool(mirror) != bool(no_mirror), id
    assert id not in RULES, id
    RULES[id] = ChangeRule(id, audience, level, explanation.strip(), mirror, no_mirror, tuple(also))
    return RULES[id]


def mirrored(
    id: str, audience: Audience, more: tuple[str, Level, str], less: tuple[str, Level, str]
) -> tuple[ChangeRule, ChangeRule]:
    """Enter two rules into the catalogue, of which each is for the opposite of what the other is for.

    Args:
        id: What both ids begin with.
        more: The end of the id, the level and the explanation of the one.
        less: Those of the other.
    """
    ids = f"{id}-{more[0]}", f"{id}-{less[0]}"
    return (
        rule(ids[0], audience, more[1], more[2], mirror=ids[1]),
        rule(ids[1], audience, less[1], less[2], mirror=ids[0]),
    )


def in_order(changes: Sequence[SpecChange]) -> list[SpecChange]:
    """Return changes as they are told: security first, the gravest of each audience first."""
    audiences = list(AUDIENCES)
    return sorted(
        changes,
        key=lambda one: (audiences.index(one.audience), -one.level, one.workflow, one.rule, one.about),
    )
