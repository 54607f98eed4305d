"""The plan of a workflow without its module is the one that the runtime reads in the module's class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.programs import load_modules, modules_of
from wfc.compiler.cli.reviewing.comparison import version_of
from wfc.compiler.cli.reviewing.sides import GivenSide
from wfc.compiler.codegen.plan_data import plan_data
from wfc.compiler.passes import compile_checked
from wfc.compiler.workspace.paths import folders_seen_from
from wfc.compiler.workspace.project import Project
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.store.judgement.types import classes_in
from wfc.runtime.store.versions.describing import describe

ROOT = Path(__file__).parents[3]
SPECS = [
    *sorted((ROOT / "specs").glob("*.yaml")),
    *sorted((ROOT / "docs/language").glob("*.yaml")),
    *sorted((ROOT / "compiler/rules/examples").glob("*-mended.yaml")),
    *sorted((ROOT / "tests/compiler/codegen/golden").glob("*.yaml")),
    ROOT / "tests/compiler/schema/supported.yaml",
]


def both(path: Path) -> tuple[dict[str, Any] | None, dict[str, Any]] | None:
    """Return the plan as it is told of a spec, and as the runtime describes it; ``None`` for what is no workflow."""
    side = GivenSide("now", str(path), path.read_bytes())
    project = Project(side.files)
    version = version_of(project, side, next(iter(side.specs())))
    if version is None or version.workflow is None or version.workflow.broken_calls:
        return None
    assert version.checked is not None
    folder, _, name = version.path.rpartition("/")
    compiled = compile_checked(version.checked, project, name, folders_seen_from(folder), in_package=True)
    kind = load_modules(modules_of(compiled, project))
    definition, run = definition_of(kind), version.workflow.run
    assert (dict(definition.moved), tuple(definition.removed)) == (dict(run.moved), tuple(run.removed))
    told = plan_data(version.workflow)
    return None if told is None else json.loads(json.dumps(told)), describe(kind()._wfc.plan).data


def without_what_no_run_has(plan: dict[str, Any]) -> dict[str, Any]:
    """Return a plan with only those classes of which a run may have values."""
    found: dict[str, Any] = {}
    todo = [*held(plan)]
    while todo:
        name = todo.pop()
        if name in plan["classes"] and name not in found:
            found[name] = plan["classes"][name]
            for field in found[name].get("fields", {}).values():
                todo += classes_in(field["type"])
    return {**plan, "classes": found}


def held(plan: dict[str, Any]) -> Iterator[str]:
    yield from (plan["state"], *plan["starts"], *plan["receives"], *plan["ways"])
    for step in plan["steps"].values():
        yield from (*step["accepts"], *step["emits"], *step["awaits"])
        for type_ in (*step["forms"], step["result"], *step["takes"]):
            yield from classes_in(type_)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_a_plan_that_is_told_is_the_one_that_is_read(path: Path) -> None:
    found = both(path)
    if found is not None and found[0] is not None:
        told, read = found
        assert without_what_no_run_has(told) == without_what_no_run_has(read)


def test_most_plans_are_told() -> None:
    """Else the test above would say nothing."""
    examples = [each for each in SPECS if each.parent.name == "examples"][::5]
    told = [found[0] is not None for path in examples if (found := both(path)) is not None]
    assert len(told) > 40
    assert sum(told) > 0.8 * len(told)
