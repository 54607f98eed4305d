"""``wfc ask``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.cli.programs import load_program
from wfc.compiler.cli.searches import cited_by, tell
from wfc.compiler.cli.starting.new_files import write_new
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.one_run import Ran

__all__ = ["command"]

MODEL = "WFC_ASK_MODEL"
LONGEST_QUOTE = 600
NOTHING = 1
"""The exit status if nothing is found, or the run fails."""


@click.command("ask", cls=Command)
@click.argument("folder", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
@click.argument("question", metavar="QUESTION")
@click.option("--model", metavar="PROVIDER:NAME", envvar=MODEL, help="What writes an answer; none by itself.")
@click.option(
    "--explain", is_flag=True, help="Show what was found, what was left out by which rule, what was cited."
)
def command(folder: str, question: str, model: str | None, explain: bool) -> int:
    """Ask the texts of a FOLDER.

    Without a model the passages that fit best are quoted, with where they stand; nothing is sent anywhere. With
    --model, or WFC_ASK_MODEL in the environment, a model answers from these passages, and each citation is held against
    them. The spec that does it is written beside the folder, and used as it is there from then on.

    Exit status: 0 an answer; 1 nothing was found, or the run failed; 2 wrong usage.
    """
    import asyncio

    from wfc.compiler.cli.inputs import start_event
    from wfc.compiler.cli.one_run import run_once
    from wfc.runtime.authoring.definition import definition_of
    from wfc.runtime.driver.engine import default_engine

    program = load_program(spec_beside(folder, model))
    if program is None:
        return NOTHING
    kind = definition_of(program.workflow).plan.start_class
    start = start_event(kind, {"question": question}, None)
    try:
        with output_kept():
            ran = asyncio.run(run_once(program, start))
    finally:
        default_engine().close()
    if ran.error:
        raise click.ClickException(printable(ran.error))
    status = answered(ran)
    if explain:
        click.echo()
        for search in ran.searches:
            cited = cited_by(ran.values)
            tell(search.step_name, search.collections, search.query, search.considered, cited)
    return status


def spec_beside(folder: str, model: str | None) -> str:
    """Return the path of the spec that asks a folder, which is written if it is not there.

    Raises:
        click.UsageError: It cannot be written, or the folder's name cannot stand in it.
    """
    whole = os.path.abspath(folder)
    name = os.path.basename(whole)
    if not name or re.search(r"[*?{}\[\]\"'\\$:\x00-\x1f\x7f]", name):
        raise click.UsageError(f"a folder of this name cannot be asked: `{printable(name)}`")
    if model is not None and not re.fullmatch(r"[a-z0-9-]+:[^\s\"'\\{}]+", model):
        raise click.UsageError(f"a model is written as `provider:name`, and this is `{printable(model)}`")
    own = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "texts"
    workflow = f"{'answer' if model else 'ask'}_{own}"
    above = os.path.relpath(os.path.dirname(whole))
    path = os.path.normpath(os.path.join(above, f"{workflow}.yaml"))
    if not os.path.exists(path):
        template = files("wfc.compiler.cli.starting").joinpath(
            "files", "ask_answer.yaml" if model else "ask_passages.yaml"
        )
        text = template.read_text(encoding="utf-8").replace("./FOLDER/", f"./{name}/")
        text = text.replace("wfc ask FOLDER", f"wfc ask {name}").replace("NAME", workflow, 1)
        write_new(above, {f"{workflow}.yaml": text.replace('"MODEL"', f'"{model}"').encode()})
        note(printable(f"{path} was written, and is what answers"))
    return path


def answered(ran: Ran) -> int:
    """Show an answer, or passages, with where they stand."""
    passages = ran.values.get("passages")
    if not isinstance(passages, list) or not passages:
        click.echo("nothing was found", err=True)
        return NOTHING
    text = ran.values.get("text")
    citations = ran.values.get("citations")
    if isinstance(text, str) and isinstance(citations, list):
        click.echo("\n".join(map(printable, text.split("\n"))))
        for each in citations:
            quoted(int(each["number"]), str(each["quote"]), passages[int(each["number"]) - 1])
        return 0
    for number, passage in enumerate(passages, start=1):
        quoted(number, str(passage["text"]), passage)
    return 0


def quoted(number: int, said: str, passage: Mapping[str, Any]) -> None:
    """Show the words of a passage, and where they stand."""
    words = " ".join(said.split())
    shown = words if len(words) <= LONGEST_QUOTE else f"{words[:LONGEST_QUOTE]} …"
    about = passage.get("about") or {}
    place = [str(passage["source"])]
    place += [f"{name} {about[name]}" for name in ("page", "sheet", "row") if about.get(name)]
    place += [about["heading"]] if about.get("heading") else []
    if passage.get("start") is not None:
        place.append(f"characters {passage['start']}-{passage['end']}")
    click.echo(f"\n[{number}] {printable(shown)}\n    {printable(', '.join(place))}")
