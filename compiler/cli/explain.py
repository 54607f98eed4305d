"""``wfc explain``."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain a finding's CODE: what is wrong, why it matters, how to mend it.

    Without a CODE it lists them all.
    """
    import inspect

    from wfc.compiler.problems import PROBLEMS, closest
    from wfc.compiler.problems.catalogue import load

    load()
    if code is None:
        width = max(map(len, PROBLEMS))
        for known in sorted(PROBLEMS):
            click.echo(f"{known:{width}}  {(inspect.getdoc(PROBLEMS[known]) or '').splitlines()[0]}")
        return
    name = code.strip().strip("[]").lower().replace("_", "-")
    if name not in PROBLEMS:
        hint = closest(name, PROBLEMS)
        raise click.UsageError(f"no finding has the code `{code}`" + (f"; {hint}" if hint else ""))
    click.echo(f"{name}\n\n{inspect.getdoc(PROBLEMS[name])}")
