"""``wfc explain``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("explain", cls=Command)
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain a finding's CODE: what is wrong, why it matters, how to mend it.

    Without a CODE it lists them all, by what they are about.
    """
    from wfc.compiler.rules import PROBLEMS, closest
    from wfc.compiler.rules.catalogue import describe, load

    load()
    if code is None:
        list_all()
        return
    name = code.strip().strip("[]").lower().replace("_", "-")
    if name not in PROBLEMS:
        hint = closest(name, PROBLEMS)
        raise click.UsageError(f"no finding has the code `{printable(code)}`" + (f"; {hint}" if hint else ""))
    click.echo(f"{name}\n\n{describe(name).explanation}")
    for line in shown_example(name):
        click.echo(line)


def shown_example(code: str) -> Iterator[str]:
    """Generate the lines of a problem's example, with its fix, and the output of ``wfc check`` for it."""
    from wfc.compiler.diagnostics.render import render
    from wfc.compiler.passes import check_text
    from wfc.compiler.rules.examples import difference, examples
    from wfc.compiler.workspace.compiled import Compiled

    def check(raw: bytes) -> Compiled:
        return check_text(raw, f"{code}.yaml")

    example = examples()[code]
    text = example.printable_text()
    if text is None:
        return
    yield "\nAn example; what mends it is marked with + and -:\n"
    for line in difference(text, example.mend(check).decode()):
        yield f"  {coloured(line)}"
    found = check(text.encode()).diagnostics
    if {each.code for each in found} == {
        code
    }:  # settings, and specs that need other files, are checked otherwise
        yield "\nWhat `wfc check` says of it:\n"
        for line in render(found, {f"{code}.yaml": text}).rstrip("\n").split("\n"):
            yield f"  {line}".rstrip()


def list_all() -> None:
    """List all codes, grouped by module under its title."""
    from wfc.compiler.rules.catalogue import describe, groups

    listed = {title: codes for _, title, codes in groups()}
    width = max(len(code) for codes in listed.values() for code in codes)
    for number, title in enumerate(sorted(listed)):
        click.echo(f"{chr(10) * bool(number)}{title}")
        for code in listed[title]:
            click.echo(f"  {code:{width}}  {describe(code).summary}")


def coloured(line: str) -> str:
    """Colour a line of a difference; without a terminal the colours are left out."""
    return click.style(line, fg={"-": "red", "+": "green"}.get(line[:1]))
