"""A policy as read: its rules, typed, and its tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wfc.compiler.diagnostics import Place, Severity
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.yaml import Document

__all__ = ["Policy", "PolicyRule", "PolicyTest"]


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A rule of an organisation.

    Args:
        each: What it is asked of, such as ``step``.
        where: Of which of these; ``None`` for all.
        require: What must hold; ``None`` where ``only_after`` says it.
        only_after: Which steps must have been left before on each path, as an expression over ``other``.
        leaving: By which ways they must have been left, as an expression over ``way``; ``None``: by ``emit``.
        say: What is told where it does not hold.
        because: Why the rule is there.
        hint: What to do.
    """

    id: str
    place: Place
    each: str
    where: Expression | None
    require: Expression | None
    only_after: Expression | None
    leaving: Expression | None
    say: Template | None
    because: str
    hint: str
    severity: Severity

    @property
    def asks_of_subject(self) -> bool:
        """Whether what must have happened before depends on the step before which it must."""
        asked = (self.only_after, self.leaving)
        return any(path[0] == self.each for each in asked if each is not None for path in each.uses)


@dataclass(frozen=True, slots=True)
class PolicyTest:
    """A test of a policy: a spec, and how often each rule finds something in it.

    Args:
        spec: The spec's text.
        before: What it was before, if rules about the change are asked too.
        expect: How many findings each rule has; all other rules have none.
    """

    name: str
    place: Place
    spec: str
    before: str | None
    expect: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of an organisation.

    Args:
        values: What rules know as ``values``.
    """

    document: Document
    values: Mapping[str, Any]
    rules: tuple[PolicyRule, ...]
    tests: tuple[PolicyTest, ...] = field(default=())
