"""``wfc init``."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.starting.new_files import write_new
from wfc.compiler.diagnostics.escaping import printable
from wfc.schemas.settings import settings_file

__all__ = ["command"]

FILES = Path(__file__).parent / "starting" / "files"
SPEC = "specs/orders.yaml"
SCHEMA = "workflow.schema.json"
PLACES = {"github": ".github/workflows/wfc.yml", "gitlab": ".gitlab-ci.yml"}
EDITOR = ".vscode/extensions.json"
SETTINGS = "wfc.toml"

ABOUT = {
    SPEC: "a workflow with its tests; it says what its parts mean",
    SETTINGS: "the project's settings; runs are kept in `.wfc` beside it",
    SCHEMA: "lets editors explain keys as you type; `wfc schema` makes it anew",
    EDITOR: "proposes the extension that reads the schema to VS Code",
    PLACES["github"]: "checks and tests every change, and tells in a comment what it means",
    PLACES["gitlab"]: "checks and tests every change, and tells in a comment what it means",
}


@click.command("init", cls=Command)
@click.argument("folder", metavar="[FOLDER]", default=os.curdir)
@click.option(
    "--ci",
    type=click.Choice([*PLACES, "none"]),
    help="Where changes are checked and tested; at a terminal it is asked, else it is `none`.",
)
@click.option("--editor/--no-editor", default=True, help="Write what editors read; it is the default.")
def command(folder: str, ci: str | None, editor: bool) -> None:
    """Begin a project: one working spec with its tests, and files for the editor and for CI.

    FOLDER is made if it is not there; without one it is the current folder. Nothing that is there is written over.
    """
    if ci is None:
        asked = sys.stdin.isatty() and sys.stderr.isatty()
        choice = click.Choice([*PLACES, "none"])
        ci = click.prompt("CI", default="none", type=choice, err=True) if asked else "none"
    files = {SPEC: text_of("orders.yaml")}
    if settings_file(folder) is None:
        files[SETTINGS] = text_of(SETTINGS)
    if editor:
        files |= {SCHEMA: schema_text(), EDITOR: text_of("extensions.json")}
    else:
        files[SPEC] = files[SPEC].partition(b"#\n")[2]
    if ci in PLACES:
        from importlib.metadata import version

        files[PLACES[ci]] = text_of(f"{ci}.yml").replace(b"VERSION", version("wfc-workflows").encode())
    write_new(folder, files)
    tell(folder, list(files))


def text_of(name: str) -> bytes:
    return (FILES / name).read_bytes()


def schema_text() -> bytes:
    from wfc.compiler.schema.expansion import schema

    return (json.dumps(schema(), ensure_ascii=False, indent=2) + "\n").encode()


def tell(folder: str, names: list[str]) -> None:
    width = max(map(len, names))
    click.echo(f"written in {printable(os.path.normpath(folder))}:" if folder != os.curdir else "written:")
    for name in names:
        click.echo(f"  {name.ljust(width)}  {ABOUT[name]}")
    click.echo("next:")
    if folder != os.curdir:
        click.echo(f"  cd {printable(shlex.quote(os.path.normpath(folder)))}")
    click.echo("  wfc test specs                      # or: pytest specs")
    click.echo(f"  wfc run {SPEC} -i item=chair -i quantity=3")
    click.echo("  wfc new --list")
    click.echo("  wfc skill --write .claude/skills    # if a language model is to write specs here")
