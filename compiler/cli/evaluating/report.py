"""The results of an evaluation: a table for people, JSON for programs, Markdown for a pull request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wfc.compiler.cli.evaluating.measures import COSTS, MEASURES, Summary

__all__ = ["as_json", "as_markdown", "rows_of"]

Summaries = Mapping[str, Summary]


def rows_of(here: Summaries, base: Summaries | None) -> list[tuple[str, ...]]:
    """Return a row for each measure: its name, mean, interval, cases, and what it was at the base."""
    rows: list[tuple[str, ...]] = []
    for name in (*MEASURES, *COSTS):
        if name not in here:
            continue
        each = here[name]
        row: tuple[str, ...] = (
            name,
            shown(each.mean),
            f"{shown(each.low)} to {shown(each.high)}",
            str(each.cases),
        )
        before = base.get(name) if base is not None else None
        if base is not None:
            row += ("", "") if before is None else (shown(before.mean), f"{each.mean - before.mean:+.3f}")
        rows.append(row)
    return rows


def shown(number: float) -> str:
    """Return a number for people."""
    return f"{number:,.0f}" if number >= 1_000 else f"{number:.3f}"


def columns(has_base: bool) -> tuple[str, ...]:
    """Return the names of the columns."""
    return ("measure", "mean", "95 % interval", "cases", *(("base", "change") if has_base else ()))


def as_markdown(spec: str, here: Summaries, base: Summaries | None, missed: list[str]) -> str:
    """Return a table in Markdown, with the bounds that were missed."""
    names = columns(base is not None)
    lines = [f"### `{spec}`".replace("\n", " "), "", f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows_of(here, base)]
    return "\n".join([*lines, *(["", *(f"- missed: {each}" for each in missed)] if missed else [])])


def as_json(
    spec: str,
    here: Summaries,
    base: Summaries | None,
    missed: list[str],
    failed: list[str],
    judge: Mapping[str, Any] | None,
) -> str:
    """Return all of it as one line of JSON.

    Args:
        judge: What the judge has cost, if there is one.
    """
    told: dict[str, Any] = {"spec": spec, "measures": {name: each._asdict() for name, each in here.items()}}
    if base is not None:
        told["base"] = {name: each._asdict() for name, each in base.items()}
    if judge is not None:
        told["judge"] = dict(judge)
    return json.dumps({**told, "missed": missed, "failed": failed})
