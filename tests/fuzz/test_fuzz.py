"""A slice of the fuzz target, and what it has found before; `fuzz.py` runs more."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wfc.compiler import passes
from wfc.compiler.diagnostics import Diagnostic, Report
from wfc.compiler.passes import check_text, compile_text
from wfc.compiler.recovery import Analysis, explaining
from wfc.compiler.recovery.explaining import until_new_error
from wfc.compiler.workspace.project import NoFiles, Project

REPORT = """
wfc: 1
workflow: report
start: Asked
end: Reported
events: {Asked: {topic: string}, Reported: {text: string}}
steps:
  research:
    {kind: workflow, accepts: Asked, workflow: research, emit: {event: Reported, with: {text: "${{ result.text }}"}}}
"""
RESEARCH = """
wfc: 1
workflow: research
start: Asked
end: Found
events: {Asked: {topic: string}, Found: {text: string}}
steps:
  look: {kind: transform, accepts: Asked, emit: {event: Found, with: {text: all}}}
"""


@pytest.mark.parametrize("part", [0, *(pytest.param(each, marks=pytest.mark.full) for each in (1, 2, 3))])
def test_spoilt_specs_are_reported_in_time_and_within_memory(fuzzing: ModuleType, part: int) -> None:
    larder = fuzzing.Larder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the Python that is parsed
        for number in range(part * 500, part * 500 + 500):
            outcome = fuzzing.tried(larder.spoilt(0, number))
            assert not outcome.trouble, f"fuzz.py --seed 0 --show {number}\n{outcome.trouble}"


@pytest.mark.parametrize("numbers", [range(100), pytest.param(range(100, 2_000), marks=pytest.mark.full)])
def test_to_end_a_try_at_its_first_new_error_changes_no_finding(
    fuzzing: ModuleType, monkeypatch: pytest.MonkeyPatch, numbers: range
) -> None:
    larder = fuzzing.Larder()
    ended = [0, 0]

    def found_in(given: Any) -> tuple[Diagnostic, ...]:
        project = Project(given if len(given.files) > 1 else NoFiles())
        return check_text(given.files[given.path], given.path, project).diagnostics

    def never(report: Report, before: Analysis) -> Report:
        ended[1] += 1
        return report

    def counted(report: Report, before: Analysis) -> Report:
        ended[0] += 1
        return until_new_error(report, before)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        for number in numbers:
            given = larder.spoilt(0, number)
            monkeypatch.setattr(explaining, "until_new_error", counted)
            soon = found_in(given)
            monkeypatch.setattr(explaining, "until_new_error", never)
            assert soon == found_in(given), number
    assert ended[0] == ended[1] > len(numbers)


def test_an_input_is_the_same_each_time(fuzzing: ModuleType) -> None:
    one, other = fuzzing.Larder(), fuzzing.Larder()
    for number in range(100):
        assert one.spoilt(7, number) == other.spoilt(7, number)


@pytest.mark.full
def test_processes_try_each_number_once_and_tell_of_all(tmp_path: Path) -> None:
    options = "--seed", "0", "--first", "3", "--inputs", "41", "--processes", "2"
    # in a process of its own, which has no threads that a fork would cut off
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("fuzz.py")), *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "41 inputs of seed 0 from 3 on: 0 troubles\n" in done.stdout
    assert not list(tmp_path.iterdir())


# --- found before


def test_a_call_by_a_text_alone_cannot_be_compiled_and_is_not_missed_by_a_check() -> None:
    assert check_text(REPORT.encode(), "report.yaml").diagnostics == ()
    made = compile_text(REPORT.encode(), "report.yaml")
    assert [each.code for each in made.diagnostics] == ["unknown-workflow"]


def test_a_text_alone_may_start_itself() -> None:
    own = REPORT.replace("workflow: research,", "workflow: report, detach: true, with: {topic: x},")
    own = own.replace("result.text", "result")
    made = compile_text(own.encode(), "report.yaml")
    assert made.diagnostics == ()
    assert made.python


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("end: Found", "end: Fund", "unknown-event"),
        ("Found: {text: string}", "Found: {text: strin}", "unknown-type"),
        ("Asked: {topic: string}", "Asked: {topic: strin}", "unknown-type"),
    ],
)
def test_who_calls_a_workflow_with_mistakes_is_told_of_them(
    fuzzing: ModuleType, right: str, wrong: str, code: str
) -> None:
    files = {
        "report.yaml": REPORT.replace("research, ", "research, with: {topic: x}, ").encode(),
        "research.yaml": RESEARCH.encode(),
    }
    spoilt = fuzzing.Spoilt("report.yaml", files)
    assert compile_text(files["report.yaml"], "report.yaml", project=Project(spoilt)).python
    files["research.yaml"] = RESEARCH.replace(right, wrong).encode()
    made = compile_text(files["report.yaml"], "report.yaml", project=Project(spoilt))
    assert [(each.path, each.code) for each in made.diagnostics] == [("research.yaml", code)]
    assert not made.python


@pytest.mark.parametrize(
    ("right", "wrong", "codes"),
    [
        (
            "emit: {event: Found, with: {text: all}}",
            '[{"event:": Asked}]',
            {"unknown-key", "start-event-emitted"},
        ),
        ("end: Found", "ends: [Found, Found]", {"unknown-key", "accepted-twice"}),
    ],
)
def test_a_suspicion_passes_over_an_address_whose_key_is_misspelt(
    right: str, wrong: str, codes: set[str]
) -> None:
    """What is read under another key than the one that is written stands nowhere in the data."""
    lost = "events: {Lost: {}, "
    text = RESEARCH.replace(right, wrong if right.startswith("end") else f"emit: {wrong}").replace(
        "events: {", lost
    )
    text += "  more: {kind: transform, accepts: Found, emit: Lost}\n"
    assert codes <= {each.code for each in check_text(text.encode(), "research.yaml").diagnostics}


def test_where_the_proof_gives_up_few_suspicions_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them gives up late as well; with forty, such a spec took more than a second."""
    names = [f"Found{number:02}" for number in range(14)]
    events = "".join(f", {name}: {{}}" for name in names)
    steps = "".join(
        f"  find{name[5:]}: {{kind: transform, accepts: Asked, "
        f"emit: [{{event: {name}, when: inputs.n > 1}}, nothing]}}\n"
        for name in names
    )
    spec = (
        "wfc: 1\nworkflow: wide\nstart: Asked\nend: Done\n"
        f"events: {{Asked: {{n: integer}}, Done: {{}}, Lost: {{}}{events}}}\n"
        f"steps:\n{steps}  last: {{kind: transform, accepts: {{all: [{', '.join(names)}]}}, emit: Done}}\n"
        "  more: {kind: transform, accepts: Lost, emit: Done}\nHit: string\n"
    )
    tried = []
    whole = passes.analyse_spec
    monkeypatch.setattr(passes, "analyse_spec", lambda *arguments: tried.append(1) or whole(*arguments))
    found = {each.code for each in check_text(spec.encode(), "wide.yaml").diagnostics}
    assert "flow-too-complex" in found
    assert 2 < len(tried) <= 12
