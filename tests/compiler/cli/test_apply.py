"""``wfc apply``: a revision comes to an installation that runs, what it means is told, and one goes back."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

_FOUND = importlib.util.spec_from_file_location(
    "serving_process", Path(__file__).with_name("serving_process.py")
)
assert _FOUND is not None
assert _FOUND.loader is not None
sys.modules["serving_process"] = _process = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(_process)
DESK, Serving = _process.DESK, _process.Serving


def git(folder: Path, *arguments: str) -> str:
    options = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    return subprocess.run(
        ["git", *options, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path, text: str) -> str:
    (folder / "specs").mkdir(exist_ok=True)
    (folder / "specs/desk.yaml").write_text(text)
    git(folder, "add", "specs")
    git(folder, "commit", "-qm", "a change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a spec, in which commands run."""
    git(tmp_path, "init", "-q", ".")
    commit(tmp_path, DESK)
    return tmp_path


OTHER = DESK.replace("May they have", "Shall they have")
BREAKS = DESK.replace("Wanted: {what: string}", "Wanted: {what: string, why: string}")


@pytest.mark.full
def test_a_revision_is_brought_told_and_taken_back(repository: Path, tmp_path: Path, wfc: Any) -> None:
    env = tmp_path / "env"
    first = git(repository, "rev-parse", "HEAD")

    def apply(*arguments: str) -> Any:
        return wfc("apply", *arguments, "--to", env, "--path", "specs")

    assert apply("HEAD").status == 0
    assert (env / "current/desk.yaml").read_text() == DESK
    second = commit(repository, OTHER)
    dry = apply("HEAD", "--dry-run")
    assert dry.status == 0
    assert "{+Shall+} they have" in dry.out
    assert (env / "current/desk.yaml").read_text() == DESK
    assert apply("HEAD").status == 0
    assert (env / "current/desk.yaml").read_text() == OTHER
    commit(repository, BREAKS)
    refused = apply("HEAD")
    assert refused.status == 1
    assert "`why` is new" in refused.out
    commit(repository, DESK.replace("kind: human", "kind: humann"))
    broken = apply("HEAD")
    assert broken.status == 1
    assert "has errors, and is not brought" in broken.err
    assert (env / "current/desk.yaml").read_text() == OTHER
    kept = {name.split("-")[0] for name in os.listdir(env / "releases")}
    assert kept == {first, second}  # nothing is left of what was refused
    assert apply("--back").status == 0
    assert (env / "current/desk.yaml").read_text() == DESK
    assert apply("--back").status == 1
    lines = apply("--history").out.splitlines()
    assert [("back" in line, line.split()[-2]) for line in lines] == [
        (False, first[:12]),
        (False, second[:12]),
        (True, first[:12]),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say what is brought"),
        (("HEAD", "--back"), "say what is brought"),
        (("nope",), "`nope` is no file"),
        (("--upload-pack=x",), "No such option"),
        (("HEAD", "--path", "nowhere"), "0 files in nowhere"),
    ],
)
def test_what_is_said_wrong_is_told(
    repository: Path, tmp_path: Path, wfc: Any, arguments: tuple[str, ...], said: str
) -> None:
    done = wfc("apply", *arguments, "--to", tmp_path / "env")
    assert done.status in {1, 2}
    assert said in done.err
    assert not (tmp_path / "env/current").exists()


def test_files_that_lead_elsewhere_are_left_out(repository: Path, tmp_path: Path, wfc: Any) -> None:
    os.symlink("/etc/passwd", repository / "specs/linked.txt")
    (repository / "specs/.env").write_text("SECRET=1\n")
    commit(repository, OTHER)
    assert wfc("apply", "HEAD", "--to", tmp_path / "env", "--path", "specs").status == 0
    assert os.listdir(tmp_path / "env/current") == ["desk.yaml"]


def test_two_parts_of_one_revision_are_two_releases(repository: Path, tmp_path: Path, wfc: Any) -> None:
    (repository / "others").mkdir()
    (repository / "others/other.yaml").write_text(OTHER)
    git(repository, "add", "others")
    commit(repository, OTHER)
    env = tmp_path / "-env"
    for part, found in (("specs", ["desk.yaml"]), ("others", ["other.yaml"]), ("specs/", ["desk.yaml"])):
        assert wfc("apply", "HEAD", f"--to={env}", "--path", part, "--fail-on", "nothing").status == 0
        assert os.listdir(env / "current") == found
    assert len(os.listdir(env / "releases")) == 2


def test_an_installation_without_a_revision_is_not_served(tmp_path: Path, wfc: Any) -> None:
    for arguments in (("--env", tmp_path), (".", "--env", tmp_path)):
        done = wfc("serve", *arguments)
        assert done.status == 2
        assert "--env is a folder to which `wfc apply` has brought something" in done.err


@pytest.mark.full
def test_a_server_takes_up_a_revision_and_runs_stay_on_theirs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wfc: Any
) -> None:
    monkeypatch.setenv("WFC_STORE", f"sqlite:///{tmp_path}/runs.db")
    env = tmp_path / "env"
    assert wfc("apply", "HEAD", "--to", env, "--path", "specs").status == 0
    server = Serving(tmp_path, "--env", str(env))
    reading = threading.Thread(target=server.process.stderr.read)
    reading.start()
    try:
        old = server.start("desk", 60, what="tea")["run"]
        before = server.call("GET", f"/v1/runs/{old}")[1]["version"]
        kept = (env / "current").rename(tmp_path / "elsewhere")
        time.sleep(2.5)  # it looks every second
        assert server.call("GET", f"/v1/runs/{old}")[0] == 200  # it serves on what it has
        kept.rename(env / "current")
        commit(repository, OTHER)
        assert wfc("apply", "HEAD", "--to", env, "--path", "specs").status == 0
        until, refused = time.monotonic() + 240, []
        while True:
            assert time.monotonic() < until, refused
            try:
                found = server.call("GET", "/v1/workflows")[1]
                if found["workflows"][0]["version"] != before:
                    break
            except (ConnectionError, OSError, json.JSONDecodeError) as error:
                refused.append(error)
            time.sleep(0.1)
        assert not [
            one for one in refused if isinstance(one, ConnectionRefusedError)
        ]  # its socket stays open
        new = server.start("desk", 60, what="tea")["run"]
        titles = {one["run"]: one["title"] for one in server.call("GET", "/v1/tasks")[1]["tasks"]}
        assert titles == {old: "May they have tea?", new: "Shall they have tea?"}
        for run in (old, new):
            task = next(one for one in server.call("GET", "/v1/tasks")[1]["tasks"] if one["run"] == run)[
                "task"
            ]
            link = server.call("POST", f"/v1/tasks/{task}/link", {"for": "user:eve"})[1]["token"]
            answer = {"answer": {"granted": True, "why": "it is four"}}
            assert server.call("POST", "/v1/links/task", answer, Authorization=f"Link {link}")[0] == 200
            while (status := server.call("GET", f"/v1/runs/{run}")[1]["status"]) != "done":
                assert time.monotonic() < until, status
                time.sleep(0.1)
        assert server.call("GET", f"/v1/runs/{old}")[1]["version"] == before
    finally:
        server.process.kill()
        server.process.wait()
        reading.join()
        server.process.stderr.close()
