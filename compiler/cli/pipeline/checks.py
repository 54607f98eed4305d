"""Each part of ``wfc ci``, done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from wfc.compiler.cli.building.judging import ModuleState, advice, counted_current, manifests_below
from wfc.compiler.cli.building.outputs import Build
from wfc.compiler.cli.findings import HasFindings
from wfc.compiler.cli.pipeline.parts import Case, PartReport, cases_of, counted
from wfc.compiler.cli.policy.changes import ToldChanges, held_changes
from wfc.compiler.cli.policy.holding import held, load_policy
from wfc.compiler.cli.policy.test import problems_of
from wfc.compiler.cli.test import outcomes_of
from wfc.compiler.cli.verify import states_of
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.text import summary
from wfc.compiler.workspace.cache import Cache
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project
from wfc.compiler.workspace.severity import wrong_settings
from wfc.compiler.workspace.sources import MANIFEST, Source

__all__ = ["checked", "held_against", "tested", "verified"]


def checked(compiled: Sequence[Compiled]) -> PartReport:
    """Return what `wfc check` finds."""
    settings = wrong_settings(each.path for each in compiled)
    return part_of("check", [*settings, *compiled], f"{counted(len(compiled), 'spec')}, ")


def part_of(name: str, files: Sequence[HasFindings], words: str) -> PartReport:
    found = list(dict.fromkeys(each for one in files for each in one.diagnostics))
    return PartReport(
        name,
        "failed" if found else "passed",
        f"{words}{summary(found)}",
        cases_of(name, [each.path for each in files], found),
        tuple(found),
        texts_of(files, found),
    )


def texts_of(files: Iterable[HasFindings], found: Sequence[Diagnostic]) -> dict[str, str]:
    """Return the texts of the files that findings are in."""
    wrong = {each.path for each in found}
    every = {path: text for each in files for path, text in ((each.path, each.text), *each.texts.items())}
    return {path: text for path, text in every.items() if path in wrong}


def held_against(
    file: str | None, sources: Sequence[Source], project: Project, told: Callable[[], ToldChanges | None]
) -> PartReport:
    """Return what `wfc policy check` finds, and which tests of the policy fail.

    Args:
        file: The policy; ``None`` if there is none.
        told: Returns what has changed, which rules about changes are asked of; ``None`` if that was not asked.
    """
    if file is None:
        return PartReport("policy", "skipped", "there is no policy")
    policy, wrong = load_policy(file)
    if wrong.diagnostics:
        return part_of("policy", [wrong], f"{file}: ")
    known = {*(each.id for each in policy.rules), "wrong-policy"}  # what else is wrong, the check tells
    judged = held(policy, sources, project)
    changes = told() if any(rule.each == "change" for rule in policy.rules) else None
    judged += [] if changes is None else held_changes(policy, changes)
    found = [each for each in judged if all(one.code in known for one in each.diagnostics)]
    part = part_of("policy", found, f"{counted(len(policy.rules), 'rule')}, ")
    tests = [Case(file, test.name, "\n".join(problems_of(policy, test))) for test in policy.tests]
    failed = sum(bool(each.problem) for each in tests)
    if not failed:
        return PartReport(
            part.name, part.state, part.summary, (*part.cases, *tests), part.diagnostics, part.texts
        )
    words = f"{part.summary}, {counted(failed, 'test')} of the policy failed"
    return PartReport(part.name, "failed", words, (*part.cases, *tests), part.diagnostics, part.texts)


def verified(paths: Sequence[str], output: str | None, sources: Sequence[Source]) -> PartReport:
    """Return what `wfc verify` finds, where modules are kept in the repository."""
    if output is None and not any(has_manifest(path) for path in paths):
        return PartReport(
            "verify", "skipped", f"no {MANIFEST} is there, so no generated modules are kept here"
        )
    build = Build(sources, output, Cache.of_user())
    built = [build.known(source) or build.compiled(source) for source in sources]
    states = states_of(paths, build, built)
    wrong = [each for each in states if each.state != "current"]
    words = f"{counted_current(states)} current" + (f", {len(wrong)} not" if wrong else "")
    return PartReport("verify", "failed" if wrong else "passed", words, tuple(map(case_of, states)))


def has_manifest(path: str) -> bool:
    """Return whether there are generated modules at a path, or beside it."""
    if os.path.isdir(path):
        return any(manifests_below(path))
    return os.path.exists(os.path.join(os.path.dirname(path), MANIFEST))


def case_of(state: ModuleState) -> Case:
    said = (
        f"{state.path}: {state.state}: {state.because}; {advice(state)}" if state.state != "current" else ""
    )
    return Case(state.path, "verify", said)


def tested(compiled: Sequence[Compiled], project: Project) -> PartReport:
    """Return what `wfc test` finds in the specs without errors."""
    cases = []
    for each in compiled:
        if each.failed or each.workflow is None:
            continue
        if not each.workflow.tests:
            continue
        outcomes = outcomes_of(each, project)
        if outcomes is None:
            cases.append(
                Case(each.path, "test", f"{each.path}: a workflow that it calls or sends to has errors")
            )
        for case, outcome in outcomes or ():
            told = (f'{each.path}: the test "{case.name}" failed', *outcome.problems)
            said = "" if outcome.passed else "\n".join(told)
            cases.append(Case(each.path, case.name, said))
    failed = sum(bool(case.problem) for case in cases)
    untold = sum(each.failed for each in compiled)
    words = f"{len(cases) - failed} passed" + (f", {failed} failed" if failed else "")
    if untold:
        words += f", {counted(untold, 'spec')} with errors not tested"
    if not cases:
        return PartReport("test", "skipped", "no test was run" if untold else "no spec has a test")
    return PartReport("test", "failed" if failed else "passed", words, tuple(cases))
