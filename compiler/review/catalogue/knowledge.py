"""Rules about what steps look up: what a collection is made of, and what a search gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.changes import Level, SpecChange, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import became, differences, place, said

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

_TOLD_ELSEWHERE = frozenset({"at", "query", "that"})


def changes_of_knowledge(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of collections, and of searches in them."""
    old, new = pair.old["knowledge"], pair.new["knowledge"]
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        changed = [*differences(before, after)]
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


def _without_place(collection: Any) -> Any:
    """Return a collection as plain data, all of which is said."""
    return collection and {key: each for key, each in collection.items() if key != "at"}
