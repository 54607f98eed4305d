"""``wfc diff`` as a comment, as SARIF, and as a driver of real ``git diff`` and ``git log``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wfc.compiler.cli.reviewing.driver import driven
from wfc.compiler.cli.reviewing.markdown_text import said

SPEC = (Path(__file__).parents[1] / "review/changes/specs/refund.yaml").read_text(encoding="utf-8")
SLOWER = SPEC.replace("timeout: 20 s", "timeout: 30 s")
EVIL = "</details><script>alert(1)</script> @everyone [a](http://b) ``` | \\"


def put(folder: Path, old: str, new: str) -> None:
    (folder / "old.yaml").write_text(old, encoding="utf-8")
    (folder / "new.yaml").write_text(new, encoding="utf-8")


# --- Markdown


def test_a_comment_begins_with_the_three_lines_to_decide_by(wfc, tmp_path: Path) -> None:
    put(tmp_path, SPEC, SLOWER.replace('event.amount > "100"', 'event.amount > "500"'))
    first, second, third, *rest = wfc("diff", "old.yaml", "new.yaml", "--format", "markdown").out.splitlines()
    assert first.startswith("**What is different:** in `refund`: ")
    assert "`look_at_amount` decides otherwise whether anybody is asked" in first
    assert "the time for one attempt of `pay` is 30 s, and was 20 s" in first
    assert second == "**Whom it touches:** security (1 act); operators (1 warn)  "
    assert re.fullmatch(
        r"\*\*To be decided:\*\* whether 1 change may be merged that fails: `approval-condition-changed` "
        r"[0-9a-f]{12}\. Mend the change, or approve it with "
        r"`wfc diff old\.yaml new\.yaml --approve ID --because REASON`",
        third,
    )
    assert "#### Security" in rest
    assert rest.count("```mermaid") == 2, "the flow before and after"


def test_the_lines_that_the_page_shows_are_real_ones(wfc, tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    (refund,) = re.findall(
        r"(?s)```yaml\n(wfc: 1\nworkflow: refund\n.*?)```", (root / "README.md").read_text("utf-8")
    )
    page = (root / "docs/review.md").read_text("utf-8")
    (shown,) = re.findall(r"(?s)```markdown\n(.*?)```", page)
    unasked = refund[: refund.index("tests:")].replace(
        "end: [RefundPaid, RefundRefused, RefundPassedOn]", "end: RefundPaid"
    )
    for gone in (
        r"  RefundRefused: .*\n",
        r"  RefundPassedOn: .*\n",
        r"  RefundIsLarge: .*\n",
        r"(?s)  ask_support:.*?(?=  pay:)",
    ):
        unasked = re.sub(gone, "", unasked, count=1)
    unasked = re.sub(r"(?s)(accepts: RefundAsked\n    emit:).*?\n\n", r"\1 RefundGranted\n\n", unasked)
    put(tmp_path, refund, unasked)
    told = wfc("diff", "old.yaml", "new.yaml", "--format", "markdown").out
    told = told.replace("wfc diff old.yaml new.yaml", "wfc diff main...HEAD").splitlines()
    assert [line.rstrip() for line in told[:3]] == shown.splitlines()
    text = wfc("diff", "old.yaml", "new.yaml").out
    for line in re.findall(r"(?m)^  (?:break|warn|info): .*\]$", page):
        assert line in text, "the same changes stand above it"


def test_of_no_change_there_is_nothing_to_decide(wfc, tmp_path: Path) -> None:
    put(tmp_path, SPEC, SPEC)
    told = wfc("diff", "old.yaml", "new.yaml", "--format", "markdown").out.splitlines()
    assert told == [
        "**What is different:** nothing in meaning  ",
        "**Whom it touches:** nobody  ",
        "**To be decided:** nothing",
    ]


def test_nothing_of_a_spec_is_markdown_in_a_comment(wfc, tmp_path: Path) -> None:
    title = json.dumps(f"Pay back? {EVIL}")
    evil = re.sub(r"title: .*", lambda _: f"title: {title}", SPEC)
    assert evil != SPEC
    put(tmp_path, SPEC, evil.replace("assign:", f"description: {title}\n    assign:"))
    told = wfc("diff", "old.yaml", "new.yaml", "--format", "markdown").out
    outside = re.sub(r"(?s)```mermaid\n.*?\n```|`[^`\n]+`", "", told)
    assert "alert(1)" in told or "alert\\(1\\)" in told
    assert "<script>" not in outside
    assert not re.search(r"(?<!\\)@everyone", outside)
    assert not re.search(r"(?<!\\)\[a\]\(", outside)
    assert told.count("```") % 2 == 0


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("`a` is b", "`a` is b"),
        ("a ` b <i>", r"a \` b \<i\>"),
        ("`` <i>", r"\`\` \<i\>"),
        ("`<b>` *x*", r"`<b>` \*x\*"),
        ("`a` `b", r"`a` \`b"),
        ("`a\nb`", "`a b`"),
    ],
)
def test_names_are_code_and_nothing_else_is_markdown(given: str, shown: str) -> None:
    assert said(given) == shown


def test_a_comment_of_many_changes_stays_short(wfc, tmp_path: Path) -> None:
    steps = "".join(
        f"  s{n}: {{kind: transform, accepts: E{n}, emit: {{event: E{n + 1}}}}}\n" for n in range(400)
    )
    events = "".join(f"  E{n}: {{}}\n" for n in range(400))
    many = f"wfc: 1\nworkflow: many\nstart: E0\nend: E400\nevents:\n{events}  E400: {{}}\nsteps:\n{steps}"
    few = "wfc: 1\nworkflow: many\nstart: E0\nend: E400\nevents: {E0: {}, E400: {}}\nsteps:\n"
    put(tmp_path, many, few + "  s: {kind: transform, accepts: E0, emit: {event: E400}}\n")
    told = wfc("diff", "old.yaml", "new.yaml", "--format", "markdown").out
    assert len(told) < 50_000
    assert "more" in told


# --- SARIF


def test_all_changes_are_in_the_log_with_their_fingerprints(wfc, tmp_path: Path) -> None:
    less = SPEC[: SPEC.index("tests:")].replace("timeout: 20 s", "timeout: 30 s")
    put(tmp_path, SPEC, less)
    report = json.loads(wfc("diff", "old.yaml", "new.yaml", "--format", "json").out)
    done = wfc("diff", "old.yaml", "new.yaml", "--format", "sarif")
    (run,) = json.loads(done.out)["runs"]
    told = {
        each["partialFingerprints"]["wfcChange/v1"]: (
            each["ruleId"],
            each["locations"][0]["physicalLocation"],
        )
        for each in run["results"]
    }
    assert {print_: rule for print_, (rule, _) in told.items()} == {
        each["fingerprint"]: each["rule"] for each in report["changes"]
    }
    assert {place["artifactLocation"]["uri"] for _, place in told.values()} == {"new.yaml"}
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {rule for rule, _ in told.values()}
    lines = {rule: place["region"]["startLine"] for rule, place in told.values()}
    assert (lines["timeout-raised"], lines["test-removed"]) == (47, 1), "what is gone is at the beginning"


def test_what_is_approved_is_suppressed_with_its_reason(wfc, tmp_path: Path) -> None:
    put(tmp_path, SPEC, SLOWER)
    (change,) = json.loads(wfc("diff", "old.yaml", "new.yaml", "--format", "json").out)["changes"]
    wfc("diff", "old.yaml", "new.yaml", "--approve", change["fingerprint"], "--because", "the bank is slow")
    (run,) = json.loads(wfc("diff", "old.yaml", "new.yaml", "--format", "sarif").out)["runs"]
    assert run["results"][0]["suppressions"] == [{"kind": "external", "justification": "the bank is slow"}]


# --- the driver


def git(folder: Path, *arguments: str) -> str:
    own = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(
        ["git", "--no-pager", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.full
def test_git_shows_what_changes_mean(tmp_path: Path) -> None:
    program = shutil.which("wfc", path=Path(sys.executable).parent)
    assert program is not None
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "diff.wfc.command", f"{program} diff --driver")
    for name, text in {
        ".gitattributes": "*.yaml diff=wfc\n",
        "refund.yaml": SPEC,
        "other.yaml": "a: 1\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "refund.yaml").write_text(SLOWER, encoding="utf-8")
    (tmp_path / "other.yaml").write_text("a: 2\n", encoding="utf-8")
    shown = git(tmp_path, "diff")
    assert "wfc diff refund.yaml\nOperators\n  warn: the time for one attempt of `pay` is 30 s" in shown
    assert "wfc diff other.yaml\n--- a/other.yaml\n+++ b/other.yaml\n@@ -1 +1 @@\n-a: 1\n+a: 2\n" in shown
    git(tmp_path, "mv", "refund.yaml", "pay back.yaml")
    (tmp_path / "broken.yaml").write_bytes(b"wfc: 1\nworkflow: \xff\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "second")
    (tmp_path / "pay back.yaml").unlink()
    git(tmp_path, "commit", "-qam", "third")
    history = git(tmp_path, "log", "-p", "--ext-diff", "-M")
    assert "wfc diff refund.yaml → pay back.yaml\nOperators\n  warn: the time" in history
    assert "the workflow `refund` is new [workflow-added]" in history
    assert "the workflow `refund` is gone [workflow-removed]" in history
    assert "third" in history and "first" in history, "it goes on, whatever a file holds"


def test_a_driver_always_ends_with_nothing_wrong(wfc, tmp_path: Path) -> None:
    put(tmp_path, SPEC, "wfc: 1\nworkflow: refund\nstart: Nothing\n")
    given = ("refund.yaml", "old.yaml", "abc", "100644", "new.yaml", "def", "100644")
    done = wfc("diff", "--driver", *given)
    assert done.status == 0
    assert "not compared, since it has errors" in done.out
    assert wfc("diff", "--driver", "refund.yaml").out == "refund.yaml has conflicts\n"
    assert wfc("diff", "--driver").status == 0
    assert "wfc diff a\\x1b.yaml" in wfc("diff", "--driver", "a\x1b.yaml", *given[1:]).out
    (tmp_path / "new.yaml").write_bytes(b"\x00" * 100)
    assert wfc("diff", "--driver", *given).status == 0
    gone = driven(("refund.yaml", "old.yaml", "abc", "100644", "no/where.yaml", "def", "100644"))
    assert gone.startswith("wfc diff refund.yaml\n")
