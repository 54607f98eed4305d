"""What a change means for paused runs: told by ``wfc diff`` of the specs alone, and true of runs that really wait."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from wfc.compiler.cli.reviewing.comparison import compare_sides
from wfc.compiler.cli.reviewing.plans import may_touch_runs, planned
from wfc.compiler.cli.reviewing.sides import DiskSide
from wfc.compiler.review.comparing import all_rules

sys.path.insert(0, str(Path(__file__).parent))
from paused_cases import ASKING, CASES, JOINING, Case, changed

ROOT = Path(__file__).parents[3]
PROGRAM = "from wfc.compiler.cli import main; main()"
STORE = "sqlite:///runs.db?synchronous=normal"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WFC_STORE", STORE)
    (tmp_path / "shop.py").write_text("def pay(amount):\n    return f'paid {amount}'\n")
    return tmp_path


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def ended(wfc: Any, answer: str) -> str:
    """Answers the only open question; returns what the run says in the end."""
    (task,) = lines(wfc("tasks", "list", "--format", "json").out)
    done = wfc("tasks", "answer", task["task"], answer)
    assert done.status == 0, done.err
    return str(json.loads(done.out)["with"]["said"])


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name.replace(" ", "-"), marks=[] if at % 4 == 0 else [pytest.mark.full])
        for at, (name, case) in enumerate(CASES.items())
    ],
)
def test_what_is_told_of_a_change_is_true_of_a_run_that_waits(wfc: Any, here: Path, case: Case) -> None:
    spec, new = here / "refund.yaml", here / "new.yaml"
    spec.write_text(case.spec)
    new.write_text(changed(case))
    assert wfc("run", str(spec), "-i", "amount=5", "--run-id", "one").status == 3
    told = json.loads(wfc("diff", "refund.yaml", "new.yaml", "--store", STORE, "--format", "json").out)
    assert told["broken"] == []
    of_runs = {each["rule"]: each["level"] for each in told["changes"] if each["audience"] == "runs"}
    assert set(of_runs) - case.also == set(case.rules) - case.within, "of the plans alone"
    assert {rule for rule, level in of_runs.items() if level == "break"} == {
        rule for rule, means in case.rules.items() if means == "refused"
    }
    (here_,) = told["paused_runs"]["workflows"]
    assert {one["rule"] for one in here_["each"][0]["verdicts"]} == set(case.rules), "of the run in the store"
    (upgraded,) = lines(wfc("runs", "upgrade", "one", "--with", "new.yaml", "--format", "json").out)
    assert {one["rule"]: one["means"] for one in upgraded["verdicts"]} == case.rules, "of the run that moves"
    assert here_["each"][0]["means"] == upgraded["means"]
    assert upgraded["moved"] == (case.said is not None)
    own = "ann us" if case.spec == JOINING else "paid 5 5"
    assert ended(wfc, case.answer) == (own if case.said is None else case.said)


def test_of_what_is_only_noted_it_is_told_what_becomes_of_the_runs(wfc: Any, here: Path) -> None:
    (here / "old.yaml").write_text(ASKING)
    (here / "new.yaml").write_text(ASKING.replace("within: 30d", "within: 3d"))
    (told,) = json.loads(wfc("diff", "old.yaml", "new.yaml", "--format", "json", "--for", "runs").out)[
        "changes"
    ]
    kept = "runs that wait in `approve` keep the time that they had"
    assert told["message"] == f"the time for `approve` has changed: {kept}"


def test_the_runs_in_a_store_are_counted_by_what_the_change_means_for_them(wfc: Any, here: Path) -> None:
    spec, new = here / "refund.yaml", here / "new.yaml"
    spec.write_text(ASKING)
    for name in ("one", "two", "three"):
        wfc("run", str(spec), "-i", "amount=5", "--run-id", name)
    ended_one = lines(wfc("tasks", "list", "--format", "json").out)[0]["task"]
    assert wfc("tasks", "answer", ended_one, '{"ok": true}').status == 0
    new.write_text(ASKING.replace("approve:", "agree:"))
    before = sorted(path.name for path in here.rglob("*.json"))
    done = wfc("diff", "refund.yaml", "new.yaml", "--store", STORE, "--for", "runs")
    assert done.status == 1
    assert "  of 2 of `refund` waiting here 2 are refused\n" in done.out
    assert "is refused: the step `approve` is gone, and the run waits in it [step-removed]\n" in done.out
    assert sorted(path.name for path in here.rglob("*.json")) == before, (
        "nothing is kept of a version that is looked at"
    )
    new.write_text(ASKING.replace("title: Pay", "title: Really pay"))
    report = json.loads(wfc("diff", "refund.yaml", "new.yaml", "--store", STORE, "--format", "json").out)
    jsonschema.validate(report, json.loads((ROOT / "schemas/changes.schema.json").read_text()))
    (counts,) = report["paused_runs"]["workflows"]
    assert (counts["runs"], counts["goes_on"], counts["refused"]) == (2, 2, 0)
    gone = wfc("diff", "refund.yaml", "new.yaml", "--store", "sqlite:///nothing.db")
    assert gone.status == 1
    assert "nothing.db" in gone.err


def test_a_workflow_with_another_name_leaves_its_runs_behind_unless_it_says_so(wfc: Any, here: Path) -> None:
    (here / "old.yaml").write_text(ASKING)
    renamed = ASKING.replace("workflow: refund", "workflow: store")
    for more, rules in (("", ["workflow-removed"]), ("moved: {workflow.refund: store}\n", [])):
        (here / "new.yaml").write_text(renamed + more)
        told = json.loads(wfc("diff", "old.yaml", "new.yaml", "--format", "json", "--for", "runs").out)
        assert [each["rule"] for each in told["changes"]] == rules


def test_each_rule_of_the_judgement_is_explained(wfc: Any) -> None:
    """The ids stand in the runtime as they are written there; those that are put together have the four sorts."""
    written = re.compile(r'(?:refused|migrated|noted|rule =|found,)[( ]\s*f?"([^"]{3,60}?)"')
    folders = [ROOT / each for each in ("runtime/store/judgement", "runtime/driver/engine")]
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("*.py")]
    found = {id for text in texts for id in written.findall(text)}
    ids = {re.sub(r"\{.*\}", sort, id) for id in found for sort in ("state", "event", "type", "start-event")}
    assert len(ids) > 40
    rules = all_rules()
    never = {"state-removed", "state-renamed", "state-retyped", "event-retyped", "start-event-retyped"}
    never |= {"type-field-converted"}
    assert ids - never <= set(rules)
    of_runs = {id for id, rule in rules.items() if rule.audience == "runs"}
    assert of_runs - ids == {"removed-declared"}, "none is there that nothing gives"
    assert "never get it" in wfc("explain", "new-step-missed").out


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_run_whose_process_died_at_work_moves_with_the_code_that_it_was_started_with(
    wfc: Any, here: Path, is_kept: bool
) -> None:
    """A run that waited, was answered, and whose process died in what came then: nobody has written how it stands."""
    dies = "    if os.path.exists('dies'):\n        os._exit(9)\n"
    (here / "shop.py").write_text(f"import os\n\ndef pay(amount):\n{dies}    return f'paid {{amount}}'\n")
    (here / "refund.yaml").write_text(ASKING)
    told = ASKING.replace(
        'emit: {event: Over, with: {said: "${{ result }}', 'emit: {event: Told, with: {text: "${{ result }}'
    )
    (here / "new.yaml").write_text(
        told.replace("  Over: {said", "  Told: {text: string}\n  Over: {said")
        + '  tell: {kind: transform, accepts: Told, emit: {event: Over, with: {said: "${{ event.text }}"}}}\n'
    )
    assert wfc("run", "refund.yaml", "-i", "amount=5", "--run-id", "one").status == 3
    (task,) = lines(wfc("tasks", "list", "--format", "json").out)
    (here / "dies").touch()
    program = [sys.executable, "-c", PROGRAM, "tasks", "answer", task["task"], '{"ok": true}']
    assert subprocess.run(program, cwd=here, check=False, capture_output=True).returncode == 9
    (here / "dies").unlink()
    versions = here / ".wfc/versions"
    if not is_kept:  # another machine, or a folder that somebody has deleted
        versions.rename(here / "elsewhere")
        (here / "refund.yaml").unlink()
    done = wfc("runs", "upgrade", "one", "--with", "new.yaml", "--format", "json")
    (upgraded,) = lines(done.out)
    assert {one["rule"]: one["means"] for one in upgraded["verdicts"]} == (
        {} if is_kept else {"cut-off": "refused"}
    )
    assert upgraded["moved"] is is_kept
    (here / "old.yaml").write_text(ASKING)
    if not is_kept:
        report = json.loads(wfc("diff", "old.yaml", "new.yaml", "--store", STORE, "--format", "json").out)
        (of_store,) = report["paused_runs"]["workflows"]
        assert [one["rule"] for one in of_store["each"][0]["verdicts"]] == ["cut-off"], "the same is foretold"
        (here / ".wfc").mkdir(exist_ok=True)
        shutil.rmtree(versions, ignore_errors=True)
        (here / "elsewhere").rename(versions)
    resumed = wfc("runs", "resume", "one")
    assert resumed.status == 0, resumed.err
    assert json.loads(resumed.out)["with"]["said"] == "paid 5 5", "as it said before, and as it says now"


@pytest.mark.full
def test_a_change_of_which_nothing_is_asked_means_nothing_for_runs(tmp_path: Path) -> None:
    """The short cut: what differs only in texts and values is not compiled to look at the plans."""
    sys.path.insert(0, str(ROOT / "tests/compiler/review/changes"))
    from changes_cases import CASES as CHANGES

    passed = 0
    specs = ROOT / "tests/compiler/review/changes/specs"
    for case in CHANGES[::3]:
        for name in ("old", "new"):
            (tmp_path / name).mkdir(exist_ok=True)
            for path in specs.glob("*.yaml"):
                (tmp_path / name / path.name).write_bytes(path.read_bytes())
        text = (specs / f"{case.spec}.yaml").read_text(encoding="utf-8")
        (tmp_path / "new" / f"{case.spec}.yaml").write_text(case.edited(text), encoding="utf-8")
        paths = [str(tmp_path / name / f"{case.spec}.yaml") for name in ("old", "new")]
        found = compare_sides(DiskSide("old", paths[:1]), DiskSide("new", paths[1:]))
        for old, new in found.versions:
            if old and new and old.facts and new.facts and not may_touch_runs(old, new):
                before = planned(old, found.old)
                after = planned(new, found.new)
                assert before is not None
                assert after is not None
                assert after.foretold_from(before, {}) == [], case.name
                passed += 1
    assert passed > 20
