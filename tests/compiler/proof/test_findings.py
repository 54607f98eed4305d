"""Rules that need a whole spec: what is found, where, and what is left alone."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

FRAME = """\
wfc: 1
workflow: trial
start: Began
end: [Done, Failed]
tools:
  ask: {{python: "shop:ask", args: {{}}, output: string, read_only: true}}
  act: {{python: "shop:act", args: {{}}, output: string}}
state:
  count: {{type: integer, default: 0}}
  last: {{type: string, default: ""}}
events:
  Began: {{urgent: boolean, names: {{type: list of string, default: []}}}}
  Left: {{}}
  Right: {{}}
  Name: {{name: string}}
  Done: {{}}
  Failed: {{}}
steps:
{steps}
"""


def found(steps: str) -> list[str]:
    """Codes and places of what is found in steps, but for what the other steps and events of the frame give rise to."""
    text = FRAME.format(steps=steps)
    checked = check_text(text.encode(), "trial.yaml")
    first = FRAME.index("{steps}")
    silent = {"unused-event", "unreachable-end", "unused-declaration"}
    return [
        f"{each.code} {text[each.start.offset : each.end.offset]}"
        for each in checked.diagnostics
        if each.code not in silent or each.start.offset >= first
    ]


PARTED = """\
  left:
    kind: tool
    accepts: Began
    tool: {left_tool}
    {left}
    emit: {left_emit}
  right:
    kind: tool
    accepts: Began
    tool: {right_tool}
    {right}
    emit: {right_emit}
  meet:
    kind: transform
    accepts: {meet}
    {after}
    emit: Done
"""


def parted(**parts: str) -> str:
    defaults = {
        "left": "timeout: 10s",
        "right": "timeout: 10s",
        "after": "description: together again",
        "left_tool": "ask",
        "right_tool": "ask",
        "left_emit": "Left",
        "right_emit": "Right",
        "meet": "{all: [Left, Right]}",
    }
    return PARTED.format(**(defaults | parts))


RACES = {
    "nothing shared": (parted(), []),
    "one field, saved twice": (
        parted(left='save: {last: "${{ result }}"}', right='save: {last: "${{ result }}"}'),
        ['race-on-state "${{ result }}"'],
    ),
    "two sums": (
        parted(
            left="save: {count: '${{ state.count + 1 }}'}", right="save: {count: '${{ state.count - 2 }}'}"
        ),
        [],
    ),
    "a sum and a value": (
        parted(left="save: {count: '${{ state.count + 1 }}'}", right="save: {count: 7}"),
        ["race-on-state '${{ state.count + 1 }}'"],
    ),
    "a product": (
        parted(
            left="save: {count: '${{ state.count * 2 }}'}", right="save: {count: '${{ state.count + 1 }}'}"
        ),
        ["race-on-state '${{ state.count * 2 }}'"],
    ),
    "saved and read": (
        parted(left='save: {last: "${{ result }}"}', right="idempotency_key: ${{ state.last }}"),
        ["race-on-state state.last"],
    ),
    "saved, and read where they meet": (
        parted(left='save: {last: "${{ result }}"}', after="save: {last: '${{ state.last }}!'}"),
        [],
    ),
    "two ends": (
        parted(left_emit="Done", right_emit="Failed").partition("  meet")[0],
        ["race-between-ends Done"],
    ),
    "an end on an error alone": (
        parted(left="on_error: [Failed]", right="on_error: [Failed]"),
        [],
    ),
    "an act that may be cut off": (
        parted(left="on_error: [Failed]", right_tool="act"),
        ["race-with-the-end Failed"],
    ),
    "a join that goes on without what is late": (
        parted(
            right_tool="act",
            meet="{all: [Left, Right], within: 2 days, on_timeout: proceed}",
        ).replace("emit: Done", "emit: [{event: Done, when: events.Right is not none}, Failed]"),
        ["race-with-the-end Failed"],
    ),
    "as many as there are": (
        parted(
            meet="{any: [Left, Right], count: 2}",
            left_tool="act",
            right_tool="act",
            left='save: {last: "${{ result }}"}',
            after="save: {last: '${{ state.last }}!'}",
        ),
        [],
    ),
    "as many as there are, one of which comes twice": (
        parted(meet="{any: [Left, Right], count: 2}", right_tool="act")
        + "  more: {kind: transform, accepts: Began, emit: Right}\n",
        ["race-with-the-end Done"],
    ),
    "the first of two": (parted(meet="{any: [Left, Right]}", right_tool="act"), ["race-with-the-end Done"]),
    "the first of two, as declared": (
        parted(meet="{any: [Left, Right], rest: finish}", right_tool="act"),
        [],
    ),
    "saved by what may go on, and read after the first of two": (
        parted(
            left='save: {last: "${{ result }}"}',
            meet="{any: [Left, Right]}",
            after="save: {count: '${{ state.last | length }}'}",
        ),
        ["race-on-state state.last"],
    ),
    "saved by what the first of two cancels, and read after that": (
        parted(
            left='save: {last: "${{ result }}"}',
            meet="{any: [Left, Right], rest: cancel}",
            after="save: {count: '${{ state.last | length }}'}",
        ),
        [],
    ),
    "what follows the first of two": (
        parted(meet="{any: [Left, Right]}", after="save: {last: here}"),
        [],
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_a_warning_unless_declared(name: str) -> None:
    steps, expected = RACES[name]
    assert found(steps) == expected


def batch(step: str) -> str:
    return f"""\
  send:
    kind: transform
    accepts: Began
    emit: {{each: {{in: event.names, as: name, event: Name, with: {{name: "${{{{ name }}}}"}}, max: 9}}}}
  work:
    {step}
    accepts: Name
    emit: Left
  gather:
    kind: transform
    accepts: {{each: Left}}
    emit: Done
"""


TWO_BATCHES = """\
  send:
    kind: transform
    accepts: Began
    emit:
      all:
        - {each: {in: event.names, as: name, event: Name, with: {name: "${{ name }}"}, max: 9}}
        - Right
  more:
    kind: transform
    accepts: Right
    emit: {each: {in: inputs.names, as: name, event: Name, with: {name: "${{ name }}"}, max: 9}}
  gather: {kind: transform, accepts: {each: Name}, emit: Done}
"""


def test_a_join_collects_one_batch_only() -> None:
    assert found(TWO_BATCHES) == ["batches-mixed each"]


ITEMS = {
    "a sum": (batch("kind: transform\n    save: {count: '${{ state.count + 1 }}'}"), []),
    "the last one wins": (
        batch("kind: transform\n    save: {last: '${{ event.name }}'}"),
        ["race-on-state '${{ event.name }}'"],
    ),
    "one key for all": (
        batch("kind: http\n    url: https://a.example\n    method: POST\n    idempotency_key: same"),
        ["repeated-idempotency-key same"],
    ),
    "a key for each": (
        batch(
            "kind: http\n    url: https://a.example\n    method: POST\n    idempotency_key: k-${{ event.name }}"
        ),
        [],
    ),
}


FAILING = """\
  send:
    kind: transform
    accepts: Began
    emit: {{each: {{in: event.names, as: name, event: Name, with: {{name: "${{{{ name }}}}"}}, max: 9}}}}
  work:
    kind: tool
    accepts: Name
    tool: act
    emit: Left
    on_error: {on_error}
  gather:
    kind: transform
    accepts: {{each: {each}}}
    emit: {emit}
"""


@pytest.mark.parametrize(
    ("on_error", "each", "emit", "expected"),
    [
        ("Failed", "Left", "Done", ["race-with-the-end Failed"]),
        (
            "Right",
            "[Left, Right]",
            "[{event: Failed, when: '([e for e in events if e is Right] | length) > 0'}, Done]",
            [],
        ),
    ],
)
def test_the_way_of_an_error_joins_in_a_batch_as_is_explained(
    on_error: str, each: str, emit: str, expected: list[str]
) -> None:
    assert found(FAILING.format(on_error=on_error, each=each, emit=emit)) == expected


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_a_batch_run_side_by_side(name: str) -> None:
    steps, expected = ITEMS[name]
    assert found(steps) == expected


PAIR = """\
  send:
    kind: transform
    accepts: Began
    emit:
      all:
        - {{each: {{in: event.names, as: name, event: Name, with: {{name: "${{{{ name }}}}"}}, max: 9{first}}}}}
        - {{each: {{in: event.names, as: name, event: Name, with: {{name: "${{{{ name }}}}"}}, max: 9{second}}}}}
  gather:
    kind: transform
    accepts: {{each: Name}}
    save: {{last: "${{{{ run.id }}}}"}}
    emit: {end}
"""


@pytest.mark.parametrize("first", ["", ", concurrency: 1", ", concurrency: 2"])
@pytest.mark.parametrize("second", ["", ", concurrency: 1"])
def test_the_join_of_two_batches_goes_on_for_each_of_them(first: str, second: str) -> None:
    """So it runs beside itself, and what follows the one beside what follows the other."""
    steps = PAIR.format(first=first, second=second, end="Done")
    assert found(steps) == ['race-on-state "${{ run.id }}"', "race-between-ends Done"]


CLOCK = """\
  look: {kind: transform, accepts: Began, emit: [{event: Left, when: event.urgent}, Right]}
  ask: {kind: tool, tool: ask, accepts: Right, save: {last: "${{ result }}"}, emit: {event: Name, with: {name: a}}}
  meet:
    kind: transform
    accepts: {any: [Left, Name], within: 9s, on_timeout: proceed}
    save: {last: "${{ run.id }}"}
    emit: Done
"""


def test_a_join_whose_time_is_up_runs_beside_the_one_way_to_it() -> None:
    assert [each.split()[0] for each in found(CLOCK)] == ["race-on-state"]
    patient = CLOCK.replace(", within: 9s, on_timeout: proceed", "")
    assert found(patient) == []


def one(emit: str, more: str = "") -> str:
    return f"  only:\n    kind: transform\n    accepts: Began\n    emit:\n{emit}{more}"


EXITS = {
    "both cases": (
        one("      - {event: Done, when: event.urgent}\n      - {event: Failed, when: not event.urgent}\n"),
        [],
    ),
    "one case left": (
        one("      - {event: Done, when: event.urgent}\n"),
        ["emit-falls-through event.urgent"],
    ),
    "the rest first": (
        one("      - Failed\n      - {event: Done, when: event.urgent}\n"),
        ["entry-never-taken {event: Done, when: event.urgent}"],
    ),
    "the same case twice": (
        one(
            "      - {event: Done, when: event.urgent}\n      - {event: Failed, when: event.urgent}\n      - Failed\n"
        ),
        ["never-true event.urgent"],
    ),
    "nothing but an end elsewhere": (
        one("      - {event: Done, when: event.urgent}\n      - nothing\n"),
        ["run-without-end nothing"],
    ),
    "a failure is an end": (one("      - {event: Done, when: event.urgent}\n      - {fail: too calm}\n"), []),
}


@pytest.mark.parametrize("name", EXITS)
def test_every_case_has_an_entry_and_every_entry_a_case(name: str) -> None:
    steps, expected = EXITS[name]
    assert found(steps) == expected


def asking(entry: str, then: str = "Left", sent: str = "Right", more: str = "timeout: 9s") -> str:
    """Steps of which one asks which of its events came."""
    return f"""\
  first: {{kind: transform, accepts: Began, emit: {{event: Name, with: {{name: a}}}}}}
  ask: {{kind: tool, tool: ask, accepts: [Name, Right], {more}, emit: [{entry}, Done]}}
  again: {{kind: transform, accepts: {then}, emit: {sent}}}
"""


CHAINS = {
    "the head of a chain that nobody starts": (
        one("      - Done\n", "  a:\n    kind: transform\n    accepts: Left\n    emit: Right\n")
        + "  b:\n    kind: transform\n    accepts: Right\n    emit: Failed\n",
        ["event-never-emitted Left"],
    ),
    "a loop that nobody starts": (
        one("      - Done\n", "  a:\n    kind: transform\n    accepts: Left\n    emit: Right\n")
        + "  b:\n    kind: transform\n    accepts: Right\n    emit: Left\n",
        ["unreachable-step a"],
    ),
    "a loop into which a step goes only after its own event": (
        asking("{event: Left, when: event is Right}"),
        ["unreachable-step again"],
    ),
    "such a loop with a bound": (
        asking("{event: Left, when: event is Right}", more="max_runs: 3"),
        ["unreachable-step again"],
    ),
    "a step that goes on only after an event that nobody sends": (
        asking("{event: Left, when: event is Right}", sent="Done"),
        ["event-never-emitted Right"],
    ),
    "an entry that leads only to its own event": (
        asking("{event: Right, when: event is Right}").partition("  again")[0],
        ["entry-never-taken {event: Right, when: event is Right}"],
    ),
    "a loop into which another event of the step leads": (
        asking("{event: Left, when: event is Name}"),
        [],
    ),
    "a loop into which each of its events leads": (
        asking("{event: Left, when: result == 'more'}"),
        ["unbounded-cycle ask"],
    ),
    "lost on the way": (
        one("      - Left\n"),
        ["event-never-accepted Left"],
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_what_follows_from_a_mistake_is_not_reported_again(name: str) -> None:
    steps, expected = CHAINS[name]
    assert found(steps) == expected


def hint(steps: str, code: str) -> str:
    """What the finding of a code in some steps says is to be done."""
    checked = check_text(FRAME.format(steps=steps).encode(), "trial.yaml")
    (found,) = [each for each in checked.diagnostics if each.code == code]
    return found.hint


NAMED = """\
  first: {kind: transform, accepts: Began, emit: {event: Name, with: {name: a}}}
"""
SHOWN = {
    "the step that sends too little": (
        parted(meet="{any: [Left, Right], count: 2}", right="on_error: [nothing]"),
        "run-without-end",
        "start → left → Left → meet: `meet` waits for more, and start → right (on_error) → nothing brings no `Right`",
    ),
    "the step that sends too little, after a fork of its own": (
        NAMED
        + parted(meet="{any: [Left, Right], count: 2}", right="on_error: [nothing]").replace(
            "accepts: Began", "accepts: Name"
        ),
        "run-without-end",
        "start → first → Name → left → Left → meet: `meet` waits for more, and start → first → Name → right (on_error) "
        "→ nothing brings no `Right`",
    ),
    "the courses of a race": (
        parted(left_emit="Done", right_emit="Failed").partition("  meet")[0],
        "race-between-ends",
        "start → left and start → right: ",
    ),
    "several runs of one step": (
        batch("kind: transform\n    save: {last: '${{ event.name }}'}"),
        "race-on-state",
        "send → Name → work, several times: ",
    ),
    "a loop in which a key stays the same": (
        "  only: {kind: http, url: 'https://a.example', method: POST, idempotency_key: same, accepts: [Began, Left], "
        "max_runs: 3, emit: [{event: Done, when: inputs.urgent}, Left]}\n",
        "repeated-idempotency-key",
        "only → Left → only: ",
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_finding_tells_the_course_that_shows_it(name: str) -> None:
    steps, code, told = SHOWN[name]
    assert hint(steps, code).startswith(told), hint(steps, code)


READ_BESIDE = """\
  left: {kind: tool, accepts: Began, tool: ask, save: {last: "${{ result }}"}, emit: Left}
  more: {kind: tool, accepts: Left, tool: ask, save: {last: "${{ result }}"}, emit: nothing}
  look: {kind: transform, accepts: Began, emit: [{event: Done, when: state.last == "x"}, nothing]}
"""


def test_a_read_beside_saves_names_all_that_save_and_offers_no_merge() -> None:
    checked = check_text(FRAME.format(steps=READ_BESIDE).encode(), "trial.yaml")
    races = [each for each in checked.diagnostics if each.code == "race-on-state"]
    assert [each.message for each in races] == [
        "`look` reads `state.last` while `left` and `more` may be saving it"
    ]
    assert str(races[0].hint) == (
        "start → left and start → look: carry the value in the event, or read it after a join that waits for "
        "`left` and `more`"
    )


CLOCKED = """\
  begin: {kind: transform, accepts: Began, emit: Left}
  work: {kind: tool, accepts: Left, tool: ask, on_error: [Right], emit: {event: Name, with: {name: ""}}}
  meet: {kind: transform, accepts: {any: [Name, Right], within: 3 s, on_timeout: Failed}, emit: Done}
"""


def test_the_clock_of_an_any_is_mended_by_what_its_finding_says() -> None:
    assert "`{all: [Begun, [Done, Failed]], …}`" in hint(CLOCKED, "clock-without-work")
    mended = CLOCKED.replace("any: [Name, Right]", "all: [Left, [Name, Right]]")
    assert not [each for each in found(mended) if each.startswith("clock")]


def test_the_clock_of_an_any_that_cancels_is_mended_by_an_event_from_beside_the_work() -> None:
    cancels = CLOCKED.replace("within", "rest: cancel, within")
    assert "such as a `wait`" in hint(cancels, "clock-without-work")
    beside = "  watch: {kind: wait, accepts: Left, for: 2 s, emit: Late}\n"
    mended = cancels.replace("Right]", "Right, Late]") + beside
    text = FRAME.format(steps=mended).replace("  Right: {}", "  Right: {}\n  Late: {}")
    assert not [
        each.message for each in check_text(text.encode(), "trial.yaml").diagnostics if "clock" in each.code
    ]


OUTSIDE = """\
  begin: {kind: wait, accepts: Began, for: 1 s, emit: Left}
  note: {kind: transform, accepts: Right, save: {last: again}, emit: Name2}
  meet:
    kind: transform
    accepts: {any: [Left, Name2], rest: cancel}
    emit: [{event: Done, when: state.last == "x"}, Failed]
"""


def test_what_an_event_from_outside_may_begin_anew_is_beside_what_follows_a_join_that_cancels_it() -> None:
    steps = OUTSIDE.replace("Name2", "Name").replace("emit: Name}", 'emit: {event: Name, with: {name: ""}}}')
    text = FRAME.format(steps=steps).replace("tools:\n", "key: run.id\nreceives: {Right: {}}\ntools:\n")
    codes = [each.code for each in check_text(text.encode(), "trial.yaml").diagnostics]
    assert "race-on-state" in codes, codes


JOINED = parted(meet="{all: [Left, Right], within: 5s, on_timeout: %s}")
ASKED = """\
  only:
    kind: human
    accepts: Began
    assign: ["user:ann"]
    title: Which?
    form: {way: string}
    within: 4h
    on_timeout: %s
    emit: [{event: Done, when: result.way == "left"}, Failed]
"""
LIMITED = (
    "  only: {kind: transform, accepts: [Began, Left], max_runs: 3, on_limit: %s, "
    "emit: [{event: Done, when: inputs.urgent}, Left]}\n"
)
EVERY_EXIT = {
    "on_limit": LIMITED,
    "on_error": parted(left="on_error: [%s]"),
    "on_timeout of a join": JOINED,
    "on_timeout of a question": ASKED,
}


@pytest.mark.parametrize("way", EVERY_EXIT)
def test_every_exit_counts(way: str) -> None:
    """A way out that leads nowhere is found, whatever it is for; one that ends the run is fine."""
    assert found(EVERY_EXIT[way] % "Failed") == []
    lost = found(EVERY_EXIT[way] % "nothing")
    assert len(lost) == 1
    assert lost[0].split()[0] in ("run-without-end", "join-starves")


@pytest.mark.parametrize("way", EVERY_EXIT)
def test_every_exit_has_an_entry_for_each_case(way: str) -> None:
    cases = "[{event: Failed, when: inputs.urgent}, {event: Failed, when: not inputs.urgent}]"
    text = EVERY_EXIT[way].replace("[%s]", "%s")
    assert found(text % cases) == []
    one_case = found(text % "[{event: Failed, when: inputs.urgent}]")
    # what no entry of `on_error` takes is for the run's own
    assert one_case == ([] if way == "on_error" else ["emit-falls-through inputs.urgent"])


ENDS_OF_OTHER_KINDS = {
    "a failure": (one("      - {event: Done, when: event.urgent}\n      - {fail: too calm}\n"), []),
    "a new beginning": (
        one(
            "      - {event: Done, when: event.urgent}\n      - {restart: {with: {urgent: true, names: []}}}\n"
        ),
        [],
    ),
    "nothing, for which a deadline does not do": (
        one("      - {event: Done, when: event.urgent}\n      - nothing\n", "deadline: 1 day\n"),
        ["run-without-end nothing"],
    ),
    "a bound": (
        "  only: {kind: transform, accepts: [Began, Left], max_runs: 3, "
        "emit: [{event: Done, when: inputs.urgent}, Left]}\n",
        [],
    ),
}


@pytest.mark.parametrize("name", ENDS_OF_OTHER_KINDS)
def test_a_run_ends_in_several_ways(name: str) -> None:
    steps, expected = ENDS_OF_OTHER_KINDS[name]
    assert found(steps) == expected


def racing(slow: str, more: str = "") -> str:
    return parted(meet="{any: [Left, Right], rest: cancel}", right_emit=slow) + more


NOTE = "  note: {kind: transform, accepts: Name, emit: nothing}\n"
CANCELLED = {
    "what leads to the join alone": (racing("Right"), []),
    "an end beside it": (racing("{all: [Right, Failed]}"), ["rest-cancels-more cancel"]),
    "an event for another step": (
        racing("{all: [Right, {event: Name, with: {name: a}}]}", NOTE),
        ["rest-cancels-more cancel"],
    ),
}


@pytest.mark.parametrize("name", CANCELLED)
def test_a_join_cancels_nothing_that_others_wait_for(name: str) -> None:
    steps, expected = CANCELLED[name]
    assert [each for each in found(steps) if not each.startswith("race-")] == expected


BATCH = """\
wfc: 1
workflow: trial
start: Began
end: Done
state: {{note: {{type: string, default: ""}}}}
events: {{Began: {{}}, Left: {{}}, Right: {{}}, Done: {{note: string}}}}
steps:
  split: {{kind: transform, accepts: Began, emit: {{each: {{in: "[1, 2]", as: n, event: Left, max: 9{once}}}}}}}
  keep: {{kind: transform, accepts: Left, save: {{note: "${{{{ run.id }}}}"}}, emit: Right}}
  collect: {{kind: transform, accepts: {{each: Right{count}}}, emit: {{event: Done, with: {{note: "{note}"}}}}}}
"""


@pytest.mark.parametrize(
    ("once", "count", "note", "races"),
    [
        ("", "", "", True),
        (", concurrency: 2", "", "", True),
        (", concurrency: 1", "", "${{ state.note }}", False),
        (", concurrency: 1", ", count: 1, rest: finish", "", False),
        (", concurrency: 1", ", count: 1, rest: finish", "${{ state.note }}", True),
    ],
)
def test_items_one_after_the_other_do_not_race_with_each_other(
    once: str, count: str, note: str, races: bool
) -> None:
    checked = check_text(BATCH.format(once=once, count=count, note=note).encode(), "trial.yaml")
    codes = {each.code for each in checked.diagnostics} - {"unused-declaration"}
    assert codes == ({"race-on-state"} if races else set())


def test_of_a_step_that_runs_twice_both_ways_are_told() -> None:
    """Not the way of an exit of the run, on which it runs once."""
    text = FRAME.format(
        steps="""\
  left: {kind: tool, accepts: Began, tool: act, on_error: Left, emit: nothing}
  right: {kind: tool, accepts: Began, tool: act, on_error: Left, emit: nothing}
  settle: {kind: transform, accepts: Left, emit: Failed}
"""
    ).replace("start: Began\n", "start: Began\ndeadline: 1 day\non_deadline: Left\n")
    diagnostics = check_text(text.encode(), "trial.yaml").diagnostics
    (between,) = [each for each in diagnostics if each.code == "race-between-ends"]
    assert (
        "start → left (on_error) → Left → settle and start → right (on_error) → Left → settle" in between.hint
    )


ASKING = """\
  left:
    kind: tool
    accepts: {accepts}
    tool: ask
    {more}
    emit:
      - {{event: {first}, when: {condition}}}
      - {second}
  right: {{kind: tool, accepts: Right, tool: ask, emit: Left}}
"""


@pytest.mark.parametrize(
    ("condition", "first", "second", "expected"),
    [
        ("event is Left", "Done", "Right", []),
        ("event is not Left", "Right", "Done", []),
        ("event is Left or inputs.urgent", "Done", "Right", []),
        ("event is Left", "Right", "Done", ["unreachable-step right"]),
        ("event is Began and inputs.urgent", "Right", "Done", []),
        ("event is Left and inputs.urgent", "Done", "Right", ["unbounded-cycle left"]),
        ("inputs.urgent", "Done", "Right", ["unbounded-cycle left"]),
    ],
)
def test_a_loop_leaves_where_its_own_event_leads_out(
    condition: str, first: str, second: str, expected: list[str]
) -> None:
    """A way that is for the other event only is no part of it."""
    steps = ASKING.format(
        accepts="[Began, Left]", more="timeout: 3s", condition=condition, first=first, second=second
    )
    assert found(steps) == expected


def test_what_a_join_gets_depends_on_the_event_that_came() -> None:
    """A step that both events of a fork start sends something to the join for one of them only."""
    steps = """\
  split: {kind: transform, accepts: Began, emit: {all: [{event: Name, with: {name: a}}, Again]}}
  sort:
    kind: transform
    accepts: [Name, Again]
    emit:
      - {event: Left, when: event is Name}
      - nothing
  other: {kind: transform, accepts: Again, emit: Right}
  meet: {kind: transform, accepts: {all: [Left, Right]}, emit: Done}
"""
    text = FRAME.replace("  Left: {{}}\n", "  Left: {{}}\n  Again: {{}}\n").format(steps=steps)
    beside = {"unused-declaration", "unreachable-end"}
    assert not {each.code for each in check_text(text.encode(), "trial.yaml").diagnostics} - beside
    either = text.replace("event is Name", "inputs.urgent")
    codes = {each.code for each in check_text(either.encode(), "trial.yaml").diagnostics}
    assert codes & {"join-overfills", "join-starves"}


@pytest.mark.parametrize(
    ("meet", "hint"),
    [
        (
            "{all: [Left, Right], within: 2 days, on_timeout: proceed}",
            "`meet` goes on without it once its time is up; if that is meant",
        ),
        ("{any: [Left, Right]}", "`meet` does not wait for all of them: let it, or say by `rest` what"),
    ],
)
def test_how_a_branch_that_an_end_cuts_off_may_be_joined_is_told(meet: str, hint: str) -> None:
    text = FRAME.format(steps=parted(right_tool="act", meet=meet))
    (race,) = (
        each
        for each in check_text(text.encode(), "trial.yaml").diagnostics
        if each.code == "race-with-the-end"
    )
    assert f": {hint}" in race.hint
