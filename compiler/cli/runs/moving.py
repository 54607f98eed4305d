"""What is told of a run that moves to another version of its workflow, or cannot."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.json_text import one_line
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime.driver.engine.upgrades import Upgrade
    from wfc.runtime.store.judgement.verdicts import Verdict

__all__ = ["tell", "verdict_lines"]


def tell(told: Upgrade, format: str, *, is_done: bool, on_error_stream: bool = False) -> None:
    """Tell what it means for a run that it moves to another version.

    Args:
        is_done: Whether it has moved; else it is told what would be.
    """
    if format == "json":
        data = {**data_of(told), "moved": is_done and told.is_needed and not told.refusals}
        click.echo(one_line(data, sys.stdout.encoding), err=on_error_stream)
        return
    for line in lines_of(told, is_done=is_done):
        click.echo(printable(line), err=on_error_stream)


def data_of(told: Upgrade) -> dict[str, Any]:
    return {
        "run": told.run_id,
        "workflow": told.workflow,
        "from": told.version,
        "to": told.to,
        "means": meaning_of(told),
        "verdicts": [one._asdict() for one in told.verdicts],
        "parts": [data_of(part) for part in told.parts],
    }


def meaning_of(told: Upgrade) -> str:
    """Return in a word what a change means for a run and its parts."""
    if told.refusals:
        return "refused"
    every = [*told.verdicts, *(one for part in told.parts for one in part.verdicts)]
    if any(one.means == "migrated" for one in every):
        return "migrated"
    return "goes on" if told.is_needed or any(part.is_needed for part in told.parts) else "same version"


_SAID = {
    "refused": "cannot go on with this version, and stays as it is",
    "migrated": "{} on with this version, and something in it is converted",
    "goes on": "{} on with this version",
    "same version": "is of this version already",
}


def lines_of(told: Upgrade, *, is_done: bool) -> Iterator[str]:
    """Yield what people are told of a run and its parts."""
    yield f"{told.run_id}: {_SAID[meaning_of(told)].format('goes' if is_done else 'would go')}"
    for one in (told, *told.parts):
        of = "" if one is told else f"{one.run_id}: "
        yield from (f"  {of}{line}" for line in verdict_lines(one.verdicts))


def verdict_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield verdicts on a run, each with the id of its rule, and what can be done."""
    for one in verdicts:
        advice = f"; {one.advice}" if one.advice else ""
        yield f"{one.told} [{one.rule}]{advice}"
