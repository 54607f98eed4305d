"""``wfc compile``."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.module_files import MANIFEST, Output, write_all
from wfc.compiler.cli.trigger_data import NOT_STARTED, as_data
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.passes import compile_shared, compile_text
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.paths import folders_seen_from, relative_path
from wfc.compiler.workspace.project import Project, project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import Source, find_specs

__all__ = ["command"]


@click.command("compile", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="DIR", help="Where to write; by default each module goes beside its spec."
)
@click.option("--force", is_flag=True, help="Overwrite files that wfc did not write.")
def command(paths: tuple[str, ...], output: str | None, force: bool) -> int:
    """Compile specs to Python modules, and write a manifest beside them.

    A PATH is a spec, or a folder whose specs are all compiled. The workflow `support_triage` becomes the module
    `support_triage_workflow.py`. If any spec has an error, nothing is written.
    """
    sources = find_specs(paths, note)
    project = project_of(sources)
    compiled = [compile_source(source, folder_for(source, output), project) for source in sources]
    show(compiled, on_error_stream=True)
    if any(each.failed for each in compiled):
        return 1
    outputs = [
        written
        for source, each in zip(sources, compiled, strict=True)
        for written in to_write(each, folder_for(source, output), project)
    ]
    outputs = list({(each.path, each.origin): each for each in outputs}.values())
    write_all(outputs, [each.path for each in sources], force=force)
    for each in outputs:
        click.echo(printable(f"{each.origin} -> {each.path}"))
        if each.triggers:
            names = ", ".join(f"`{name}`" for name in each.triggers)
            note(f"{each.origin}: {names} written to {MANIFEST}; {NOT_STARTED}")
    return 0


def folder_for(source: Source, output: str | None) -> str:
    return output if output is not None else os.path.dirname(source.path) or "."


def compile_source(source: Source, folder: str, project: Project) -> Compiled:
    """Compile a spec whose module is to be written to a folder."""
    compiled = compile_text(
        source.raw,
        source.path,
        source=relative_path(source.path, folder),
        folder_of=folders_seen_from(folder),
        project=project,
        in_package=is_package(folder),
    )
    return with_severities(compiled)


def is_package(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "__init__.py"))


def to_write(compiled: Compiled, folder: str, project: Project) -> Iterator[Output]:
    """Return a spec's module and those of the files it imports; none for a file of declarations alone."""
    if compiled.workflow is None:
        return
    for each in compiled.workflow.imports:
        source = relative_path(each.path, folder)
        yield Output(
            folder=folder,
            name=f"{each.module}.py",
            workflow="",
            origin=each.path,
            source=source,
            source_sha256=project.units[each.path].sha256,
            python=compile_shared(each.path, project, source=source, in_package=is_package(folder)),
        )
    yield Output(
        folder=folder,
        name=f"{compiled.workflow.name}_workflow.py",
        workflow=compiled.workflow.name,
        origin=compiled.path,
        source=relative_path(compiled.path, folder),
        source_sha256=compiled.sha256,
        python=compiled.python,
        triggers={each.name: as_data(each) for each in compiled.workflow.triggers},
    )
