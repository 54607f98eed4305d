"""Problems with what expressions use: values of the wrong type, null, comparisons that decide nothing, filters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem, warning
from wfc.compiler.rules.fixes import append_text, correct_name, replace_text
from wfc.compiler.rules.phrases import article, listed, suggestion

__all__ = [
    "always_true",
    "argument_not_constant",
    "cannot_convert",
    "cannot_group",
    "cannot_order",
    "condition_may_be_null",
    "decimal_with_number",
    "default_never_used",
    "may_be_null",
    "missing_argument",
    "never_empty",
    "never_null",
    "never_true",
    "no_arithmetic",
    "no_parts",
    "no_such_value",
    "not_a_condition",
    "not_comparable",
    "not_ordered",
    "unexpected_argument",
    "unknown_operator",
    "where_without_value",
    "wrong_argument",
    "wrong_filter",
    "wrong_index",
]


MEANT = {"=>": ">=", "=<": "<=", "=": "==", "===": "==", "<>": "!=", "!==": "!="}
"""Comparisons as other languages write them, and slips."""

# --- types


@problem
def may_be_null(place: Place, words: str, testable: bool, use: str = "", instead: str = "") -> Finding:
    """A value that may be missing is used as if it were there.

    What is declared `optional`, or may not have arrived in a join, can be null. Before it is used, say what
    holds then: give a value with `| default(…)`, or ask first. After `x is not none and …`, or in an entry
    whose `when` asks so, the compiler knows that it is there.

    Null differs from everything, so `x != "a"`, `x not in ["a"]` and `not (x == "a")` would hold for null. Say
    whether they are to.
    """
    ask = f", or ask `{words} is not none` first" if testable else ""
    use = f", and is used {use}" if use else ""
    hint = f"write {instead}" if instead else "use `| default(…)`"
    return Finding("may-be-null", f"`{words}` may be null{use}", place, f"{hint}{ask}")


def null_differs(place: Place, whole: Place, words: tuple[str, str], kind: str, *, positive: bool) -> Finding:
    """Return the finding about a comparison that holds for null too, since null differs from everything.

    Args:
        whole: Of the comparison.
        words: What may be null, and the comparison.
        kind: What may be null: a ``path`` that can be asked about, another ``value``, or a path that is compared
            with a text of no letters (``empty``).
        positive: Whether it is a comparison for being different, not one for being equal that must not hold.
    """
    asked, comparison = words
    why = f"`{asked}` may be null, which differs from everything"
    if kind == "value":
        return Finding("may-be-null", why, place, "use `| default(…)`")
    if kind == "empty":
        better = f"{asked} is {'not ' * positive}empty"
        return Finding("may-be-null", why, place, f"write `{better}`", fix=replace_text(whole, better))
    either, both = f"{asked} is none or {comparison}", f"{asked} is not none and {comparison}"
    if positive:
        hint = f"write `{either}` if that is to hold for null too, else `{both}`"
    else:  # it stands behind a `not`, which stays
        hint = f"write `({either})` in its place if the `not` is to leave out null, else `({both})`"
    return Finding("may-be-null", why, place, hint)


@problem
def never_empty(place: Place, words: str, kind: str, nullable: bool) -> Finding:
    """`is empty` asks about something that has no parts.

    A text, a list and a map are empty when there is nothing in them, and null counts as empty too. A number, a date
    or a record is never empty. Whether something is missing is asked with `is none`.
    """
    hint = "ask `is none`, or `is not none`" if nullable else "leave it out, or compare it with something"
    return Finding("never-empty", f"`{words}` is {article(kind)}, which is never empty", place, hint)


@problem
def no_arithmetic(place: Place, operator: str, left: str, right: str, remedy: str) -> Finding:
    """Values are computed with that cannot be.

    Numbers are computed with numbers, decimals with decimals and whole numbers, moments with durations.
    `+` also joins two texts or two lists. To put values into a text use `${{ }}` or `~`.
    """
    what = f"{left} and {right}" if right else left
    return Finding(
        "no-arithmetic",
        f"`{operator}` is not defined for {what}",
        place,
        remedy,
        fix=replace_text(place, "~", old="+") if remedy.startswith("put texts") else None,
    )


@problem
def decimal_with_number(place: Place, operator: str) -> Finding:
    """A decimal is computed with a number.

    Decimals are exact, as money must be; numbers are not (0.1 + 0.2 is not quite 0.3). A result of both
    would look exact and not be. Make both decimals, for example `"0.19" | decimal`; whole numbers go with
    either.
    """
    return Finding(
        "decimal-with-number",
        f"`{operator}` is not defined for a decimal and a number",
        place,
        'write numbers as decimals: `"0.19" | decimal`',
    )


@problem
def not_comparable(place: Place, operator: str, left: str, right: str, hint: str = "") -> Finding:
    """Two values are compared that can never be equal.

    A text never equals a number, and a record never equals one of another type, so the answer would
    always be the same. Compare values of one type; `| integer`, `| string` and their like make one type
    of another.
    """
    return Finding(
        "not-comparable", f"`{operator}` compares {left} with {right}, which never are equal", place, hint
    )


@problem
def not_ordered(place: Place, operator: str, left: str, right: str, hint: str = "") -> Finding:
    """Values are compared for more and less that have no order.

    Numbers, decimals (with whole numbers), texts, dates, moments and durations have an order among their
    own kind. Records, lists, and true and false have none.
    """
    return Finding("not-ordered", f"`{operator}` is not defined for {left} and {right}", place, hint)


@problem
def no_such_value(place: Place, words: str, value: str, known: Sequence[str]) -> Finding:
    """Something is compared with a value that it can never have.

    An enumeration lists all its values. A comparison with any other one never holds: the branch behind it
    would silently never be taken. Most often the value is misspelt.
    """
    return Finding(
        "no-such-value",
        f"`{words}` is never `{value}`",
        place,
        suggestion(value, known),
        fix=correct_name(place, value, known),
    )


@problem
def not_a_condition(place: Place, words: str, kind: str, remedy: str) -> Finding:
    """A condition is neither true nor false.

    Conditions are of type boolean. Whether an empty text, a zero or an empty list counts as no is a
    matter of taste in other languages; here you say what you mean: `name is not empty`, `count != 0`,
    `order is not none`.
    """
    return Finding(
        "not-a-condition",
        f"`{words}` is {article(kind)}, and a condition is true or false",
        place,
        remedy,
        fix=append_text(place, words, f" {asked[1]}")
        if (asked := re.match("ask `([^`]*)`", remedy))
        else None,
    )


@problem
def condition_may_be_null(place: Place, words: str) -> Finding:
    """A condition may be null, which is neither true nor false.

    Say what holds when the value is missing: `| default(false)`.
    """
    return Finding(
        "condition-may-be-null",
        f"`{words}` may be null",
        place,
        "use `| default(false)`",
        fix=append_text(place, words, " | default(false)"),
    )


@problem
def always_true(place: Place, why: str) -> Finding:
    """A condition holds in every case.

    It decides nothing, so either it is superfluous, or something else was meant: often `or` where `and`
    was meant. Remove it, or correct it.
    """
    hint = "leave it out, or correct it if it was to decide something"
    return Finding("always-true", f"this is always true: {why}", place, hint)


@problem
def never_true(place: Place, why: str) -> Finding:
    """A condition holds in no case.

    What depends on it never happens. Either another condition before it has already taken the case, or
    something else was meant: often `and` where `or` was meant.
    """
    hint = "leave it out, with what only it leads to, or correct it if it was to decide something"
    return Finding("never-true", f"this is never true: {why}", place, hint)


@problem
def never_null(place: Place, words: str, negated: bool) -> Finding:
    """Something is asked whether it is missing that is always there.

    Only what is declared `optional`, or may not have arrived in a join, can be null. So the answer is
    always the same. Remove the question, or declare the field optional.
    """
    outcome = "always" if negated else "never"
    hint = "leave this question out" if negated else "leave it out, with what only it leads to"
    hint += "; or declare as `optional` what may be missing"
    return Finding("never-null", f"`{words}` is never null, so this is {outcome} true", place, hint)


@warning
def default_never_used(place: Place, words: str, superfluous: Place, empty: str = "") -> Finding:
    """A default is given for something that is always there.

    `| default(…)` replaces null, and this is never null. (An empty text is not null.) The workflow runs
    all the same, so this is a warning.
    """
    return Finding(
        "default-never-used",
        f"`{words}` is never null, so its default is never used",
        place,
        f"leave it out; for what is empty write {empty}" if empty else "",
        fix=replace_text(superfluous, "", title="leave the default out"),
    )


@problem
def no_parts(place: Place, words: str, kind: str, hint: str = "") -> Finding:
    """An item is asked of something that has none.

    Lists, maps and texts have parts: `items[0]`, `prices["pen"]`, `"a" in name`. Records have fields,
    which stand after a dot.
    """
    return Finding("no-parts", f"`{words}` is {article(kind)}, which has no parts", place, hint)


@problem
def wrong_index(place: Place, of: str, wanted: str, found: str) -> Finding:
    """An item is asked for by something that it cannot be found by.

    Items of a list are numbered, from 0; values of a map are found by a text.
    """
    return Finding(
        "wrong-index",
        f"the parts of {article(of)} are found by {article(wanted)}, not {article(found)}",
        place,
    )


# --- filters


@problem
def wrong_filter(place: Place, words: str, kind: str, name: str, takes: str, hint: str = "") -> Finding:
    """A filter is used on something that it is not for.

    Each filter takes values of certain types; the reference lists them.
    """
    return Finding(
        "wrong-filter", f"`{words}` is {article(kind)}, and `{name}` takes {article(takes)}", place, hint
    )


@problem
def wrong_argument(place: Place, name: str, wanted: str, found: str) -> Finding:
    """A filter, or a text that is used, is given something in parentheses that it does not take.

    What a filter takes in parentheses has a type too; the reference lists them. The types of what a text takes stand
    under its `args`.
    """
    return Finding(
        "wrong-argument", f"`{name}` takes {article(wanted)} here, and this is {article(found)}", place
    )


@problem
def missing_argument(place: Place, name: str, missing: str, signature: str) -> Finding:
    """A filter, or a text that is used, lacks something that it needs in parentheses.

    Some filters need to be told more: `replace` by what, `where` which field. The reference lists what
    each takes. What a text needs stands under its `args`: `{% use greeting(name=event.name) %}`.
    """
    return Finding("missing-argument", f"`{name}` also needs `{missing}`", place, f"write `{signature}`")


@problem
def unexpected_argument(
    place: Place, filter_name: str, argument: str, signature: str, instead: str = ""
) -> Finding:
    """A filter, or a text that is used, is given more in parentheses than it takes, or by a name that it does not know.

    The reference lists what each filter takes, and the `args` of a text say what that takes.
    """
    what = f"takes no `{argument}`" if argument else "takes less than that"
    return Finding(
        "unexpected-argument", f"`{filter_name}` {what}", place, instead or f"its form is `{signature}`"
    )


@problem
def argument_not_constant(place: Place, name: str, argument: str) -> Finding:
    """A filter is given something computed where it must be written out.

    The compiler must know which field is meant, so that it can tell its type. So the name of a field is a
    text in quotes: `pluck("title")`. So is a pattern, which is checked when the spec is: `format("%d.%m.%Y")`.
    """
    return Finding("argument-not-constant", f"`{argument}` of `{name}` must be written out", place)


@problem
def unknown_operator(place: Place, operator: str, known: Sequence[str]) -> Finding:
    """`where` is given a comparison that there is not.

    With three values, the second one says how to compare: `where("total", ">", 10)`.
    """
    return Finding(
        "unknown-operator",
        f"`{operator}` is not a comparison",
        place,
        f"there are {listed(known)}",
        fix=replace_text(place, meant, old=operator, applicability="safe")
        if (meant := MEANT.get(operator))
        else None,
    )


@problem
def where_without_value(place: Place, name: str, kind: str) -> Finding:
    """`where` is given a field that is not boolean, and no value to compare it with.

    `where("paid")` takes the items whose field `paid` is true. For any other field say what it is
    compared with: `where("kind", "book")`.
    """
    return Finding(
        "where-without-value",
        f"`{name}` is {article(kind)}, so `where` needs a value to compare it with",
        place,
    )


@problem
def cannot_order(place: Place, name: str, kind: str) -> Finding:
    """Items are to be ordered that have no order.

    Numbers, texts, dates, moments and durations can be ordered, if none is missing. Records are ordered
    by one of their fields: `sort("total")`.
    """
    return Finding("cannot-order", f"`{name}` cannot order items of type {kind}", place)


@problem
def cannot_group(place: Place, name: str, kind: str) -> Finding:
    """Items are grouped by something that is not a text.

    The groups make a map, whose keys are texts. Group by a field that is a text and always there.
    """
    return Finding("cannot-group", f"`{name}` needs a text to go by, and this is {article(kind)}", place)


@problem
def cannot_convert(place: Place, value: str, name: str) -> Finding:
    """A text is to be read as something that it does not hold.

    Dates and moments are written as ISO 8601 has it (`2026-01-31`, `2026-01-31T10:00:00Z`), durations
    like `30s` or `5 min`, numbers with a point.
    """
    return Finding("cannot-convert", f"`{value[:40]}` cannot be read as {article(name)}", place)
