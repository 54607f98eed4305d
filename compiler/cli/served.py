"""What a server serves: the programs at paths, the revision of an installation, specs that are written there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.findings import note
from wfc.compiler.cli.operators import key_of
from wfc.compiler.cli.stores import StorePlace
from wfc.compiler.cli.telling import teller_of
from wfc.compiler.cli.versions import add_version, keep_version, kept_texts, name_of
from wfc.compiler.cli.worker import kind_of_worker, loaded, reason_against
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.sources import PathError, find_specs, load_other

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.runtime import Engine
    from wfc.runtime.server.access import Principal
    from wfc.runtime.server.application import Application
    from wfc.runtime.server.endpoint import Endpoint
    from wfc.runtime.server.installation import WorkflowSource
    from wfc.runtime.server.openings import Openings
    from wfc.runtime.store.sql.selecting import DueRun

__all__ = [
    "application_of",
    "desk_at",
    "folder_of",
    "folder_to_write",
    "is_other_release",
    "programs_at",
    "release_in",
]


def release_in(env: str, paths: tuple[str, ...]) -> str:
    """Return the folder of the current revision of an installation.

    Raises:
        click.UsageError: There is none, or paths are given too.
    """
    from wfc.compiler.cli.delivery.environment import Environment

    found = Environment(env).current()
    if paths or found is None or not os.path.isdir(found):
        raise click.UsageError(
            printable(f"--env is a folder to which `wfc apply` has brought something: `{env}`")
        )
    return found


def is_other_release(env: str, served: str) -> bool:
    """Return whether an installation has another current revision than the one that is served.

    While it has none, as its folder is moved or out of reach, that one is served on.
    """
    from wfc.compiler.cli.delivery.environment import Environment

    found = Environment(env).current()
    return found is not None and found != served and os.path.isdir(found)


def folder_of(paths: tuple[str, ...]) -> str:
    """Return the folder whose settings hold: that of the first path."""
    first = paths[0] if paths else "."
    return first if os.path.isdir(first) else os.path.dirname(first)


def folder_to_write(paths: tuple[str, ...], host: str, *, remotely: bool) -> str:
    """Return the folder whose specs are written.

    Raises:
        click.UsageError: It is none, or they are to be written from beyond this machine, and nobody has said so.
    """
    from wfc.runtime.server.process import is_loopback

    if len(paths) > 1 or not os.path.isdir(paths[0] if paths else "."):
        raise click.UsageError("--author needs one PATH, the folder whose specs are written")
    if not is_loopback(host) and not remotely:
        told = "--author lets others have this machine run what they write: beyond it say --author-remotely"
        raise click.UsageError(told)
    return paths[0] if paths else "."


def programs_at(
    paths: tuple[str, ...], *, leave_out_broken: bool = False
) -> list[tuple[str, Program]] | None:
    """Return the programs at paths and in folders, each workflow once; ``None`` if one has errors, which are shown.

    Args:
        leave_out_broken: Serve the others: where specs are written some are not done.

    Raises:
        click.UsageError: Two have the same name.
    """
    found: list[str] = []
    for path in paths:
        try:
            found += [one.path for one in find_specs([path], note)] if os.path.isdir(path) else [path]
        except PathError:
            if not (leave_out_broken and os.access(path, os.R_OK)):
                raise  # a folder without a spec is where the first one is written
    chosen = tuple(dict.fromkeys(found))
    programs = (
        [one for path in chosen for one in loaded((path,)) or ()] if leave_out_broken else loaded(chosen)
    )
    known: dict[str, str] = {}
    for path, program in programs or ():
        name = name_of(program.workflow)
        if known.setdefault(name, path) != path:
            raise click.UsageError(printable(f"{known[name]} and {path} are both of the name `{name}`"))
    return programs


def desk_at(
    folder: str, engine: Engine, place: StorePlace, programs: list[tuple[str, Program]]
) -> Sequence[Endpoint]:
    """Return the endpoints by which the specs of a folder are written."""
    from wfc.compiler.cli.authoring.endpoints import Desk, endpoints_of
    from wfc.compiler.cli.authoring.folder import SpecFolder
    from wfc.compiler.cli.authoring.offering import Offering
    from wfc.compiler.cli.authoring.trying import Trials

    written = SpecFolder(folder)
    served = {name_of(program.workflow): path for path, program in programs}
    return endpoints_of(Desk(written, Trials(written.root), Offering(engine, place, source_of, served)))


def application_of(
    engine: Engine,
    place: StorePlace,
    programs: list[tuple[str, Program]],
    principals: list[Principal],
    openings: Openings,
    *,
    at_once: int,
    works: bool,
) -> Application:
    """Return the application that serves programs.

    Raises:
        click.ClickException: The code of one cannot be kept.
        WorkflowError: A workflow cannot run as it is written.
    """
    from wfc.runtime.server.access import Access
    from wfc.runtime.server.application import Application
    from wfc.runtime.server.installation import Installation

    workflows = []
    for path, program in programs:
        version = keep_version(engine, place, program, path)
        add_version(engine, program, version)
        workflows.append(engine.workflow(name_of(program.workflow), version=version))

    def load(due: DueRun) -> str | None:
        return reason_against(engine, place, due, None)

    sources = {name_of(program.workflow): source_of(path, program) for path, program in programs}
    server = Installation(
        engine,
        workflows,
        Access(principals),
        load,
        kind_of_worker(engine) if works else None,
        at_once,
        teller=teller_of(engine, place) if works else None,
        key=key_of(place),
        sources=sources,
        kept_python=lambda workflow, version: kept_texts(place, workflow, version),
        openings=openings,
        note=lambda text: click.echo(printable(text), err=True),
    )
    return Application(server)


def source_of(path: str, program: Program) -> WorkflowSource:
    """Return what a program was made from, for those who may see it: paths are seen from where the server runs."""
    from wfc.runtime.server.installation import WorkflowSource

    resolved = program.resolved
    paths = [path, *(one.path for one in resolved.imports)] if resolved else [path]
    spec = {os.path.relpath(one).replace(os.sep, "/"): text_of(one) for one in paths}
    if not program.modules:
        return WorkflowSource({}, spec)
    modules = [(one.path, one.text) for one in program.modules]
    modules += [(imported, text) for one in program.modules for _, imported, text in one.imports]
    return WorkflowSource(spec, {os.path.relpath(one).replace(os.sep, "/"): text for one, text in modules})


def text_of(path: str) -> str:
    return load_other(path).decode("utf-8", "replace")
