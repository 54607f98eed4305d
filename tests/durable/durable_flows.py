"""The workflows that are killed, and what is true of each of their runs, however often that happens."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from model_service import FAILS_AT

from wfc.runtime import Engine, Workflow
from wfc.runtime.calls.sibling_modules import sibling_workflow

FOLDER = Path(__file__).with_name("flows")
"""The specs, the tools that they call, and what a person wrote."""


class Said(NamedTuple):
    """Something that a person does: an answer to the question of a step, or a message."""

    kind: str
    step: str
    value: dict[str, Any]
    by: str


class Flow(NamedTuple):
    """A workflow, and what is true of each of its runs.

    Args:
        end: The fields of its end event.
        expected: How often each call is made if nobody is killed: by call and number.
        at_once: How many calls may be under way at the moment of a kill.
        in_order: Whether no call begins again once one with a higher number has begun.
        people: What people do, in this order, each twice.
        parts: The workflows of its parts, some of which it may not wait for.
        may_miss: The calls that a run need not come to, as its time may be up before.
        is_alone: Whether no two calls may be under way at once.
    """

    name: str
    end: dict[str, Any]
    expected: dict[tuple[str, int], int]
    at_once: int = 1
    in_order: bool = False
    people: tuple[Said, ...] = ()
    may_miss: frozenset[tuple[str, int]] = frozenset()
    is_alone: bool = False
    parts: tuple[str, ...] = ()


def once(call: str, *numbers: int) -> dict[tuple[str, int], int]:
    return {(call, number): 1 for number in numbers}


FLAKY = {("flaky", n): 2 if n % 3 == 0 else 1 for n in range(10)}

ALL = (
    Flow("loop", {"n": 20, "seen": list(range(1, 21))}, once("work", *range(20)), in_order=True),
    Flow("bounded", {"seen": list(range(1, 10))}, once("work", *range(9)), in_order=True),
    Flow("budget", {"seen": list(range(1, 12))}, once("work", *range(11)), in_order=True),
    Flow("batch", {"squares": [n * n for n in range(10)], "n": 0}, FLAKY, at_once=3),
    Flow(
        "fan", {"squares": [n * n for n in range(9)]}, {c: k for c, k in FLAKY.items() if c[1] < 9}, at_once=4
    ),
    Flow(
        "quorum",
        {"sum": 32, "name": "connection"},
        {**once("work", 10, 20), **once("dawdle", 30), ("hopeless", 1): 3},
        at_once=3,
        may_miss=frozenset({("dawdle", 30)}),
    ),
    Flow(
        "late",
        {"n": 6, "join": "late"},
        {**once("work", 1, 5), **once("dawdle", 2)},
        at_once=2,
        may_miss=frozenset({("dawdle", 2), ("work", 1)}),
    ),
    Flow("again", {"n": 4}, once("work", *range(4)), in_order=True),
    Flow("leaving", {"why": "three", "undone": [13, 12]}, {**once("work", 1, 2, 12, 11), ("hopeless", 3): 2}),
    Flow(
        "whole",
        {"found": [14, 24, 34]},
        once("work", 0, 1, 12, 13, 22, 23, 32, 33),
        at_once=2,
    ),
    Flow("couple", {"found": [2, 2]}, once("work", 0, 1), at_once=2),
    Flow(
        "either",
        {"n": 3},
        once("work", 1, 2, 50),
        at_once=2,
        parts=("middle", "sleeper"),
        may_miss=frozenset({("work", 50)}),
    ),
    Flow(
        "mail",
        {"heard": [1, 2, 3, 4, 5]},
        once("work", *range(1, 6)),
        in_order=True,
        people=tuple(Said("post", "", {"n": n}, f"message-{n}") for n in range(1, 6)),
    ),
    Flow(
        "ask",
        {"n": 42, "note": "yes"},
        once("work", 0, 41),
        in_order=True,
        people=(Said("answer", "ask", {"n": 41, "note": "yes"}, "user:ann"),),
    ),
    Flow(
        "votes",
        {"sum": 8, "note": "sure"},
        once("work", 7),
        people=(
            Said("answer", "ask", {"n": 3, "note": ""}, "user:ann"),
            Said("answer", "ask", {"n": 4, "note": ""}, "user:bob"),
            Said("answer", "last", {"note": "sure"}, "user:ann"),
        ),
    ),
    Flow(
        "by_hand",
        {"n": 5, "words": ["begun", "heard 50"], "pieces": [0, 1, 2, 3, 4], "part": 51},
        {**once("begin", 0), **once("gather", *range(5)), **once("listen", 5), **once("part", 50)},
        at_once=2,
    ),
    Flow("models", {"said": [1, 2, 3, 4, 5]}, {**once("first", *range(5)), **once("other", FAILS_AT)}),
    Flow("agent", {"n": 4}, {**once("first", *range(4)), **once("work", *range(3))}),
    Flow(
        "news",
        {"heard": [1, 2, 3]},
        once("work", *range(1, 4)),
        in_order=True,
        people=tuple(Said("publish", "news", {"n": n}, f"{n}") for n in range(1, 4)),
    ),
    Flow(
        "gated",
        {"found": [12, 22, 32]},
        once("linger", 10, 11, 20, 21, 30, 31),
        is_alone=True,
        parts=("narrow",),
    ),
)

NAPPING = Flow("long", {"n": 40}, once("nap", *range(40)), in_order=True)
"""It takes two seconds at least."""


def guests_of(n: int, *, is_first: bool) -> Flow:
    """What is true of runs that want the same run of another workflow: who has started it has its calls."""
    calls = once("work", n, n + 1) if is_first else {}
    return Flow("guest", {"n": n + 2}, calls, in_order=True, parts=("shared",))


ASKING = frozenset({"models", "agent"})
"""Flows that ask models."""

OTHERS = ("guest", "long", "many", "poison")
"""Flows for single tests."""

FLOWS = {flow.name: flow for flow in ALL}


def workflow_of(folder: Path, flow: str, engine: Engine | None = None) -> Workflow:
    """The workflow of a flow: compiled in a folder, or what a person wrote."""
    if flow == "by_hand":
        module = importlib.import_module("by_hand")
        made: Workflow = module.ByHand(timeout=None, engine=engine, workflow_name="by_hand")
        made.add_workflows(part=module.Part(timeout=None, engine=engine))
        return made
    kind = sibling_workflow(folder, flow)
    assert kind is not None
    found: Workflow = kind(engine=engine)
    return found
