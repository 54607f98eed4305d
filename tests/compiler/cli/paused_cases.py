"""Specs in which runs wait, changes of them, and what each means for such runs."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ASKING", "CASES", "JOINING", "TESTS", "Case", "changed"]

ASKING = """\
wfc: 1
workflow: refund
start: Asked
end: Over
state: {sum: {type: integer, default: 0}}
events:
  Asked: {amount: integer}
  Large: {amount: integer}
  Granted: {amount: integer, ok: boolean, note: optional string}
  Over: {said: string}
tools: {pay: {python: "shop:pay", args: {amount: integer}, output: string}}
steps:
  look:
    kind: transform
    accepts: Asked
    save: {sum: "${{ event.amount }}"}
    emit: Large
  approve:
    kind: human
    accepts: Large
    title: Pay ${{ event.amount }}?
    form: {ok: boolean, note: optional string}
    prefill: {note: well}
    within: 30d
    on_timeout: {event: Over, with: {said: late}}
    emit: Granted
  pay_out:
    kind: tool
    accepts: Granted
    tool: pay
    with: {amount: "${{ event.amount }}"}
    emit: {event: Over, with: {said: "${{ result }} ${{ state.sum }}"}}
"""

JOINING = """\
wfc: 1
workflow: refund
start: Asked
end: Over
events:
  Asked: {amount: integer}
  Checked: {by: string}
  Paid: {by: string}
  Over: {said: string}
steps:
  check:
    kind: human
    accepts: Asked
    title: Right?
    form: {by: string}
    within: 30d
    on_timeout: {fail: late}
    emit: Checked
  book:
    kind: transform
    accepts: Asked
    emit: {event: Paid, with: {by: us}}
  close:
    kind: transform
    accepts: {all: [Checked, Paid]}
    emit: {event: Over, with: {said: "${{ events.Checked.by }} ${{ events.Paid.by }}"}}
"""
TYPED = (
    ASKING.replace("events:\n", "types: {Person: {name: string}}\nevents:\n")
    .replace("Large: {amount: integer}", "Large: {amount: integer, by: Person}")
    .replace("emit: Large", "emit: {event: Large, with: {by: {name: ann}}}")
)
OTHER_INPUT = (
    ("Asked: {amount: integer}", "Asked: {total: integer}"),
    ('save: {sum: "${{ event.amount }}"}', 'save: {sum: "${{ event.total }}"}'),
    ("emit: Large", 'emit: {event: Large, with: {amount: "${{ event.total }}"}}'),
)
OTHER_NAME = (("{name: string}", "{full: string}"), ("{name: ann}", "{full: ann}"))
BRANCH = """\
  send:
    kind: transform
    accepts: Asked
    emit: {event: Sent}
  close:
    kind: transform
    accepts: {all: [Checked, Paid, Sent]}"""
NEW_STEP = """\
  note:
    kind: tool
    accepts: Large
    tool: pay
    with: {amount: 1}
    emit: {event: Noted}
  approve:
    kind: human
    accepts: Noted"""


TESTS = {
    "approve": """\
tests:
  - name: granted
    start: {amount: 5}
    mock: {approve: {ok: true}, pay_out: paid 5}
    expect: {end: Over, with: {said: paid 5 5}}
  - name: late
    start: {amount: 5}
    mock: {approve: {error: timeout}}
    expect: {end: Over, with: {said: late}}
""",
    "check": """\
tests:
  - name: right
    start: {amount: 5}
    mock: {check: {by: ann}}
    expect: {end: Over, with: {said: ann us}}
""",
}
"""Tests that bring runs of these specs to each place, by the step that asks."""


class Case(NamedTuple):
    """A change, and what it means for a run that waits.

    Args:
        edits: What is written in place of what.
        rules: The ids of the rules by which the run goes on, is converted or refused, with what they mean.
        said: What the run says in the end; ``None``: it is refused, and ends under its own version.
        also: What is told of runs that stand elsewhere.
        within: The rules that a comparison tells with another one, such as the new name with the loss of the old one.
    """

    edits: tuple[tuple[str, str], ...]
    rules: dict[str, str]
    said: str | None
    also: frozenset[str] = frozenset()
    spec: str = ASKING
    answer: str = '{"ok": true}'
    within: frozenset[str] = frozenset()


ANSWER = '{"by": "ann"}'
CASES = {
    "a step is gone": Case((("approve:", "agree:"),), {"step-removed": "refused"}, None),
    "a step has moved": Case(
        (("approve:", "agree:"), ("wfc: 1\n", "wfc: 1\nmoved: {approve: agree}\n")),
        {"step-renamed": "migrated"},
        "paid 5 5",
    ),
    "an event is gone": Case((("Large", "Big"),), {"event-removed": "refused"}, None),
    "a field has no default": Case(
        (
            ("Large: {amount: integer}", "Large: {amount: integer, of: string}"),
            ("emit: Large", "emit: {event: Large, with: {of: x}}"),
        ),
        {"event-field-added": "refused"},
        None,
    ),
    "a field takes less": Case(
        (("Large: {amount: integer}", "Large: {amount: {type: integer, min: 0}}"),),
        {"event-field-retyped": "refused"},
        None,
    ),
    "a field of the state is gone": Case(
        (("state: {sum: ", "state: {all: "), ("save: {sum", "save: {all"), ("state.sum", "state.all")),
        {"state-field-removed": "refused", "state-field-added": "migrated"},
        None,
        within=frozenset({"state-field-added"}),
    ),
    "a field of the state is new": Case(
        (
            ("state: {sum: ", "state: {more: {type: integer, default: 3}, sum: "),
            ("state.sum }}", "state.more }}"),
        ),
        {"state-field-added": "migrated"},
        "paid 5 3",
    ),
    "another form": Case(
        (("form: {ok: boolean, ", "form: {ok: boolean, why: optional string, "),),
        {"form-changed": "migrated"},
        "paid 5 5",
    ),
    "a form without what is filled in": Case(
        ((", note: optional string}\n    prefill: {note: well}", "}"),),
        {"form-changed": "refused"},
        None,
    ),
    "less time": Case((("within: 30d", "within: 3d"),), {"wait-time-kept": "noted"}, "paid 5 5"),
    "nobody is asked": Case(
        (
            (
                """    kind: human
    accepts: Large
    title: Pay ${{ event.amount }}?
    form: {ok: boolean, note: optional string}
    prefill: {note: well}
    within: 30d
    on_timeout: {event: Over, with: {said: late}}
    emit: Granted
""",
                "    kind: transform\n    accepts: Large\n    emit: {event: Granted, with: {ok: true}}\n",
            ),
        ),
        {"wait-removed": "refused"},
        None,
    ),
    "an effect is new before the question": Case(
        (
            ("Large: {amount: integer}", "Large: {amount: integer}\n  Noted: {amount: integer}"),
            ("  approve:\n    kind: human\n    accepts: Large", NEW_STEP),
        ),
        {"step-no-longer-accepts": "refused", "new-step-missed": "noted"},
        None,
    ),
    "an effect is new before the question, which takes the event without it too": Case(
        (
            ("Large: {amount: integer}", "Large: {amount: integer}\n  Noted: {amount: integer}"),
            (
                "  approve:\n    kind: human\n    accepts: Large",
                NEW_STEP.replace("accepts: Noted", "accepts: [Noted, Large]").replace(
                    "accepts: Large\n    tool", "accepts: Asked\n    tool"
                ),
            ),
        ),
        {"new-step-missed": "noted"},
        "paid 5 5",
    ),
    "words, another tool, a step more behind": Case(
        (("title: Pay", "title: Really pay"), ("state.sum }}", "state.sum }}!")), {}, "paid 5 5!"
    ),
    "an input is new that has to be given": Case(
        (("Asked: {amount: integer}", "Asked: {amount: integer, of: string}"),),
        {"start-event-field-added": "refused"},
        None,
    ),
    "an input is new that has a default": Case(
        (("Asked: {amount: integer}", "Asked: {amount: integer, of: {type: string, default: x}}"),),
        {"start-event-field-added": "migrated"},
        "paid 5 5",
    ),
    "an input takes less": Case(
        (("Asked: {amount: integer}", "Asked: {amount: {type: integer, min: 0}}"),),
        {"start-event-field-retyped": "refused"},
        None,
    ),
    "an input is gone": Case(
        (("Asked: {amount: integer}", "Asked: {total: {type: integer, default: 1}}"), *OTHER_INPUT[1:]),
        {"start-event-field-removed": "refused", "start-event-field-added": "migrated"},
        None,
    ),
    "an input has moved": Case(
        (*OTHER_INPUT, ("wfc: 1\n", "wfc: 1\nmoved: {Asked.amount: total}\n")),
        {"start-event-field-renamed": "migrated"},
        "paid 5 5",
    ),
    "an input is made of what there was": Case(
        (
            *OTHER_INPUT,
            (
                "wfc: 1\n",
                "wfc: 1\nmigrate: {Asked: {from: {amount: integer}, to: {total: '${{ old.amount }}'}}}\n",
            ),
        ),
        {"start-event-field-converted": "migrated"},
        "paid 5 5",
    ),
    "another start": Case((("Asked", "Begun"),), {"start-event-removed": "refused"}, None),
    "the start has moved": Case(
        (("Asked", "Begun"), ("wfc: 1\n", "wfc: 1\nmoved: {Asked: Begun}\n")),
        {"start-event-renamed": "migrated"},
        "paid 5 5",
    ),
    "a type has a field more that has to be given": Case(
        (("{name: string}", "{name: string, age: integer}"), ("{name: ann}", "{name: ann, age: 3}")),
        {"type-field-added": "refused"},
        None,
        spec=TYPED,
    ),
    "a type has a field more that has a default": Case(
        (("{name: string}", "{name: string, age: {type: integer, default: 3}}"),),
        {"type-field-added": "migrated"},
        "paid 5 5",
        spec=TYPED,
    ),
    "a field of a type takes less": Case(
        (("{name: string}", "{name: {type: string, max_length: 5}}"),),
        {"type-field-retyped": "refused"},
        None,
        spec=TYPED,
    ),
    "a field of a type is gone": Case(
        OTHER_NAME,
        {"type-field-removed": "refused", "type-field-added": "refused"},
        None,
        spec=TYPED,
    ),
    "a field of a type has moved": Case(
        (*OTHER_NAME, ("wfc: 1\n", "wfc: 1\nmoved: {Person.name: full}\n")),
        {"type-field-renamed": "migrated"},
        "paid 5 5",
        spec=TYPED,
    ),
    "a type is gone": Case(
        (("Person", "Human"),),
        {"type-removed": "refused", "event-field-retyped": "refused"},
        None,
        spec=TYPED,
    ),
    "a type has moved": Case(
        (("Person", "Human"), ("wfc: 1\n", "wfc: 1\nmoved: {Person: Human}\n")),
        {"type-renamed": "migrated"},
        "paid 5 5",
        spec=TYPED,
    ),
    "a join waits for a branch more": Case(
        (
            ("  close:\n    kind: transform\n    accepts: {all: [Checked, Paid]}", BRANCH),
            ("  Over:", "  Sent: {}\n  Over:"),
        ),
        {"join-branch-added": "refused"},
        None,
        spec=JOINING,
        answer=ANSWER,
    ),
    "a join takes the first": Case(
        (
            ("accepts: {all: [Checked, Paid]}", "accepts: {any: [Checked, Paid]}"),
            ("${{ events.Checked.by }} ${{ events.Paid.by }}", "done"),
        ),
        {"join-changed": "refused"},
        None,
        spec=JOINING,
        answer=ANSWER,
    ),
}


def changed(case: Case) -> str:
    text = case.spec
    for before, after in case.edits:
        assert before in text, before
        text = text.replace(before, after)
    return text
