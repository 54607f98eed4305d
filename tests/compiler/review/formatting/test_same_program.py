"""The canonical form of every spec that we have gives the same program and the same findings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wfc.compiler.passes import compile_text
from wfc.compiler.review.formatting import formatted
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import Source, find_specs
from wfc.compiler.yaml import read

ROOT = Path(__file__).parents[4]
LINES_AND_DIGEST = re.compile(r"(?<=[:, ])\d+(?=[,\s)\"'.:]|\Z)|[0-9a-f]{64}")


def compiled(sources: list[Source]) -> list[Compiled]:
    project = project_of(sources)
    return [compile_text(each.raw, each.path, project=project) for each in sources]


def comments_of(python: str) -> str:
    return "\n".join(
        LINES_AND_DIGEST.sub("N", line) if "#" in line or '"' in line else line for line in python.split("\n")
    )


def same_programs(sources: list[Source]) -> int:
    canonical = [Source(each.path, as_formatted(each).encode()) for each in sources]
    count = 0
    for before, after in zip(compiled(sources), compiled(canonical), strict=True):
        assert comments_of(before.python) == comments_of(after.python), before.path
        assert sorted(
            (each.code, LINES_AND_DIGEST.sub("N", each.message)) for each in before.diagnostics
        ) == sorted((each.code, LINES_AND_DIGEST.sub("N", each.message)) for each in after.diagnostics), (
            before.path
        )
        count += bool(before.python)
    return count


def as_formatted(source: Source) -> str:
    found = formatted(source.raw.decode())
    assert isinstance(found, str), source.path
    return found


def test_a_few_specs_give_the_same_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert same_programs(find_specs(["specs/bicycle_repair", "docs/language/voting.yaml"], print)) == 2


@pytest.mark.full
def test_all_specs_and_examples_give_the_same_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert same_programs(find_specs(["specs", "docs/language"], print)) > 90


@pytest.mark.full
def test_wrong_specs_have_the_same_findings() -> None:
    count = 0
    for path in sorted((ROOT / "compiler/rules/examples").glob("*.yaml")):
        findings: list[object] = []
        document = read(path.read_bytes(), path.name, findings.append)
        if not findings and document.data is not None:
            same_programs([Source(path.name, path.read_bytes())])
            count += 1
    assert count > 200
