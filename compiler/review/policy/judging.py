"""A policy held against a workflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wfc.compiler.diagnostics import Finding, Origin, Place
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.expressions.syntax.template_tree import Hole, Text
from wfc.compiler.model import Workflow
from wfc.compiler.proof.graph.building import build_graph
from wfc.compiler.review.facts import place_of, workflow_facts
from wfc.compiler.review.policy.describing import Subject, described
from wfc.compiler.review.policy.evaluation import Budget, TooMuchError, evaluate, shown
from wfc.compiler.review.policy.paths import WaysAround
from wfc.compiler.review.policy.policy import Policy, PolicyRule
from wfc.compiler.rules.policies import wrong_policy
from wfc.compiler.yaml import Document

__all__ = ["judge", "judge_changes"]

MOST_FINDINGS = 1_000


def judge(policy: Policy, workflow: Workflow, document: Document) -> tuple[list[Finding], list[Finding]]:
    """Return what a policy finds in a workflow, and what is wrong in the policy itself.

    Args:
        document: The workflow's spec.
    """
    judgement = Judgement(policy, workflow, document)
    found: list[Finding] = []
    wrong: list[Finding] = []
    for rule in policy.rules:
        if rule.each == "change":
            continue  # of which one version says nothing
        try:
            found += judgement.of(rule)
        except TooMuchError:
            wrong.append(wrong_policy(rule.place.key, f"`{rule.id}` takes too much work"))
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            why = f"`{rule.id}` cannot be worked out for `{workflow.name}`: {error}"
            wrong.append(wrong_policy(rule.place.key, why))
    return found[:MOST_FINDINGS], wrong


def judge_changes(
    policy: Policy, changes: Sequence[Mapping[str, Any]]
) -> tuple[list[tuple[PolicyRule, int, str]], list[Finding]]:
    """Return what a policy finds in changes of specs, and what is wrong in the policy itself.

    Args:
        changes: As ``wfc diff`` tells them.

    Returns:
        Of each finding the rule, the place of the change among the changes, and what is told.
    """
    found: list[tuple[PolicyRule, int, str]] = []
    wrong: list[Finding] = []
    for rule in (each for each in policy.rules if each.each == "change"):
        budget = Budget()
        try:
            for number, change in enumerate(changes):
                names = {"values": policy.values, "change": change}
                if rule.where is not None and not evaluate(rule.where.tree, names, budget):
                    continue
                if rule.require is not None and not evaluate(rule.require.tree, names, budget):
                    told = str(change["message"]) if rule.say is None else filled(rule.say, names, budget)
                    found.append((rule, number, one_line(told)))
        except TooMuchError:
            wrong.append(wrong_policy(rule.place.key, f"`{rule.id}` takes too much work"))
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            wrong.append(wrong_policy(rule.place.key, f"`{rule.id}` cannot be worked out: {error}"))
    return found[:MOST_FINDINGS], wrong


class Judgement:
    """A policy beside one workflow."""

    def __init__(self, policy: Policy, workflow: Workflow, document: Document) -> None:
        self.policy = policy
        self.document = document
        self.subjects = described(workflow_facts(workflow, document))
        self.whole = self.subjects["workflow"][0].values
        self.graph = build_graph(workflow)

    def of(self, rule: PolicyRule) -> Iterator[Finding]:
        """Yield what a rule finds.

        Raises:
            TooMuchError: It takes too much work.
        """
        budget = Budget()
        known: WaysAround | None = None
        for subject in self.subjects[rule.each]:
            names = {"workflow": self.whole, "values": self.policy.values, rule.each: subject.values}
            if rule.where is not None and not evaluate(rule.where.tree, names, budget):
                continue
            if rule.require is not None:
                if not evaluate(rule.require.tree, names, budget):
                    yield self.finding(rule, subject, names, budget)
            elif rule.only_after is not None:
                ways = known or self.ways_around(rule, rule.only_after, names, budget)
                known = None if rule.asks_of_subject else ways
                way = ways.way_to(subject.name)
                if way is not None:
                    yield self.finding(rule, subject, names, budget, f": {way}")

    def ways_around(
        self, rule: PolicyRule, other: Expression, names: Mapping[str, Any], budget: Budget
    ) -> WaysAround:
        """Return the ways on which nothing has happened that must before a step."""
        budget.spend(len(self.graph.nodes))
        gates = {
            each.name: inside
            for each in self.subjects["step"]
            if evaluate(other.tree, inside := {**names, "other": each.values}, budget)
        }

        def is_gate(step: str, exit_: str, events: Sequence[str]) -> bool:
            if step not in gates:
                return False
            if rule.leaving is None:
                return exit_ == "emit"
            way = {"exit": exit_, "events": list(events)}
            return bool(evaluate(rule.leaving.tree, {**gates[step], "way": way}, budget))

        return WaysAround(self.graph, is_gate)

    def finding(
        self, rule: PolicyRule, subject: Subject, names: Mapping[str, Any], budget: Budget, more: str = ""
    ) -> Finding:
        if rule.say is not None:
            message = filled(rule.say, names, budget)
        elif rule.only_after is not None:
            message = f"`{subject.name}` can be reached without what `{rule.id}` demands"
        else:
            message = f"`{subject.name}` is not as `{rule.id}` demands"
        return Finding(rule.id, f"{one_line(message)}{more}", self.place(subject), rule.hint, rule.severity)

    def place(self, subject: Subject) -> Place:
        """Return where a finding about a subject stands."""
        path, place = place_of(subject.at)
        if path == self.document.path:
            return place
        return Place((Origin(path), *place.address), place.part)


def filled(template: Template, names: Mapping[str, Any], budget: Budget) -> str:
    """Return a text with the values of its expressions."""
    found = []
    for part in template.parts:
        if isinstance(part, Text):
            found.append(part.text)
        elif isinstance(part, Hole):
            found.append(shown(evaluate(part.tree, names, budget)))
    return "".join(found)


def one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
