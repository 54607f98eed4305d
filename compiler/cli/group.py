"""The group of subcommands for click."""

from __future__ import annotations

import os
import signal
from io import StringIO
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import HELP_NAMES, Commands
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["COMMANDS", "run"]

COMMANDS = {
    "init": "Begin a project with a working spec.",
    "new": "Begin a spec from a pattern.",
    "check": "Find everything that is wrong with specs.",
    "fmt": "Write specs in their canonical form.",
    "compile": "Compile specs to Python modules.",
    "run": "Run a spec or a generated module.",
    "runs": "List, show, follow, resume and cancel stored runs.",
    "tasks": "List, show and answer the questions of stored runs.",
    "send": "Send an event to a stored run.",
    "worker": "Work on the stored runs that are due.",
    "serve": "Serve workflows and stored runs over HTTP.",
    "apply": "Bring the workflows of a revision to an installation.",
    "store": "Check, migrate and copy a store of runs.",
    "test": "Run the tests written in specs.",
    "tools": "List the tools of a spec, and pin those of MCP servers.",
    "trust": "Agree that a project's programs may be started.",
    "record": "Make a test of a stored run.",
    "verify": "Tell whether generated modules are current.",
    "diff": "Tell what a change of specs means.",
    "policy": "Hold rules of an organisation against specs.",
    "ci": "Do all that a pipeline asks of specs, in one report.",
    "index": "Bring the indexes of collections of texts up to date.",
    "ask": "Ask the texts of a folder.",
    "eval": "Judge how well a spec answers, by questions with known answers.",
    "graph": "Draw a spec's flow.",
    "triggers": "Show what starts runs of a spec, and when.",
    "explain": "Explain a finding's code.",
    "schema": "Print the JSON Schema of specs.",
    "lsp": "Serve an editor.",
    "skill": "Print what a language model has to know to write specs.",
    "draft": "Let a language model write a spec from words.",
    "mcp": "Serve a language model that writes specs.",
    "completion": "Print the script by which a shell completes.",
}
"""Every subcommand with its line in the help, so that showing the help loads none of them."""


TERMINATED = 128 + signal.SIGTERM


def show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version  # slow: for those who ask only

        click.echo(f"wfc {version('wfc-workflows')}")
        ctx.exit()


@click.group(
    cls=Commands,
    commands=COMMANDS,
    package="wfc.compiler.cli",
    context_settings={"help_option_names": list(HELP_NAMES)},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Print the version.",
)
def wfc() -> None:
    """Workflows as YAML specs: checked, proved, compiled to event-driven Python, and run.

    Exit status: 0 fine; 1 findings, or a run or a test that failed; 2 wrong usage.
    """


def run(args: list[str]) -> int:
    """Run a command line and return its exit status; errors are shown.

    Who ends this process politely (SIGTERM) gets what Ctrl-C does: runs are cancelled, no file is left half written.
    """
    ended: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        ended.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # ignored, as in what a shell starts in the background
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)  # while a run goes on this cancels it

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # signals are the main thread's
        return invoked(args)
    try:
        return invoked(args)
    except KeyboardInterrupt:
        if ended:
            return TERMINATED
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def invoked(args: list[str]) -> int:
    if "_WFC_COMPLETE" in os.environ:
        from wfc.compiler.cli.completion import answer

        return answer(wfc)
    try:
        # `wfc.main` would make its own exit of a broken pipe and of an interrupt
        with wfc.make_context("wfc", args) as context:
            status = wfc.invoke(context)
    except click.ClickException as error:
        told = StringIO()
        error.show(told)
        # what was given may have come from a stranger: the names of files, a whole command line
        click.echo("\n".join(map(printable, told.getvalue().split("\n"))), err=True, nl=False)
        return error.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.Abort:  # Ctrl-C, or the end of the input, at a question
        click.echo(err=True)
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0
