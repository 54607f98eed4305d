"""What other programs read: each form against its schema or its grammar, for every problem and for hostile texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Diagnostic, Position, Repair, Severity, TextEdit
from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import check_text
from wfc.compiler.rules.catalogue import describe
from wfc.compiler.rules.examples import examples

ROOT = Path(__file__).parents[3]
FINDINGS = json.loads((ROOT / "schemas/findings.schema.json").read_text(encoding="utf-8"))
SARIF = json.loads((Path(__file__).parent / "sarif-2.1.0-used.schema.json").read_text(encoding="utf-8"))
SPECS = {
    code: example.path
    for code, example in examples().items()
    if example.path.suffix == ".yaml" and example.path.is_file()
}
IGNORED = """\
wfc: 1
workflow: greet
start: Asked
end: Done
events:
  Asked: {}
  Done: {}
  Later: {}  # wfc: ignore[unused-event] because it comes <later> & "soon"
steps:
  greet: {kind: transform, accepts: Asked, emit: Done}
"""


def strict(schema: object) -> object:
    """A schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(each) for key, each in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in made else made


def validator_of(schema: object) -> Any:
    made = jsonschema.validators.validator_for(schema)
    made.check_schema(schema)
    return made(schema)


STRICT_FINDINGS, STRICT_SARIF = validator_of(strict(FINDINGS)), validator_of(strict(SARIF))


def found_in(code: str) -> tuple[tuple[Diagnostic, ...], dict[str, str]]:
    checked = check_text(SPECS[code].read_bytes(), f"{code}.yaml")
    return checked.diagnostics, {checked.path: checked.text}


@pytest.mark.parametrize("code", SPECS)
def test_every_problem_can_be_told_in_every_form(code: str) -> None:
    found, texts = found_in(code)
    STRICT_FINDINGS.validate(json.loads(render(found, texts, form="json")))
    sarif = json.loads(render(found, texts, form="sarif", describe=describe))
    STRICT_SARIF.validate(sarif)
    (run,) = sarif["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result, each in zip(run["results"], found, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == each.code
        assert rules[result["ruleIndex"]]["defaultConfiguration"]["level"] == result["level"]
    cases = ElementTree.fromstring(render(found, texts, form="junit")).findall(".//testcase")  # noqa: S314
    assert len(cases) == len(found)
    assert render(found, texts, form="github").count("\n::") == len(found) - 1


def test_the_fix_in_json_is_what_is_applied() -> None:
    found, texts = found_in("unknown-event")
    ((text,),) = [texts.values()]
    (record,) = json.loads(render(found, texts, form="json"))
    ((edit,), fix) = record["fix"]["edits"], record["fix"]
    assert (fix["title"], fix["applicability"]) == ("write `Greeted`", "safe")
    assert text[edit["start"]["offset"] : edit["end"]["offset"]] == "Greted"
    assert edit["text"] == "Greeted"


def test_what_is_suppressed_is_in_sarif_with_its_reason() -> None:
    checked = check_text(IGNORED.encode(), "a.yaml")
    assert not checked.diagnostics
    (result,) = json.loads(render(checked.suppressed, {}, form="sarif", describe=describe))["runs"][0][
        "results"
    ]
    assert result["suppressions"] == [{"kind": "inSource", "justification": 'it comes <later> & "soon"'}]


@pytest.mark.parametrize(
    ("options", "out"),
    [
        ((), ""),
        (
            ("--suppressed",),
            "a.yaml:8:3: warning: no step emits or accepts `Later`"
            ' (ignored: it comes <later> & "soon") [unused-event]\n',
        ),
    ],
)
def test_what_is_suppressed_is_shown_when_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    out: str,
) -> None:
    from wfc.compiler.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(IGNORED)
    assert main(["check", "--format", "concise", *options, "a.yaml"]) == 0
    assert capsys.readouterr().out == out


def test_a_file_without_findings_is_a_case_that_passes() -> None:
    (case,) = ElementTree.fromstring(render([], {"a & b.yaml": ""}, form="junit")).findall(".//testcase")  # noqa: S314
    assert (case.get("classname"), list(case)) == ("a & b.yaml", [])


def test_a_command_of_github_is_one_line_and_its_parts_are_escaped() -> None:
    place = Position(2, 3, 10)
    said = Diagnostic("a,b:c.yaml", place, place, "x", "100% wrong\n::error::no", Severity.WARNING, "a: b, c")
    assert render([said], {}, form="github") == (
        "::warning file=a%2Cb%3Ac.yaml,line=2,col=3,endLine=2,endColumn=3,title=x"
        "::100%25 wrong%0A::error::no%0Aa: b, c\n"
    )


ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=30)


def whole(text: str) -> str:
    """A text in which two halves of a character, side by side, are that character: JSON has no other word for them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@given(path=ANY_TEXT, message=ANY_TEXT, hint=ANY_TEXT, new=ANY_TEXT)
@example(path="\ud800 \udcff", message="", hint="", new="")
@example(path="\ud800", message="\ud800\udc00", hint="\udc00\ud800", new="")
def test_no_text_breaks_a_form(path: str, message: str, hint: str, new: str) -> None:
    place = Position(1, 1, 0)
    fix = Repair("do it", "safe", (TextEdit(place, place, new),))
    found = [Diagnostic(path, place, place, "unknown-event", message, Severity.ERROR, hint, fix=fix)]
    (record,) = json.loads(render(found, {}, form="json"))
    told = (record["message"], record["hint"], record["fix"]["edits"][0]["text"])
    assert told == (whole(message), whole(hint), whole(new))
    sarif = json.loads(render(found, {}, form="sarif", describe=describe))
    uri = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[A-Za-z0-9\-._~/%:]*", uri)
    junit = render(found, {}, form="junit")
    junit.encode()
    (failure,) = ElementTree.fromstring(junit.encode()).findall(".//failure")  # noqa: S314
    plain = message.isprintable()
    assert not plain or failure.get("message") == message
    github = render(found, {}, form="github")
    assert github.count("\n") == 1
    assert "\r" not in github
