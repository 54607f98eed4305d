"""Ways to leave a step that are dropped or in another order."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sources import Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Address, Place


def entries(source: Source) -> Iterator[tuple[Address, list[object]]]:
    for address, value in source.everything:
        if isinstance(value, list) and address[-1] == "emit" and len(value) > 1:
            yield address, value


@mutation()
def missing_fallback(source: Source, chance: Random) -> Iterator[Mutant]:
    """The last entry, which has no `when`, is gone."""
    for address, value in entries(source):
        start, end = source.document.stretch(Place((*address, len(value) - 1)))
        begin = source.text.rfind("\n", 0, start)
        stop = source.text.find("\n", end - 1)
        if source.text[begin:start].strip() == "-" and stop > 0:
            name = f"{source.name}: {'.'.join(map(str, address))} without its last entry"
            text = source.with_text(begin, stop, "")
            step = source.document.stretch(Place(address[:2], "key"))
            yield Mutant(
                name,
                text,
                (
                    "emit-falls-through",
                    "event-never-emitted",
                    "run-without-end",
                    "unused-event",
                    "unreachable-end",
                ),
                step[0],
                begin,
                loose=True,
            )


@mutation()
def swapped_entries(source: Source, chance: Random) -> Iterator[Mutant]:
    """The entry without `when` comes first."""
    for address, value in entries(source):
        pieces = [
            source.document.stretch(Place((*address, index))) for index in (len(value) - 2, len(value) - 1)
        ]
        (a, b), (c, d) = pieces
        text = source.text[:a] + source.text[c:d] + source.text[b:c] + source.text[a:b] + source.text[d:]
        if "when" not in str(value[-1]) and "when" in str(value[-2]):
            name = f"{source.name}: {'.'.join(map(str, address))}: entries swapped"
            yield Mutant(name, text, ("entry-never-taken", "emit-falls-through"), a, d, loose=True)
