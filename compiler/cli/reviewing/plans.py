"""The plans of two versions of a workflow, as data, or from the Python that is generated; neither runs a spec."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from wfc.compiler.cli.programs import Program, load_modules, mentioned, modules_of
from wfc.compiler.passes import compile_checked
from wfc.compiler.review.sameness import differences
from wfc.compiler.types import show
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.paths import folders_seen_from
from wfc.compiler.workspace.project import Project

if TYPE_CHECKING:
    from wfc.compiler.cli.reviewing.comparison import Version
    from wfc.runtime import Workflow
    from wfc.runtime.store.judgement.conversions import Conversion
    from wfc.runtime.store.judgement.foretelling import Foretold

__all__ = ["PlannedVersion", "may_touch_runs", "planned", "program_of"]

_APART = frozenset(
    "format description descriptions version labels tests suppressions secrets triggers resources knowledge models "
    "imports data decisions config deadline".split()
)
"""What a workflow says beside its steps, events and state: no plan has it."""

_OF_STEPS = frozenset(
    "description saves requires cache stream reaches name until timeout concurrency idempotency_key".split()
)
_OF_ACTIONS = frozenset(
    "prompt system args request command title show assign model query inputs history files fills items chosen_by that "
    "key to topic for until remind max keep".split()
)
_OF_ENTRIES = frozenset({"when", "saves", "fills", "items", "max", "concurrency", "says"})


def may_touch_runs(before: Version, after: Version) -> bool:
    """Return whether a change may mean anything for runs: most changes are of texts and values, which no plan has."""
    old, new = before.facts, after.facts
    assert old is not None
    assert new is not None
    if _type_names(before) != _type_names(after):
        return True  # facts have types by what is in them, and runs by their names
    sections = [section for section in new if section not in _APART and section != "at"]
    return any(
        not _is_beside(found.path)
        for section in sections
        for found in differences(old[section], new[section], (section,))
    )


def _type_names(version: Version) -> list[str]:
    assert version.workflow is not None
    return [show(each) for each in (*version.workflow.types, *version.workflow.outputs)]


def _is_beside(path: tuple[str, ...]) -> bool:
    """Return whether something that differs is in no plan."""
    if path[0] not in ("steps", "exits"):
        return False
    inside = path[2:]
    if inside[:1] and inside[0] in _OF_STEPS:
        return True
    if inside[:1] == ("action",):
        return any(part in _OF_ACTIONS for part in inside[1:3])
    return "entries" in inside and any(part in _OF_ENTRIES for part in inside[inside.index("entries") :])


class PlannedVersion(NamedTuple):
    """A version of a workflow with its plan.

    Args:
        moved: What it says of old names.
        removed: What it says is gone.
        kind: Its class, where that was needed.
    """

    plan: Mapping[str, Any]
    moved: Mapping[str, str]
    removed: Collection[str]
    kind: type[Workflow] | None = None

    def foretold_from(self, old: PlannedVersion, filled: Mapping[str, tuple[str, ...]]) -> list[Foretold]:
        """Return what it means for runs of an earlier version that they go on with this one.

        Args:
            filled: The fields of forms of the earlier version that its questions name, by step.
        """
        from wfc.runtime.store.judgement.foretelling import foretell

        return foretell(
            old.plan,
            self.plan,
            moved=self.moved,
            removed=self.removed,
            conversions=() if self.kind is None else _conversions(self.kind),
            filled=filled,
        )


def _conversions(kind: type[Workflow]) -> Collection[Conversion]:
    """Return what a class says of values that become others."""
    from wfc.runtime.authoring.definition import definition_of
    from wfc.runtime.authoring.migrations import migrations_in
    from wfc.runtime.driver.engine.kept_values import values_of
    from wfc.runtime.store.versions.conversions import Converter

    workflow = kind()
    rules = migrations_in(definition_of(kind).run_rules.functions)
    return Converter(workflow, rules, values_of(workflow)).conversions() if rules else ()


def planned(version: Version, project: Project) -> PlannedVersion | None:
    """Return the plan of a spec without errors; ``None`` if nothing can be generated for it.

    Its module is generated and loaded only where the plan cannot be told without: that takes many times as long.

    Args:
        version: As it was read in the project.
    """
    workflow = version.workflow
    assert workflow is not None
    moved, removed = dict(workflow.run.moved), workflow.run.removed
    if not workflow.run.migrations and not workflow.broken_calls:
        from wfc.compiler.codegen.plan_data import plan_data

        told = plan_data(workflow)
        if told is not None:
            return PlannedVersion(told, moved, removed)
    compiled = _compiled(version, project)
    if compiled is None:
        return None
    from wfc.runtime.store.versions.describing import describe

    kind = load_modules(modules_of(compiled, project))
    return PlannedVersion(describe(kind()._wfc.plan).data, moved, removed, kind)


def program_of(version: Version, project: Project) -> Program | None:
    """Return a spec without errors as a program, with the workflows that it mentions; ``None`` if there is none."""
    compiled = _compiled(version, project)
    if compiled is None:
        return None
    others = mentioned(version.path, project)
    if any(each.failed for each in others):
        return None
    modules = tuple(modules_of(each, project) for each in (compiled, *others))
    first, *classes = map(load_modules, modules)
    return Program(first, compiled.workflow, tuple(classes), modules)


def _compiled(version: Version, project: Project) -> Compiled | None:
    folder, _, name = version.path.rpartition("/")
    assert version.checked is not None
    found = compile_checked(version.checked, project, name, folders_seen_from(folder or "."), in_package=True)
    return None if found.failed or not found.python else found
