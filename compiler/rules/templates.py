"""Problems with texts that have expressions in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem, warning
from wfc.compiler.rules.fixes import append_text, correct_name, replace_text
from wfc.compiler.rules.phrases import article, suggestion

__all__ = [
    "braces_without_dollar",
    "comment_braces",
    "dollar_before_statement",
    "expression_as_text",
    "expression_in_plain_text",
    "file_in_text",
    "needs_json",
    "not_a_list",
    "statement_elsewhere",
    "statement_not_ended",
    "statement_out_of_place",
    "text_in_itself",
    "too_many_texts",
    "unknown_statement",
]


# --- texts with expressions in them


@problem
def needs_json(place: Place, words: str, kind: str, of_scalars: bool, beside: str = "") -> Finding:
    """A list or a record stands in a text, and it is not said how.

    Texts, numbers and dates stand in a text as they are. For a list, a map or a record say what it shall
    look like: as JSON with `| json`, or, for a list, its items put together with `| join(", ")`.
    """
    # Args: beside: the one sign of which the text consists besides, if it is one.
    hint = 'use `| join(", ")` or `| json`' if of_scalars else "use `| json`, or one of its parts"
    if beside:
        hint = f"leave out the `{beside}` beside the expression; for a text {hint}"
    return Finding(
        "needs-json",
        f"`{words}` is {article(kind)}, which has no form of its own in a text",
        place,
        hint,
        fix=append_text(place, words, " | json") if not beside else None,
    )


@problem
def file_in_text(place: Place, words: str) -> Finding:
    """A file stands in a text.

    A file has no form in a text; as bytes written out it would be long and mean nothing to who reads it. In a text it
    has a name, `event.photo.name`. A model is shown files by the key `files` of its step, beside the prompt:
    `files: ["${{ event.photo }}"]`.
    """
    return Finding(
        "file-in-text",
        f"`{words}` is a file, which has no form in a text",
        place,
        f"its name is `{words}.name`; a model is shown it under `files`",
    )


@warning
def expression_as_text(place: Place, written_as: str, words: str, hint: str = "", kept: str = "") -> Finding:
    """A text looks as if a value were to be put into it, and is taken as it is.

    A value stands in a text as `${{ event.name }}`, with a dollar sign and two braces. `{event.name}`, `$event.name`
    and a bare `event.name` where a value is given are texts, and stay as they are; so is `with: {name: name}` beside
    `as: name`. If that is meant, ignore this warning.
    """
    # Args: kept: dollar signs before it that may be meant as such.
    bare = words[2:-2].strip() if words.startswith("[[") and words.endswith("]]") else words
    if kept.endswith(" ") and not hint:
        hint = without_blank(kept, f"{{{{ {bare} }}}}", "the braces")
    elif kept and not hint:
        hint = f"write `${{{{ {bare} }}}}` without the `{kept.strip()}`, which stays if a dollar sign is to be shown"
    return Finding(
        "expression-as-text",
        f"`{written_as}` is text, as it stands here",
        place,
        hint or f"write `${{{{ {bare} }}}}`",
        fix=None if hint else replace_text(place, f"${{{{ {bare} }}}}"),
    )


@warning
def expression_in_plain_text(place: Place, key: str, beside: str = "") -> Finding:
    """An expression stands where a text is taken as it is.

    A `default`, the values of an `enum`, a `description`, `labels`, a model's `settings` and the names of topics and
    workflows are plain: they are read before there is any run, and nothing is put into them. Expressions stand in what
    a step does and hands on: in `prompt`, `title`, `url`, in the values of `with` and `save`. What a field has if
    nothing is given may be said there: `with: {name: "${{ event.name | default(config.name) }}"}`. If
    the braces are meant as they are, ignore this warning.
    """
    return Finding(
        "expression-in-plain-text",
        f"`{key}` is plain: nothing is put in for this `${{{{ }}}}`",
        place,
        PLAIN[key] + (f"; or `{key}` and `{beside}` have each other's text" if beside else ""),
    )


PLAIN: Final = {
    "default": "write a value; one that is worked out is given where the field is filled: with `with` or `save`",
    "enum": "write the values; where others are possible the type is a `string`",
    "description": "write the words; expressions stand in what a step does, such as `prompt` or `title`, and in `with`",
    "labels": "write the words; expressions stand in what a step does, such as `prompt` or `title`, and in `with`",
    "settings": "write the value: what is sent to a model with each request is the same for all runs",
    "version": 'write the version, such as `"1.2"`',
    "to": "write the name of a workflow; which of its runs gets the event is said by `to_key`",
    "topic": "write a name that is the same for all runs; what tells one from another is a field of the event",
    "header": "write the name of the header",
}


@warning
def braces_without_dollar(place: Place, mark: str, kept: str = "", *, statement: bool = False) -> Finding:
    """`{{` stands in a text, without a `$` before it.

    Expressions stand in `${{ }}`. What stands in `{{ }}` is text and stays as it is. If that is meant,
    write `${{ "{{" }}`, and this warning goes.
    """
    # Args: kept: dollar signs before it that may be meant as such.
    if statement:
        hint = "a loop is `{% for one in LIST %} … {% endfor %}`, a choice `{% if CONDITION %} … {% endif %}`"
        return Finding("braces-without-dollar", f"`{mark}` is text", place, hint)
    hint = (
        f"write `${{{{` without the `{kept.strip()}` before it, which stays if a dollar sign is to be shown"
    )
    if kept.endswith(" "):
        hint = without_blank(kept, "{{", "`{{`")
    return Finding(
        "braces-without-dollar",
        f"`{mark}` is text; expressions begin with `${{{{`",
        place,
        hint if kept else "write `${{`",
        fix=None if kept else replace_text(place, "${{"),
    )


def without_blank(kept: str, written: str, before: str) -> str:
    """Return what to do about a dollar sign that a blank parts from the braces of an expression."""
    sign = kept.strip()
    return (
        f"leave out the blank between `{sign}` and {before}: `{sign[:-1]}${written}`; "
        f"if a dollar sign is to be shown, `{sign} ${written}`"
    )


@warning
def dollar_before_statement(place: Place) -> Finding:
    """A `$` stands before the `{%` of a statement.

    Expressions begin with `${{`, and statements with `{%` alone. The `$` would be a part of the text, and a model would
    read it. Take it away. If it is meant, write `${{ "$" }}`.
    """
    return Finding(
        "dollar-before-statement",
        "this `$` is text; statements begin with `{%`",
        place,
        "leave the `$` out",
        fix=replace_text(place, "", title="leave the `$` out"),
    )


@warning
def statement_elsewhere(place: Place, value: str = "") -> Finding:
    """`{%` stands in a text that takes no statements.

    In an address, a name and a command, `{% for %}` and `{% if %}` are text and stay as they are. To choose within an
    expression write `${{ a if condition else b }}`; if the text is meant, `${{ "{%" }}`.
    """
    return Finding(
        "statement-elsewhere",
        "`{%` is text here; addresses and names take no statements",
        place,
        f"a value is put in by `${{{{ {value} }}}}`"
        if value
        else "use `${{ a if condition else b }}`, or a filter",
    )


@warning
def comment_braces(place: Place, whole: Place | None) -> Finding:
    """`{#` stands in a text.

    Elsewhere it begins a comment; here it is text and stays as it is, and a model would read it. Comments
    stand after a `#`, outside of texts. If the text is meant, write `${{ "{#" }}`.
    """
    return Finding(
        "comment-braces",
        "`{#` is text, and begins no comment",
        place,
        "comments stand after `#`, outside of texts",
        fix=replace_text(whole, "", title="remove it") if whole is not None else None,
    )


OTHER_STATEMENTS: Final = frozenset(
    "autoescape block break call continue do extends filter from import include macro raw set with".split()
)
"""Statements of Jinja that texts do not have."""


@problem
def unknown_statement(place: Place, word: str, known: Sequence[str], value: str = "") -> Finding:
    """A statement is none of those that there are.

    In a text there are `{% for item in list %} … {% endfor %}`, `{% if condition %} … {% elif condition %} …
    {% else %} … {% endif %}` and `{% use NAME %}`, and nothing else. `{%` as text is `${{ "{%" }}`.
    """
    found = f"there is no statement `{word}`" if word else "a statement is wanted here"
    if value:
        hint = f"a value is put in by `${{{{ {value} }}}}`"
        return Finding("unknown-statement", found, place, hint)
    if word == "foreach":
        return Finding("unknown-statement", found, place, "write `for`", fix=replace_text(place, "for"))
    if word == "end":
        hint = "a loop ends with `{% endfor %}`, a choice with `{% endif %}`"
        return Finding("unknown-statement", found, place, hint)
    if word in OTHER_STATEMENTS:  # meant as it is written, so that nothing similar is meant
        there_are = f"there are {', '.join(f'`{each}`' for each in known)}"
        return Finding("unknown-statement", found, place, there_are)
    return Finding(
        "unknown-statement", found, place, suggestion(word, known), fix=correct_name(place, word, known)
    )


@problem
def statement_out_of_place(
    place: Place, word: str, opened: str = "", opening: Place | None = None
) -> Finding:
    """A statement stands where it cannot.

    `{% elif %}`, `{% else %}` and `{% endif %}` belong to an `{% if %}` before them, `{% endfor %}` to a
    `{% for %}`; and what was opened last is closed first.
    """
    # Args: opened: `for` or `if`, what is open there, and where it was opened; empty if nothing is.
    hint = f"the `{opened}` that is open here ends with `{{% end{opened} %}}`" if opened else ""
    related = ((opening, f"this `{opened}` is open"),) if opening is not None else ()
    return Finding(
        "statement-out-of-place",
        f"`{word}` does not belong to what is open here" if opened else f"nothing is open here for `{word}`",
        place,
        hint,
        related=related,
    )


@problem
def statement_not_ended(place: Place, word: str, *, torn: bool = False) -> Finding:
    """A `{% for %}` or an `{% if %}` does not end.

    Each needs its `{% endfor %}` or `{% endif %}`, so that it is clear what it is about.
    """
    # Args: torn: whether its end stands there as a text, without the signs around it.
    end = f"`{{% end{word} %}}`"
    hint = f"write {end} in place of what stands there without its signs" if torn else f"add {end}"
    return Finding("statement-not-ended", f"this `{word}` has no end", place, hint)


@problem
def not_a_list(place: Place, words: str, kind: str, names: int, hint: str = "") -> Finding:
    """A `for` goes through something that cannot be gone through.

    `{% for item in list %}` goes through a list, `{% for key, value in map %}` through a map, and so do
    `[… for item in list]` and `[… for key, value in map]`.
    """
    what = "a list or a map" if names == 1 else "a map"
    return Finding("not-a-list", f"`{words}` is {article(kind)}, and `for` goes through {what}", place, hint)


@problem
def text_in_itself(place: Place, names: Sequence[str]) -> Finding:
    """A text uses itself, or a text that uses it.

    It would never end. Put what both need into a third text, and use that in both.
    """
    way = " → ".join(f"`{name}`" for name in names)
    return Finding(
        "text-in-itself",
        f"this text uses itself: {way}",
        place,
        "use another text there, or leave one of the uses out",
    )


@problem
def too_many_texts(place: Place, most: int) -> Finding:
    """A text uses too many others, those that they use included.

    A text that uses two, each of which uses two, and so on, soon becomes larger than any model reads.
    """
    return Finding(
        "too-many-texts", f"a text may use {most} others at most, those that they use included", place
    )
