"""Problems with triggers: schedules, webhooks and topics that start runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, replace_text

__all__ = [
    "bad_cron",
    "bad_webhook_name",
    "start_not_filled",
    "unknown_time_zone",
    "webhook_twice",
]


@problem
def bad_cron(place: Place, text: str, why: str, hint: str, line: str) -> Finding:
    """A cron line cannot be read, or means no time at all.

    A line has five fields: minute (0–59), hour (0–23), day of the month (1–31), month (1–12 or JAN–DEC) and day of
    the week (0–7 or SUN–SAT). In each there may be `*` for any, lists (`1,15`), ranges (`1-5`) and steps (`*/10`).
    There are no seconds, and no signs of other systems such as `L`, `W`, `#` and `?`. What never comes, such as the
    30th of February, is refused too. Write what is meant in these five fields.
    """
    fix = replace_text(place, line, applicability="safe") if line else None
    return Finding("bad-cron", f"`{text[:60]}` cannot be a schedule: {why}", place, hint, fix=fix)


@problem
def unknown_time_zone(place: Place, zone: str, known: Iterable[str]) -> Finding:
    """A schedule names a time zone that there is not.

    A zone is named after a place, such as `Europe/Berlin` or `America/New_York`, because offsets change over the
    year, and each place has rules of its own for that. `UTC` is one too. Write the name of the zone whose clocks the
    schedule is to follow. Python takes the zones from the operating system, or else from the package `tzdata`; where
    there is neither, no zone is known: install it with `pip install tzdata`.
    """
    names = sorted(known)
    word = zone.strip().replace(" ", "_").casefold()
    cities = [name for name in names if name.casefold().rpartition("/")[2] == word]
    same = [name for name in names if name.casefold() == word]
    fix = None
    if not names:
        hint = "this machine knows no time zones at all: `pip install tzdata`"
    elif len({*same, *cities}) == 1:
        (meant,) = {*same, *cities}
        hint = f"write `{meant}`"
        fix = replace_text(place, meant, applicability="safe")
    else:
        offset = any(each.isdigit() for each in zone)  # which no zone of that name has all year
        hint = (
            "" if offset else closest(zone, names)
        ) or "zones are named after places, such as `Europe/Berlin`, or `UTC`"
        fix = None if offset else correct_name(place, zone, names)
    return Finding("unknown-time-zone", f"there is no time zone `{zone[:60]}`", place, hint, fix=fix)


@problem
def bad_webhook_name(place: Place, name: str) -> Finding:
    """The name of a webhook cannot be a part of an address.

    Others send to an address that ends with this name. It has small letters from a to z, digits, `-` and `_`, at
    most 64 of them, and begins and ends with a letter or a digit. Give it such a name, not a whole address.
    """
    return Finding(
        "bad-webhook-name",
        f"`{name[:80]}` cannot be the name of a webhook",
        place,
        "use letters from a to z, digits, `-` and `_`, such as `orders`",
    )


@problem
def webhook_twice(place: Place, name: str, first: Place) -> Finding:
    """Two triggers have the same webhook, in one spec or in two that lie in one folder or are checked together.

    What is sent to an address starts one run. With two triggers for it nobody could tell which of them it is for.
    Give one of them another name.
    """
    return Finding(
        "webhook-twice",
        f"the webhook `{name}` belongs to another trigger already",
        place,
        related=((first, "the other one"),),
    )


@problem
def start_not_filled(
    place: Place, event: str, fields: Sequence[str], *, has_body: bool, within: str = ""
) -> Finding:
    """A trigger starts a run, and nothing says what one of the start event's fields is.

    The fields of the start event come from the trigger's `with`, and else from the fields of `trigger.body` that have
    the same names. A schedule has no body: it has `trigger.due`, the moment at which it was due. Write the value under
    `with`, or give the field a `default` where the event is declared.
    """
    names = " and ".join(f"`{field}`" for field in fields)
    looked = "neither `with` nor `trigger.body` has" if has_body else "`with` does not have"
    them = "it" if len(fields) == 1 else "them"
    # within: the field of the body that has the first of them.
    value = f'"${{{{ trigger.body.{within}.{fields[0]} }}}}"' if within else "…"
    also = f", or declare `{fields[0]}` beside `{within}`, not in it" if within else ""
    return Finding(
        "start-not-filled",
        f"nothing fills {names} of `{event}`: {looked} {them}",
        place,
        f"write `with: {{{', '.join([f'{fields[0]}: {value}', *(f'{field}: …' for field in fields[1:])])}}}`{also}",
        about=tuple(fields),
    )
