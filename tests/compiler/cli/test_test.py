"""``wfc test``: a line for each test, why one failed, and the exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()


def test_tests_that_pass_are_listed(wfc, greet: Path) -> None:
    done = wfc("test", "greet.yaml")
    assert (done.status, done.out, done.err) == (0, "passed  greet.yaml: says hello\n", "1 passed\n")


def test_a_test_that_fails_says_why(wfc, greet: Path) -> None:
    greet.write_text(GREET.replace("Hello Ada", "Hello Bob"))
    done = wfc("test", "greet.yaml")
    assert done.status == 1
    first, *reasons = done.out.splitlines()
    assert first == "FAILED  greet.yaml: says hello"
    assert any("Hello Ada" in reason and "Hello Bob" in reason for reason in reasons)
    assert done.err == "0 passed, 1 failed\n"


def test_a_spec_with_an_error_fails_and_the_others_are_tested(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "worse.yaml").write_text(GREET.replace("accepts: Asked", "accepts: Aksed"))
    done = wfc("test", ".")
    assert done.status == 1
    assert done.out == "passed  greet.yaml: says hello\n"
    assert "worse.yaml:13:14: error:" in done.err
    assert done.err.endswith("1 passed\n")


def test_specs_without_tests_are_said_to_have_none(wfc, greet: Path) -> None:
    greet.write_text(GREET.partition("tests:")[0])
    done = wfc("test", "greet.yaml")
    assert (done.status, done.out, done.err) == (0, "", "no spec has a test\n")


def test_one_test_can_be_run_by_its_name(wfc, greet: Path) -> None:
    told, tests, _ = GREET.partition("tests:\n")
    case = GREET.removeprefix(told + tests)
    greet.write_text(GREET + case.replace("says hello", "says it twice"))
    done = wfc("test", "greet.yaml", "-k", "TWICE")
    assert (done.status, done.out, done.err) == (0, "passed  greet.yaml: says it twice\n", "1 passed\n")
    done = wfc("test", "greet.yaml", "--only", "thrice")
    assert (done.status, done.out, done.err) == (1, "", "no test has `thrice` in its name\n")


def test_specs_with_errors_only_run_no_test(wfc, greet: Path) -> None:
    greet.write_text(GREET.replace("accepts: Asked", "accepts: Aksed"))
    done = wfc("test", "greet.yaml")
    assert done.status == 1
    assert done.err.endswith("no test was run\n")


def test_two_specs_of_one_name_cannot_be_looked_at_together(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/greet.yaml").write_text(GREET.replace("Hello", "Good day"))
    done = wfc("test", ".")
    assert done.status == 1
    assert "another spec is called `greet` too" in done.err
    assert wfc("test", "greet.yaml").status == wfc("test", "deep").status == 0


def test_names_and_reasons_do_not_steer_the_terminal(wfc, greet: Path) -> None:
    greet.write_text(
        GREET.replace("name: says hello", r'name: "says \e[2J hello"').replace("Hello Ada", r"\e[2J")
    )
    done = wfc("test", "greet.yaml")
    assert done.status == 1
    assert "\x1b" not in done.out + done.err


NEVER_ENDS = """\
wfc: 1
workflow: never_ends
start: Begun
end: Done
deadline: 1 min
key: inputs.id
receives: {Ping: {key: id}}
events:
  Begun: {id: string, round: {type: integer, default: 0}}
  Ping: {id: string}
  Done: {}
steps:
  look:
    kind: transform
    accepts: Begun
    emit:
      - event: Done
        when: event.round == 50
      - restart: {with: {round: "${{ event.round + 1 }}"}}
        when: event.id == "restart"
      - event: Ping
        with: {id: "${{ event.id }}"}
  tell:
    kind: send
    accepts: Ping
    event: Ping
    with: {id: "${{ event.id }}"}
    to: never_ends
    to_key: inputs.id
    emit: nothing
tests:
  - {name: restarts fifty times, start: {id: restart}, expect: {end: Done}}
  - {name: restarts for ever, start: {id: restart, round: 51}, expect: {end: Done}}
  - {name: tells itself for ever, start: {id: tell}, real: [tell], expect: {end: Done}}
"""


@pytest.mark.full  # thousands of turns
def test_a_run_that_goes_on_for_ever_is_a_failure_that_names_the_step(tmp_path: Path) -> None:
    (tmp_path / "never_ends.yaml").write_text(NEVER_ENDS)
    program = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "test", "never_ends.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (1, "1 passed, 2 failed\n")
    ended = "10,000 times while no time passed, the last time after step"
    assert done.stdout.splitlines() == [
        "passed  never_ends.yaml: restarts fifty times",
        "FAILED  never_ends.yaml: restarts for ever",
        f"        the run never ends: it has begun anew {ended} `look` ran",
        "FAILED  never_ends.yaml: tells itself for ever",
        f"        the run never ends: it has taken events from outside {ended} `tell` ran",
    ]
