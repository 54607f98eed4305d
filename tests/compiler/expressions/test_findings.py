"""Each mistake is one finding, with its code, its exact stretch, and a hint that helps."""

from __future__ import annotations

import pytest

CONDITIONS = [
    # what is written, with << >> around the stretch; the code; part of the hint
    ("<<state.count>>", "not-a-condition", "!= 0"),
    ("<<state.title>>", "not-a-condition", "is not empty"),
    ("<<state.names>>", "not-a-condition", "is not empty"),
    ("<<state.comment>>", "not-a-condition", "is not empty"),
    ('<<state.comment>> != ""', "may-be-null", "write `state.comment is not empty`"),
    ('not (<<state.comment>> == "")', "may-be-null", "write `state.comment is empty`"),
    ('<<state.comment>> != "x"', "may-be-null", 'write `state.comment is none or state.comment != "x"` if'),
    ('"x" != <<state.comment>>', "may-be-null", "else `state.comment is not none and"),
    ('<<state.comment>> not in ["x"]', "may-be-null", "if that is to hold for null too"),
    ('not (<<state.comment>> == "x" or state.flag)', "may-be-null", "in brackets"),
    ('<<(state.names | first)>> != "x"', "may-be-null", "use `| default(…)`"),
    ("<<state.maybe_flag>>", "condition-may-be-null", "default(false)"),
    ("state.flag and <<state.count>>", "not-a-condition", ""),
    ("not <<state.title>>", "not-a-condition", ""),
    ("<<true>>", "always-true", ""),
    ("<<false>>", "never-true", ""),
    ('<<state.urgency == "low" or state.urgency != "low">>', "always-true", ""),
    ('state.urgency == "low" and <<state.urgency == "high">>', "never-true", ""),
    ('state.urgency in ["low"] and <<state.urgency in ["mid", "high"]>>', "never-true", ""),
    ('state.urgency == <<"hihg">>', "no-such-value", "`high`"),
    ('<<"hihg">> == state.urgency', "no-such-value", "`high`"),
    ('state.urgency in ["low", <<"midd">>]', "no-such-value", "`mid`"),
    ('state.level == <<"mid">>', "no-such-value", "`low`"),
    ('<<state.count == "1">>', "not-comparable", ""),
    ("<<state.flag == 1>>", "not-comparable", ""),
    ("<<state.total == state.score>>", "not-comparable", ""),
    ('state.count in [1, <<"2">>]', "not-comparable", ""),
    ("<<state.flag < true>>", "not-ordered", ""),
    ('<<state.comment>> < "a"', "may-be-null", ""),
    ("<<state.total > state.score>>", "not-ordered", ""),
    ("<<state.count is none>>", "never-null", ""),
    ("<<state.count != none>>", "never-null", ""),
    ("state.comment is not none and <<state.comment is none>>", "never-true", ""),
    ("<<event is Cancelled>>", "never-true", ""),
    ("<<one is Ready>>", "always-true", ""),
    ("event is <<Rejcted>>", "unknown-test", "`Rejected`"),
    ("state.comment is <<defined>>", "unknown-test", "is not none"),
    ("1 < state.count <<<>> 5", "chained-comparison", "and"),
    ("state.flag <<&&>> state.flag", "foreign-operator", "and"),
    ("state.count <<=>> 1", "foreign-operator", "=="),
    ("<<!>> state.flag", "foreign-operator", "not"),
    ('<<state.due < "soon">>', "not-ordered", ""),
    # as a newcomer would write it
    ("state.flag == <<yes>>", "unknown-name", "write `state.flag`"),
    ("state.flag == <<no>>", "unknown-name", "write `not state.flag`"),
    ('<<state.flag == "true">>', "not-comparable", "write `state.flag`"),
    ("<<title>> == 'a'", "unknown-name", "write `state.title`"),
    ('<<state.count > "1">>', "not-ordered", "write `1` without quotes"),
    ("<<state.total >= 3.5>>", "not-ordered", 'write `"3.5"`'),
    ('<<state.total >= "3,50">>', "not-ordered", 'write `"3.50"`'),
    ('<<event == "Ready">>', "not-comparable", "ask `event is Ready`"),
    ('state.title <<"a">>', "unexpected-token", "an operator is missing"),
]

EXPRESSIONS = [
    # lists made of others
    ("[x for x in <<state.count>>]", "not-a-list", ""),
    ("[k for k, v in <<state.names>>]", "not-a-list", ""),
    ("[x for x in <<state.items>>]", "may-be-null", "default"),
    ("[1 for <<state>> in state.names]", "name-in-use", ""),
    ("[1 for <<Order>> in state.names]", "name-in-use", ""),
    ("[k for k, <<k>> in state.prices]", "name-in-use", ""),
    ("[[x for <<x>> in state.names] for x in state.names]", "name-in-use", ""),
    ("[<<loop>> for x in state.names]", "loop-alone", "loop.index"),
    ("[loop.<<indx>> for x in state.names]", "unknown-field", "`index`"),
    ("[x for x in state.names if <<x>>]", "not-a-condition", ""),
    ("[x for x in state.names] + [<<x>>]", "unknown-name", ""),
    ("[<<x.note>> | upper for x in state.orders]", "may-be-null", ""),
    ("[x for x in state.names <<else>> x]", "condition-with-else", ""),
    ('[x for x in state.names if x != "" <<else>> 1]', "condition-with-else", "before `for`"),
    ("[x for row in state.grid <<for>> x in row]", "loop-in-loop", "flatten"),
    ("(x <<for>> x in state.names)", "loop-without-brackets", "[… for"),
    ("x <<for>> x in state.names", "loop-without-brackets", "[… for"),
    ("<<{x: x for>> x in state.names}", "map-by-loop", "records"),
    ("[x for x <<of>> state.names]", "unexpected-token", ""),
    ("[x for x<<.>>y in state.names]", "unexpected-token", ""),
    ("<<stat>>.count", "unknown-name", "`state`"),
    ("<<result>>", "unknown-name", "after it only"),
    ("state.comment | default <<state>>.title", "unexpected-token", "`default(…)`"),
    ("state.names | sort<<[>>:3]", "unexpected-token", "round brackets"),
    ("state.<<cuont>>", "unknown-field", "`count`"),
    ('state.orders | pluck("<<idd>>")', "unknown-field", "`id`"),
    ('state.orders | pluck("customer.<<nam>>")', "unknown-field", "`name`"),
    ('state.orders | pluck("customer.city.<<x>>")', "may-be-null", ""),
    ("<<state.order>>.total", "may-be-null", "state.order.total if state.order is not none else"),
    ("<<state.comment>> | upper", "may-be-null", "default"),
    ("<<state.names | first>> | upper", "may-be-null", "default"),
    ("event.<<note>>", "only-some-have", "event is Rejected"),
    ("event.<<nothing>>", "unknown-field", "there"),
    ("state.<<__class__>>", "private-name", ""),
    ("<<__import__>>", "private-name", ""),
    ("state.title.<<upper>>()", "method-call", "|"),
    ("<<range>>(3)", "method-call", ""),
    ("state.anything.<<x>>", "no-fields", "output"),
    ("state.names.<<x>>", "no-fields", "pluck"),
    ("state.prices.<<pen>>", "no-fields", 'state.prices["pen"]'),
    ("state.title.<<x>>", "no-fields", ""),
    ("state.title | <<uper>>", "unknown-filter", "`upper`"),
    ("<<state.count>> | upper", "wrong-filter", ""),
    ("<<state.orders>> | join", "wrong-filter", ""),
    ("state.title | <<replace>>", "missing-argument", "replace(old, new)"),
    ('state.title | replace("a", <<1>>)', "wrong-argument", ""),
    ('state.title | upper(<<"a">>)', "unexpected-argument", "upper"),
    ("state.orders | pluck(<<state.title>>)", "argument-not-constant", ""),
    ('state.orders | where(<<"quantity">>)', "where-without-value", ""),
    ('state.orders | where("kind", <<"bok">>)', "no-such-value", "`book`"),
    ('state.orders | where("kind", <<"~">>, "book")', "unknown-operator", "=="),
    ('state.orders | where("id", <<state.title>>, "a")', "argument-not-constant", ""),
    ("<<state.orders>> | sort", "cannot-order", ""),
    ('state.orders | group(<<"quantity">>)', "cannot-group", ""),
    ('<<"x">> | integer', "cannot-convert", ""),
    ('<<"2026-13-01">> | date', "cannot-convert", ""),
    ('<<"a" + 1>>', "no-arithmetic", "~"),
    ("<<state.flag + 1>>", "no-arithmetic", ""),
    ("<<state.total * state.score>>", "decimal-with-number", "decimal"),
    ("<<state.comment>> ~ 1", "may-be-null", ""),
    ("<<state.names>> ~ 1", "needs-json", "join"),
    ("state.names[<<state.title>>]", "wrong-index", ""),
    ("<<state.count>>[0]", "no-parts", ""),
    ("state.count <<if>> state.flag", "if-without-else", "else"),
    ("2 <<**>> 3", "no-power", ""),
    ("state.names[1:2<<:>>3]", "no-slice-step", "reverse"),
    ("(1<<,>> 2)", "no-tuple", "[a, b]"),
    ('{"a": 1, <<"a">>: 2}', "key-twice", ""),
    ("<<(>>1", "unclosed-bracket", "`)`"),
    ('<<"abc>>', "unclosed-text", '`"`'),
    ("state.title == <<“>>a”", "stray-character", "straight"),
    ("1 <<+>>", "unfinished-expression", ""),
    ("state<<.>>", "unfinished-expression", ""),
    ("state.title <<state>>.title", "unexpected-token", ""),
    ("<<)>>", "unexpected-token", ""),
    ('"a<<\\q>>"', "unknown-escape", ""),
    ("1 + (<<evnt>>)", "unknown-name", "event"),
    ("(<<_x>> )", "private-name", ""),
    ("((state).<<cuont>>)", "unknown-field", "`count`"),
    ("<<(state.comment)>> | upper", "may-be-null", "default"),
    ("<<1e999>>", "number-too-large", ""),
    ("<<>>", "empty-expression", "event.name"),
]


@pytest.mark.parametrize(("marked", "code", "hint"), CONDITIONS)
def test_a_mistake_in_a_condition(read, marked: str, code: str, hint: str) -> None:
    held_against(read, marked, code, hint, condition=True)


@pytest.mark.parametrize(("marked", "code", "hint"), EXPRESSIONS)
def test_a_mistake_in_an_expression(read, marked: str, code: str, hint: str) -> None:
    held_against(read, marked, code, hint, condition=False)


def held_against(read, marked: str, code: str, hint: str, *, condition: bool) -> None:
    start, end = marked.index("<<"), marked.index(">>")
    text = marked[:start] + marked[start + 2 : end] + marked[end + 2 :]
    expression, findings = read(text, condition=condition)
    assert [finding.code for finding in findings] == [code]
    place = findings[0].place
    assert place.start is not None
    assert text[place.start : place.end] == marked[start + 2 : end]
    assert hint in findings[0].hint
    if findings[0].severity.word == "error":
        assert expression.type.name == "unknown"
