"""Plain texts and lists that are meant as expressions: what their author is told, and that the advice holds."""

from __future__ import annotations

import re

import pytest

from wfc.compiler.diagnostics import Diagnostic, Severity
from wfc.compiler.diagnostics.fixes import fix_until_stable
from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: meant
start: Asked
end: Told
types: {Item: {name: string, n: integer}}
events:
  Asked: {name: string, n: integer, yes: boolean, items: list of Item, names: list of string}
  Told: {x: TYPE}
steps:
  tell:
    kind: transform
    accepts: Asked
    emit: {event: Told, with: {n: 1}}
    emit:
      event: Told
      with:
        x: VALUE
""".replace("    emit: {event: Told, with: {n: 1}}\n", "")


def findings(text: str) -> tuple[Diagnostic, ...]:
    return check_text(text.encode(), "meant.yaml").diagnostics


def told(type: str, value: str) -> tuple[str, tuple[Diagnostic, ...]]:
    text = SPEC.replace("TYPE", type).replace("VALUE", value)
    return text, findings(text)


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("list of string", 'event.names + ["a"]'),
        ("list of string", "event.names[1:]"),
        ("list of string", "event.names | sort"),
        ("integer", "event.items | length"),
        ("integer", "event.n if event.yes else 3"),
        ("boolean", "event.n > 3"),
        ("boolean", 'event.n > 3 and event.name == "x"'),
        ("string", "event.name | upper"),
        ("string", 'event.name if event.n > 3 else "x"'),
        ("string", "event.name ~ event.n"),
    ],
)
def test_what_is_an_expression_is_to_be_written_as_one(type: str, value: str) -> None:
    text, (found,) = told(type, value)
    assert f"${{{{ {value} }}}}" in found.hint
    written = f"'${{{{ {value} }}}}'"
    assert findings(text.replace(value, written)) == ()
    assert found.code == ("expression-as-text" if type == "string" else "wrong-value")


@pytest.mark.parametrize(
    ("type", "value", "advice", "mended"),
    [
        ("integer", "len(event.items)", "write `event.items | length`", "event.items | length"),
        ("integer", "event.items.length", "write `event.items | length`", "event.items | length"),
        (
            "integer",
            "sum(x.n for x in event.items)",
            "write `[x.n for x in event.items] | sum`",
            "[x.n for x in event.items] | sum",
        ),
        ("integer", "max(event.n, 3)", "write `[event.n, 3] | max`", "[event.n, 3] | max"),
        (
            "boolean",
            "any(x.n > 3 for x in event.items)",
            "write `[x.n > 3 for x in event.items] | any`",
            "[x.n > 3 for x in event.items] | any",
        ),
        ("list of string", "sorted(event.names)", "write `event.names | sort`", "event.names | sort"),
        (
            "list of string",
            "event.items.map(x => x.name)",
            "write `[… for one in event.items]`",
            "[one.name for one in event.items]",
        ),
        (
            "list of Item",
            "event.items.filter(x => x.n > 3)",
            "write `[one for one in event.items if …]`",
            "[one for one in event.items if one.n > 3]",
        ),
        ("string", "event.name.upper()", "write `event.name | upper`", "event.name | upper"),
    ],
)
def test_calls_of_other_languages_are_shown_as_expressions(
    type: str, value: str, advice: str, mended: str
) -> None:
    text, (found,) = told(type, value)
    assert found.hint == f"an expression stands in `${{{{ }}}}`; there, {advice}"
    assert findings(text.replace(value, f"${{{{ {mended} }}}}")) == ()


UNUSED = {'["a" for x in event.items]', "[event.names[0] for x in event.items]"}
"""Lists in which nothing of an item is used; such a text in brackets may be meant as one."""


@pytest.mark.parametrize(
    "value",
    [
        '[{"a": x.name} for x in event.items]',
        "[{a: x.name} for x in event.items if x.n > 3]",
        "[[x.name] for x in event.items]",
        '["a" for x in event.items]',
        "['a' ~ x.name for x in event.items]",
        "[x.name for x in event.items]",
        '[x["name"] for x in event.items]',
        "[event.names[0] for x in event.items]",
        "[x, y for x in event.items]",
    ],
)
def test_a_list_without_quotes_is_one_finding_that_puts_it_in_quotes(value: str) -> None:
    for place in (value, f"  {value}", f"{{y: {value}}}"):
        text, found = told("any", place)
        assert [each.code for each in found if each.severity is Severity.ERROR] == ["loop-read-as-list"], (
            place
        )
        assert found[0].fix is not None
        assert (found[0].fix.applicability == "unsafe") == (value in UNUSED)
        fixed = fix_until_stable(text, found[:1], lambda _: (), unsafe=True).text
        assert re.search(r"x: .*\$\{\{ \[", fixed)
        assert "loop-read-as-list" not in [each.code for each in findings(fixed)]
        if ", y for" not in value:
            assert [each.code for each in findings(fixed)] in ([], ["method-call"]), fixed


@pytest.mark.parametrize("more", ["", " is empty", " == []  # a note"])
def test_where_the_whole_value_is_an_expression_the_list_gets_quotes_alone(more: str) -> None:
    text = SPEC.replace("TYPE", "string").replace("VALUE", "${{ event.name }}")
    listed = '[{"a": x.n} for x in event.items]'
    text = text.replace("      event: Told\n", f"      event: Told\n      when: {listed}{more}\n")
    (found,) = findings(text)
    assert found.hint == f"write `'{listed}{more.partition('  #')[0]}'`"


@pytest.mark.parametrize("more", ["", " | length", " | first | default('')"])
def test_what_follows_the_list_belongs_to_the_expression(more: str) -> None:
    for value in (
        f"[x['name'] for x in event.items]{more}",
        f"{{a: [x['name'] for x in event.items]{more}, b: 1}}",
    ):
        _, found = told("any", value)
        assert [each.code for each in found if each.severity is Severity.ERROR] == ["loop-read-as-list"]
        assert f"`\"${{{{ [x['name'] for x in event.items]{more} }}}}\"`" in found[0].hint


EACH = SPEC.replace("Told: {x: TYPE}", "One: {name: TYPE, size: integer}\n  Told: {n: integer}").replace(
    "      event: Told\n      with:\n        x: VALUE\n",
    "      each: {in: LIST, as: name, event: One, max: 9, with: {name: VALUE, size: 1}}\n"
    "  gather: {kind: transform, accepts: {each: One}, emit: {event: Told, with: {n: 1}}}\n",
)


@pytest.mark.parametrize(
    ("items", "type", "value", "codes"),
    [
        ("event.names", "string", "name", ["expression-as-text"]),
        ("event.names", "optional string", "name", ["expression-as-text"]),
        ("event.names", "string", '"${{ name }}"', []),
        ("event.names", "string", "named", []),
        ("event.names", "{enum: [name, other]}", "name", []),
        ("event.items", "string", "name", []),
        ("event.names", "any", "name", ["expression-as-text"]),
        ("event.names", "integer", "name", ["wrong-value"]),
    ],
)
def test_a_text_that_is_just_the_name_of_the_item(
    items: str, type: str, value: str, codes: list[str]
) -> None:
    text = EACH.replace("LIST", items).replace("TYPE", type).replace("VALUE", value)
    found = findings(text)
    assert [each.code for each in found if each.code != "unused-event"] == codes, found
    if codes:
        assert "`${{ name }}`" in found[0].hint


@pytest.mark.parametrize(
    "value",
    [
        "see event.name for the rest",
        "event.nothing",
        "file.txt",
        "the end.name of it",
        "event.name, or nothing",
        "3.5 apples",
    ],
)
def test_words_are_no_expression(value: str) -> None:
    _, found = told("string", value)
    assert found == ()


def test_a_list_put_into_another_as_elsewhere_is_told() -> None:
    for value in ("[...event.names, a]", '["*event.names", a]'):
        _, (found,) = told("list of string", value)
        assert found.code == "expression-as-text"
        assert "`${{ event.names + [ … ] }}`" in found.hint


ASK = """\
wfc: 1
workflow: ask
start: Asked
end: [Told, Late]
types: {Person: {name: string}}
config: {base: {type: string, default: "https://a.example"}}
events:
  Asked: {customer: string, who: Person}
  Told: {ok: boolean}
  Late: {}
steps:
  ask:
    kind: human
    accepts: Asked
    title: TITLE
    form: {ok: boolean}
    within: 2 days
    emit: {event: Told, with: {ok: "${{ result.ok }}"}}
    on_timeout: Late
"""


@pytest.mark.parametrize(
    ("title", "marked"),
    [
        ("event.customer", "event.customer"),
        ("event.who.name", "event.who.name"),
        ("inputs.customer", "inputs.customer"),
        ("config.base", "config.base"),
        ('" event.customer "', "event.customer"),
        ("|\\n      event.customer", "event.customer"),
        ("of event.customer", ""),
        ("event.customer asks", ""),
        ("event.customer.", ""),
        ("event.who.nam", ""),
        ("event.com", ""),
        ("event", ""),
        ("ask.customer", ""),
        ('"${{ event.customer }}"', ""),
    ],
)
def test_a_text_for_people_that_is_nothing_but_a_field(title: str, marked: str) -> None:
    text = ASK.replace("TITLE", title.replace("\\n", "\n"))
    found = findings(text)
    assert [each.code for each in found] == (["expression-as-text"] if marked else []), found
    if marked:
        assert text[found[0].start.offset : found[0].end.offset] == marked
        assert found[0].hint == f"write `${{{{ {marked} }}}}`"
        assert found[0].fix is not None and found[0].fix.applicability == "unsafe"
        (edit,) = found[0].fix.edits
        assert findings(text[: edit.start.offset] + edit.text + text[edit.end.offset :]) == ()
