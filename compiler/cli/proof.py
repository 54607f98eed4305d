"""``wfc check --proof``: what the proof knows of specs without errors."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from wfc.compiler.cli.findings import note, show
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities, wrong_settings
from wfc.compiler.workspace.sources import find_specs

__all__ = ["show_proofs"]


def show_proofs(paths: Sequence[str], form: str) -> int:
    """Show what the proof knows of each spec, and return the exit status of a check.

    Findings go where they do not mix with it. Of a spec with errors nothing is proved.

    Raises:
        PathError: A path cannot be read, or a folder has no spec.
    """
    from wfc.compiler.passes import check_text

    sources = find_specs(paths, note)
    project = project_of(sources)
    checked = [with_severities(check_text(each.raw, each.path, project)) for each in sources]
    is_clean = show(checked, on_error_stream=True, settings=wrong_settings(each.path for each in sources))
    if form == "json":
        click.echo(json.dumps([_data(each) for each in checked if _is_proved(each)], indent=2))
    else:
        click.echo("\n".join(_text(each) for each in checked if _is_proved(each)), nl=False)
    for each in checked:
        if each.failed:
            note(f"{each.path}: nothing is proved of a spec with errors")
    return 0 if is_clean else 1


def _is_proved(checked: Compiled) -> bool:
    return not checked.failed and checked.workflow is not None


def _data(checked: Compiled) -> dict[str, object]:
    from wfc.compiler.review import proof_facts

    assert checked.workflow is not None
    return {
        "path": checked.path,
        "workflow": checked.workflow.name,
        "proof": proof_facts(checked.workflow),
    }


def _text(checked: Compiled) -> str:
    from wfc.compiler.review import proof_facts, proof_text

    assert checked.workflow is not None
    text = proof_text(checked.path, checked.workflow.name, proof_facts(checked.workflow))
    return "".join(f"{printable(line)}\n" for line in text.splitlines())
