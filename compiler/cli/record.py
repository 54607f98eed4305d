"""``wfc record``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.runs.export import show_test
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option

__all__ = ["command"]


@click.command("record", cls=Command)
@run_argument
@click.option("--name", metavar="TEXT", help="The name of the test.")
@store_option
def command(run: str, name: str | None, store: str | None) -> int:
    """Make a test of a stored RUN that is over, with a script of what the models of its agents have replied.

    It is printed to be put under `tests:` of its spec: what the run began with, what models replied, what tools, other
    actions and people gave, what came from outside, and how it ended. It is played once before, to see that it passes.
    Summaries of threads, and what tools have asked people, are in it, too. What no script can say is left out and told:
    calls that were not made, such as those of tools that there are not. Inputs and answers are in it as they were;
    values of secrets are in no store, and so in no test.

    Exit status: 0 it is printed; 1 there is no such run, it is not over, or the test made of it does not pass.
    """
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            return show_test(engine, place, run, name or f"as the run {run}", scripts=True)
    finally:
        engine.close()
