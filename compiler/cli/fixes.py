"""Fixes: applied to files, or shown as differences."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import click

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.diagnostics.fixes import fix_until_stable
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.sources import Source, load, quoted_path
from wfc.compiler.workspace.writing import write_whole

__all__ = ["fix_all"]

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Change:
    """A file's content before and after its fixes; ``place`` is its path with links resolved."""

    source: Source
    place: str
    before: str
    after: str
    raw: bytes
    findings: tuple[Diagnostic, ...]


def fix_all(
    sources: Sequence[Source],
    checked: Sequence[Compiled],
    check: Callable[[Source], Compiled],
    paths: Sequence[str],
    *,
    unsafe: bool,
    write: bool,
) -> list[Compiled]:
    """Apply the fixes of all files' findings, report them, and return the findings that remain afterwards.

    Args:
        sources: The files as they were read.
        checked: What was found in them, in the same order.
        check: Checks a file.
        paths: What was given on the command line; nothing outside of it is written.
        unsafe: Whether to apply fixes too that may change what is meant.
        write: Whether to write the files; else the differences are shown, and the findings are as they were.

    Raises:
        click.UsageError: A file cannot be written.
    """
    changes = [
        change
        for source, each in zip(sources, checked, strict=True)
        if (change := changed(source, each, check, unsafe=unsafe)) and allowed(change, paths)
    ]
    if not write:
        for change in changes:
            show_difference(change)
        return list(checked)
    for change in changes:
        replace_file(change)
        for each in change.findings:
            assert each.fix is not None
            place = f"{each.path}:{each.start.line}:{each.start.column}"
            click.echo(printable(f"{place}: fixed: {each.message}: {each.fix.title} [{each.code}]"), err=True)
    new = {change.source.path: change.raw for change in changes}
    return [check(Source(each.path, new.get(each.path, each.raw))) for each in sources]


def changed(
    source: Source, checked: Compiled, check: Callable[[Source], Compiled], *, unsafe: bool
) -> Change | None:
    def again(text: str) -> Sequence[Diagnostic]:
        return of_its_own(check(Source(source.path, encoded(source, text))))

    result = fix_until_stable(checked.text, of_its_own(checked), again, unsafe=unsafe)
    if result.text == checked.text:
        return None
    place = os.path.realpath(source.path)
    return Change(source, place, checked.text, result.text, encoded(source, result.text), result.findings)


def of_its_own(checked: Compiled) -> Sequence[Diagnostic]:
    return [each for each in checked.diagnostics if each.path == checked.path]


def encoded(source: Source, text: str) -> bytes:
    return (BOM if source.raw.startswith(BOM) else b"") + text.encode("utf-8")


def allowed(change: Change, paths: Sequence[str]) -> bool:
    """Return whether a file, with links resolved, lies within the paths given on the command line."""
    for path in paths:
        given = os.path.realpath(path)
        within = given.rstrip(os.sep) + os.sep
        if change.place == given or (os.path.isdir(given) and change.place.startswith(within)):
            return True
    click.echo(
        f"{printable(change.source.path)}: not fixed: it is a link that leads outside of what was given",
        err=True,
    )
    return False


def replace_file(change: Change) -> None:
    """Replace a file as a whole or not at all, and only if it still has the content that was checked."""
    shown = quoted_path(change.source.path)

    def last() -> None:
        if (
            load(change.place).raw != change.source.raw
            or os.path.realpath(change.source.path) != change.place
        ):
            raise click.UsageError(f"{shown} was changed while it was checked; nothing was written to it")

    if not os.access(change.place, os.W_OK):  # its folder may be written, but it is not meant to be
        raise click.UsageError(f"cannot write {shown}: permission denied")
    try:
        write_whole({change.place: change.raw}, edited=True, last=last)
    except OSError as error:
        raise click.UsageError(f"cannot write {shown}: {(error.strerror or str(error)).lower()}") from None


def show_difference(change: Change) -> None:
    import difflib

    path = printable(change.source.path)
    lines = difflib.unified_diff(
        change.before.splitlines(), change.after.splitlines(), path, f"{path} (fixed)", lineterm=""
    )
    for line in lines:
        click.echo(printable(line))
