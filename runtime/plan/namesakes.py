"""Messages about different event classes with the same name, which the name alone does not tell apart."""

from __future__ import annotations

from collections.abc import Iterable

from wfc.runtime.events import Event, event_name

__all__ = ["describe_namesakes"]


def describe_namesakes(kinds: Iterable[type[Event]]) -> list[str]:
    """Return a sentence for each name that several of these classes have: where they are, and what to do."""
    by_name: dict[str, list[type[Event]]] = {}
    for kind in dict.fromkeys(kinds):
        by_name.setdefault(event_name(kind), []).append(kind)
    found = []
    for name, alike in by_name.items():
        places = sorted({f"{kind.__module__}.{kind.__qualname__}" for kind in alike})
        if len(alike) > len(places):
            found.append(
                f"there are {len(alike)} classes {name}, since its module or notebook cell ran again: run the "
                f"workflow's class again too"
            )
        elif len(alike) > 1:
            found.append(
                f"there are {len(alike)} classes {name}, {' and '.join(places)}: import one of them wherever it is used"
            )
    return found
