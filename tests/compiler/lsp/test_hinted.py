"""Quick fixes that write what a finding says, and those that add what is missing: what the spec says then."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import Documents, data_of
from wfc.compiler.lsp.hinted import as_hinted
from wfc.compiler.lsp.trying import Trial

EXAMPLES = sorted((Path(__file__).parents[3] / "compiler/rules/examples").glob("*.yaml"))

SPEC = """\
wfc: 1
workflow: w
start: Asked
end: [Done, Refused]
events:
  Asked: {amount: integer, items: list of string, reason: optional string}
  Mid: {amount: integer}
  Done: {amount: integer}
  Refused: {reason: string}
steps:
  first:
    kind: human
    accepts: Asked
    title: a  # a question
    within: 1 day
    on_timeout: {event: Refused, with: {reason: late}}
    form: {ok: boolean}
    emit:
      - event: Mid
        when: result.ok and event.amount > 3
      - event: Refused
        with: {reason: b}
  second:
    kind: transform
    accepts: Mid
    emit: Done
tests:
  - name: t
    start: {amount: 4, items: []}
    mock: {first: {ok: true}}
    expect: {end: Done}
"""


def with_fix(text: str, code: str) -> tuple[str, str] | None:
    """The title of the fix of a finding, and the text with it; ``None`` if there is none."""
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if each.code == code]
    assert len(found) == 1, documents.findings(document)
    if (fix := found[0].fix) is not None:
        for edit in sorted(fix.edits, key=lambda each: -each.start.offset):
            text = text[: edit.start.offset] + edit.text + text[edit.end.offset :]
        return fix.title, text
    new = as_hinted(Trial(documents, document), found[0])
    return new and (new.title, text[: new.at] + new.text + text[new.at + new.over :])


def findings_of(text: str) -> tuple[Diagnostic, ...]:
    documents = Documents()
    return documents.findings(documents.put("/nowhere/a.yaml", text))


def test_the_spec_is_good() -> None:
    assert findings_of(SPEC) == ()


@pytest.mark.parametrize(
    ("old", "wrong", "code", "title", "mended"),
    [
        ("event.amount > 3", "amount > 3", "unknown-name", "write `event.amount`", "event.amount > 3"),
        (
            "event.amount > 3",
            "event.items.count > 3",
            "no-fields",
            "write `event.items | length`",
            "event.items | length > 3",
        ),
        (
            "    accepts: Mid\n",
            "    accepts: Mid\n    retry: 3\n",
            "wrong-type",
            "write `{max_attempts: 3}`",
            "    retry: {max_attempts: 3}\n",
        ),
        ("list of string", "[string]", "wrong-type", "write `list of string`", "list of string"),
        ("kind: human", "kind: approval", "unknown-kind", "write `human`", "kind: human"),
        (
            "emit: Done",
            "emit: {event: Done, with: {amount: event.amount}}",
            "wrong-value",
            "write `${{ event.amount }}`",
            'emit: {event: Done, with: {amount: "${{ event.amount }}"}}',
        ),
        ("amount: 4", 'amount: "4"', "wrong-value", "write `4`", "amount: 4"),
        # what is missing is added, to be filled in
        (
            "    title: a  # a question\n",
            "",
            "missing-key",
            "add `title`",
            "        with: {reason: b}\n    title:\n  second",
        ),
        ("amount: 4, items: []", "amount: 4", "missing-entry", "add `items`", "start: {amount: 4, items: }"),
        (
            "    start: {amount: 4, items: []}\n",
            "",
            "missing-entry",
            "add `start: {amount: …, items: …}`",
            "expect: {end: Done}\n    start: {amount: , items: }\n",
        ),
        ("    emit: Done\n", "", "missing-key", "add `emit`", "    accepts: Mid\n    emit:\ntests:"),
        (
            "  - name: t\n    start:",
            "  - start:",
            "missing-key",
            "add `name`",
            "expect: {end: Done}\n    name:\n",
        ),
        (
            "Done: {amount: integer}",
            "Done: {amount: integer, how: string}",
            "unfilled-field",
            "add `with: {how: …}`",
            "emit: {event: Done, with: {how: }}",
        ),
        (
            "Mid: {amount: integer}",
            "Mid: {amount: integer, how: string, at: date}",
            "unfilled-field",
            "add `with: {how: …, at: …}`",
            "        when: result.ok and event.amount > 3\n        with: {how: , at: }\n      - event: Refused",
        ),
        (
            "    on_timeout: {event: Refused, with: {reason: late}}\n",
            "    on_timeout: {event: Refused, with: {}}\n",
            "wrong-fill",
            "",
            None,
        ),
        # nothing is offered where there are several ways, or where the hint tells of another place
        ("[Done, Refused]", "[Done, Refused, More]", "unknown-event", "", None),
        ("amount: integer, items", "amount: {type: integer, optional: true}, items", "wrong-type", "", None),
        ("event.amount > 3", "event.items > 3", "not-ordered", "", None),
    ],
)
def test_what_a_finding_says_to_write_is_offered(
    old: str, wrong: str, code: str, title: str, mended: str | None
) -> None:
    assert SPEC.count(old) == 1
    made = with_fix(SPEC.replace(old, wrong), code)
    if mended is None:
        assert made is None
        return
    assert made is not None
    assert made[0] == title
    assert mended in made[1]
    assert isinstance(data_of(made[1]), dict)
    assert code not in {each.code for each in findings_of(made[1])}


@pytest.mark.parametrize(
    ("header", "end", "offered"),
    [
        ("|", "", True),
        ("|", "\n\n", True),
        ("|-", "\n\n", True),
        ("|+", "", True),
        ("|+", "\n\n", False),
        (">+2", "\n\n", False),
        ("|", "  ", False),
        ("|", "\n           \n", False),
    ],
)
def test_what_is_added_leaves_a_text_above_it_as_it_is(header: str, end: str, offered: bool) -> None:
    text = SPEC.replace("  - name: t\n    start: {amount: 4, items: []}\n", "  - name: t\n")
    text = text.replace(
        "    expect: {end: Done}\n",
        f"    start:\n      items: []\n      reason: {header}\n        late{end}\n    expect: {{end: Done}}\n",
    )
    made = with_fix(text, "missing-entry")
    assert (made is not None) == offered
    if made is not None:
        assert "\n      amount:\n" in made[1]
        before, after = (data_of(each)["tests"][0]["start"]["reason"] for each in (text, made[1]))
        assert before == after


def test_fixes_of_all_examples_take_nothing_away() -> None:
    """What is added leaves all other lines as they are, and what is written as told mends what told it."""
    added = written = 0
    for path in EXAMPLES:
        text = path.read_bytes().decode("utf-8", "replace")
        documents = Documents()
        document = documents.put(str(path), text)
        for each in documents.findings(document):
            if (
                each.fix is not None
                and each.fix.applicability == "display"
                and each.fix.title.startswith("add")
            ):
                added += 1
                for edit in each.fix.edits:
                    old = text[edit.start.offset : edit.end.offset]
                    assert old in edit.text, path
            elif each.fix is None and (new := as_hinted(Trial(documents, document), each)) is not None:
                written += 1
                now = text[: new.at] + new.text + text[new.at + new.over :]
                left = documents.findings_in(document, now)
                assert (each.code, each.message) not in {(other.code, other.message) for other in left}, path
    assert added >= 3
    assert written >= 3


@pytest.mark.parametrize(
    ("secrets", "mended"),
    [
        ("{KEY: PROD_KEY}", None),
        ("{KEY: {from: vault}}", None),
        ("{KEY: 1}", None),
        ("{KEY: {}}", "[KEY]"),
        ("{KEY: }", "[KEY]"),
    ],
)
def test_a_map_becomes_a_list_of_its_names_only_where_it_says_no_more(
    secrets: str, mended: str | None
) -> None:
    text = SPEC.replace("start: Asked\nend", f"secrets: {secrets}\nstart: Asked\nend")
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if each.code == "wrong-type"]
    assert found
    made = [
        each for each in (as_hinted(Trial(documents, document), one) for one in found) if each is not None
    ]
    assert [each.text for each in made] == ([] if mended is None else [mended])


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ("integer", ""),
        ("int", ""),
        ("[string]", ""),
        ("[order_id, Mid]", ""),
        ("Mid", "the fields of another event are taken over by `{extends: Mid}`"),
        ("order_id", "write `{order_id: string}`, each field with its type"),
        ("[order_id, reason]", "write `{order_id: string, reason: string}`, each field with its type"),
    ],
)
def test_no_type_is_told_to_be_a_field(fields: str, hint: str) -> None:
    text = SPEC.replace("  Refused: {reason: string}", f"  Refused: {{reason: string}}\n  Counted: {fields}")
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if "`Counted` must be" in each.message]
    assert [each.hint for each in found] == [hint]
    assert hint.startswith("write") or as_hinted(Trial(documents, document), found[0]) is None
