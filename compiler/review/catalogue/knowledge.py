"""Rules about what steps look up: what a collection is made of, and what a search gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.review.catalogue.bounds import bound_change, in_words, raised_or_lowered
from wfc.compiler.review.catalogue.placing import change_between
from wfc.compiler.review.changes import Level, SpecChange, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import became, differences, place, said, same

__all__ = ["changes_of_knowledge"]

knowledge_changed = rule(
    "knowledge-changed",
    "operators",
    Level.ACT,
    """What is looked up comes from elsewhere than before: other files, addresses or tables; or is indexed otherwise.

Answers are made of it, and whoever asks may be shown it. Is all of it meant for them?""",
    no_mirror="the opposite of another one is another one",
)

search_changed = rule(
    "search-changed",
    "operators",
    Level.WARN,
    """A search gives more, fewer or other passages than before.

Each of them is read, and paid, with the prompt in which it stands.""",
    no_mirror="the opposite of another search is another search",
)

memory_key_changed = rule(
    "memory-key-changed",
    "security",
    Level.ACT,
    """What runs remember is kept under another key than before.

Nothing that was remembered under the earlier keys is found any more, nor forgotten, and it stays in the store. If the
new key is the same for people who had keys of their own, they see what was remembered of each other.""",
    no_mirror="the opposite of another key is another key",
)

_REMEMBERED = raised_or_lowered(
    "memory",
    "operators",
    (
        Level.WARN,
        """More is remembered of each key than before, or for a longer time.

Is it still what people were told that is kept of them?""",
    ),
    (
        Level.WARN,
        """Less is remembered of each key than before, or for a shorter time.

What is over the new bound is not found from now on, and goes for good when its key gets the next entry.""",
    ),
)

_BOUNDS: Final = {
    "most_entries": "how many entries of a key are kept in the collection `{}`",
    "most_seconds": "how long an entry is kept in the collection `{}`",
}

_TOLD_ELSEWHERE = frozenset({"at", "query", "that"})


def changes_of_knowledge(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of collections, and of searches in them."""
    old, new = pair.old["knowledge"], pair.new["knowledge"]
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        of_memory: tuple[tuple[str], ...] = ()
        if before is not None and after is not None and before["per"] and after["per"]:
            yield from _of_memory(pair, name, before, after)
            of_memory = tuple((key,) for key in ("per", *_BOUNDS))
        changed = [each for each in differences(before, after) if each.path[:1] not in of_memory]
        if not changed:
            continue
        told = f"the collection `{name}` is {'gone' if after is None else 'new'}"
        if before is not None and after is not None:
            said_of_it = (became(" ".join(each.path), each.old, each.new) for each in changed)
            told = f"of the collection `{name}` {'; '.join(said_of_it)}"
        yield knowledge_changed.found(
            pair.name,
            f"knowledge.{name}",
            told,
            before=said(_without_place(before)),
            after=said(_without_place(after)),
            old=place(before),
            new=place(after),
        )
    for name, path, one, other in pair.actions:
        if one["does"] != "retrieve":
            continue
        for key in one:
            changed = [] if key in _TOLD_ELSEWHERE else [*differences(one[key], other[key])]
            if changed:
                yield search_changed.found(
                    pair.name,
                    f"{path}.{key}",
                    became(f"`{key}` of the search of `{name}`", one[key], other[key]),
                    before=said(one[key]),
                    after=said(other[key]),
                    old=place(one[key]) or one["at"],
                    new=place(other[key]) or other["at"],
                )


def _of_memory(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    """Yield what has changed of what runs remember in a collection: of whom, and how much."""
    at, path = (before, after), f"knowledge.{name}"
    one, other = before["per"], after["per"]
    if not same(one, other):
        told = became(f"the key of the collection `{name}`", one, other)
        yield change_between(pair, memory_key_changed, f"{path}.per", told, one, other, at)
    for key, words in _BOUNDS.items():
        told, one, other = words.format(name), before[key], after[key]
        if key == "most_seconds":
            one, other = in_words(one), in_words(other)
        yield from bound_change(pair, _REMEMBERED, f"{path}.{key}", told, one, other, at)


def _without_place(collection: Any) -> Any:
    """Return a collection as plain data, all of which is said."""
    return collection and {key: each for key, each in collection.items() if key != "at"}
