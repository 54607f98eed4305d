"""Problems of a file that is to be read: its bytes, its YAML, and what YAML makes of text without quotes."""

from __future__ import annotations

from collections.abc import Iterable

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import add_quotes, correct_name, replace_text

__all__ = [
    "alias_of_itself",
    "comment_after_condition",
    "control_character",
    "duplicate_key",
    "empty_file",
    "file_too_large",
    "key_not_text",
    "merge_key",
    "not_a_map",
    "not_utf8",
    "number_out_of_range",
    "several_documents",
    "syntax_error",
    "tag",
    "text_cut_by_colon",
    "text_cut_by_comment",
    "too_deep",
    "too_many_aliases",
    "too_many_findings",
    "too_many_values",
    "unknown_alias",
]


@problem
def file_too_large(place: Place, limit: int) -> Finding:
    """The file is larger than any spec has reason to be.

    Files beyond the limit are refused unread, so that a wrong or hostile file cannot hold the compiler up. If
    the file really is a spec, move long texts and lists of data out of it.
    """
    return Finding(
        "file-too-large",
        f"this file is larger than {limit // 2**20} MB",
        place,
        "is it a spec? if so, move long texts and data out of it",
    )


@problem
def not_utf8(place: Place, looks_like: str) -> Finding:
    """The file is not text in UTF-8.

    A spec is text, stored in the encoding called UTF-8, which all editors write unless told otherwise. This
    file holds bytes that do not occur in it: it was saved in another encoding, or it is no text at all. Open it
    in an editor and save it again with the encoding UTF-8.
    """
    hint = f"it looks like {looks_like}; save it as UTF-8" if looks_like else "save it as UTF-8"
    return Finding("not-utf8", "this file is not text in UTF-8", place, hint)


@problem
def control_character(place: Place, character: str) -> Finding:
    """The text has an invisible character that YAML does not allow.

    Such characters come with text that is copied from terminals and documents, and they may hide what the text
    says. Delete it. Where a value needs one, write it inside double quotes with an escape such as `\\x07`.
    """
    name = f"U+{ord(character):04X}"
    return Finding(
        "control-character",
        f"the invisible character {name} is not allowed here",
        place,
        "delete it, or write it as an escape inside double quotes",
        fix=replace_text(place, "", title="delete it"),
    )


@problem
def empty_file(place: Place) -> Finding:
    """The file has nothing in it, or nothing but comments.

    A spec begins with `wfc: 1` and the workflow's name.
    """
    return Finding("empty-file", "there is no spec in this file", place, "a spec begins with `wfc: 1`")


@problem
def not_a_map(place: Place, found: str) -> Finding:
    """The file as a whole is not a map of keys and values.

    A spec is a map: lines such as `workflow: greet`, a key, a colon and its value. Here the whole file is
    something else, often because the first line begins with `-` or has no space after the colon.
    """
    return Finding(
        "not-a-map",
        f"a spec is a map of keys and values, and this is {found}",
        place,
        "a spec begins with `wfc: 1`",
    )


@problem
def several_documents(place: Place) -> Finding:
    """The file has a second document after a line `---`.

    One file holds one spec. Put the second one into a file of its own; if the line `---` is an accident,
    delete it.
    """
    return Finding("several-documents", "a second document begins here, and a file holds one spec", place)


@problem
def syntax_error(place: Place, what: str, hint: str, fix: Fix | None = None) -> Finding:
    """The text breaks a rule of YAML, so that nothing after this place can be read.

    YAML is the notation in which specs are written. Most such mistakes are an indentation that does not line
    up, a quote or a bracket that is never closed, or a text with special characters that needs quotes around
    it. The mistake may be a little before the marked place.
    """
    return Finding("syntax-error", what, place, hint, fix=fix)


@problem
def text_cut_by_colon(place: Place, whole: Place | None, hint: str = "", *, last: bool = False) -> Finding:
    """A text without quotes has a colon and a space in it, which YAML takes for the end of a key.

    `title: Note: done` cannot be read, because `Note` looks like another key. Put the text in quotes:
    `title: "Note: done"`. It is also what YAML says when a line is indented too far and so continues the text
    on the line before.
    """
    return Finding(
        "text-cut-by-colon",
        "this colon makes a key of a text that is a value already",
        place,
        hint
        or "put the whole value in quotes"
        + (", or mend the indentation of this line or of the line above" if whole is None else ""),
        fix=add_quotes(whole, "unsafe" if last else "safe") if whole is not None and not hint else None,
    )


@problem
def duplicate_key(place: Place, key: str, first: Place, *, begins_item: bool = False) -> Finding:
    """A key stands twice in one map.

    Only one of the two can count, and it is not clear which is meant. Remove or rename one of them.
    """
    return Finding(
        "duplicate-key",
        f"`{key}` stands here for the second time",
        place,
        "if another item of the list begins here, begin it with `- `" if begins_item else "",
        related=((first, "the first one"),),
    )


@problem
def key_not_text(place: Place, found: str, hint: str, *, quotable: bool = False) -> Finding:
    """A key is not a text.

    Keys are names. YAML reads some keys as something else: `404` as a number, `true` as a truth value. Put such
    a key in quotes: `"404"`. And what stands between double braces without a `$`, as in `{{ name }}`, YAML
    reads as a map in a map; an expression is written `${{ name }}`.
    """
    return Finding(
        "key-not-text",
        f"a key must be a text, and this is {found}",
        place,
        hint,
        fix=add_quotes(place) if quotable else None,
    )


@problem
def tag(place: Place, text: str, end: int, *, negated: bool = False) -> Finding:
    """A value has a YAML tag, a word that begins with an exclamation mark.

    Tags tell YAML to read a value as another type, or as an object of a programming language. A spec needs
    none. Remove it; put a value in quotes if it is to be a text. In a condition write `not` for `!`.
    """
    what = f"the YAML tag `{text}` is not used in specs"
    if negated:
        return Finding("tag", f"`{text}` is a tag to YAML", place, f"write `not {text[1:]}`")
    if text.startswith("!!"):
        remove = replace_text(Place((), "text", place.start, end), "", title="remove it")
        return Finding("tag", what, place, "remove it", fix=remove)
    return Finding("tag", what, place, "remove it, or put the whole value in quotes if it is a text")


@problem
def merge_key(place: Place) -> Finding:
    """The key `<<` asks YAML to copy another map into this one.

    What a map holds then depends on a rule that most readers do not know and that YAML has dropped. The language has a
    form for each thing that is worth sharing: what all steps begin with stands in `defaults`, a retry policy in
    `retries`, a text in `texts`, a request or a function in `tools`; a test builds on another one with `like`, an event
    on another one with `extends`. Where none of them fits, write the keys out.
    """
    hint = (
        "share it by name: `defaults`, `retries`, `texts`, `tools`, `like` in a test, `extends` in an event"
    )
    return Finding(
        "merge-key", "the merge key `<<` is not used in specs", place, f"{hint}; or write the keys out"
    )


@problem
def unknown_alias(place: Place, name: str, known: Iterable[str], hint: str) -> Finding:
    """An alias such as `*standard` names an anchor that does not stand anywhere before it.

    In YAML `&standard` marks a value and `*standard` repeats it further down. A text that is to begin with an
    asterisk needs quotes.
    """
    return Finding(
        "unknown-alias",
        f"no value before this one is marked `&{name}`",
        place,
        hint,
        fix=correct_name(place, name, known),
    )


@problem
def alias_of_itself(place: Place, name: str) -> Finding:
    """An alias stands inside the very value that it repeats.

    Such a value would hold itself, without end. Write out what is meant.
    """
    return Finding("alias-of-itself", f"`*{name}` stands inside the value that it repeats", place)


@problem
def too_many_aliases(place: Place, limit: int) -> Finding:
    """Aliases repeat values that hold aliases, and so on, until the spec is far too large.

    A few lines can stand for billions of values in this way. Write the values out, or repeat less.
    """
    return Finding(
        "too-many-aliases", f"with this alias, more than {limit:,} values are repeated", place, "repeat less"
    )


@problem
def too_deep(place: Place, limit: int) -> Finding:
    """Maps and lists stand inside each other to a depth that no spec needs.

    The limit keeps a hostile file from exhausting the compiler. Close to it, something is wrong: often
    brackets that were never closed.
    """
    return Finding("too-deep", f"maps and lists are nested more than {limit} deep here", place)


@problem
def too_many_values(place: Place, limit: int) -> Finding:
    """The file holds more single values than any spec has reason to.

    The limit keeps a wrong or hostile file from holding the compiler up. Split the spec, or move data out of it.
    """
    return Finding("too-many-values", f"this file has more than {limit:,} keys and values", place, "split it")


@problem
def number_out_of_range(place: Place, text: str) -> Finding:
    """A number is infinite, not a number, or too long to be kept.

    Numbers in a spec are finite: whole numbers of some hundred digits at most, and others of the size that
    computers keep exactly enough (up to about 1.8e308). Put it in quotes if it is meant as a text.
    """
    return Finding(
        "number-out-of-range",
        f"`{text}` is not a number that can be kept",
        place,
        "put it in quotes if it is a text",
    )


@problem
def text_cut_by_comment(place: Place, value: str, whole: Place | None, put_in: str = "") -> Finding:
    """A `#` after a space begins a comment, and what follows it is not part of the text.

    `title: #${{ event.id }}` is an empty title, `title: Ticket #7` is only `Ticket`, and a quote that begins
    before the `#` is never closed. Put the whole text in quotes: `title: "Ticket #7"`. If it is meant as a
    comment, put a space after the `#`, or the comment on a line of its own.
    """
    # Args: put_in: what stands in `#{ }`, by which other languages put a value into a text; else empty.
    rest = f"so the value is only `{value}`" if value else "so there is no value"
    if put_in:
        hint = f"a value is put in by `${{{{ {put_in} }}}}`; a text with `#` in it stands in quotes"
        return Finding("text-cut-by-comment", f"this is a comment to YAML, {rest}", place, hint)
    if value.endswith("${{"):
        hint = "leave the `#` out: it means nothing in an expression"
        return Finding("text-cut-by-comment", f"this is a comment to YAML, {rest}", place, hint)
    return Finding(
        "text-cut-by-comment",
        f"this is a comment to YAML, {rest}",
        place,
        "put the whole value in quotes; a comment that is meant has a space after `#`",
        fix=add_quotes(whole, "unsafe") if whole is not None else None,
    )


@problem
def comment_after_condition(place: Place, fix: Fix) -> Finding:
    """A comment stands after a condition, on the same line.

    A reader may take it for a part of the condition, and an author may have meant it so. Put the comment on the
    line above; put the condition in single quotes if `#` belongs to it.
    """
    return Finding(
        "comment-after-condition",
        "this comment can be taken for a part of the condition",
        place,
        "put the comment on the line above, or the whole condition in single quotes",
        fix=fix,
    )


@problem
def too_many_findings(place: Place, limit: int) -> Finding:
    """There are so many problems that the search for more was given up.

    Mend some of them, often one that repeats, and check again.
    """
    return Finding("too-many-findings", f"after {limit:,} findings the search was given up", place)
