"""A server at its address: under which names it is reached, what it says when it begins, how it begins anew."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime.server.application import Application

__all__ = ["begin_anew", "check_addresses", "serve"]

SOCKET = "WFC_SERVER_SOCKET"
"""The variable by which a server that begins anew gets its socket from itself."""


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


def serve(
    application: Application,
    host: str,
    port: int,
    names: list[str],
    origins: tuple[str, ...],
    address: str | None,
    changed: Callable[[], bool] | None,
    key: str,
    untold: str | None = None,
) -> socket.socket | None:
    """Serve an application until the process is told to end, or what it serves has changed.

    Args:
        key: The token by which the page is opened from this terminal; empty: none.
        untold: Why nobody can be told of questions and failures.

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
    if (teller := application.server.teller) is not None and not teller.page:
        teller.page = application.server.address or f"http://{shown}:{chosen}"
    served = ", ".join(sorted(application.server.offered)) or "the runs of the store, and no workflow yet"

    def begun() -> None:
        if untold:
            click.echo(printable(f"nobody will be told of questions and failures: {untold}"), err=True)
        click.echo(printable(f"serving {served}"), err=True)
        click.echo(
            printable(f"at http://{shown}:{chosen}/v1, and for people at http://{shown}:{chosen}/"), err=True
        )
        if key:
            click.echo(
                printable(f"open this, which has your token: http://{shown}:{chosen}/#k={key}"), err=True
            )

    if process.serve(application, listener, begun, changed):
        click.echo("another revision is current: the server begins anew", err=True)
        return kept
    if kept is not None:
        kept.close()
    click.echo("the server has ended", err=True)
    return None


def begin_anew(listener: socket.socket) -> None:
    """Begin this command anew in this process: with new code, and the same socket, on which others may wait."""
    os.set_inheritable(listener.fileno(), True)
    os.environ[SOCKET] = str(listener.detach())
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves
