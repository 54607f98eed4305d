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
    meant = {re.split(r"\W", each)[0] for each in other_languages.FILTERS.values()}
    assert meant | other_languages.WITH_ARGUMENTS | other_languages.PLAIN <= FILTERS.keys()
