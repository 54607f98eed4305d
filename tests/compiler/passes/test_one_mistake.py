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


WITH_BOUNDS = """\
wfc: 1
workflow: slips
start: Asked
end: [Told, Gone]
config: {pause: {type: duration, default: 1 s}, many: {type: integer, default: 2}}
types: {Line: {name: string, amount: decimal}}
events: {Asked: {note: optional string, lines: list of Line}, Told: {note: string}, Gone: {}, Summed: {total: decimal}}
steps:
  ask:
    kind: human
    accepts: Asked
    title: Well?
    form: {note: string}
    within: ${{ config.pause }}
    on_timeout: Gone
    max_runs: ${{ config.many }}
    emit:
      - event: Gone
        when: event.note is none
      - event: Summed
        when: event.note == "sum"
        with: {total: "${{ (event.lines + [{name: 'post', amount: 4}]) | pluck('amount') | sum }}"}
      - event: Told
        with: {note: "${{ event.note ~ result.note }}"}
  stop: {kind: transform, accepts: Summed, emit: Gone}
tests:
  - name: gone
    start: {lines: []}
    mock: {ask: {note: a}}
    expect: {end: Gone, with: {}}
"""
LAST = '      - event: Told\n        with: {note: "${{ event.note ~ result.note }}"}\n'
SLIPS = {
    "a colon is missing before a map of one entry": (
        "form: {note: string}", "form {note: string}", "syntax-error", "write `form: {note: string}`"),
    "a colon is missing before a map of several": (
        "expect: {end: Gone", "expect {end: Gone", "syntax-error", "write `expect: {end: Gone, with: {}}`"),
    "a key of a record in a list": (
        "amount: 4", "aomunt: 4", "unknown-field", "did you mean `amount`?"),
    "the entry for all other cases stands first": (
        "    emit:\n      - event: Gone", f"    emit:\n{LAST}      - event: Gone",
        "entry-never-taken", "move entry 1 to the end"),
    "a length without braces": (
        "${{ config.pause }}", "config.pause", "bad-duration", "an expression is written `${{ config.pause }}`"),
    "a length in braces of a shell": (
        "${{ config.pause }}", "${config.pause}", "bad-duration", "an expression is written `${{ config.pause }}`"),
    "a number in braces of a template": (
        "${{ config.many }}", '"{% config.many %}"', "wrong-value", "an expression is written `${{ config.many }}`"),
    "a number in braces within braces": (
        "${{ config.many }}", '"${{ {{ config.many }} }}"', "wrong-value",
        "an expression is written `${{ config.many }}`"),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "code", "hint"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_told_with_what_to_write(right: str, wrong: str, code: str, hint: str) -> None:
    assert not check_text(WITH_BOUNDS.encode(), "slips.yaml").diagnostics
    bad = WITH_BOUNDS.replace(right, wrong)
    if LAST in wrong:
        bad = bad[: bad.rindex(LAST)] + bad[bad.rindex(LAST) + len(LAST) :]
    assert bad != WITH_BOUNDS
    found = check_text(bad.encode(), "slips.yaml").diagnostics
    assert [each.code for each in found] == [code], render(found, {"slips.yaml": bad})
    assert hint in found[0].hint


def test_what_a_continued_text_says_is_no_key_that_lacks_its_colon() -> None:
    text = WITH_BOUNDS.replace("title: Well?", "title: Well\n      goes {a: b}\n")
    (found,) = check_text(text.encode(), "slips.yaml").diagnostics
    assert found.code == "text-cut-by-colon"


def test_a_wrong_value_of_an_event_is_no_block_at_the_wrong_level() -> None:
    text = """\
wfc: 1
workflow: levels
start: Asked
end: Told
events: {Asked: {}, Told: {a: integer, b: string}}
steps:
  get:
    kind: tool
    accepts: Asked
    tool: {python: "stage:plain", output: {a: integer, b: string}}
    emit: {event: Told, with: {a: "$(result.a)"}}
"""
    (found,) = check_text(text.encode(), "levels.yaml").diagnostics
    assert (found.code, found.start.line) == ("wrong-value", 11)


def test_a_step_that_is_called_like_a_key_is_a_step() -> None:
    text = WITH_BOUNDS.replace("  stop: {kind: transform, ", "  remind: {")
    (found,) = check_text(text.encode(), "slips.yaml").diagnostics
    assert (found.code, "`kind`" in found.message) == ("missing-key", True)


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        pytest.param(
            'when: event.text != ""', 'when: !event.text != ""', "tag", id="a condition that begins with !"
        ),
        pytest.param(
            "Named: {name: string}",
            "Named: {name:string}",
            "no-colon-in-braces",
            id="an event that is asked for",
        ),
        pytest.param(
            "limits: {tokens: 500}", "limits: {tokens: 3 times}", "wrong-type", id="bounds of agents"
        ),
        pytest.param("kind: wait", "kind: human", "other-kind", id="a whole step of another kind"),
    ],
)
def test_nothing_is_told_of_what_follows(right: str, wrong: str, code: str) -> None:
    text = """\
wfc: 1
workflow: following
start: Asked
end: Slept
models: {fast: {use: "openai:gpt-4o-mini", api_key: KEY}}
secrets: [KEY]
agents:
  chief: {model: fast, system: You lead., max_turns: 1000, tools: [worker]}
  worker: {model: fast, system: You work., description: Works., max_turns: 1000}
events:
  Asked: {text: string}
  Named: {name: string}
  Unnamed: {}
  Waited: {}
  Slept: {}
steps:
  choose:
    kind: transform
    accepts: Asked
    emit:
      - {event: Named, when: event.text != "", with: {name: a}}
      - Unnamed
  tell:
    kind: agent
    accepts: [Named, Unnamed]
    agent: chief
    limits: {tokens: 500}
    prompt: ${{ event.name if event is Named else "nobody" }}
    emit: Waited
  pause: {kind: wait, accepts: Waited, for: 1 day, emit: Slept}
"""
    assert not check_text(text.encode(), "spec.yaml").diagnostics
    wrongly = text.replace(right, wrong)
    assert wrongly != text
    assert [each.code for each in check_text(wrongly.encode(), "spec.yaml").diagnostics] == [code]
