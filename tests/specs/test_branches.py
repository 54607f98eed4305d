"""Every way out of every step in the specs is taken by one of their tests: `emit`, `on_error`, `on_limit` and so on."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from wfc.compiler.cli.programs import compiled_here, load_compiled
from wfc.compiler.cli.spec_tests import spec_test
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load
from wfc.runtime.testing import run_test

FOLDER = Path(__file__).parents[2] / "specs"
SPECS = [path for path in sorted(FOLDER.rglob("*.yaml")) if "\nworkflow: " in path.read_text("utf-8")]

EXITS = {"transform", "then", "on_error", "on_limit", "on_expired", "run_deadline", "run_error", "run_cancel"}
"""Decorators of what chooses where a run goes."""


def ways_out(python: str) -> dict[int, str]:
    """The lines of generated code by which a step leaves, and what they say."""
    found = {}
    for function in ast.walk(ast.parse(python)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if EXITS.isdisjoint(decorator_name(each) for each in function.decorator_list):
            continue
        for each in ast.walk(function):
            if isinstance(each, ast.Return | ast.Raise) and "UNHANDLED" not in ast.unparse(each):
                found[each.lineno] = f"{function.name}: {ast.unparse(each)}"
    return found


def decorator_name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_way_out_is_taken_by_a_test(path: Path) -> None:
    source = load(str(path))
    project = project_of([source])
    compiled = compiled_here(source.raw, source.path, project)
    program = load_compiled(compiled, project)
    assert program is not None
    assert compiled.workflow is not None
    wanted = ways_out(compiled.python)
    module = sys.modules[program.workflow.__module__].__file__
    reached: set[int] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != module:
            return None
        if event == "line":
            reached.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for case in compiled.workflow.tests:
            outcome = run_test(program.workflow, spec_test(case), program.others)
            assert outcome.passed, outcome
    finally:
        sys.settrace(before)
    assert wanted
    assert [said for line, said in wanted.items() if line not in reached] == []
