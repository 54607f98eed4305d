"""``wfc policy facts``."""

from __future__ import annotations

import json
import os

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.policy.holding import only_errors
from wfc.compiler.passes import check_text
from wfc.compiler.review.facts import workflow_facts
from wfc.compiler.review.policy.describing import described
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import find_specs

__all__ = ["command"]


@click.command("facts", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
def command(paths: tuple[str, ...]) -> int:
    """Print what rules can ask of specs, as JSON, for rules and for other engines.

    For each spec `asked` has what a policy sees, by the words that stand after `each`, and `facts` all that the
    resolved workflow says, with places. Exit status: 0; 1 a spec has errors, which are shown, and is left out.
    """
    sources = find_specs(paths or (os.curdir,), note)
    project = project_of(sources)
    found, broken = [], []
    for source in sources:
        checked = check_text(source.raw, source.path, project)
        if checked.failed or checked.workflow is None:
            broken.append(only_errors(checked))
            continue
        facts = workflow_facts(checked.workflow, project.units[source.path.replace(os.sep, "/")].document)
        asked = {sort: [each.values for each in some] for sort, some in described(facts).items()}
        found.append({"path": source.path, "asked": asked, "facts": facts})
    show(broken, on_error_stream=True)
    click.echo(json.dumps({"format": 1, "specs": found}, ensure_ascii=True, indent=2, default=str))
    return 1 if any(each.diagnostics for each in broken) else 0
