"""The table of filters: each is documented, and its example gives what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from scalar_meaning import as_data

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope, generate_expression, parse_expression
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.syntax import other_languages
from wfc.compiler.expressions.syntax.lexer import UnreadableError
from wfc.compiler.expressions.syntax.reading import read_expression
from wfc.compiler.types import DECIMAL, NUMBER, STRING, Enumeration, Field, ListOf, MapOf, Record
from wfc.runtime import Record as PythonRecord
from wfc.runtime.values import filters

ORDER = Record("Order")
ORDER.fields = {
    "id": Field("id", STRING),
    "kind": Field("kind", Enumeration(("book", "pen"))),
    "total": Field("total", DECIMAL),
}
SCOPE = Scope({"orders": ListOf(ORDER), "prices": MapOf(NUMBER)})


class Order(PythonRecord):
    id: str
    kind: str
    total: int


SPACE = {
    "filters": filters,
    "orders": [
        Order(id="a", kind="book", total=5),
        Order(id="b", kind="pen", total=12),
        Order(id="c", kind="book", total=30),
    ],
    "prices": {"book": 12, "pen": 1.5},
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filters_example_gives_what_it_says(name: str) -> None:
    text, gives = FILTERS[name].example
    assert f"| {name}" in text
    findings: list[Finding] = []
    expression = parse_expression(text, Place(("example",)), SCOPE, findings.append)
    assert not [finding.message for finding in findings if finding.severity.word == "error"]
    found = eval(generate_expression(expression, {}), dict(SPACE))  # noqa: S307 - the code under test
    assert as_data(found) == json.loads(gives)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_documented(name: str) -> None:
    each = FILTERS[name]
    assert each.doc.endswith((".", ")"))
    assert each.takes
    assert each.gives
    assert [parameter.required for parameter in each.parameters] == sorted(
        (parameter.required for parameter in each.parameters), reverse=True
    )


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_on_what_it_is_not_for_is_one_finding(name: str) -> None:
    if FILTERS[name].takes_null:
        return
    required = [parameter for parameter in FILTERS[name].parameters if parameter.required]
    arguments = ", ".join(
        "1" if each.type is not None and each.type != STRING else '"x"' for each in required
    )
    text = f"thing | {name}({arguments})" if arguments else f"thing | {name}"
    findings: list[Finding] = []
    thing = ListOf(ORDER) if FILTERS[name].takes == "record" else ORDER
    parse_expression(text, Place(("example",)), Scope({"thing": thing}), findings.append)
    assert [finding.code for finding in findings] == ["wrong-filter"]


def test_what_generated_code_may_call_is_there() -> None:
    sources = (
        path.read_text(encoding="utf-8") for path in Path(__file__).parents[3].glob("compiler/**/*.py")
    )
    called = {name for source in sources for name in re.findall(r"\"filters\.([a-z_]+)", source)}
    assert called <= set(filters.__all__)


def test_functions_of_other_languages_are_explained_by_filters_that_exist() -> None:
    assert set(other_languages.FILTER_NAMES.values()) | other_languages.OTHER_MEANING <= FILTERS.keys()
    assert not other_languages.FILTER_NAMES.keys() & {name.replace("_", "") for name in FILTERS}


def told(text: str) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_expression(text, Place(()))
    return caught.value.finding.hint


@pytest.mark.parametrize("name", sorted(FILTERS.keys() - other_languages.OTHER_MEANING))
def test_every_filter_that_is_called_like_a_function_is_told_by_its_own_name(name: str) -> None:
    brackets = "(…)" if any(each.required for each in FILTERS[name].parameters) else ""
    assert told(f"{name}(event.text)") == f"write `event.text | {name}{brackets}`"
    assert told(f"event.text.{name.upper()}()") == f"write `event.text | {name}{brackets}`"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("event.text.split(',')", "event.text | split(…)"),
        ("split(event.text, ',')", "event.text | split(…)"),
        ("event.text.split()", "event.text | split"),
        ("event.share.round(event.places)", "event.share | round(…)"),
        ("round(event.share)", "event.share | round"),
        ("len(event.text)", "event.text | length"),
        ("event.names.startsWith('a')", "event.names | starts_with(…)"),
        ("(event.a + event.b).join(', ')", "… | join(…)"),
    ],
)
def test_a_call_with_more_in_its_brackets_is_a_filter_with_brackets(text: str, written: str) -> None:
    assert told(text) == f"write `{written}`"


def test_what_means_something_else_elsewhere_is_no_filter() -> None:
    assert "| format" not in told("'{} of {}'.format(event.a, event.b)")
    assert "| group" not in told("event.text.group(1)")
