"""``wfc serve``."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.cli.resuming import this_user
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.cli.telling import teller_of
from wfc.compiler.cli.versions import add_version, keep_version, name_of
from wfc.compiler.cli.worker import kind_of_worker, loaded, reason_against
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.sources import find_specs

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.runtime import Engine
    from wfc.runtime.server.access import Principal
    from wfc.runtime.server.application import Application
    from wfc.runtime.store.sql.selecting import DueRun

__all__ = ["command"]

TOKEN, KEY = "WFC_SERVER_TOKEN", "WFC_SERVER_KEY"
SHORTEST_KEY = 32


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
    type=click.Choice(["see", "start", "answer", "operate"]),
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
    "--at-once", type=click.IntRange(1), default=100, show_default=True, help="How many runs at once."
)
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
    at_once: int,
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
    place = place_of(store, folder_of(paths))
    engine = open_engine(place, is_new_allowed=True)
    try:
        with output_kept(), refusals():
            programs = programs_at(paths)
            if programs is None:
                return 1
            principals = principals_of(place, host, tokens, plain_http=plain_http)
            application = application_of(
                engine, place, programs, principals, at_once=at_once, works=not no_work
            )
            serve(application, host, port, [*names, host], origins, address)
    finally:
        engine.close()
    return 0


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


def show_new_token(name: str, roles: tuple[str, ...]) -> int:
    """Print a new token, and the table that a file of principals needs for it."""
    from wfc.runtime.server.access import digest_of, new_token

    if not roles:
        raise click.UsageError("say what NAME may do: --role see, start, answer or operate")
    if not name.isprintable() or '"' in name or "\\" in name or "," in name:
        raise click.UsageError("NAME is such as user:ann")
    token = new_token()
    listed = ", ".join(f'"{role}"' for role in roles)
    click.echo(f'[[principal]]\nname = "{name}"\nroles = [{listed}]\nsha256 = "{digest_of(token)}"')
    click.echo(f"the token, which is shown this once: {token}", err=True)
    return 0


def programs_at(paths: tuple[str, ...]) -> list[tuple[str, Program]] | None:
    """Return the programs at paths and in folders, each workflow once; ``None`` if one has errors, which are shown.

    Raises:
        click.UsageError: Two have the same name.
    """
    found: list[str] = []
    for path in paths:
        found += [one.path for one in find_specs([path], note)] if os.path.isdir(path) else [path]
    programs = loaded(tuple(dict.fromkeys(found)))
    known: dict[str, str] = {}
    for path, program in programs or ():
        name = name_of(program.workflow)
        if known.setdefault(name, path) != path:
            raise click.UsageError(printable(f"{known[name]} and {path} are both of the name `{name}`"))
    return programs


def principals_of(place: StorePlace, host: str, tokens: str | None, *, plain_http: bool) -> list[Principal]:
    """Return who may do what; on this machine whoever can read the token that is kept beside the store.

    Raises:
        click.UsageError: The server is to be reached by others, and nothing says by whom.
    """
    from wfc.runtime.server.access import new_token, of_token, read_principals
    from wfc.runtime.server.process import is_loopback

    found = [] if tokens is None else read_principals(Path(tokens))
    if given := os.environ.get(TOKEN):
        found.append(of_token(given, this_user(), own_groups(), TOKEN))
    if is_loopback(host):
        if not found:
            path = place.versions.parent / "server.token"
            found.append(of_token(kept(path, new_token()), this_user(), own_groups(), str(path)))
            click.echo(printable(f"the token is in {path}"), err=True)
        return found
    if not found:
        raise click.UsageError(f"beyond this machine it needs tokens: --tokens FILE, or {TOKEN}")
    if not plain_http:
        raise click.UsageError(
            "beyond this machine everybody on the way could read the tokens: let a proxy on this machine encrypt, or "
            "say --plain-http where the network itself does"
        )
    return found


def own_groups() -> list[str]:
    """Return the groups of whoever uses this computer."""
    from wfc.compiler.cli.tasks.list import this_user_and_groups

    return [name.removeprefix("group:") for name in this_user_and_groups() if name.startswith("group:")]


def kept(path: Path, new: str) -> str:
    """Return the secret in a file that only its owner can read; the file is made, if it is not there.

    Raises:
        click.ClickException: It cannot be read or made, or others can read it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if os.name == "posix" and path.stat().st_mode & 0o077:
                raise click.ClickException(printable(f"others can read {path}: chmod 600 {path}")) from None
            return path.read_text(encoding="ascii", errors="replace").strip()
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(new)
    except OSError as error:
        raise click.ClickException(printable(f"{path}: {error.strerror}")) from None
    return new


def key_of(place: StorePlace) -> bytes:
    """Return the key that links are signed with: given, or kept beside the store.

    Raises:
        click.UsageError: It is so short that it may be guessed.
    """
    found = os.environ.get(KEY) or kept(place.versions.parent / "server.key", secrets.token_hex(32))
    if len(found) < SHORTEST_KEY:
        raise click.UsageError(f"{KEY} has fewer than {SHORTEST_KEY} characters, and may be guessed")
    return found.encode()


def application_of(
    engine: Engine,
    place: StorePlace,
    programs: list[tuple[str, Program]],
    principals: list[Principal],
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

    server = Installation(
        engine,
        workflows,
        Access(principals),
        load,
        kind_of_worker(engine) if works else None,
        at_once,
        teller=teller_of(engine, place) if works else None,
        key=key_of(place),
        note=lambda text: click.echo(printable(text), err=True),
    )
    return Application(server)


def serve(
    application: Application,
    host: str,
    port: int,
    names: list[str],
    origins: tuple[str, ...],
    address: str | None,
) -> None:
    """Serve an application until the process is told to end.

    Raises:
        SettingsError: The address is taken.
    """
    from wfc.runtime.server import process

    listener = process.listening(host, port)
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

    process.serve(application, listener, begun)
    click.echo("the server has ended", err=True)
