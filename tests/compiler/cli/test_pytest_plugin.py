"""The plugin of pytest: tests of specs are tests like others, and nobody else's pytest pays for them."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import wfc.compiler.cli.test
import wfc.runtime.testing.cases
from wfc.compiler.cli.spec_tests import spec_test

__all__ = ["spec_test", "wfc"]  # loaded once: each pytest within this one forgets what it has loaded itself

pytest_plugins = ["pytester"]

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text(encoding="utf-8")
CASE = GREET[GREET.index("  - name: says hello") :]
PLUGIN = ("-p", "no:wfc", "-p", "wfc.compiler.cli.pytest_plugin")
"""Loaded by its module: installations made before it was there have no entry for it."""


@pytest.fixture
def specs(pytester: pytest.Pytester) -> Path:
    """A folder with one good spec."""
    folder = pytester.mkdir("specs")
    (folder / "greet.yaml").write_text(GREET, encoding="utf-8")
    return folder


def ran(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:xdist", "-p", "no:asyncio", *args)


def test_each_test_is_shown_by_its_name(pytester: pytest.Pytester, specs: Path) -> None:
    done = ran(pytester, "specs", "-v")
    done.stdout.fnmatch_lines(["specs/greet.yaml::says hello PASSED*", "*1 passed*"])


def test_a_failure_is_worded_as_by_wfc_test_with_its_place(pytester: pytest.Pytester, specs: Path) -> None:
    (specs / "greet.yaml").write_text(GREET.replace("Hello Ada", "Hello Bob"), encoding="utf-8")
    done = ran(pytester, "specs")
    line = GREET[: GREET.index("  - name: says hello")].count("\n") + 1
    done.stdout.fnmatch_lines(
        [f"specs/greet.yaml:{line}: says hello", '        `with.text` is "Hello Ada", not "Hello Bob"']
    )
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "Traceback" not in done.stdout.str()
    assert "pytest_plugin.py" not in done.stdout.str()


@pytest.mark.full
def test_words_choose_and_the_first_failure_can_end_it(pytester: pytest.Pytester, specs: Path) -> None:
    wrong = CASE.replace("says hello", "says it wrongly").replace("Hello Ada", "Hello Bob")
    (specs / "greet.yaml").write_text(
        GREET + wrong + wrong.replace("wrongly", "wrongly again"), encoding="utf-8"
    )
    ran(pytester, "specs", "-k", "hello").assert_outcomes(passed=1, deselected=2)
    ran(pytester, "specs", "-x").assert_outcomes(passed=1, failed=1)
    ran(pytester, "specs").assert_outcomes(passed=1, failed=2)
    ran(pytester, "specs/greet.yaml::says hello").assert_outcomes(passed=1)


def test_a_wrong_spec_is_an_error_of_collecting_with_its_findings(
    pytester: pytest.Pytester, specs: Path
) -> None:
    (specs / "worse.yaml").write_text(GREET.replace("accepts: Asked", "accepts: Aksed"), encoding="utf-8")
    done = ran(pytester, "specs")
    done.stdout.fnmatch_lines(
        [
            "specs/worse.yaml:13:14: error: there is no event `Aksed` [[]unknown-event[]]",
            "*did you mean `Asked`?",
        ]
    )
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in done.stdout.str()


@pytest.mark.full
def test_code_beside_a_spec_that_cannot_be_imported_is_told(pytester: pytest.Pytester, specs: Path) -> None:
    (specs / "shop.py").write_text("raise RuntimeError('the shop is closed')\n", encoding="utf-8")
    tools = 'tools:\n  look: {python: "shop:look", output: string}\nsteps:'
    step = "  look: {kind: tool, accepts: Asked, tool: look, emit: {event: Greeted, with: {text: '${{ result }}'}}}\n"
    head = GREET[: GREET.index("steps:")]
    case = "tests:\n  - {name: looks, start: {name: Ada}, real: [look], expect: {end: Greeted}}\n"
    (specs / "greet.yaml").write_text(f"{head}{tools}\n{step}{case}", encoding="utf-8")
    done = ran(pytester, "specs")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert "the shop is closed" in done.stdout.str()


@pytest.mark.parametrize(
    "text",
    [
        "tests: [what, another, tool, reads]\n",
        "wfc: 1\n" + GREET.partition("wfc: 1\n")[2].partition("tests:")[0],
        "\x00\x01 no text",
    ],
)
def test_what_is_no_spec_with_tests_is_left_alone(pytester: pytest.Pytester, specs: Path, text: str) -> None:
    (specs / "greet.yaml").write_text(text, encoding="utf-8")
    assert ran(pytester, "specs").ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.full
def test_names_and_reasons_do_not_steer_the_terminal(pytester: pytest.Pytester, specs: Path) -> None:
    text = GREET.replace("name: says hello", r'name: "says \e[2J hello"').replace("Hello Ada", r'"\e[2J"')
    (specs / "greet.yaml").write_text(text, encoding="utf-8")
    done = ran(pytester, "specs", "-v")
    done.assert_outcomes(failed=1)
    assert "\x1b[2J" not in done.stdout.str() + done.stderr.str()


def test_it_imports_nothing_before_it_meets_a_spec() -> None:
    program = (
        "import pytest, sys\n"
        "before = set(sys.modules)\n"
        "import wfc.compiler.cli.pytest_plugin\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("wfc")}
    assert ours <= {"wfc", "wfc.compiler", "wfc.compiler.cli", "wfc.compiler.cli.pytest_plugin"}
    assert not {"yaml", "click", "pydantic"} & set(done.stdout.split())


@pytest.mark.full
def test_it_is_found_by_itself_and_shares_its_tests_among_processes(
    pytester: pytest.Pytester, specs: Path
) -> None:
    if not [each for each in entry_points(group="pytest11") if each.name == "wfc"]:
        pytest.skip("this environment was made before the plugin was there")
    (specs / "greet.yaml").write_text(GREET + CASE.replace("says hello", "says it again"), encoding="utf-8")
    done = pytester.runpytest_subprocess("specs", "-n", "2")
    done.assert_outcomes(passed=2)
