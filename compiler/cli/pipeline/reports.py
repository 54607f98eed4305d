"""What all parts have found, as a comment, as SARIF, as JUnit's XML and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from wfc.compiler.cli.pipeline.parts import Case, PartReport, counted
from wfc.compiler.cli.reviewing.markdown_text import fenced, plain
from wfc.compiler.diagnostics.formats import sarif
from wfc.compiler.diagnostics.formats.junit import escape
from wfc.compiler.diagnostics.results import Results, Rule

__all__ = ["MARKER", "comment", "json_report", "junit_report", "sarif_report", "table"]

MARKER = "<!-- wfc ci -->"
"""The first line of each comment, by which it is found again."""

SIGNS = {"passed": "passed", "failed": "**failed**", "skipped": "not done"}
MOST_PROBLEMS = 20  # of one part, in a comment


def table(parts: Sequence[PartReport]) -> Iterator[str]:
    """Yield a line for each part, for a terminal."""
    width = max(len(part.name) for part in parts)
    for part in parts:
        yield f"{part.name:{width}}  {part.state:7}  {part.summary}"


def comment(parts: Sequence[PartReport]) -> str:
    """Return a comment on a pull request, in Markdown; what comes from files is never Markdown in it."""
    failed = [part.name for part in parts if part.state == "failed"]
    title = f"**wfc: {', '.join(failed)} failed**" if failed else "**wfc: nothing fails**"
    first = [line for part in parts for line in part.markdown[:3]]
    if first and (others := [part for part in parts if part.state == "failed" and not part.markdown]):
        told = "; ".join(f"`{part.name}`: {plain(part.summary)}" for part in others)
        first = [
            *first[:-1],
            f"{first[-1]}  ",
            f"**To be mended in any case:** {told}",
        ]  # no approval is for that
    lines = [MARKER, title, "", *first, *([""] if first else []), "| part | | found |", "|---|---|---|"]
    lines += [f"| `{part.name}` | {SIGNS[part.state]} | {plain(part.summary)} |" for part in parts]
    for part in parts:
        lines += details(part)
    return "\n".join(lines) + "\n"


def details(part: PartReport) -> Iterator[str]:
    problems = part.problems
    if part.told:
        yield from part.markdown[3:]
        return
    if not problems:
        return
    yield from (
        "",
        f"<details><summary>{part.name}: {counted(len(problems), 'problem')}</summary>",
        "",
        "```text",
    )
    for case in problems[:MOST_PROBLEMS]:
        yield from fenced(case.problem).splitlines()
    if len(problems) > MOST_PROBLEMS:
        yield f"and {len(problems) - MOST_PROBLEMS} more"
    yield from ("```", "", "</details>")


def sarif_report(parts: Sequence[PartReport], describe: Callable[[str], Rule]) -> str:
    """Return a SARIF log of all that has a place in a file."""
    found = list(dict.fromkeys(each for part in parts for each in part.diagnostics))
    texts = {path: text for part in parts for path, text in part.texts.items()}
    return sarif.render(Results(found, texts, describe))


def junit_report(parts: Sequence[PartReport]) -> str:
    """Return JUnit's XML: a suite for each part, a case for each thing that it has looked at."""
    suites = "".join(suite(part) for part in parts if part.state != "skipped")
    every = [case for part in parts for case in part.cases]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="wfc ci" {counts(every)}>\n{suites}</testsuites>\n'
    )


def suite(part: PartReport) -> str:
    cases = "".join(
        f'    <testcase classname="{escape(case.about)}" name="{escape(case.name)}"'
        + (f">\n      {failure(case.problem)}\n    </testcase>\n" if case.problem else "/>\n")
        for case in part.cases
    )
    return f'  <testsuite name="wfc {part.name}" {counts(part.cases)}>\n{cases}  </testsuite>\n'


def failure(problem: str) -> str:
    first = problem.partition("\n")[0]
    return f'<failure message="{escape(first)}">{escape(problem)}</failure>'


def counts(cases: Sequence[Case]) -> str:
    failed = sum(bool(case.problem) for case in cases)
    return f'tests="{len(cases)}" failures="{failed}" errors="0" skipped="0"'


def json_report(parts: Sequence[PartReport]) -> str:
    """Return all of it as JSON."""
    data = {
        "format": 1,
        "passed": not any(part.state == "failed" for part in parts),
        "parts": [
            {
                "name": part.name,
                "state": part.state,
                "summary": part.summary,
                "cases": [
                    {"about": case.about, "name": case.name, "problem": case.problem} for case in part.cases
                ],
            }
            for part in parts
        ],
    }
    return json.dumps(data, ensure_ascii=True, indent=2) + "\n"
