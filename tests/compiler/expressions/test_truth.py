"""Conditions by truth table: which case is left, which condition never gets its turn, and what flows down a list."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope, parse_expression
from wfc.compiler.expressions.conditions.exhaustiveness import falls_through, judge
from wfc.compiler.types import BOOLEAN, INTEGER, STRING, Enumeration, Field, Optional, Record


def named(value: object) -> str:
    return " ; ".join(value) if isinstance(value, list) else ""


EXHAUSTIVE = [
    ['state.urgency == "low"', 'state.urgency in ["mid", "high"]'],
    ['state.urgency == "low"', 'state.urgency == "mid"', 'state.urgency == "high"'],
    ['state.urgency != "low"', 'state.urgency == "low"'],
    ["state.flag", "not state.flag"],
    ["state.flag == true", "state.flag == false"],
    ["state.maybe_flag is none", "state.maybe_flag == true", "state.maybe_flag == false"],
    ["state.comment is none", "state.comment is not none"],
    ["state.comment == none", "state.comment != none"],
    [
        "state.comment is none",
        'state.comment == "x"',
        'state.comment is not none and state.comment != "x"',
    ],
    ['state.comment is none or state.comment != "x"', "state.comment is not none"],
    ["state.level is none", 'state.level == "low"', 'state.level == "high"'],
    ["event is Ready", "event is Rejected"],
    [
        "event is Ready",
        'event is Rejected and event.level == "low"',
        'event is Rejected and event.level == "high"',
    ],
    ["state.score >= 0.5", "state.score < 0.5"],
    ["state.score > 0.5", "not state.score > 0.5"],
    ["state.count == 1", "state.count == 2", "state.count not in [1, 2]"],
    ["state.flag and state.score > 1", "state.flag and state.score <= 1", "not state.flag"],
    ['state.title == "a"', 'state.title != "a" and state.flag', "not state.flag"],
    ["state.mixed is string", "state.mixed is integer"],
    ["state.names | length > 2", "not (state.names | length > 2)"],
]

LEFT = [
    (['state.urgency == "low"', 'state.urgency == "mid"'], "`state.urgency` is `high`"),
    (["state.flag"], "`state.flag` is `false`"),
    (["state.comment is not none"], "`state.comment` is null"),
    (['state.level == "low"', 'state.level == "high"'], "`state.level` is null"),
    (["event is Ready"], "`event` is `Rejected`"),
    (["state.score >= 0.5"], "`state.score >= 0.5` is false"),
    (
        ["state.flag and state.score > 1", "not state.flag"],
        "`state.flag` is `true` and `state.score > 1` is false",
    ),
    (["state.score > 1", "state.score < 1"], "`state.score > 1` is false and `state.score < 1` is false"),
    (['state.comment == "x"', "state.comment is none"], "`state.comment` is another value"),
    (["state.mixed == 1"], "`state.mixed == 1` is false"),
]

IDLE = [
    (["state.flag", "state.score > 1", "state.flag and state.count > 2"], (2,)),
    (["state.score > 1", "state.score > 1"], (1,)),
    (["state.flag", "state.score > 1"], ()),
    (["state.flag or state.score > 1", "not state.flag", "state.score > 1"], (2,)),
]


def conditions(texts: list[str], scope: Scope):
    """Reads each without what earlier ones have made known, as they stand."""
    findings: list[Finding] = []
    found = [parse_expression(text, Place(("when",)), scope, findings.append) for text in texts]
    assert not [finding.message for finding in findings]
    return found


@pytest.mark.parametrize("texts", EXHAUSTIVE, ids=" ; ".join)
def test_conditions_that_leave_no_case(texts: list[str], world: Scope) -> None:
    assert falls_through(conditions(texts, world)) is None


@pytest.mark.parametrize("texts", EXHAUSTIVE, ids=" ; ".join)
def test_narrowing_flows_down_the_list_and_finds_no_fault(texts: list[str], world: Scope) -> None:
    findings: list[Finding] = []
    scope, found = world, []
    for text in texts:
        condition = parse_expression(text, Place(("when",)), scope, findings.append, condition=True)
        found.append(condition)
        scope = scope.assuming(condition, False)
    assert not [finding.message for finding in findings]
    assert falls_through(found) is None


@pytest.mark.parametrize(("texts", "case"), LEFT, ids=named)
def test_the_case_that_is_left(texts: list[str], case: str, world: Scope) -> None:
    left = falls_through(conditions(texts, world))
    assert left is not None
    assert left.text == case


@pytest.mark.parametrize(("texts", "idle"), IDLE, ids=named)
def test_conditions_that_never_get_their_turn(texts: list[str], idle: tuple[int, ...], world: Scope) -> None:
    assert judge(conditions(texts, world)).idle == idle


def test_too_many_different_tests_are_not_decided(world: Scope) -> None:
    tests = " or ".join(f"state.count > {number}" for number in range(13))
    left = falls_through(conditions([tests, f"not ({tests})"], world))
    assert left is not None
    assert "too many" in left.text


def test_a_mistake_hides_what_is_left(world: Scope) -> None:
    findings: list[Finding] = []
    broken = parse_expression("state.nothing", Place(("when",)), world, findings.append)
    assert falls_through([broken]) is None


NARROWED = [
    ("state.comment is not none", True, "state.comment | upper", "string"),
    ("state.comment is none", False, "state.comment | upper", "string"),
    ('state.comment == "x"', True, "state.comment | upper", "string"),
    ('state.comment is none or state.comment != "x"', False, "state.comment | upper", "string"),
    ('state.comment in ["x", "y"]', True, "state.comment | upper", "string"),
    ("not (state.comment is none or state.order is none)", True, "state.order.total", "decimal"),
    ("state.comment is none and state.order is none", False, "state.comment", "optional string"),
    ('(state.comment is not none and state.title != "") == true', True, "state.comment | upper", "string"),
    ("true != (state.comment is not none)", False, "state.comment | upper", "string"),
    ("(state.comment is none) == false", True, "state.comment | upper", "string"),
    ("(state.comment is none or state.flag) == true", True, "state.comment", "optional string"),
    ("state.order is not none and state.order.note is not none", True, "state.order.note | upper", "string"),
    ("event is Rejected", True, "event.level", "{enum: [low, high]}"),
    ("event is Ready", False, "event.level", "{enum: [low, high]}"),
    ("event is not Ready", True, "event.level", "{enum: [low, high]}"),
    ('state.urgency == "low"', False, "state.urgency", "{enum: [mid, high]}"),
    ('state.urgency in ["low", "mid"]', True, "state.urgency", "{enum: [low, mid]}"),
    ('state.level == "low" or state.level == "high"', True, "state.level", "{enum: [low, high]}"),
    ("state.mixed is string", True, "state.mixed | upper", "string"),
    ("state.mixed is string", False, "state.mixed + 1", "integer"),
    ("state.mixed == 1", True, "state.mixed + 1", "integer"),
]


@pytest.mark.parametrize(("condition", "holds", "text", "type"), NARROWED)
def test_what_a_condition_makes_known(
    condition: str, holds: bool, text: str, type: str, world: Scope
) -> None:
    from wfc.compiler.types import show

    findings: list[Finding] = []
    known = parse_expression(condition, Place(("when",)), world, findings.append)
    scope = world.assuming(known, holds)
    found = parse_expression(text, Place(("with",)), scope, findings.append)
    assert not [finding.message for finding in findings]
    assert show(found.type) == type


def test_a_new_name_forgets_what_was_known_of_its_old_meaning(world: Scope) -> None:
    findings: list[Finding] = []
    known = parse_expression("event is Rejected", Place(("when",)), world, findings.append)
    scope = world.assuming(known, True).with_name("event", world.names["event"])
    parse_expression("event.level", Place(("with",)), scope, findings.append)
    assert [finding.code for finding in findings] == ["only-some-have"]


CHAINS = [
    # a condition after others that did not hold: fine, or a finding
    (["state.comment is none"], "not (state.comment is none)", None),
    (["state.comment is none"], "state.comment is not none and state.flag", None),
    (["state.comment is none"], "state.comment is none or state.flag", "never-true"),
    (['state.urgency == "low"'], 'state.urgency != "low" and state.flag', None),
    (['state.urgency == "low"'], 'not (state.urgency == "low") and state.flag', None),
    (['state.urgency == "low"'], 'state.urgency == "low"', "never-true"),
    (['state.urgency == "low"', 'state.urgency == "mid"'], 'state.urgency == "high"', None),
    (["event is Ready"], "event is Rejected and state.flag", None),
    (["event is Ready"], "event is Ready", "never-true"),
    (["not state.flag"], "state.flag and state.count > 1", None),
]


@pytest.mark.parametrize(("before", "text", "code"), CHAINS)
def test_a_condition_after_others(before: list[str], text: str, code: str | None, world: Scope) -> None:
    findings: list[Finding] = []
    scope = world
    for each in before:
        scope = scope.assuming(
            parse_expression(each, Place(("when",)), scope, findings.append, condition=True), False
        )
    parse_expression(text, Place(("when",)), scope, findings.append, condition=True)
    assert [finding.code for finding in findings] == ([code] if code else [])


LEAVES = [
    *("event.size > 3", "event.size <= 3", "event.size == 3", "not event.size > 3"),
    *('result.category == "bug"', 'result.category != "bug"', 'result.category == "spam"'),
    *('event.text == ""', 'event.text != "x"', "event.flag", "event.flag == true", "state.flag"),
    *("state.note is none", 'state.note == "x"', "state.note != none", "1 < 2", "event.size == event.size"),
]


@pytest.mark.parametrize("word", ["and", "or"])
@pytest.mark.parametrize("one", LEAVES)
@pytest.mark.parametrize("two", LEAVES)
def test_what_is_settled_without_a_table_is_what_the_table_says(
    one: str, two: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, state, result = Record("Order"), Record("State"), Record("Result")
    record.fields.update(size=Field("size", INTEGER), text=Field("text", STRING), flag=Field("flag", BOOLEAN))
    state.fields.update(flag=Field("flag", BOOLEAN), note=Field("note", Optional(STRING)))
    result.fields.update(category=Field("category", Enumeration(("bug", "spam", "other"))))
    scope = Scope({"event": record, "state": state, "result": result})

    def told() -> list[Finding]:
        findings: list[Finding] = []
        parse_expression(f"{one} {word} {two}", Place(()), scope, findings.append, condition=True)
        return findings

    quickly = told()
    monkeypatch.setattr(
        "wfc.compiler.expressions.conditions.truth_table.asks_apart", lambda nodes, seen: False
    )
    assert quickly == told()
