"""The specs by which agents were designed: each checks, with what lies beside it, and passes its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.cli import main

SPECS = sorted((Path(__file__).parent / "agents").glob("s*.yaml"))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_it_has_no_findings_and_passes_its_tests(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["check", str(spec)]), capsys.readouterr().out) == (0, "")
    status, told = main(["test", str(spec)]), capsys.readouterr()
    assert status == 0, told.out + told.err
    assert "passed" in told.out


def test_a_drawing_names_the_agents_and_the_workflows_that_a_step_may_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["graph", str(SPECS[0].with_name("s06_teams.yaml"))]) == 0
    drawn = capsys.readouterr().out
    assert (
        "with research_team, writing_team, finder, reader, drafter, editor<br/>may run legal_check" in drawn
    )
