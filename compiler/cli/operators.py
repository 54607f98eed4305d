"""Who may use ``wfc serve``: the operator's file, the token and the key that are kept beside the store."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.resuming import this_user
from wfc.compiler.cli.stores import StorePlace
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wfc.runtime.server.access import Principal
    from wfc.runtime.server.openings import Openings

__all__ = ["key_for_the_page", "key_of", "openings_of", "own_groups", "principals_of", "show_new_token"]

TOKEN, KEY = "WFC_SERVER_TOKEN", "WFC_SERVER_KEY"
SHORTEST_KEY = 32


def show_new_token(name: str, roles: tuple[str, ...]) -> int:
    """Print a new token, and the table that a file of principals needs for it."""
    from wfc.runtime.server.access import ROLES, digest_of, new_token

    if not roles:
        raise click.UsageError(f"say what NAME may do: --role {', '.join(ROLES[:-1])} or {ROLES[-1]}")
    if not name.isprintable() or '"' in name or "\\" in name or "," in name:
        raise click.UsageError("NAME is such as user:ann")
    token = new_token()
    listed = ", ".join(f'"{role}"' for role in roles)
    click.echo(f'[[principal]]\nname = "{name}"\nroles = [{listed}]\nsha256 = "{digest_of(token)}"')
    click.echo(f"the token, which is shown this once: {token}", err=True)
    return 0


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
            path = own_file(place)
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


def own_file(place: StorePlace) -> Path:
    """Return the file of the token that whoever can read it has."""
    return place.versions.parent / "server.token"


def key_for_the_page(principals: Sequence[Principal], place: StorePlace) -> str:
    """Return the token of the file beside the store, if it is one that counts and a person looks at this terminal; else
    nothing: what is written here goes into a file.

    Raises:
        click.ClickException: The file cannot be read.
    """
    from wfc.runtime.server.access import digest_of

    path = own_file(place)
    if not sys.stderr.isatty() or not path.exists():
        return ""
    key = kept(path, "")
    return key if digest_of(key) in {each.digest for each in principals} else ""


def openings_of(tokens: str | None) -> Openings:
    """Return what the operator's file opens to people without tokens: nothing, unless it says so."""
    from wfc.runtime.server.openings import Openings, read_openings

    return Openings() if tokens is None else read_openings(Path(tokens))


def own_groups() -> list[str]:
    """Return the groups of whoever uses this computer."""
    from wfc.compiler.cli.tasks.list import this_user_and_groups

    return [name.removeprefix("group:") for name in this_user_and_groups() if name.startswith("group:")]


def kept(path: Path, new: str) -> str:
    """Return the secret in a file that only its owner can read; the file is made, if it is not there.

    Raises:
        click.ClickException: It cannot be read or made, or others can read it.
    """
    from wfc.runtime.values.own_folder import make_folder

    try:
        make_folder(path.parent)
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
