"""What a change means for the runs that really wait in a store: each is judged as `wfc runs upgrade --dry-run` does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from wfc.compiler.cli.reviewing.comparison import Comparison, Version
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.stores import StorePlace
    from wfc.runtime import Engine

__all__ = ["MEANINGS", "judged_runs"]

MEANINGS: Final = ("goes on", "migrated", "refused", "worked on")
"""What a change may mean for a run, in the order in which it is told."""

Judged = dict[str, Any]


def judged_runs(comparison: Comparison, place: StorePlace) -> dict[str, Any]:
    """Return what a change means for each run in a store that is under way, as plain data.

    Raises:
        click.ClickException: The store cannot be opened or read, or there is none.
    """
    from wfc.compiler.cli.stores import open_engine, refusals
    from wfc.runtime.values.addresses import without_password

    engine = open_engine(place, is_new_allowed=False)
    found = []
    try:
        with refusals(), output_kept():
            for before, after in comparison.versions:
                if before is None or before.facts is None or (after is not None and after.facts is None):
                    continue
                runs = engine.runs_of_workflow(str(before.facts["workflow"]))
                judged = list(_judged(engine, place, runs, comparison, after)) if runs else []
                found.append({"workflow": str(before.facts["workflow"]), **_counts(judged), "each": judged})
    finally:
        engine.close()
    return {"store": without_password(place.address), "workflows": found}


def _counts(judged: Sequence[Judged]) -> dict[str, int]:
    means = [one["means"] for one in judged]
    return {"runs": len(means), **{name.replace(" ", "_"): means.count(name) for name in MEANINGS}}


def _judged(
    engine: Engine, place: StorePlace, runs: Sequence[str], comparison: Comparison, after: Version | None
) -> Iterator[Judged]:
    from wfc.compiler.cli.resuming import load_own

    if after is None:
        yield from (
            _refused(run_id, "workflow-removed", "there is no such workflow any more") for run_id in runs
        )
        return
    version = f"changed {after.path}"  # of nothing that is kept: only this process knows it
    if not _is_added(engine, comparison, after, version):
        told = (
            f"{after.path} cannot be compiled with the workflows that it calls, so its runs cannot be judged"
        )
        raise click.ClickException(printable(told))
    for run_id in runs:
        load_own(engine, place, run_id)
        yield _one(engine, run_id, version)


def _is_added(engine: Engine, comparison: Comparison, after: Version, version: str) -> bool:
    """Let an engine know the later version; return whether there is one."""
    from wfc.compiler.cli.reviewing.plans import program_of
    from wfc.compiler.cli.versions import add_version

    program = program_of(after, comparison.new)
    if program is not None:
        add_version(engine, program, version)
    return program is not None


def _one(engine: Engine, run_id: str, version: str) -> Judged:
    """Return what it means for a run, with its parts."""
    from wfc.compiler.cli.runs.moving import meaning_of
    from wfc.runtime.errors import StoreError

    try:
        told = asyncio.run(engine.upgrade(run_id, version=version, dry_run=True))
    except StoreError as error:
        return {"run": run_id, "means": "worked on", "verdicts": [{"rule": "", "told": str(error)}]}
    means = meaning_of(told)
    every = [*told.verdicts, *(one for part in told.parts for one in part.verdicts)]
    return {
        "run": run_id,
        "means": "goes on" if means == "same version" else means,
        "verdicts": [{"rule": one.rule, "told": one.told} for one in every],
    }


def _refused(run_id: str, rule: str, told: str) -> Judged:
    return {"run": run_id, "means": "refused", "verdicts": [{"rule": rule, "told": told}]}
