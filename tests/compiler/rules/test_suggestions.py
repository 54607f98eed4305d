"""What findings propose: nothing that is wrong as well, and no fix that only a person can finish."""

from __future__ import annotations

import itertools

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: shown
start: Asked
end: Told
events: {{Asked: {{price: {type}}}, Told: {{}}}}
steps:
  go: {{kind: transform, accepts: Asked, emit: Told}}
tests:
  - {{name: once, start: {{{given}: {value}}}, expect: {{end: Told}}}}
"""
VALUES = {
    "true": "boolean",
    "[1]": "list of integer",
    "{a: 1}": "map of integer",
    "3": "integer",
    "some": "string",
    "'2020-01-01'": "date",
}
"""A value of each sort, and a type that has it."""


def found_in(text: str) -> tuple[Diagnostic, ...]:
    return check_text(text.encode(), "spec.yaml").diagnostics


def given(name: str, value: str, type_: str) -> str:
    """A spec whose test gives a value under a misspelt name."""
    return SPEC.format(given=name, value=value, type=type_)


@pytest.mark.parametrize(("value", "type_"), list(itertools.product(VALUES, VALUES.values())))
def test_a_field_that_cannot_hold_the_value_is_not_proposed(value: str, type_: str) -> None:
    plain = {"integer", "string", "date"}
    suits = VALUES[value] == type_ or {VALUES[value], type_} <= plain
    found = found_in(given("prive", value, type_))
    entry = next(each for each in found if each.code == "unknown-entry")
    assert (entry.hint == "did you mean `price`?") == suits
    assert (entry.fix is not None) == suits


@pytest.mark.parametrize("before", ["", "(", "( ", "((", "( ( "])
@pytest.mark.parametrize("after", ["", " ~ 'x'", " | upper", " ~ ('a' | upper)"])
def test_a_default_is_left_out_and_no_bracket_with_it(before: str, after: str) -> None:
    closing = before[::-1].replace("(", ")")
    words = f"{before}event.price | default('none'){closing}{after}"
    text = given("price", "some", "string")
    text = text.replace("Told: {}", "Told: {said: string}")
    text = text.replace("emit: Told", f'emit: {{event: Told, with: {{said: "${{{{ {words} }}}}"}}}}')
    (finding,) = found_in(text)
    assert finding.code == "default-never-used"
    mended, _ = apply_fixes(text, [finding], {"safe"})
    assert f"${{{{ {before}event.price{closing}{after} }}}}" in mended
    assert found_in(mended) == ()


@pytest.mark.parametrize("sign", ["?.price", " ?? 'none'"])
def test_what_a_person_has_to_fill_in_is_no_fix(sign: str) -> None:
    text = given("price", "some", "string")
    text = text.replace("emit: Told", f'save: {{}}, title: "${{{{ event{sign} }}}}", emit: Told')
    found = found_in(text)
    assert not [
        each for each in found if each.fix is not None and "…" in "".join(e.text for e in each.fix.edits)
    ]


def test_a_step_without_an_action_is_not_proposed_for_a_mock() -> None:
    text = given("price", "3", "integer").replace("start: {price", "mock: {goo: {}}, start: {price")
    (finding,) = found_in(text)
    assert (finding.code, finding.hint) == ("unknown-step", "declare it under `steps`")


@pytest.mark.parametrize("value", ["0", "1.5", "true"])
def test_no_number_in_quotes_is_proposed_for_an_address(value: str) -> None:
    text = given("price", "3", "integer").replace("kind: transform", f"kind: http, url: {value}")
    finding = next(each for each in found_in(text) if each.code == "wrong-type")
    assert finding.fix is None
    assert "https://" in finding.hint


@pytest.mark.parametrize("key", ["when", "that", "in", "keep", "until"])
def test_quotes_are_not_the_only_proposal_where_an_expression_stands_by_itself(key: str) -> None:
    (finding,) = found_in(f"wfc: 1\nsteps: {{go: {{{key}: ${{{{ event.n == 2 }}}}}}}}\n")
    assert finding.code == "expression-needs-quotes"
    assert finding.hint.endswith(f"where `{key}` is the language's own, leave out `${{{{` and `}}}}`")
    assert finding.fix is None


def test_who_writes_in_another_manner_has_not_slipped_twice() -> None:
    types = given("price", "3", "order_id").replace("steps:", "types: {OrderPaid: {paid: boolean}}\nsteps:")
    finding = next(each for each in found_in(types) if each.code == "unknown-type")
    assert finding.fix is None or finding.fix.applicability == "display"
