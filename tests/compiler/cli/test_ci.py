"""``wfc ci``: all parts in one report, the files that call it, and the comment that it keeps up to date."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from wfc.compiler.cli.pipeline.parts import Case, PartReport
from wfc.compiler.cli.pipeline.posting import Conversation, PostingError, conversation, post
from wfc.compiler.cli.pipeline.reports import MARKER, comment, junit_report

ROOT = Path(__file__).parents[3]
SPEC = (ROOT / "tests/compiler/greet.yaml").read_text(encoding="utf-8")
POLICY = """\
policy: 1
rules:
  no-tools:
    each: workflow
    require: workflow.tools is empty
    because: We have none.
"""


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name.replace('_', '-')}.yaml").write_text(text, encoding="utf-8")


def parts(folder: Path) -> dict[str, tuple[str, str]]:
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["passed"] == all(each["state"] != "failed" for each in report["parts"])
    return {each["name"]: (each["state"], each["summary"]) for each in report["parts"]}


def test_pictures_are_verified_too(wfc, tmp_path: Path) -> None:
    put(tmp_path, greet=SPEC)
    wfc("graph", "greet.yaml", "-o", "pictures/greet.mmd")
    assert wfc("ci", ".", "--json", "report.json").status == 0
    assert parts(tmp_path)["verify"] == (
        "passed",
        "1 picture current",
    )  # no module is missed where none is kept
    (tmp_path / "greet.yaml").write_text(SPEC + "# seen\n", encoding="utf-8")
    done = wfc("ci", ".", "--json", "report.json", "--comment", "comment.md")
    assert (done.status, parts(tmp_path)["verify"]) == (1, ("failed", "0 pictures current, 1 not"))
    told = (tmp_path / "comment.md").read_text("utf-8")
    assert (
        "pictures/greet.mmd: stale: `greet.yaml` has changed since; `wfc verify --write` draws it anew"
        in told
    )


def test_a_folder_in_which_all_is_well(wfc, tmp_path: Path) -> None:
    put(tmp_path, greet=SPEC, wfc_policy=POLICY)
    assert wfc("compile", "greet.yaml").status == 0
    done = wfc("ci", "--json", "report.json")
    assert done.status == 0
    found = parts(tmp_path)
    assert [state for state, _ in found.values()] == ["passed"] * 4 + ["skipped"]
    assert list(found) == ["check", "policy", "verify", "test", "diff"]
    assert found["check"][1] == "1 spec, no findings"
    assert found["verify"][1] == "1 module current"
    assert [line.split()[:2] for line in done.out.splitlines()] == [
        [name, state] for name, (state, _) in found.items()
    ]


def test_what_is_not_there_is_not_done_and_fails_nothing(wfc, tmp_path: Path) -> None:
    put(tmp_path, greet=SPEC.partition("\ntests:")[0] + "\n")
    done = wfc("ci", "--json", "report.json")
    assert done.status == 0
    assert {name: state for name, (state, _) in parts(tmp_path).items()} == {
        "check": "passed",
        "policy": "skipped",
        "verify": "skipped",
        "test": "skipped",
        "diff": "skipped",
    }


def broken(name: str, tmp_path: Path, wfc: Any) -> None:
    """Let one part find something."""
    spec, policy = SPEC, POLICY
    if name == "check":
        spec = spec.replace("workflow: greet", "workflow: greet\nsecrets: [UNUSED]")
    if name == "policy":
        policy = policy.replace("tools is empty", "has_deadline")
    put(tmp_path, greet=spec, wfc_policy=policy)
    wfc("compile", "greet.yaml")
    if name == "verify":
        (module,) = tmp_path.glob("*_workflow.py")
        module.write_text(module.read_text("utf-8") + "# by hand\n", "utf-8")
    if name == "test":
        data = yaml.safe_load(spec)
        data["tests"][0]["expect"] = {"end": data["end"], "ran": {next(iter(data["steps"])): 7}}
        put(tmp_path, greet=yaml.safe_dump(data, sort_keys=False))
        wfc("compile", "greet.yaml")


@pytest.mark.parametrize("name", ["check", "policy", "verify", "test"])
def test_each_part_fails_by_itself_and_can_be_left_out(name: str, wfc, tmp_path: Path) -> None:
    broken(name, tmp_path, wfc)
    done = wfc(
        "ci",
        "--json",
        "report.json",
        "--junit",
        "report.xml",
        "--sarif",
        "report.sarif",
        "--comment",
        "report.md",
    )
    assert done.status == 1
    found = parts(tmp_path)
    assert {each: state for each, (state, _) in found.items() if state == "failed"} == {name: "failed"}
    suites = ElementTree.parse(tmp_path / "report.xml").getroot()  # noqa: S314  our own
    failed = {suite.get("name"): len(suite.findall("*/failure")) for suite in suites}
    assert failed == {f"wfc {each}": int(each == name) for each in found if each != "diff"}
    assert suites.get("failures") == "1"
    told = (tmp_path / "report.md").read_text("utf-8")
    assert told.startswith(f"{MARKER}\n**wfc: {name} failed**\n")
    assert "1 problem</summary>" in told
    log = json.loads((tmp_path / "report.sarif").read_text("utf-8"))
    assert len(log["runs"][0]["results"]) == (name in ("check", "policy"))
    problem = next(iter(suites.iterfind("*/*/failure"))).text
    assert problem is not None and problem.partition("\n")[0][:20] in done.out + told
    assert wfc("ci", "--skip", name).status == 0


def test_a_spec_with_errors_is_told_once_and_nothing_of_it_is_done(wfc, tmp_path: Path) -> None:
    put(tmp_path, greet=SPEC.replace("kind: transform", "kind: trnsform"), wfc_policy=POLICY)
    done = wfc("ci", "--json", "report.json")
    assert done.status == 1
    found = parts(tmp_path)
    assert found["check"][0] == "failed"
    assert found["test"] == ("skipped", "no test was run")
    assert done.out.count("trnsform") <= 3


def test_a_policy_that_is_wrong_or_whose_test_fails(wfc, tmp_path: Path) -> None:
    put(tmp_path, greet=SPEC, wfc_policy=POLICY.replace("each: workflow", "each: workflows"))
    done = wfc("ci", "--json", "report.json")
    assert (done.status, parts(tmp_path)["policy"][0]) == (1, "failed")
    tests = "tests:\n  - name: own\n    expect: [no-tools]\n    spec: |\n" + "".join(
        f"      {line}\n" for line in SPEC.splitlines()
    )
    put(tmp_path, wfc_policy=POLICY + tests)
    done = wfc("ci", "--json", "report.json")
    assert done.status == 1
    assert parts(tmp_path)["policy"] == ("failed", "1 rule, no findings, 1 test of the policy failed")
    assert "`no-tools` finds 0, and 1 is expected" in done.out


@pytest.mark.parametrize(
    "args",
    [["nothing.yaml"], ["--policy", "none.yaml"], ["--skip", "all"], ["--json", "no/such/folder.json"]],
)
def test_wrong_usage(args: list[str], wfc, tmp_path: Path) -> None:
    put(tmp_path, greet=SPEC)
    done = wfc("ci", *args)
    assert done.status == 2
    assert done.err


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)


def test_what_a_branch_changes_in_meaning_is_told(wfc, tmp_path: Path) -> None:
    refund = shown("README.md", "yaml")[0]
    git(tmp_path, "init", "-q", "-b", "main")
    put(tmp_path, refund=refund)
    git(tmp_path, "add", "refund.yaml")
    git(tmp_path, "commit", "-qm", "before")
    git(tmp_path, "switch", "-qc", "branch")
    put(
        tmp_path,
        refund=refund.replace("timeout: 20 s", "timeout: 30 s").replace("[RefundPaid, ", "[RefundPaid,"),
    )
    git(tmp_path, "commit", "-qam", "slower")
    reports = (
        "--json",
        "report.json",
        "--comment",
        "report.md",
        "--sarif",
        "report.sarif",
        "--junit",
        "report.xml",
    )
    done = wfc("ci", "--against", "main", "refund.yaml", *reports)
    assert done.status == 0
    assert parts(tmp_path)["diff"][0] == "passed"
    told = (tmp_path / "report.md").read_text("utf-8")
    assert "`pay`" in told and "30 s" in told
    assert [line.partition(":**")[0] for line in told.splitlines()[3:6]] == [
        "**What is different",
        "**Whom it touches",
        "**To be decided",
    ]
    assert "`pay`" in done.out

    put(tmp_path, refund=refund.replace("\nevents:", "\nsecrets: [KEY]\nevents:", 1))
    git(tmp_path, "commit", "-qam", "a secret")
    done = wfc("ci", "--against", "main", "refund.yaml", *reports)
    assert (done.status, parts(tmp_path)["diff"][0]) == (1, "failed")
    assert "`KEY`" in (tmp_path / "report.md").read_text("utf-8")
    results = json.loads((tmp_path / "report.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert "secret-added" in {each["ruleId"] for each in results}
    assert "secret-added" in (tmp_path / "report.xml").read_text("utf-8")
    assert wfc("ci", "--against", "nothing", "refund.yaml").status == 2


def test_what_no_approval_is_for_stands_beside_what_is_to_be_decided() -> None:
    lines = ("**What is different:** a", "**Whom it touches:** b", "**To be decided:** c", "", "more")
    diff = PartReport("diff", "failed", "1 act", markdown=lines)
    test = PartReport("test", "failed", "2 passed, 1 failed", (Case("a.yaml", "late", "a.yaml: it failed"),))
    assert "**To be mended" not in comment([diff])
    told = comment([test, diff]).splitlines()
    assert told[3:8] == [
        *lines[:2],
        f"{lines[2]}  ",
        "**To be mended in any case:** `test`: 2 passed, 1 failed",
        "",
    ]


HOSTILE = "```\n</details><script>x</script> @everyone | [a](b) \x1b[31m\u202e"


def test_nothing_that_comes_from_files_is_markdown_in_a_comment() -> None:
    part = PartReport("test", "failed", HOSTILE, (Case(HOSTILE, HOSTILE, HOSTILE),))
    text = comment([part])
    outside = "".join(text.split("```")[::2])
    assert text.count("```") == 2
    assert "<script>" not in outside and "@everyone" not in outside.replace("\\@", "")
    assert "\x1b" not in text and "\u202e" not in text
    assert ElementTree.fromstring(junit_report([part])).get("failures") == "1"  # noqa: S314  our own


def test_a_comment_stays_short() -> None:
    cases = tuple(Case("a.yaml", str(number), "x" * 5_000) for number in range(1_000))
    assert len(comment([PartReport("check", "failed", "much", cases)])) < 60_000


# --- the comment of a pull request


US = "github-actions[bot]"
BY_US: dict[str, Any] = {"user": {"login": US}, "author": {"username": US}}
BY_ANOTHER = {"user": {"login": "eve"}, "author": {"username": "eve"}}


class Comments(ThreadingHTTPServer):
    """The comments of one pull request, as a service keeps them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.kept: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.tokens: set[str | None] = set()
        self.refuses = 0


class Handler(BaseHTTPRequestHandler):
    def reply(self) -> None:
        server = self.server
        assert isinstance(server, Comments)
        server.asked.append((self.command, self.path))
        server.tokens.add(self.headers.get("authorization") or self.headers.get("private-token"))
        sent = self.rfile.read(int(self.headers.get("content-length", 0)))
        status, answer = 200, None
        if server.refuses:
            status = server.refuses
        elif self.path == "/graphql":
            assert json.loads(sent) == {"query": "{ viewer { login } }"}
            answer = {"data": {"viewer": {"login": US}}}
        elif self.path == "/user":
            answer = {"username": US}
        elif self.command == "GET":
            page = int(self.path.rpartition("page=")[2])
            answer = server.kept[(page - 1) * 100 : page * 100]
        elif self.command == "POST":
            server.kept.append({"id": len(server.kept) + 1, **json.loads(sent), **BY_US})
            status, answer = 201, server.kept[-1]
        else:
            server.kept[int(self.path.rpartition("/")[2]) - 1]["body"] = json.loads(sent)["body"]
        raw = json.dumps(answer).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"{server.url}/elsewhere")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_PATCH = do_PUT = reply  # noqa: N815  the names that the server asks for

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def service() -> Iterator[Comments]:
    server = Comments()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def github(service: Comments, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "event.json").write_text('{"pull_request": {"number": 7}}')
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "ann/flows",
        "GITHUB_API_URL": service.url,
        "GITHUB_GRAPHQL_URL": f"{service.url}/graphql",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_TOKEN": "secret",
    }


def gitlab(service: Comments) -> dict[str, str]:
    return {
        "GITLAB_CI": "true",
        "CI_PROJECT_ID": "12",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_API_V4_URL": service.url,
        "WFC_GITLAB_TOKEN": "secret",
    }


@pytest.mark.parametrize("on", ["github", "gitlab"])
def test_a_comment_is_written_once_and_then_brought_up_to_date(
    on: str, service: Comments, tmp_path: Path
) -> None:
    service.kept = [{"id": number + 1, "body": f"something else {MARKER}", **BY_US} for number in range(149)]
    service.kept.append({"id": 150, "body": f"{MARKER}\nof a stranger", **BY_ANOTHER})
    where = conversation(github(service, tmp_path) if on == "github" else gitlab(service))
    assert post(f"{MARKER}\none", MARKER, where) == "written"
    assert post(f"{MARKER}\ntwo", MARKER, where) == "brought up to date"
    assert [each["body"] for each in service.kept if each["body"].startswith(MARKER)] == [
        f"{MARKER}\nof a stranger",
        f"{MARKER}\ntwo",
    ]
    assert len(service.kept) == 151
    base = "/repos/ann/flows/issues" if on == "github" else "/projects/12/merge_requests/7/notes"
    assert {path.partition("?")[0] for _, path in service.asked} == (
        {f"{base}/7/comments", f"{base}/comments/151", "/graphql"}
        if on == "github"
        else {base, f"{base}/151", "/user"}
    )
    assert service.tokens == {"Bearer secret" if on == "github" else "secret"}


@pytest.mark.parametrize("status", [302, 403, 500])
def test_a_service_that_refuses(status: int, service: Comments, tmp_path: Path) -> None:
    service.refuses = status
    with pytest.raises(PostingError, match=f"answers {status}") as error:
        post(MARKER, MARKER, conversation(github(service, tmp_path)))
    assert "secret" not in str(error.value)
    assert len(service.asked) == 1


def test_a_service_that_is_not_there() -> None:
    where = Conversation(
        "http://127.0.0.1:9/c", "http://127.0.0.1:9/c/{}", {}, "PATCH", "", ("user", "login")
    )
    with pytest.raises(PostingError, match="cannot be asked"):
        post(MARKER, MARKER, where)


@pytest.mark.parametrize("gone", ["GITHUB_ACTIONS", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH", "GITHUB_TOKEN"])
def test_where_there_is_no_pull_request(
    gone: str, service: Comments, wfc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is told, and fails nothing."""
    for name in ("GITLAB_CI", *github(service, tmp_path)):
        monkeypatch.delenv(name, raising=False)
    for name, value in github(service, tmp_path).items():
        if name != gone:
            monkeypatch.setenv(name, value)
    put(tmp_path, greet=SPEC)
    done = wfc("ci", "--post")
    assert done.status == 0
    assert "no comment was written: " in done.err
    assert not service.asked


def test_an_address_of_no_web_is_refused(service: Comments, tmp_path: Path) -> None:
    with pytest.raises(PostingError, match="none of the web"):
        conversation({**github(service, tmp_path), "GITHUB_API_URL": "file:///etc"})


# --- the files that call it


def test_the_files_call_nothing_but_this_command() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    gitlab = yaml.safe_load((ROOT / ".gitlab/wfc.yml").read_text("utf-8"))["wfc"]["script"]
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["entry"] == "wfc ci"
    for script in ("\n".join(scripts), "\n".join(gitlab)):
        called = [line.split() for line in script.splitlines() if line.lstrip().startswith("wfc ")]
        assert [words[:2] for words in called] == [["wfc", "ci"]]
    # what somebody writes in a pull request is never part of a script
    assert not any("${{" in script for script in scripts)


def folder_with_wfc(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which `wfc` is this one, and `python` installs nothing."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("wfc", f'exec "{Path(sys.executable).parent}/wfc" "$@"'), ("python", "exit 0")):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}


def put_on_branch(tmp_path: Path, repository: Path) -> None:
    """Clone a repository with a good spec, as a pipeline does."""
    origin = tmp_path / "origin"
    origin.mkdir()
    put(origin, greet=SPEC)
    git(origin, "init", "-q", "-b", "main")
    git(origin, "add", "greet.yaml")
    git(origin, "commit", "-qm", "before")
    git(tmp_path, "clone", "-q", str(origin), str(repository))


@pytest.mark.full
@pytest.mark.parametrize("is_good", [True, False])
def test_the_scripts_of_the_action_do_what_they_say(is_good: bool, service: Comments, tmp_path: Path) -> None:
    repository = tmp_path / "repository with blanks"
    put_on_branch(tmp_path, repository)
    put(repository, greet=SPEC if is_good else SPEC.replace("kind: transform", "kind: trnsform"))
    environment = {
        **folder_with_wfc(tmp_path),
        **github(service, tmp_path),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "INSTALL": "wfc-workflows",
        "PATHS": ".",
        "OPTIONS": "",
        "COMMENT": "true",
    }
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    for step in action["runs"]["steps"]:
        if "run" in step:
            bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                bash, cwd=repository, env=environment, capture_output=True, text=True, check=False
            )
    assert done.returncode == (0 if is_good else 1), done.stderr
    assert len(service.kept) == 1
    assert service.kept[0]["body"] == (tmp_path / "summary.md").read_text("utf-8")
    assert ("nothing fails" in service.kept[0]["body"]) == is_good
    assert ("::error " in done.stdout) != is_good
    assert (tmp_path / "wfc.xml").exists()
    json.loads((tmp_path / "wfc.sarif").read_text("utf-8"))


@pytest.mark.full
def test_the_script_for_gitlab_does_what_it_says(service: Comments, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    put_on_branch(tmp_path, repository)
    job = yaml.safe_load((ROOT / ".gitlab/wfc.yml").read_text("utf-8"))["wfc"]
    environment = {
        **folder_with_wfc(tmp_path),
        **gitlab(service),
        **job["variables"],
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main",
    }
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(job["script"])],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert service.kept[0]["body"] == (repository / "wfc.md").read_text("utf-8")
    assert all((repository / name).exists() for name in ("wfc.sarif", job["artifacts"]["reports"]["junit"]))


@pytest.mark.full
def test_a_team_starts_with_the_three_files_of_the_page(wfc, service: Comments, tmp_path: Path) -> None:
    """An empty repository gets them as they are written, and then a pull request that asks people less often."""
    workflow, config = shown("docs/review.md", "yaml")
    spec = shown("README.md", "yaml")[0]
    origin, repository = tmp_path / "origin", tmp_path / "repository"
    (origin / "specs").mkdir(parents=True)
    (origin / ".github/workflows").mkdir(parents=True)
    (origin / ".github/workflows/wfc.yml").write_text(workflow, encoding="utf-8")
    (origin / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    (origin / "wfc-policy.yaml").write_text(wfc("policy", "starter").out, encoding="utf-8")
    (origin / "specs/refund.yaml").write_text(spec, encoding="utf-8")
    git(origin, "init", "-q", "-b", "main")
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "three files")
    git(tmp_path, "clone", "-q", str(origin), str(repository))
    changed = spec.replace('when: event.amount > "100"', 'when: event.amount > "500"')
    (repository / "specs/refund.yaml").write_text(changed, encoding="utf-8")
    git(repository, "commit", "-qam", "people are asked from 500 on")

    (job,) = yaml.safe_load(workflow)["jobs"].values()
    given = job["steps"][-1]["with"]
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert set(given) <= set(action["inputs"])
    environment = {
        **folder_with_wfc(tmp_path),
        **github(service, tmp_path),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATHS": given["paths"],
        "OPTIONS": action["inputs"]["options"]["default"],
        "COMMENT": action["inputs"]["comment"]["default"],
    }
    script = action["runs"]["steps"][-1]["run"]
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    (comment,) = service.kept
    (id,) = re.findall(r"`approval-condition-changed` ([0-9a-f]{12})\. ", comment["body"])
    (command,) = re.findall(r"approve it with `(.*?)`", comment["body"])
    words = command.replace("ID", id).replace("REASON", "agreed").split()
    approved = subprocess.run(
        words, cwd=repository, env=environment, capture_output=True, text=True, check=False
    )
    assert approved.returncode == 0, approved.stderr
    assert id in (repository / "wfc-approvals.txt").read_text("utf-8")
    (hook,) = yaml.safe_load(config)["repos"][0]["hooks"]
    (known,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["id"] == known["id"]
    entry = subprocess.run(
        known["entry"].split(), cwd=repository, env=environment, capture_output=True, text=True, check=False
    )
    assert [line.split()[:2] for line in entry.stdout.splitlines() if line.startswith(("check", "test"))] == [
        ["check", "passed"],
        ["test", "passed"],
    ]


FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(page: str, language: str) -> list[str]:
    return [text for kind, text in FENCE.findall((ROOT / page).read_text("utf-8")) if kind == language]


def test_the_comment_that_the_page_shows_is_a_real_one(wfc, tmp_path: Path) -> None:
    put(tmp_path, refund=shown("README.md", "yaml")[0], wfc_policy=shown("docs/policy.md", "yaml")[0])
    assert wfc("ci", "--comment", "comment.md").status == 1
    page = (ROOT / "docs/review.md").read_text("utf-8")
    quoted = [line.removeprefix(">").strip() for line in page.splitlines() if line.startswith(">")]
    written = (tmp_path / "comment.md").read_text("utf-8").splitlines()
    assert [line for line in quoted if line] == [
        line for line in written if line and not line.startswith("<")
    ]


@pytest.mark.full
def test_the_files_fit_their_published_schemas(tmp_path: Path) -> None:
    workflow, config = shown("docs/review.md", "yaml")
    (tmp_path / "workflow.yml").write_text(workflow, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(config, encoding="utf-8")
    for schema, file in (
        ("vendor.github-actions", ROOT / "action.yml"),
        ("vendor.github-workflows", tmp_path / "workflow.yml"),
        ("vendor.gitlab-ci", ROOT / ".gitlab/wfc.yml"),
    ):
        program = shutil.which("check-jsonschema", path=Path(sys.executable).parent)
        assert program is not None, "it comes with the extra `test`"
        done = subprocess.run(
            [program, "--builtin-schema", schema, str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    from pre_commit.clientlib import load_config, load_manifest

    assert [hook["id"] for hook in load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))] == ["wfc"]
    assert [
        hook["id"] for each in load_config(str(tmp_path / "config.yaml"))["repos"] for hook in each["hooks"]
    ] == ["wfc"]
