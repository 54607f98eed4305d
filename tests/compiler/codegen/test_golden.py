"""What is generated, held by golden files, and clean for every tool that a good engineer runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.building.outputs import Build
from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import compile_text
from wfc.compiler.workspace.sources import find_specs

FOLDER = Path(__file__).parent / "golden"
SPECS = sorted(FOLDER.glob("*.yaml"))


def compiled(spec: Path) -> str:
    found = compile_text(spec.read_bytes(), spec.name, source=spec.name)
    errors = [
        f"{each.start.line}: {each.message}" for each in found.diagnostics if each.severity is Severity.ERROR
    ]
    assert not errors, errors
    return found.python


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_generated_code_is_golden(spec: Path, golden: Callable[[Path, str], None]) -> None:
    golden(spec.with_suffix(".py"), compiled(spec))


IMPORTING = FOLDER / "importing/order.yaml"


def test_a_spec_and_what_it_imports_are_golden(golden: Callable[[Path, str], None]) -> None:
    (source,) = find_specs([str(IMPORTING)], print)
    made = Build([source], str(IMPORTING.parent), None).compiled(source)
    assert not made.findings.diagnostics
    assert [output.name for output in made.outputs] == ["stock_shared.py", "order_workflow.py"]
    for output in made.outputs:
        assert output.text is not None
        golden(Path(output.path), output.text)


def test_the_golden_modules_of_several_files_run() -> None:
    assert main(["test", str(IMPORTING)]) == 0
    module = str(IMPORTING.with_name("order_workflow.py"))
    assert main(["run", module, "-i", "name=atlas", "-i", "count=3"]) == 0


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def generated(folder: Path) -> list[str]:
    """Every golden spec and every real one, with what they import, compiled afresh."""
    for spec in SPECS:
        (folder / f"{spec.stem}_workflow.py").write_text(compiled(spec), encoding="utf-8")
    compile_all(folder, "specs", str(IMPORTING))
    return [str(path) for path in sorted(folder.glob("*.py"))]


def compile_all(folder: Path, *places: str) -> None:
    """Compile all specs of some places into one folder."""
    real = find_specs([str(FOLDER.parents[3] / place) for place in places], print)
    build = Build(real, str(folder), None)
    for source in real:
        made = build.compiled(source)
        assert made.outputs or not made.findings.diagnostics, made.findings.diagnostics
        for output in made.outputs:
            assert output.text is not None
            Path(output.path).write_text(output.text, encoding="utf-8")


def test_generated_code_passes_ruff(tmp_path: Path) -> None:
    files = generated(tmp_path)
    run("ruff", "check", "--isolated", "--extend-select", "I", *files)
    run("ruff", "format", "--isolated", "--check", "--diff", *files)


def test_generated_code_passes_strict_mypy(tmp_path: Path, passes_mypy: Callable[..., None]) -> None:
    passes_mypy(*generated(tmp_path))


@pytest.mark.full
def test_what_the_docs_show_passes_strict_mypy_once_compiled(
    tmp_path: Path, passes_mypy: Callable[..., None]
) -> None:
    compile_all(tmp_path, "docs/language")
    passes_mypy(*sorted(tmp_path.glob("*.py")))


@pytest.mark.full
@pytest.mark.parametrize(
    "spec",
    [FOLDER / "calls.yaml", FOLDER / "tails.yaml"],
    ids=["calls", "tails"],
)
def test_the_bytes_do_not_depend_on_the_hash_seed(spec: Path) -> None:
    program = (
        "import sys, pathlib; from wfc.compiler.passes import compile_text\n"
        "spec = pathlib.Path(sys.argv[1])\n"
        "sys.stdout.write(compile_text(spec.read_bytes(), spec.name, source=spec.name).python)\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program, str(spec)],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert texts == {compiled(spec).encode()}


def test_tools_elsewhere_are_found_from_the_module() -> None:
    spec = FOLDER / "calls.yaml"
    text = compile_text(spec.read_bytes(), spec.name, source="../calls.yaml", folder_of=lambda _: "..").python
    assert 'beside=Path(__file__).parent / "..",' in text
    assert "from pathlib import Path\n" in text
    assert "# Generated from ../calls.yaml." in text
    assert 'require_output_format(2, "calls.yaml")' in text
