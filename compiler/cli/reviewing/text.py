"""A report of changes as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.cli.reviewing.report import Report
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.review.changes import AUDIENCES

__all__ = [
    "MOST_RUNS",
    "counted",
    "counted_runs",
    "failing_runs",
    "gravest_first",
    "report_text",
    "summary",
    "what_it_means",
]

MOST_RUNS: Final = 20
MEANS: Final = {
    "goes on": "goes on",
    "migrated": "is migrated",
    "refused": "is refused",
    "worked on": "is worked on",
}
"""What is said of a run."""


def report_text(report: Report) -> str:
    """Return a report as text."""
    return "".join(f"{printable(line)}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for each in report["broken"]:
        yield broken_line(each, report)
    for audience, title in AUDIENCES.items():
        changes = [each for each in report["changes"] if each["audience"] == audience]
        runs = list(_runs(report)) if audience == "runs" else []
        if changes or runs:
            yield title
            yield from runs
            for each in changes:
                yield from _change(each)
            yield ""


def _runs(report: Report) -> Iterator[str]:
    """Yield what is told of the runs in a store: how many there are of each sort, and which do not simply go on."""
    for each in () if report["paused_runs"] is None else report["paused_runs"]["workflows"]:
        yield f"  {counted_runs(each)}"
        told = gravest_first(each["each"])
        for run in told[:MOST_RUNS]:
            because = "; ".join(
                f"{one['told']} [{one['rule']}]".removesuffix(" []") for one in run["verdicts"]
            )
            yield f"    {run['run']} {what_it_means(run)}: {because}"
        if len(told) > MOST_RUNS:
            yield f"    and {len(told) - MOST_RUNS} more, which `--format json` tells"


def gravest_first(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the runs of which something is told, those that fail first."""
    return sorted((run for run in runs if run["verdicts"]), key=lambda run: not run["fails"])


def what_it_means(run: dict[str, Any]) -> str:
    """Return what is said of a run."""
    return f"{MEANS[run['means']]}{', as it was before' if run['refused_before'] else ''}"


def counted_runs(each: dict[str, Any]) -> str:
    """Return how many runs of a workflow wait in a store, and what the change means for them."""
    runs, found = each["runs"], []
    if not runs:
        return f"no run of `{each['workflow']}` waits here"
    for name, one, many in (
        ("goes_on", "goes on", "go on"),
        ("migrated", "is migrated", "are migrated"),
        ("refused", "is refused", "are refused"),
        ("worked_on", "is worked on just now, and not judged", "are worked on just now, and not judged"),
    ):
        if each[name]:
            found.append(f"{each[name]} {one if each[name] == 1 else many}")
    parts = f" (parts of other runs: {each['parts']})" if each["parts"] else ""
    return f"of {runs} of `{each['workflow']}` waiting here{parts} {', '.join(found)}"


def failing_runs(report: Report) -> int:
    """Return how many runs in a store cannot go on because of a change, for a reason that nobody has approved.

    One for which only its parts fail is not counted beside these.
    """
    workflows = [] if report["paused_runs"] is None else report["paused_runs"]["workflows"]
    failing = {run["run"]: run for each in workflows for run in each["each"] if run["fails"]}
    return sum(
        any(one["fails"] and (one["run"] == name or one["run"] not in failing) for one in run["verdicts"])
        for name, run in failing.items()
    )


def broken_line(each: dict[str, Any], report: Report) -> str:
    """Return what is told of a spec that has errors on one side."""
    line = "" if each["start"] is None else f":{each['start']['line']}:{each['start']['column']}"
    more = f" and {each['errors'] - 1} more" if each["errors"] > 1 else ""
    code = f" [{each['code']}]" if each["code"] else ""
    side = report[each["side"]]
    return f"{each['path']}{line} in {side}: not compared, since it has errors: {each['message']}{code}{more}"


def _change(each: dict[str, Any]) -> Iterator[str]:
    yield f"  {each['level']}: {each['message']} [{each['rule']}] {each['fingerprint']}"
    if each["approved"] is not None:
        yield f"    approved, because {each['approved']}"
    places = [
        f"{_place(each[side])}{words}"
        for side, words in (("new", ""), ("old", " before"))
        if each[side] is not None
    ]
    yield f"    at {', '.join(places)}"
    if each["advice"] and each["approved"] is None:
        yield f"    {each['advice']}"


def _place(place: dict[str, Any]) -> str:
    return f"{place['path']}:{place['start']['line']}:{place['start']['column']}"


def summary(report: Report) -> str:
    """Return how many changes there are, and of which levels, in one line."""
    specs, runs = len(report["specs"]), failing_runs(report)
    refused = "1 run is refused" if runs == 1 else f"{runs} runs are refused"
    more = f"; {refused}" if runs else ""
    if not report["changes"] and not report["broken"]:
        return f"no change in meaning{more}"
    about = "1 spec differs" if specs == 1 else f"{specs} specs differ"
    return f"{about}: {counted(report) or 'no change that is told'}{more}"


def counted(report: Report) -> str:
    """Return how many changes of each level there are."""
    levels = [each["level"] for each in report["changes"] if each["approved"] is None]
    found = [f"{levels.count(each)} {each}" for each in ("break", "act", "warn", "info") if each in levels]
    approved = len(report["changes"]) - len(levels)
    return ", ".join([*found, *([f"{approved} approved"] if approved else [])])
