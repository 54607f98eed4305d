"""Whoever makes Python's warnings errors (`PYTHONWARNINGS=error`) sees the same as others."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from wfc.compiler.passes import check_text

WFC = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
SPEC = """\
wfc: 1
workflow: patterns
start: Asked
end: Told
events:
  Asked: {{word: {{type: string, pattern: '{pattern}'}}}}
  Told: {{fits: boolean}}
steps:
  look:
    kind: transform
    accepts: Asked
    emit: {{event: Told, with: {{fits: "${{{{ event.word | matches('{pattern}') }}}}"}}}}
tests:
  - {{name: a, start: {{word: a}}, expect: {{end: Told, with: {{fits: true}}}}}}
"""


@pytest.mark.parametrize("pattern", ["[[a]b]+", "[a-z&&a-c]+", "[a||b]", "[a~~b]", "[[:alpha:]]", "a"])
def test_sets_within_sets_of_a_pattern(pattern: str) -> None:
    """Python's own engine warns of them; the one that is used has a meaning for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = check_text(SPEC.format(pattern=pattern).encode(), "patterns.yaml").diagnostics
    assert [(each.code, each.message) for each in found] == []


@pytest.mark.full
def test_all_specs_are_checked_compiled_and_tested_with_warnings_as_errors(
    root: Path, tmp_path: Path
) -> None:
    patterns = tmp_path / "patterns.yaml"
    patterns.write_text(SPEC.format(pattern="[[a]b--c]+"))
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    for command in (
        ("check", str(patterns), str(root / "specs")),
        ("test", str(patterns)),
        ("compile", str(patterns), "-o", str(tmp_path / "build")),
    ):
        done = subprocess.run(
            [sys.executable, "-c", WFC, *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
