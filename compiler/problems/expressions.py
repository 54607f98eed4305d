"""Problems with expressions: how they are written, the names they mention, the types of what they use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place, Severity
from wfc.compiler.problems import closest, problem

__all__ = [
    "always_true",
    "argument_not_constant",
    "braces_without_dollar",
    "cannot_convert",
    "cannot_group",
    "cannot_order",
    "chained_comparison",
    "comment_braces",
    "condition_may_be_null",
    "decimal_with_number",
    "default_never_used",
    "empty_expression",
    "expression_too_long",
    "foreign_operator",
    "if_without_else",
    "key_twice",
    "may_be_null",
    "method_call",
    "missing_argument",
    "needs_json",
    "never_null",
    "never_true",
    "no_arithmetic",
    "no_fields",
    "no_parts",
    "no_power",
    "no_slice_step",
    "no_such_value",
    "no_tuple",
    "not_a_condition",
    "not_a_list",
    "not_comparable",
    "not_ordered",
    "number_out_of_range",
    "only_some_have",
    "private_name",
    "statement_elsewhere",
    "statement_not_ended",
    "statement_out_of_place",
    "stray_character",
    "unclosed_braces",
    "unclosed_bracket",
    "unclosed_text",
    "unexpected_argument",
    "unexpected_token",
    "unfinished_expression",
    "unknown_escape",
    "unknown_field",
    "unknown_filter",
    "unknown_name",
    "unknown_operator",
    "unknown_statement",
    "unknown_test",
    "where_without_value",
    "wrong_argument",
    "wrong_filter",
    "wrong_index",
]


def _listed(names: Iterable[str], limit: int = 8) -> str:
    shown = [f"`{name}`" for name in names]
    return f"{', '.join(shown[:limit])}{' …' if len(shown) > limit else ''}"


def _suggestion(name: str, known: Sequence[str]) -> str:
    """The name most like this one; else those that there are."""
    if hint := closest(name, known):
        return hint
    if not known:
        return ""
    return f"there is {_listed(known)}" if len(known) == 1 else f"there are {_listed(known)}"


# --- how expressions are written


@problem
def empty_expression(place: Place) -> Finding:
    """Nothing stands where an expression is wanted.

    `${{ }}` puts a value into a text, and a condition asks something; here is neither. Write an expression, such as
    `event.name`, or remove the braces.
    """
    return Finding("empty-expression", "an expression is wanted here", place, "for example `event.name`")


@problem
def unclosed_braces(place: Place, opening: str, closing: str) -> Finding:
    """An expression or a statement is opened, and never closed.

    An expression in a text stands between `${{` and `}}`, a statement in a prompt between `{%` and `%}`. Add the end.
    To write the characters themselves, put them into an expression as a text: `${{ "${{" }}`.
    """
    return Finding("unclosed-braces", f"`{opening}` is not closed", place, f"add `{closing}`")


@problem
def unclosed_text(place: Place, quote: str) -> Finding:
    """A text in quotes does not end.

    Texts in an expression stand between two quotes of the same kind. Add the second one. Where the text holds that kind
    of quote itself, use the other kind around it, or write `\\` before each.
    """
    return Finding("unclosed-text", "this text does not end", place, f"add `{quote}`")


@problem
def unclosed_bracket(place: Place, opened: str, closing: str) -> Finding:
    """A bracket is opened, and never closed.

    Each `(`, `[` and `{` needs its counterpart. Add it where the part in brackets ends.
    """
    return Finding("unclosed-bracket", f"`{opened}` is not closed", place, f"add `{closing}`")


@problem
def stray_character(place: Place, character: str) -> Finding:
    """A character stands in an expression that means nothing there.

    Expressions are made of names, numbers, texts in quotes, and a few signs. Texts need quotes; typographic quotes and
    signs copied from elsewhere do not count.
    """
    hint = "texts stand in straight quotes" if character in "“”„‘’‚«»´`" else ""
    return Finding("stray-character", f"`{character}` means nothing in an expression", place, hint)


@problem
def unexpected_token(place: Place, found: str, wanted: str) -> Finding:
    """An expression goes on in a way that it cannot.

    Perhaps an operator is missing between two values, or a text lacks its quotes, or a bracket is closed that was never
    opened.
    """
    return Finding("unexpected-token", f"wanted {wanted}, found `{found}`", place)


@problem
def unfinished_expression(place: Place, wanted: str, after: str) -> Finding:
    """An expression stops in the middle.

    After an operator, a dot or a comma something must follow. Write it, or remove what stands at the end.
    """
    return Finding(
        "unfinished-expression", f"wanted {wanted} after `{after}`" if after else f"wanted {wanted}", place
    )


@problem
def foreign_operator(place: Place, found: str, meant: str) -> Finding:
    """A sign of another language stands in an expression.

    Conditions are put together with `and`, `or` and `not`; values are compared with `==` (two signs: one alone would
    assign, and expressions change nothing); a choice is written `a if condition else b`.
    """
    return Finding("foreign-operator", f"`{found}` means nothing here", place, f"write `{meant}`")


@problem
def unknown_escape(place: Place, found: str) -> Finding:
    """A backslash in a text is followed by something that it does not go with.

    In a text in quotes, `\\n` is a new line, `\\t` a tab, `\\\\` a backslash, `\\"` a quote, and `\\u00e9` the letter of
    that number. Write two backslashes where you mean one.
    """
    return Finding(
        "unknown-escape", f"`{found}` means nothing in a text", place, "write `\\\\` for a backslash"
    )


@problem
def number_out_of_range(place: Place) -> Finding:
    """A number is too large to be computed with.

    Numbers with a point reach to about 1.8e308, and whole numbers may have 400 digits.
    """
    return Finding("number-out-of-range", "this number is too large", place)


@problem
def expression_too_long(place: Place) -> Finding:
    """An expression has too many parts, or is nested too deep.

    Nobody can review it, and it was probably made by accident. Compute parts of it in steps before, and keep them in
    `state` or in an event.
    """
    return Finding(
        "expression-too-long", "this expression is too long or nested too deep", place, "split it up"
    )


@problem
def chained_comparison(place: Place, operator: str) -> Finding:
    """Two comparisons stand in a row.

    `1 < x < 5` means different things in different languages. Write what you mean: `1 < x and x < 5`.
    """
    return Finding(
        "chained-comparison", f"`{operator}` follows another comparison", place, "join the two with `and`"
    )


@problem
def if_without_else(place: Place) -> Finding:
    """A choice says what holds in one case only.

    `a if condition` leaves open what the value is when the condition does not hold. Add `else` and a value, if need be
    `else none`.
    """
    return Finding("if-without-else", "this `if` has no `else`", place, "add `else` and a value")


@problem
def no_power(place: Place) -> Finding:
    """`**` is not an operator of expressions.

    Languages disagree on what `-2 ** 2` is, and large powers can stop a program for minutes. Multiply, or let a tool
    compute it.
    """
    return Finding("no-power", "there is no `**`", place, "multiply with `*`, or let a tool compute it")


@problem
def no_slice_step(place: Place) -> Finding:
    """A part of a list is taken with a step.

    `items[1:5]` takes a part; a third number is not in the language. For the reverse order there is the filter `reverse`.
    """
    return Finding(
        "no-slice-step", "a part of a list has a beginning and an end, and no step", place, "use `| reverse`"
    )


@problem
def no_tuple(place: Place) -> Finding:
    """Several values stand in parentheses.

    Parentheses only group. A list stands in square brackets: `[a, b]`.
    """
    return Finding("no-tuple", "several values stand in square brackets", place, "write `[a, b]`")


@problem
def method_call(place: Place, name: str) -> Finding:
    """Something is called like a function.

    Expressions call nothing: whatever could be called could also do something. What changes a value is a filter, after a
    `|`: `name | upper`, `items | length`. What there is no filter for, a tool can compute.
    """
    return Finding(
        "method-call", f"`{name}` cannot be called", place, f"filters stand after `|`: `… | {name}`"
    )


@problem
def key_twice(place: Place, name: str) -> Finding:
    """A record written in an expression has a field twice.

    Only one of the values could count. Remove the other one.
    """
    return Finding("key-twice", f"`{name}` is already a field of this record", place, "remove one of them")


# --- names


WHERE_NAMES_ARE = {
    "event": "`event` is the one event that a step accepts; a join has `events`",
    "events": "`events` is what a join has accepted; other steps have `event`",
    "result": "`result` is what the step's action gave; it is there after it only",
    "error": "`error` is there in `on_error` only",
    "response": "`response` is there after an `http` action only",
    "args": "`args` is there in a tool's own binding only",
    "state": "`state` cannot be used here",
    "config": "`config` cannot be used here",
    "inputs": "`inputs` cannot be used here",
    "run": "`run` cannot be used here",
}


@problem
def unknown_name(place: Place, name: str, known: Sequence[str]) -> Finding:
    """An expression begins with a name that means nothing at its place.

    Every expression begins with one of a few names: `event` (what the step accepted), `events` (what a join accepted),
    `result` (of the step's action), `inputs`, `state`, `config`, `run`, and the items of an `each`. Which of them there are
    depends on the place. A text needs quotes: `"billing"`.
    """
    hint = WHERE_NAMES_ARE.get(name) or _suggestion(name, known) or "texts stand in quotes"
    return Finding("unknown-name", f"there is no `{name}` here", place, hint)


@problem
def private_name(place: Place, name: str) -> Finding:
    """A name that begins with `_` is mentioned.

    Such names are kept for the program itself. No declared name begins so, and no expression can reach one.
    """
    return Finding("private-name", f"`{name}` begins with `_`, and such names cannot be used", place)


@problem
def unknown_field(place: Place, name: str, of: str, known: Sequence[str]) -> Finding:
    """A field is mentioned that there is not.

    What fields an event, a record, a result or the state has is declared, each with its type. Write the field's name as
    it is declared, or declare the field.
    """
    hint = _suggestion(name, known) or "it has no fields"
    return Finding("unknown-field", f"{of} has no field `{name}`", place, hint)


@problem
def no_fields(place: Place, words: str, kind: str, remedy: str) -> Finding:
    """A field is asked of something that has none.

    Events and records have fields. A text, a number or a list has not; and of a value of type `any` nothing is known, so
    nothing can be relied upon. Declare what it holds: give the tool or the step an `output`.
    """
    return Finding("no-fields", f"`{words}` is {kind}, which has no fields", place, remedy)


@problem
def only_some_have(place: Place, name: str, words: str, have: Sequence[str], lack: Sequence[str]) -> Finding:
    """A field is used that only some of the possible events or records have.

    A step that accepts any one of several events can use the fields that all of them have. For a field of only some, ask
    first which one it is: `event is ReplyRejected and …`, or `{% if event is ReplyRejected %}` in a prompt.
    """
    return Finding(
        "only-some-have",
        f"{_listed(lack)} {'has' if len(lack) == 1 else 'have'} no field `{name}`",
        place,
        f"ask first: `{words} is {have[0]}`",
    )


@problem
def unknown_filter(place: Place, name: str, known: Sequence[str]) -> Finding:
    """A filter is used that there is not.

    Filters change a value, after a `|`: `name | upper`. There is a fixed set of them, which the reference lists. What none
    of them does, a tool can do.
    """
    return Finding("unknown-filter", f"there is no filter `{name}`", place, closest(name, known))


@problem
def unknown_test(place: Place, name: str, known: Sequence[str]) -> Finding:
    """`is` is followed by something that cannot be asked.

    `x is none` asks whether a value is missing, `event is OrderFound` which event it is, `value is string` which of several
    types it has. All else is compared with `==`.
    """
    hint = "ask `is not none`" if name == "defined" else _suggestion(name, known)
    return Finding("unknown-test", f"`is {name}` asks nothing that is known", place, hint)


# --- types


@problem
def may_be_null(place: Place, words: str, testable: bool, use: str = "") -> Finding:
    """A value that may be missing is used as if it were there.

    What is declared `optional`, or may not have arrived in a join, can be null. Before it is used, say what holds then:
    give a value with `| default(…)`, or ask first. After `x is not none and …`, or in an entry whose `when` asks so, the
    compiler knows that it is there.
    """
    ask = f", or ask `{words} is not none` first" if testable else ""
    use = f", and used {use}" if use else ""
    return Finding("may-be-null", f"`{words}` may be null{use}", place, f"use `| default(…)`{ask}")


@problem
def no_arithmetic(place: Place, operator: str, left: str, right: str, remedy: str) -> Finding:
    """Values are computed with that cannot be.

    Numbers are computed with numbers, decimals with decimals and whole numbers, moments with durations. `+` also joins two
    texts or two lists. To put values into a text use `${{ }}` or `~`.
    """
    what = f"{left} and {right}" if right else left
    return Finding("no-arithmetic", f"`{operator}` is not defined for {what}", place, remedy)


@problem
def decimal_with_number(place: Place, operator: str) -> Finding:
    """A decimal is computed with a number.

    Decimals are exact, as money must be; numbers are not (0.1 + 0.2 is not quite 0.3). A result of both would look exact
    and not be. Make both decimals, for example `"0.19" | decimal`; whole numbers go with either.
    """
    return Finding(
        "decimal-with-number",
        f"`{operator}` is not defined for a decimal and a number",
        place,
        'write numbers as decimals: `"0.19" | decimal`',
    )


@problem
def not_comparable(place: Place, operator: str, left: str, right: str) -> Finding:
    """Two values are compared that can never be equal.

    A text never equals a number, and a record never equals one of another type, so the answer would always be the same.
    Compare values of one type; `| integer`, `| string` and their like make one type of another.
    """
    return Finding(
        "not-comparable", f"`{operator}` compares {left} with {right}, which never are equal", place
    )


@problem
def not_ordered(place: Place, operator: str, left: str, right: str) -> Finding:
    """Values are compared for more and less that have no order.

    Numbers, decimals (with whole numbers), texts, dates, moments and durations have an order among their own kind. Records,
    lists, and true and false have none.
    """
    return Finding("not-ordered", f"`{operator}` is not defined for {left} and {right}", place)


@problem
def no_such_value(place: Place, words: str, value: str, known: Sequence[str]) -> Finding:
    """Something is compared with a value that it can never have.

    An enumeration lists all its values. A comparison with any other one never holds: the branch behind it would silently
    never be taken. Most often the value is misspelt.
    """
    return Finding("no-such-value", f"`{words}` is never `{value}`", place, _suggestion(value, known))


@problem
def not_a_condition(place: Place, words: str, kind: str, remedy: str) -> Finding:
    """A condition is neither true nor false.

    Conditions are of type boolean. Whether an empty text, a zero or an empty list counts as no is a matter of taste in
    other languages; here you say what you mean: `name != ""`, `items | length > 0`, `note is not none`.
    """
    return Finding(
        "not-a-condition", f"`{words}` is {_article(kind)}, and a condition is true or false", place, remedy
    )


def _article(kind: str) -> str:
    if not kind[0].isalpha() or kind in {"null", "any"} or kind[0].isupper():
        return kind
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


@problem
def condition_may_be_null(place: Place, words: str) -> Finding:
    """A condition may be null, which is neither true nor false.

    Say what holds when the value is missing: `| default(false)`.
    """
    return Finding("condition-may-be-null", f"`{words}` may be null", place, "use `| default(false)`")


@problem
def always_true(place: Place, why: str) -> Finding:
    """A condition holds in every case.

    It decides nothing, so either it is superfluous, or something else was meant: often `or` where `and` was meant. Remove
    it, or correct it.
    """
    return Finding("always-true", f"this is always true: {why}", place)


@problem
def never_true(place: Place, why: str) -> Finding:
    """A condition holds in no case.

    What depends on it never happens. Either another condition before it has already taken the case, or something else
    was meant: often `and` where `or` was meant.
    """
    return Finding("never-true", f"this is never true: {why}", place)


@problem
def never_null(place: Place, words: str, negated: bool) -> Finding:
    """Something is asked whether it is missing that is always there.

    Only what is declared `optional`, or may not have arrived in a join, can be null. So the answer is always the same.
    Remove the question, or declare the field optional.
    """
    outcome = "always" if negated else "never"
    return Finding("never-null", f"`{words}` is never null, so this is {outcome} true", place)


@problem
def default_never_used(place: Place, words: str) -> Finding:
    """A default is given for something that is always there.

    `| default(…)` replaces null, and this is never null. (An empty text is not null.) The workflow runs all the same, so
    this is a warning.
    """
    return Finding(
        "default-never-used",
        f"`{words}` is never null, so its default is never used",
        place,
        severity=Severity.WARNING,
    )


@problem
def no_parts(place: Place, words: str, kind: str) -> Finding:
    """An item is asked of something that has none.

    Lists, maps and texts have parts: `items[0]`, `prices["pen"]`, `"a" in name`. Records have fields, which stand after a
    dot.
    """
    return Finding("no-parts", f"`{words}` is {_article(kind)}, which has no parts", place)


@problem
def wrong_index(place: Place, of: str, wanted: str, found: str) -> Finding:
    """An item is asked for by something that it cannot be found by.

    Items of a list are numbered, from 0; values of a map are found by a text.
    """
    return Finding(
        "wrong-index",
        f"the parts of {_article(of)} are found by {_article(wanted)}, not {_article(found)}",
        place,
    )


# --- filters


@problem
def wrong_filter(place: Place, words: str, kind: str, name: str, takes: str) -> Finding:
    """A filter is used on something that it is not for.

    Each filter takes values of certain types; the reference lists them.
    """
    return Finding("wrong-filter", f"`{words}` is {_article(kind)}, and `{name}` is for {takes}", place)


@problem
def wrong_argument(place: Place, name: str, wanted: str, found: str) -> Finding:
    """A filter is given something in parentheses that it does not take.

    What a filter takes in parentheses has a type too; the reference lists them.
    """
    return Finding(
        "wrong-argument", f"`{name}` takes {_article(wanted)} here, and this is {_article(found)}", place
    )


@problem
def missing_argument(place: Place, name: str, missing: str, signature: str) -> Finding:
    """A filter lacks something that it needs in parentheses.

    Some filters need to be told more: `replace` by what, `where` which field. The reference lists what each takes.
    """
    return Finding("missing-argument", f"`{name}` also needs `{missing}`", place, f"write `{signature}`")


@problem
def unexpected_argument(place: Place, filter_name: str, argument: str, signature: str) -> Finding:
    """A filter is given more in parentheses than it takes, or something under a name that it does not know.

    The reference lists what each filter takes.
    """
    what = f"takes no `{argument}`" if argument else "takes less than that"
    return Finding("unexpected-argument", f"`{filter_name}` {what}", place, f"its form is `{signature}`")


@problem
def argument_not_constant(place: Place, name: str, argument: str) -> Finding:
    """A filter is given something computed where it must be written out.

    The compiler must know which field is meant, so that it can tell its type. So the name of a field is a text in quotes:
    `pluck("title")`.
    """
    return Finding("argument-not-constant", f"`{argument}` of `{name}` must be written out", place)


@problem
def unknown_operator(place: Place, operator: str, known: Sequence[str]) -> Finding:
    """`where` is given a comparison that there is not.

    With three values, the second one says how to compare: `where("total", ">", 10)`.
    """
    return Finding(
        "unknown-operator", f"`{operator}` is not a comparison", place, f"there are {_listed(known)}"
    )


@problem
def where_without_value(place: Place, name: str, kind: str) -> Finding:
    """`where` is given a field that is not boolean, and no value to compare it with.

    `where("paid")` takes the items whose field `paid` is true. For any other field say what it is compared with:
    `where("kind", "book")`.
    """
    return Finding(
        "where-without-value",
        f"`{name}` is {_article(kind)}, so `where` needs a value to compare it with",
        place,
    )


@problem
def cannot_order(place: Place, name: str, kind: str) -> Finding:
    """Items are to be ordered that have no order.

    Numbers, texts, dates, moments and durations can be ordered, if none is missing. Records are ordered by one of their
    fields: `sort("total")`.
    """
    return Finding("cannot-order", f"`{name}` cannot order items of type {kind}", place)


@problem
def cannot_group(place: Place, name: str, kind: str) -> Finding:
    """Items are grouped by something that is not a text.

    The groups make a map, whose keys are texts. Group by a field that is a text and always there.
    """
    return Finding("cannot-group", f"`{name}` needs a text to go by, and this is {_article(kind)}", place)


@problem
def cannot_convert(place: Place, value: str, name: str) -> Finding:
    """A text is to be read as something that it does not hold.

    Dates and moments are written as ISO 8601 has it (`2026-01-31`, `2026-01-31T10:00:00Z`), durations like `30s` or `5 min`,
    numbers with a point.
    """
    return Finding("cannot-convert", f"`{value[:40]}` cannot be read as {_article(name)}", place)


# --- texts with expressions in them


@problem
def needs_json(place: Place, words: str, kind: str, of_scalars: bool) -> Finding:
    """A list or a record stands in a text, and it is not said how.

    Texts, numbers and dates stand in a text as they are. For a list, a map or a record say what it shall look like: as
    JSON with `| json`, or, for a list, its items put together with `| join(", ")`.
    """
    hint = 'use `| join(", ")` or `| json`' if of_scalars else "use `| json`"
    return Finding(
        "needs-json", f"`{words}` is {_article(kind)}, which has no form of its own in a text", place, hint
    )


@problem
def braces_without_dollar(place: Place) -> Finding:
    """`{{` stands in a text, without a `$` before it.

    Expressions stand in `${{ }}`. What stands in `{{ }}` is text and stays as it is. If that is meant, write
    `${{ "{{" }}`, and this warning goes.
    """
    return Finding(
        "braces-without-dollar",
        "`{{` is text; expressions begin with `${{`",
        place,
        "write `${{`",
        severity=Severity.WARNING,
    )


@problem
def statement_elsewhere(place: Place) -> Finding:
    """`{%` stands in a text that takes no statements.

    `{% for %}` and `{% if %}` work in `prompt`, `system` and `show`. Elsewhere they are text and stay as they are. To choose
    within an expression write `${{ a if condition else b }}`; if the text is meant, `${{ "{%" }}`.
    """
    return Finding(
        "statement-elsewhere",
        "`{%` is text here; statements work in prompts only",
        place,
        "use `${{ a if condition else b }}`, or a filter",
        severity=Severity.WARNING,
    )


@problem
def comment_braces(place: Place) -> Finding:
    """`{#` stands in a text.

    Elsewhere it begins a comment; here it is text and stays as it is, and a model would read it. Comments stand after a
    `#`, outside of texts. If the text is meant, write `${{ "{#" }}`.
    """
    return Finding(
        "comment-braces",
        "`{#` is text, and begins no comment",
        place,
        "comments stand after `#`, outside of texts",
        severity=Severity.WARNING,
    )


@problem
def unknown_statement(place: Place, word: str, known: Sequence[str]) -> Finding:
    """A statement is none of those that there are.

    In a prompt there are `{% for item in list %} … {% endfor %}` and `{% if condition %} … {% elif condition %} …
    {% else %} … {% endif %}`, and nothing else.
    """
    found = f"there is no statement `{word}`" if word else "a statement is wanted here"
    return Finding("unknown-statement", found, place, _suggestion(word, known))


@problem
def statement_out_of_place(place: Place, word: str) -> Finding:
    """A statement stands where it cannot.

    `{% elif %}`, `{% else %}` and `{% endif %}` belong to an `{% if %}` before them, `{% endfor %}` to a `{% for %}`; and what
    was opened last is closed first.
    """
    return Finding("statement-out-of-place", f"`{word}` does not belong to what is open here", place)


@problem
def statement_not_ended(place: Place, word: str) -> Finding:
    """A `{% for %}` or an `{% if %}` does not end.

    Each needs its `{% endfor %}` or `{% endif %}`, so that it is clear what it is about.
    """
    return Finding("statement-not-ended", f"this `{word}` has no end", place, f"add `{{% end{word} %}}`")


@problem
def not_a_list(place: Place, words: str, kind: str, names: int) -> Finding:
    """A `{% for %}` goes through something that cannot be gone through.

    `{% for item in list %}` goes through a list, `{% for key, value in map %}` through a map.
    """
    what = "a list or a map" if names == 1 else "a map"
    return Finding("not-a-list", f"`{words}` is {_article(kind)}, and `for` goes through {what}", place)
