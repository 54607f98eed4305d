"""``wfc serve``."""

from __future__ import annotations

import socket
from functools import partial
from typing import TYPE_CHECKING, Any

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
from wfc.compiler.cli.serve_options import ServeOptions, refuse_meaningless_options, serve_options
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
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals
from wfc.compiler.cli.telling import reason_not_to_tell

if TYPE_CHECKING:
    from wfc.runtime.server.access import Principal
    from wfc.runtime.server.application import Application

__all__ = ["command"]


@click.command("serve", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@serve_options
def command(paths: tuple[str, ...], **given: Any) -> int:
    """Serve workflows and the runs of a store over HTTP, until it is told to end.

    A PATH is a spec, a generated module, or a folder whose specs are all served. Runs are started, shown, followed,
    answered and cancelled under /v1; /v1/openapi.json describes it all. The server works on the runs of the store as
    `wfc worker` does.

    It is reached from this machine alone, with the token that it keeps in .wfc/server.token beside the store. For
    others give --host, tokens (--tokens or WFC_SERVER_TOKEN), and a proxy that encrypts.

    SIGTERM and Ctrl-C let it end: streams are closed, runs under way end, rest, or are given back.
    """
    options = ServeOptions(**given)
    refuse_meaningless_options(options, click.get_current_context())
    if options.new_token is not None:
        return show_new_token(options.new_token, options.roles)
    check_addresses(options.names, options.origins, options.address)
    if options.env is not None:
        paths = (release_in(options.env, paths),)
    is_written = options.author or options.author_remotely
    folder = folder_to_write(paths, options.host, remotely=options.author_remotely) if is_written else None
    place = place_of(options.store, folder_of(paths) if options.env is None else options.env)
    engine = open_engine(place, is_new_allowed=True)
    listener: socket.socket | None = None
    try:
        with refusals(), output_kept():
            programs = programs_at(paths, leave_out_broken=folder is not None)
            if programs is None:
                return 1
            principals = (
                []
                if options.stdio
                else principals_of(place, options.host, options.tokens, plain_http=options.plain_http)
            )
            application = application_of(
                engine,
                place,
                programs,
                principals,
                openings_of(options.tokens),
                at_once=options.at_once,
                works=not options.no_work,
            )
            if folder is not None:
                application.server.beside = desk_at(folder, engine, place, programs)
            if not options.stdio:
                listener = serve_over_http(application, principals, place, paths, options)
        if options.stdio:
            with refusals():
                serve_streams(application.server, this_user(), own_groups(), options.address)
    finally:
        engine.close()
    if listener is not None:
        begin_anew(listener)
    return 0


def serve_over_http(
    application: Application,
    principals: list[Principal],
    place: StorePlace,
    paths: tuple[str, ...],
    options: ServeOptions,
) -> socket.socket | None:
    """Serve over HTTP until the process is told to end; return the socket if it is to begin anew."""
    if options.mcp:
        offer_tools(application)
    return serve(
        application,
        options.host,
        options.port,
        [*options.names, options.host],
        options.origins,
        options.address,
        changed=None if options.env is None else partial(is_other_release, options.env, paths[0]),
        key=key_for_the_page(principals, place),
        untold=None if options.no_work else reason_not_to_tell(place),
    )
