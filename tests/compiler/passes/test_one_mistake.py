"""One mistake is one finding: what depends on it is left alone."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import check_text

SPECS = Path(__file__).parents[3] / "specs"


@pytest.mark.parametrize(
    ("spec", "right", "wrong", "code"),
    [
        ("feedback_monitor", "when: result is none", "when: rsult is none", "unknown-name"),
        ("feedback_monitor", "when: result is none", "when: result iz none", "unexpected-token"),
        ("feedback_monitor", "when: result is none", "when: result is nune", "unknown-test"),
        ("feedback_monitor", "${{ inputs.at_most }}", "${{ inputs.at_least }}", "unknown-field"),
        ("feedback_monitor", "accepts: BadFeedback", "accepts: BadFedback", "unknown-event"),
        ("feedback_monitor", "kind: tool", "kind: tol", "unknown-kind"),
        ("feedback_trader", "end: [Traded, ", "end: [Trade, ", "unknown-event"),
        ("ticket_triage", "model: ", "model: not_", "unknown-model"),
        ("ticket_triage", "kind: llm", "kind: llmm", "unknown-kind"),
        ("release_notes", "output: list of Commit", "output: list of Comit", "unknown-type"),
        ("release_notes", "event: CommitUnclear", "event: CommitUncler", "unknown-event"),
    ],
)
def test_a_slip_is_found_once_and_starts_nothing_else(spec: str, right: str, wrong: str, code: str) -> None:
    text = (SPECS / f"{spec}.yaml").read_text(encoding="utf-8")
    assert right in text
    bad = text.replace(right, wrong, 1)
    found = check_text(bad.encode(), f"{spec}.yaml").diagnostics
    assert [each.code for each in found] == [code], render(found, {f"{spec}.yaml": bad})


USED_BY_ONE_STEP = """\
wfc: 1
workflow: using
start: Asked
end: Told
secrets: [KEY]
config: {many: {type: integer, default: 1}, long: {type: duration, default: 1 s}, base: {type: string, default: x}}
retries: {firm: {max_attempts: 2}}
models: {fast: {use: "openai:gpt-4o"}}
texts: {asking: Well?}
types: {Answer: {text: string}}
tools: {find: {python: "shop:find", args: {text: string}, output: string}}
state: {heard: optional string}
events: {Asked: {}, Told: {}}
steps:
  go: {kind: transform, accepts: Asked, emit: Told}
  ask:
    kind: llm
    accepts: ACCEPTED
    model: fast
    prompt: {use: asking}
    output: Answer
    retry: firm
    timeout: ${{ config.long }}
    concurrency: ${{ config.many }}
    max_runs: ${{ config.many }}
    save: {heard: "${{ result.text }}"}
    emit: Told
  find:
    kind: tool
    accepts: ACCEPTED
    tool: find
    with: {text: "${{ config.base }}"}
    save: {heard: "${{ result }}"}
    emit: Told
  send: {kind: http, accepts: ACCEPTED, method: GET, url: "https://a.example", auth: {bearer: KEY}, emit: Told}
"""


@pytest.mark.parametrize("accepted", ["Gone", "[Gone, Away]", "{all: [Gone, Asked]}", "{each: Gone}"])
def test_what_only_a_step_uses_whose_event_is_not_known_is_used(accepted: str) -> None:
    found = check_text(USED_BY_ONE_STEP.replace("ACCEPTED", accepted).encode(), "using.yaml").diagnostics
    assert {each.code for each in found} == {"unknown-event"}


WORDS = (
    "kind accepts emit each all any in as event with retry max_attempts within on_timeout fields steps evnts"
).split()


def random_value(chance: Random, depth: int) -> str:
    """Any YAML between braces, with words of the language at places where they may mean nothing."""
    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice(
            ["A", "T", "5", "null", "'${{ events.x }}'", "transform", "human", "true", "[]", "{}"]
        )
    if kind < 0.6:
        return f"[{', '.join(random_value(chance, depth - 1) for _ in range(chance.randrange(4)))}]"
    keys = chance.sample(WORDS, chance.randrange(5))
    return f"{{{', '.join(f'{key}: {random_value(chance, depth - 1)}' for key in keys)}}}"


@pytest.mark.parametrize("seed", range(60))
def test_whatever_stands_anywhere_is_told_by_findings(seed: int) -> None:
    """Guesses at the one mistake are made of any data, misspelt keys included."""
    chance = Random(seed)  # noqa: S311 - a reproducible choice
    text = (
        f"wfc: 1\nworkflow: x\nstart: A\nend: T\nevents: {chance.choice(['{A: {}, T: {}}', random_value(chance, 3)])}\n"
        f"steps: {{s: {{kind: transform, accepts: {random_value(chance, 2)}, emit: {random_value(chance, 3)}, "
        f"{chance.choice(WORDS)}: {random_value(chance, 2)}}}, t: {random_value(chance, 3)}}}\n"
        f"{chance.choice(WORDS)}: {random_value(chance, 3)}\n"
    )
    assert check_text(text.encode(), "spec.yaml").diagnostics
