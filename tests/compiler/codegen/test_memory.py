"""What a compile leaves behind: nothing that only a collector finds, for commands run without one."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from wfc.compiler.codegen.names import ScopeNames
from wfc.compiler.model import Workflow
from wfc.compiler.passes import compile_text

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.yaml"))


def workflows() -> int:
    return sum(isinstance(each, Workflow) for each in gc.get_objects())


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_no_circle_keeps_a_workflow(path: Path) -> None:
    raw = path.read_bytes()
    compile_text(raw, path.name)  # what is kept for the next time is there now
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        before = workflows()
        done = compile_text(raw, path.name)
        is_there = workflows() - before
        assert (is_there > 0) == (done.workflow is not None)
        del done
        assert workflows() == before
    finally:
        if was_enabled:
            gc.enable()


def test_a_name_that_is_taken_around_a_scope_later_is_taken_in_it() -> None:
    module = ScopeNames({"Model"})
    function = module.inner(["ctx"])
    assert module.give("draft") == "draft"
    assert [function.give(name) for name in ("draft", "Model", "ctx", "other")] == [
        "draft_",
        "Model_",
        "ctx_",
        "other",
    ]
    assert "other" in function
    assert "other" not in module
    assert module.give("ctx") == "ctx"  # what a function takes is free outside of it
