"""``wfc completion``, and what a shell asks when somebody presses Tab."""

from __future__ import annotations

import os
from typing import Final

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from wfc.compiler.cli.command import Command

__all__ = ["ASKED", "answer", "command"]

ASKED: Final = "_WFC_COMPLETE"
"""The variable by which a shell says that it asks, and what."""

SHELLS: Final = ("bash", "zsh", "fish")
FILES: Final = {
    "bash": 'wfc completion bash > ~/.wfc-complete.bash && echo "source ~/.wfc-complete.bash" >> ~/.bashrc',
    "zsh": 'wfc completion zsh > ~/.wfc-complete.zsh && echo "source ~/.wfc-complete.zsh" >> ~/.zshrc',
    "fish": "wfc completion fish > ~/.config/fish/completions/wfc.fish",
}


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which a shell completes commands, options and paths."""
    click.echo(f"# put in place by: {FILES[shell]}")
    click.echo(completer(ctx.find_root().command, shell).source())


def completer(group: click.Command, shell: str) -> ShellComplete:
    found = get_completion_class(shell)
    assert found is not None
    return found(group, {}, "wfc", ASKED)


def answer(group: click.Command) -> int:
    """Answer a shell that asks what may stand at the end of a command line, and return the exit status."""
    shell, _, what = os.environ[ASKED].partition("_")
    if shell not in SHELLS or what != "complete":
        return 2
    asked = completer(group, shell)
    args, incomplete = asked.get_completion_args()
    asked.ctx_args["obj"] = [*args]  # which `offers` reads
    found = asked.get_completions(args, incomplete)
    if not found and not incomplete.startswith("-"):
        found = [CompletionItem(incomplete, type="file")]  # whatever is no option or choice is a path
    for each in found:
        if shell == "fish" and each.help:
            each.help = each.help.replace(",", ";")  # its script would cut there
        click.echo(asked.format_completion(each))
    return 0
