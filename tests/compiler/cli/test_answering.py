"""``wfc run`` with questions, waits and events from outside: answered by options, at a terminal, or not at all."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.forms import FormField, fields_of

SHOP = """\
wfc: 1
workflow: shop
start: Ordered
end: [Shipped, Dropped]
key: inputs.order_id
receives: {Paid: {key: order_id}}
events:
  Ordered: {order_id: string}
  Paid: {order_id: string, amount: integer}
  Approve: {}
  Rejected: {}
  Shipped: {copies: integer}
  Dropped: {reason: string}
steps:
  payment:
    kind: wait
    accepts: Ordered
    event: Paid
    within: 50 ms
    on_timeout: {event: Dropped, with: {reason: not paid}}
    emit: Approve
  approve:
    kind: human
    accepts: [Approve, Rejected]
    title: Ship ${{ inputs.order_id }}?
    show: Nobody has looked at it yet.
    form: {decision: {enum: [ship, wait]}, copies: integer, note: {type: string, default: ""}}
    prefill: {note: fine}
    assign: ["group:stock"]
    require: [{that: result.copies < 10, say: That is too many.}]
    max_runs: 3
    on_limit: {event: Dropped, with: {reason: too often}}
    within: 4h
    on_timeout: {event: Dropped, with: {reason: nobody}}
    emit:
      - {event: Shipped, when: result.decision == "ship"}
      - Rejected
"""
WFC = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
PAID = """Paid={"order_id": "o1", "amount": 3}"""


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP)
    return str(path)


def test_an_event_that_does_not_come_is_waited_for_and_no_longer(wfc: Any, shop: str) -> None:
    done = wfc("run", shop, "-i", "order_id=o1")
    assert done.status == 0
    assert json.loads(done.out) == {"event": "Dropped", "with": {"reason": "not paid"}}
    assert "payment: waits for Paid until 20" in done.err


def test_an_event_with_another_key_is_for_another_run(wfc: Any, shop: str) -> None:
    done = wfc("run", shop, "-i", "order_id=o1", "--deliver", PAID.replace("o1", "o2"))
    assert json.loads(done.out) == {"event": "Dropped", "with": {"reason": "not paid"}}
    assert "not delivered: this `Paid` is for a run with another key" in done.err


def test_a_question_is_answered_by_an_option_each_time_by_the_next(wfc: Any, shop: str) -> None:
    answers = ['approve={"decision": "wait", "copies": 1}', 'approve={"decision": "ship", "copies": 2}']
    options = [option for answer in answers for option in ("--answer", answer)]
    done = wfc("run", shop, "-i", "order_id=o1", "--deliver", PAID, *options)
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Shipped", "with": {"copies": 2}}
    assert "approve: asks (group:stock): Ship o1? until 20" in done.err


def test_a_refused_answer_is_told_and_the_next_one_counts(wfc: Any, shop: str) -> None:
    answers = ['approve={"decision": "ship", "copies": 20}', 'approve={"decision": "ship", "copies": 2}']
    options = [option for answer in answers for option in ("--answer", answer)]
    done = wfc("run", shop, "-i", "order_id=o1", "--deliver", PAID, *options)
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Shipped", "with": {"copies": 2}}
    assert "`--answer approve=…`: the answer is not as required: That is too many." in done.err
    alone = wfc("run", shop, "-i", "order_id=o1", "--deliver", PAID, *options[:2])
    assert (alone.status, alone.out) == (2, "")


def test_what_was_taken_is_told_and_summed_up(wfc: Any, shop: str) -> None:
    done = wfc("run", shop, "-i", "order_id=o1")
    assert "payment: timeout is taken -> Dropped: what it waited for did not come within 50 ms" in done.err
    assert "on the way payment took timeout -> Dropped" in done.err.splitlines()[-1]


def test_a_mocked_question_that_nobody_answers_is_over_at_once(wfc: Any, shop: str) -> None:
    Path(shop).write_text(
        SHOP
        + """\
tests:
  - name: nobody
    start: {order_id: o1}
    mock: {payment: {order_id: o1, amount: 3}, approve: {error: timeout}}
    expect: {end: Dropped, with: {reason: nobody}, after: 4h}
  - name: after a refusal
    like: nobody
    mock: {approve: {attempts: [{decision: ship, copies: 20}, {give: {decision: ship, copies: 1}, after: 2h}]}}
    expect: {end: Shipped, after: 2h}
"""
    )
    assert wfc("test", shop).status == 0
    begun = time.monotonic()
    done = wfc("run", shop, "--mock", "nobody")
    assert json.loads(done.out) == {"event": "Dropped", "with": {"reason": "nobody"}}
    done = wfc("run", shop, "--mock", "after a refusal")
    assert json.loads(done.out) == {"event": "Shipped", "with": {"copies": 1}}
    assert time.monotonic() - begun < 3600  # and no hours pass


def test_without_a_terminal_a_question_stops_the_run_and_is_shown(wfc: Any, shop: str) -> None:
    done = wfc("run", shop, "-i", "order_id=o1", "--deliver", PAID)
    assert (done.status, done.out) == (3, "")
    told = done.err[done.err.index("the run stopped") :].splitlines()
    assert told[:6] == [
        "the run stopped: `approve` asks, and nobody is here to answer: Ship o1?",
        "  Nobody has looked at it yet.",
        "  decision: ship or wait",
        "  copies: a whole number",
        "  note: a text; nothing to leave it out",
        "until now the run was in memory; with --store it is kept from its start",
    ]
    store = Path(shop).parent / ".wfc" / "runs.db"
    rests = re.fullmatch(rf"the run (\w+) rests in {re.escape(str(store))}", told[6])
    assert rests is not None
    answer = rf"""answer it with  wfc tasks answer {rests[1]}/approve/\d+ '{{"decision": …, "copies": …}}'"""
    assert [bool(re.fullmatch(answer, line)) for line in told[7:]] == [True]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--answer", "approve"], "`--answer approve` is not `STEP=JSON`"),
        (["--answer", "aprove={}"], "no step `aprove` asks anybody; did you mean `approve`?"),
        (["--answer", "payment={}"], "no step `payment` asks anybody"),
        (["--answer", "approve={"], "`--answer approve=…` is not JSON"),
        (
            ["--deliver", PAID, "--answer", 'approve={"decision": "no", "copies": 1}'],
            "`decision`: input should be 'ship' or 'wait', not 'no'",
        ),
        (["--deliver", PAID, "--answer", 'approve={"decision": "ship", "copies": 10}'], "That is too many."),
        (["--deliver", "Payd={}"], "the workflow does not receive `Payd`; did you mean `Paid`?"),
        (["--deliver", "Paid={}"], "`--deliver Paid=…`: order_id: field required"),
        (["--deliver", "Paid={"], "`--deliver Paid=…`: invalid JSON"),
    ],
)
def test_an_option_that_does_not_fit_says_why(wfc: Any, shop: str, options: list[str], told: str) -> None:
    done = wfc("run", shop, "-i", "order_id=o1", *options)
    assert (done.status, done.out) == (2, "")
    assert told in done.err


def at_terminal(*args: str, typed: list[str]) -> tuple[int, str]:
    """Runs `wfc` at a terminal of its own, typing a line whenever it asks for one."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", WFC, *args], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown, lines, end = "", iter(typed), time.monotonic() + 300
    while time.monotonic() < end:
        if not select.select([ours], [], [], 0.1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            more = os.read(ours, 65536).decode()
        except OSError:  # the other side is closed
            break
        shown += more
        if shown.endswith(": "):
            os.write(ours, next(lines, "").encode())
    os.close(ours)
    return process.wait(timeout=120), shown.replace("\r\n", "\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_at_a_terminal_the_question_is_asked_there_until_the_answer_fits(shop: str) -> None:
    typed = ["no\n", "ship\n", "\n", "many\n", "12\n", "\n", "\n", "2\n", "good\n"]
    status, shown = at_terminal("run", shop, "-i", "order_id=o1", "--deliver", PAID, typed=typed)
    assert status == 0, shown
    assert "? Ship o1?\n  Nobody has looked at it yet.\n  decision (ship or wait): no\n" in shown
    assert "    it must be ship or wait\n" in shown
    assert "    it is needed\n" in shown
    assert "    it must be a whole number\n" in shown
    assert "That is too many." in shown
    assert "  copies (a whole number) [12]: 2\n" in shown
    assert shown.endswith("Shipped\n  copies: 2\n")


@pytest.mark.full
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_the_end_of_the_input_is_nobody_answering(shop: str) -> None:
    status, shown = at_terminal("run", shop, "-i", "order_id=o1", "--deliver", PAID, typed=["\x04"])
    assert status == 3, shown
    assert "nobody is here to answer" in shown


@pytest.mark.full  # it waits for the clock
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_who_thinks_too_long_is_told_that_it_is_too_late(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP.replace("within: 4h", "within: 1s"))
    status, shown = at_terminal("run", str(path), "-i", "order_id=o1", "--deliver", PAID, typed=[])
    assert status == 0, shown
    assert "approve: the question is closed: expired" in shown
    assert shown.endswith("Dropped\n  reason: nobody\n")


FORM = {
    "$defs": {"Inner": {"type": "object"}, "Colour": {"enum": ["red", "Blue"]}},
    "required": ["text", "whole", "size", "price", "yes", "day", "tags", "inner", "colour"],
    "properties": {
        "text": {"type": "string"},
        "whole": {"type": "integer"},
        "size": {"type": "number"},
        "price": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "yes": {"type": "boolean"},
        "day": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "inner": {"$ref": "#/$defs/Inner"},
        "colour": {"anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "null"}]},
        "note": {"type": "string", "default": "x"},
        "anything": {},
    },
}


def field(name: str) -> FormField:
    return next(each for each in fields_of(FORM) if each.name == name)


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("text", "12", "12"),
        ("whole", "12", 12),
        ("size", "1.5", 1.5),
        ("price", "19.90", "19.90"),
        ("yes", "Y", True),
        ("yes", "no", False),
        ("day", "2026-01-31", "2026-01-31"),
        ("tags", '["a"]', ["a"]),
        ("inner", '{"a": 1}', {"a": 1}),
        ("colour", "blue", "Blue"),
        ("anything", "word", "word"),
        ("anything", "[1]", [1]),
    ],
)
def test_what_is_typed_is_read_by_the_type_of_its_field(name: str, typed: str, value: object) -> None:
    assert field(name).parse(typed) == value


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("whole", "many", "a whole number"),
        ("yes", "perhaps", "yes or no"),
        ("colour", "green", "red or Blue"),
        ("tags", "a, b", "a list"),
        ("inner", "[" * 100_000, "a record"),
    ],
)
def test_what_is_no_value_is_told(name: str, typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        field(name).parse(typed)


def test_choices_of_this_question_are_listed_whatever_the_type_is() -> None:
    def chosen(name: str, choices: list[Any]) -> FormField:
        fields = {**FORM["properties"], name: {**FORM["properties"][name], "enum": choices}}  # type: ignore[dict-item]
        return next(each for each in fields_of({**FORM, "properties": fields}) if each.name == name)

    assert chosen("text", ["a", "A", "b"]).words == "a or A or b"
    assert chosen("text", ["a", "A", "b"]).parse("A") == "A"
    assert chosen("whole", [3, 4]).parse("4") == 4
    assert chosen("colour", ["red", None]).words == "red; nothing to leave it out"
    inner = chosen("inner", [{"a": 1}, {"a": 2}])
    assert inner.words == '{"a": 1} or {"a": 2}'
    assert inner.parse('{"a": 2}') == {"a": 2}
    many = chosen("whole", list(range(1000)))
    assert many.words.endswith("18 or 19 or one of 980 more")
    assert many.parse("999") == 999
    with pytest.raises(ValueError, match="it must be 0 or 1 "):
        many.parse("1000")
    none = chosen("colour", [None])
    assert none.words == "there is nothing to choose from; nothing to leave it out"
    with pytest.raises(ValueError, match="it must be left out"):
        none.parse("red")


def test_a_question_at_a_run_shows_its_choices_and_holds_the_answer_to_them(wfc: Any, tmp_path: Path) -> None:
    path = tmp_path / "rooms.yaml"
    path.write_text(ROOMS)
    run = ("run", str(path), "-i", 'free=["red", "blue"]')
    alone = wfc(*run)
    assert alone.status == 3
    assert "  room: red or blue" in alone.err.splitlines()
    refused = wfc(*run, "--answer", 'choose={"room": "green"}')
    assert refused.status == 2
    assert '`room`: one of "red", "blue" wanted, not "green"' in refused.err
    done = wfc(*run, "--answer", 'choose={"room": "blue"}')
    assert json.loads(done.out) == {"event": "Booked", "with": {"room": "blue"}}


def test_who_is_reminded_reads_a_line_each_time(wfc: Any, tmp_path: Path) -> None:
    path = tmp_path / "rooms.yaml"
    path.write_text(
        ROOMS.replace("within: 4h", "within: 2500 ms\n    remind: 1s")
        + """\
tests:
  - {name: nobody, start: {free: [red]}, mock: {choose: {error: timeout}}, expect: {end: NotBooked}}
"""
    )
    assert wfc("test", str(path)).status == 0
    done = wfc("run", str(path), "-i", 'free=["red"]', "--mock", "nobody")
    assert json.loads(done.out)["event"] == "NotBooked"
    assert "still asks" not in done.err  # no time passes where answers are mocked


@pytest.mark.full  # it waits for the clock
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_at_a_terminal_a_reminder_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rooms.yaml"
    path.write_text(ROOMS.replace("within: 4h", "within: 5s\n    remind: 2s"))
    status, shown = at_terminal("run", str(path), "-i", 'free=["red"]', typed=[])
    assert status == 0, shown
    assert shown.count("choose: still asks: Which room? until 20") == 2


ROOMS = """\
wfc: 1
workflow: rooms
start: Wanted
end: [Booked, NotBooked]
events: {Wanted: {free: list of string}, Booked: {room: string}, NotBooked: {}}
steps:
  choose:
    kind: human
    accepts: Wanted
    title: Which room?
    form: {room: {type: string, from: event.free}}
    within: 4h
    on_timeout: NotBooked
    emit: Booked
"""


def test_no_form_has_no_fields() -> None:
    assert fields_of(None) == []
