"""Keys that are dropped, doubled, or stand at another place."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sources import Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Address, Place


@mutation()
def dropped_key(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key that a step, an entry or a test cannot do without."""
    for address, _ in source.everything:
        needed = len(address) == 3 and address[0] == "steps" and address[2] in {
            "kind", "accepts", "emit", "tool", "model", "prompt", "title", "url", "method", "within", "form", "do",
            "to", "workflow",
        }  # fmt: skip
        lines = source.lines_of(address) if needed else None
        if lines is not None:
            owner = source.document.stretch(place_of_key(address[:-1]))
            if lines[0] > owner[1]:
                text = source.with_text(*lines, "")
                name = f"{source.name}: {'.'.join(map(str, address))} dropped"
                codes = ("missing-key", "no-such-form", "endless-wait", "wait-for-what", "send-to-whom")
                yield Mutant(name, text, codes, *owner)


@mutation()
def dropped_section(source: Source, chance: Random) -> Iterator[Mutant]:
    for key in ("start", "end", "steps", "events", "wfc", "workflow"):
        lines = source.lines_of((key,)) if key in source.data else None
        if lines is not None:
            text = source.with_text(*lines, "")
            yield Mutant(f"{source.name}: {key} dropped", text, ("missing-key",), 0, len(text), loose=True)


@mutation()
def duplicate_key(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.all_keys():
        lines = source.lines_of(site.address)
        if lines is not None:
            block = source.text[slice(*lines)]
            block = block if block.endswith("\n") else f"\n{block}"
            text = source.with_text(lines[1], lines[1], block)
            start = lines[1] + site.start - lines[0] + (not source.text[slice(*lines)].endswith("\n"))
            name = f"{source.name}: {'.'.join(map(str, site.address))} twice"
            yield Mutant(name, text, ("duplicate-key",), start, start + site.end - site.start)


@mutation()
def key_of_another_place(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key that belongs to something else."""
    for site in source.language_keys():
        if len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind":
            wrong = chance.choice(["deadline", "receives", "expect", "max_attempts"])
            line = source.lines_of(site.address)
            if line is not None:
                indent = " " * (site.start - line[0])
                text = source.with_text(line[1], line[1], f"{indent}{wrong}: 3\n")
                start = line[1] + len(indent)
                name = f"{source.name}: {'.'.join(map(str, site.address[:-1]))}: {wrong}"
                yield Mutant(name, text, ("unknown-key", "misplaced-key"), start, start + len(wrong))


@mutation()
def block_moved_out(source: Source, chance: Random) -> Iterator[Mutant]:
    """A key of a step and what belongs to it, one level less deep: it becomes a step of its own."""
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        last = list(source.data["steps"].get(site.address[1], {}))[-1:] if len(site.address) == 3 else []
        if lines is not None and site.address[0] == "steps" and last == [site.address[-1]]:
            block = source.text[slice(*lines)]
            if all(line.startswith("    ") or not line.strip() for line in block.splitlines()):
                text = source.with_text(*lines, "".join(f"{line}\n"[2:] for line in block.splitlines()))
                name = f"{source.name}: {'.'.join(map(str, site.address))} moved out"
                owner = source.document.stretch(place_of_key(site.address[:-1]))
                codes = ("unknown-key", "missing-key", "wrong-type", "step-without-action", "misplaced-key")
                yield Mutant(name, text, codes, owner[0], lines[1], loose=True)


@mutation()
def block_moved_in(source: Source, chance: Random) -> Iterator[Mutant]:
    """A line indented one level too far."""
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        if lines is not None and len(site.address) == 3 and site.address[0] == "steps":
            block = source.text[slice(*lines)]
            if (
                block.count("\n") == 1
                and next(iter(source.data["steps"][site.address[1]])) != site.address[-1]
            ):
                text = source.with_text(*lines, f"  {block}")
                name = f"{source.name}: {'.'.join(map(str, site.address))} moved in"
                before = source.text.rfind("\n", 0, lines[0] - 1)
                yield Mutant(
                    name,
                    text,
                    ("syntax-error", "unknown-key", "text-cut-by-colon"),
                    before,
                    lines[1] + 2,
                    loose=True,
                )


def place_of_key(address: Address) -> Place:
    return Place(address, "key")
