"""Patterns whose point is what really happens: compiled specs against a real service, and runs that talk."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from wfc.runtime import Engine, QuestionAsked
from wfc.runtime.testing import MockAnswer, SpecTest, run_test

LOST = None
"""An answer of the service that gets lost."""

GIVEN = {"donation_id": "d1", "card": "4000", "amount": "20"}


def run(workflow: type[Any], **inputs: Any) -> Any:
    """Runs a workflow with inputs as JSON has them; gives its end event."""

    async def main() -> Any:
        made = workflow(engine=Engine())
        start = made.start_event_class.model_validate_json(json.dumps(inputs))
        return await made.run(start_event=start)

    return asyncio.run(main())


class Bank:
    """Takes money once for each key, and stumbles as it is told, after taking it."""

    def __init__(self, *stumbles: Any) -> None:
        self.stumbles = list(stumbles)
        self.taken: dict[str, Decimal] = {}

    def __call__(self, asked: Any) -> Any:
        assert asked.headers["authorization"] == "Bearer a-key-of-no-worth"
        key = asked.headers["idempotency-key"]
        if key not in self.taken:
            self.taken[key] = Decimal(asked.body["amount"])
        return self.stumbles.pop(0) if self.stumbles else (200, {"receipt": f"for {key}"})


@pytest.fixture
def donation(compiled: Any, monkeypatch: pytest.MonkeyPatch, service: Any) -> Any:
    monkeypatch.setenv("WFC_BANK_URL", service.url)
    monkeypatch.setenv("BANK_KEY", "a-key-of-no-worth")
    return compiled("donation", delay="10 ms")


def test_a_card_is_charged_once_though_answers_get_lost(donation: Any, service: Any) -> None:
    service.answer = bank = Bank(LOST, (503, None), LOST)
    end = run(donation, **GIVEN)
    assert (type(end).__name__, end.receipt) == ("DonationTaken", "for donation-d1")
    assert [asked.headers["idempotency-key"] for asked in service.asked] == ["donation-d1"] * 4
    assert bank.taken == {"donation-d1": Decimal(20)}


def test_pressing_the_button_twice_takes_the_money_once(donation: Any, service: Any) -> None:
    service.answer = bank = Bank()
    assert run(donation, **GIVEN).receipt == run(donation, **GIVEN).receipt
    assert len(service.asked) == 2
    assert bank.taken == {"donation-d1": Decimal(20)}


def test_a_refused_card_is_not_tried_again_and_silence_is_not_taken_for_a_refusal(
    donation: Any, service: Any
) -> None:
    service.answer = lambda asked: (402, None)
    assert run(donation, **GIVEN).reason == "http.402"
    assert len(service.asked) == 1
    service.answer = lambda asked: LOST
    end = run(donation, **GIVEN)
    assert (type(end).__name__, end.why, len(service.asked)) == ("DonationUnclear", "connection", 6)


def test_a_trip_that_cannot_be_had_leaves_nothing_booked(
    compiled: Any, monkeypatch: pytest.MonkeyPatch, service: Any
) -> None:
    booked: list[str] = []

    def answer(asked: Any) -> Any:
        kind, _, number = asked.path[1:].partition("/")
        if asked.method == "DELETE":
            booked.remove(f"{kind}/{number}")
            return 204, None
        if kind == "cars":
            return 409, {"why": "none left"}
        booked.append(f"{kind}/{len(booked)}")
        return 200, {"number": str(len(booked) - 1)}

    monkeypatch.setenv("WFC_BOOKING_URL", service.url)
    service.answer = answer
    end = run(compiled("trip_booking"), traveller="Ada", city="Rome", day="2026-06-01")
    assert (type(end).__name__, end.why, booked) == ("TripUndone", "book_car: http.409", [])
    undone = [asked.path for asked in service.asked if asked.method == "DELETE"]
    assert undone == ["/hotels/1", "/flights/0"]


def test_all_pages_of_a_real_service_are_read_in_order(
    compiled: Any, monkeypatch: pytest.MonkeyPatch, service: Any
) -> None:
    def answer(asked: Any) -> Any:
        page = int(asked.query.get("after", "0"))
        works = [{"title": f"{asked.query['painter']} {page}.{each}", "room": "1"} for each in range(2)]
        return 200, {"works": works, "next": str(page + 1) if page < 3 else None}

    monkeypatch.setenv("WFC_MUSEUM_URL", service.url)
    service.answer = answer
    end = run(compiled("museum_catalogue"), painter="Hals & Co")
    assert [work.title for work in end.works] == [f"Hals & Co {p}.{n}" for p in range(4) for n in range(2)]
    assert "after" not in service.asked[0].query
    assert end.rooms == {"1": 8}


def test_only_what_failed_is_sent_again_and_nobody_is_reminded_twice(
    compiled: Any, monkeypatch: pytest.MonkeyPatch, service: Any
) -> None:
    tries: Counter[str] = Counter()
    delivered: set[str] = set()

    def answer(asked: Any) -> Any:
        phone = asked.body["to"]
        tries[phone] += 1
        if phone == "no":
            return 422, None
        delivered.add(asked.headers["idempotency-key"])  # the message goes out …
        return LOST if phone == "7" and tries[phone] < 4 else (200, {})  # … though its answer gets lost

    monkeypatch.setenv("WFC_MESSAGES_URL", service.url)
    service.answer = answer
    reminders = compiled("appointment_reminders", delay="10 ms", **{"for": "10 ms"})
    patients = [{"name": f"P{n}", "phone": str(n), "at": "2026-05-02T09:00:00Z"} for n in range(20)]
    lost = {"name": "Zoe", "phone": "no", "at": "2026-05-02T09:00:00Z"}
    end = run(reminders, patients=[*patients, lost])
    assert [(tried.patient.name, tried.reason) for tried in end.missed] == [("Zoe", "http.422")]
    assert (tries.pop("7"), tries.pop("no"), set(tries.values())) == (4, 3, {1})
    assert len(delivered) == 20


MEALS = [(1, "soup"), (2, "pancakes"), (1, "a small pudding")]


def test_waiter_and_kitchen_send_each_other_messages(compiled: Any) -> None:
    waiter, kitchen = compiled("restaurant_order", "kitchen")

    async def evening() -> list[int]:
        engine = Engine()
        cook = kitchen(engine=engine).run(name="main")
        orders = [waiter(engine=engine).run(table=table, dish=dish) for table, dish in MEALS]
        cooked = 0
        async for asked in cook.stream_events():
            if isinstance(asked, QuestionAsked):
                await cook.answer(asked.id, {"minutes": len(asked.title)}, by="user:cook")
                cooked += 1
            if cooked == len(MEALS):
                break
        served = [(await order).minutes for order in orders]
        await cook.cancel_run()
        return served

    # each dish comes to its own table, and the second one of table 1 after the first
    assert asyncio.run(evening()) == [len(f"{dish} for table {table}") for table, dish in MEALS]


def test_without_a_kitchen_the_waiter_says_so(compiled: Any) -> None:
    waiter, _ = compiled("restaurant_order", "kitchen")
    assert run(waiter, table=1, dish="soup").reason == "the kitchen is closed"


@pytest.mark.parametrize("count", [1, 100, 10_000])
def test_each_of_many_chapters_is_summarised_once(compiled: Any, count: int) -> None:
    chapters = [{"title": str(number), "text": "x" * (number != 5)} for number in range(count)]
    answers = [MockAnswer(error="model") if number == 7 else MockAnswer("short") for number in range(count)]
    left_out = (count > 5) + (count > 8)  # the empty one, and the one whose summary failed
    case = SpecTest(
        "many",
        start={"chapters": chapters},
        mock={"summarise": answers, "reduce": [MockAnswer("a summary")]},
        expect={"end": "BookSummarised", "with": {"chapters": count - left_out}, "ran": {"reduce": 1}},
    )
    assert run_test(compiled("map_reduce"), case).problems == ()
