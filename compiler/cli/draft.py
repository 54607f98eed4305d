"""``wfc draft``."""

from __future__ import annotations

import os
import re
import shlex
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.starting.new_files import write_new
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.writing import write_whole

if TYPE_CHECKING:
    from wfc.compiler.cli.drafting.drafter import Draft
    from wfc.runtime import Model

__all__ = ["command"]

MODEL: Final = "WFC_DRAFT_MODEL"
FOLDER: Final = "specs"
LONGEST: Final = 20_000
NAME: Final = r"[a-z][a-z0-9_]{0,99}"


@click.command("draft", cls=Command)
@click.argument("words")
@click.option(
    "--model",
    "use",
    metavar="PROVIDER:NAME",
    help=f"The model that writes, such as `openai:gpt-4o`; else what {MODEL} says.",
)
@click.option("--base-url", metavar="URL", help="Where a server of one's own speaks the provider's protocol.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The spec's file; else one of its workflow's name in `specs`, or here where there is none.",
)
@click.option("--force", is_flag=True, help="Write over FILE if it is there.")
@click.option(
    "--tries", type=click.IntRange(1, 50), default=8, show_default=True, help="How many specs it may write."
)
@click.option(
    "--tokens",
    type=click.IntRange(1),
    default=400_000,
    show_default=True,
    help="How many tokens it may use, in and out; no call begins beyond that.",
)
def command(
    words: str,
    use: str | None,
    base_url: str | None,
    output: str | None,
    force: bool,
    tries: int,
    tokens: int,
) -> int:
    """Let a language model write a spec from WORDS, such as "pay small refunds at once, ask support about others".

    It is told what `wfc check` finds in what it writes and which of its tests fail, until nothing is wrong. Then the
    spec is written, and what it does is told in plain words, which are made from the spec and not by the model. Read
    it, and run it when it is what you meant. WORDS that are `-` are read from standard input.

    What it has written last is kept beside that, in a file that ends in .yaml.txt, until there is a good spec: so it is
    still there if this is interrupted.

    Exit status: 0 a spec was written; 1 none was; 2 wrong usage.
    """
    words = words_of(words)
    model = model_of(use or os.environ.get(MODEL), base_url)
    folder = folder_of(output)
    if output is not None and os.path.lexists(output) and not (force or may_replace(output)):
        raise click.UsageError(f"`{printable(output)}` is there already: --force writes over it")
    kept = LastWritten(folder, Path(output).stem if output else "draft")
    try:
        made = drafted(words, model, folder, tries, tokens, kept)
        for line in made.usage.lines():
            click.echo(printable(line), err=True)
        path = "" if made.problem or not made.text else written(made, folder, output)
    except BaseException:
        kept.tell()
        raise
    if not path:
        click.echo(
            printable(f"no spec after {made.tries} tries: {made.problem or 'none was written'}"), err=True
        )
        kept.tell()
        return 1
    kept.drop()
    click.echo(made.retold, nl=False)
    quoted = shlex.quote(path)
    click.echo(printable(f"written: {path}; `wfc test {quoted}` and `wfc graph {quoted}` show it"), err=True)
    return 0


def words_of(words: str) -> str:
    """Return the words that were given.

    Raises:
        click.UsageError: There are none, or too many.
    """
    if words == "-":
        words = sys.stdin.read(LONGEST + 1)
    if not words.strip():
        raise click.UsageError("say in words what the workflow is to do")
    if len(words) > LONGEST:
        raise click.UsageError(f"the words have more than {LONGEST} characters")
    return words.encode("utf-8", "replace").decode()


def model_of(use: str | None, base_url: str | None) -> Model:
    """Return the model that writes.

    Raises:
        click.UsageError: None is named.
    """
    if not use or not all(use.partition(":")[::2]):
        raise click.UsageError(f"which model? --model PROVIDER:NAME, or {MODEL}; for example `openai:gpt-4o`")
    from wfc.runtime import Model

    return Model(use, base_url=base_url, timeout=300.0)


def folder_of(output: str | None) -> Path:
    """Return the folder in which the spec is to lie.

    Raises:
        click.UsageError: It is not there, or the file is not one for a spec.
    """
    if output is None:
        return writable(Path(FOLDER if os.path.isdir(FOLDER) else os.curdir))
    if not output.endswith((".yaml", ".yml")):
        raise click.UsageError("a spec's file ends in .yaml")
    folder = Path(output).parent
    if not folder.is_dir():
        raise click.UsageError(f"there is no folder `{printable(str(folder))}`")
    return writable(folder)


def writable(folder: Path) -> Path:
    """Return a folder.

    Raises:
        click.UsageError: Nothing can be written there, which is told before a model is paid.
    """
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"nothing can be written in `{printable(str(folder))}`")
    return folder


def may_replace(path: str) -> bool:
    """Ask at a terminal whether a file may be written over; elsewhere it may not."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or os.path.isdir(path):
        return False
    return click.confirm(f"{printable(path)} is there already. Write over it?", err=True)


class LastWritten:
    """What a model has written last, in a file whose name is no spec's, as long as there is nothing better."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.folder = folder
        self.stem = stem
        self.path: Path | None = None

    def keep(self, text: str) -> None:
        """Write a spec in place of the one before.

        Raises:
            click.ClickException: It cannot be written, so neither could a good one.
        """
        if self.path is None:
            path = free(self.folder, self.stem, ".yaml.txt")
            write_new(str(self.folder), {path.name: text.encode()})
            self.path = path
            return
        try:
            write_whole({str(self.path): text.encode()})
        except OSError as error:
            raise click.ClickException(printable(f"cannot write {self.path}: {error.strerror}")) from None

    def tell(self) -> None:
        """Say where it is."""
        if self.path is not None:
            click.echo(printable(f"the last one is kept in {self.path}"), err=True)

    def drop(self) -> None:
        """Take it away."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def drafted(words: str, model: Model, folder: Path, tries: int, tokens: int, kept: LastWritten) -> Draft:
    """Let a model write; each try is told.

    Raises:
        click.ClickException: The model cannot be asked.
    """
    import asyncio

    from wfc.compiler.cli.drafting.drafter import Task, draft
    from wfc.runtime import WorkflowError

    def tell(number: int, said: str) -> None:
        click.echo(printable(f"try {number}: {said}"), err=True)

    click.echo(printable(f"{model.use} writes"), err=True)
    try:
        return asyncio.run(draft(Task(words, model, folder, tries, tokens, tell, kept.keep)))
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None


def written(made: Draft, folder: Path, output: str | None) -> str:
    """Write the spec, and return its path; without a given one it is free."""
    if output is not None:
        try:
            Path(output).write_text(made.text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise click.ClickException(printable(f"cannot write {output}: {error.strerror}")) from None
        return output
    name = made.name if re.fullmatch(NAME, made.name) else "draft"
    path = free(folder, name, ".yaml")
    write_new(str(folder), {path.name: made.text.encode()})
    return str(path)


def free(folder: Path, name: str, ending: str) -> Path:
    """Return a path in a folder at which nothing is."""
    names = (f"{name}{'' if number == 1 else f'_{number}'}{ending}" for number in count(1))
    return next(folder / each for each in names if not os.path.lexists(folder / each))
