"""A policy's file read: YAML → rules with typed expressions, and findings about all that cannot be understood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place, Report, Severity
from wfc.compiler.expressions import Expression, Scope, Template, parse_expression, parse_template
from wfc.compiler.expressions.syntax.tree import FilterCall, Node, Test, walk
from wfc.compiler.review.policy.evaluation import SUPPORTED
from wfc.compiler.review.policy.filters import FUNCTIONS
from wfc.compiler.review.policy.policy import Policy, PolicyRule, PolicyTest
from wfc.compiler.review.policy.subjects import STEP, SUBJECTS, WAY, WORKFLOW
from wfc.compiler.rules import closest
from wfc.compiler.rules.catalogue import describe
from wfc.compiler.rules.policies import wrong_policy
from wfc.compiler.types import BOOLEAN, INTEGER, NUMBER, STRING, Field, ListOf, Record, Type
from wfc.compiler.yaml import Document, read
from wfc.schemas import load

__all__ = ["read_policy"]

SHAPES: Final = load("policy")
RULE_NAME: Final[str] = SHAPES["properties"]["rules"]["propertyNames"]["pattern"]
VALUE_NAME: Final[str] = SHAPES["properties"]["values"]["propertyNames"]["pattern"]
MOST_RULES: Final[int] = SHAPES["properties"]["rules"]["maxProperties"]
MOST_TESTS: Final[int] = SHAPES["properties"]["tests"]["maxItems"]
SEVERITIES: Final = {"error": Severity.ERROR, "warning": Severity.WARNING}


def read_policy(raw: bytes, path: str, report: Report) -> Policy:
    """Return the policy in a file, without what is wrong in it.

    Args:
        path: As findings show it.
        report: Receives what is wrong; if it receives anything, the policy is not to be held against workflows.
    """
    found: list[Finding] = []

    def tell(finding: Finding) -> None:
        found.append(finding)
        report(finding)

    document = read(raw, path, tell)
    data = document.data
    if found:
        return Policy(document, {}, ())
    if not isinstance(data, dict):
        report(wrong_policy(Place(()), "a policy is a map with `policy: 1` and `rules`"))
        return Policy(document, {}, ())
    return Reader(document, tell).policy(data)


class Reader:
    """Reads the data of a policy.

    Args:
        report: Receives what is wrong.
    """

    def __init__(self, document: Document, report: Report) -> None:
        self.document = document
        self.report = report
        self.names: dict[str, Type] = {}

    def policy(self, data: Mapping[str, Any]) -> Policy:
        """Return the whole policy."""
        here = Place(())
        self.keys(data, here, SHAPES)
        if "policy" in data and (data["policy"] != 1 or data["policy"] is True):
            self.wrong(here / "policy", "this version of wfc knows `policy: 1`")
        self.text(data, here, "description")
        values = self.values(data.get("values", {}), here / "values")
        rules = self.mapping(data.get("rules", {}), here / "rules", "rules are a map from their ids") or {}
        if len(rules) > MOST_RULES:
            self.wrong((here / "rules").key, f"a policy has at most {MOST_RULES} rules")
            rules = {}
        made = [self.rule(name, each, here / "rules" / name) for name, each in rules.items()]
        tests = self.tests(data.get("tests", []), here / "tests", frozenset(rules))
        return Policy(self.document, values, tuple(each for each in made if each is not None), tests)

    # --- parts

    def values(self, given: object, place: Place) -> Mapping[str, Any]:
        """Return the constants of the policy, and give them types."""
        record = Record("values")
        why = "`values` is a map from names to texts, numbers and lists of them"
        values = self.mapping(given, place, why) or {}
        for name, value in values.items():
            type = type_of(value)
            if not re.search(VALUE_NAME, name):
                self.wrong((place / name).key, f"`{name}` is no name: letters, digits and `_`, in lower case")
            elif type is None:
                why = "a value is a text, a number, true or false, or a list of things of one of these sorts"
                self.wrong(place / name, why)
            else:
                record.fields[name] = Field(name, type)
        self.names = {"workflow": WORKFLOW, "values": record}
        return {name: value for name, value in values.items() if name in record.fields}

    def rule(self, name: str, given: object, place: Place) -> PolicyRule | None:
        """Return a rule; ``None`` if nothing could be held against a workflow."""
        if not re.search(RULE_NAME, name):
            self.wrong(place.key, f"`{name}` is no id of a rule: words in lower case with `-` between them")
        elif describe(name).explanation:
            self.wrong(place.key, f"`{name}` is a code of `wfc check`, so no rule may have this id")
        data = self.mapping(given, place, "a rule is a map with `each` and `require`")
        if data is None:
            return None
        self.keys(data, place, SHAPES["$defs"]["rule"])
        each = str(data.get("each"))
        if each not in SUBJECTS:
            if "each" in data:
                hint = closest(each, SUBJECTS) or f"one of {', '.join(f'`{one}`' for one in SUBJECTS)}"
                self.wrong(place / "each", "a rule is not asked of this", hint)
            return None
        if ("require" in data) == ("only_after" in data):
            why = "a rule has `require` or `only_after`" + (", not both" if "require" in data else "")
            self.wrong((place / "require" if "require" in data else place).key, why)
            return None
        if "only_after" in data and each != "step":
            self.wrong((place / "only_after").key, "`only_after` is asked of steps: `each: step`")
        if "leaving" in data and "only_after" not in data:
            self.wrong((place / "leaving").key, "`leaving` goes with `only_after`")
        own = {**self.names, each: SUBJECTS[each]}
        if each == "change":
            del own["workflow"]  # of which there are two versions
        severity = data.get("severity", "error")
        if not isinstance(severity, str) or severity not in SEVERITIES:
            self.wrong(place / "severity", "a rule's severity is `error` or `warning`")
            severity = "error"
        return PolicyRule(
            name,
            place,
            each,
            self.condition(data, place, "where", own),
            self.condition(data, place, "require", own),
            self.condition(data, place, "only_after", {**own, "other": STEP}),
            self.condition(data, place, "leaving", {**own, "other": STEP, "way": WAY}),
            self.template(data, place, "say", own),
            self.text(data, place, "because"),
            self.text(data, place, "hint"),
            SEVERITIES[severity],
        )

    def tests(self, given: object, place: Place, rules: frozenset[str]) -> tuple[PolicyTest, ...]:
        """Return the tests of the policy."""
        if not isinstance(given, list) or len(given) > MOST_TESTS:
            self.wrong(place.key, f"`tests` is a list of at most {MOST_TESTS} tests")
            return ()
        made = [self.test(each, place / number, rules) for number, each in enumerate(given)]
        return tuple(each for each in made if each is not None)

    def test(self, given: object, place: Place, rules: frozenset[str]) -> PolicyTest | None:
        data = self.mapping(given, place, "a test is a map with `name`, `spec` and `expect`")
        if data is None:
            return None
        self.keys(data, place, SHAPES["$defs"]["test"])
        expect = data.get("expect", [])
        if isinstance(expect, list) and all(isinstance(each, str) for each in expect):
            expect = dict.fromkeys(expect, 1)
        if not isinstance(expect, dict) or not all(is_count(each) for each in expect.values()):
            why = "`expect` is a list of ids of rules, or a map from ids to how many findings they have"
            self.wrong(place / "expect", why)
            return None
        for name in expect:
            if name not in rules:
                self.wrong((place / "expect"), f"there is no rule `{name}`", closest(str(name), rules))
        before = self.text(data, place, "before") if "before" in data else None
        return PolicyTest(
            self.text(data, place, "name"), place, self.text(data, place, "spec"), before, expect
        )

    # --- values

    def condition(
        self, data: Mapping[str, Any], place: Place, key: str, names: Mapping[str, Type]
    ) -> Expression | None:
        """Return a condition that can be worked out."""
        if key not in data:
            return None
        given, here = data[key], place / key
        if isinstance(given, bool) or not isinstance(given, str):
            self.wrong(here, f"`{key}` is a condition, such as `step.timeout is not none`")
            return None
        found = parse_expression(given, here, Scope(names), self.report, condition=True)
        self.can_be_worked_out([found.tree], here)
        return found

    def template(
        self, data: Mapping[str, Any], place: Place, key: str, names: Mapping[str, Type]
    ) -> Template | None:
        if key not in data:
            return None
        text = self.text(data, place, key)
        found = parse_template(text, place / key, Scope(names), self.report, statements=False, whole=False)
        self.can_be_worked_out(found.trees, place / key)
        return found

    def can_be_worked_out(self, trees: list[Node], place: Place) -> None:
        """Report what is part of the language and not of policies."""
        for node in (each for tree in trees for each in walk(tree)):
            if isinstance(node, FilterCall) and node.name not in FUNCTIONS:
                at = place.stretch(node.name_start, node.name_start + len(node.name))
                known = f"policies know {', '.join(f'`{name}`' for name in sorted(FUNCTIONS))}"
                self.report(wrong_policy(at, f"the filter `{node.name}` is not there in policies", known))
            elif isinstance(node, Test) and (node.record is not None or node.name not in ("none", "empty")):
                at = place.stretch(node.name_start, node.name_end)
                self.report(wrong_policy(at, "policies ask for `none` and `empty` only"))
            elif node.__class__ not in SUPPORTED and node.__class__.__name__ != "BrokenExpression":
                self.report(
                    wrong_policy(place.stretch(node.start, node.end), "records are not written in policies")
                )

    def mapping(self, given: object, place: Place, why: str) -> Mapping[str, Any] | None:
        if isinstance(given, dict):
            return given
        self.wrong(place, why)
        return None

    def keys(self, data: Mapping[str, Any], place: Place, shape: Mapping[str, Any]) -> None:
        """Report keys that there are not, and those that are missing."""
        known = tuple(shape["properties"])
        for key in data:
            if key not in known:
                hint = closest(key, known) or listed(known)
                self.wrong((place / key).key, f"there is no key `{key}` here", hint)
        for key in shape["required"]:
            if key not in data:
                self.wrong(place.key if place.address else place, f"`{key}` is missing")

    def text(self, data: Mapping[str, Any], place: Place, key: str) -> str:
        value = data.get(key, "")
        if isinstance(value, str):
            return value
        self.wrong(place / key, f"`{key}` is a text")
        return ""

    def wrong(self, place: Place, why: str, hint: str = "") -> None:
        self.report(wrong_policy(place, why, hint))


def listed(names: tuple[str, ...]) -> str:
    return f"there are {', '.join(f'`{name}`' for name in names)}"


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1_000_000


def type_of(value: object) -> Type | None:
    """Return the type of a constant; ``None`` if it is none that policies know."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, str):
        return STRING
    if isinstance(value, int):
        return INTEGER
    if isinstance(value, float):
        return NUMBER
    if isinstance(value, list) and value:
        kinds = [type_of(each) for each in value]
        first = kinds[0]
        if first is not None and not isinstance(first, ListOf) and all(each is first for each in kinds):
            return ListOf(first)
    return None
