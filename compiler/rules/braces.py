"""Problems with what stands between braces and square brackets, where YAML has signs of its own."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import add_quotes

__all__ = [
    "expression_needs_quotes",
    "name_wanted",
    "no_colon_in_braces",
    "number_cut_by_comma",
    "text_cut_by_comma",
]

OF_SEVERAL = frozenset(
    {
        "accepts",
        "all",
        "any",
        "assign",
        "emit",
        "end",
        "errors",
        "fallback",
        "imports",
        "never_on",
        "of",
    }
    | {"parts", "real", "retry_on", "save", "secrets", "tools"}
)
"""Keys whose value may be a list of names."""
BESIDE: Final = frozenset(
    {"accepts", "emit", "event", "kind", "on_error", "rest", "retry", "save", "when", "with", "within"}
)
"""Keys that often stand beside those, and are no likely names."""


@problem
def text_cut_by_comma(
    place: Place,
    key: str,
    rest: str,
    whole: Place | None,
    meant: str = "",
    *,
    alone: bool = False,
    joins: bool = False,
    opens: str = "",
    behind: str = "",
    follows: str = "",
    in_map: bool = False,
    is_key: bool = False,
) -> Finding:
    """Between braces a comma ends a value, and what follows it is read as another key.

    `{reason: late, no answer}` has the key `reason` and a key `no answer` without a value. Put the text in
    quotes: `{reason: "late, no answer"}`.
    """
    # Args: key: the one whose value is cut, empty if none is. opens: the bracket behind a comma that follows.
    #     behind: the key behind which the brace opens. follows: what goes on behind the brace that closes.
    #     in_map: whether no list can be meant here. is_key: whether a key of this document is called as `rest` begins.
    if not key:
        hint = for_rest_alone(
            rest,
            alone=alone,
            joins=joins,
            opens=opens,
            behind=behind,
            follows=follows,
            in_map=in_map,
            is_key=is_key,
        )
        return Finding("text-cut-by-comma", f"`{rest}` is a key without a value", place, hint)
    hint, is_sure = (f"a type is written `{meant}`", False) if meant else for_rest(key, rest, is_key=is_key)
    return Finding(
        "text-cut-by-comma",
        f"the comma ends the value of `{key}`, and `{rest}` is a key without a value",
        place,
        hint,
        fix=add_quotes(whole, "unsafe") if is_sure and whole is not None else None,
    )


def for_rest(key: str, rest: str, *, is_key: bool) -> tuple[str, bool]:
    """Return what to write for a key without a value that may cut the text before it, and whether quotes are likely;
    the arguments are those of the finding.
    """
    word, _, value = rest.partition(" ")
    is_entry = bool(value) and word.isidentifier()
    if key in OF_SEVERAL:
        entry = f"{word}: {value}" if is_entry else f"{rest}: …" if rest in BESIDE else ""
        other = f"write `{entry}` if that is another key, else " if entry else ""
        return f"{other or 'write '}a list, `{key}: […, {rest}]`", False
    if "\\n" in rest:
        return "put the text in double quotes, in which `\\n` begins a line", False
    if is_entry and is_key:
        return f"write `{word}: {value}` if that is another key, else put the whole text in quotes", False
    if PROSE.fullmatch(value) and not A_TYPE.match(value) and word not in BESIDE:
        return "put the text in quotes", True
    if is_entry:
        return f"put the text in quotes, or write `{word}: {value}` if that is another key", False
    another = re.match(r"[a-z_]+\b", rest)
    also = f", or write `{another[0]}: …` if that is another key" if another is not None else ""
    return f"put the text in quotes{also}", True


def for_rest_alone(
    rest: str,
    *,
    alone: bool,
    joins: bool,
    opens: str,
    behind: str,
    follows: str = "",
    in_map: bool = False,
    is_key: bool = False,
) -> str:
    """Return what to write for a key without a value that cuts no text; the arguments are those of the finding."""
    if rest.startswith("$"):  # as in `{${ … }}`
        return "an expression begins with `${{`, and stands in quotes here"
    if re.match(OF_VALUES, rest):
        rest += follows if behind in BARE else ""
        quote = "'" if '"' in rest else '"'
        inside = rest.replace("'", "''") if quote == "'" else rest
        put_in = f"{quote}${{{{ {inside} }}}}{quote}"
        if behind in BARE:
            return without_braces(behind, f"`{behind}: {rest}`", put_in)
        return f"a value is put in by `{put_in}` in place of the braces, and a condition stands without any"
    if alone and rest.isidentifier() and rest.islower():
        return f'braces make a map, `{{{rest}: …}}`; the value of a name is put in by `"${{{{ … }}}}"`'
    word, _, value = rest.partition(" ")
    is_entry = word.isidentifier() and (
        value.isidentifier() or A_TYPE.match(value) or (is_key and PROSE.match(value))
    )
    hint = f"write `{word}: {value}`" if is_entry else "write `key: value`"
    if in_map and rest.isidentifier():
        hint = f"write `{rest}: …`"
    if not in_map and not A_TYPE.match(value):
        hint += ", or `[ ]` for a list"
    if opens and rest.isidentifier():  # `{Asked, {id: string}}`
        hint = f"write `{rest}: {opens}…`: a colon stands between a key and its value"
    return hint + ("; a join is written `{all: [ ]}` or `{any: [ ]}`" if joins else "")


ROOTS: Final = r"(?:agent|config|error|events?|inputs|item|loop|response|result|run|state)"
OF_VALUES: Final = (
    rf"(?:not +)?(?:[a-z]\w*(?:(?:\.\w+)+\b(?!:)| *(?:[=!]=|[<>]=?))|{ROOTS} +(?:is|in|and|or) )"
)
"""How an expression begins: with a field, or with a name and an operator; one that is a word, as `and` is, stands in
texts, too, so that only a name counts that every expression knows.
"""
PROSE: Final = re.compile(r"[^\W\d]+(?: +[^\W\d]+)+")
"""Several words, and nothing else."""
A_TYPE: Final = re.compile(r"(?:(?:list|map) of|optional) \w")
NAMED: Final = frozenset(
    "accepts agent all any as emit end errors event kind model never_on retry_on secrets start".split()
)
"""Keys that hold a name, of which no expression gives one."""
NAMED_BY_LISTS: Final = frozenset({"each", "end", "fallback", "for", "imports", "parts", "secrets", "tools"})
"""Keys whose lists are of names, of which no expression gives one, and that hold something else by themselves."""
OF_WHAT: Final = dict.fromkeys(("errors", "never_on", "retry_on"), "error") | dict.fromkeys(
    ("accepts", "all", "any", "each", "emit", "end", "event", "for"), "event"
)
SENT: Final = frozenset({"emit", "event"})
TYPES: Final = frozenset({"output", "type"})
"""Keys that hold a type."""
BARE: Final = frozenset({"from", "in", "keep", "key", "per", "that", "to_key", "until", "when"})
"""Keys that hold an expression as it is."""


@problem
def expression_needs_quotes(
    place: Place,
    *,
    alone: bool,
    key: str = "",
    in_list: bool = False,
    instead: str = "",
    braced: bool = False,
) -> Finding:
    """An expression stands without quotes between the braces or brackets of a map or a list on one line.

    There `{` and `}` belong to YAML, so `{id: ${{ event.id }}}` cannot be read. Put the text in quotes,
    `{id: "${{ event.id }}"}`, or give the key a line of its own, where no quotes are needed. What is always an
    expression, such as the condition of `when`, stands without `${{` and `}}`.
    """
    # Args: key: Of which it is the value, or is in the list that is the value.
    #     instead: What stands there instead of an expression.
    #     braced: Whether one more brace opens right before it.
    bare = key in BARE  # or a field of that name, so that nobody but the author knows
    named = name_wanted(key, in_list=in_list)
    written = (
        'write `"${{ … }}"`'
        if alone or bare or named
        else "put the whole text in quotes, with what stands around the `${{ … }}`"
    )
    if braced:
        written = 'write `"${{ … }}"`, without a brace before it'
    if bare:
        written += f"; where `{key}` is the language's own, leave out `${{{{` and `}}}}`"
    if named:
        chosen = (
            "; which event is sent is chosen by `when`: `[{event: A, when: …}, B]`" if key in SENT else ""
        )
        written = f"{named}{chosen}; if `{key}` is a field of yours, {written}"
    if key in TYPES:
        written += f"; where `{key}` is the language's own, a type stands there, and no expression"
    written = instead or written
    return Finding(
        "expression-needs-quotes",
        "between `{ }` or `[ ]`, an expression needs quotes",
        place,
        written,
        fix=add_quotes(place) if alone and not (bare or named or instead or key in TYPES) else None,
    )


def without_braces(key: str, written: str = "", put_in: str = '"${{ … }}"') -> str:
    """Return what to write behind a key that holds an expression as it is, or is the name of a field."""
    hint = "an expression stands here as it is: leave out the braces" + (f", {written}" if written else "")
    return f"{hint}; in a field of yours called `{key}` write `{put_in}`"


def name_wanted(key: str, *, in_list: bool = False) -> str:
    """Return what stands behind a key of the language that holds a name, or in its list; empty for other keys."""
    if key not in NAMED and not (in_list and key in NAMED_BY_LISTS):
        return ""
    what = OF_WHAT.get(key, "")
    names = (
        f"names{what and f' of {what}s'} stand" if in_list else f"a name{what and f' of an {what}'} stands"
    )
    return f"{names} under `{key}`, and no expression"


@problem
def number_cut_by_comma(
    place: Place, key: str, whole: str, rest: str, more: str = "", *, counts: bool = False
) -> Finding:
    """Between braces a comma ends a number, and the digits after it are read as another key.

    Numbers are written without commas: `1000`, not `1,000`, and `0.5`, not `0,5`.
    """
    # Args: more: what follows if it is a further number, or the bracket that closes a list.
    #     counts: whether only a whole number can stand there.
    what = f"the comma ends the value of `{key}`, and `{rest}` is a key without a value"
    if more:
        listed = f"{whole}, {rest}" + (", …" if more.startswith(",") else "")
        return Finding("number-cut-by-comma", what, place, f"a list stands in brackets: `{key}: [{listed}]`")
    certain = whole.lstrip("-0") == "" or "." in whole  # `0,5` and `5.000,00`
    whole = whole.replace(".", "")
    if counts and not rest.strip("0"):
        thousands = not certain and len(rest) % 3 == 0
        return Finding("number-cut-by-comma", what, place, f"write `{whole}{rest if thousands else ''}`")
    if counts:
        written = (
            f"write `{whole}{rest}`" if len(rest) % 3 == 0 and not certain else "a whole number stands there"
        )
        return Finding("number-cut-by-comma", what, place, written)
    whole_number = "" if certain else f"write `{whole}{rest}`, or "
    return Finding("number-cut-by-comma", what, place, f"{whole_number or 'write '}`{whole}.{rest}`")


@problem
def no_colon_in_braces(place: Place, key: str, value: str) -> Finding:
    """Between braces an entry has no colon and a blank after its key.

    `{kind tool}`, `{kind:tool}` and `{kind = tool}` are keys without values to YAML. Write `{kind: tool}`.
    """
    shown = value if len(value) <= 40 else "…"
    return Finding(
        "no-colon-in-braces",
        f"a colon and a blank are missing after `{key}`",
        place,
        f"write `{key}: {shown}`",
    )
