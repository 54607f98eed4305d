"""Each problem has an explanation, an example that shows just this problem, and the example's whole report."""

from __future__ import annotations

import ast
import inspect
import runpy
from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Finding
from wfc.compiler.pipeline import check_text
from wfc.compiler.problems import PROBLEMS
from wfc.compiler.problems.catalogue import load
from wfc.compiler.render import render

load()

HERE = Path(__file__).parent
EXAMPLES = {
    path.name.partition(".")[0]: path
    for path in sorted(HERE.iterdir())
    if path.name.endswith(".yaml.py") or path.suffix not in {".py", ".txt", ".pyc", ""}
}
REPORTS = {path.stem for path in HERE.glob("*.txt")}


def test_every_problem_has_an_example_and_every_example_its_problem() -> None:
    assert sorted(EXAMPLES) == sorted(PROBLEMS)


def test_every_report_belongs_to_an_example() -> None:
    assert not REPORTS - set(EXAMPLES)


def example(path: Path) -> bytes:
    """A spec; one that would be too large to keep is made by a program beside the others."""
    return runpy.run_path(str(path))["SPEC"] if path.suffix == ".py" else path.read_bytes()


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_shows_its_problem_and_no_other(code: str, golden) -> None:
    checked = check_text(example(EXAMPLES[code]), f"{code}.yaml")
    codes = {diagnostic.code for diagnostic in checked.diagnostics}
    if code == "too-many-findings":  # it cannot come alone
        codes.remove("duplicate-key")
    assert codes == {code}
    golden(HERE / f"{code}.txt", render(checked.diagnostics, {checked.path: checked.text}))


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


@pytest.mark.parametrize("code", sorted(REPORTS))
def test_a_message_is_one_plain_sentence(code: str) -> None:
    for line in (HERE / f"{code}.txt").read_text(encoding="utf-8").splitlines():
        place, _, message = (
            line.partition(": error: ") if ": error: " in line else line.partition(": warning: ")
        )
        if not message or " | " in place:
            continue
        text = message.removesuffix(f" [{code}]")
        assert not text.endswith("."), text
        assert text[0] == text[0].lower() or not text[0].isalpha(), text
