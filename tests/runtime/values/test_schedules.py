"""When cron lines are due: against a judge that goes through all minutes of a zone, and at the edges by hand."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from wfc.runtime.values.schedules import next_due
from wfc.schemas.cron import BadCronError, parse_cron

MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
WEEKDAYS = "SUN MON TUE WED THU FRI SAT SUN".split()
JUMPS = [
    ("Europe/Berlin", "2026-03-29"),
    ("Europe/Berlin", "2026-10-25"),
    ("America/New_York", "2027-03-14"),
    ("America/New_York", "2027-11-07"),
    ("Australia/Lord_Howe", "2026-10-04"),  # by half an hour
    ("Australia/Lord_Howe", "2026-04-05"),
    ("America/Sao_Paulo", "2018-11-04"),  # at midnight
    ("America/Sao_Paulo", "2018-02-18"),
    ("Africa/Casablanca", "2026-02-15"),
    ("Asia/Kathmandu", "1986-01-01"),  # by a quarter of an hour
    ("Pacific/Apia", "2011-12-30"),  # a day that there was not
    ("Antarctica/Troll", "2026-03-29"),  # by two hours
    ("America/St_Johns", "2010-11-07"),  # at one minute past midnight
    ("UTC", "2028-02-29"),
    ("Asia/Tokyo", "2026-12-31"),
]


class Line:
    """A random cron line, and what it means, known from how it was made and not from reading it."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.words: list[str] = []
        self.allowed: list[set[int]] = []
        for least, most, names in (
            (0, 59, []),
            (0, 23, []),
            (1, 31, []),
            (1, 12, ["", *MONTHS]),
            (0, 7, WEEKDAYS),
        ):
            word, numbers = self.field(least, most, names)
            self.words.append(word)
            self.allowed.append(numbers)
        self.allowed[4] = {number % 7 for number in self.allowed[4]}
        self.text = (" " * chance.randrange(1, 3)).join(self.words)

    def field(self, least: int, most: int, names: list[str]) -> tuple[str, set[int]]:
        top = 6 if most == 7 else most
        if self.chance.random() < 0.4:
            return "*", set(range(least, top + 1))
        words, numbers = list[str](), set[int]()
        for _ in range(self.chance.randrange(1, 4)):
            first, last = sorted((self.chance.randint(least, most), self.chance.randint(least, most)))
            step = self.chance.choice([1, 2, 7, 15]) if most > 15 else self.chance.choice([1, 2, 3])
            form = self.chance.randrange(4)
            if form == 0:
                words.append(f"*/{step}")
                numbers |= {n for n in range(least, top + 1) if (n - least) % step == 0}
            elif form == 1:
                words.append(self.number(first, names))
                numbers.add(first)
            else:
                ends = f"{self.number(first, names)}-{self.number(last, names)}"
                if names is WEEKDAYS and 0 in (first, last):  # SUN is the last day of a range
                    ends = f"{first}-{last}"
                words.append(ends if form == 2 else f"{ends}/{step}")
                numbers |= {n for n in range(first, last + 1) if form == 2 or (n - first) % step == 0}
        return ",".join(words), numbers

    def number(self, number: int, names: list[str]) -> str:
        if names and self.chance.random() < 0.4:
            return self.chance.choice([names[number], names[number].lower()])
        return self.chance.choice([str(number), f"{number:02}"])

    def means(self, local: datetime) -> bool:
        minutes, hours, days, months, weekdays = self.allowed
        if local.minute not in minutes or local.hour not in hours or local.month not in months:
            return False
        day, weekday = local.day in days, (local.weekday() + 1) % 7 in weekdays
        restricted = [not self.words[2].startswith("*"), not self.words[4].startswith("*")]
        return (day or weekday) if all(restricted) else (day and weekday)


def by_looking_at_each_minute(line: Line, zone: ZoneInfo, after: datetime, until: datetime) -> list[datetime]:
    """The judge: what the clock on the wall shows, minute for minute."""
    found = []
    moment = after
    shown = moment.astimezone(zone)
    while moment < until:
        before = shown
        moment += timedelta(minutes=1)
        shown = moment.astimezone(zone)
        wall = shown.replace(tzinfo=None, fold=0)
        skipped = before.replace(tzinfo=None, fold=0) + timedelta(minutes=1)
        due = not shown.fold and line.means(wall)
        while skipped < wall:
            due = due or line.means(skipped)
            skipped += timedelta(minutes=1)
        if due:
            found.append(moment)
    return found


@pytest.mark.parametrize(
    "number", [*range(36), *(pytest.param(each, marks=pytest.mark.full) for each in range(36, 150))]
)
def test_random_lines_are_due_when_the_clock_on_the_wall_says_so(number: int, seed: str) -> None:
    chance = random.Random(f"{seed} {number}")  # noqa: S311 - the same each time
    place, day = JUMPS[number % len(JUMPS)]
    zone = ZoneInfo(place)
    line = Line(chance)
    middle = datetime.fromisoformat(day).replace(tzinfo=UTC)
    after = middle - timedelta(minutes=chance.randrange(30 * 60))
    until = middle + timedelta(hours=60)
    read = parse_cron(line.text)
    expected = by_looking_at_each_minute(line, zone, after, until)
    moment: datetime | None = after
    if len(expected) > 200:  # a stretch of them is enough
        start = chance.randrange(len(expected) - 100)
        moment, expected = expected[start], expected[start + 1 : start + 100]
    for due in expected:
        assert moment is not None
        moment = next_due(read, zone, moment)
        assert moment == due, line.text
    if len(expected) < 99:
        assert moment is not None
        later = next_due(read, zone, moment)
        assert later is None or later > until, line.text


def dues(text: str, place: str, after: str, count: int) -> list[str]:
    zone = ZoneInfo(place)
    moment: datetime | None = datetime.fromisoformat(after)
    found = []
    for _ in range(count):
        assert moment is not None
        moment = next_due(parse_cron(text), zone, moment)
        assert moment is not None
        found.append(moment.astimezone(zone).isoformat(timespec="minutes"))
    return found


def test_days_that_do_not_come_each_year() -> None:
    assert dues("0 12 29 FEB *", "UTC", "2096-03-01T00:00Z", 2) == [
        "2104-02-29T12:00+00:00",  # 2100 has none
        "2108-02-29T12:00+00:00",
    ]
    assert dues("0 0 31 * *", "UTC", "2026-01-31T00:00Z", 2) == [
        "2026-03-31T00:00+00:00",
        "2026-05-31T00:00+00:00",
    ]


def test_either_day_is_enough_and_a_step_starts_anew() -> None:
    assert dues("0 0 13 * FRI", "UTC", "2026-11-12T00:00Z", 3) == [
        "2026-11-13T00:00+00:00",
        "2026-11-20T00:00+00:00",
        "2026-11-27T00:00+00:00",
    ]
    assert dues("*/7 5 * * *", "UTC", "2026-01-01T05:49Z", 3) == [
        "2026-01-01T05:56+00:00",
        "2026-01-02T05:00+00:00",
        "2026-01-02T05:07+00:00",
    ]


def test_the_moment_itself_is_past_and_the_end_of_time_is_none() -> None:
    assert dues("0 7 * * *", "Europe/Berlin", "2026-06-01T05:00Z", 1) == ["2026-06-02T07:00+02:00"]
    last = datetime(9998, 12, 30, tzinfo=UTC)
    assert next_due(parse_cron("0 0 29 2 *"), ZoneInfo("UTC"), last) is None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "minute, hour"),
        ("0 7 * *", "minute, hour"),
        ("0 0 7 * * 1-5", "seconds and years"),
        ("@daily", "`0 0 * * *`"),
        ("@reboot", ""),
        ("0 0 L * *", "the last day"),
        ("0 0 * * 5L", "no sign for it"),
        ("0 0 15W * *", "no sign for it"),
        ("0 0 * * MON#1", "no sign for it"),
        ("0 0 ? * 1", "`*`"),
        ("60 * * * *", "0 to 59"),
        ("* 24 * * *", "0 to 23"),
        ("* * 0 * *", "1 to 31"),
        ("* * * 13 *", "JAN to DEC"),
        ("* * * * 8", "SUN to SAT"),
        ("*/0 * * * *", "1 to 59"),
        ("5/15 * * * *", "`5-59/15`"),
        ("0 22-2 * * *", "`22-23,0-2`"),
        ("0 0 30 2 *", "29 days"),
        ("0 0 31 4,6 *", "30 days"),
        ("1,,2 * * * *", "0 to 59"),
        ("-1 * * * *", "0 to 59"),
        ("9" * 99 + " * * * *", "0 to 59"),
        ("* " * 400, ""),
        ("٣ * * * *", "0 to 59"),
        ("0\x000 * * * *", "0 to 59"),
    ],
)
def test_what_is_no_cron_line_says_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(BadCronError) as caught:
        parse_cron(text)
    assert hint in caught.value.hint


def test_what_a_hint_says_to_write_is_a_cron_line() -> None:
    for wrong, meant in (("@weekly", "0 0 * * 0"), ("@yearly", "0 0 1 1 *"), ("@hourly", "0 * * * *")):
        with pytest.raises(BadCronError) as caught:
            parse_cron(wrong)
        assert caught.value.line == meant
        assert parse_cron(meant)
