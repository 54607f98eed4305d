"""``wfc compile``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from wfc.compiler.cli.building.outputs import Build, Built, Output
from wfc.compiler.cli.building.pictures import picture_folders, pictures_of
from wfc.compiler.cli.building.side_by_side import compiled_together
from wfc.compiler.cli.building.writing import content_at, digest_of, write_all
from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.trigger_data import STARTED
from wfc.compiler.diagnostics import Severity
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.cache import Cache
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import MANIFEST, find_specs

__all__ = ["command"]


@click.command("compile", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="DIR", help="Where to write; by default each module goes beside its spec."
)
@click.option(
    "--force", is_flag=True, help="Overwrite files that wfc did not write, or that were edited since."
)
def command(paths: tuple[str, ...], output: str | None, force: bool) -> int:
    """Compile specs to Python modules, and write a manifest beside them. Pictures that it lists are drawn anew.

    A PATH is a spec, or a folder whose specs are all compiled. The workflow `support_triage` becomes the module
    `support_triage_workflow.py`. If any spec has an error, nothing is written. What is current is not compiled anew.
    """
    sources = find_specs(paths, note)
    build = Build(sources, output, Cache.of_user())
    done = build_all(build)
    found = [with_severities(each.findings) for each in done]
    show(found, on_error_stream=True)
    if any(each.severity is Severity.ERROR for one in found for each in one.diagnostics):
        return 1
    outputs = list({(each.path, each.origin): each for one in done for each in one.outputs}.values())
    outputs += current_pictures(build, done, picture_folders(paths, build))
    write_all(outputs, [each.path for each in sources], force=force)
    for each in outputs:
        tell(each)
    return 0


def build_all(build: Build) -> list[Built]:
    """Compile all specs, but those whose modules are on disk as they would be written."""
    known = {source.path: build.known(source) for source in build.sources}
    current = {path: each for path, each in known.items() if each is not None and is_current(each)}
    anew = compiled_together(build, [source for source in build.sources if source.path not in current])
    return [current.get(source.path) or next(anew) for source in build.sources]


def is_current(built: Built) -> bool:
    return all(map(is_there, built.outputs))


def current_pictures(build: Build, done: Sequence[Built], folders: Sequence[str]) -> list[Output]:
    """Return the pictures that manifests list, with their texts if they are to be written."""
    found = pictures_of(build, done, folders)
    wanted = {each.path for each in found if not is_there(each)}
    return pictures_of(build, done, folders, texts=wanted) if wanted else found


def is_there(output: Output) -> bool:
    return digest_of(content_at(output.path)) == output.sha256


def tell(output: Output) -> None:
    click.echo(printable(f"{output.origin} -> {output.path}"))
    if output.triggers:
        names = ", ".join(f"`{name}`" for name in output.triggers)
        note(f"{output.origin}: {names} written to {MANIFEST}; {STARTED}")
