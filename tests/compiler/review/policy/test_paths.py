"""What must have happened before a step is asked of the flow graph: held against all paths, one by one."""

from __future__ import annotations

import random

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.proof.graph.building import build_graph
from wfc.compiler.review.policy.paths import WaysAround


def flow(dice: random.Random) -> tuple[str, dict[int, list[int]], set[int]]:
    """Return a random spec whose steps choose their successors, those by number, and which are gates."""
    size = dice.randint(3, 9)
    after = {
        each: sorted(dice.sample(range(each + 1, size), dice.randint(1, min(3, size - each - 1))))
        for each in range(size - 1)
    }
    reached = {0}
    for each in range(size - 1):
        if each in reached:
            reached.update(after[each])
    after = {each: to for each, to in after.items() if each in reached}
    lines = [
        f"  s{each}: {{kind: transform, accepts: E{each}, emit: ["
        + ", ".join(
            f"{{event: E{to}, when: event.n > {place}}}" if place < len(after[each]) - 1 else f"E{to}"
            for place, to in enumerate(after[each])
        )
        + "]}"
        for each in sorted(after)
    ]
    events = "".join(f"  E{each}: {{n: integer}}\n" for each in sorted(reached))
    spec = (
        f"wfc: 1\nworkflow: w\nstart: E0\nend: E{size - 1}\nevents:\n{events}steps:\n"
        + "\n".join(lines)
        + "\n"
    )
    gates = {each for each in after if dice.random() < 0.4}
    return spec, after, gates


def has_free_path(after: dict[int, list[int]], gates: set[int], goal: int) -> bool:
    """Return whether some path from the first step to a goal leaves no gate, by trying them all."""
    waiting = [[0]]
    while waiting:
        path = waiting.pop()
        if path[-1] == goal:
            if not gates & set(path[:-1]):
                return True
            continue
        waiting += [[*path, each] for each in after.get(path[-1], [])]
    return False


@pytest.mark.parametrize("seed", range(40))
def test_a_way_around_is_found_if_there_is_one(seed: int) -> None:
    spec, after, gates = flow(random.Random(seed))  # noqa: S311  no secret
    checked = check_text(spec.encode(), "w.yaml")
    assert checked.workflow is not None and not checked.failed, checked.diagnostics
    ways = WaysAround(build_graph(checked.workflow), lambda name, *_: int(name[1:]) in gates)
    for goal in after:
        found = ways.way_to(f"s{goal}")
        assert (found is not None) == has_free_path(after, gates, goal), (spec, gates, goal)
        if found is not None:
            named = [each for each in found.split(" → ") if each.startswith("s") and each != "start"]
            assert named[-1] == f"s{goal}"
            assert not {int(each[1:]) for each in named[:-1]} & gates


JOINED = """\
wfc: 1
workflow: w
start: Asked
end: Done
events:
  Asked: {n: integer}
  Left: {n: integer}
  Right: {n: integer}
  Agreed: {n: integer}
  Done: {n: integer}
steps:
  split: {kind: transform, accepts: Asked, emit: {all: [Left, Right]}}
  agree: {kind: transform, accepts: Left, emit: Agreed}
  pay:
    kind: transform
    accepts: {JOIN: [Agreed, Right]}
    emit: {event: Done, with: {n: 1}}
"""


@pytest.mark.parametrize(("join", "is_around"), [("all", False), ("any", True)])
def test_a_gate_before_one_branch_of_a_join(join: str, is_around: bool) -> None:
    spec = JOINED.replace("JOIN", join)
    if join == "any":
        spec = spec.replace("{any: [Agreed, Right]}", "{any: [Agreed, Right], rest: cancel}")
    checked = check_text(spec.encode(), "w.yaml")
    assert checked.workflow is not None, checked.diagnostics
    found = WaysAround(build_graph(checked.workflow), lambda name, *_: name == "agree").way_to("pay")
    assert (found is not None) == is_around


BATCH = """\
wfc: 1
workflow: w
start: Asked
end: Paid
events:
  Asked: {bosses: list of string}
  Question: {boss: string}
  Agreed: {boss: string}
  Paid: {n: integer}
steps:
  split:
    kind: transform
    accepts: Asked
    emit: {each: {in: event.bosses, as: boss, event: Question, with: {boss: "${{ boss }}"}, max: 9}}
  agree: {kind: transform, accepts: Question, emit: Agreed}
  pay:
    kind: transform
    accepts: {each: Agreed}
    emit: {event: Paid, with: {n: 1}}
"""


def test_of_an_empty_list_nobody_is_asked() -> None:
    checked = check_text(BATCH.encode(), "w.yaml")
    assert checked.workflow is not None and not checked.failed, checked.diagnostics
    graph = build_graph(checked.workflow)
    assert (
        WaysAround(graph, lambda name, *_: name == "agree").way_to("pay")
        == "start → split → Question → … → pay"
    )
    assert WaysAround(graph, lambda name, *_: name == "split").way_to("pay") is None
