"""``wfc triggers``, and what ``wfc compile`` writes of triggers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SPEC = """\
wfc: 1
workflow: reports
start: Wanted
end: Made
secrets: [KEY]
types: {Hook: {id: {type: string, as: "_id"}}}
events: {Wanted: {id: string}, Made: {}}
triggers:
  nightly: {cron: "30  2 * * *", zone: Europe/Berlin, with: {id: "at ${{ trigger.due }}"}}
  hooks: {webhook: hooks, body: Hook, auth: {hmac: {secret: KEY, header: X-Sign, within: 5 min}}}
  others: {webhook: others, auth: {bearer: KEY}}
  news: {topic: prices}
steps:
  make: {kind: transform, accepts: Wanted, emit: Made}
"""


def test_the_next_times_are_shown_by_the_clocks_of_the_zone(wfc, tmp_path: Path) -> None:
    (tmp_path / "reports.yaml").write_text(SPEC)
    done = wfc("triggers", "reports.yaml", "--from", "2026-03-28T02:00", "--count", "2")
    assert done.status == 0
    assert done.out.splitlines() == [
        "nightly: `30 2 * * *` in Europe/Berlin, missed: once",
        "  Sun 2026-03-29 03:00 +0200",  # there is no half past two
        "  Mon 2026-03-30 02:30 +0200",
        "hooks: webhook `hooks`, signed in `X-Sign`, each Hook",
        "others: webhook `others`, with a bearer token, each Wanted",
        "news: messages of `prices`, each Wanted",
    ]
    assert "`wfc serve` by webhooks too" in done.err


def test_without_a_moment_the_times_are_to_come(wfc, tmp_path: Path) -> None:
    (tmp_path / "reports.yaml").write_text(SPEC)
    assert len(wfc("triggers", "reports.yaml").out.splitlines()) == 9


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--from", "yesterday"], "is no moment"),
        (["--from", "0001-01-01T00:00:00+14:00"], "is no moment"),
        (["--count", "0"], "--count"),
    ],
)
def test_what_cannot_be_shown_is_wrong_usage(wfc, tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "reports.yaml").write_text(SPEC)
    done = wfc("triggers", "reports.yaml", *args)
    assert done.status == 2
    assert words in done.err


def test_a_spec_without_triggers_and_one_with_mistakes(wfc, tmp_path: Path) -> None:
    lines = [line for line in SPEC.splitlines() if not line.startswith(("triggers", "  nightly", "  hooks"))]
    kept = [line for line in lines if not line.startswith(("  others", "  news", "types", "secrets"))]
    (tmp_path / "reports.yaml").write_text("\n".join(kept))
    done = wfc("triggers", "reports.yaml")
    assert done.status == 0
    assert "has no triggers" in done.err
    (tmp_path / "reports.yaml").write_text(SPEC.replace("Berlin", "Berln"))
    done = wfc("triggers", "reports.yaml")
    assert done.status == 1
    assert "did you mean `Europe/Berlin`?" in done.err


def test_the_manifest_has_the_triggers_as_data(wfc, tmp_path: Path) -> None:
    (tmp_path / "reports.yaml").write_text(SPEC)
    for _ in range(2):  # the second compile reads the first one's manifest
        done = wfc("compile", "reports.yaml", "-o", "out")
        assert done.status == 0
        assert "`wfc serve` by webhooks too" in done.err
    modules = json.loads((tmp_path / "out/wfc-manifest.json").read_text())["modules"]
    assert modules["reports_workflow.py"]["triggers"] == {
        "nightly": {
            "cron": "30 2 * * *",
            "zone": "Europe/Berlin",
            "missed": "once",
            "with": {"id": "at ${{ trigger.due }}"},
        },
        "hooks": {
            "webhook": "hooks",
            "auth": {"hmac": {"secret": "KEY", "header": "X-Sign", "within": 300.0}},
            "body": "Hook",
            "with": {"id": "${{ trigger.body.id }}"},
        },
        "others": {
            "webhook": "others",
            "auth": {"bearer": "KEY"},
            "body": "Wanted",
            "with": {"id": "${{ trigger.body.id }}"},
        },
        "news": {"topic": "prices", "body": "Wanted", "with": {"id": "${{ trigger.body.id }}"}},
    }


def test_other_modules_of_a_manifest_stay_in_it(wfc, tmp_path: Path) -> None:
    (tmp_path / "reports.yaml").write_text(SPEC)
    others = SPEC.replace("workflow: reports", "workflow: others")
    (tmp_path / "others.yaml").write_text(others.replace("webhook: ", "webhook: other-"))
    assert wfc("compile", "reports.yaml", "-o", "out").status == 0
    assert wfc("compile", "others.yaml", "-o", "out").status == 0
    modules = json.loads((tmp_path / "out/wfc-manifest.json").read_text())["modules"]
    assert [*modules] == ["others_workflow.py", "reports_workflow.py"]
    assert all("nightly" in entry["triggers"] for entry in modules.values())


def test_a_spec_with_a_webhook_is_tested_beside_one_that_has_errors(wfc, tmp_path: Path) -> None:
    """Other specs are looked at for webhooks of the same name, and not needed to run this one."""
    tests = 'tests: [{name: made, start: {id: "1"}, expect: {end: Made}}]\n'
    (tmp_path / "reports.yaml").write_text(SPEC + tests)
    broken = (
        SPEC.replace("reports", "broken").replace("webhook: ", "webhook: no").replace("end: Made", "end: Mad")
    )
    (tmp_path / "broken.yaml").write_text(broken)
    done = wfc("test", "reports.yaml")
    assert (done.status, done.err.splitlines()[-1]) == (0, "1 passed"), done.err
