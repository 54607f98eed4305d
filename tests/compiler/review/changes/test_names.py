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


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ([("as: one", "as: this"), ("{{ one }}", "{{ this }}"), ("[one +", "[this +")], {"flow-renamed"}),
        # the item of the list takes the place of that of the loop, which would not show if `one` were `each`
        (
            [
                ("as: one", "as: each"),
                ("{{ one }}", "{{ each }}"),
                ("[one + each for each", "[other + other for other"),
            ],
            {"flow-renamed", "argument-changed"},
        ),
        (
            [("as: one", "as: this"), ("{{ one }}", "{{ this + 1 }}"), ("[one +", "[this +")],
            {"flow-renamed", "argument-changed"},
        ),
        (
            [("args: {number", "args: {figure"), ("with: {number", "with: {figure")],
            {"tool-arguments-changed"},
        ),
        # two have the same type: which one it was is not sure
        (
            [
                ("args: {number: integer", "args: {figure: integer, less: integer"),
                ("with: {number", "with: {less: 1, figure"),
            ],
            {"tool-arguments-changed", "argument-changed"},
        ),
    ],
)
def test_what_has_another_name_is_told_once(
    tmp_path: Path, edits: list[tuple[str, str]], told: set[str]
) -> None:
    new = LOOPING
    for edit in edits:
        assert edit[0] in new
        new = new.replace(*edit)
    for name, text in (("old", LOOPING), ("new", new)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lists.yaml").write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name / "lists.yaml") for name in ("old", "new")]
    found = compare_sides(DiskSide("old", paths[:1]), DiskSide("new", paths[1:]))
    assert [*found.broken] == []
    assert {change.rule for change in found.changes} == told
    if len(told) == 1:
        assert len(found.changes) == 1
