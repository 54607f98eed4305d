"""Where joins get their frames from: the nearest step that every path passes, or the opener of the batch."""

from __future__ import annotations

import pytest

HEAD = """\
wfc: 1
workflow: frames
start: S
end: End
events:
  S: {xs: list of string}
  End: {}
"""


def spec(steps: str, events: str) -> str:
    declared = "".join(f"  {name}: {{}}\n" for name in events.split())
    return f"{HEAD}{declared}steps:\n{steps}"


def steps(text: str) -> str:
    """`name: accepts -> emit`, a step a line."""
    lines = []
    for line in text.strip().splitlines():
        name, _, rest = line.strip().partition(": ")
        accepts, _, emit = rest.partition(" -> ")
        lines.append(f"  {name}:\n    kind: transform\n    accepts: {accepts}\n    emit: {emit}\n")
    return "".join(lines)


def each(event: str) -> str:
    return f"{{each: {{in: inputs.xs, as: x, event: {event}, max: 5}}}}"


@pytest.mark.parametrize(
    ("text", "events", "forks"),
    [
        pytest.param(
            "a: S -> A\nb: S -> B\nj: {all: [A, B]} -> End",
            "A B",
            {"j": None},
            id="the start itself",
        ),
        pytest.param(
            "f: S -> F\na: F -> A\nb: F -> B\nj: {all: [A, B]} -> End",
            "F A B",
            {"j": "f"},
            id="the step before both",
        ),
        pytest.param(
            "f: S -> {all: [A, B]}\na: A -> C\nj: {all: [C, B]} -> End",
            "A B C",
            {"j": "f"},
            id="an emit of all",
        ),
        pytest.param(
            "f: S -> F\na: F -> A\nb: F -> B\nj: {any: [A, B]} -> J\nc: J -> C\nd: J -> D\nk: {all: [C, D]} -> End",
            "F A B J C D",
            {"j": "f", "k": "j"},
            id="one join after another",
        ),
        pytest.param(
            "f: S -> F\ng: F -> G\na: G -> A\nb: G -> B\nc: F -> C\nj: {all: [A, B]} -> J\nk: {all: [J, C]} -> End",
            "F G A B C J",
            {"j": "g", "k": "f"},
            id="a join inside another's region",
        ),
        pytest.param(
            f"f: S -> {each('X')}\na: X -> A\nj: {{each: A}} -> End",
            "X A",
            {"j": "f"},
            id="a batch",
        ),
        pytest.param(
            f"f: S -> {each('X')}\na: X -> A\nb: X -> B\ni: {{all: [A, B]}} -> I\nj: {{each: I}} -> End",
            "X A B I",
            {"i": "f", "j": "f"},
            id="a join within each item",
        ),
        pytest.param(
            f"f: S -> {each('X')}\ng: X -> {each('Y')}\ni: {{each: Y}} -> I\nj: {{each: I}} -> End",
            "X Y I",
            {"i": "g", "j": "f"},
            id="a batch within a batch",
        ),
        pytest.param(
            f"f: S -> {each('X')}\ng: X -> {each('Y')}\ni: {{each: [Y]}} -> I\nh: I -> H\nj: {{each: H}} -> J\n"
            f"m: J -> {each('M')}\nn: {{each: M}} -> End",
            "X Y I H J M",
            {"i": "g", "j": "f", "n": "m"},
            id="batches one after another",
        ),
        pytest.param(
            "f: [S, R] -> F\na: F -> A\nb: F -> B\nj: {all: [A, B]} -> R",
            "F A B R",
            {"j": "f"},
            id="a loop through the fork",
        ),
    ],
)
def test_forks(resolved, text: str, events: str, forks: dict[str, str | None]) -> None:
    result = resolved(spec(steps(text), events))
    assert not result.found
    assert {name: result.step(name).accepts.fork for name in forks} == forks


def test_a_batch_that_nothing_sends_out(resolved) -> None:
    result = resolved(spec(steps("a: S -> A\nj: {each: [A]} -> End"), "A"))
    assert [code for code, _ in result.found] == ["each-outside-batch"]
    assert not result.workflow.whole


def test_a_batch_that_is_collected_already(resolved) -> None:
    text = f"f: S -> {each('X')}\ni: {{each: X}} -> I\nj: {{each: I}} -> End"
    result = resolved(spec(steps(text), "X I"))
    assert result.found == [("each-outside-batch", "I")]


def test_nothing_is_said_of_batches_where_an_event_is_unknown(resolved) -> None:
    text = f"f: S -> {each('Y')}\na: X -> A\nj: {{each: A}} -> End"
    result = resolved(spec(steps(text), "X A"))
    assert [code for code, _ in result.found] == ["unknown-event"]


def test_a_long_chain_of_joins_takes_linear_time(resolved) -> None:
    lines, events = [], []
    before = "S"
    for index in range(300):
        lines += [f"a{index}: {before} -> A{index}", f"b{index}: {before} -> B{index}"]
        lines += [f"j{index}: {{all: [A{index}, B{index}]}} -> {'J' + str(index) if index < 299 else 'End'}"]
        events += [f"A{index}", f"B{index}", f"J{index}"]
        before = f"J{index}"
    result = resolved(spec(steps("\n".join(lines)), " ".join(events)))
    assert not result.errors
    assert result.step("j299").accepts.fork == "j298"
