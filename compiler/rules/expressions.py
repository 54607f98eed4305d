"""Problems with how expressions are written."""

from __future__ import annotations

from typing import Final, Literal

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import replace_text
from wfc.compiler.rules.foreign_names import INSTEAD_OF_CALLS
from wfc.compiler.slotted import replace

__all__ = [
    "chained_comparison",
    "empty_expression",
    "expression_too_long",
    "foreign_operator",
    "if_without_else",
    "key_twice",
    "method_call",
    "no_power",
    "no_slice_step",
    "no_tuple",
    "number_too_large",
    "stray_character",
    "unclosed_braces",
    "unclosed_bracket",
    "unclosed_text",
    "unexpected_token",
    "unfinished_expression",
    "unknown_escape",
]


@problem
def empty_expression(place: Place) -> Finding:
    """Nothing stands where an expression is wanted.

    `${{ }}` puts a value into a text, and a condition asks something; here is neither. Write an
    expression, such as `event.name`, or remove the braces.
    """
    return Finding("empty-expression", "an expression is wanted here", place, "for example `event.name`")


@problem
def unclosed_braces(
    place: Place, opening: str, closing: str, rest: str, gap: tuple[int, int] | None, *, more: bool = False
) -> Finding:
    """An expression or a statement is opened, and never closed.

    An expression in a text stands between `${{` and `}}`, a statement in a prompt between `{%` and `%}`.
    Add the end. To write the characters themselves, put them into an expression as a text: `${{ "${{"
    }}`.
    """
    # Args: gap: where the rest may stand; None where the text goes on over several lines.
    #     more: whether one more brace is opened behind it before anything else, and two are closed.
    what = f"`{opening}` is not closed"
    if more:
        return Finding("unclosed-braces", what, place, "a `{` is too many, or a `}` is missing")
    if gap is None:
        return Finding("unclosed-braces", what, place, f"add `{closing}` where the expression ends")
    return Finding(
        "unclosed-braces",
        what,
        place,
        f"add `{closing}`"
        if rest.strip() == closing and gap[0] == gap[1]
        else f"close it with `{closing}` where the expression ends",
        fix=replace_text(place.stretch(*gap), rest, title=f"add `{rest.strip()}`"),
    )


@problem
def unclosed_text(place: Place, quote: str, *, certain: bool = True) -> Finding:
    """A text in quotes does not end.

    Texts in an expression stand between two quotes of the same kind. Add the second one. Where the text
    holds that kind of quote itself, use the other kind around it, or write `\\` before each.
    """
    # Args: certain: whether it can only end where the line does.
    at = place.stretch(place.end or 0, place.end or 0)
    fix = replace_text(at, quote, title=f"add `{quote}`") if certain else None
    hint = (
        f"add `{quote}`"
        if certain
        else f"a `{quote}` is missing or one too many, here or in a text before it"
    )
    return Finding("unclosed-text", "this text does not end", place, hint, fix=fix)


@problem
def unclosed_bracket(place: Place, opened: str, closing: str, end: int, *, in_text: bool = False) -> Finding:
    """A bracket is opened, and never closed.

    Each `(`, `[` and `{` needs its counterpart. Add it where the part in brackets ends.
    """
    # Args: in_text: whether a text ends with such a bracket, which may be the one that is missed.
    if in_text:
        hint = f"add `{closing}`, or close the quote before the `{closing}` that stands in a text"
        return Finding("unclosed-bracket", f"`{opened}` is not closed", place, hint)
    return Finding(
        "unclosed-bracket",
        f"`{opened}` is not closed",
        place,
        f"add `{closing}`",
        fix=replace_text(place.stretch(end, end), closing, title=f"add `{closing}`"),
    )


HOLDERS: Final = {
    "steps": "`event.name` (what the step accepted) or "
    "`result.name` (what its action gave), and under `on_error` behind `error`",
    "tools": "`args.name` (what is given to the tool) or `config.name`",
    "key": "`inputs.name` (what the run begins with)",
    "limits": "`inputs.name` (what the run begins with)",
    "triggers": "`trigger.name` (what has come)",
}
"""What holds values, by the section in which something is asked for."""
WITH_DOLLAR: Final = {
    "$node": "what a step gave is in the event that it emitted, and then `event` in the step that accepts it",
    "$prevNode": "what a step gave is in the event that it emitted, and then `event` in the step that accepts it",
    "$env": "what the environment gives is declared under `config`: `config.name`",
    "$vars": "values for all steps are declared under `config`: `config.name`",
    "$workflow": "a run knows itself as `run`: `run.id`",
    "$execution": "a run knows itself as `run`: `run.id`",
}
"""What there is instead of names that begin with a dollar sign elsewhere."""


@problem
def stray_character(
    place: Place,
    character: str,
    *,
    opens_expression: bool = False,
    path: bool = False,
    with_values: bool = False,
    value: str = "",
    in_braces: bool = False,
    beside_text: bool = False,
    single_brace: bool = False,
    after_another: bool = False,
    fix: Fix | None = None,
) -> Finding:
    """A character stands in an expression that means nothing there.

    Expressions are made of names, numbers, texts in quotes, and a few signs. Texts need quotes;
    typographic quotes and signs copied from elsewhere do not count. Where only an expression can stand, as
    under `when`, it stands without `${{` and `}}`.
    """
    # Args: value: what stands in backticks, if that is an expression.
    #     with_values: whether values are put into the text as in JavaScript.
    #     after_another: whether an expression opens before it.
    #     single_brace: whether it is a dollar sign before one brace, as in `${name}`.
    #     beside_text: whether it opens an expression in what is a text otherwise.
    hint = "texts stand in straight quotes" if character in "“”„‘’‚«»´`" else ""
    shown = "a backtick" if character == "`" else f"`{character}`"
    if value:
        hint = f"write `{value}`, without the backticks around it"
    elif with_values:
        hint = f"a value stands by its name alone; {hint}, and are put together with values by `~`"
    if character == "{{":
        hint = "this is an expression already: leave out `{{` and `}}`"
    elif character == "{%":
        hint = "this is an expression already: what is asked stands by itself, without `{%` and `%}`"
    elif single_brace:
        hint = "this is an expression already: leave out `${` and `}`"
    elif character == "$" and path:
        holder = HOLDERS.get(str(place.address[0]) if place.address else "", HOLDERS["steps"])
        hint = f"a field stands behind the name of what holds it, as in {holder}; nothing is called `$`"
    elif character == "$":
        hint = "names and numbers stand without `$`"
    elif character.startswith("$"):
        hint = WITH_DOLLAR.get(
            character, "what a step accepted is `event`, and one of its fields `event.name`"
        )
    if in_braces and character.startswith("$"):
        hint += "; and this is an expression already: leave out the braces around it"
    if opens_expression:
        hint = (
            "this is an expression already: leave out `${{` and `}}`"
            + ", or close the one before it" * after_another
        )
    if beside_text:
        hint = "this is an expression already: a value stands in it by its name, and a text in quotes, with `~` between"
    return Finding("stray-character", f"{shown} means nothing in an expression", place, hint, fix=fix)


@problem
def unexpected_token(place: Place, found: str, wanted: str, hint: str = "") -> Finding:
    """An expression goes on in a way that it cannot.

    Perhaps an operator is missing between two values, or a text lacks its quotes, or a bracket is closed
    that was never opened.
    """
    return Finding("unexpected-token", f"wanted {wanted}, found `{found}`", place, hint)


@problem
def unfinished_expression(place: Place, wanted: str, after: str) -> Finding:
    """An expression stops in the middle.

    After an operator, a dot or a comma something must follow. Write it, or remove what stands at the end.
    """
    return Finding(
        "unfinished-expression", f"wanted {wanted} after `{after}`" if after else f"wanted {wanted}", place
    )


@problem
def foreign_operator(place: Place, found: str, meant: str, *, spaced: bool) -> Finding:
    """A sign of another language stands in an expression.

    Conditions are put together with `and`, `or` and `not`; values are compared with `==` (two signs: one
    alone would assign, and expressions change nothing); a choice is written `a if condition else b`.
    """
    return Finding(
        "foreign-operator",
        f"`{found}` means nothing here",
        place,
        f"write `{meant}`" if found != "?." else "write `.`, and `| default(…)` behind what may be null",
        # what a person has to fill in cannot be written for them
        fix=replace_text(place, meant, applicability="safe") if spaced and "…" not in meant else None,
    )


@problem
def unknown_escape(place: Place, found: str) -> Finding:
    """A backslash in a text is followed by something that it does not go with.

    In a text in quotes, `\\n` is a new line, `\\t` a tab, `\\\\` a backslash, `\\"` a quote, and
    `\\u00e9` the letter of that number. Write two backslashes where you mean one.
    """
    return Finding(
        "unknown-escape",
        f"`{found}` means nothing in a text",
        place,
        "write `\\\\` for a backslash",
        fix=replace_text(place, f"\\{found}", applicability="safe"),
    )


@problem
def number_too_large(place: Place) -> Finding:
    """A number is too large to be computed with.

    Numbers with a point reach to about 1.8e308, and whole numbers may have 400 digits.
    """
    return Finding("number-too-large", "this number is too large", place)


@problem
def expression_too_long(place: Place) -> Finding:
    """An expression has too many parts, or is nested too deep.

    Nobody can review it, and it was probably made by accident. Compute parts of it in steps before, and
    keep them in `state` or in an event.
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
def if_without_else(place: Place, *, needless: bool = False, of_loop: bool = False) -> Finding:
    """A choice says what holds in one case only.

    `a if condition` leaves open what the value is when the condition does not hold. Add `else` and a
    value, if need be `else none`. Which items a loop in a text goes through says a list that is made of another:
    `{% for x in [x for x in event.items if x.done] %}`.
    """
    hint = "the condition alone says so: leave out `true if`" if needless else "add `else` and a value"
    if of_loop:
        hint = "a list made of another chooses items: `{% for NAME in [one for one in LIST if …] %}`"
    return Finding("if-without-else", "this `if` has no `else`", place, hint)


@problem
def no_power(place: Place) -> Finding:
    """`**` is not an operator of expressions.

    Languages disagree on what `-2 ** 2` is, and large powers can stop a program for minutes. Multiply, or
    let a tool compute it.
    """
    return Finding(
        "no-power", "there is no `**`", place, "multiply it with itself, `x * x`, or let a tool compute it"
    )


@problem
def no_slice_step(place: Place, hint: str = "") -> Finding:
    """A part of a list or of a text is taken with a step.

    `items[1:5]` takes a part; a third number is not in the language. For the reverse order of a list there is the
    filter `reverse`.
    """
    return Finding("no-slice-step", "a part has a beginning and an end, and no step", place, hint)


@problem
def no_tuple(place: Place, hint: str = "") -> Finding:
    """Several values stand in parentheses.

    Parentheses only group. A list stands in square brackets: `[a, b]`.
    """
    return Finding("no-tuple", "several values stand in square brackets", place, hint or "write `[a, b]`")


OF_RECORDS: Final = frozenset(
    f"{record} | {name}"
    for record in ("config", "event", "inputs", "state")
    for name in ("items", "keys", "values")
)
"""What is asked of things that always are records."""


@problem
def method_call(
    place: Place, name: str, better: str, missing: Literal["", "perhaps", "surely"] = ""
) -> Finding:
    """Something is called like a function.

    Expressions call nothing: whatever could be called could also do something. What changes a value is a
    filter, after a `|`: `name | upper`, `items | length`. What there is no filter for, a tool can
    compute.
    """
    # Args: missing: whether an operator is missing before the bracket.
    hint = f"write `{better}`" if better else INSTEAD_OF_CALLS.get(name.lower(), "")
    hint = hint or "what changes a value is a filter after `|`, or a tool"
    if better in OF_RECORDS:
        hint = "the fields of a record are named as they are declared; `keys` and `values` are those of a map"
    finding = Finding("method-call", f"`{name}` cannot be called", place, hint)
    return value_before_bracket(finding, perhaps=missing == "perhaps") if missing else finding


def value_before_bracket(finding: Finding, *, perhaps: bool = False) -> Finding:
    """Return the finding about a call, where what is called is a value, so that an operator is missing.

    Args:
        perhaps: Whether a call may be meant all the same.
    """
    call = f"; if a call is meant: {finding.hint}" if perhaps else ""
    return replace(finding, hint=f"an operator is missing before `(`, such as `==` or `+`{call}")


@problem
def key_twice(place: Place, name: str) -> Finding:
    """A record written in an expression has a field twice.

    Only one of the values could count. Remove the other one.
    """
    return Finding("key-twice", f"`{name}` is already a field of this record", place, "remove one of them")
