"""Large and hostile specs: no exception, no more than linear time, and thousands of findings soon."""

from __future__ import annotations

import pytest

from wfc.compiler.rules import spelling

HEAD = "wfc: 1\nworkflow: greet\nstart: Asked\nend: Greeted\n"
EVENTS = "events:\n  Asked: {name: string}\n  Greeted: {text: string}\n"
STEP = """\
steps:
  greet:
    kind: transform
    accepts: Asked
    emit: {event: Greeted, with: {text: hello}}
"""
MANY = 3_000


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(
            HEAD
            + EVENTS
            + STEP.replace("accepts: Asked", f"accepts: [{', '.join(f'Xy{i}' for i in range(MANY))}]"),
            "unknown-event",
            id="events",
        ),
        pytest.param(
            HEAD + EVENTS + STEP.replace("text: hello", ", ".join(f"u{i}: x" for i in range(MANY))),
            "unknown-entry",
            id="entries",
        ),
        pytest.param(
            HEAD + EVENTS + "".join(f"  Ev{i}: {{a: Xev{i}}}\n" for i in range(MANY // 3)) + STEP,
            "unknown-type",
            id="types",
        ),
    ],
)
def test_thousands_of_unknown_names(resolved, text: str, code: str) -> None:
    with spelling.bounded():
        result = resolved(text)
    assert sum(finding.code == code for finding in result.findings) >= MANY // 3


@pytest.mark.parametrize(
    "text",
    [
        HEAD
        + EVENTS
        + STEP
        + "models:\n"
        + "".join(f"  m{i}: {{use: openai:b, fallback: [m{i + 1}]}}\n" for i in range(MANY))
        + f"  m{MANY}: {{use: openai:b}}\n",
        HEAD + EVENTS + STEP + "types:\n" + "".join(f"  T{i}: {{type: list of T{i + 1}}}\n" for i in range(MANY))
        + f"  T{MANY}: {{enum: [a]}}\n",
        HEAD + EVENTS + STEP + "types:\n" + "".join(f"  T{i}: {{a: optional T{i + 1}}}\n" for i in range(MANY))
        + f"  T{MANY}: {{a: string}}\n",
    ],
    ids=["fallbacks", "names of types", "records"],
)  # fmt: skip
def test_long_chains_are_no_recursion(resolved, text: str) -> None:
    assert not resolved(text).errors


BREAKERS = [
    '"',
    "'",
    '"""',
    "\\",
    "\n",
    "{",
    "}",
    "${{ 1 }}",
    "#",
    "\u202e",
    "\x85",
    "class",
    "__import__('os')",
]


@pytest.mark.parametrize("text", BREAKERS)
@pytest.mark.parametrize(
    "place", ["workflow", "start", "event", "field", "step", "state", "model", "type", "item"]
)
def test_a_name_that_is_none_never_becomes_one(resolved, place: str, text: str) -> None:
    """Whatever stands where a name should: there is a finding, and nothing of it in the workflow's names."""
    sections: dict[str, object] = {
        "workflow": {"workflow": text},
        "start": {"start": text},
        "event": {"events": {text: {}}},
        "field": {"events": {"Asked": {"name": "string", text: "string"}}},
        "state": {"state": {text: "optional string"}},
        "model": {"models": {text: {"use": "openai:b"}}},
        "type": {"types": {text: {"a": "string"}}},
        "step": {"steps": {text: {"kind": "transform", "accepts": "Asked", "emit": "nothing"}}},
        "item": {
            "steps": {
                "greet": {
                    "kind": "transform",
                    "accepts": "Asked",
                    "emit": {
                        "each": {"in": "[1]", "as": text, "event": "Greeted", "with": {"text": "x"}, "max": 2}
                    },
                }
            }
        },
    }[place]
    result = resolved(**sections)
    if text == "class" and place not in {"start", "event", "type", "item"}:
        return  # a keyword is a fine name: its Python name gets a trailing `_`
    assert result.errors or text == "class"
