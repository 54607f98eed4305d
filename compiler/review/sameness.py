"""Whether facts say the same, in what they differ, and how they are shown in a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.review.facts.places import PlaceList
from wfc.compiler.slotted import dataclass

__all__ = ["Difference", "became", "differences", "place", "said", "same", "shown", "word_diff"]

LONGEST: Final = 80
MOST_WORDS: Final = 2000
"""How many words a text may have to be compared word by word."""
_PLACES: Final = ("at", "span")
_HOW_WRITTEN: Final = ("at", "span", "text", "reads")
"""What does not matter of an expression whose meaning is known, and of a type that is written out."""


def same(old: Any, new: Any) -> bool:
    """Return whether two facts say the same, wherever and however it is written."""
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        if len(old) != len(new):
            return False
        ignored = _ignored(old, new)
        return all(
            key in new
            and (key in ignored or each is new[key] or (same if key != "value" else _equal)(each, new[key]))
            for key, each in old.items()
        )
    if isinstance(old, list):
        return len(old) == len(new) and all(map(same, old, new))
    return bool(old == new)


def _equal(old: Any, new: Any) -> bool:
    """Return whether two values of the author's own are equal, in which any key is one of data."""
    return type(old) is type(new) and bool(old == new)


def _ignored(old: Any, new: Any) -> tuple[str, ...]:
    """Return the keys of facts that do not matter; where names of the author stand as keys there are none."""
    if place(old) is None or place(new) is None:
        return ()
    is_written = isinstance(old.get("means"), str) and isinstance(new.get("means"), str)
    return _HOW_WRITTEN if is_written or ("type" in old and "type" in new) else _PLACES


@dataclass(frozen=True, slots=True)
class Difference:
    """The smallest part of the facts that differs.

    Args:
        path: The way to it.
        at: The places of what holds it, in the earlier and in the later version.
    """

    path: tuple[str, ...]
    old: Any
    new: Any
    at: tuple[PlaceList | None, PlaceList | None]


def differences(
    old: Any,
    new: Any,
    path: tuple[str, ...] = (),
    at: tuple[PlaceList | None, PlaceList | None] = (None, None),
) -> Iterator[Difference]:
    """Yield in what two facts differ."""
    if same(old, new):
        return
    at = place(old) or at[0], place(new) or at[1]
    if isinstance(old, dict) and isinstance(new, dict) and not _is_whole(old) and not _is_whole(new):
        for key in [*old, *(each for each in new if each not in old)]:
            if key not in _PLACES or place(old) is place(new) is None:
                yield from differences(old.get(key), new.get(key), (*path, key), at)
    elif _are_alike(old, new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, (*path, str(number)), at)
    else:
        yield Difference(path, old, new, at)


def _is_whole(fact: dict[str, Any]) -> bool:
    """Return whether a fact is told as one: a text, an expression, a bound, a type, a value."""
    is_said = any(isinstance(fact.get(key), str) for key in ("text", "means", "secret"))
    return is_said or ("value" in fact and place(fact) is not None)


def _are_alike(old: Any, new: Any) -> bool:
    return (
        isinstance(old, list)
        and isinstance(new, list)
        and len(old) == len(new)
        and all(isinstance(each, dict) for each in (*old, *new))
    )


def place(fact: Any) -> PlaceList | None:
    """Return where a fact stands; ``None`` if it says nothing of that."""
    at = fact.get("at") if isinstance(fact, dict) else None
    return at if isinstance(at, list) else None


def shown(text: object) -> str:
    """Return a text on one line, cut short."""
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def said(fact: Any) -> str:
    """Return what a fact says, as its author reads it; empty for nothing."""
    return shown(_said(fact))


def word_diff(old: str, new: str) -> str:
    """Return two texts as one: what is gone in ``[-…-]``, what is new in ``{+…+}``."""
    from difflib import SequenceMatcher  # takes milliseconds to import

    before, after = old.split(), new.split()
    if len(before) + len(after) > MOST_WORDS:
        return "a long text that has changed"
    found: list[str] = []
    for what, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            kept = before[i:j]
            found += kept if len(kept) <= 8 else [*kept[:3], "…", *kept[-3:]]
            continue
        if j > i:
            found.append(f"[-{' '.join(before[i:j])}-]")
        if m > k:
            found.append(f"{{+{' '.join(after[k:m])}+}}")
    return " ".join(found)


def became(what: str, old: Any, new: Any) -> str:
    """Return the sentence that something is said otherwise than before."""
    was, now = _said(old) or "not given", _said(new) or "not given"
    if was == now:
        return f"{what} is another {shown(now)}"
    if len(was) > LONGEST and len(now) > LONGEST:
        return f"{what} has changed: {word_diff(was, now)}"
    return f"{what} is {shown(now)}, and was {shown(was)}"


def _said(fact: Any) -> str:
    if fact is None:
        return ""
    if isinstance(fact, list):
        return ", ".join(map(_said, fact))
    if isinstance(fact, float):
        return f"{fact:.12g}"
    if not isinstance(fact, dict):
        return fact if isinstance(fact, str) else json.dumps(fact, ensure_ascii=False)
    if _is_whole(fact):
        return _whole(fact)
    is_fact = place(fact) is not None
    inside: Any = next(
        (fact[key] for key in ("entries", "items") if is_fact and fact.get(key) is not None), fact
    )
    if isinstance(inside, list):
        return f"[{_said(inside)}]"
    listed = ", ".join(
        f"{key}: {_said(each)}" for key, each in inside.items() if not is_fact or key not in _PLACES
    )
    return f"{{{listed}}}"


def _whole(fact: Any) -> str:
    if "text" in fact:
        return str(fact["text"])
    if "secret" in fact:
        return f"the secret {fact['secret']}"
    return json.dumps(fact["value"], ensure_ascii=False)
