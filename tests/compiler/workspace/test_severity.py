"""``[tool.wfc.severity]``: which file holds, what it may say, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.cli import main
from wfc.compiler.diagnostics import Severity
from wfc.compiler.workspace.severity import levels_in, levels_near
from wfc.runtime.calls.settings import settings_near
from wfc.schemas.settings import SettingsFile

WARNED = """\
wfc: 1
workflow: greet
start: Asked
end: Asked2
events:
  Asked: {}
  Asked2: {}
  Forgotten: {}
steps:
  greet: {kind: transform, accepts: Asked, emit: Asked2}
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "specs/greet.yaml"
    path.parent.mkdir()
    path.write_text(WARNED)
    return path


@pytest.mark.parametrize(
    ("level", "status", "shown"), [("off", 0, ""), ("warning", 1, "warning:"), ("error", 1, "error:")]
)
@pytest.mark.parametrize("name", ["wfc.toml", "pyproject.toml"])
def test_a_warning_may_be_anything(
    spec: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    level: str,
    status: int,
    shown: str,
) -> None:
    head = "[severity]" if name == "wfc.toml" else "[tool.wfc.severity]"
    (tmp_path / name).write_text(f'{head}\nunused-event = "{level}"\n')
    assert main(["check", "--format", "concise", "specs"]) == status
    assert shown in capsys.readouterr().out


def test_what_is_an_error_here_is_not_compiled(spec: Path, tmp_path: Path) -> None:
    assert main(["compile", "specs", "-o", "out"]) == 0
    (tmp_path / "wfc.toml").write_text('[severity]\nunused-event = "error"\n')
    assert main(["compile", "specs", "-o", "out2"]) == 1
    assert not (tmp_path / "out2").exists()


def test_wrong_settings_are_shown_once_and_are_findings(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (spec.parent / "again.yaml").write_text(WARNED.replace("  Forgotten: {}\n", ""))
    (tmp_path / "wfc.toml").write_text('severity = {unused-evnt = "off", unknown-event = "off"}\n')
    assert main(["check", "specs"]) == 1
    out = capsys.readouterr().out
    assert out.count("wfc.toml:1:13: error: no finding has the code `unused-evnt` [unknown-code]") == 1
    assert "did you mean `unused-event`?" in out
    assert "wfc.toml:1:50: error: `unknown-event` is an error, and cannot be `off` [error-made-milder]" in out


@pytest.mark.parametrize(
    ("files", "holds"),
    [
        ({}, ""),
        ({"pyproject.toml": "[tool.other]\nx = 1\n"}, ""),
        ({"pyproject.toml": "[tool.wfc]\nmodules = []\n"}, "pyproject.toml"),
        ({"pyproject.toml": '[tool.other]\nname = "wfc"\n'}, ""),
        ({"wfc.toml": "", "pyproject.toml": "[tool.wfc]\n"}, "wfc.toml"),
        ({"wfc.toml": "", "specs/pyproject.toml": "[tool.wfc.severity]\n"}, "specs/pyproject.toml"),
        ({"wfc.toml": "", "specs/pyproject.toml": "[project]\n"}, "wfc.toml"),
    ],
)
def test_both_houses_take_the_same_file(
    spec: Path, tmp_path: Path, files: dict[str, str], holds: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    runtime = settings_near(spec.parent).path
    compiler = levels_near(str(spec.parent)).path
    assert (str(runtime.resolve()) if runtime else "") == (str(tmp_path / holds) if holds else "")
    assert (str(Path(compiler).resolve()) if compiler else "") == (str(tmp_path / holds) if holds else "")


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe[", b"[tool", b"tool = 3", b"[tool]\nwfc = 3", b"a = [" * 100_000]
)
def test_what_is_no_settings_is_no_trouble(raw: bytes) -> None:
    assert not levels_in(SettingsFile("pyproject.toml", raw)).levels


def test_a_value_of_another_type_is_a_finding() -> None:
    levels = levels_in(SettingsFile("wfc.toml", b"[severity]\nunused-event = 3\n"))
    (found,) = levels.diagnostics
    assert (found.code, found.severity, found.start.line) == ("unknown-severity", Severity.ERROR, 2)
