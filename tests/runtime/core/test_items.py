"""Joins within the items of a batch, and joins that come to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import All, AllOf, AtLeast, EachOf, Event, StartEvent, StopEvent, Workflow, transform

Play = Callable[..., Any]


class Began(StartEvent):
    names: tuple[str, ...] = ()


class Item(Event):
    name: str


class P(Event):
    name: str


class Q(Event):
    name: str


class Both(Event):
    name: str


class Done(StopEvent):
    names: list[str]


class EachItemJoined(Workflow):
    """Two steps take each item, and a join pairs what they make of it."""

    @transform
    def send(self, event: Began) -> list[Item]:
        return [Item(name=name) for name in event.names]

    @transform
    def p(self, event: Item) -> P:
        return P(name=event.name)

    @transform
    def q(self, event: Item) -> Q:
        return Q(name=event.name)

    @transform(join=AllOf(fork="send"))
    def both(self, p: P, q: Q) -> Both:
        return Both(name=p.name + q.name)

    @transform(join=EachOf(fork="send"))
    def gather(self, events: list[Both]) -> Done:
        return Done(names=[event.name for event in events])


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "c"]])
def test_each_item_has_a_frame_of_its_own(play: Play, names: list[str]) -> None:
    assert play(EachItemJoined, names=tuple(names)).names == [name + name for name in names]


class Go(Event):
    pass


class On(Event):
    left: int


class TooFew(Workflow):
    """Only one of the two that a join waits for comes, and the run goes on elsewhere."""

    @transform
    def send(self, event: Began) -> All[Go, On]:
        return All(Go(), On(left=3))

    @transform
    def go(self, event: Go) -> Item:
        return Item(name="x")

    @transform
    def p(self, event: Item) -> P:
        return P(name=event.name)

    @transform
    def q(self, event: Item) -> Q | None:
        return None

    @transform(join=AtLeast(2, fork="go"))
    def quorum(self, p: P | None, q: Q | None) -> None:
        return None

    @transform
    def on(self, event: On) -> On | Done:
        return On(left=event.left - 1) if event.left else Done(names=["on"])


def test_a_join_of_some_that_gets_too_few_comes_to_nothing(play: Play) -> None:
    assert play(TooFew).names == ["on"]


class EndsByTimeOut(Workflow):
    """One join waits in vain, and the time-out of another ends the run."""

    @transform
    def send(self, event: Began) -> All[Go, Item]:
        return All(Go(), Item(name="x"))

    @transform
    def p(self, event: Item) -> P | Q:
        return P(name=event.name)

    @transform(join=AllOf(fork="send"))
    def both(self, p: P, q: Q) -> Both:
        return Both(name=p.name + q.name)

    @transform(join=AllOf(fork="send", within=5, proceed=True))
    def late(self, go: Go | None, both: Both | None) -> Done:
        return Done(names=["late"])


def test_a_run_that_a_time_out_can_end_is_not_stuck(play: Play) -> None:
    assert play(EndsByTimeOut).names == ["late"]
