"""Specs that import what cannot be read: only this is told, and no consequence of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import Source

ROOT = Path(__file__).parents[3] / "specs"
SPECS = sorted(
    path
    for path in ROOT.rglob("*.yaml")
    if "\nstart:" in (text := path.read_text(encoding="utf-8")) and "\nimports:" not in text
)
UNREAD = {
    "empty.yaml": "",
    "broken.yaml": "wfc: 1\ntypes: [\n",
    "nested.yaml": "wfc: 1\nimports: [broken.yaml]\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All specs with what they need, and files of declarations that cannot be read."""
    found = tmp_path_factory.mktemp("unread") / "specs"
    shutil.copytree(ROOT, found)
    for name, text in UNREAD.items():
        (found / name).write_text(text)
    return found


def errors(path: Path, text: str) -> list[str]:
    source = Source(str(path), text.encode())
    found = check_text(source.raw, source.path, project_of([source])).diagnostics
    return [each.message for each in found if each.severity is Severity.ERROR and each.path == source.path]


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_an_import_that_cannot_be_read_has_no_consequences(spec: Path, folder: Path) -> None:
    path = folder / spec.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    assert errors(path, text) == []
    for name in UNREAD:
        given = Path(os.path.relpath(folder / name, path.parent)).as_posix()
        imports = f"\nimports: [{given}]\nstart:"
        assert errors(path, text.replace("\nstart:", imports, 1)) == [], name
