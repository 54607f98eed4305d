"""``wfc diff``: what is compared, how it is shown, what fails; nothing that a repository names is run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

SPEC = (Path(__file__).parents[1] / "review/changes/specs/refund.yaml").read_text(encoding="utf-8")
CHANGED = SPEC.replace("timeout: 20 s", "timeout: 30 s")
DEARER = SPEC.replace('event.amount > "100"', 'event.amount > "500"')
OTHER = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
events: {Asked: {name: string}, Greeted: {text: string}}
steps:
  greet: {kind: transform, accepts: Asked, emit: {event: Greeted, with: {text: "Hello ${{ event.name }}"}}}
"""


def git(folder: Path, *arguments: str) -> str:
    own = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(
        ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, of a spec in a folder."""
    git(tmp_path, "init", "-q")
    commit(tmp_path, {"specs/refund.yaml": SPEC})
    return tmp_path


def commit(folder: Path, files: dict[str, str | None]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a change")
    return git(folder, "rev-parse", "HEAD")


def told(wfc, *arguments: str) -> list[str]:
    done = wfc("diff", *arguments, "--format", "json")
    return [each["rule"] for each in json.loads(done.out)["changes"]]


# --- two files, two folders


def test_two_files_are_compared_whatever_they_are_called(wfc, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(CHANGED, encoding="utf-8")
    done = wfc("diff", "one.yaml", "two.yaml")
    assert done.status == 0
    assert done.out == (
        "Operators\n"
        "  warn: the time for one attempt of `pay` is 30 s, and was 20 s [timeout-raised] 6f7694d8707f\n"
        "    at two.yaml:47:5, one.yaml:47:5 before\n\n"
    )
    assert done.err == "1 spec differs: 1 warn\n"


def test_of_two_folders_specs_are_known_by_their_names(wfc, tmp_path: Path) -> None:
    for name, files in {
        "old": {"a.yaml": SPEC, "b.yaml": OTHER, "no.yaml": "x: 1"},
        "new": {"deep/c.yaml": DEARER},
    }.items():
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text, encoding="utf-8")
    assert told(wfc, "old", "new") == ["approval-condition-changed", "workflow-removed"]
    assert told(wfc, "new", "old") == ["approval-condition-changed", "workflow-added"]


def test_a_file_and_a_folder_are_not_compared(wfc, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "two").mkdir()
    done = wfc("diff", "one.yaml", "two")
    assert done.status == 2
    assert "are not both files or both folders" in done.err


# --- revisions


def test_by_itself_it_compares_the_working_tree_with_the_last_commit(wfc, repository: Path) -> None:
    assert wfc("diff").err == "no change in meaning\n"
    (repository / "specs/refund.yaml").write_text(CHANGED, encoding="utf-8")
    (repository / "specs/greet.yaml").write_text(OTHER, encoding="utf-8")
    assert told(wfc) == ["workflow-added", "timeout-raised"]
    assert told(wfc, "specs/refund.yaml") == ["timeout-raised"]
    assert told(wfc, "HEAD", "specs/greet.yaml") == ["workflow-added"]


def test_two_commits_are_compared_and_what_both_have_parted_from(wfc, repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-qb", "change")
    commit(repository, {"specs/refund.yaml": CHANGED})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"specs/greet.yaml": OTHER})
    assert told(wfc, "main..change") == ["workflow-removed", "timeout-raised"]
    assert told(wfc, "main...change") == ["timeout-raised"]
    assert told(wfc, first, "change") == ["timeout-raised"]
    assert told(wfc, "change", "main", "specs/refund.yaml") == ["timeout-lowered"]
    (place,) = {
        each["old"]["path"]
        for each in json.loads(wfc("diff", "main...change", "--format", "json").out)["changes"]
    }
    assert place == "specs/refund.yaml"


def test_a_file_that_moves_is_no_change(wfc, repository: Path) -> None:
    commit(repository, {"specs/refund.yaml": None, "flows/pay back.yaml": SPEC})
    assert wfc("diff", "HEAD~1..HEAD").err == "no change in meaning\n"


def test_a_folder_below_the_top_is_where_paths_are_from(
    wfc, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, {"greet.yaml": OTHER, "specs/refund.yaml": CHANGED})
    monkeypatch.chdir(repository / "specs")
    assert told(wfc, "HEAD~1..HEAD") == ["timeout-raised"]
    assert told(wfc, "HEAD~1..HEAD", "../greet.yaml") == ["workflow-added"]
    assert told(wfc, "HEAD~1..HEAD", "..") == ["workflow-added", "timeout-raised"]
    done = wfc("diff", "HEAD", "../../elsewhere")
    assert done.status == 2
    assert "elsewhere" in done.err


def test_what_a_spec_uses_is_read_from_the_same_revision(wfc, repository: Path) -> None:
    shared = "wfc: 1\nevents: {Asked: {name: string}}\n"
    using = OTHER.replace("events: {Asked: {name: string}, ", "imports: [shared.yaml]\nevents: {")
    commit(repository, {"specs/greet.yaml": using, "specs/shared.yaml": shared})
    commit(repository, {"specs/shared.yaml": shared.replace("string}", "string, age: integer}")})
    done = wfc("diff", "HEAD~1..HEAD", "--format", "json")
    change, of_runs = json.loads(done.out)["changes"]
    assert (change["rule"], of_runs["rule"]) == ("input-required", "start-event-field-added")
    assert change["new"]["path"] == of_runs["new"]["path"] == "specs/shared.yaml"


def test_what_has_errors_is_not_compared_and_fails_where_it_is_new(wfc, repository: Path) -> None:
    commit(repository, {"specs/refund.yaml": SPEC.replace("start: RefundAsked", "start: Refund_Asked")})
    done = wfc("diff", "HEAD~1..HEAD")
    assert done.status == 1
    assert "not compared, since it has errors" in done.out
    assert wfc("diff", "HEAD", "HEAD~1").status == 0


@pytest.mark.parametrize(
    "given", [("nowhere",), ("HEAD..nowhere",), ("--", "-x"), ("HEAD", "nowhere.yaml"), ("",)]
)
def test_what_is_neither_a_revision_nor_a_file_is_said(wfc, repository: Path, given: tuple[str, ...]) -> None:
    done = wfc("diff", *given)
    assert done.status == 2
    assert done.out == ""


def test_without_a_commit_and_without_a_repository_it_says_so(wfc, tmp_path: Path) -> None:
    assert wfc("diff").status == 2
    git(tmp_path, "init", "-q")
    done = wfc("diff")
    assert done.status == 2
    assert "no commit yet" in done.err


# --- hostile repositories


def test_nothing_is_run_that_a_repository_names(wfc, repository: Path) -> None:
    (repository / "run.sh").write_text("#!/bin/sh\ntouch ran\ncat\n", encoding="utf-8")
    (repository / "run.sh").chmod(0o755)
    for key in (
        "diff.external",
        "core.fsmonitor",
        "diff.x.textconv",
        "filter.x.smudge",
        "filter.x.clean",
        "core.pager",
    ):
        git(repository, "config", key, "./run.sh")
    hook = repository / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    hook.chmod(0o755)
    (repository / ".gitattributes").write_text("*.yaml diff=x filter=x\n", encoding="utf-8")
    (repository / "specs/refund.yaml").write_text(CHANGED, encoding="utf-8")
    assert told(wfc) == ["timeout-raised"]
    assert not (repository / "ran").exists()
    assert not (repository / "specs/ran").exists()


def test_links_and_submodules_of_a_revision_are_not_followed(wfc, repository: Path, tmp_path_factory) -> None:
    secret = tmp_path_factory.mktemp("outside") / "secret.yaml"
    secret.write_text(OTHER, encoding="utf-8")
    (repository / "specs/link.yaml").symlink_to(secret)
    commit(repository, {})
    git(
        repository,
        "update-index",
        "--add",
        "--cacheinfo",
        f"160000,{git(repository, 'rev-parse', 'HEAD')},part",
    )
    git(repository, "commit", "-qm", "a submodule")
    done = wfc("diff", "HEAD~2..HEAD")
    assert done.status == 0
    assert done.err == "part is a submodule, which is not looked into\nno change in meaning\n"


def test_control_characters_are_shown_as_such(wfc, repository: Path) -> None:
    commit(
        repository,
        {
            "specs/refund.yaml": SPEC.replace(
                "receipt: string", 'receipt: {type: string, default: "a\\u001b[31mb"}'
            )
        },
    )
    done = wfc("diff", "HEAD~1..HEAD")
    assert "\x1b" not in done.out


# --- what fails


def test_a_change_fails_from_a_level_on_unless_it_is_approved(wfc, repository: Path) -> None:
    (repository / "specs/refund.yaml").write_text(DEARER, encoding="utf-8")
    assert wfc("diff").status == 1
    assert wfc("diff", "--fail-on", "break").status == 0
    assert wfc("diff", "--fail-on", "nothing").status == 0
    (repository / "specs/refund.yaml").write_text(CHANGED, encoding="utf-8")
    assert wfc("diff").status == 0
    assert wfc("diff", "--fail-on", "warn").status == 1
    assert wfc("diff", "--fail-on", "warn", "--for", "security").status == 0


def test_an_approval_ends_with_the_change(wfc, repository: Path) -> None:
    (repository / "specs/refund.yaml").write_text(DEARER, encoding="utf-8")
    (change,) = json.loads(wfc("diff", "--format", "json").out)["changes"]
    done = wfc("diff", "--approve", change["fingerprint"], "--because", "the board has decided so")
    assert done.status == 0
    assert "approval-condition-changed" in (repository / "wfc-approvals.txt").read_text(encoding="utf-8")
    done = wfc("diff")
    assert done.status == 0
    assert "approved, because the board has decided so" in done.out
    # moved lines and comments keep the approval
    (repository / "specs/refund.yaml").write_text(f"# hello\n\n{DEARER}", encoding="utf-8")
    assert wfc("diff").status == 0
    # another amount is another change
    (repository / "specs/refund.yaml").write_text(DEARER.replace("500", "900"), encoding="utf-8")
    done = wfc("diff")
    assert done.status == 1
    assert f"wfc-approvals.txt approves {change['fingerprint']}, which is no change here" in done.err


def test_only_what_has_changed_can_be_approved_and_only_with_a_reason(wfc, repository: Path) -> None:
    (repository / "specs/refund.yaml").write_text(DEARER, encoding="utf-8")
    for given in (("--approve", "0123456789ab", "--because", "x"), ("--approve", "x"), ("--because", "x")):
        assert wfc("diff", *given).status == 2
    assert not (repository / "wfc-approvals.txt").exists()


def test_a_wrong_line_of_approvals_is_an_error_at_its_line(wfc, repository: Path) -> None:
    (repository / "wfc-approvals.txt").write_text("# a comment\n\nyes\n", encoding="utf-8")
    done = wfc("diff")
    assert done.status == 2
    assert "line 3 is no approval" in done.err


def test_the_json_fits_its_schema(wfc, repository: Path) -> None:
    schema = json.loads(
        (Path(__file__).parents[3] / "schemas/changes.schema.json").read_text(encoding="utf-8")
    )
    validator = jsonschema.Draft202012Validator(schema)
    commit(repository, {"specs/greet.yaml": OTHER, "specs/broken.yaml": "wfc: 1\nworkflow: x\n"})
    (repository / "specs/refund.yaml").write_text(DEARER, encoding="utf-8")
    (repository / "specs/greet.yaml").unlink()
    for given in ((), ("HEAD~1..HEAD",), ("HEAD~1",), ("HEAD", "HEAD~1")):
        validator.validate(json.loads(wfc("diff", *given, "--format", "json").out))


CHILD = """\
wfc: 1
workflow: look_up
start: Asked
end: [Known, Unknown]
events: {Asked: {name: string}, Known: {text: string}, Unknown: {}}
steps:
  look:
    kind: transform
    accepts: Asked
    emit:
      - {event: Known, when: event.name == "Ada", with: {text: a programmer}}
      - Unknown
"""
CALLER = """\
wfc: 1
workflow: desk
start: Came
end: Left
events: {Came: {name: string}, Left: {text: string}}
steps:
  ask:
    kind: workflow
    accepts: Came
    workflow: look_up
    with: {name: "${{ event.name }}"}
    emit:
      - {event: Left, when: result is Known, with: {text: "${{ result.text }}"}}
      - {event: Left, with: {text: nobody}}
"""


def test_a_changed_workflow_is_told_at_those_that_call_it(wfc, repository: Path) -> None:
    commit(repository, {"specs/child.yaml": CHILD, "specs/desk.yaml": CALLER, "specs/other.yaml": OTHER})
    commit(repository, {"specs/child.yaml": CHILD.replace('"Ada"', '"Eve"')})
    report = json.loads(wfc("diff", "HEAD~1..HEAD", "--format", "json").out)
    assert [(each["rule"], each["workflow"]) for each in report["changes"]] == [
        ("condition-changed", "look_up"),
        ("called-workflow-changed", "desk"),
    ]
    assert report["changes"][1]["new"]["path"] == "specs/desk.yaml"
    assert report["changes"][1]["message"].startswith(
        "`ask` calls `look_up`, of which is told: `look` leads to"
    )
    commit(
        repository, {"specs/child.yaml": CHILD.replace('"Ada"', '"Eve"').replace("a programmer", "somebody")}
    )
    told = [
        each["rule"] for each in json.loads(wfc("diff", "HEAD~1..HEAD", "--format", "json").out)["changes"]
    ]
    assert told == ["filled-changed", "called-workflow-changed"]
    commit(repository, {"specs/child.yaml": CHILD})
    commit(repository, {"specs/child.yaml": f"# a comment\n{CHILD}"})
    assert json.loads(wfc("diff", "HEAD~1..HEAD", "--format", "json").out)["changes"] == []


def test_a_caller_that_does_not_fit_any_more_fails(wfc, repository: Path) -> None:
    commit(repository, {"specs/child.yaml": CHILD, "specs/desk.yaml": CALLER})
    commit(repository, {"specs/child.yaml": CHILD.replace("Known", "Found").replace("UnFound", "Unknown")})
    done = wfc("diff", "HEAD~1..HEAD", "--format", "json")
    broken = json.loads(done.out)["broken"]
    assert [(each["side"], each["path"]) for each in broken] == [("new", "specs/desk.yaml")]
    assert done.status == 1
