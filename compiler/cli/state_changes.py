"""Changes of a run's state on a command line: `--set PATH=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.runtime.values.strict_json import parsed

__all__ = ["changes_of", "set_option"]

set_option = click.option(
    "--set",
    "changes",
    metavar="PATH=VALUE",
    multiple=True,
    help="A value of the state, such as order.lines[2].price=7; JSON, or else a text.",
)


def changes_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return changes of a state as data, by path.

    Raises:
        click.UsageError: One is not `PATH=VALUE`, or a path is named twice.
    """
    found: dict[str, Any] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise click.UsageError(
                printable(f"`--set {text[:100]}` is not PATH=VALUE, such as `--set tries=0`")
            )
        if path in found:
            raise click.UsageError(printable(f"`{path}` is set twice"))
        try:
            found[path] = parsed(value)
        except ValueError:
            found[path] = value
    return found
