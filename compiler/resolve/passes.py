"""The passes of the resolution, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.diagnostics import Report
from wfc.compiler.model import Workflow
from wfc.compiler.resolve.declarations.agents import declare_agents
from wfc.compiler.resolve.declarations.config_and_state import declare_config, declare_state
from wfc.compiler.resolve.declarations.defaults import declare_defaults
from wfc.compiler.resolve.declarations.events import declare_start_and_end
from wfc.compiler.resolve.declarations.imports import declare_imports
from wfc.compiler.resolve.declarations.knowledge import declare_knowledge
from wfc.compiler.resolve.declarations.messages import declare_messages, report_received
from wfc.compiler.resolve.declarations.models import declare_models
from wfc.compiler.resolve.declarations.parts import declare_parts
from wfc.compiler.resolve.declarations.prompts import declare_prompts
from wfc.compiler.resolve.declarations.resources import declare_resources
from wfc.compiler.resolve.declarations.retries import declare_retries
from wfc.compiler.resolve.declarations.secrets import declare_secrets
from wfc.compiler.resolve.declarations.tools import declare_tools
from wfc.compiler.resolve.declarations.types import declare_types_and_events
from wfc.compiler.resolve.steps.steps import resolve_steps
from wfc.compiler.resolve.symbols.declarations import NO_PROJECT, Declarations, ProjectView
from wfc.compiler.resolve.whole.forks import set_forks
from wfc.compiler.resolve.whole.part_contracts import check_contracts
from wfc.compiler.resolve.whole.recursion import report_recursion, report_unknown_tools
from wfc.compiler.resolve.whole.runs import resolve_run_settings
from wfc.compiler.resolve.whole.tests import resolve_tests
from wfc.compiler.resolve.whole.unused import (
    UsedTypes,
    note_used_resources,
    report_unused,
    report_unused_resources,
)
from wfc.compiler.resolve.whole.workflow import build_workflow

if TYPE_CHECKING:
    from wfc.compiler.schema import Spec

__all__ = ["declare", "resolve"]


def resolve(spec: Spec, report: Report, project: ProjectView = NO_PROJECT) -> Workflow | None:
    """Resolve a spec into a workflow: look all names up, and hold all values against their types.

    Args:
        spec: What is well-shaped of the document.
        report: Takes what is wrong.
        project: The files that it may mention.

    Returns:
        The workflow without what could not be understood; it may be checked further, but code is to be made
        of it only if no error was reported. ``None`` if there is not even a start.
    """
    data = spec.data
    declared = declare(spec, report, project)
    parts = declare_parts(data, declared)
    steps = resolve_steps(data, declared, parts)
    report_received(declared, steps)
    if declared.start is None:
        return None
    steps = set_forks(steps, declared)
    check_contracts(parts, steps, declared)
    run = resolve_run_settings(data, steps, declared)
    tests = resolve_tests(data, steps, declared)
    report_recursion(declared)
    report_unknown_tools(declared)
    used = UsedTypes.of(declared, steps)
    note_used_resources(steps, declared)
    if not spec.broken:
        report_unused(data, declared, used)
        report_unused_resources(declared)
    return build_workflow(data, declared, steps, tests, run, used)


def declare(spec: Spec, report: Report, project: ProjectView = NO_PROJECT) -> Declarations:
    """Read all declarations of a spec, or of a file of declarations, except its steps."""
    data = spec.data
    declared = Declarations(report, data, spec.broken, project=project)
    declare_imports(data, declared)
    declare_secrets(data, declared)
    declare_types_and_events(data, declared)
    declare_config(data, declared)
    declare_state(data, declared)
    declare_start_and_end(data, declared)
    declare_messages(data, declared)
    declare_retries(data, declared)
    declare_prompts(declared)
    declare_models(data, declared)
    declare_resources(declared)
    declare_tools(data, declared)
    declare_defaults(data.get("defaults"), declared)
    declare_agents(declared)
    declare_knowledge(declared)
    return declared
