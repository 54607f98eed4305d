"""Specs that show a sentence each, compiled and run as `wfc check`, `wfc run` and `wfc test` do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfc.compiler.cli.programs import workflow_of
from wfc.compiler.cli.spec_tests import spec_test
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.passes import check_text, compile_text
from wfc.compiler.workspace.compiled import Compiled
from wfc.runtime import Workflow
from wfc.runtime.testing import run_test

HERE = Path(__file__).parent
STAGE, SHOWN = str(HERE / "stage.py"), str(HERE / "shown_workflow.py")
HEAD = "wfc: 1\nworkflow: shown\n"


class Shown:
    """Compiles and runs specs, which need not say ``wfc`` and ``workflow``."""

    path = str(HERE / "shown.yaml")

    def compiled(self, spec: str) -> Compiled:
        made = compile_text((HEAD + spec).encode(), self.path)
        assert not made.failed, "\n".join(map(told, made.diagnostics))
        return made

    def workflow(self, spec: str) -> type[Workflow]:
        return workflow_of(self.compiled(spec))

    def findings(self, spec: str) -> list[str]:
        """Code and the text that is marked, such as ``unknown-event Gone``."""
        checked = check_text((HEAD + spec).encode(), self.path)
        return [
            f"{each.code} {' '.join(checked.text[each.start.offset : each.end.offset].split())}"
            for each in checked.diagnostics
        ]

    def tests(self, spec: str) -> None:
        """Runs the tests of a spec, of which there must be one, and holds that all pass."""
        made = self.compiled(spec)
        assert made.workflow is not None and made.workflow.tests, "the spec has no test"
        workflow = workflow_of(made)
        for case in made.workflow.tests:
            clear_stage()
            outcome = run_test(workflow, spec_test(case))
            assert outcome.passed, f"{case.name}: {'; '.join(outcome.problems)}"


def told(finding: Diagnostic) -> str:
    return f"{finding.start.line}: {finding.code}: {finding.message} ({finding.hint})"


def clear_stage() -> None:
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == STAGE:
            module.calls.clear()  # type: ignore[attr-defined]


@pytest.fixture
def shown() -> Iterator[Shown]:
    """See ``Shown``; the modules that it loads are gone afterwards."""
    before = set(sys.modules)
    yield Shown()
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) == SHOWN:
            del sys.modules[name]
