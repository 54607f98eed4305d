"""``wfc eval``."""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.evaluating.cases import KnownCase, read_cases
from wfc.compiler.cli.evaluating.judge import Judge
from wfc.compiler.cli.evaluating.measures import COSTS, MEASURES, Summary, answer_of, measured, summed_up
from wfc.compiler.cli.evaluating.report import as_json, as_markdown, columns, rows_of
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.programs import compiled_here, load_compiled
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.tables import show_rows
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import Source, load

if TYPE_CHECKING:
    from wfc.compiler.cli.one_run import Ran
    from wfc.compiler.cli.programs import Program

__all__ = ["command"]

Summaries = Mapping[str, Summary]


@click.command("eval", cls=Command)
@click.argument("spec", metavar="SPEC")
@click.option("--data", required=True, metavar="FILE", help="Cases, a JSON object on each line.")
@click.option(
    "-n", "times", default=1, show_default=True, type=click.IntRange(1, 100), help="Runs of each case."
)
@click.option("--model", "models", multiple=True, metavar="NAME=USE", help="Another model in place of one.")
@click.option("--judge", metavar="USE", help="A model that holds answers against those of the cases.")
@click.option("--base", metavar="REV", help="A revision of git whose text of the spec is judged too.")
@click.option("--at-least", "bounds", multiple=True, metavar="MEASURE=NUMBER", help="What a mean must reach.")
@click.option(
    "--format", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True
)
def command(
    spec: str,
    data: str,
    times: int,
    models: tuple[str, ...],
    judge: str | None,
    base: str | None,
    bounds: tuple[str, ...],
    format: str,
) -> int:
    """Judge how well a SPEC answers, by cases with known answers.

    A case is written as {"start": {…}} with what is known: `relevant` (ids or sources of passages), `end`, `with`
    (fields of the end event), `contains` and `lacks` (texts of the answer), `answer` (what a --judge holds it against).

    Measures are hit_rate, mrr and ndcg of what was searched, ended, exact, rules, cited and judged of the answers, and
    seconds, tokens and cost_usd. Of each the mean over cases is given, and a 95 % interval by resampling them. Models
    and tools are called for real. What the judge costs is told apart from that.

    Exit status: 0 all bounds are kept; 1 one is missed; 2 wrong usage.
    """
    wanted = dict(map(bound, bounds))
    cases = read_cases(data)
    source = load(spec)
    before = None
    judge_model = Judge(judge) if judge is not None else None
    with output_kept():
        here, failed = evaluated(replaced_models(source, models), cases, times, judge_model)
        unjudged = (
            judge_model.miss() if judge_model is not None else ""
        )  # of this version, and not of the base
        if base is not None:
            old = Source(spec, text_at(base, spec))
            before, failed_before = evaluated(replaced_models(old, models), cases, times, judge_model)
            failed += [f"base: {each}" for each in failed_before]
    for each in failed:
        note(printable(each))
    missed = [said for name, least in wanted.items() if (said := miss(here, name, least))]
    if "judged" in wanted and unjudged:
        missed.append(unjudged)
    if format == "json":
        click.echo(as_json(spec, here, before, missed, failed, judge_model.told() if judge_model else None))
    elif format == "markdown":
        click.echo(as_markdown(spec, here, before, missed))
    else:
        show_rows(columns(before is not None), rows_of(here, before), "table")
    if format != "json":
        if judge_model is not None:
            note(judge_model.said())
        for said in missed:
            click.echo(printable(f"missed: {said}"), err=True)
    return 1 if missed else 0


def bound(text: str) -> tuple[str, float]:
    """Read a bound.

    Raises:
        click.UsageError: It is none.
    """
    name, _, number = text.partition("=")
    if name not in MEASURES:
        raise click.UsageError(f"`{printable(name)}` has no bound; there are {', '.join(MEASURES)}")
    try:
        return name, float(number)
    except ValueError:
        raise click.UsageError(
            f"a bound is written as `{name}=0.9`, and this is `{printable(text)}`"
        ) from None


def miss(here: Summaries, name: str, least: float) -> str:
    """Return how a bound is missed; empty if it is kept."""
    if name not in here:
        return f"{name} is wanted at {least:g}, and no case says anything about it"
    mean = here[name].mean
    return f"{name} is {mean:.3f}, and must be at least {least:g}" if mean < least else ""


def replaced_models(source: Source, models: Sequence[str]) -> Source:
    """Return a spec with other models in place of those that it names.

    Raises:
        click.UsageError: It has no such model.
    """
    from wfc.compiler.slotted import replace as with_

    text = source.raw.decode("utf-8", "replace")
    for each in models:
        name, _, use = each.partition("=")
        if not re.fullmatch(r"[a-z0-9-]+:[^\s\"'\\{}]+", use):
            raise click.UsageError(
                f"--model is written as `NAME=provider:model`, and this is `{printable(each)}`"
            )
        pattern = rf"(?m)^(  {re.escape(name)}:\s*(?:\{{[^}}\n]*?|\n(?:    .*\n)*?    ))use:\s*[^,}}\n]+"
        found = re.search(pattern, text)
        if found is None:
            raise click.UsageError(f"the spec has no model `{printable(name)}` that could be exchanged")
        text = f'{text[: found.start()]}{found[1]}use: "{use}"{text[found.end() :]}'
    return with_(source, raw=text.encode())


def text_at(revision: str, path: str) -> bytes:
    """Return the text of a spec at a revision.

    Raises:
        click.ClickException: There is no such revision, or the spec was not there.
    """
    from wfc.compiler.cli.reviewing.git import Repository

    repository = Repository(os.path.dirname(path) or ".")
    entry = repository.files(repository.commit(revision)).get(os.path.basename(path))
    if entry is None or not entry.blob:
        raise click.ClickException(printable(f"{path} was not there at {revision}"))
    return repository.contents([entry.blob])[entry.blob]


def evaluated(
    source: Source, cases: Sequence[KnownCase], times: int, judge: Judge | None
) -> tuple[dict[str, Summary], list[str]]:
    """Return what the runs of a spec are worth, and which of them failed, each with why."""
    import asyncio

    from wfc.runtime.driver.engine import default_engine

    project = project_of([source])
    compiled = with_severities(compiled_here(source.raw, source.path, project))
    show([compiled], on_error_stream=True)
    program = None if compiled.failed else load_compiled(compiled, project)
    if program is None:
        raise click.ClickException("a spec with errors cannot be judged")
    try:
        return asyncio.run(run_all(program, cases, times, judge))
    finally:
        default_engine().close()


async def run_all(
    program: Program, cases: Sequence[KnownCase], times: int, judge: Judge | None
) -> tuple[dict[str, Summary], list[str]]:
    from wfc.compiler.cli.inputs import start_event
    from wfc.compiler.cli.one_run import run_once
    from wfc.runtime.authoring.definition import definition_of

    kind = definition_of(program.workflow).plan.start_class
    starts = [start_event(kind, dict(case.start), None) for case in cases]
    worth: defaultdict[str, list[float]] = defaultdict(list)
    failed: list[str] = []
    for number, (case, start) in enumerate(zip(cases, starts, strict=True), start=1):
        found: defaultdict[str, list[float]] = defaultdict(list)
        for _ in range(times):
            ran = await run_once(program, start)
            if ran.error:
                failed.append(f"case {case.name}: {ran.error}")
            for name, value in (measured(case, ran) | await judged(case, ran, judge, failed)).items():
                found[name].append(value)
        for name, values in found.items():
            worth[name].append(sum(values) / len(values))
        if sys.stderr.isatty():
            click.echo(f"\r{number:,} of {len(cases):,} cases", err=True, nl=number == len(cases))
    return {name: summed_up(worth[name]) for name in (*MEASURES, *COSTS) if name in worth}, failed


async def judged(case: KnownCase, ran: Ran, judge: Judge | None, failed: list[str]) -> dict[str, float]:
    """Return how well an answer agrees with that of the case, as a model says it."""
    if judge is None or not case.answer:
        return {}
    question = "\n".join(str(each) for each in case.start.values())
    found = await judge.agreement(question, case.answer, answer_of(ran.values))
    if isinstance(found, float):
        return {"judged": found}
    failed.append(f"case {case.name}: the judge: {found}")
    return {}
