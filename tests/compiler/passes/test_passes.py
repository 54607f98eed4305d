"""The passes together: what they give, in which order, and what they leave alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import check_text, compile_text

GOOD = (Path(__file__).parent.parent / "greet.yaml").read_bytes()
BAD = GOOD.replace(b"accepts: Asked", b"accepts: Aksed").replace(b"end: Greeted\n", b"end: Gretted\n", 1)


def test_a_good_spec_has_python_and_no_findings() -> None:
    compiled = compile_text(GOOD, "greet.yaml")
    assert not compiled.failed
    assert compiled.diagnostics == ()
    assert "class Greet(Workflow" in compiled.python
    assert compiled.workflow is not None
    assert compiled.workflow.name == "greet"


def test_a_check_generates_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert check_text(GOOD, "greet.yaml").python == ""
    assert os.listdir(tmp_path) == []


def test_a_spec_with_an_error_has_no_python() -> None:
    compiled = compile_text(BAD, "greet.yaml")
    assert compiled.failed
    assert compiled.python == ""


def test_findings_are_in_the_order_of_the_text_each_once() -> None:
    found = check_text(BAD, "greet.yaml").diagnostics
    assert len(found) > 1
    assert list(found) == sorted(found, key=lambda each: (each.start, each.end))
    assert len(set(found)) == len(found)


def test_a_warning_does_not_stop_a_compile() -> None:
    raw = GOOD.replace(b"steps:\n", b"retries:\n  unused: {max_attempts: 2, delay: 1s}\nsteps:\n")
    compiled = compile_text(raw, "greet.yaml")
    assert [each.severity for each in compiled.diagnostics] == [Severity.WARNING]
    assert not compiled.failed
    assert compiled.python


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
def test_the_module_does_not_depend_on_line_endings_but_for_the_hash(ending: bytes) -> None:
    plain = compile_text(GOOD, "greet.yaml").python.splitlines()
    other = compile_text(GOOD.replace(b"\n", ending), "greet.yaml").python.splitlines()
    differing = [line for line, twin in zip(plain, other, strict=True) if line != twin]
    assert all("sha256:" in line for line in differing)
