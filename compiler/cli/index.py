"""``wfc index``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.programs import compiled_here, workflow_of
from wfc.compiler.cli.tables import format_option, show_rows
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import find_specs

if TYPE_CHECKING:
    from wfc.runtime import Workflow
    from wfc.runtime.calls.knowledge.definition import Knowledge
    from wfc.runtime.calls.knowledge.index import Updated

__all__ = ["command"]

COLUMNS = ("collection", "passages", "new files", "same files", "gone files", "left out", "embedded")


@click.command("index", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "is_checked", is_flag=True, help="Only tell whether the indexes are up to date.")
@format_option
def command(paths: tuple[str, ...], is_checked: bool, format: str) -> int:
    """Bring the indexes of the collections under `knowledge` up to date.

    A PATH is a spec, or a folder. What has not changed is not read again, and no text is embedded twice. A file that
    cannot be read is told with the reason, and the others are taken. With --check all files are read, nothing is
    written, and the exit status is 1 if an index is not up to date.
    """
    from wfc.runtime import WorkflowError

    found = collections_of(paths)
    if found is None:
        return 1
    if not found:
        note("no collections: no step searches any")
        return 0
    rows: list[tuple[object, ...]] = []
    stale = 0
    for place, knowledge in found.items():
        try:
            if is_checked:
                stale += not check(place, knowledge)
            else:
                rows.append((place, *bring_up_to_date(place, knowledge)))
        except WorkflowError as error:
            raise click.ClickException(printable(f"{place}: {error}")) from None
    if not is_checked:
        show_rows(COLUMNS, rows, format)
    return 1 if stale else 0


def collections_of(paths: tuple[str, ...]) -> dict[str, Knowledge] | None:
    """Return the collections that steps search, by file and name; ``None`` if a spec has errors, which are shown."""
    sources = find_specs(paths, note)
    project = project_of(sources)
    found: dict[str, Knowledge] = {}
    for source in sources:
        compiled = with_severities(compiled_here(source.raw, source.path, project))
        if compiled.failed or compiled.workflow is None:
            show([compiled], on_error_stream=True)
            return None
        if compiled.workflow.knowledge:
            here = workflow_of(compiled, project)
            found |= {
                f"{source.path}: {each.name}": each
                for each in searched_by(here)
                if not each.python and not each.kept_as
            }
    return found


def searched_by(workflow: type[Workflow]) -> Iterator[Knowledge]:
    """Yield the collections of a generated module; those whose models need the config are functions of that."""
    from wfc.runtime.calls.knowledge.definition import Knowledge
    from wfc.runtime.calls.settings import read_config
    from wfc.runtime.calls.sibling_modules import settings_folder

    module = sys.modules[workflow.__module__]
    for value in vars(module).values():
        if isinstance(value, Knowledge):
            yield value
        elif inspect.isfunction(value) and value.__annotations__.get("return") in {"Knowledge", Knowledge}:
            yield value(read_config(vars(module)["Config"], settings_folder(workflow)))


def check(place: str, knowledge: Knowledge) -> bool:
    """Tell whether an index is up to date."""
    from wfc.runtime.calls.knowledge.index import is_current
    from wfc.runtime.calls.knowledge.searching import index_of

    current = is_current(knowledge, index_of(knowledge))
    click.echo(printable(f"{place}: {'up to date' if current else 'not up to date: `wfc index` mends it'}"))
    return current


def bring_up_to_date(place: str, knowledge: Knowledge) -> tuple[int, ...]:
    """Update an index, with progress on a terminal; tell what was left out, and return the figures."""
    from wfc.runtime.calls.knowledge.index import update
    from wfc.runtime.calls.knowledge.searching import index_of

    shown = sys.stderr.isatty()

    def told(what: str, done: int, count: int) -> None:
        if what == "texts embedded" and done == 0 and count:
            note(printable(f"{place}: {count:,} texts are embedded by {knowledge.embedder()}"))
        if shown and (done % 64 == 0 or done == count):
            click.echo(f"\r{printable(place)}: {done:,} of {count:,} {what}", err=True, nl=done == count)

    done: Updated = update(knowledge, index_of(knowledge), told)
    for path, why in done.left_out.items():
        note(printable(f"{path} is left out: {why}"))
    counts = (len(done.taken), done.same, len(done.gone), len(done.left_out), done.embedded)
    return done.passages, *counts
