"""``wfc serve``."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.cli.operators import (
    key_for_the_page,
    key_of,
    openings_of,
    own_groups,
    principals_of,
    show_new_token,
)
from wfc.compiler.cli.resuming import this_user
from wfc.compiler.cli.serving_tools import offer_tools, serve_streams
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
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

__all__ = ["command"]

SOCKET = "WFC_SERVER_SOCKET"
"""The variable by which a server that begins anew gets its socket from itself."""


@click.command("serve", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen at: that of this machine."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8470, show_default=True, help="0: a free one.")
@click.option(
    "--tokens", metavar="FILE", help="Who may do what: a TOML file of principals with digests of tokens."
)
@click.option(
    "--new-token", metavar="NAME", help="Print a new token for NAME and what --tokens needs, and end."
)
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=click.Choice(["see", "start", "answer", "operate", "author"]),
    help="What NAME may do.",
)
@click.option(
    "--name", "names", metavar="HOST", multiple=True, help="Another name of this server, as in a proxy."
)
@click.option(
    "--origin",
    "origins",
    metavar="URL",
    multiple=True,
    help="Pages that may use it, such as https://a.example.",
)
@click.option("--address", metavar="URL", help="Where it is reached from outside, for links.")
@click.option("--plain-http", is_flag=True, help="Listen beyond this machine although nothing is encrypted.")
@click.option(
    "--env",
    metavar="ENV",
    help="Serve what `wfc apply` has brought to this folder, and what follows.",
)
@click.option("--author", is_flag=True, help="Let authors read, write and test the specs of the folder PATH.")
@click.option("--author-remotely", is_flag=True, help="Let them do so from beyond this machine, too.")
@click.option(
    "--at-once", type=click.IntRange(1), default=100, show_default=True, help="How many runs at once."
)
@click.option("--mcp", is_flag=True, help="Offer the workflows as tools to programs of agents, under /mcp.")
@click.option("--stdio", is_flag=True, help="Do only that, over standard input and output.")
@click.option("--no-work", is_flag=True, help="Let no runs go on in this process: `wfc worker` does.")
@store_option
def command(
    paths: tuple[str, ...],
    host: str,
    port: int,
    tokens: str | None,
    new_token: str | None,
    roles: tuple[str, ...],
    names: tuple[str, ...],
    origins: tuple[str, ...],
    address: str | None,
    plain_http: bool,
    env: str | None,
    author: bool,
    author_remotely: bool,
    at_once: int,
    mcp: bool,
    stdio: bool,
    no_work: bool,
    store: str | None,
) -> int:
    """Serve workflows and the runs of a store over HTTP, until it is told to end.

    A PATH is a spec, a generated module, or a folder whose specs are all served. Runs are started, shown, followed,
    answered and cancelled under /v1; /v1/openapi.json describes it all. The server works on the runs of the store as
    `wfc worker` does.

    It is reached from this machine alone, with the token that it keeps in .wfc/server.token beside the store. For
    others give --host, tokens (--tokens or WFC_SERVER_TOKEN), and a proxy that encrypts.

    SIGTERM and Ctrl-C let it end: streams are closed, runs under way end, rest, or are given back.
    """
    if new_token is not None:
        return show_new_token(new_token, roles)
    check_addresses(names, origins, address)
    if env is not None:
        paths = (release_in(env, paths),)
    folder = folder_to_write(paths, host, remotely=author_remotely) if author or author_remotely else None
    place = place_of(store, folder_of(paths) if env is None else env)
    engine = open_engine(place, is_new_allowed=True)
    listener: socket.socket | None = None
    try:
        with refusals(), output_kept():
            programs = programs_at(paths, leave_out_broken=folder is not None)
            if programs is None:
                return 1
            principals = [] if stdio else principals_of(place, host, tokens, plain_http=plain_http)
            openings = openings_of(tokens)
            application = application_of(
                engine, place, programs, principals, openings, at_once=at_once, works=not no_work
            )
            if folder is not None:
                application.server.beside = desk_at(folder, engine, place, programs)
            if mcp and not stdio:
                offer_tools(application)
            if not stdio:
                changed = None if env is None else partial(is_other_release, env, paths[0])
                key = key_for_the_page(principals, place)
                listener = serve(application, host, port, [*names, host], origins, address, changed, key)
        if stdio:
            with refusals():
                serve_streams(application.server, this_user(), own_groups(), address)
    finally:
        engine.close()
    if listener is not None:
        begin_anew(listener)
    return 0


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


def begin_anew(listener: socket.socket) -> None:
    """Begin this command anew in this process: with new code, and the same socket, on which others may wait."""
    os.set_inheritable(listener.fileno(), True)
    os.environ[SOCKET] = str(listener.detach())
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves


def check_addresses(names: tuple[str, ...], origins: tuple[str, ...], address: str | None) -> None:
    """Check whether names are such, and addresses too.

    Raises:
        click.UsageError: One is none.
    """
    for name in names:
        if name != "*" and (not name.strip() or urlsplit(f"//{name}").hostname != name.lower().strip("[]")):
            raise click.UsageError(printable(f"--name is such as desk.example, without a port: `{name}`"))
    for option, given in (*(("--origin", one) for one in origins), ("--address", address or "https://a")):
        parts = urlsplit(given)
        has_path = option == "--origin" and parts.path.strip("/")
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or has_path
            or parts.query
            or parts.fragment
        ):
            raise click.UsageError(printable(f"{option} is such as https://desk.example: `{given}`"))


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


def serve(
    application: Application,
    host: str,
    port: int,
    names: list[str],
    origins: tuple[str, ...],
    address: str | None,
    changed: Callable[[], bool] | None,
    key: str,
) -> socket.socket | None:
    """Serve an application until the process is told to end, or what it serves has changed.

    Args:
        key: The token by which the page is opened from this terminal; empty: none.

    Returns:
        If that has changed: the socket, on which others may wait.

    Raises:
        SettingsError: The address is taken.
    """
    from wfc.runtime.server import process

    handed_on = os.environ.pop(SOCKET, "")
    listener = socket.socket(fileno=int(handed_on)) if handed_on else process.listening(host, port)
    kept = listener.dup() if changed is not None else None
    chosen = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    application.allow(names, origins)
    application.server.address = (address or "").rstrip("/")
    served = ", ".join(sorted(application.server.offered)) or "the runs of the store alone"

    def begun() -> None:
        click.echo(printable(f"serving {served}"), err=True)
        click.echo(
            printable(f"at http://{shown}:{chosen}/v1, and for people at http://{shown}:{chosen}/"), err=True
        )
        if key:
            click.echo(
                printable(f"for you, who may do everything: http://{shown}:{chosen}/#k={key}"), err=True
            )

    if process.serve(application, listener, begun, changed):
        click.echo("another revision is current: the server begins anew", err=True)
        return kept
    if kept is not None:
        kept.close()
    click.echo("the server has ended", err=True)
    return None
