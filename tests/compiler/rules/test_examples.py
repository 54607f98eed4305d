"""Each problem has an explanation, an example that shows just this problem, and the example's whole report."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfc.compiler.cli.policy.holding import policy_in
from wfc.compiler.diagnostics import Finding
from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import check_text
from wfc.compiler.resolve import Refused
from wfc.compiler.rules import PROBLEMS, WARNINGS
from wfc.compiler.rules.catalogue import load
from wfc.compiler.rules.examples import Example, examples
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project
from wfc.compiler.workspace.severity import Levels, levels_in
from wfc.schemas.settings import SettingsFile

load()

REPORTS = Path(__file__).parent / "reports"
EXAMPLES = examples()


def test_every_problem_has_an_example_and_every_example_its_problem() -> None:
    assert sorted(EXAMPLES) == sorted(PROBLEMS)


def checked(path: Path, name: str) -> list[Compiled | Levels]:
    """An example checked: a spec, a folder of specs that are looked at together, or settings."""
    if path.suffix == ".toml":
        return [levels_in(SettingsFile(f"{name}.toml", path.read_bytes()))]
    if path.suffix == ".policy":
        return [policy_in(path.read_bytes(), f"{name}.policy")[1]]
    if path.is_dir():
        folder = Folder(path, name)
        project = Project(folder)
        specs = [check_text(raw, shown, project) for shown, raw in folder.given()]
        return imported(specs, project, path, name) if list(path.glob("*.py")) else specs
    return [check_text(Example(name, path).read(), f"{name}.yaml", Project(Folder(path.parent, "")))]


@functools.cache
def checked_once(code: str) -> list[Compiled | Levels]:
    """An example as it is, checked."""
    return checked(EXAMPLES[code].path, code)


def imported(specs: list[Compiled], project: Project, path: Path, name: str) -> list[Compiled]:
    """The same with what imports of the example's own modules tell, as `wfc check --import-tools` does."""
    from wfc.compiler.cli.import_tools import with_imports

    with tempfile.TemporaryDirectory() as base:
        os.symlink(path, Path(base) / name)
        return with_imports(specs, project, base=base)


class Folder:
    """The files of an example, which findings show as if its folder had the example's name."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name

    def read(self, path: str) -> bytes | Refused:
        if path.startswith(".."):
            return Refused("outside", "")
        file = self.path / path.removeprefix(f"{self.name}/")
        return file.read_bytes() if file.is_file() else Refused("missing", "no such file or directory")

    def given(self) -> Iterator[tuple[str, bytes]]:
        for file in sorted(self.path.glob("*.yaml")) if self.name else ():
            yield f"{self.name}/{file.name}", file.read_bytes()

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        return self.given()


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_shows_its_problem_and_no_other(code: str, golden) -> None:
    specs = checked_once(code)
    findings = list(dict.fromkeys(diagnostic for spec in specs for diagnostic in spec.diagnostics))
    codes = {diagnostic.code for diagnostic in findings}
    if code == "too-many-findings":  # it cannot come alone
        codes.remove("duplicate-key")
    assert codes == {code}
    golden(REPORTS / f"{code}.txt", render(findings, {spec.path: spec.text for spec in specs}))


def test_every_report_belongs_to_an_example() -> None:
    assert {path.stem for path in REPORTS.iterdir()} == set(EXAMPLES)


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_mended_example_has_no_findings(code: str) -> None:
    example = EXAMPLES[code]

    def check(raw: bytes) -> Compiled:
        return check_text(raw, f"{code}.yaml")

    by_hand = example.mended_path
    assert by_hand or example.path.suffix not in (".toml", ".policy")
    specs = checked(by_hand, code) if by_hand else [check(example.mend(check))]
    findings = [diagnostic for spec in specs for diagnostic in spec.diagnostics]
    assert not findings, render(findings, {spec.path: spec.text for spec in specs})


@pytest.mark.parametrize("code", [code for code in EXAMPLES if not EXAMPLES[code].path.is_dir()])
def test_a_fix_removes_its_finding_and_brings_no_other(code: str) -> None:
    (spec,) = checked_once(code)
    for finding in spec.diagnostics:
        if finding.fix is None or finding.fix.applicability == "display":
            continue
        text, done = apply_fixes(spec.text, [finding], {finding.fix.applicability})
        assert done == [finding]
        left = [each.code for each in checked_text(EXAMPLES[code].path, text).diagnostics]
        assert sorted([*left, code]) == sorted(
            [*(each.code for each in spec.diagnostics), *CONSEQUENCES.get(code, ())]
        )


def checked_text(path: Path, text: str) -> Compiled | Levels:
    if path.suffix == ".toml":
        return levels_in(SettingsFile(path.name, text.encode()))
    return check_text(text.encode(), path.name)


CONSEQUENCES = {"unreachable-end": ["unused-event"]}
"""What a fix is allowed to leave behind: for another fix, or because nothing can be done about it yet."""


def test_a_mended_form_belongs_to_an_example() -> None:
    folder = EXAMPLES["unknown-event"].path.parent
    names = {path.stem.removesuffix("-mended") for path in folder.glob("*-mended*")}
    assert not names - set(EXAMPLES)


@pytest.mark.parametrize("code", PROBLEMS)
def test_a_problem_is_explained(code: str) -> None:
    explanation = inspect.getdoc(PROBLEMS[code]) or ""
    first, _, rest = explanation.partition("\n\n")
    assert first.endswith("."), "the first line says what is wrong, in a sentence"
    assert rest, "and then why it matters and how to mend it"


@pytest.mark.parametrize("code", PROBLEMS)
def test_a_problem_gives_the_code_of_its_name(code: str) -> None:
    function = PROBLEMS[code]
    tree = ast.parse(inspect.getsource(function))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert code in texts, "the finding's code is the function's name"
    assert inspect.signature(function).return_annotation in {Finding, "Finding"}


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_problem_is_entered_as_what_it_is(code: str) -> None:
    """`@warning` for those whose findings are warnings, `@problem` for errors."""
    report = (REPORTS / f"{code}.txt").read_text(encoding="utf-8")
    assert (": warning: " in report) == (code in WARNINGS)


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_message_is_one_plain_sentence(code: str) -> None:
    for line in (REPORTS / f"{code}.txt").read_text(encoding="utf-8").splitlines():
        place, _, message = (
            line.partition(": error: ") if ": error: " in line else line.partition(": warning: ")
        )
        if not message or " | " in place:
            continue
        text = message.removesuffix(f" [{code}]")
        assert not text.endswith("."), text
        assert text[0] == text[0].lower() or not text[0].isalpha(), text
