"""What ``wfc diff --store`` says of runs that really wait: parts of other runs too, and which of them fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from paused_cases import ASKING

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/changes.schema.json").read_text(encoding="utf-8"))
RENAMED = ASKING.replace("approve:", "agree:")
CALLING = """\
wfc: 1
workflow: order
start: Ordered
end: Settled
events: {Ordered: {amount: integer}, Settled: {said: string}}
steps:
  settle:
    kind: workflow
    accepts: Ordered
    workflow: refund
    with: {amount: "${{ event.amount }}"}
    emit: {event: Settled, with: {said: "${{ result.said }}"}}
"""


@pytest.fixture
def kept(store_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a store in which runs are kept, of each kind."""
    monkeypatch.setenv("WFC_STORE", store_address)
    (tmp_path / "shop.py").write_text("def pay(amount):\n    return f'paid {amount}'\n")
    return store_address


def sides(folder: Path, old: str, new: str) -> tuple[str, str]:
    """Write two versions of the workflow, in two folders in which the same other one calls it."""
    for name, text in (("old", old), ("new", new)):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "refund.yaml").write_text(text)
        (folder / name / "order.yaml").write_text(CALLING)
        (folder / name / "shop.py").write_text((folder / "shop.py").read_text())
    return "old", "new"


def report(wfc: Any, *sides: str, store: str, status: int, more: tuple[str, ...] = ()) -> dict[str, Any]:
    done = wfc("diff", *sides, "--store", store, "--format", "json", *more)
    assert done.status == status, done.err
    told: dict[str, Any] = json.loads(done.out)
    jsonschema.validate(told, SCHEMA)
    return told


def of_refund(told: dict[str, Any]) -> dict[str, Any]:
    (found,) = (each for each in told["paused_runs"]["workflows"] if each["workflow"] == "refund")
    return dict(found)


def begin(folder: Path, spec: str, name: str) -> None:
    """Begin a run that rests, in a process of its own: one process has one workflow of a name that others call."""
    program = [sys.executable, "-c", "import sys; from wfc.compiler.cli import main; sys.exit(main())"]
    done = subprocess.run(
        [*program, "run", spec, "-i", "amount=5", "--run-id", name],
        cwd=folder,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 3, done.stderr.decode()


def test_runs_that_are_parts_of_others_are_judged_and_counted(wfc: Any, kept: str, tmp_path: Path) -> None:
    old, new = sides(tmp_path, ASKING, RENAMED)
    begin(tmp_path, "old/order.yaml", "whole")
    begin(tmp_path, "old/refund.yaml", "alone")
    found = of_refund(report(wfc, old, new, store=kept, status=1))
    assert (found["runs"], found["parts"], found["refused"]) == (2, 1, 2)
    alone, part = found["each"]
    assert (alone["run"], "part_of" in alone) == ("alone", False)
    assert part["part_of"] == "whole"
    assert part["run"].startswith("whole/")
    assert [[one["rule"] for one in each["verdicts"]] for each in found["each"]] == [["step-removed"]] * 2
    told = wfc("diff", old, new, "--store", kept, "--for", "runs").out
    assert "  of 2 of `refund` waiting here (parts of other runs: 1) 2 are refused\n" in told
    sides(tmp_path, ASKING, ASKING.replace("Pay $", "Really pay $"))
    found = of_refund(report(wfc, old, new, store=kept, status=0))
    assert (found["runs"], found["parts"], found["goes_on"]) == (2, 1, 2)


def test_a_run_that_is_refused_fails_unless_the_reason_is_approved(
    wfc: Any, kept: str, tmp_path: Path
) -> None:
    old, new = sides(tmp_path, ASKING, RENAMED)
    begin(tmp_path, "old/refund.yaml", "one")
    told = report(wfc, old, new, store=kept, status=1)
    assert [run["fails"] for run in of_refund(told)["each"]] == [True]
    for change in told["changes"]:
        if change["fails"]:
            assert (
                wfc("diff", old, new, "--approve", change["fingerprint"], "--because", "nobody waits").status
                == 0
            )
    told = report(wfc, old, new, store=kept, status=0)
    assert [run["fails"] for run in of_refund(told)["each"]] == [False]


@pytest.mark.parametrize(
    ("more", "status"),
    [((), 1), (("--fail-on", "break"), 1), (("--fail-on", "nothing"), 0), (("--for", "callers"), 0)],
)
def test_a_run_that_only_an_old_name_lets_go_on_is_refused_without_it(
    wfc: Any, kept: str, tmp_path: Path, more: tuple[str, ...], status: int
) -> None:
    """Nothing changes in meaning, and no plan tells of it: only in the store is a run that has the old name still."""
    old, new = sides(tmp_path, ASKING, RENAMED)
    begin(tmp_path, "old/refund.yaml", "one")
    sides(tmp_path, RENAMED + "moved: {approve: agree}\n", RENAMED)
    told = report(wfc, old, new, store=kept, status=status, more=more)
    assert told["changes"] == []
    (run,) = of_refund(told)["each"]
    assert (run["means"], run["refused_before"], run["fails"]) == ("refused", False, status == 1)
    done = wfc("diff", old, new, "--store", kept, *more)
    assert ("no change in meaning; 1 run is refused" in done.err) == (status == 1)
    comment = wfc("diff", old, new, "--store", kept, "--format", "markdown", *more).out
    assert ("**To be decided:** what becomes of 1 run that cannot go on\n" in comment) == (status == 1)


def test_a_run_that_could_not_go_on_before_is_not_the_doing_of_the_change(
    wfc: Any, kept: str, tmp_path: Path
) -> None:
    old, new = sides(tmp_path, ASKING, RENAMED)
    begin(tmp_path, "old/refund.yaml", "one")
    sides(tmp_path, RENAMED, f"# A word.\n{RENAMED}")
    found = of_refund(report(wfc, old, new, store=kept, status=0))
    assert [(run["means"], run["refused_before"]) for run in found["each"]] == [("refused", True)]
    told = wfc("diff", old, new, "--store", kept)
    assert "one is refused, as it was before: the step `approve` is gone" in told.out
    assert "no change in meaning\n" in told.err


def approve_all(wfc: Any, old: str, new: str, told: dict[str, Any], workflow: str) -> None:
    for change in told["changes"]:
        if change["fails"] and change["workflow"] == workflow:
            done = wfc("diff", old, new, "--approve", change["fingerprint"], "--because", "nobody waits")
            assert done.status == 0, done.err


def calling(folder: Path, side: str, *edits: tuple[str, str]) -> None:
    """Write a version of the workflow that calls the other one."""
    text = CALLING
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    (folder / side / "order.yaml").write_text(text)


REWORDED = ('said: "${{ result.said }}"', 'said: "So: ${{ result.said }}"')


def test_what_refuses_a_part_is_approved_with_the_changes_of_its_own_workflow(
    wfc: Any, kept: str, tmp_path: Path
) -> None:
    old, new = sides(tmp_path, ASKING, RENAMED)
    calling(tmp_path, new, REWORDED)
    begin(tmp_path, "old/order.yaml", "whole")
    told = report(wfc, old, new, store=kept, status=1)
    workflows = {each["workflow"]: each for each in told["paused_runs"]["workflows"]}
    (whole,), (part,) = workflows["order"]["each"], workflows["refund"]["each"]
    assert (whole["fails"], part["fails"]) == (True, True)
    assert [(one["run"], one["workflow"]) for one in whole["verdicts"]] == [(part["run"], "refund")]
    assert (
        "; 1 run is refused" in wfc("diff", old, new, "--store", kept).err
    )  # the part, and with it the whole
    approve_all(wfc, old, new, told, "refund")
    assert wfc("diff", old, new).status == 0
    told = report(wfc, old, new, store=kept, status=0)
    assert not [run for each in told["paused_runs"]["workflows"] for run in each["each"] if run["fails"]]
    done = wfc("diff", old, new, "--store", kept)
    assert (done.status, "refused" in done.err) == (0, False)


def test_what_refuses_a_run_itself_is_not_approved_with_the_changes_of_its_parts(
    wfc: Any, kept: str, tmp_path: Path
) -> None:
    """Both lose a step: to approve of the one is not to approve of the other."""
    old, new = sides(tmp_path, ASKING, RENAMED)
    calling(tmp_path, new, ("settle:", "arrange:"))
    begin(tmp_path, "old/order.yaml", "whole")
    told = report(wfc, old, new, store=kept, status=1)
    assert "; 2 runs are refused" in wfc("diff", old, new, "--store", kept).err
    approve_all(wfc, old, new, told, "refund")
    told = report(wfc, old, new, store=kept, status=1)
    fails = {run["run"]: run["fails"] for each in told["paused_runs"]["workflows"] for run in each["each"]}
    assert [fails.pop("whole"), *fails.values()] == [True, False]
    assert "; 1 run is refused" in wfc("diff", old, new, "--store", kept).err
    approve_all(wfc, old, new, told, "order")
    report(wfc, old, new, store=kept, status=0)
