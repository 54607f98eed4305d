"""Values and declarations at each other's place: told as that where nothing else explains all, else as one way."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import check_text

DUE = """\
wfc: 1
workflow: due
start: Asked
end: [Greeted, Ignored]
events:
  Asked: {}
  Greeted: {due: date}
  Ignored: {}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit:
      - event: Greeted
        when: event.due > "2026-01-01"
      - Ignored
"""
NUMBERS = """\
wfc: 1
workflow: numbers
start: Asked
end: Told
events:
  Asked: {n: integer}
  Told: {n: {one_of: [string, integer]}}
steps:
  go:
    kind: transform
    accepts: Asked
    emit: {event: Told, with: {n: "${{ event.n | integer }}"}}
tests:
  - {name: a text of digits, start: {n: "7"}, expect: {end: Told}}
  - {name: a word, start: {n: seven}, expect: {end: Told}}
"""
SHOP = """\
wfc: 1
workflow: shop
description: What is in the shop and what it costs.
start: Asked
end: [Told, Failed]
on_error: {event: Failed, with: {why: "${{ error.name }}"}}
on_deadline: Failed
on_cancel: Failed
deadline: 1h
config:
  patience: {type: duration, default: 5s}
  most: {type: integer, default: 3}
  address: {type: string, format: uri, default: "https://shop.example"}
types:
  Cup: {name: string}
events:
  Asked: {name: string}
  Found: {cups: list of Cup}
  Told: {code: string}
  Failed: {why: {type: string, default: ""}}
state:
  seen: {type: integer, default: 0}
retries:
  calm: {max_attempts: "${{ config.most }}", delay: "${{ config.patience }}", max_delay: "${{ config.patience }}"}
tools:
  voucher: {python: "shop:voucher", args: {name: string, amount: integer}, output: {code: string}}
defaults: {timeout: 20s}
steps:
  look:
    kind: http
    accepts: Asked
    method: GET
    url: ${{ config.address }}/cups
    query: {name: "${{ event.name }}", many: "3"}
    output: {cups: list of Cup}
    retry: {max_attempts: 3, delay: 1s}
    save: {seen: 1}
    emit: Found
  give:
    kind: tool
    accepts: Found
    tool: voucher
    with: {name: "${{ event.cups[0].name }}", amount: "${{ state.seen }}"}
    retry: calm
    emit: {event: Told, with: {code: "${{ result.code }}"}}
"""


def told(spec: str) -> list[tuple[str, str]]:
    found = check_text(spec.encode(), "spec.yaml").diagnostics
    return [(each.code, each.hint) for each in found if each.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("spec", "one", "other"),
    [
        pytest.param(DUE, "Asked", "Greeted", id="no fields"),
        pytest.param(NUMBERS, "Asked", "Told", id="tests"),
    ],
)
def test_an_exchange_is_one_way_where_one_of_the_two_may_lack_something(
    spec: str, one: str, other: str
) -> None:
    found = told(spec)
    assert len(found) > 1
    assert all(hint.endswith(f"`{one}` and `{other}` may have each other's content") for _, hint in found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "description: What is in the shop and what it costs.",
            'on_error: {event: Failed, with: {why: "${{ error.name }}"}}',
            id="many keys at the top",
        ),
        pytest.param(
            'query: {name: "${{ event.name }}", many: "3"}',
            "retry: {max_attempts: 3, delay: 1s}",
            id="keys of a step",
        ),
        pytest.param(
            "args: {name: string, amount: integer}", "output: {code: string}", id="records of a tool"
        ),
        pytest.param(
            "patience: {type: duration, default: 5s}",
            "most: {type: integer, default: 3}",
            id="fields of config",
        ),
    ],
)
def test_an_exchange_is_told_as_that_where_nothing_less_explains_all(one: str, other: str) -> None:
    (key, value), (other_key, other_value) = one.split(": ", 1), other.split(": ", 1)
    assert told(SHOP) == []
    wrong = SHOP.replace(one, f"{key}: {other_value}").replace(other, f"{other_key}: {value}")
    assert [code for code, _ in told(wrong)] == ["exchanged-values"]


SENT = """\
wfc: 1
workflow: sent
start: Asked
end: Told
tools:
  charge: {python: "shop:charge", args: {name: string}, output: string, read_only: true}
events:
  Asked: {name: string}
  Paid: {receipt: string}
  Told: {}
steps:
  pay: {kind: tool, accepts: Asked, tool: charge, with: {name: "${{ event.name }}"}, emit: Paid}
  tell:
    kind: transform
    accepts: Paid
    emit: Told
"""


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        pytest.param([("\ntools:", "\nevents:"), ("\nevents:", "\ntools:")], 5, id="sections"),
        pytest.param(
            [("accepts: Paid\n    emit: Told", "accepts: Told\n    emit: Paid")], 15, id="keys of a step"
        ),
    ],
)
def test_an_exchange_of_wholes_is_one_finding(changes: list[tuple[str, str]], line: int) -> None:
    assert told(SENT) == []
    text = SENT
    for index, (right, _) in enumerate(changes):
        text = text.replace(right, f"@{index}@", 1)
    for index, (_, wrong) in enumerate(changes):
        text = text.replace(f"@{index}@", wrong)
    found = check_text(text.encode(), "spec.yaml").diagnostics
    assert [(each.code, each.start.line) for each in found] == [("exchanged-values", line)]


def test_the_only_error_tells_of_an_exchange_that_explains_it() -> None:
    text = DUE.replace('        when: event.due > "2026-01-01"\n      - Ignored\n', "")
    text = text.replace("[Greeted, Ignored]", "Greeted").replace("  Ignored: {}\n", "")
    ((code, hint),) = told(text)
    assert code == "unfilled-field"
    assert hint.endswith("; `Asked` and `Greeted` may have each other's content")


RECEIPT = """\
wfc: 1
workflow: receipt
start: Came
end: Read
models: {fast: {use: "openai:gpt-4o-mini"}}
agents: {clerk: {model: fast, system: You read., output: {sure: boolean, shop: string}}}
events:
  Came: {text: string}
  Seen: {shop: string, total: decimal}
  Read: {sure: boolean, shop: string}
steps:
  see:
    kind: llm
    accepts: Came
    model: fast
    prompt: Read ${{ event.text }}
    output: {shop: string, total: decimal}
    emit: Seen
  read: {kind: agent, accepts: Seen, agent: clerk, prompt: "Read ${{ event.shop }} ${{ event.total }}", emit: Read}
tests:
  - name: read
    start: {text: a}
    mock: {see: {shop: x, total: "3.5"}, read: {sure: true, shop: x}}
    expect: {end: Read}
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("    output: {shop: string, total: decimal}", "    output: {shop: decimal, total: string}"),
        ("output: {sure: boolean, shop: string}", "output: {sure: string, shop: boolean}"),
    ],
    ids=["of a step", "of an agent"],
)
def test_an_exchange_that_explains_all_comes_before_one_that_explains_some(right: str, wrong: str) -> None:
    assert told(RECEIPT) == []
    text = RECEIPT.replace(right, wrong)
    found = check_text(text.encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == ["exchanged-values"]
    assert (
        text.splitlines()[found[0].start.line - 1]
        .strip()
        .endswith(
            wrong.strip().removeprefix("output: ")
            + "}" * ("agents" in text.splitlines()[found[0].start.line - 1]) * 2
        )
    )


POLL = """\
wfc: 1
workflow: poll
start: Asked
end: [Told, Late]
events:
  Asked: {}
  Again: {}
  NotYet: {}
  Told: {n: integer}
  Late: {}
steps:
  look:
    kind: http
    accepts: [Asked, Again]
    method: GET
    url: https://shop.example/jobs
    output: {n: integer}
    max_runs: 5
    on_limit: Late
    emit:
      - {event: Told, when: result.n > 3}
      - NotYet
  pause: {kind: wait, accepts: NotYet, for: 1h, emit: Again}
tests:
  - name: the second time
    start: {}
    mock: {look: [{n: 1}, {n: 5}]}
    expect: {end: Told}
  - name: at once
    start: {}
    mock: {look: {n: 5}}
    expect: {end: Told}
"""


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ([("  look:", "  pause:"), ("  pause: {", "  look: {")], ("steps", 12)),
        ([("accepts: NotYet", "accepts: Again"), ("emit: Again", "emit: NotYet")], ("keys of a step", 23)),
    ],
    ids=["steps", "what a step accepts and emits"],
)
def test_exchanged_steps_and_keys_are_found_among_many(
    changes: list[tuple[str, str]], place: tuple[str, int]
) -> None:
    assert told(POLL) == []
    text = POLL
    for right, wrong in changes:
        text = text.replace(right, wrong)
    found = check_text(text.encode(), "spec.yaml").diagnostics
    assert [(each.code, each.start.line) for each in found] == [("exchanged-values", place[1])]


def test_a_mock_may_be_of_a_step_that_has_another_ones_name() -> None:
    text = POLL[: POLL.index("  - name: the second time")] + POLL[POLL.index("  - name: at once") :]
    text = text.replace("  look:", "  @:").replace("  pause: {", "  look: {").replace("  @:", "  pause:")
    ((code, hint),) = told(text)
    assert (code, hint) == (
        "wrong-value",
        "write `{}`, or an error: `{error: …}`; `pause` and `look` may have each other's content",
    )


def test_what_stands_within_the_one_field_of_an_event_may_be_meant() -> None:
    text = NUMBERS.partition("tests:")[0].replace(
        "Told: {n: {one_of: [string, integer]}}", "Told: {data: {n: integer}}"
    )
    text = text.replace('{event: Told, with: {n: "${{ event.n | integer }}"}}', "Told")
    ((code, hint),) = told(text)
    assert code == "unfilled-field"
    assert hint.endswith("; if what stands within `data` is meant, declare `Told: {n: integer}`")


def test_an_event_of_a_join_with_alternatives_may_be_another_one() -> None:
    text = """\
wfc: 1
workflow: order
start: Asked
end: Told
events:
  Asked: {}
  Seen: {id: string}
  Paid: {}
  Owed: {}
  Checked: {id: string}
  Told: {id: string}
steps:
  see: {kind: transform, accepts: Asked, emit: {event: Seen, with: {id: a}}}
  pay: {kind: transform, accepts: Asked, emit: [{event: Paid, when: run.id == "a"}, Owed]}
  check:
    kind: transform
    accepts: {all: [Seen, [Paid, Owed]]}
    emit: {event: Checked, with: {id: "${{ events.id }}"}}
  tell: {kind: transform, accepts: Checked, emit: Told}
"""
    assert told(text) == []
    found = told(text.replace("[Seen, [Paid", "[Checked, [Paid"))
    assert [code for code, _ in found] == ["other-join"]


CARDS = """\
wfc: 1
workflow: cards
start: GuestsNamed
end: [CardsWritten, Late]
receives: {Said: {}}
events:
  GuestsNamed: {names: list of string, text: string}
  GuestNamed: {name: string}
  Counted: {many: integer, text: string}
  Said: {text: string}
  CardsWritten: {many: integer}
  Late: {}
steps:
  split: {kind: transform, accepts: GuestsNamed, emit: {each: {in: event.names, as: name, event: GuestNamed, max: 9}}}
  all:
    kind: transform
    accepts: {each: GuestNamed}
    emit: {event: Counted, with: {many: "${{ events | length }}", text: "${{ inputs.text }}"}}
  listen:
    kind: wait
    accepts: Counted
    event: Said
    within: 1h
    on_timeout: Late
    emit:
      - {event: CardsWritten, when: result.text == "go", with: {many: "${{ event.many }}"}}
      - Late
"""


@pytest.mark.parametrize(
    ("right", "wrong", "code", "hint"),
    [
        (
            "{each: GuestNamed}",
            "{each: GuestsNamed}",
            "each-outside-batch",
            "; the items of a batch are collected by `accepts: {each: GuestNamed}`",
        ),
        (
            "result.text ==",
            "github.event.text ==",
            "unknown-name",
            "`event.text` is of what the step accepted, `result.text` is of what its action gave, `inputs.text` is of "
            "what the run began with",
        ),
    ],
)
def test_what_came_and_what_is_collected_may_be_one_of_several(
    right: str, wrong: str, code: str, hint: str
) -> None:
    assert told(CARDS) == []
    found = told(CARDS.replace(right, wrong))
    assert [each for each, _ in found] == [code]
    assert found[0][1].endswith(hint)


def test_an_exchange_is_found_in_the_action_of_a_map() -> None:
    text = """\
wfc: 1
workflow: mapped
start: Asked
end: Told
models: {fast: {use: "openai:gpt-4o-mini"}}
types: {Answer: {text: string, sure: boolean}}
events: {Asked: {texts: list of string}, Told: {texts: list of string}}
steps:
  ask:
    kind: map
    accepts: Asked
    in: event.texts
    as: text
    do: {kind: llm, model: fast, prompt: "Is it ${{ text }}?", output: {text: string, sure: boolean}}
    max: 5
    emit: {event: Told, with: {texts: "${{ [one.text for one in result if one.sure] }}"}}
tests:
  - {name: one, start: {texts: [a]}, mock: {ask: {text: b, sure: true}}, expect: {with: {texts: [b]}}}
"""
    assert told(text) == []
    found = told(
        text.replace("output: {text: string, sure: boolean}", "output: {text: boolean, sure: string}")
    )
    assert [code for code, _ in found] == ["exchanged-values"]


def test_what_a_trigger_brings_may_stand_within_one_field() -> None:
    text = """\
wfc: 1
workflow: hooked
start: Asked
end: Told
types: {Hook: {payload: {id: string, day: date}}}
events: {Asked: {id: string}, Told: {}}
secrets: [HOOK]
triggers: {hook: {webhook: orders, body: Hook, auth: {bearer: HOOK}}}
steps: {tell: {kind: transform, accepts: Asked, emit: Told}}
"""
    ((code, hint),) = told(text)
    assert code == "start-not-filled"
    assert hint == (
        'write `with: {id: "${{ trigger.body.payload.id }}"}`, or declare `id` beside `payload`, not in it'
    )
