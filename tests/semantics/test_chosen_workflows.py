"""Workflows that data chooses: several specs, checked and run as `wfc check`, `wfc test` and `wfc run` do."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.programs import load_program
from wfc.runtime import Context, Engine
from wfc.runtime.drawing.workflows import nested_representation
from wfc.runtime.testing import run_virtually

REFUND = """\
wfc: 1
workflow: refund
start: RefundAsked
end: [Paid, Refused]
events:
  RefundAsked: {order: string, due: date, wait: {type: integer, default: 0}}
  Paid: {amount: integer, due: string}
  Refused: {why: string}
steps:
  pause: {kind: wait, accepts: RefundAsked, for: 1 h, emit: Pay}
  pay:
    kind: transform
    accepts: Pay
    emit:
      - {event: Refused, when: inputs.order == "", with: {why: no order}}
      - {event: Paid, with: {amount: "${{ inputs.order | length }}", due: "on ${{ inputs.due }}"}}
""".replace("  Paid:", "  Pay: {}\n  Paid:")
EXCHANGE = """\
wfc: 1
workflow: exchange
start: ExchangeAsked
end: [Sent, Refused]
events:
  ExchangeAsked: {order: string, due: string}
  Sent: {parcel: string}
  Refused: {why: string}
steps:
  send:
    kind: transform
    accepts: ExchangeAsked
    stream: {before: sending}
    emit:
      - {event: Refused, when: event.order == "", with: {why: nothing to exchange}}
      - {event: Sent, with: {parcel: "${{ event.order }} by ${{ event.due }}"}}
"""
DESK = """\
wfc: 1
workflow: desk
start: Came
end: Told
events:
  Came: {kind: string, order: string}
  Told: {text: string}
steps:
  serve:
    kind: workflow
    accepts: Came
    workflow: {from: event.kind, only: [refund, exchange]}
    with: {order: "${{ event.order }}", due: "2026-01-31"}
    on_error: [{errors: [workflow.unknown], event: Told, with: {text: "${{ error.name }}"}}]
    emit:
      - {event: Told, when: result is Refused, with: {text: "${{ result.why }}"}}
      - {event: Told, when: result is Paid, with: {text: "${{ result.amount }} ${{ result.due }}"}}
      - {event: Told, with: {text: "${{ result.parcel }}"}}
"""
MAP = """\
wfc: 1
workflow: desk
start: Came
end: Told
events: {Came: {kinds: list of string}, Told: {names: list of string}}
steps:
  serve:
    kind: map
    accepts: Came
    in: event.kinds
    as: kind
    max: 9
    do:
      kind: workflow
      workflow: {from: kind, only: [refund, exchange]}
      with: {order: "${{ kind }}", due: "2026-01-31"}
    give: "${{ 'paid' if result is Paid else 'not paid' }}"
    on_item_error: skip
    emit: {event: Told, with: {names: "${{ result }}"}}
tests:
  - name: each item chooses
    start: {kinds: [exchange, stealing, refund]}
    real: [serve]
    expect: {with: {names: [not paid, paid]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Writes the workflows that may be called, and the one that calls, of which it gives the path."""
    before = set(sys.modules)
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "refund.yaml").write_text(REFUND)
    (tmp_path / "exchange.yaml").write_text(EXCHANGE)

    def write(text: str) -> Path:
        (tmp_path / "desk.yaml").write_text(text)
        return tmp_path / "desk.yaml"

    yield write
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def case(kind: str, order: str, text: str) -> str:
    return (
        f"  - {{name: {kind} {order}, start: {{kind: {kind}, order: '{order}'}}, real: [serve],"
        f" expect: {{with: {{text: '{text}'}}}}}}\n"
    )


@pytest.mark.parametrize(
    ("kind", "order", "text"),
    [
        ("refund", "A12", "3 on 2026-01-31"),
        ("refund", "", "no order"),
        ("exchange", "A12", "A12 by 2026-01-31"),
        ("exchange", "", "nothing to exchange"),
        ("desk", "A12", "workflow.unknown"),
        ("Refund", "A12", "workflow.unknown"),
        ("ｒｅｆｕｎｄ", "A12", "3 on 2026-01-31"),
    ],
)
def test_data_chooses_the_workflow_among_those_listed(folder: Any, kind: str, order: str, text: str) -> None:
    path = folder(f"{DESK}tests:\n{case(kind, order, text)}")
    assert main(["check", str(path.parent)]) == 0
    assert main(["test", str(path)]) == 0


def test_a_name_that_is_not_listed_begins_no_run(folder: Any) -> None:
    program = load_program(str(folder(DESK)))
    assert program is not None

    async def runs(kind: str) -> set[str]:
        engine = Engine()
        for other in program.others:
            engine.add(other())
        handler = program.workflow(engine=engine).run(run_id="r", kind=kind, order="A")
        seen = {run_id async for run_id, _ in handler.stream_with_run_ids()}
        await handler
        return seen

    assert len(run_virtually(lambda: runs("exchange"))) == 2
    assert run_virtually(lambda: runs("desk")) == {"r"}


def test_each_item_of_a_map_chooses_its_own(folder: Any) -> None:
    path = folder(MAP)
    assert main(["check", str(path.parent)]) == 0
    assert main(["test", str(path)]) == 0


def test_a_choice_is_kept_in_a_snapshot(folder: Any) -> None:
    program = load_program(str(folder(DESK)))
    assert program is not None

    async def resumed() -> tuple[dict[str, Any], str]:
        def engine() -> Engine:
            made = Engine()
            for other in program.others:
                made.add(other())
            return made

        handler = program.workflow(engine=engine()).run(run_id="r", kind="refund", order="A12")
        await asyncio.sleep(60)
        kept = handler.ctx.to_dict()
        await handler.cancel_run()
        again = program.workflow(engine=engine())
        ended = await again.run(ctx=Context.from_dict(again, kept))
        return kept, ended.text

    kept, text = run_virtually(resumed)
    assert text == "3 on 2026-01-31"
    assert '"only"' in str(kept).replace("'", '"') and "exchange" in str(kept)


def test_a_drawing_shows_all_that_may_be_chosen(folder: Any) -> None:
    program = load_program(str(folder(DESK)))
    assert program is not None
    engine = Engine()
    for other in program.others:
        engine.add(other())
    assert {"calls: Refund", "calls: Exchange"} <= {
        node.label for node in nested_representation(program.workflow(engine=engine)).nodes
    }


FINDINGS = {
    'with: {order: "${{ event.order }}", due: "2026-01-31"}': [
        ('with: {order: "${{ event.order }}"}', ["missing-entry"]),
        ('with: {order: "${{ event.order }}", due: "2026-01-31", wait: 3}', ["unknown-entry"]),
        ('with: {order: "${{ event.order }}", due: soon}', ["wrong-value"]),
        ('with: {order: "${{ event.ordr }}", due: "2026-01-31"}', ["unknown-field"]),
    ],
    "{from: event.kind, only: [refund, exchange]}": [
        ("{from: event.kind, only: [refund, exchange, refund]}", ["choice-twice"]),
        ("{from: event.kind, only: [refund, exchang]}", ["unknown-workflow"]),
        ("{from: event.kind, only: [refund, exchange, desk]}", ["workflow-calls-itself"]),
        ("{from: event.kid, only: [refund, exchange]}", ["unknown-field"]),
        ("{from: 7, only: [refund, exchange]}", ["wrong-type"]),
        ("{from: event.order | length, only: [refund, exchange]}", ["wrong-value"]),
        ("{from: event.kind}", ["missing-key"]),
        ("{only: [refund, exchange]}", ["missing-key"]),
        ("{from: event.kind, only: []}", ["nothing-in-it"]),
        ("${{ event.kind }}", ["unknown-workflow"]),
    ],
    "kind: string,": [
        ("kind: {enum: [refund, exchange, other]},", []),
        ("kind: {enum: [refund, other]},", ["no-such-value"]),
        ("kind: optional string,", ["wrong-value"]),
    ],
}


@pytest.mark.parametrize(
    ("old", "new", "codes"), [(old, *each) for old, changes in FINDINGS.items() for each in changes]
)
def test_a_mistake_is_one_finding(folder: Any, capsys: Any, old: str, new: str, codes: list[str]) -> None:
    assert old in DESK
    main(["check", str(folder(DESK.replace(old, new))), "--format", "github"])
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
    assert [
        line.partition("title=")[2].partition("::")[0].split("[")[-1].strip("]") for line in told
    ] == codes


FIELDS = {"integer": 7, "string": "x", "boolean": True}


def random_workflow(name: str, chance: random.Random) -> tuple[str, dict[str, tuple[str, bool]]]:
    """A workflow that ends with what it was given, and its inputs: of which type, and whether one is needed."""
    inputs = {
        field: (chance.choice(list(FIELDS)), chance.random() < 0.5)
        for field in "abc"
        if chance.random() < 0.8
    }
    declared = ", ".join(
        f"{field}: {'' if needed else 'optional '}{kind}" for field, (kind, needed) in inputs.items()
    )
    texts = "".join(f" {field}=${{{{ event.{field} | json }}}}" for field in inputs)
    return (
        f"wfc: 1\nworkflow: {name}\nstart: Begun\nend: Over\n"
        f"events: {{Begun: {{{declared}}}, Over: {{text: string}}}}\n"
        "steps:\n  go: {kind: transform, accepts: Begun, emit: "
        f"{{event: Over, with: {{text: '{name}{texts}'}}}}}}\n"
    ), inputs


@pytest.mark.parametrize("number", range(25))
def test_inputs_are_taken_if_and_only_if_each_workflow_takes_them(folder: Any, number: int) -> None:
    chance = random.Random(f"chosen {number}")  # noqa: S311
    names = ["first", "second", "third"][: chance.randint(1, 3)]
    given = {field: chance.choice(list(FIELDS)) for field in "abc" if chance.random() < 0.7}
    values = ", ".join(f"{field}: {str(FIELDS[kind]).lower()}" for field, kind in given.items())
    taken = True
    tests = ""
    for name in names:
        spec, inputs = random_workflow(name, chance)
        path = folder("")
        (path.parent / f"{name}.yaml").write_text(spec)
        needed = {field for field, (_, needed) in inputs.items() if needed}
        taken &= needed <= given.keys() <= inputs.keys()
        taken &= all(inputs[field][0] == kind for field, kind in given.items() if field in inputs)
        told = {field: {7: "7", "x": '"x"', True: "true"}[FIELDS[kind]] for field, kind in given.items()}
        text = " ".join([name, *(f"{field}={told.get(field, 'null')}" for field in inputs)])
        tests += f"  - {{name: {name}, start: {{which: {name}}}, real: [go], expect: {{with: {{text: '{text}'}}}}}}\n"
    path = folder(
        "wfc: 1\nworkflow: desk\nstart: Came\nend: Told\nevents: {Came: {which: string}, Told: {text: string}}\n"
        "steps:\n  go:\n    kind: workflow\n    accepts: Came\n"
        f"    workflow: {{from: event.which, only: [{', '.join(names)}]}}\n    with: {{{values}}}\n"
        f"    emit: {{event: Told, with: {{text: '${{{{ result.text }}}}'}}}}\ntests:\n{tests}"
    )
    assert (main(["check", str(path)]) == 0) is taken
    if taken:
        assert main(["test", str(path)]) == 0
