"""``wfc verify``."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping, Sequence

import click

from wfc.compiler.cli.building.judging import (
    MENDED,
    ModuleState,
    advice,
    counted_current,
    judge,
    manifests_below,
    orphans,
)
from wfc.compiler.cli.building.manifest import Manifest, read_manifest
from wfc.compiler.cli.building.outputs import Build, Built, Output
from wfc.compiler.cli.building.pictures import picture_folders, pictures_of
from wfc.compiler.cli.building.writing import content_at, digest_of, write_all
from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.diagnostics import Severity
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.cache import Cache
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import PathError, RealPaths, Source, find_specs

__all__ = ["command"]


@click.command("verify", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="DIR", help="Where the modules are; by default beside their specs.")
@click.option("--write", is_flag=True, help="Mend what can be mended without losing what a person wrote.")
@click.option("--force", is_flag=True, help="With --write: overwrite and delete what was edited too.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(paths: tuple[str, ...], output: str | None, write: bool, force: bool, form: str) -> int:
    """Tell whether generated modules, pictures and manifests are what their specs would be compiled to.

    A PATH is a spec, or a folder. A file is current, missing, stale (its spec has changed, or a file that the spec
    uses), of another release of wfc, edited by hand, or orphaned (its spec is gone, or makes another module now). What
    is not current is told with what to do, and the exit status is 1. Pictures are those that `wfc graph -o` has drawn.
    Nothing is imported or run.
    """
    if force and not write:
        raise click.UsageError("`--force` goes with `--write`")
    sources = specs_in(paths)
    build = Build(sources, output, Cache.of_user())
    built = [build.known(source) or build.compiled(source) for source in sources]
    unusable = broken(built)
    states = states_of(paths, build, built)
    if write:
        mend(paths, build, states, force=force)
        states = states_of(paths, build, [build.known(each) or build.compiled(each) for each in sources])
    states = [*unusable, *states]
    tell(states, form)
    return 1 if any(each.state != "current" for each in states) else 0


def specs_in(paths: Sequence[str]) -> list[Source]:
    """Return the specs of files and folders; a folder may have lost its last one."""
    found: dict[str, Source] = {}
    real = RealPaths()
    for path in paths:
        try:
            here = find_specs([path], note)
        except PathError:
            if not (os.path.isdir(path) and any(manifests_below(path))):
                raise
            here = []
        if len(paths) == 1:
            return here
        for source in here:
            found.setdefault(real.of(source.path), source)
    return list(found.values())


def broken(built: Sequence[Built]) -> list[ModuleState]:
    """Show the findings of specs that have errors, and return what that means for their modules."""
    found = [with_severities(each.findings) for each in built]
    wrong = [one for one in found if any(each.severity is Severity.ERROR for each in one.diagnostics)]
    if wrong:
        show(wrong, on_error_stream=True)
    return [
        ModuleState(each.path, "broken", each.path, "it has errors, so nothing can be compiled")
        for each in wrong
    ]


def folders(paths: Sequence[str], output: str | None, build: Build) -> list[str]:
    """Return the folders in which orphans are looked for."""
    if output is not None:
        return [output]
    below = (each for path in paths if os.path.isdir(path) for each in manifests_below(path))
    found = dict.fromkeys([*map(build.folder_for, build.sources), *below])
    return list({os.path.realpath(each): each for each in found}.values())


def states_of(paths: Sequence[str], build: Build, built: Sequence[Built]) -> list[ModuleState]:
    """Return the states of the modules and pictures of specs, and of those whose specs are gone."""
    looked_in = folders(paths, build.output, build)
    drawn_in = picture_folders(paths, build)
    pictures = pictures_of(build, built, drawn_in)
    modules = outputs_of(built)
    every = {each.folder for each in (*modules, *pictures)} | {*looked_in, *drawn_in}
    manifests = {folder: read_manifest(folder) for folder in every}
    if build.output is None:
        drawn = {os.path.realpath(os.path.dirname(each.origin)) for each in pictures}
        drawn |= {os.path.realpath(folder) for folder, each in manifests.items() if each.pictures}
        modules = [each for each in modules if not keeps_pictures_alone(each.folder, manifests, drawn)]
    outputs = [*modules, *pictures]
    found = [judge(each, manifests[each.folder]) for each in outputs]
    for folder in looked_in:
        found += orphans(folder, outputs, Manifest(manifests[folder].modules))
    for folder in drawn_in:
        found += orphans(folder, outputs, Manifest({}, 0, manifests[folder].pictures))
    return list(dict.fromkeys(found))


def keeps_pictures_alone(folder: str, manifests: Mapping[str, Manifest], drawn: Container[str]) -> bool:
    """Return whether pictures are kept of a folder's specs, and no modules: then nobody misses a module there.

    Args:
        drawn: The real paths of folders that have pictures, or whose specs have some in another folder.
    """
    return not manifests[folder].modules and os.path.realpath(folder) in drawn


def outputs_of(built: Sequence[Built]) -> list[Output]:
    return list({(each.path, each.origin): each for one in built for each in one.outputs}.values())


def mend(paths: Sequence[str], build: Build, states: Sequence[ModuleState], *, force: bool) -> None:
    """Write and delete what may be."""
    chosen = [each for each in states if force or (each.state in MENDED and not each.edited)]
    chosen = [each for each in chosen if each.state != "current"]
    if not chosen:
        return
    wrong = {each.path for each in chosen}
    specs = {each.spec for each in chosen}
    made = [build.compiled(source) for source in build.sources if belongs(build, source, specs)]
    of_specs = [*outputs_of(made), *pictures_of(build, made, picture_folders(paths, build), texts=wrong)]
    outputs = [each for each in of_specs if each.path in wrong or is_there(each)]
    gone: dict[str, list[str]] = {os.path.dirname(each.path) or ".": [] for each in chosen}
    for each in chosen:
        if each.entry:
            gone[os.path.dirname(each.path) or "."].append(each.entry)
    write_all(outputs, [source.path for source in build.sources], force=force, without=gone)
    for each in chosen:
        note(
            printable(
                f"{each.path}: was {each.state}: {'deleted' if each.state == 'orphaned' else 'written'}"
            )
        )


def is_there(output: Output) -> bool:
    """Return whether a module is current, so that nothing but its entry in the manifest is written."""
    return digest_of(content_at(output.path)) == output.sha256


def belongs(build: Build, source: Source, specs: set[str]) -> bool:
    """Return whether a spec makes one of the modules, itself or by what it imports."""
    known = build.known(source)
    return known is None or any(each.origin in specs for each in known.outputs)


def tell(states: Sequence[ModuleState], form: str) -> None:
    wrong = [each for each in states if each.state != "current"]
    if form == "json":
        files = [
            {"path": each.path, "state": each.state, "spec": each.spec, "because": each.because}
            for each in states
        ]
        click.echo(json.dumps({"current": not wrong, "files": files}, ensure_ascii=True, indent=2))
        return
    for each in wrong:
        click.echo(printable(f"{each.path}: {each.state}: {each.because}; {advice(each)}"))
    verb = "is" if len(states) - len(wrong) == 1 else "are"
    click.echo(
        f"{counted_current(states)} {verb} current" + (f", {len(wrong)} not" if wrong else ""), err=True
    )
