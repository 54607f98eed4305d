"""``wfc index``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.cli.findings import show as show_findings
from wfc.compiler.cli.programs import compiled_here, workflow_of
from wfc.compiler.cli.tables import format_option, show_rows
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import find_specs

if TYPE_CHECKING:
    from wfc.runtime import Workflow
    from wfc.runtime.calls.knowledge.definition import Knowledge
    from wfc.runtime.calls.knowledge.helpers import Planned
    from wfc.runtime.calls.knowledge.index import Updated

__all__ = ["command"]

COLUMNS = ("collection", "passages", "new files", "same files", "gone files", "left out", "embedded", "calls")
FILES = ("collection", "file", "what", "why")
MOST_SHOWN = 20
"""How many files the table names that were taken, or are gone; those that are left out it names all."""

BYTES_A_TOKEN = 4
ASKED_A_CALL = 150
"""How many tokens a call has beside the texts that it shows."""
WRITTEN_A_CALL = 250
"""How many tokens come back from a call that gives keywords or sums up."""


@click.command("index", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "is_checked", is_flag=True, help="Only tell whether the indexes are up to date.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Ask no model where it would cost more."
)
@format_option
def command(paths: tuple[str, ...], is_checked: bool, max_cost: float | None, format: str) -> int:
    """Bring the indexes of the collections under `knowledge` up to date.

    A PATH is a spec, or a folder. What has not changed is not read again, and no text is embedded twice. A file that
    cannot be read is told with the reason, and the others are taken; a table at the end names both. Before a model is
    asked, it is told how many texts it is given and what that costs, about, as far as its price is known.

    With --check all files are read, nothing is written, and the exit status is 1 if an index is not up to date.
    """
    from wfc.runtime import WorkflowError

    found = collections_of(paths)
    if found is None:
        return 1
    if not found:
        note("no collections: no step searches any")
        return 0
    done: dict[str, Updated] = {}
    stale = 0
    for place, knowledge in found.items():
        try:
            if is_checked:
                stale += not check(place, knowledge)
            else:
                done[place] = bring_up_to_date(place, knowledge, max_cost)
        except WorkflowError as error:
            raise click.ClickException(printable(f"{place}: {error}")) from None
    if not is_checked:
        show(done, format)
    return 1 if stale else 0


def collections_of(paths: tuple[str, ...]) -> dict[str, Knowledge] | None:
    """Return the collections that steps search, by file and name; ``None`` if a spec has errors, which are shown."""
    sources = find_specs(paths, note)
    project = project_of(sources)
    found: dict[str, Knowledge] = {}
    for source in sources:
        compiled = with_severities(compiled_here(source.raw, source.path, project))
        if compiled.failed or compiled.workflow is None:
            show_findings([compiled], on_error_stream=True)
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


def bring_up_to_date(place: str, knowledge: Knowledge, max_cost: float | None) -> Updated:
    """Update an index, with progress on a terminal."""
    from wfc.runtime.calls.knowledge.helpers import alone
    from wfc.runtime.calls.knowledge.index import update
    from wfc.runtime.calls.knowledge.searching import index_of

    shown = sys.stderr.isatty()

    def told(what: str, done: int, count: int) -> None:
        if shown and (done % 64 == 0 or done == count):
            click.echo(f"\r{printable(place)}: {done:,} of {count:,} {what}", err=True, nl=done == count)

    helpers = replace(alone(), allow=partial(foretell, place, knowledge, max_cost))
    return update(knowledge, index_of(knowledge), told, helpers)


def foretell(place: str, knowledge: Knowledge, max_cost: float | None, planned: Planned) -> None:
    """Tell what a model is about to be asked for, and what that costs.

    Raises:
        click.ClickException: It costs more than it may, or nobody knows.
    """
    embedder = knowledge.embedder()
    asks = f"{planned.texts:,} texts are embedded by" if planned.texts else f"{planned.calls:,} calls of"
    if embedder.startswith("python "):
        note(printable(f"{place}: {asks} {embedder}"))
        return
    tokens = planned.shown // BYTES_A_TOKEN + (0 if planned.texts else planned.calls * ASKED_A_CALL)
    cost = price(knowledge, tokens, 0 if planned.texts else planned.calls * WRITTEN_A_CALL)
    told = "its price is not known" if cost is None else f"about {cost:,.4f} US dollars"
    note(printable(f"{place}: {asks} {embedder}, some {tokens:,} tokens: {told}"))
    if max_cost is not None and (cost is None or cost > max_cost):
        raise click.ClickException(
            printable(f"{place}: it may cost {max_cost:g} US dollars (--max-cost), and {told}; ")
            + "no model was asked, and the index stands as it was"
        )


def price(knowledge: Knowledge, tokens_in: int, tokens_out: int) -> float | None:
    """Return what tokens cost by the settings, or else by the library's prices; ``None`` if nobody knows."""
    from wfc.runtime.calls.bindings import ModelOptions
    from wfc.runtime.calls.budget import cost_of_call, listed_price

    model = knowledge.model
    assert isinstance(model, ModelOptions)
    listed = partial(listed_price, model.use, tokens_in, tokens_out)
    return cost_of_call(
        model.use, tokens_in, tokens_out, knowledge.folder, None if model.base_url is not None else listed
    )


def show(done: dict[str, Updated], format: str) -> None:
    """Show what was done with each collection, and with the files of it."""
    counts = [
        (
            place,
            each.passages,
            len(each.taken),
            each.same,
            len(each.gone),
            len(each.left_out),
            each.embedded,
            each.calls,
        )
        for place, each in done.items()
    ]
    if format == "json":
        rows = [(*row, files(each)) for row, each in zip(counts, done.values(), strict=True)]
        show_rows((*COLUMNS, "files"), rows, format)
        return
    show_rows(COLUMNS, counts, format)
    named = [(place if len(done) > 1 else "", *row) for place, each in done.items() for row in few(each)]
    if named:
        click.echo()
        show_rows(FILES, named, format)


def files(done: Updated) -> list[dict[str, str]]:
    """Return what became of each file that was taken, is gone, or is left out."""
    rows = [*((path, "taken", "") for path in done.taken), *((path, "gone", "") for path in done.gone)]
    rows += [(path, "left out", why) for path, why in done.left_out.items()]
    return [dict(zip(FILES[1:], row, strict=True)) for row in rows]


def few(done: Updated) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of a table of files: of those that were taken, and of those that are gone, the first ones."""
    for what, paths in (("taken", done.taken), ("gone", done.gone)):
        yield from ((path, what, "") for path in paths[:MOST_SHOWN])
        if len(paths) > MOST_SHOWN:
            yield f"… and {len(paths) - MOST_SHOWN:,} more", what, ""
    yield from ((path, "left out", why) for path, why in done.left_out.items())
