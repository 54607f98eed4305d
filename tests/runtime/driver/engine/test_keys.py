"""What identifies a run, and what a second start under one key does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keyed_flows import Order, keyed, outcome

from wfc.runtime import (
    Engine,
    ExpressionError,
    Limits,
    RunExistsError,
    StopEvent,
    WorkflowHandler,
    runs_per,
    step,
)
from wfc.runtime.authoring.run_rules import key_text
from wfc.runtime.testing import run_virtually

Virtually = Callable[[Callable[[], Any]], Any]


@pytest.mark.parametrize(
    ("way", "log", "results"),
    [
        ("parallel", ["+one 0", "+two 1", "-one 10", "-two 11"], ["one", "two"]),
        ("join", ["+one 0", "-one 10"], ["one", "one"]),
        ("queue", ["+one 0", "-one 10", "+two 10", "-two 20"], ["one", "two"]),
        (
            "replace",
            ["+one 0", "-one 1", "+two 1", "-two 11"],
            ["cancelled: another run with the key 'A' was started in its place", "two"],
        ),
    ],
)
def test_what_a_second_start_under_one_key_does(
    virtually: Virtually, way: str, log: list[str], results: list[str]
) -> None:
    flow = keyed(way)
    engine = Engine()

    async def main() -> list[str]:
        first = flow(engine=engine).run(shop="one")
        await asyncio.sleep(1)
        second = flow(engine=engine).run(shop="two")
        assert (first.run_id == second.run_id) is (way == "join")
        return [await outcome(first), await outcome(second)]

    assert virtually(main) == results
    assert flow.log == log  # type: ignore[attr-defined]
    assert not engine._runs
    assert not engine._keyed
    assert not engine._gates


@pytest.mark.parametrize("way", ["reject", None])
def test_a_second_start_may_be_refused(virtually: Virtually, way: str | None) -> None:
    flow = keyed(way)

    async def main() -> None:
        made = flow(engine=Engine())
        first = made.run()
        with pytest.raises(RunExistsError, match="'A' is not over") as caught:
            made.run(shop="two")
        assert caught.value.run_id == first.run_id
        assert caught.value.name == "run.exists"
        assert await made.run(order_id="B", shop="other") == "other"
        await first
        assert await made.run(shop="again") == "again"

    virtually(main)


@pytest.mark.parametrize("way", ["reject", "queue", "replace", "join", "parallel"])
def test_many_starts_at_once_under_one_key(virtually: Virtually, way: str) -> None:
    flow = keyed(way)
    engine = Engine()

    async def start(number: int) -> str:
        await asyncio.sleep(number % 7)
        try:
            return await outcome(flow(engine=engine).run(shop=str(number)))
        except RunExistsError:
            return "refused"

    async def main() -> list[str]:
        return await asyncio.gather(*(start(number) for number in range(40)))

    results = virtually(main)
    done = [one for one in results if one.isdigit()]
    most = now = 0
    for line in flow.log:  # type: ignore[attr-defined]
        now += 1 if line[0] == "+" else -1
        most = max(most, now)
    assert most == (40 if way == "parallel" else 1)
    match way:
        case "parallel" | "queue":
            assert results == [str(number) for number in range(40)]
        case "join":
            assert set(results) == {"0"}
        case "reject":
            assert done == ["0"]
        case "replace":
            assert [int(one) % 7 for one in done] == [6]  # one of those that came last
    assert not engine._keyed
    assert not engine._gates


def test_a_run_that_replaces_another_waits_until_that_has_cleaned_up(virtually: Virtually) -> None:
    flow = keyed("replace", cleaning=2)

    async def main() -> None:
        made = flow(engine=Engine())
        first = made.run(shop="one")
        await asyncio.sleep(1)
        second = made.run(shop="two", seconds=1)
        assert first.is_done()
        await second
        await outcome(first)

    virtually(main)
    assert flow.log == ["+one 0", "-one 3", "+two 3", "-two 6"]  # type: ignore[attr-defined]


def test_cleaning_up_without_end_holds_nobody_up_for_ever(virtually: Virtually) -> None:
    flow = keyed("replace", cleaning=1000)

    async def main() -> float:
        made = flow(engine=Engine(), timeout=None)
        first = made.run(shop="one")
        await asyncio.sleep(1)
        made.run(shop="two", seconds=1)
        await outcome(first)
        await asyncio.sleep(7)
        return len(flow.log)  # type: ignore[attr-defined]

    assert virtually(main) == 2


def test_a_queued_run_that_is_cancelled_makes_room(virtually: Virtually) -> None:
    flow = keyed("queue", Limits(concurrent_runs=1))
    engine = Engine()

    async def main() -> list[str]:
        made = flow(engine=engine)
        first, second, third = (made.run(shop=shop) for shop in ("one", "two", "three"))
        other = made.run(order_id="B", shop="other")
        await asyncio.sleep(1)
        await second.cancel_run()
        return [await outcome(one) for one in (first, second, third, other)]

    assert virtually(main) == ["one", "cancelled: the run was cancelled", "three", "other"]
    # the other one was in line for the only place before the third had its key
    assert flow.log[::2] == ["+one 0", "+other 10", "+three 20"]  # type: ignore[attr-defined]
    assert not engine._gates


@pytest.mark.parametrize(
    ("per", "begun"),
    [(False, ["+one 0", "+one 0", "+two 10", "+two 10"]), (True, ["+one 0", "+two 0", "+one 10", "+two 10"])],
)
def test_so_many_runs_at_once_in_all_or_for_each_value(
    virtually: Virtually, per: bool, begun: list[str]
) -> None:
    base = keyed("parallel")

    class Bounded(base, limits=Limits(concurrent_runs=1 if per else 2)):  # type: ignore[misc, valid-type]
        log: list[str] = []  # noqa: RUF012

    if per:

        class PerShop(Bounded):
            @runs_per
            def per(self, inputs: Order) -> str:
                return inputs.shop

        Bounded = PerShop  # type: ignore[misc, assignment]  # noqa: N806

    async def main() -> None:
        engine = Engine()
        # each has an object of its own: it is the class that bounds them
        starts = [
            Bounded(engine=engine).run(shop=shop, order_id=i)
            for i, shop in enumerate(["one", "one", "two", "two"])
        ]
        await asyncio.gather(*(outcome(one) for one in starts))

    virtually(main)
    assert [line for line in Bounded.log if line[0] == "+"] == begun


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ("7", 7),
        (7, "7"),
        (True, "True"),
        (date(2026, 1, 31), "2026-01-31"),
        ("a b", "a b"),
        ("", ""),
    ],
)
def test_keys_are_compared_as_texts(virtually: Virtually, value: object, same: object) -> None:
    async def main() -> None:
        made = keyed("reject")(engine=Engine())
        made.run(order_id=value)
        with pytest.raises(RunExistsError):
            made.run(order_id=same)

    virtually(main)


@pytest.mark.parametrize("value", [None, [1], {"a": 1}])
def test_what_identifies_nothing_is_no_key(virtually: Virtually, value: object) -> None:
    engine = Engine()

    async def main() -> None:
        with pytest.raises(ExpressionError, match="a key must be"):
            keyed("reject")(engine=engine).run(order_id=value)

    virtually(main)
    assert not engine._runs


WAYS = ["reject", "queue", "replace", "join", "parallel"]


@settings(max_examples=60)
@given(
    way=st.sampled_from(WAYS),
    most=st.sampled_from([None, 1, 2]),
    cleaning=st.sampled_from([0, 1]),
    acts=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["start", "cancel", "wait"]), st.integers(0, 4)),
        max_size=25,
    ),
)
def test_whatever_is_started_and_cancelled_the_rules_hold(
    way: str, most: int | None, cleaning: float, acts: list[tuple[int, str, int]]
) -> None:
    """Under a key there is one run at work, unless ``parallel``; the bound holds; all end, and nothing is kept."""
    flow = keyed(way, Limits(concurrent_runs=most) if most else None, cleaning)
    engine = Engine()
    at_work: dict[str, int] = {}

    class Watched(flow):  # type: ignore[misc, valid-type]
        @step
        async def work(self, ev: Order) -> StopEvent:
            at_work[ev.order_id] = at_work.get(ev.order_id, 0) + 1
            assert way == "parallel" or at_work[ev.order_id] == 1
            assert most is None or sum(at_work.values()) <= most
            try:
                await asyncio.sleep(ev.seconds)
            finally:
                try:
                    await asyncio.sleep(cleaning)
                finally:
                    at_work[ev.order_id] -= 1
            return StopEvent()

    async def main() -> None:
        made = Watched(engine=engine, timeout=None)
        handlers: list[WorkflowHandler] = []
        for key, act, number in acts:
            if act == "wait":
                await asyncio.sleep(number)
            elif act == "cancel" and handlers:
                await handlers[number % len(handlers)].cancel_run(timeout=0.1)
            elif act == "start":
                try:
                    handlers.append(made.run(order_id=str(key), seconds=number))
                except RunExistsError:
                    assert way == "reject"
        for handler in handlers:
            await outcome(handler)
        await asyncio.sleep(10)

    run_virtually(main)
    assert not any(at_work.values())
    assert not engine._runs
    assert not engine._keyed
    assert not engine._gates


@pytest.mark.parametrize("way", ["reject", "queue"])
def test_one_key_is_one_run_s_over_threads_too(way: str) -> None:
    flow = keyed(way)
    engine = Engine()
    begin = threading.Barrier(8)
    results: list[str] = []

    def start() -> None:
        async def main() -> str:
            begin.wait(240)
            try:
                return await outcome(flow(engine=engine).run(seconds=0.01))
            except RunExistsError:
                return "refused"

        results.append(asyncio.run(main()))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    lines = [line[0] for line in flow.log]  # type: ignore[attr-defined]
    assert lines == ["+", "-"] * (len(lines) // 2)  # never two at once
    assert results.count("one") == len(lines) // 2
    assert way == "reject" or results == ["one"] * 8
    assert not engine._gates


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["a"], "a"),
        ([1, 1.0, Decimal(1), Decimal("1.00"), Decimal("1e0")], "1"),
        ([0, 0.0, -0.0, Decimal("-0.00"), Decimal("0e9")], "0"),
        ([100, 1e2, Decimal("1e2"), Decimal("100.0")], "100"),
        ([1.5, Decimal("1.50")], "1.5"),
        ([Decimal("-0.10"), -0.1], "-0.1"),
        (
            [Decimal("1234567890123456789012345678901234567890.5")],
            "1234567890123456789012345678901234567890.5",
        ),
        ([Decimal("1e99999999"), Decimal("10e99999998")], "1e99999999"),
        ([date(2026, 5, 1), "2026-05-01"], "2026-05-01"),
        (
            [
                datetime(2026, 5, 1, 10, tzinfo=UTC),
                datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2))),
            ],
            "2026-05-01 10:00:00+00:00",
        ),
        ([timedelta(hours=24), timedelta(days=1)], "1 day, 0:00:00"),
        ([True], "True"),
    ],
)
def test_equal_values_are_one_key(values: list[object], text: str) -> None:
    assert {key_text(value) for value in values} == {text}


@pytest.mark.parametrize("value", [None, [], {}, b"a", object()])
def test_what_cannot_be_a_key_is_said(value: object) -> None:
    with pytest.raises(ExpressionError, match="a key must be a text, a number or a date, not"):
        key_text(value)
