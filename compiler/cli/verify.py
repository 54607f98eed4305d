"""``wfc verify``."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

import click

from wfc.compiler.cli.building.judging import ADVICE, MENDED, ModuleState, judge, manifests_below, orphans
from wfc.compiler.cli.building.manifest import read_manifest
from wfc.compiler.cli.building.outputs import Build, Built, Output
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
    """Tell whether generated modules and manifests are what their specs would be compiled to.

    A PATH is a spec, or a folder. A module is current, missing, stale (its spec has changed, or a file that the spec
    uses), of another release of wfc, edited by hand, or orphaned (its spec is gone, or makes another module now). What
    is not current is told with what to do, and the exit status is 1. Nothing is imported or run.
    """
    if force and not write:
        raise click.UsageError("`--force` goes with `--write`")
    sources = specs_in(paths)
    build = Build(sources, output, Cache.of_user())
    built = [build.known(source) or build.compiled(source) for source in sources]
    looked_in = folders(paths, output, build)
    unusable = broken(built)
    states = states_of(built, looked_in)
    if write:
        mend(build, states, force=force)
        states = states_of([build.known(source) or build.compiled(source) for source in sources], looked_in)
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


def states_of(built: Sequence[Built], looked_in: Sequence[str]) -> list[ModuleState]:
    outputs = outputs_of(built)
    manifests = {folder: read_manifest(folder) for folder in {each.folder for each in outputs} | {*looked_in}}
    found = [judge(each, manifests[each.folder]) for each in outputs]
    for folder in looked_in:
        found += orphans(folder, outputs, manifests[folder])
    return list(dict.fromkeys(found))


def outputs_of(built: Sequence[Built]) -> list[Output]:
    return list({(each.path, each.origin): each for one in built for each in one.outputs}.values())


def mend(build: Build, states: Sequence[ModuleState], *, force: bool) -> None:
    """Write and delete what may be."""
    chosen = [each for each in states if force or (each.state in MENDED and not each.edited)]
    chosen = [each for each in chosen if each.state != "current"]
    if not chosen:
        return
    paths = {each.path for each in chosen}
    specs = {each.spec for each in chosen}
    made = [build.compiled(source) for source in build.sources if belongs(build, source, specs)]
    outputs = [each for each in outputs_of(made) if each.path in paths or is_there(each)]
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
        click.echo(printable(f"{each.path}: {each.state}: {each.because}; {ADVICE[each.state]}"))
    current = len(states) - len(wrong)
    counted = "1 module is" if current == 1 else f"{current} modules are"
    click.echo(f"{counted} current" + (f", {len(wrong)} not" if wrong else ""), err=True)
