"""Rules of a policy about what a change means: ``each: change``."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

SPEC = (Path(__file__).parents[2] / "draw/refund.yaml").read_text(encoding="utf-8")
RULES = """\
policy: 1
values: {owners: [refund]}
rules:
  time-outs-stay-short:
    each: change
    where: change.rule == "timeout-raised" and change.workflow in values.owners
    require: change.approved
    say: "${{ change.about }}: ${{ change.before }} → ${{ change.after }}"
    because: A call that takes long holds up the till.
    hint: ask those who run the till
  nothing-unspoken:
    each: change
    require: change.rule != "other-change"
    because: What has no rule of its own wants a second look.
    severity: warning
"""


def git(folder: Path, *arguments: str) -> None:
    own = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, **own}, capture_output=True, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A branch on which a time-out has been raised."""
    git(tmp_path, "init", "-q")
    (tmp_path / "refund.yaml").write_text(SPEC)
    (tmp_path / "wfc-policy.yaml").write_text(RULES)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "switch", "-qc", "slower")
    (tmp_path / "refund.yaml").write_text(SPEC.replace("timeout: 20 s", "timeout: 30 s"))
    git(tmp_path, "commit", "-qam", "slower")
    return tmp_path


def test_a_rule_is_asked_of_each_change(wfc, repository: Path) -> None:
    done = wfc("policy", "check", "refund.yaml", "--against", "main", "--format", "concise")
    assert done.status == 1
    (line,) = [each for each in done.out.splitlines() if "time-outs-stay-short" in each]
    assert line.startswith("refund.yaml:")
    assert "error: steps.pay.timeout: 20 s → 30 s" in line
    place = int(line.split(":")[1])
    assert "timeout" in (repository / "refund.yaml").read_text().splitlines()[place - 1]
    (change,) = json.loads(wfc("diff", "main...HEAD", "refund.yaml", "--format", "json").out)["changes"]
    wfc(
        "diff",
        "main...HEAD",
        "refund.yaml",
        "--approve",
        change["fingerprint"],
        "--because",
        "the bank is slow",
    )
    assert wfc("policy", "check", "refund.yaml", "--against", "main").status == 0


def test_without_a_revision_that_is_said(wfc, repository: Path) -> None:
    done = wfc("policy", "check", "refund.yaml")
    assert done.status == 0
    assert "rules about changes are not asked: `--against` names no revision" in done.err
    assert wfc("policy", "check", "refund.yaml", "--against", "nowhere").status == 2


def test_a_pipeline_holds_them_too(wfc, repository: Path) -> None:
    done = wfc("ci", "refund.yaml", "--against", "main", "--json", "report.json")
    assert done.status == 1
    parts = {each["name"]: each for each in json.loads((repository / "report.json").read_text())["parts"]}
    assert (parts["policy"]["state"], parts["diff"]["state"]) == ("failed", "passed")
    assert "time-outs-stay-short" in done.out
    assert wfc("ci", "refund.yaml").status == 0


def block(text: str) -> str:
    return "".join(f"      {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("before", "expect", "passes"),
    [
        (SPEC.replace("timeout: 20 s", "timeout: 10 s"), "[time-outs-stay-short]", True),
        (SPEC.replace("timeout: 20 s", "timeout: 40 s"), "[time-outs-stay-short]", False),
        (SPEC.replace("timeout: 20 s", "timeout: 40 s"), "[]", True),
        (SPEC.replace("timeout: 20 s", "timeout: twenty"), "[]", False),
    ],
)
def test_a_test_of_a_policy_has_a_spec_before_and_after(
    wfc, tmp_path: Path, before: str, expect: str, passes: bool
) -> None:
    tests = f"tests:\n  - name: one\n    expect: {expect}\n    before: |\n{block(before)}    spec: |\n{block(SPEC)}"
    (tmp_path / "wfc-policy.yaml").write_text(RULES + tests)
    done = wfc("policy", "test")
    assert done.status == (0 if passes else 1)
    if "twenty" in before:
        assert "the spec has an error: " in done.out


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('require: workflow.name == "x"', "workflow"),
        ("require: change.rul is empty", "has no field `rul`"),
        ("only_after: other.read_only", "`only_after` is asked of steps"),
        ('require: change.level == "grave"', "grave"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_in_the_policy(wfc, tmp_path: Path, lines: str, told: str) -> None:
    (tmp_path / "wfc-policy.yaml").write_text(
        f"policy: 1\nrules:\n  own:\n    each: change\n    {lines}\n    because: so\n"
    )
    (tmp_path / "refund.yaml").write_text(SPEC)
    done = wfc("policy", "check", "refund.yaml")
    assert done.status == 1
    assert told in done.out


def test_the_policy_of_the_page_passes_its_test(wfc, tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "docs/policy.md").read_text(encoding="utf-8")
    section = page.partition("## What a change may do")[2]
    (tmp_path / "wfc-policy.yaml").write_text(section.partition("```yaml\n")[2].partition("```")[0])
    done = wfc("policy", "test")
    assert done.out.startswith("passed  what newly pays needs approvals")
    assert done.status == 0
