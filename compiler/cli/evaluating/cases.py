"""Cases: what a run is given, and what is known of a good outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.sources import load_other

__all__ = ["KnownCase", "read_cases"]

MOST = 100_000
KEYS = ("name", "start", "relevant", "end", "with", "contains", "lacks", "answer")


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A case.

    Args:
        name: What it is called: its own name, or the number of its line.
        start: The inputs.
        relevant: How much each passage helps, by its id or its source; what is not there does not help.
        end: The end event that is wanted; empty: any.
        values: Fields of the end event, as they must be.
        contains: Texts that the answer must contain, capitals aside.
        lacks: Texts that it must not contain.
        answer: An answer that a judge holds the run's own against.
    """

    name: str
    start: dict[str, Any]
    relevant: Mapping[str, float] = field(default_factory=dict)
    end: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    answer: str = ""


def read_cases(path: str) -> list[KnownCase]:
    """Read cases, a JSON object on each line.

    Raises:
        PathError: The file cannot be read.
        click.UsageError: A line is no case; or there is none.
    """
    found = list(_cases(path, load_other(path).decode("utf-8", "replace")))
    if not found:
        raise click.UsageError(f"{printable(path)} has no cases")
    return found


def _cases(path: str, text: str) -> Iterator[KnownCase]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{printable(path)}:{number}"
        if number > MOST:
            raise click.UsageError(f"{where}: there are more than {MOST:,} lines")
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise click.UsageError(f"{where}: this is not JSON: {error}") from None
        yield _case(where, str(number), data)


def _case(where: str, number: str, data: object) -> KnownCase:
    if not isinstance(data, dict) or not isinstance(data.get("start"), dict):
        raise click.UsageError(f'{where}: a case is written as {{"start": {{…}}, …}}')
    unknown = sorted(set(data) - set(KEYS))
    if unknown:
        raise click.UsageError(
            f"{where}: a case has no `{printable(unknown[0])}`; there are {', '.join(KEYS)}"
        )
    relevant = data.get("relevant", {})
    if isinstance(relevant, list):
        relevant = dict.fromkeys(map(str, relevant), 1.0)
    values = data.get("with", {})
    if not isinstance(relevant, dict) or not all(
        isinstance(each, int | float) and each >= 0 for each in relevant.values()
    ):
        raise click.UsageError(
            f"{where}: `relevant` is a list of ids or sources, or a number from 0 for each"
        )
    if not isinstance(values, dict):
        raise click.UsageError(f"{where}: `with` is an object of fields")
    return KnownCase(
        str(data.get("name", number)),
        data["start"],
        {name: float(each) for name, each in relevant.items()},
        str(data.get("end", "")),
        values,
        _texts(where, "contains", data),
        _texts(where, "lacks", data),
        str(data.get("answer", "")),
    )


def _texts(where: str, key: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    found = data.get(key, [])
    listed = [found] if isinstance(found, str) else found
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise click.UsageError(f"{where}: `{key}` is a text or a list of texts")
    return tuple(listed)
