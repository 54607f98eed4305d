"""Names that have changed: told as one change where nothing else has, and never where the new name had a meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.cli.reviewing.comparison import compare_sides
from wfc.compiler.cli.reviewing.sides import DiskSide

LOOPING = """\
wfc: 1
workflow: lists
start: Came
end: Done
events:
  Came: {numbers: list of integer, others: list of integer}
  Done: {sums: list of integer}
tools:
  add: {python: "sums:add", args: {number: integer, more: list of integer}, output: integer}
steps:
  sum_up:
    kind: map
    accepts: Came
    in: event.numbers
    as: one
    max: 9
    do: {kind: tool, tool: add, with: {number: "${{ one }}", more: "${{ [one + each for each in event.others] }}"}}
    emit: {event: Done, with: {sums: "${{ result }}"}}
"""


SORTING = """\
wfc: 1
workflow: sorting
start: Came
end: Done
types:
  Order: {id: string, days_late: integer}
events:
  Came: {id: string, days: integer}
  Sorted: {orders: list of Order}
  Done: {late: list of string, most: integer}
state:
  last: {type: list of Order, default: []}
steps:
  sort:
    kind: transform
    accepts: Came
    emit: {event: Sorted, with: {orders: [{id: "${{ event.id }}", days_late: "${{ event.days }}"}]}}
  finish:
    kind: transform
    accepts: Sorted
    save: {last: '${{ [{"id": one.id, "days_late": one.days_late} for one in event.orders] }}'}
    emit:
      event: Done
      with:
        late: ${{ [one.id for one in event.orders if one.days_late > 3] }}
        most: ${{ event.orders | pluck("days_late") | sum }}
tests:
  - name: one is late
    start: {id: a, days: 4}
    expect: {end: Done, with: {late: [a], most: 4}, state: {last: [{id: a, days_late: 4}]}}
"""


@pytest.mark.parametrize(
    ("old", "edits", "told"),
    [
        (SORTING, [("days_late", "late_by")], {"flow-renamed"}),
        (
            SORTING,
            [("days_late", "late_by"), ("steps:", "moved: {Order.days_late: late_by}\nsteps:")],
            {"flow-renamed"},
        ),
        # what is said with it is another thing
        (
            SORTING,
            [("days_late", "late_by"), ("late_by > 3", "late_by > 5"), ("late: [a]", "late: []")],
            {
                "event-field-changed",
                "filled-changed",
                "state-field-changed",
                "saves-changed",
                "test-changed",
            },
        ),
        # the later name is that of another field: which one is meant is not sure
        (
            SORTING,
            [("days_late", "most")],
            {
                "event-field-changed",
                "filled-changed",
                "state-field-changed",
                "saves-changed",
                "test-changed",
            },
        ),
        # where there are maps, a key of data may be one of them
        (
            SORTING.replace("most: integer}\n", "most: integer, names: map of integer}\n").replace(
                "| sum }}", "| sum }}\n        names: {days_late: 1}"
            ),
            [("days_late", "late_by")],
            {
                "event-field-changed",
                "filled-changed",
                "state-field-changed",
                "saves-changed",
                "test-changed",
            },
        ),
        (
            LOOPING,
            [("as: one", "as: this"), ("{{ one }}", "{{ this }}"), ("[one +", "[this +")],
            {"flow-renamed"},
        ),
        # the item of the list takes the place of that of the loop
        (
            LOOPING,
            [
                ("as: one", "as: each"),
                ("{{ one }}", "{{ each }}"),
                ("[one + each for each", "[other + other for other"),
            ],
            {"flow-renamed", "argument-changed"},
        ),
        (
            LOOPING,
            [("as: one", "as: this"), ("{{ one }}", "{{ this + 1 }}"), ("[one +", "[this +")],
            {"flow-renamed", "argument-changed"},
        ),
        (
            LOOPING,
            [("args: {number", "args: {figure"), ("with: {number", "with: {figure")],
            {"tool-arguments-changed"},
        ),
        # two have the same type: which one it was is not sure
        (
            LOOPING,
            [
                ("args: {number: integer", "args: {figure: integer, less: integer"),
                ("with: {number", "with: {less: 1, figure"),
            ],
            {"tool-arguments-changed", "argument-changed"},
        ),
    ],
)
def test_what_has_another_name_is_told_once(
    tmp_path: Path, old: str, edits: list[tuple[str, str]], told: set[str]
) -> None:
    new = old
    for edit in edits:
        assert edit[0] in new
        new = new.replace(*edit)
    for name, text in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lists.yaml").write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name / "lists.yaml") for name in ("old", "new")]
    found = compare_sides(DiskSide("old", paths[:1]), DiskSide("new", paths[1:]))
    assert [*found.broken] == []
    assert {change.rule for change in found.changes} == told
    if len(told) == 1:
        assert len(found.changes) == 1
