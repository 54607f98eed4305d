"""``wfc fmt``."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.edited_files import Edited, allowed, encoded, replace_file, show_difference
from wfc.compiler.cli.findings import note, show
from wfc.compiler.diagnostics import Finding, Severity
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.review.formatting import Unformatted, formatted
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.sources import Source, find_specs
from wfc.compiler.yaml import Document, read

__all__ = ["command"]

STDIN = "-"


@click.command("fmt", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--check", "checking", is_flag=True, help="Write nothing; status 1 if a file would change.")
@click.option("--diff", is_flag=True, help="As --check, and show what would change.")
def command(paths: tuple[str, ...], checking: bool, diff: bool) -> int:
    """Write specs in their one canonical form, in which they mean the same.

    A PATH is a spec, or a folder whose specs are all formatted; without one it is the current folder. `-` formats
    standard input to standard output. A file with broken YAML stays as it is, and is told.
    """
    if STDIN in paths:
        if len(paths) > 1:
            raise click.UsageError("`-` goes without other paths")
        sources = [Source(STDIN, sys.stdin.buffer.read(MAX_BYTES + 1))]
    else:
        sources = find_specs(paths or (os.curdir,), note)
    broken: list[Compiled] = []
    changes: list[Edited] = []
    unwilling = 0
    for source in sources:
        made = edited(source)
        if isinstance(made, Compiled):
            broken.append(made)
        elif isinstance(made, str):
            unwilling += 1
            note(printable(made))
        elif made.after != made.before or (source.path == STDIN and not (checking or diff)):
            changes.append(made)
    if broken:
        show(broken, on_error_stream=True)
    changed = put(changes, paths or (os.curdir,), checking=checking, diff=diff)
    tell(len(sources), changed, len(broken) + unwilling, only_looked=checking or diff)
    return 1 if broken or unwilling or ((checking or diff) and changed) else 0


def edited(source: Source) -> Edited | Compiled | str:
    """Return a file in its canonical form; or the findings for which it has none, or another reason."""
    findings: list[Finding] = []
    document = read(source.raw, source.path, findings.append)
    if any(each.severity is Severity.ERROR for each in findings):
        return unreadable(source, document, findings)
    after = formatted(document.text)
    if isinstance(after, Unformatted):
        at = document.position(after.at)
        return f"{source.path}:{at.line}:{at.column}: not formatted: {after.reason}"
    new: list[Finding] = []
    again = read(encoded(source, after), source.path, new.append)
    if again.data != document.data or len(new) > len(findings):  # never seen; but nobody's file is to be lost
        return f"{source.path}: not formatted: it would not say the same; please report this file"
    place = os.path.realpath(source.path)
    return Edited(source, place, document.text, after, encoded(source, after), "formatted")


def unreadable(source: Source, document: Document, findings: Sequence[Finding]) -> Compiled:
    shown = tuple(document.diagnostic(each) for each in findings)
    return Compiled(source.path, document.text, hashlib.sha256(source.raw).hexdigest(), None, "", shown)


def put(changes: Sequence[Edited], paths: Sequence[str], *, checking: bool, diff: bool) -> int:
    """Write what has changed, or show it, and return how many files that are."""
    number = 0
    for change in changes:
        stdin = change.source.path == STDIN
        if diff:
            show_difference(change)
        elif checking:
            click.echo(f"{printable(change.source.path)}: would be formatted")
        elif stdin:
            sys.stdout.buffer.write(change.raw)
            sys.stdout.buffer.flush()
        elif allowed(change, paths):
            replace_file(change)
        else:
            continue
        number += change.after != change.before
    return number


def tell(every: int, changed: int, failed: int, *, only_looked: bool) -> None:
    verb = "would be formatted" if only_looked else "formatted"
    parts = [f"{changed} {verb}"] if changed else []
    if rest := every - changed - failed:
        parts.append(f"{rest} left as {'it is' if rest == 1 else 'they are'}")
    if failed:
        parts.append(f"{failed} not formatted")
    files = "1 file" if every == 1 else f"{every} files"
    click.echo(f"{files}: {', '.join(parts)}", err=True)
