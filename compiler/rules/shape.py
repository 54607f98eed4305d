"""Problems of a spec's shape: keys, kinds, and what may stand where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import add_entries, correct_name, remove_entry
from wfc.compiler.rules.phrases import article, joined

__all__ = [
    "exchanged_values",
    "former_key",
    "former_value",
    "misplaced_key",
    "missing_key",
    "not_supported_yet",
    "nothing_in_it",
    "other_kind",
    "out_of_range",
    "unknown_key",
    "unknown_kind",
    "unknown_value",
    "wrong_type",
]


@problem
def unknown_key(
    place: Place, key: str, owner: str, hint: str, meant: str = "", known: Iterable[str] = ()
) -> Finding:
    """A key is not one that the language knows at this place.

    Nothing in a spec is ever ignored, so a key that means nothing here is a mistake: most often a slip of the
    pen, a key that belongs one level higher or lower, or one that belongs to another kind of step. Mend its
    spelling, move it, or remove it.
    """
    return Finding(
        "unknown-key",
        f"`{key}` is not a key of {owner}",
        place,
        hint,
        fix=correct_name(place, key, known, meant) if meant else None,
        about=(key,),
    )


@problem
def exchanged_values(place: Place, key: str, other: str, there: Place) -> Finding:
    """Two keys, or two declarations, have each other's value.

    Neither value fits where it stands, and each fits where the other one stands, so that nothing would be wrong if
    they were exchanged. Exchange what stands after the two, or write what you mean there.
    """
    return Finding(
        "exchanged-values",
        f"`{key}` has what would fit `{other}`, and `{other}` what would fit `{key}`",
        place,
        related=((there, "the other one"),),
        about=(key, other),
    )


@problem
def former_key(place: Place, key: str, now: str, hint: str = "", fix: Fix | None = None) -> Finding:
    """A key has another name now, or what it says stands under another key.

    The language grows, and until its first release it changes where a better form was found. `total_timeout` of a retry
    policy is `within`; `min_items` and `max_items` are `min_length` and `max_length`; `never_ran: [step]` is
    `ran: {step: 0}`; `top_p` and `seed` of a model stand under its `settings`; what a step gives to its tool
    stands under `with`, for `args` declares. `wfc check --fix` writes it anew.
    """
    said = f"`{key}` was a key of an earlier form of the language"
    return Finding("former-key", said, place, hint or f"write {now}", fix=fix)


@problem
def former_value(place: Place, key: str, value: str, now: str, fix: Fix) -> Finding:
    """What a key holds is written otherwise now.

    The language grows, and until its first release it changes where a better form was found. `on_item_error: null` of a
    `map` is `on_item_error: {give: null}`: anything may be given for an item whose action fails.
    `wfc check --fix` writes it anew.
    """
    said = f"`{key}: {value}` is of an earlier form of the language"
    return Finding("former-value", said, place, f"write `{now}`", fix=fix)


@problem
def misplaced_key(place: Place, message: str, hint: str, *related: tuple[Place, str]) -> Finding:
    """A key stands at a level where it means nothing, and would be right one level further in or out.

    What belongs to something is indented below it: the keys of a step below the step's name, what a tool is given
    below `with`. A line that begins further left ends what it stood in, and one that begins further right belongs to
    what stands above it. Indent the line, and what belongs to it, as far as the others of its level.
    """
    return Finding("misplaced-key", message, place, hint, related=related)


@problem
def missing_key(
    place: Place,
    owner: str,
    keys: Sequence[str],
    hint: str,
    *,
    one_of: bool = False,
    fix: Fix | None = None,
) -> Finding:
    """Something lacks a key that it cannot do without.

    Every step says what it accepts and how it leaves, a model step what is asked, a test what it expects.
    Nothing is taken for granted, so that the spec can be read without knowing hidden rules. Add the key.
    """
    what = f"one of {joined(keys, 'or')}" if one_of else joined(keys)
    fix = fix or (None if one_of else add_entries(place, dict.fromkeys(keys, "")))
    return Finding("missing-key", f"{owner} needs {what}", place, hint, fix=fix, about=tuple(keys))


@problem
def wrong_type(
    place: Place, name: str, wanted: str, found: str, hint: str, fix: Fix | None = None
) -> Finding:
    """A value is of another sort than what belongs here.

    A text stands where a list is wanted, a number where a text is, nothing where there must be something. Lists
    are written with `- ` on lines of their own or as `[a, b]`, maps as `key: value` or `{key: value}`, and
    quotes make a text of anything.
    """
    return Finding("wrong-type", f"{name} must be {wanted}, and this is {found}", place, hint, fix=fix)


@problem
def unknown_kind(place: Place, kind: str, known: Sequence[str], hint: str, meant: str = "") -> Finding:
    """A step's `kind` is not one that there is.

    The kind says what a step does: `llm` asks a model, `tool` calls a tool, `http` sends a request,
    `transform` only joins, saves and chooses. Look for a slip of the pen.
    """
    return Finding(
        "unknown-kind",
        f"there is no kind `{kind}`",
        place,
        hint or f"the kinds are {joined(list(known))}",
        fix=correct_name(place, kind, known, meant) if meant else None,
    )


@problem
def other_kind(place: Place, kind: str, strange: Sequence[str], other: str) -> Finding:
    """A step has the keys of another kind than its own.

    Each kind of step has keys of its own: a `human` step a `title` and a `form`, a `tool` step a `tool` and its `args`.
    Here some are unknown to the kind that is written, and the step would be whole with another. Write that kind, or the
    keys of the one that is meant.
    """
    belong = "is not a key" if len(strange) == 1 else "are not keys"
    return Finding(
        "other-kind",
        f"{joined(strange)} {belong} of a step of kind `{kind}`",
        place,
        f"as it is written it would be a whole step of kind `{other}`",
    )


@problem
def unknown_value(
    place: Place, name: str, value: str, known: Sequence[str], hint: str, meant: str = "", written: str = ""
) -> Finding:
    """A value is not one of the few that are possible here.

    Some keys take one of a fixed set of words, such as `method: POST` or `rest: finish`. Choose one of them.
    """
    return Finding(
        "unknown-value",
        f"{name} cannot be {value}",
        place,
        hint or f"it can be {joined(known, 'or')}",
        fix=correct_name(place, written, known, meant) if written and meant else None,
    )


@problem
def out_of_range(place: Place, name: str, value: object, bound: str) -> Finding:
    """A number is below or above what makes sense here.

    `max_runs: 0`, for example, would be a step that never runs, and `temperature: -1` is nothing that a model
    understands.
    """
    return Finding("out-of-range", f"{name} must be {bound}, and this is {value}", place)


@problem
def nothing_in_it(place: Place, name: str, what: str, *, needed: bool = False) -> Finding:
    """A list or a map has nothing in it, where it means something only with an entry at least.

    An empty `emit` would leave a step without a way out, and an empty `accepts` would never start it. Add an
    entry, or remove the key.
    """
    # Args: needed: whether there must be one, so that it cannot be left out.
    hint = f"it needs {article(what)} at least" if needed else ""
    fix = None if needed else remove_entry(place)
    return Finding("nothing-in-it", f"{name} has no {what}", place, hint, fix=fix)


@problem
def not_supported_yet(place: Place, what: str) -> Finding:
    """This belongs to the language, but this version of wfc cannot compile it.

    The key or the word is right and will mean what the documentation says once it is built. Until then the
    spec has to do without it: nothing is skipped in silence.
    """
    return Finding(
        "not-supported-yet", f"{what} is not supported yet", place, "a later version will bring it"
    )
