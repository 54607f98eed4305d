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
     'write `"${{ … }}"`; where `accepts` is the language\'s own, a name stands there, and no expression'),
    ("event: Done, ", "event: {{ event.name }}, ", "key-not-text",
     "write `${{ … }}` for an expression, in quotes where it begins a text between braces; a condition stands without "
     "any; where `event` is the language's own, a name stands there, and no expression"),
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
