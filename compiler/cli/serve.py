"""``wfc serve``."""

from __future__ import annotations

import socket
from functools import partial

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.listening import begin_anew, check_addresses, serve
from wfc.compiler.cli.operators import (
    key_for_the_page,
    openings_of,
    own_groups,
    principals_of,
    show_new_token,
)
from wfc.compiler.cli.resuming import this_user
from wfc.compiler.cli.served import (
    application_of,
    desk_at,
    folder_of,
    folder_to_write,
    is_other_release,
    programs_at,
    release_in,
)
from wfc.compiler.cli.serving_tools import offer_tools, serve_streams
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.telling import reason_not_to_tell

__all__ = ["command"]


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
            application = application_of(
                engine, place, programs, principals, openings_of(tokens), at_once=at_once, works=not no_work
            )
            if folder is not None:
                application.server.beside = desk_at(folder, engine, place, programs)
            if mcp and not stdio:
                offer_tools(application)
            if not stdio:
                untold = None if no_work else reason_not_to_tell(place)
                changed = None if env is None else partial(is_other_release, env, paths[0])
                key = key_for_the_page(principals, place)
                listener = serve(
                    application, host, port, [*names, host], origins, address, changed, key, untold
                )
        if stdio:
            with refusals():
                serve_streams(application.server, this_user(), own_groups(), address)
    finally:
        engine.close()
    if listener is not None:
        begin_anew(listener)
    return 0
