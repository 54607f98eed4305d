"""A text that two slips may have made: the hint serves the author of either, and says nothing false to one of them."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: counted
start: Came
end: [Done, Late]
state:
  seen: {type: integer, default: 0}
events:
  Came: {many: integer, name: string, names: list of string}
  Again: {many: integer}
  Done: {text: string}
  Late: {}
steps:
  look:
    kind: transform
    accepts: [Came, Again]
    max_runs: 3
    on_limit: Late
    save: {seen: 1}
    emit:
      - {event: Done, when: event.many > 3, with: {text: "many"}}
      - {event: Again, with: {many: "${{ event.many + 1 }}"}}
tests:
  - name: many
    start: {many: 4, name: a, names: []}
    expect: {end: Done}
"""
ACCEPTED = "accepts: [Came, Again]"
VALUE = '{text: "many"}'
CLOSE = (
    r"close the quote where the text ends, or leave out what follows it; inside of double quotes write `\"`"
)

CASES: list[tuple[str, str, str, str]] = [
    # what stands there, what is written instead, the code of the first finding, its hint
    # a key of the step that is indented too far, or one of the event above it
    ("    on_limit: Late\n    save:", "    on_limit: Late\n      save:", "syntax-error",
     "put both into a map: `on_limit: {event: Late, save: …}`; or indent `save` as far as `on_limit`, if it is a key "
     "of the step"),
    # signs of an expression in another order
    (VALUE, "{text: {${ event.name }}}", "text-cut-by-comma",
     "an expression begins with `${{`, and stands in quotes here"),
    # an expression among names
    (ACCEPTED, "accepts: [Came, {{ Again }}]", "key-not-text", "an event's name stands here, and no expression"),
    (ACCEPTED, "accepts: [Came, ${{ Again }}]", "expression-needs-quotes",
     'names of events stand under `accepts`, and no expression; if `accepts` is a field of yours, write `"${{ … }}"`'),
    ("event: Done, ", "event: {{ event.name }}, ", "key-not-text",
     "write `${{ … }}` for an expression, in quotes where it begins a text between braces; a condition stands without "
     "any; where `event` is the language's own, a name of an event stands under `event`, and no expression"),
    # a text of another language
    ("when: event.many > 3", "when: f'{event.many}'", "syntax-error",
     "leave it out: a value is put into a text by `${{ … }}`, and a condition stands without quotes"),
    (VALUE, '{text: f"many {event.name}"}', "syntax-error",
     "leave it out: a value is put into a text by `${{ … }}`, and a condition stands without quotes"),
    ('- {event: Done, when: event.many > 3, with: {text: "many"}}',
     "- event: Done\n        when: event.many > 3\n        with:\n          text: f'many {event.name}'",
     "expression-as-text", "write `${{ event.name }}`, without the `f'` before the text and the quote behind it"),
    (VALUE, "{text: {${{ event.name }}}}", "expression-needs-quotes",
     'write `"${{ … }}"`, without a brace before it'),
    # a condition whose colon is lost is no prose, nor is a `?` behind it about what may be null
    ("event: Done, when: event.many > 3", "event: Done, when event is Came", "text-cut-by-comma",
     "put the text in quotes, or write `when: event is Came` if that is another key"),
    ("event.many > 3", "event.many > 3?", "unexpected-token", "leave it out: a condition asks by itself"),
    ("event.many > 3", '"event.many == []?"', "unexpected-token", "leave it out: a condition asks by itself"),
    ("event.many > 3", "event.many?", "unexpected-token",
     "leave it out: a condition asks by itself; for what may be null write `| default(…)`, or ask `is not none` first"),
    ("event.many > 3", "always()", "method-call",
     "an entry for all other cases stands last, without `when`; and a step runs when an event comes that it accepts"),
    # quotes and colons that are lost, and another text in quotes behind
    ("- {event: Done, when",
     '- {event: Again, when: "event.many > 9}, {event: Done, when: "event.many > 5"}\n      - {event: Done, when',
     "syntax-error",
     "close the quote that opens here before `}`, or escape those in the text"),
    (VALUE, "{text \"${{ event.name | default('') }}\", more: \"${{ event.name | default('') }}\"}",
     "no-colon-in-braces", "write `text: …`"),
    # an item that is one, and indented too far
    ("      - {event: Again", "       - {event: Again", "syntax-error",
     "it is an item itself: mend its indentation, or that of the lines above"),
    ("      - {event: Again", "        - {event: Again", "syntax-error",
     "it is an item itself: mend its indentation, or that of the lines above"),
    # a field that its owner lacks, and another one has
    ("event.many + 1", "event.nam + 1", "unknown-field", "did you mean `name`?"),
    # a batch in the place of an event
    ('event: Again, with: {many: "${{ event.many + 1 }}"}}', "event: {in: event.names, as: n, event: Again, max: 3}}",
     "wrong-type",
     "what is sent for each item of a list stands under `each`: `each: {in: …, as: …, event: …, max: …}`"),
    ("event: Again, with", "event: {event: Again}, with", "wrong-type", "write `Again`"),
    # where nothing is worked out
    ("expect: {end: Done}", "expect: {end: Done, after: ${{ 3 }}}", "expression-needs-quotes",
     "in a test a value is written out; a text with `${{` in it stands in quotes"),
    ("{type: integer, default: 0}", "{type: integer, default: ${{ 3 }}}", "expression-needs-quotes",
     "write a value; one that is worked out is given where the field is filled: with `with` or `save`"),
    ("seen: {type: integer, default: 0}", "seen: {type: ${{ 3 }}}", "expression-needs-quotes",
     'write `"${{ … }}"`; where `type` is the language\'s own, a type stands there, and no expression'),
    # a bracket that closes where one should open
    ("  Came: {many", "  Came: }many", "syntax-error", "a map opens with `{`, and a list with `[`"),
    ("Done: {text: string}", "Done: {text: }", "wrong-type",
     "write a type after the colon, such as `string` or `optional string`, or remove the key"),
    # a comma that is missing behind a quote
    (VALUE, '{text: "many"more: 3}', "syntax-error",
     f"{CLOSE}; if another entry begins here, a `,` is missing before it"),
    (VALUE, '{text: "many"by more: 3}', "syntax-error",
     f"{CLOSE}; if another entry begins here, a `,` is missing before it"),
    (VALUE, '{text: "many"more}', "syntax-error", CLOSE),
    # a pair of braces too many around nothing
    ("  Late: {}", "  Late: {{}", "key-not-text",
     "a map stands in one pair of braces: leave out one `{`, and its `}` if that is there"),
    # a word for a number, with something else
    ("max_runs: 3", "limit: 3", "unknown-key", "how often a step runs in a loop is bounded by `max_runs`"),
    ("max_runs: 3", "limit: 3 days", "unknown-key",
     "what can stand here too is `description`, `max_runs` and `stream`"),
    # a list below a name, which may be a name too many
    ("tests:\n", "tests:\n  all:\n", "wrong-type",
     "the list stands directly under `tests`, and here it stands under `all`"),
]  # fmt: skip


ERROR = """\
wfc: 1
workflow: w
start: Came
end: [Done, Gone]
events: {Came: {}, Done: {}, Gone: {why: string}}
steps:
  call:
    kind: command
    accepts: Came
    command: [ls]
    on_error: {event: Gone, with: {why: "${{ %s }}"}}
    emit: Done
"""


def test_the_name_of_a_step_is_not_that_of_an_error() -> None:
    (found,) = check_text((ERROR % "steps.name").encode(), "spec.yaml").diagnostics
    assert (found.code, found.hint.partition(" is")[0]) == ("unknown-name", "what a step gave")
    (found,) = check_text((ERROR % "item.name").encode(), "spec.yaml").diagnostics
    assert (found.code, found.hint) == ("unknown-name", "write `error.name`")
    assert not check_text((ERROR % "error.name").encode(), "spec.yaml").diagnostics


def test_what_the_slips_are_made_in_is_right() -> None:
    assert not check_text(SPEC.encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(("right", "wrong", "code", "hint"), CASES, ids=[row[1] for row in CASES])
def test_a_slip(right: str, wrong: str, code: str, hint: str) -> None:
    assert SPEC.count(right) == 1
    found = check_text(SPEC.replace(right, wrong).encode(), "spec.yaml").diagnostics[0]
    assert (found.code, found.hint) == (code, hint)


STEPS = """\
wfc: 1
workflow: two
start: Came
%send: Done
events:
  Came: {}
  Seen: {}
  Done: {}
%s  look: {kind: transform, accepts: Came, emit: Seen}
%s  tell: {kind: transform, accepts: Seen, emit: Done}
%s"""


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        (("", "", "", ""), "write `steps:` above `look`"),
        (("steps:\n", "", "", ""), "move the line `steps:` above `look`"),
        (("", "", "", "steps:\n"), "move the line `steps:` above `look`"),
        (("", "", "steps:\n", ""), "move the line `steps:` above `look`"),
        (("", "", "labels: {a: b}\nsteps:\n", ""), "move it under `steps`"),
    ],
)
def test_the_line_above_the_steps_at_another_place(lines: tuple[str, ...], hint: str) -> None:
    assert not check_text((STEPS % ("", "steps:\n", "", "")).encode(), "spec.yaml").diagnostics
    (found,) = check_text((STEPS % lines).encode(), "spec.yaml").diagnostics
    assert (found.code, found.hint) == ("misplaced-key", hint)


WORK = """\
wfc: 1
workflow: w
config:
  site: {type: string, format: uri}
  hours: {type: integer, default: 3}
retries:
  twice: {max_attempts: 2}
start: Came
end: Done
events:
  Came: {pages: list of string}
  Seen: {}
  Waited: {}
  Done: {}
steps:
  read:
    kind: http
    accepts: Came
    method: GET
    url: ${{ config.site }}/${{ inputs.pages[0] }}
    retry: twice
    emit: Seen
  rest: {kind: wait, accepts: Came, for: 1h, emit: Waited}
  both: {kind: transform, accepts: {all: [Seen, Waited], within: 3h, on_timeout: proceed}, emit: Done}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("", "", []),
        (
            "${{ config.site }}/$",
            "${{ config.site }}$",
            [
                (
                    "url-base-not-config",
                    "write it, or take it from `config`; if the path begins here, a `/` is missing before it",
                )
            ],
        ),
        (
            "${{ config.site }}/$",
            "https://$",
            [("url-base-not-config", "write it, or take it from `config`")],
        ),
        # what nobody emits may be the work that is bounded
        (
            "  rest: {kind: wait, accepts: Came, for: 1h, emit: Waited}\n",
            "",
            [
                (
                    "event-never-emitted",
                    "let a step `emit: Waited`, or accept another event; one that comes from outside is named under "
                    "`receives`",
                )
            ],
        ),
        # the line of a section, and it alone, indented too far
        ("retries:\n", "  retries:\n", [("misplaced-key", "begin its line at the left edge")]),
        ("steps:\n", "  steps:\n", [("misplaced-key", "begin its line at the left edge")]),
    ],
)
def test_a_slip_among_sections_and_addresses(right: str, wrong: str, told: list[tuple[str, str]]) -> None:
    found = check_text(WORK.replace(right, wrong, 1).encode(), "spec.yaml").diagnostics
    assert [(each.code, each.hint) for each in found] == told


RECEIVING = """\
wfc: 1
workflow: w
start: Came
end: [Done, Late]
key: inputs.id
receives:
  Paid: {key: id}
events: {Came: {id: string}, Paid: {id: string}, Done: {}, Late: {}}
steps:
  rest: {kind: wait, accepts: Came, event: Paid, within: 1h, on_timeout: Late, emit: Done}
tests:
  - name: paid
    start: {id: a}
    deliver: [{event: Paid, with: {id: a}}]
    expect: {end: Done}
"""


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("  Paid: {key: id}", []),
        ("  Paid: {key:id}", ["no-colon-in-braces"]),
        ("  Paid: {ke: id}", ["unknown-key"]),
        ("  Pad: {key: id}", ["unknown-event"]),
    ],
)
def test_what_is_received_and_written_wrongly_is_no_event_that_cannot_come(
    wrong: str, told: list[str]
) -> None:
    found = check_text(RECEIVING.replace("  Paid: {key: id}", wrong, 1).encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == told


MAP = """\
wfc: 1
workflow: w
start: Came
end: Done
events: {Came: {names: list of string}, Done: {texts: list of string}}
steps:
  go:
    kind: map
    accepts: Came
    in: event.names
    as: name
    max: 9
    do: {kind: command, command: [say, "${{ name }}"], output: string}
    %s
    emit: {event: Done, with: {texts: "${{ result }}"}}
"""


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("output: ${{ result }}!", "what each item gives is said by `give`"),
        ("output: string", "it is a key of the action: write it within `do`"),
    ],
)
def test_what_an_item_gives_and_what_its_action_does(line: str, hint: str) -> None:
    assert not check_text((MAP % "give: ${{ result }}!").encode(), "spec.yaml").diagnostics
    (found,) = check_text((MAP % line).encode(), "spec.yaml").diagnostics
    assert (found.code, found.hint) == ("unknown-key", hint)


AGENT = """\
wfc: 1
workflow: w
start: Came
end: Done
models: {careful: {use: "openai:gpt-4o"}}
tools: {find: {python: "a:b", args: {n: string}, output: string, description: Finds.}}
agents:
  writer:
    model: careful
    args: {facts: string}
    prompt: Use ${{ args.facts }}.
events: {Came: {text: string}, Seen: {text: string}, Done: {text: string}}
steps:
  ask:
    kind: agent
    accepts: Came
    model: careful
    prompt: Say ${{ event.text }}.
    tools: [find]
    emit: {event: Seen, with: {text: "${{ result }}"}}
  write:
    kind: agent
    accepts: Seen
    agent: writer
    with: {facts: "${{ event.text }}"}
    emit: {event: Done, with: {text: "${{ result }}"}}
tests:
  - name: asked
    start: {text: x}
    script: {ask: [{calls: [{tool: find, with: {n: x}}]}, {say: x}], writer: [{say: y}]}
    tools: {find: x}
    expect: {end: Done}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("", "", []),
        # a step that lacks a key is one of an agent all the same
        ("    model: careful\n    prompt: Say", "    prompt: Say", [("missing-key", "write `model: NAME`")]),
        # an agent that declares nothing takes a task
        (
            "    args: {facts: string}\n",
            "",
            [
                ("unknown-field", "there is `task`; what else is given is declared under `args`"),
                (
                    "unknown-entry",
                    "there is `task`; what else the agent is given is declared under its `args`",
                ),
            ],
        ),
        (
            "args.facts",
            "args.number",
            [("unknown-field", "there is `facts`; what else is given is declared under `args`")],
        ),
        ("with: {facts:", "with: {number:", [("unknown-entry", "there is `facts`")]),
        # signs of other systems before a value
        ("Say ${{ event.text }}", "Say @{event.text}", [("expression-as-text", "write `${{ event.text }}`")]),
    ],
)
def test_a_slip_about_an_agent(right: str, wrong: str, told: list[tuple[str, str]]) -> None:
    found = check_text(AGENT.replace(right, wrong, 1).encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == [code for code, _ in told]
    assert all(each.hint.startswith(hint) for each, (_, hint) in zip(found, told, strict=True))


def test_a_sign_before_a_value_belongs_to_it() -> None:
    (found,) = check_text(
        AGENT.replace("${{ event.text }}.", 'f"{event.text}".').encode(), "spec.yaml"
    ).diagnostics
    assert found.hint == 'write `${{ event.text }}`, without the `f"` before the text and the quote behind it'
    (found,) = check_text(
        AGENT.replace("${{ event.text }}.", '"{event.text}".').encode(), "spec.yaml"
    ).diagnostics
    assert found.hint == "write `${{ event.text }}`"
    (found,) = check_text(
        AGENT.replace("${{ event.text }}.", "@{event.text}.").encode(), "spec.yaml"
    ).diagnostics
    assert found.message == "`@{event.text}` is text, as it stands here"
    (found,) = check_text(
        AGENT.replace("${{ event.text }}.", "me@{event.text}.").encode(), "spec.yaml"
    ).diagnostics
    assert found.message == "`{event.text}` is text, as it stands here"
