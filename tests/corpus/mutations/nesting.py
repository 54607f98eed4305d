"""Keys and blocks one level too deep or too shallow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

from sources import Source, is_own

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Address, Place

LOST = ("unknown-key", "misplaced-key")


def shifted(block: str, by: int) -> str:
    """Lines further in or out."""
    lines = block.splitlines(keepends=True)
    if by < 0:
        return "".join(line[-by:] if line.strip() else line for line in lines)
    return "".join(" " * by + line if line.strip() else line for line in lines)


def shift(
    source: Source,
    address: Address,
    by: int,
    codes: tuple[str, ...],
    what: str,
    *,
    from_line_above: bool = False,
) -> Mutant | None:
    """The spec with the lines of an entry elsewhere; none if it has no lines of its own."""
    lines = source.lines_of(address)
    if lines is None:
        return None
    block = source.text[slice(*lines)]
    if by < 0 and not all(line.startswith(" " * -by) or not line.strip() for line in block.splitlines()):
        return None
    text = source.with_text(*lines, shifted(block, by))
    before = source.text.rfind("\n", 0, max(0, lines[0] - 1)) + 1 if from_line_above else lines[0]
    name = f"{source.name}: {'.'.join(map(str, address))} {what}"
    return Mutant(name, text, codes, before, lines[1] + by, loose=True)


@mutation()
def key_of_an_exit_beside_emit(source: Source, chance: Random) -> Iterator[Mutant]:
    """`with`, `when` or `save` of the one entry of `emit`, as far out as `emit` itself."""
    for address, _ in source.everything:
        if (
            len(address) == 4
            and address[0] == "steps"
            and address[2:] in {("emit", "with"), ("emit", "when")}
        ):
            mutant = shift(source, address, -2, LOST, "beside emit")
            if mutant is not None:
                yield mutant


@mutation()
def key_under_the_key_above(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key of a step and what belongs to it, in the map above it."""
    for step, content in source.data["steps"].items():
        for above, key in pairwise(content):
            value = content[above]
            if isinstance(value, dict) and source.lines_of(("steps", step, above, next(iter(value), ""))):
                codes = (*LOST, "missing-key", "unknown-entry")
                mutant = shift(source, ("steps", step, key), 2, codes, f"under {above}")
                if mutant is not None:
                    yield mutant


@mutation()
def section_under_the_section_above(source: Source, chance: Random) -> Iterator[Mutant]:
    """A section indented, so that it stands in the one above it."""
    sections = list(source.data)
    for above, key in pairwise(sections):
        value = source.data[above]
        if isinstance(value, dict) and source.lines_of((above, next(iter(value), ""))):
            codes = (*LOST, "not-pascal-case", "missing-key", "wrong-type")
            mutant = shift(source, (key,), 2, codes, f"under {above}")
            if mutant is not None:
                yield mutant


@mutation()
def declaration_at_the_top(source: Source, chance: Random) -> Iterator[Mutant]:
    """The last event, step, type … of a section as far out as the section."""
    for section, value in source.data.items():
        if isinstance(value, dict) and len(value) > 1:
            mutant = shift(source, (section, list(value)[-1]), -2, LOST, "at the top")
            if mutant is not None:
                yield mutant


@mutation()
def step_in_the_step_above(source: Source, chance: Random) -> Iterator[Mutant]:
    """A step among the keys of the one above it."""
    steps = list(source.data["steps"])
    for above, step in pairwise(steps):
        if source.lines_of(("steps", above, list(source.data["steps"][above])[-1])):
            mutant = shift(source, ("steps", step), 2, LOST, f"in {above}")
            if mutant is not None:
                yield mutant


def written(source: Source, address: Address) -> str:
    return source.text[slice(*source.document.stretch(Place(address)))]


@mutation()
def map_without_its_key(source: Source, chance: Random) -> Iterator[Mutant]:
    """The entries of a map such as `retry: {max_attempts: 3}`, without `retry`."""
    yield from keys_of_a_join_beside_it(source)
    for address, value in source.everything:
        if not isinstance(value, dict) or is_own(address) or not isinstance(address[-1], str) or not value:
            continue
        if address[-1] not in {
            "retry",
            "auth",
            "limits",
            "each",
            "hmac",
            "oauth2",
            "basic",
            "http",
            "do",
            "expect",
            "stream",
        } or any(is_own((*address, key)) for key in value):
            continue
        if not value.keys() & source.at(address[:-1]).keys():
            yield from without_key(source, address, value)


def without_key(source: Source, address: Address, value: dict[str, Any]) -> Iterator[Mutant]:
    start, _ = source.document.stretch(Place(address, "key"))
    begin, end = source.document.stretch(Place(address))
    inside = source.text[begin:end]
    if inside[:1] != "{" or "\n" in inside or source.text[max(0, start - 2) : start] == "- ":
        return
    if source.lines_of(address) is not None:
        indent = "\n" + " " * (start - source.text.rfind("\n", 0, start) - 1)
        new = indent.join(f"{key}: {written(source, (*address, key))}" for key in value)
    else:
        new = inside[1:-1].strip()
    name = f"{source.name}: {'.'.join(map(str, address))}: {inside} without its key"
    text = source.with_text(start, end, new)
    owner, _ = source.document.stretch(Place(address[:-1], "key"))
    yield Mutant(name, text, (*LOST, "missing-key"), min(owner, start), start + len(new), loose=True)


def keys_of_a_join_beside_it(source: Source) -> Iterator[Mutant]:
    """`within`, `on_timeout`, `count` and `rest` of a join as keys of the step."""
    for address, value in source.everything:
        if len(address) != 3 or address[-1] != "accepts" or not isinstance(value, dict):
            continue
        lines = source.lines_of(address)
        start, end = source.document.stretch(Place(address))
        moved = [key for key in value if key in {"within", "on_timeout", "count", "rest"}]
        if "\n" in source.text[start:end] or not moved:
            continue
        left = ", ".join(f"{key}: {written(source, (*address, key))}" for key in value if key not in moved)
        indent = (
            ", "
            if lines is None
            else "\n" + " " * (source.document.stretch(Place(address, "key"))[0] - lines[0])
        )
        new = f"{{{left}}}" + "".join(f"{indent}{key}: {written(source, (*address, key))}" for key in moved)
        name = f"{source.name}: {'.'.join(map(str, address))}: {', '.join(moved)} beside it"
        yield Mutant(name, source.with_text(start, end, new), LOST, start, start + len(new), loose=True)


@mutation()
def fields_in_one_map_more(source: Source, chance: Random) -> Iterator[Mutant]:
    """`{fields: {…}}` and the like around the fields of an event or a type."""
    for address, value in source.everything:
        if (
            len(address) != 2
            or address[0] not in {"events", "types"}
            or not isinstance(value, dict)
            or not value
        ):
            continue
        start, end = source.document.stretch(Place(address))
        if source.text[start : start + 1] != "{" or set(value) & {"enum", "one_of", "type", "extends"}:
            continue
        word = chance.choice(["fields", "properties", "data", "payload", "type: object, properties"])
        new = f"{{{word}: {source.text[start:end]}}}"
        name = f"{source.name}: {'.'.join(map(str, address))}: {new}"
        codes = ("fields-in-a-map", "unknown-type-key", "unknown-type", "wrong-type")
        begin, _ = source.document.stretch(Place(address, "key"))
        yield Mutant(name, source.with_text(start, end, new), codes, begin, start + len(new), loose=True)
