"""``wfc explain``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import codes
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.review.changes import ChangeRule

__all__ = ["command", "explanation"]


@click.command("explain", cls=Command)
@click.argument("code", required=False, shell_complete=codes)
def command(code: str | None) -> None:
    """Explain the CODE of a finding, or of a change that `wfc diff` tells: what it is, why it matters, what to do.

    Without a CODE it lists them all, by what they are about.
    """
    if code is None:
        from wfc.compiler.rules.catalogue import load

        load()
        list_all()
        return
    click.echo(explanation(code), nl=False)


def explanation(code: str) -> str:
    """Return what there is to say of a code, with an example.

    Raises:
        click.UsageError: There is no such code.
    """
    from wfc.compiler.rules import PROBLEMS, closest
    from wfc.compiler.rules.catalogue import describe, load

    load()
    name = code.strip().strip("[]").lower().replace("_", "-")
    if name not in PROBLEMS and name in changes():
        return explain_change(changes()[name])
    if name not in PROBLEMS:
        hint = closest(name, [*PROBLEMS, *changes()])
        raise click.UsageError(f"no finding has the code `{printable(code)}`" + (f"; {hint}" if hint else ""))
    return "\n".join([f"{name}\n\n{describe(name).explanation}", *shown_example(name), ""])


def changes() -> Mapping[str, ChangeRule]:
    """Return the rules about changes, by their ids."""
    from wfc.compiler.review.comparing import all_rules

    return all_rules()


def explain_change(rule: ChangeRule) -> str:
    """Return the explanation of a rule about changes."""
    from wfc.compiler.review.changes import AUDIENCES

    levels = " or ".join(each.word for each in (rule.level, *rule.also))
    opposite = (
        f"The opposite change is `{rule.mirror}`." if rule.mirror else f"No opposite: {rule.no_mirror}."
    )
    return f"{rule.id} ({AUDIENCES[rule.audience].lower()}, {levels})\n\n{rule.explanation}\n\n{opposite}\n"


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
    list_changes()


def list_changes() -> None:
    """List the rules about changes, by whom these touch."""
    from wfc.compiler.review.changes import AUDIENCES

    rules = changes()
    width = max(map(len, rules))
    for audience, title in AUDIENCES.items():
        click.echo(f"\nChanges, told by `wfc diff`: {title.lower()}")
        for each in sorted(rules):
            if rules[each].audience == audience:
                click.echo(f"  {each:{width}}  {rules[each].summary}")


def coloured(line: str) -> str:
    """Colour a line of a difference; without a terminal the colours are left out."""
    return click.style(line, fg={"-": "red", "+": "green"}.get(line[:1]))
