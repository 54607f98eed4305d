"""The passes of the resolution, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Join, Whole, Workflow
from wfc.compiler.resolve.declarations import (
    agents,
    config_and_state,
    defaults,
    imports,
    knowledge,
    messages,
    models,
    parts,
    resources,
    retries,
    secrets,
    texts,
    threads,
    tools,
)
from wfc.compiler.resolve.declarations.events import declare_contract, declare_start_and_end
from wfc.compiler.resolve.declarations.types import declare_types_and_events
from wfc.compiler.resolve.steps.steps import resolve_step, resolve_steps
from wfc.compiler.resolve.symbols.declarations import NO_PROJECT, Declarations, ProjectView
from wfc.compiler.resolve.whole import forks, part_contracts, recursion, replies, runs, tests
from wfc.compiler.resolve.whole.unused import (
    UsedTypes,
    note_used_resources,
    report_unused,
    report_unused_resources,
)
from wfc.compiler.resolve.whole.workflow import build_workflow
from wfc.compiler.slotted import replace
from wfc.compiler.types.long_form import check_plain

if TYPE_CHECKING:
    from wfc.compiler.model import Step
    from wfc.compiler.model.triggers import Trigger
    from wfc.compiler.resolve.symbols.tables import Data
    from wfc.compiler.schema import Spec

__all__ = ["ABOUT_SPECS", "check_about", "declare", "declare_after_types", "resolve"]

ABOUT_SPECS: Final = ("version", "description", "labels")
"""What a spec says about itself."""

ABOUT_RUNS: Final = {"on_error", "on_deadline", "on_cancel", "limits", "moved", "removed", "migrate"}
"""The sections that `runs` reads."""


class Remembered(Protocol):
    """What is known from earlier resolutions of the same file; see the functions that it stands for."""

    def declared(self, spec: Spec, report: Report, view: ProjectView) -> Declarations:
        """``declare``."""

    def step(self, name: str, data: Data, place: Place, declared: Declarations) -> Step | None:
        """``resolve_step``, after ``declared``."""


def resolve(
    spec: Spec, report: Report, project: ProjectView = NO_PROJECT, memory: Remembered | None = None
) -> Workflow | None:
    """Resolve a spec into a workflow: look all names up, and hold all values against their types.

    Args:
        spec: What is well-shaped of the document.
        report: Takes what is wrong.
        project: The files that it may mention.
        memory: Spares what it knows already.

    Returns:
        The workflow without what could not be understood; it may be checked further, but code is to be made
        of it only if no error was reported. ``None`` if there is not even a start.
    """
    data = spec.data
    declared = declare(spec, report, project) if memory is None else memory.declared(spec, report, project)
    part_files = parts.declare_parts(data, declared) if "parts" in data else ()
    steps = resolve_steps(data, declared, part_files, memory.step if memory else resolve_step)
    if declared.receives:
        messages.report_received(declared, steps)
    if declared.start is None:
        return None
    run = runs.resolve_run_settings(data, steps, declared) if ABOUT_RUNS & data.keys() else Whole()
    if any(isinstance(step.accepts, Join) for step in steps):
        steps = forks.set_forks(steps, run, declared)
    if part_files:
        part_contracts.check_contracts(part_files, steps, run, declared)
    started: tuple[Trigger, ...] = ()
    if "triggers" in data:
        from wfc.compiler.resolve.whole.triggers import resolve_triggers  # few specs have any

        started = resolve_triggers(data, declared)
    cases = tests.resolve_tests(data, steps, declared) if "tests" in data else ()
    if declared.called or declared.tools.nodes:
        recursion.report_recursion(declared)
        recursion.report_unknown_tools(declared)
    if declared.agents.nodes:
        replies.report_many_replies(steps, run, declared)
    used = UsedTypes.of(declared, steps)
    for trigger in started:
        if trigger.body is not None:
            used.add(trigger.body)
    for migration in run.migrations:
        used.add(migration.before)
    for _, exit_ in run.exits:
        used.add_bodies(exit_)
    note_used_resources(steps, declared)
    if not spec.broken:
        report_unused(data, declared, used)
        report_unused_resources(declared)
    workflow = build_workflow(data, declared, steps, cases, run, used)
    return replace(workflow, triggers=started) if started else workflow


def declare(spec: Spec, report: Report, project: ProjectView = NO_PROJECT) -> Declarations:
    """Read all declarations of a spec, or of a file of declarations, except its steps."""
    data = spec.data
    declared = Declarations(report, data, spec.broken, project=project)
    check_about(data, report)
    mentions = declared.mentions
    if mentions("imports"):
        imports.declare_imports(data, declared)
    if mentions("secrets"):
        secrets.declare_secrets(data, declared)
    declare_types_and_events(data, declared)
    declare_after_types(data, declared)
    return declared


def check_about(data: Data, report: Report) -> None:
    """Check what a spec says about itself, on which nothing else depends."""
    for key in ABOUT_SPECS:
        if key in data:
            check_plain(data[key], Place((key,)), key, report)


def declare_after_types(data: Data, declared: Declarations) -> None:
    """Read the declarations of a spec whose types and events are known."""
    mentions = declared.mentions
    if mentions("config") or declared.imports:
        config_and_state.declare_config(data, declared)
    if mentions("state"):
        config_and_state.declare_state(data, declared)
    declare_start_and_end(data, declared)
    if mentions("key", "when_running", "receives"):
        messages.declare_messages(data, declared)
    declare_contract(data, declared)
    declare_named(data, declared)
    if declared.secrets.nodes:
        secrets.report_all_defaults(data, declared)


def declare_named(data: Data, declared: Declarations) -> None:
    """Read the declarations of what steps use by name."""
    mentions = declared.mentions
    if mentions("retries"):
        retries.declare_retries(data, declared)
    if mentions("texts"):
        texts.declare_texts(declared)
    if mentions("models"):
        models.declare_models(data, declared)
    if mentions("resources"):
        resources.declare_resources(declared)
    if mentions("tools"):
        tools.declare_tools(data, declared)
    if mentions("defaults"):
        defaults.declare_defaults(data.get("defaults"), declared)
    if mentions("knowledge"):
        knowledge.declare_knowledge(declared)
    if mentions("agents"):
        agents.declare_agents(declared)
    if mentions("threads"):
        threads.declare_threads(declared)
