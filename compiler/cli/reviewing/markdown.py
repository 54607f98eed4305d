"""A report of changes as a comment on a pull request: three lines to decide by, all that is told, and pictures."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.cli.reviewing.comparison import Comparison
from wfc.compiler.cli.reviewing.markdown_text import fenced, plain, said, visible
from wfc.compiler.cli.reviewing.report import Report
from wfc.compiler.cli.reviewing.text import (
    MOST_RUNS,
    broken_line,
    counted,
    counted_runs,
    failing_runs,
    gravest_first,
    what_it_means,
)
from wfc.compiler.review.changes import AUDIENCES

__all__ = ["comment_lines", "report_markdown"]

MOST_NAMED: Final = 3  # changes in the first lines
MOST_TOLD: Final = 100  # changes below them
MOST_PICTURES: Final = 2
LARGEST_PICTURE: Final = 6_000
"""How many characters a picture may have; a comment has 65,536 in all."""

LARGEST: Final = 30_000
"""How many characters are told before the rest is only counted."""

Change = dict[str, Any]


def report_markdown(report: Report, comparison: Comparison, asked: Sequence[str]) -> str:
    """Return a report as Markdown, in which nothing that comes from files is Markdown; see ``comment_lines``."""
    return "\n".join(comment_lines(report, comparison, asked)) + "\n"


def comment_lines(report: Report, comparison: Comparison, asked: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a comment; the first three of them are what is needed to decide.

    Args:
        asked: The arguments of `wfc diff` that tell the same.
    """
    yield f"**What is different:** {_different(report)}  "
    yield f"**Whom it touches:** {_touched(report)}  "
    yield f"**To be decided:** {_to_decide(report, asked)}"
    told = [line for part in _parts(report) for line in part]
    size = 0
    for number, line in enumerate(told):
        size += len(line) + 1
        if size > LARGEST:
            yield from ("", f"… and {len(told) - number} lines more: `wfc diff` tells all of it")
            break
        yield line
    yield from _pictures(comparison)


def _parts(report: Report) -> Iterator[Iterator[str]]:
    yield (f"- {said(broken_line(each, report))}" for each in report["broken"])
    for audience, title in AUDIENCES.items():
        yield _section(report, audience, title)


# --- the first three lines


def _different(report: Report) -> str:
    changes = _by_weight(report["changes"])
    if not changes:
        return "nothing in meaning" if not report["broken"] else "specs have errors, and are not compared"
    first = "; ".join(said(each["message"]) for each in changes[:MOST_NAMED])
    names = list(dict.fromkeys(each["workflow"] for each in report["changes"]))
    rest = len(changes) - MOST_NAMED
    more = f"; and {rest} more" if rest > 0 else ""
    return f"in {_listed(names)}: {first}{more}"


def _by_weight(changes: Sequence[Change]) -> list[Change]:
    """Return changes, the gravest first; of the same level as they are told."""
    levels = ("break", "act", "warn", "info")
    return sorted(changes, key=lambda each: levels.index(each["level"]))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{plain(name)}`" for name in names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else shown


def _touched(report: Report) -> str:
    found = []
    for audience, title in AUDIENCES.items():
        of_them = [each for each in report["changes"] if each["audience"] == audience]
        if of_them:
            found.append(f"{title.lower()} ({counted({**report, 'changes': of_them})})")
    runs = [] if report["paused_runs"] is None else report["paused_runs"]["workflows"]
    found += [said(counted_runs(each)) for each in runs if each["runs"]]
    return "; ".join(found) or "nobody"


def _to_decide(report: Report, asked: Sequence[str]) -> str:
    broken = [each for each in report["broken"] if each["side"] == "new"]
    failing = _by_weight([each for each in report["changes"] if each["fails"]])
    if broken:
        return f"nothing yet: {plain(broken[0]['path'])} has errors"
    runs = failing_runs(report)
    lost = f"what becomes of {_number(runs, 'run')} that cannot go on" if runs else ""
    if not failing and lost:
        return lost
    if not failing:
        looked = [each for each in report["changes"] if each["level"] == "warn" and each["approved"] is None]
        return f"nothing that fails; look at {_number(len(looked), 'warning')}" if looked else "nothing"
    named = ", ".join(f"`{each['rule']}` {each['fingerprint']}" for each in failing[:MOST_NAMED])
    rest = f" and {len(failing) - MOST_NAMED} more" if len(failing) > MOST_NAMED else ""
    compared = "".join(f" {each}" for each in map(shlex.quote, asked))
    command = f"`{visible(f'wfc diff{compared} --approve ID --because REASON').replace('`', '?')}`"
    return (
        f"whether {_number(len(failing), 'change')} may be merged that {'fails' if len(failing) == 1 else 'fail'}: "
        f"{named}{rest}. Mend the change, or approve it with {command}{f'; {lost}' if lost else ''}"
    )


def _number(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


# --- all that is told


def _section(report: Report, audience: str, title: str) -> Iterator[str]:
    changes = [each for each in report["changes"] if each["audience"] == audience]
    runs = report["paused_runs"]["workflows"] if audience == "runs" and report["paused_runs"] else []
    if not changes and not runs:
        return
    yield from ("", f"#### {title}", "")
    for each in runs:
        yield f"- {said(counted_runs(each))}"
        told = gravest_first(each["each"])
        for run in told[:MOST_RUNS]:
            because = "; ".join(f"{said(one['told'])} `{one['rule']}`" for one in run["verdicts"])
            yield f"  - {plain(run['run'])} {what_it_means(run)}: {because}"
        if len(told) > MOST_RUNS:
            yield f"  - and {len(told) - MOST_RUNS} more"
    for each in changes[:MOST_TOLD]:
        yield from _change(each)
    if len(changes) > MOST_TOLD:
        yield f"- and {len(changes) - MOST_TOLD} more"


def _change(each: Change) -> Iterator[str]:
    place = each["new"] or each["old"]
    where = "" if place is None else f" {plain(place['path'])}:{place['start']['line']}"
    sign = f"**{each['level']}**" if each["fails"] else each["level"]
    yield f"- {sign}: {said(each['message'])} [`{each['rule']}` {each['fingerprint']}{where}]"
    if each["approved"] is not None:
        yield f"  - approved, because {plain(each['approved'])}"
    elif each["advice"]:
        yield f"  - {said(each['advice'])}"


# --- pictures


def _pictures(comparison: Comparison) -> Iterator[str]:
    """Yield the flow before and after, of the first workflows of which that is another one."""
    shown = 0
    for before, after in comparison.versions:
        if before is None or after is None or before.workflow is None or after.workflow is None:
            continue
        drawn = [_mermaid(each.workflow) for each in (before, after)]
        if drawn[0] == drawn[1] or any(len(each) > LARGEST_PICTURE for each in drawn):
            continue
        shown += 1
        if shown > MOST_PICTURES:
            yield from (
                "",
                "The flows of other workflows have changed too: `wfc graph SPEC --diff REVISION` draws them.",
            )
            return
        yield from (
            "",
            f"<details><summary>The flow of {plain(after.workflow.name)}, before and after</summary>",
        )
        for title, picture in zip(("Before", "After"), drawn, strict=True):
            yield from (
                "",
                f"{title}:",
                "",
                "```mermaid",
                *fenced(picture, LARGEST_PICTURE).splitlines(),
                "```",
            )
        yield from ("", "</details>")


def _mermaid(workflow: Any) -> str:
    from wfc.compiler.draw import flow_graph
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    return render(graph_from_data(flow_graph(workflow)), "mermaid")
