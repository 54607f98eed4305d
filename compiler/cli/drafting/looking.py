"""What may be asked of specs by those who are not trusted: texts and paths in, findings as plain data out.

Each function works in the current folder, runs no action of a spec, and returns JSON data, with ``report`` as a text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from wfc.compiler.cli.drafting.below import RefusedError, project_below, source_from
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project

__all__ = ["TOOLS", "Reply", "answer"]

Reply = dict[str, Any]

MOST_FINDINGS: Final = 50
LONGEST_REPORT: Final = 100_000


def check(text: str | None = None, path: str | None = None) -> Reply:
    """Return the findings of a spec."""
    from wfc.compiler.passes import check_text
    from wfc.compiler.workspace.severity import with_severities

    source = source_from(text, path)
    return findings_of(with_severities(check_text(source.raw, source.path, project_below(source))))


def findings_of(compiled: Compiled) -> Reply:
    """Return findings as data, and as `wfc check` shows them."""
    from wfc.compiler.diagnostics.formats.json import finding_record
    from wfc.compiler.diagnostics.render import render
    from wfc.compiler.diagnostics.text import summary

    shown = compiled.diagnostics[:MOST_FINDINGS]
    texts = {**compiled.texts, compiled.path: compiled.text}
    report = render(shown, texts)
    left = len(compiled.diagnostics) - len(shown)
    if left:
        report += f"and {left} more, which are told when these are mended\n"
    return {
        "clean": not compiled.diagnostics,
        "summary": summary(compiled.diagnostics),
        "findings": [finding_record(each) for each in shown],
        "left": left,
        "report": short(report or "no finding\n"),
    }


def explain(code: str) -> Reply:
    """Explain a code of a finding or of a change."""
    from wfc.compiler.cli.explain import explanation

    return {"report": click.unstyle(explanation(code))}


def part_of_schema(name: str | None = None) -> Reply:
    """Return a part of the JSON Schema of specs; without a name, what a spec has at its top, and the names of parts."""
    from wfc.compiler.rules import closest
    from wfc.compiler.schema.expansion import schema

    parts: Mapping[str, Any] = schema()["$defs"]
    if name is None:
        said = f"{json.dumps(parts['spec'], indent=1)}\n\nother parts: {', '.join(sorted(parts))}\n"
        return {"schema": parts["spec"], "names": sorted(parts), "report": said}
    if name not in parts:
        raise RefusedError(
            f"there is no part `{name[:100]}`; " + (closest(name, parts) or "without a name all are listed")
        )
    return {"schema": parts[name], "report": json.dumps(parts[name], indent=1)}


def run_tests(text: str | None = None, path: str | None = None, only: str = "") -> Reply:
    """Run the tests of a spec, but for those that really act."""
    from wfc.compiler.cli.programs import compiled_here, load_compiled
    from wfc.compiler.cli.spec_tests import spec_test
    from wfc.compiler.workspace.severity import with_severities

    source = source_from(text, path)
    project = project_below(source)
    compiled = with_severities(compiled_here(source.raw, source.path, project))
    if compiled.failed or compiled.workflow is None:
        return {**findings_of(compiled), "passed": 0, "failed": 0, "not_run": 0, "tests": []}
    cases = [case for case in compiled.workflow.tests if only.casefold() in case.name.casefold()]
    program = load_compiled(compiled, project) if cases else None
    if cases and program is None:
        raise RefusedError("a workflow that it calls or sends to has errors")
    from wfc.runtime.testing import run_test

    told = []
    for case in cases:
        record = {"name": case.name, "line": line_of(project, source.path, case.address), "problems": []}
        if case.real:
            told.append(
                {**record, "outcome": "not run", "problems": ["it really acts (`real`): `wfc test` runs it"]}
            )
            continue
        assert program is not None
        outcome = run_test(program.workflow, spec_test(case), program.others)
        state = "passed" if outcome.passed else "failed"
        told.append({**record, "outcome": state, "problems": list(outcome.problems)})
    reached = {case.expect.get("end") for case in compiled.workflow.tests}
    ends = [event.name for event in compiled.workflow.end]
    return {
        "clean": not compiled.diagnostics,
        "untested": [name for name in ends if name not in reached],
        "silenced": len(compiled.suppressed),
        **counted(told, "" if compiled.diagnostics == () else findings_of(compiled)["report"]),
    }


def retell(text: str | None = None, path: str | None = None) -> Reply:
    """Return what a spec does in plain words, made from the resolved workflow."""
    from wfc.compiler.passes import analyse
    from wfc.compiler.review.facts import workflow_facts
    from wfc.compiler.review.retelling import retold
    from wfc.compiler.workspace.project import Unit

    source = source_from(text, path)
    project = project_below(source)
    unit = project.unit(source.path, source.raw)
    found = analyse(unit, project) if isinstance(unit, Unit) else None
    if found is None or found.workflow is None:
        raise RefusedError("it has errors")
    lines = retold(workflow_facts(found.workflow, found.document))
    return {
        "workflow": found.workflow.name,
        "report": short("".join(f"{printable(line)}\n" for line in lines)),
    }


def line_of(project: Project, path: str, address: tuple[str | int, ...]) -> int:
    return project.units[path.replace(os.sep, "/")].document.line(address)


def counted(tests: list[Reply], before: str = "") -> Reply:
    """Return outcomes of tests with their numbers, and as `wfc test` shows them.

    Args:
        before: What stands before them in the report.
    """
    numbers = {
        state: sum(each["outcome"] == state for each in tests) for state in ("passed", "failed", "not run")
    }
    lines = [
        f"{each['outcome']}  {each['name']}" + "".join(f"\n        {one}" for one in each["problems"])
        for each in tests
    ]
    said = ", ".join(f"{number} {state}" for state, number in numbers.items() if number) or "it has no test"
    return {
        "passed": numbers["passed"],
        "failed": numbers["failed"],
        "not_run": numbers["not run"],
        "tests": tests,
        "report": short(
            before + "\n".join(printable(line) for line in "\n".join([*lines, said]).split("\n")) + "\n"
        ),
    }


def diff(
    old_text: str | None = None, old_path: str | None = None, text: str | None = None, path: str | None = None
) -> Reply:
    """Return what a change of a spec means."""
    from wfc.compiler.cli.drafting.versions import TextSide
    from wfc.compiler.cli.reviewing.approvals import Approvals
    from wfc.compiler.cli.reviewing.comparison import compare_sides
    from wfc.compiler.cli.reviewing.report import report_of
    from wfc.compiler.cli.reviewing.text import report_text, summary

    old = TextSide("old", source_from(old_text, old_path))
    new = TextSide("new", source_from(text, path))
    report = report_of(compare_sides(old, new), old, new, approvals=Approvals())
    kept = ("rule", "audience", "level", "message", "advice", "about")
    changes = [{key: each[key] for key in kept} for each in report["changes"]]
    return {"changes": changes, "report": short(f"{report_text(report)}{summary(report)}\n")}


def graph(text: str | None = None, path: str | None = None, form: str = "mermaid") -> Reply:
    """Draw the flow of a spec as text."""
    from wfc.compiler.draw import flow_graph
    from wfc.compiler.passes import check_text
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    if form not in {"mermaid", "dot"}:
        raise RefusedError("`form` is `mermaid` or `dot`")
    source = source_from(text, path)
    checked = check_text(source.raw, source.path, project_below(source))
    if checked.failed or checked.workflow is None:
        return findings_of(checked)
    drawn = render(graph_from_data(flow_graph(checked.workflow)), form)
    return {"graph": drawn, "report": short(drawn)}


def fmt(text: str) -> Reply:
    """Return a spec's text in its canonical form."""
    from wfc.compiler.cli.edited_files import Edited
    from wfc.compiler.cli.fmt import edited

    made = edited(source_from(text, None))
    if isinstance(made, Edited):
        return {"text": made.after, "report": made.after}
    if isinstance(made, Compiled):
        return findings_of(made)
    raise RefusedError(made)


def short(text: str) -> str:
    return text if len(text) <= LONGEST_REPORT else f"{text[:LONGEST_REPORT]}…\n"


TOOLS: Final[Mapping[str, Callable[..., Reply]]] = {
    "check": check,
    "explain": explain,
    "schema": part_of_schema,
    "test": run_tests,
    "diff": diff,
    "graph": graph,
    "fmt": fmt,
    "retell": retell,
}


def answer(name: str, arguments: Mapping[str, Any]) -> Reply:
    """Return what a tool says, or ``{"error": …}`` where it cannot."""
    from wfc.compiler.workspace.sources import PathError

    try:
        return TOOLS[name](**arguments)
    except (RefusedError, PathError) as error:
        return {"error": printable(str(error))}
    except click.ClickException as error:
        return {"error": printable(error.format_message())}
