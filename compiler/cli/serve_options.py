"""The options of ``wfc serve``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from wfc.compiler.cli.stores import store_option

__all__ = ["ServeOptions", "refuse_meaningless_options", "serve_options"]

Given = TypeVar("Given", bound=Callable[..., Any])


class ServeOptions(NamedTuple):
    """What ``wfc serve`` is told beside the paths; what each means is said by its option below."""

    host: str
    port: int
    tokens: str | None
    new_token: str | None
    roles: tuple[str, ...]
    names: tuple[str, ...]
    origins: tuple[str, ...]
    address: str | None
    plain_http: bool
    env: str | None
    author: bool
    author_remotely: bool
    at_once: int
    mcp: bool
    stdio: bool
    no_work: bool
    store: str | None


LISTENING: Final = (
    click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        help="The address to listen at: that of this machine.",
    ),
    click.option(
        "--port", type=click.IntRange(0, 65535), default=8470, show_default=True, help="0: a free one."
    ),
)
"""Where it listens."""

PEOPLE: Final = (
    click.option(
        "--tokens", metavar="FILE", help="Who may do what: a TOML file of principals with digests of tokens."
    ),
    click.option(
        "--new-token", metavar="NAME", help="Print a new token for NAME and what --tokens needs, and end."
    ),
    click.option(
        "--role",
        "roles",
        multiple=True,
        type=click.Choice(["see", "start", "answer", "operate", "author"]),
        help="What NAME may do.",
    ),
)
"""Who may use it."""

ADDRESSES: Final = (
    click.option(
        "--name", "names", metavar="HOST", multiple=True, help="Another name of this server, as in a proxy."
    ),
    click.option(
        "--origin",
        "origins",
        metavar="URL",
        multiple=True,
        help="Pages that may use it, such as https://a.example.",
    ),
    click.option("--address", metavar="URL", help="Where it is reached from outside, for links."),
    click.option(
        "--plain-http", is_flag=True, help="Listen beyond this machine although nothing is encrypted."
    ),
)
"""How it is reached from outside."""

WORK: Final = (
    click.option(
        "--env",
        metavar="ENV",
        help="Serve what `wfc apply` has brought to this folder, and what follows.",
    ),
    click.option(
        "--author", is_flag=True, help="Let authors read, write and test the specs of the folder PATH."
    ),
    click.option("--author-remotely", is_flag=True, help="Let them do so from beyond this machine, too."),
    click.option(
        "--at-once", type=click.IntRange(1), default=100, show_default=True, help="How many runs at once."
    ),
    click.option(
        "--mcp", is_flag=True, help="Offer the workflows as tools to programs of agents, under /mcp."
    ),
    click.option("--stdio", is_flag=True, help="Do only that, over standard input and output."),
    click.option("--no-work", is_flag=True, help="Let no runs go on in this process: `wfc worker` does."),
)
"""What is served, and how."""


ONLY_OVER_HTTP: Final = (
    "host",
    "port",
    "tokens",
    "names",
    "origins",
    "plain_http",
    "author",
    "author_remotely",
)
"""What has no meaning with ``--stdio``, which listens nowhere and serves whoever has started it."""


def refuse_meaningless_options(options: ServeOptions, context: click.Context) -> None:
    """Refuse options that the others make meaningless, so that nobody relies on them.

    Raises:
        click.UsageError: There is one.
    """
    if options.roles and options.new_token is None:
        raise click.UsageError("--role says what a new token may do: --new-token NAME --role …")
    if not options.stdio:
        return
    for each in context.command.params:
        given = context.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE
        if each.name in ONLY_OVER_HTTP and given:
            raise click.UsageError(
                f"{each.opts[0]} counts for nothing with --stdio, which serves over standard input and output alone"
            )


def serve_options(command: Given) -> Given:
    """Give a command these options, which it takes as those of ``ServeOptions``."""
    for option in reversed((*LISTENING, *PEOPLE, *ADDRESSES, *WORK, store_option)):
        command = option(command)
    return command
