"""Fixes: applied to files, or shown as differences."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import click

from wfc.compiler.cli.edited_files import Edited, allowed, encoded, replace_file, show_difference
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.diagnostics.fixes import fix_until_stable
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.sources import Source

__all__ = ["fix_all"]


@dataclass(frozen=True, slots=True)
class Change:
    """A file and the findings that were mended in it."""

    file: Edited
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
        if (change := changed(source, each, check, unsafe=unsafe)) and allowed(change.file, paths)
    ]
    if not write:
        for change in changes:
            show_difference(change.file)
        return list(checked)
    for change in changes:
        replace_file(change.file)
        for each in change.findings:
            assert each.fix is not None
            place = f"{each.path}:{each.start.line}:{each.start.column}"
            click.echo(printable(f"{place}: fixed: {each.message}: {each.fix.title} [{each.code}]"), err=True)
    new = {change.file.source.path: change.file.raw for change in changes}
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
    file = Edited(source, place, checked.text, result.text, encoded(source, result.text), "fixed")
    return Change(file, result.findings)


def of_its_own(checked: Compiled) -> Sequence[Diagnostic]:
    return [each for each in checked.diagnostics if each.path == checked.path]
