"""What a change means for the runs that really wait in a store: each is judged as `wfc runs upgrade --dry-run` does."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import click

from wfc.compiler.cli.reviewing.comparison import Comparison, Version
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.stores import StorePlace
    from wfc.compiler.workspace.project import Project
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
                workflow = str(before.facts["workflow"])
                runs, parts = engine.runs_of_workflow(workflow), engine.parts_of_workflow(workflow)
                judge = _Judge(engine, place, comparison, before, after)
                judged = [*map(judge.judged, runs), *map(judge.judged_part, parts)]
                now = None if after is None or after.facts is None else str(after.facts["workflow"])
                names = {"workflow": workflow, "now": now}
                found.append({**names, **_counts(judged), "parts": len(parts), "each": judged})
    finally:
        engine.close()
    return {"store": without_password(place.address), "workflows": found}


def _counts(judged: Sequence[Judged]) -> dict[str, int]:
    means = [one["means"] for one in judged]
    return {"runs": len(means), **{name.replace(" ", "_"): means.count(name) for name in MEANINGS}}


def _verdict(run_id: str, workflow: str, rule: str, means: str, told: str) -> Judged:
    """Return a verdict with the run, or the part of it, that it is about."""
    return {"run": run_id, "workflow": workflow, "rule": rule, "means": means, "told": told}


class _Judge:
    """What tells of the runs of a workflow what its change means for them.

    Args:
        before: The workflow as it was.
        after: As it is now; ``None``: there is none any more.
    """

    def __init__(
        self,
        engine: Engine,
        place: StorePlace,
        comparison: Comparison,
        before: Version,
        after: Version | None,
    ) -> None:
        self.engine = engine
        self.place = place
        self.comparison = comparison
        self.before = before
        self.after = after

    def judged(self, run_id: str) -> Judged:
        """Return what the change means for a run, with its parts."""
        from wfc.compiler.cli.resuming import load_own
        from wfc.compiler.cli.runs.moving import meaning_of
        from wfc.runtime.errors import StoreError

        assert self.before.facts is not None
        workflow = str(self.before.facts["workflow"])
        if self.after is None:
            gone = _verdict(
                run_id, workflow, "workflow-removed", "refused", "there is no such workflow any more"
            )
            return {"run": run_id, "means": "refused", "refused_before": False, "verdicts": [gone]}
        version = self._new
        load_own(self.engine, self.place, run_id)
        try:
            told = self.engine.judged(run_id, version=version)
        except StoreError as error:
            at_work = _verdict(run_id, workflow, "", "noted", str(error))
            return {"run": run_id, "means": "worked on", "refused_before": False, "verdicts": [at_work]}
        means = meaning_of(told)
        every = [(each, one) for each in (told, *told.parts) for one in each.verdicts]
        return {
            "run": run_id,
            "means": "goes on" if means == "same version" else means,
            "refused_before": means == "refused" and self._is_refused_before(run_id),
            "verdicts": [
                _verdict(each.run_id, each.workflow, one.rule, one.means, one.told) for each, one in every
            ],
        }

    def judged_part(self, run_id: str) -> Judged:
        """Return what the change means for a run that is a part of another one, of whichever workflow that is."""
        return {**self.judged(run_id), "part_of": self.engine.store.root_of(run_id)}

    def _is_refused_before(self, run_id: str) -> bool:
        """Return whether a run could not go on with the earlier version either: it is not the change's doing."""
        from wfc.compiler.cli.runs.moving import meaning_of
        from wfc.runtime.errors import StoreError

        if self._old is None:
            return False
        with contextlib.suppress(StoreError):
            return meaning_of(self.engine.judged(run_id, version=self._old)) == "refused"
        return False

    @cached_property
    def _new(self) -> str:
        """What the engine knows the later version by.

        Raises:
            click.ClickException: It cannot be compiled.
        """
        assert self.after is not None
        version = _added(self.engine, self.comparison.new, self.after, "changed")
        if version is None:
            calls = "cannot be compiled with the workflows that it calls, so its runs cannot be judged"
            raise click.ClickException(printable(f"{self.after.path} {calls}"))
        return version

    @cached_property
    def _old(self) -> str | None:
        """What the engine knows the earlier version by; ``None``: it cannot be compiled any more."""
        return _added(self.engine, self.comparison.old, self.before, "unchanged")


def _added(engine: Engine, project: Project, version: Version, word: str) -> str | None:
    """Let an engine know a version; return what it is known by, of nothing that is kept: only this process knows it."""
    from wfc.compiler.cli.reviewing.plans import program_of
    from wfc.compiler.cli.versions import add_version

    program = program_of(version, project)
    if program is None:
        return None
    name = f"{word} {version.path}"
    add_version(engine, program, name)
    return name
