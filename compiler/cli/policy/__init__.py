"""``wfc policy``: rules of an organisation."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Commands

__all__ = ["command"]

COMMANDS = {
    "check": "Hold a policy against specs.",
    "test": "Run the tests of a policy.",
    "facts": "Print what rules can ask of specs, as JSON.",
    "starter": "Print a policy to start with.",
    "schema": "Print the JSON Schema of policies.",
}


@click.group("policy", cls=Commands, commands=COMMANDS, package=__name__)
def command() -> None:
    """Hold the rules of an organisation against specs.

    A policy is a YAML file, by default wfc-policy.yaml in the current folder. Its rules are expressions over what is
    known of a workflow; nothing of a policy or of a spec is run.
    """
