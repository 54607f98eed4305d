"""What is told of a key by those that stand beside it, and of commas and quotes by what stands around them."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: beside
start: Asked
end: Told
models: {fast: {use: "openai:gpt-4o-mini"}}
agents: {helper: {model: fast, description: helps}}
tools:
  put: {python: "files:put"}
  look: {python: "files:look", read_only: true}
migrate:
  Asked:
    - from: {first: string, last: string}
      to: {subject: "${{ old.first }} ${{ old.last }}", text: "", turn: 1, price: 1, rate: 1, names: []}
    - from: {first: string}
      to: {subject: "${{ old.first }}", text: "", turn: 1, price: 1, rate: 1, names: []}
events:
  Asked: {subject: string, text: string, turn: integer, price: decimal, rate: number, names: list of string}
  Item: {name: string}
  Done: {name: string}
  Told: {text: string}
steps:
  split: {kind: transform, accepts: Asked, emit: {each: {in: event.names, as: name, event: Item, max: 9}}}
  work: {kind: transform, accepts: Item, emit: {event: Done, with: {name: "${{ event.name }}"}}}
  gather:
    kind: transform
    accepts: {each: Done}
    emit:
      event: Told
      with: {text: "${{ inputs.subject }}, ${{ inputs.text }}"}
tests:
  - name: fine
    start: &start
      subject: well
      text: a
      turn: 1
      price: "1"
      rate: 1
      names: []
    expect: {end: Told, with: {text: "well, a"}}
  - name: fine as well
    start: {subject: congratulations, text: Well done, turn: 1, price: "1", rate: 1, names: []}
    expect: {end: Told, with: {text: ""}, ran: {gather: 1}}
"""
TEXT = 'text: "${{ inputs.subject }}, ${{ inputs.text }}"'
QUOTE = "a quote ends the text here: write it also where the text begins"
OF_ALL = "`description`, `retry`, `timeout`, `concurrency`, `max_runs`, `on_limit`, `on_error`"
OF_PAUSES = "`description`, `max_runs`, `on_limit`, `save` and `stream`"

BESIDE: list[tuple[str, str]] = [
    # the step; what can stand beside its keys
    ("kind: send, topic: news, event: Said", f"`with`, {OF_ALL}, `save`, `stream` and `idempotency_key`"),
    ("kind: send, to: w, to_key: a, event: Said", f"`with`, `if_absent`, {OF_ALL}, `save`, `stream` and `idemp"),
    ("kind: send, event: Said", "`to`, `to_key`, `with`, `if_absent`, `topic`, "),
    ("kind: wait, event: Said", f"`until`, `that`, `within`, `on_timeout`, {OF_PAUSES}$"),
    ("kind: wait, for: 2h", f"{OF_PAUSES}$"),
    ("kind: wait, until: event.at", f"`event`, `that`, `within`, `on_timeout`, {OF_PAUSES}$"),
    ("kind: workflow, workflow: other, with: {}, detach: true",
     f"{OF_ALL}, `require`, `save`, `stream` and `idempotency_key`$"),
    ("kind: tool, tool: put, with: {}, output: string",
     f"{OF_ALL}, `require`, `save`, `stream` and `idempotency_key`$"),
    ("kind: tool, tool: look, with: {}, output: string",
     f"{OF_ALL}, `require`, `save`, `stream`, `cache` and `idempotency_key`$"),
    ("kind: agent, agent: helper, prompt: a", "`with`, `thread`, `within`, `on_timeout`, `limits`, `history`, `desc"),
    ("kind: agent, model: fast, prompt: a, thread: {use: t, key: a}", "`within`, `on_timeout`, `system`, `tools`, "),
]  # fmt: skip


@pytest.mark.parametrize(("step", "told"), BESIDE, ids=[step for step, _ in BESIDE])
@pytest.mark.parametrize("in_braces", [True, False])
def test_only_keys_that_can_stand_beside_the_others_are_named(step: str, told: str, in_braces: bool) -> None:
    keys = f"{step}, zzz: 3, accepts: Done, emit: Told"
    written = f" {{{keys}}}"
    if not in_braces:
        parts = keys.replace("use: t, key", "use: t; key").split(", ")
        written = "".join(f"\n    {each.replace(';', ',')}" for each in parts)
    found = check_text(
        SPEC.replace("steps:\n", f"steps:\n  more:{written}\n", 1).encode(), "spec.yaml"
    ).diagnostics
    (hint,) = [each.hint for each in found if each.message.startswith("`zzz` is not a key")]
    assert f"{hint}$".startswith(f"what can stand here too is {told}"), hint


AROUND: list[tuple[str, str, str, str]] = [
    # what stands there, what is written instead; the code of the first finding, its hint
    # a comma, and a key without its colon
    ("text: Well done", "text Well done", "text-cut-by-comma",
     "write `text: Well done` if that is another key, else put the whole text in quotes"),
    ("text: Well done", "description Well done", "text-cut-by-comma",
     "write `description: Well done` if that is another key, else put the whole text in quotes"),
    ("congratulations, text: Well done", '"congratulations", text Well done', "text-cut-by-comma",
     "write `text: Well done`"),
    ("subject: congratulations, text: W", "subject congratulations for all, text: W", "text-cut-by-comma",
     "write `subject: congratulations for all`"),
    ("text: Well done", "text: Well, what a day", "text-cut-by-comma", "put the text in quotes"),
    # numbers with commas
    ("turn: 1\n", "turn: 1,000\n", "wrong-value", "write `1000`"),
    ("turn: 1\n", "turn: &turn 1,000\n", "wrong-value", "write `1000`"),
    ("turn: 1\n", "turn: 2,5\n", "wrong-value",
     "this is no whole number; if one with a fraction is meant, declare it as a `number`, and write `2.5`"),
    ("turn: 1\n", "turn: 5.000,00\n", "wrong-value", "write `5000`"),
    ("rate: 1\n", "rate: 1,000\n", "wrong-value", "write `1000`, or `1.000` if that is a fraction"),
    ("rate: 1\n", "rate: 2,5\n", "wrong-value", "write `2.5`"),
    ('price: "1"\n', "price: 1,000,000.50\n", "wrong-value", 'write `"1000000.50"`'),
    ("ran: {gather: 1}", "turns: 5.000,00", "number-cut-by-comma", "write `5000`"),
    ("ran: {gather: 1}", 'turns: "1,000"', "wrong-type", "write `1000`"),
    ("ran: {gather: 1}", 'ran: {gather: "2"}', "wrong-type", "write `2` without quotes"),
    ("ran: {gather: 1}", 'ran: {gather: "2.5"}', "wrong-type", ""),
    # what the runs that are there have
    ("from: {first: string}", "from: {fisrt: string}", "unknown-field",
     "did you mean `fisrt`?; `from` says what the runs that are there have: write `first` there if they have it"),
    # an event of a batch
    ("accepts: {each: Done}", "accepts: {each: Item}", "event-never-accepted",
     "let a step have `accepts: Done`, or wait for all of them (`{each: Done}`), add `Done` to `end` if the run is "
     "over then, or emit `nothing` here"),
    # a bracket that is closed twice, an operator that is missing before a loop
    (TEXT, 'text: "${{ [1 <= name | length) for name in inputs.names] | length }}"', "unexpected-token",
     "leave it out, or write the `(` that it closes before"),
    (TEXT, "text: \"${{ [name 'a' for name in inputs.names] | length }}\"", "unexpected-token",
     "two values need an operator between"),
    # a bracket that is not closed, before a comma
    ("models: {fast", "models: {slow: {, fast", "syntax-error",
     "close the `{` before it, or write the value"),
    ("models: {fast", "models: {, slow: {},\n  fast", "syntax-error",
     "write it, close the `{` before it, or leave out the comma"),
    ("models: {fast", "models: {, fast", "syntax-error",
     "write it, close the `{` before it, or leave out the comma"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "code", "hint"), AROUND, ids=[row[1] for row in AROUND])
def test_what_stands_around_a_slip_says_what_is_meant(right: str, wrong: str, code: str, hint: str) -> None:
    assert right in SPEC
    first = check_text(SPEC.replace(right, wrong, 1).encode(), "spec.yaml").diagnostics[0]
    assert (first.code, first.hint) == (code, hint)


LOST: list[tuple[str, str]] = [
    # a text that has lost the quote before it; the hint
    ('${{ inputs.subject }}, ${{ inputs.text }}"', QUOTE),
    ("${{ inputs.subject }}, ${{ inputs.text }}'", QUOTE),
    ('${{ inputs.subject }}"', QUOTE),
    ("${{ inputs.subject }} and ${{ inputs.text | default('x') }}!\"", QUOTE),
    ('Use ${{ inputs.subject }}, ${{ inputs.text }}"', f"{QUOTE}, before `Use`"),
    ('[a for a in ["b", "c"] if a]\'', f"{QUOTE}, before `[a`"),
]


@pytest.mark.parametrize(("text", "hint"), LOST, ids=[text for text, _ in LOST])
def test_a_lost_quote_is_put_where_its_text_begins(text: str, hint: str) -> None:
    wrong = SPEC.replace(TEXT, f"text: {text}")
    found = check_text(wrong.encode(), "spec.yaml").diagnostics[0]
    assert found.hint == hint
    assert wrong[found.start.offset :].startswith(text.split(maxsplit=1)[0])
    mended = apply_fixes(wrong, [found], {"safe", "unsafe"})[0]
    assert mended == SPEC.replace(TEXT, f"text: {text[-1]}{text}")


@pytest.mark.parametrize(
    "text", ['[${{ event.a }}, ${{ event.b }}"]', '${{ event.a | default("x") }}, ${{ event.b }}"']
)
def test_a_quote_is_put_nowhere_where_it_may_belong_elsewhere(text: str) -> None:
    found = check_text(SPEC.replace(TEXT, f"text: {text}").encode(), "spec.yaml").diagnostics[0]
    assert (found.hint, found.fix) == (QUOTE, None)


@pytest.mark.parametrize(
    "below", ['subject: ""', 'names: ["", "a"]', 'names: [""]', '{subject: "", text: "b"}', 'subject: "a"']
)
def test_a_text_that_goes_on_to_a_quote_below_begins_where_the_finding_stands(below: str) -> None:
    """The quote below may be the first one of an empty text, of which the second one is never closed then."""
    text = f'a:\n  b: {{c: "All about it}}\nd:\n  {below}\n'
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert (
        found.message
        == "the quote that opens here is closed only in line 4, and something else follows there"
    )
    assert found.start.line == 2
