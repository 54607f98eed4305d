"""Blocks that are there twice, or at another place."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sources import Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Place


@mutation()
def declaration_pasted_again(source: Source, chance: Random) -> Iterator[Mutant]:
    """An event, a step, a type … once more at the end of its section."""
    for section, value in source.data.items():
        if not isinstance(value, dict) or len(value) < 2:
            continue
        last = source.lines_of((section, list(value)[-1]))
        for name in list(value)[:-1]:
            lines = source.lines_of((section, name))
            if lines is None or last is None or not source.text[slice(*last)].endswith("\n"):
                continue
            text = source.with_text(last[1], last[1], source.text[slice(*lines)])
            start = last[1] + source.document.stretch(Place((section, name), "key"))[0] - lines[0]
            yield Mutant(
                f"{source.name}: {section}.{name} again", text, ("duplicate-key",), start, start + len(name)
            )


@mutation()
def section_pasted_again(source: Source, chance: Random) -> Iterator[Mutant]:
    """A section once more at the end of the spec."""
    for section in source.data:
        lines = source.lines_of((section,))
        if lines is not None and source.text.endswith("\n"):
            start = len(source.text)
            yield Mutant(
                f"{source.name}: {section} again",
                source.text + source.text[slice(*lines)],
                ("duplicate-key",),
                start,
                start + len(section),
            )


@mutation()
def item_pasted_again(source: Source, chance: Random) -> Iterator[Mutant]:
    """An item of a list of events, of entries, of tests … twice."""
    for address, _ in source.everything:
        if not isinstance(address[-1], int) or address[0] not in {"end", "steps", "tests", "secrets"}:
            continue
        if address[0] == "tests" and len(address) > 2:
            continue
        if not {"accepts", "emit", "errors", "end", "tests", "secrets"} & set(address[:-1]):
            continue
        if any(each in {"with", "body", "args", "do", "give", "save"} for each in address[1:-1]):
            continue
        start, end = source.document.stretch(Place(address))
        line = source.text.rfind("\n", 0, start) + 1
        block = source.text[line:start].strip() == "-"
        if not block and "\n" in source.text[start:end]:
            continue
        dash = source.text[line:start]
        item = source.text[start:end].rstrip()
        new = f"\n{dash}{item}" if block else f", {item}"
        stop = start + len(item)
        codes = (
            "name-in-use",
            "accepted-twice",
            "entry-never-taken",
            "test-name-twice",
            "name-declared-twice",
            "duplicate-key",
            "alternative-twice",
            "error-twice",
        )
        text = source.with_text(stop, stop, new)
        yield Mutant(
            f"{source.name}: {'.'.join(map(str, address))} again",
            text,
            codes,
            start,
            stop + len(new),
            loose=True,
        )


@mutation()
def step_in_another_section(source: Source, chance: Random) -> Iterator[Mutant]:
    """The lines of a step among the events, or those of an event among the steps."""
    for here, there in (("steps", "events"), ("events", "steps"), ("state", "events")):
        from_, to = source.data.get(here), source.data.get(there)
        if not isinstance(from_, dict) or not isinstance(to, dict) or len(from_) < 2:
            continue
        for name in from_:
            lines, last = source.lines_of((here, name)), source.lines_of((there, list(to)[-1]))
            if lines is None or last is None or not source.text[slice(*last)].endswith("\n"):
                continue
            block = source.text[slice(*lines)]
            block = block if block.endswith("\n") else block + "\n"
            text = source.text
            if lines[0] >= last[1]:
                text = text[: last[1]] + block + text[last[1] : lines[0]] + text[lines[1] :]
                start = last[1]
            else:
                text = text[: lines[0]] + text[lines[1] : last[1]] + block + text[last[1] :]
                start = last[1] - (lines[1] - lines[0])
            codes = ("misplaced-key", "wrong-section")
            yield Mutant(
                f"{source.name}: {here}.{name} under {there}",
                text,
                codes,
                start,
                start + len(block),
                loose=True,
            )
