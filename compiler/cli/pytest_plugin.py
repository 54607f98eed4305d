"""The plugin of pytest that collects the tests written in specs. Only here is pytest known.

pytest loads this module in every project that has wfc installed, so nothing else of wfc is imported until a YAML file
is met that is a spec with tests. ``-p no:wfc`` turns it off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.compiler.model import TestCase
    from wfc.compiler.workspace.compiled import Compiled
    from wfc.compiler.workspace.project import Project

__all__ = ["SpecFile", "SpecItem", "pytest_collect_file"]

SUFFIXES: Final = (".yaml", ".yml")
TESTS: Final = rb"""(?m)^["']?tests["']?[ \t]*:"""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Collect a file if it is a spec with tests; all others are left to pytest."""
    if file_path.suffix not in SUFFIXES:
        return None
    from wfc.compiler.limits import MAX_BYTES
    from wfc.compiler.workspace.detection import looks_like_spec
    from wfc.compiler.workspace.reading import read_or_reason

    raw = read_or_reason(str(file_path), MAX_BYTES + 1)
    if not isinstance(raw, bytes) or not looks_like_spec(raw) or re.search(TESTS, raw) is None:
        return None
    found: SpecFile = SpecFile.from_parent(parent, path=file_path)
    return found


class FailedSpecTestError(Exception):
    """The failure of a test; the message is what is shown of it."""


class SpecFile(pytest.File):
    """A spec: its tests are collected by their names, and its code is loaded when the first of them runs."""

    compiled: Compiled
    project: Project
    program: Program | None = None

    @property
    def shown(self) -> str:
        """The path from the folder in which pytest was started; whole if that is not above it."""
        start = self.config.invocation_params.dir
        return str(self.path.relative_to(start) if self.path.is_relative_to(start) else self.path)

    def collect(self) -> Iterator[SpecItem]:
        """Return the tests of the spec.

        Raises:
            pytest.Collector.CollectError: The spec has errors.
        """
        from wfc.compiler.cli.programs import compiled_here
        from wfc.compiler.diagnostics.escaping import printable
        from wfc.compiler.workspace.project import project_of
        from wfc.compiler.workspace.severity import with_severities
        from wfc.compiler.workspace.sources import PathError, load

        with chdir(self.config.invocation_params.dir):
            try:
                source = load(self.shown)
            except PathError as error:
                raise self.CollectError(str(error)) from None
            self.project = project_of([source])
            self.compiled = with_severities(compiled_here(source.raw, source.path, self.project))
        if self.compiled.failed or self.compiled.workflow is None:
            raise self.CollectError(findings_of(self.compiled))
        document = self.project.units[source.path.replace(os.sep, "/")].document
        for case in self.compiled.workflow.tests:
            item: SpecItem = SpecItem.from_parent(self, name=printable(case.name))
            item.case, item.line = case, document.line(case.address)
            yield item

    def loaded(self) -> Program:
        """Return the program of the spec, which is loaded once.

        Raises:
            FailedSpecTestError: A workflow that it calls or sends to has errors.
            click.ClickException: Its code cannot be imported.
        """
        from wfc.compiler.cli.programs import load_compiled

        if self.program is None:
            self.program = load_compiled(
                self.compiled, self.project
            )  # findings of others go to standard error
        if self.program is None:
            raise FailedSpecTestError("a workflow that it calls or sends to has errors")
        return self.program


class SpecItem(pytest.Item):
    """One test of a spec."""

    case: TestCase
    line: int
    parent: SpecFile

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.funcargs: dict[
            str, object
        ] = {}  # no fixtures; other plugins look for them without asking what item it is

    def runtest(self) -> None:
        """Run the test, offline and with a clock that jumps.

        Raises:
            FailedSpecTestError: An expectation is not met, or the spec cannot be loaded.
        """
        import click

        from wfc.compiler.cli.spec_tests import spec_test
        from wfc.runtime.testing import run_test

        with chdir(self.config.invocation_params.dir):
            try:
                program = self.parent.loaded()
            except click.ClickException as error:
                raise FailedSpecTestError(error.format_message()) from None
            outcome = run_test(program.workflow, spec_test(self.case), program.others)
        if not outcome.passed:
            raise FailedSpecTestError("\n".join(outcome.problems))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is shown of a failure: that of an expectation as `wfc test` words it, with its place."""
        if not isinstance(excinfo.value, FailedSpecTestError):
            return super().repr_failure(excinfo, style)
        from wfc.compiler.diagnostics.escaping import printable

        place = f"{printable(self.parent.shown)}:{self.line}: {self.name}"
        reasons = str(excinfo.value).split("\n")
        return "\n".join([place, *(f"        {printable(reason)}" for reason in reasons)])

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the test, with its line counted from 0."""
        return self.path, self.line - 1, self.name


def findings_of(compiled: Compiled) -> str:
    """Return the findings of a spec as `wfc check` shows them."""
    from wfc.compiler.diagnostics.render import render

    texts = {**compiled.texts, compiled.path: compiled.text}
    return render(compiled.diagnostics, texts).rstrip("\n")
