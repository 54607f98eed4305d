"""Fixes that nobody applies unasked, since the author may have meant something else, and what the hints say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.passes import check_text

SPEC: str = runpy.run_path(str(Path(__file__).parents[2] / "corpus/novices.py"))["SPEC"]
ORDER = "  Order: {id: string, total: number, items: list of string}\n"
TYPES = "types:\n"
MANY = "items: [(text: a, source: b), (text: c, source: d)]"
CONFIG = "config:\n  desk_url: {type: string, format: uri}\n"
MOCK = "look_up: {id: A1, total: 3, items: [cup]}"
WHEN = "when: events.order.total > 100 and events.urgent"
OVER = "when: events.order.total > config.most and events.urgent"
ID = "order_id: ${{ event.order_id }}"
PROMPT = 'Answer as ${{ event.category }}. ${{ inputs.note | default("") }}'
ANSWER = 'with: {answer: "${{ event.answer }}"}'
FAST = '  fast: {use: "openai:gpt-4o-mini", api_key: MODEL_KEY, temperature: 0}\n'
ENVIRONMENT = "if the variable of the environment is called"

TABLE: list[tuple[str, list[tuple[str, str]], tuple[str, ...]]] = [
    # what it is; what stands there and what is written instead; code and hint of each finding
    # brackets that are no braces
    (
        "map in brackets",
        [("      " + ID, f"      ({ID})")],
        ("unknown-entry", "leave out the bracket, or write braces for a map: `{order_id: …}`"),
    ),
    (
        "maps in brackets",
        [
            ("items: list of string", "items: list of Line"),
            (TYPES, TYPES + "  Line: {text: string, source: string}\n"),
            ("items: [cup]", MANY),
        ],
        ("syntax-error", "write the map in braces: `{text: …}`"),
    ),
    (
        "map in brackets, with quotes",
        [(MOCK, 'look_up:\n        id: A1\n        total: 3\n        items:\n          - (text: "a")')],
        ("syntax-error", "write a map in `{ }` and a list in `[ ]`"),
    ),
    (
        "sign behind a key",
        [("start: {order_id: A1", "start: {order_id?: A1")],
        ("unknown-entry", "did you mean `order_id`?"),
    ),
    (
        "bracket behind a key",
        [("start: {order_id: A1", "start: {order_id): A1")],
        ("unknown-entry", "did you mean `order_id`?"),
    ),
    # paths of state machines
    ("path", [(ID, "order_id.$: $.text")], ("unknown-entry", 'write `order_id: "${{ event.text }}"`')),
    (
        "path to nothing",
        [(ID, "order_id.$: $.input.x")],
        ("unknown-entry", 'a value is put in by `order_id: "${{ … }}"`'),
    ),
    (
        "path to the input",
        [(ID, "order_id.$: $$.Execution.Input.text")],
        ("unknown-entry", 'write `order_id: "${{ inputs.text }}"`'),
    ),
    (
        "path in a join",
        [('{category: "${{ events.category }}"}', '{"category.$": "$.category"}')],
        ("unknown-entry", 'write `category: "${{ events.category }}"`'),
    ),
    (
        "path to a result",
        [(ANSWER, "with: {answer.$: $.decision}")],
        ("unknown-entry", 'write `answer: "${{ result.decision }}"`'),
    ),
    # declared at another level than it is looked for
    (
        "config at the top",
        [(CONFIG, "config:\n  post: {type: integer}\nmost: {type: integer}\n"), (WHEN, OVER)],
        ("misplaced-key", "move it there"),
    ),
    (
        "config of another type",
        [(CONFIG, "config:\n  post: {type: integer}\nmost: 100\n"), (WHEN, OVER)],
        ("unknown-key", ""),
        (
            "unknown-field",
            "`most` is a key in line 9, at another level: if that is meant, it belongs under `config`; did you",
        ),
    ),
    (
        "config too deep",
        [
            (CONFIG, "config:\n  desk: {type: string, most: {type: integer}}\n  post: {type: integer}\n"),
            (WHEN, OVER),
        ],
        ("unknown-field", "`most` is a key in line 8"),
    ),
    (
        "like in name alone",
        [(CONFIG, "config:\n  post: {type: string}\n"), (WHEN, OVER)],
        ("unknown-field", "did you mean `post`?"),
    ),
    (
        "type at the top",
        [("types:\n" + ORDER, "types:\n" + ORDER.replace("Order", "Ordes") + ORDER[2:])],
        ("misplaced-key", "move it there"),
    ),
    (
        "event at the top",
        [
            ("  Ready: {category: string}\n", "  Readi: {category: string}\n"),
            ("types:\n", "Ready: {category: string}\ntypes:\n"),
        ],
        ("misplaced-key", "move it there"),
    ),
    (
        "field among events",
        [(", note: optional string}", ", nose: optional string}\n  note: optional string")],
        ("misplaced-key", "move it there"),
    ),
    # secrets, whose names are those of the environment
    (
        "secret in small letters",
        [("api_key: MODEL_KEY", "api_key: model_key")],
        ("unknown-secret", f"did you mean `MODEL_KEY`? {ENVIRONMENT} `model_key`"),
    ),
    (
        "secrets in small letters",
        [("secrets: [MODEL_KEY]", "secrets: [model_key]")],
        ("unknown-secret", f"did you mean `model_key`? {ENVIRONMENT} `MODEL_KEY`"),
    ),
    (
        "secret used once",
        [("secrets: [MODEL_KEY]", "secrets: [MODEL_KAY]")],
        ("unknown-secret", f"did you mean `MODEL_KAY`? {ENVIRONMENT}"),
    ),
    (
        "secret used twice",
        [
            ("[MODEL_KEY]", "[model_key]"),
            (FAST, FAST + FAST.replace("fast", "slow")),
            ("model: fast", "model: slow"),
        ],
        ("misspelt-declaration", "did you mean `MODEL_KEY`? a secret has the name of the variable"),
    ),
    (
        "secrets with variables",
        [("secrets: [MODEL_KEY]", "secrets:\n  key: {env: MODEL_KEY}")],
        (
            "wrong-type",
            "list the names of the environment's variables, by which they are used too: `[MODEL_KEY]`",
        ),
    ),
    # values of tests, where types may have changed places
    (
        "truth as a text",
        [("start: {order_id: A1", "start: {order_id: true")],
        ("wrong-value", "put it in quotes if it is meant as a text"),
    ),
    (
        "truth in a result",
        [("with: {answer: fine}}", "with: {answer: false}}")],
        ("wrong-value", "put it in quotes if it is meant as a text"),
    ),
    (
        "number beside another error",
        [("total: number", "total: string")],
        ("not-ordered", ""),
        ("wrong-value", "put it in quotes if it is meant as a text"),
    ),
    # what is called the input of a step elsewhere
    (
        "input of a later step",
        [(PROMPT, "${{ input.text }}")],
        ("unknown-name", "what the run began with is `inputs.text`"),
    ),
    ("input, as accepted", [(PROMPT, "${{ input.category }}")], ("unknown-name", "write `event.category`")),
    (
        "input, either",
        [
            ("Ready: {category: string}", "Ready: {category: string, text: string}"),
            (
                'with: {category: "${{ events.category }}"}',
                'with: {category: "${{ events.category }}", text: x}',
            ),
            (PROMPT, "${{ input.text }}"),
        ],
        ("unknown-name", "`event.text` is what the step has accepted, `inputs.text` what the run began with"),
    ),
]
CERTAIN = [
    (
        "a name that is used elsewhere",
        [(FAST, FAST + FAST.replace("fast", "slow").replace("KEY", "KAY")), ("model: fast", "model: slow")],
    ),
    ("a number in a test", [("start: {order_id: A1", "start: {order_id: 1")]),
    ("input of a first step", [("${{ event.text }}", "${{ input.text }}")]),
    ("a field of the same type", [(CONFIG, "config:\n  post: {type: integer}\n"), (WHEN, OVER)]),
]


def changed(changes: list[tuple[str, str]]) -> str:
    text = SPEC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(
    ("changes", "expected"), [(row[1], row[2:]) for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_nothing_is_changed_unasked(
    changes: list[tuple[str, str]], expected: tuple[tuple[str, str], ...]
) -> None:
    text = changed(changes)
    found = check_text(text.encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == [code for code, _ in expected]
    for each, (_, hint) in zip(found, expected, strict=True):
        assert each.hint.startswith(hint)
    assert apply_fixes(text, found, {"safe"})[0] == text


@pytest.mark.parametrize("changes", [row[1] for row in CERTAIN], ids=[row[0] for row in CERTAIN])
def test_what_is_certain_is_mended(changes: list[tuple[str, str]]) -> None:
    text = changed(changes)
    found = check_text(text.encode(), "spec.yaml").diagnostics
    better = apply_fixes(text, found, {"safe"})[0]
    assert better != text
    assert not [
        each for each in check_text(better.encode(), "spec.yaml").diagnostics if each.severity.word == "error"
    ]
