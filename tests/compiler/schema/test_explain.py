"""What does not fit is explained at its place, in an author's words, each mistake once."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.schema import Spec, validate
from wfc.compiler.yaml import read

GOOD = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
events:
  Asked: {name: string}
  Greeted: {text: string}
models:
  fast: {use: "openai:gpt-4o-mini"}
steps:
  greet:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Greet.
    timeout: 30s
    emit: {event: Greeted, with: {text: x}}
"""


def shape(text: str) -> tuple[Spec | None, list[tuple[str, str, str, str]]]:
    """The spec, and of each finding its code, the marked text, the message and the hint."""
    findings: list[Finding] = []
    document = read(text.encode(), "spec.yaml", findings.append)
    assert not findings
    spec = validate(document, findings.append)
    found = []
    for finding in findings:
        start, end = document.stretch(finding.place)
        found.append((finding.code, document.text[start:end], finding.message, finding.hint))
    return spec, found


def test_a_good_spec_is_the_documents_own_data() -> None:
    document = read(GOOD.encode(), "spec.yaml", lambda _: None)
    spec = validate(document, lambda _: None)
    assert spec is not None
    assert spec.data is document.data
    assert not spec.broken


@pytest.mark.parametrize(
    ("old", "new", "code", "marked", "message", "hint"),
    [
        (
            "prompt:",
            "promt:",
            "unknown-key",
            "promt",
            "`promt` is not a key of a step of kind `llm`",
            "did you mean `prompt`?",
        ),
        (
            "timeout: 30s",
            "form: {}",
            "unknown-key",
            "form",
            "`form` is not a key of a step of kind `llm`",
            "it is a key of a step of kind `human`",
        ),
        (
            "timeout: 30s",
            "xyzzy: 1",
            "unknown-key",
            "xyzzy",
            "`xyzzy` is not a key of a step of kind `llm`",
            "what can stand here too is",
        ),
        (
            "prompt: Greet.",
            "xyzzy: 1",
            "unknown-key",
            "xyzzy",
            "`xyzzy` is not a key of a step of kind `llm`",
            "`prompt` is missing here",
        ),
        (
            "timeout: 30s",
            "returns: string",
            "unknown-key",
            "returns",
            "`returns` is not a key of a step of kind `llm`",
            "write `output`",
        ),
        ("kind: llm", "kind: Model", "unknown-kind", "Model", "there is no kind `Model`", "write `llm`"),
        ("    prompt: Greet.\n", "", "missing-key", "greet", "`greet` needs `prompt`", ""),
        ("    kind: llm\n", "", "missing-key", "greet", "`greet` needs `kind`", ""),
        (
            "kind: llm",
            "knid: llm",
            "unknown-key",
            "knid",
            "`knid` is not a key of a step",
            "did you mean `kind`?",
        ),
        ("kind: llm", "kind: LLMs", "unknown-kind", "LLMs", "there is no kind `LLMs`", "did you mean `llm`?"),
        (
            "kind: llm",
            "kind: lambda",
            "unknown-kind",
            "lambda",
            "there is no kind `lambda`",
            "the kinds are `llm`",
        ),
        ("kind: llm", "kind: [llm]", "unknown-value", "[llm]", "`kind` cannot be a list", "it can be"),
        (
            "timeout: 30s",
            "timeout: 30",
            "wrong-type",
            "30",
            "`timeout` must be a length of time",
            "write a unit, such as `30s`",
        ),
        (
            "timeout: 30s",
            "timeout:",
            "wrong-type",
            "timeout",
            "and this is nothing",
            "write a value after the colon",
        ),
        (
            "Greeted: {text: string}",
            "Greeted: {text: [string]}",
            "wrong-type",
            "[string]",
            "and this is a list",
            "write `list of string`",
        ),
        ("timeout: 30s", "timeout: [30s]", "wrong-type", "[30s]", "and this is a list", ""),
        (
            "timeout: 30s",
            "max_runs: true",
            "wrong-type",
            "true",
            "`max_runs` must be a whole number from 1, or",
            "",
        ),
        (
            "timeout: 30s",
            "max_runs: 0",
            "out-of-range",
            "0",
            "`max_runs` must be 1 or more, and this is 0",
            "",
        ),
        (
            "timeout: 30s",
            "output: {type: string, max_length: '3'}",
            "wrong-type",
            "'3'",
            "and this is the text `3`",
            "write `3` without quotes",
        ),
        (
            "timeout: 30s",
            "save: urgency",
            "wrong-type",
            "urgency",
            "and this is the text `urgency`",
            "write `[urgency]`",
        ),
        ("timeout: 30s", "save: []", "nothing-in-it", "[]", "`save` has no item", ""),
        (
            "timeout: 30s",
            "stream: {tokens: yes}",
            "wrong-type",
            "yes",
            "and this is the text `yes`",
            "write `true`",
        ),
        (
            "accepts: Asked",
            "accepts: {al: [Asked]}",
            "unknown-key",
            "al",
            "`al` is not a key of `accepts`",
            "did you mean `all`?",
        ),
        (
            "accepts: Asked",
            "accepts: {within: 3s}",
            "missing-key",
            "accepts",
            "`accepts` needs one of `all`, `any` or `each`",
            "",
        ),
        (
            "accepts: Asked",
            "accepts: {any: [Asked], rest: stop}",
            "unknown-value",
            "stop",
            "`rest` cannot be the text `stop`",
            "it can be `finish` or `cancel`",
        ),
        (
            "accepts: Asked",
            "accepts: {all: [Asked], any: [Asked]}",
            "unknown-key",
            "any",
            "`any` is not a key of `accepts`",
            "what can stand here too is",
        ),
        (
            "emit: {event: Greeted, with: {text: x}}",
            "emit: {each: event.names, event: Greeted}",
            "unknown-key",
            "each",
            "`each` is not a key of an entry with `event`",
            "all that a batch needs stands within it: `each: {in: …, as: …, event: …, max: …}`",
        ),
        (
            "emit: {event: Greeted, with: {text: x}}",
            "emit: {event: Greeted, fail: x}",
            "unknown-key",
            "fail",
            "`fail` is not a key of an entry with `event`",
            "",
        ),
        (
            "prompt: Greet.",
            "prompt: {name: event.name, size: event.size}",
            "wrong-type",
            "{name: event.name, size: event.size}",
            "`prompt` must be a text, or `{use: NAME}` for one from `texts`, and this is a map",
            "",
        ),
        (
            "prompt: Greet.",
            "prompt: {us: greeting}",
            "unknown-key",
            "us",
            "`us` is not a key of `prompt`",
            "did you mean `use`?",
        ),
        (
            "    kind: llm\n    accepts: Asked\n    model: fast\n    prompt: Greet.\n",
            "    kind: human\n    accepts: Asked\n    title: A\n    form: {ok: boolean}\n    within: 1 h\n"
            "    on_timeout: Greeted\n    show: {who: event.name}\n",
            "wrong-type",
            "{who: event.name}",
            "`show` must be a text, or `{use: NAME}` for one from `texts`, and this is a map",
            "all that is shown is one text, into which `${{ … }}` puts values",
        ),
        (
            "timeout: 30s\n    emit: {event: Greeted, with: {text: x}}\n",
            "emit: {event: Greeted, with: {text: x}}\ntests:\n  - name: a\n    expect: {end: Greeted}\n"
            "    mock: {greet: {error: connection, message: no route}}\n",
            "unknown-key",
            "message",
            "`message` is not a key of `greet`",
            "`error` says here that the step fails, by a name and no more; a value that has a field `error` itself "
            "is written `{give: {error: …, message: …}}`",
        ),
        (
            "timeout: 30s\n    emit: {event: Greeted, with: {text: x}}\n",
            "emit: {event: Greeted, with: {text: x}}\ntests:\n  - name: a\n    expect: {end: Greeted}\n"
            "    mock: {greet: {give: x, colour: red}}\n",
            "unknown-key",
            "colour",
            "`colour` is not a key of `greet`",
            "`give` says here what the step gives, all of it; a value that has a field `give` itself",
        ),
        (
            "emit: {event:",
            "emit: {evnt:",
            "unknown-key",
            "evnt",
            "`evnt` is not a key of `emit`",
            "did you mean `event`?",
        ),
        (
            "emit: {event: Greeted, with: {text: x}}",
            "emit: [{when: a}]",
            "missing-key",
            "{when: a}",
            "an entry of `emit` needs one of `event`",
            "",
        ),
        (
            "emit: {event: Greeted, with: {text: x}}",
            "emit:",
            "wrong-type",
            "emit",
            "`emit` must be an event, `nothing`",
            "",
        ),
        (
            "end: Greeted",
            "end: {a: 1}",
            "wrong-type",
            "{a: 1}",
            "`end` must be an event, or a list of events, and this is a map",
            "",
        ),
        (
            "end: Greeted",
            "end: [Greeted, 3]",
            "wrong-type",
            "3",
            "item 2 of `end` must be",
            "",
        ),
        ("wfc: 1", "wfc: 2", "unknown-value", "2", "`wfc` cannot be the number `2`", "it can be `1`"),
        (
            "end: Greeted",
            "end: Greeted\nversion: 1.0",
            "wrong-type",
            "1.0",
            "`version` must be a text",
            'put it in quotes: `"1.0"`',
        ),
        (
            "Asked: {name: string}",
            "Asked:",
            "wrong-type",
            "Asked",
            "`Asked` must be an event's fields",
            "write `{}` for none",
        ),
        (
            "Asked: {name: string}",
            "Asked: {name: [string]}",
            "wrong-type",
            "[string]",
            "`name` must be a type",
            "",
        ),
        (
            "Asked: {name: string}",
            "Asked: {name: {tpye: string, default: 3}}",
            "unknown-type-key",
            "tpye",
            "a type has no key `tpye`",
            "did you mean `type`?",
        ),
        (
            "\nsteps:",
            "\nstpes:",
            "unknown-key",
            "stpes",
            "`stpes` is not a key of a spec",
            "did you mean `steps`?",
        ),
        (
            "workflow: greet\n",
            "workflow: greet\nretry: x\n",
            "unknown-key",
            "retry",
            "`retry` is not a key of a spec",
            "what holds for all steps is said by `defaults: {retry: ",
        ),
    ],
)
def test_a_mistake_is_explained_once(
    old: str, new: str, code: str, marked: str, message: str, hint: str
) -> None:
    assert GOOD.count(old) == 1
    _, found = shape(GOOD.replace(old, new))
    assert len(found) == 1, found
    assert found[0][:2] == (code, marked)
    assert message in found[0][2]
    assert hint in found[0][3]


def test_a_missing_section_leaves_nothing_to_look_at() -> None:
    spec, found = shape(GOOD.replace("end: Greeted\n", ""))
    assert spec is None
    assert [each[2] for each in found] == ["a spec needs `end`"]


def test_sections_with_nothing_in_them_are_found_too() -> None:
    _, found = shape(GOOD.partition("steps:\n")[0] + "steps: {}\n")
    assert [each[:3] for each in found] == [("nothing-in-it", "steps", "`steps` has no entry")]


def test_a_file_without_a_workflow_is_for_others_to_import() -> None:
    _, found = shape("wfc: 1\ntypes: {A: {b: string}}\n")
    assert found == []


@pytest.mark.parametrize("end", ["{kind: transform}", "[{kind: transform}]", "[[Greeted]]", "3"])
def test_ends_that_are_no_events_hide_no_other_mistake(end: str) -> None:
    text = GOOD.replace("end: Greeted", f"end: {end}\non_error: {{restart: {{type: text}}}}")
    _, found = shape(text)
    assert [code for code, *_ in found] == ["wrong-type", "unknown-key"]


def test_many_mistakes_are_all_found() -> None:
    text = (
        GOOD.replace("timeout: 30s", "timeout: 30")
        .replace("prompt", "promt")
        .replace("name: string", "name: 3")
    )
    _, found = shape(text)
    assert sorted(each[0] for each in found) == ["unknown-key", "wrong-type", "wrong-type"]


def test_what_is_misspelt_counts_as_what_is_meant() -> None:
    spec, _ = shape(GOOD.replace("prompt", "promt").replace("kind: llm", "kind: lllm"))
    assert spec is not None
    assert spec.data["steps"]["greet"]["prompt"] == "Greet."
    assert spec.data["steps"]["greet"]["kind"] == "llm"
    assert not spec.broken
    start, _ = spec.document.span(Place(("steps", "greet", "prompt")))
    assert start.line == spec.document.text[: spec.document.text.index("Greet.")].count("\n") + 1


def test_what_the_reader_has_reported_is_not_reported_again() -> None:
    findings: list[Finding] = []
    text = GOOD.replace("model: fast", "model: *fast").replace("text: x", "text: .inf")
    spec = validate(read(text.encode(), "spec.yaml", findings.append), findings.append)
    assert [finding.code for finding in findings] == ["unknown-alias", "number-out-of-range"]
    assert spec is None or ("steps", "greet") in spec.broken


def test_thousands_of_mistakes_end_at_a_limit() -> None:
    steps = "".join(f"  s{n}: {n}\n" for n in range(5000))
    _, found = shape(GOOD.partition("steps:\n")[0] + "steps:\n" + steps)
    assert 1000 < len(found) < 5000
    assert found[-1][0] == "too-many-findings"


ONE_OF = "only within `all` a list stands for one of several; elsewhere each event stands beside the others"
STANDS_ALONE = (
    "a join stands alone: let a step of its own have `accepts: {%s}`; the event that it emits stands here"
)


@pytest.mark.parametrize(
    ("accepts", "hint"),
    [
        ("{all: [A, {any: [B, C]}]}", "write `[B, C]`: of a list within `all` one comes"),
        ("{all: [A, {all: [B, C]}]}", "write its events beside the others: B, C"),
        (
            "{all: [A, {each: B}]}",
            STANDS_ALONE % "each: B",
        ),
        (
            "{any: {each: A}}",
            STANDS_ALONE % "each: A",
        ),
        ("{each: {any: [A, B]}}", "write `[A, B]`"),
        ("{any: [A, [B, C]]}", ONE_OF),
        ("{each: [A, [B, C]]}", ONE_OF),
        ("{all: {A: B}}", ""),  # which of them is meant is not known
        ("{all: A}", "write `[A]`"),
        ("[A, {all: [B, C]}]", STANDS_ALONE % "all: [B, C]"),
        (
            '{any: [A, B, C], count: "${{ inputs.n }}"}',
            "how many of these events must come is written out as a number; "
            "only `{each: …}` takes its `count` from data",
        ),
        ("{any: [A, B, C], count: [1]}", ""),
    ],
)
def test_a_join_within_a_join_is_told_what_is_meant(accepts: str, hint: str) -> None:
    _, found = shape(GOOD.replace("accepts: Asked", f"accepts: {accepts}"))
    assert [(code, said) for code, _, _, said in found] == [("wrong-type", hint)]
