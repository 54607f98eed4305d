"""``wfc serve --author``: files of one folder and no others, what editors ask, tests, proposals; for authors alone."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.authoring.endpoints import Desk, endpoints_of
from wfc.compiler.cli.authoring.folder import SpecFolder
from wfc.compiler.cli.authoring.trying import Trials

if "asgi_client" not in sys.modules:
    _FOUND = importlib.util.spec_from_file_location(
        "asgi_client", Path(__file__).parents[2] / "runtime/server/asgi_client.py"
    )
    assert _FOUND is not None
    assert _FOUND.loader is not None
    sys.modules["asgi_client"] = _module = importlib.util.module_from_spec(_FOUND)
    _FOUND.loader.exec_module(_module)
from asgi_client import Client, serving

GREET = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
events:
  Asked: {name: string}
  Greeted: {text: string}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit: {event: Greeted, with: {text: "Hello ${{ event.name }}"}}
tests:
  - {name: it greets, start: {name: Ann}, expect: {end: Greeted, with: {text: Hello Ann}}}
"""
JSON = ("Content-Type", "application/json")

Writing = Callable[[Callable[[Client], Awaitable[None]]], None]


@pytest.fixture
def writing(tmp_path: Path) -> Writing:
    """Runs a coroutine function with a client of a server with authors, whose specs are in ``tmp_path/specs``."""
    folder = tmp_path / "specs"
    (folder / "more").mkdir(parents=True)
    (folder / "greet.yaml").write_text(GREET)

    def run(use: Callable[[Client], Awaitable[None]]) -> None:
        async def main() -> None:
            desk = Desk(SpecFolder(str(folder)), Trials(str(folder)))
            async with serving(tmp_path, beside=endpoints_of(desk)) as client, asyncio.timeout(240):
                await use(client)

        asyncio.run(main())

    return run


async def put(client: Client, path: str, text: object, *headers: tuple[str, str]) -> Any:
    return await client.send(
        "PUT", f"/v1/files/{path}", json.dumps({"text": text}).encode(), [JSON, *headers]
    )


def test_a_file_is_listed_read_and_saved(writing: Writing, tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        (listed,) = (await client.get("/v1/files")).json["files"]
        assert (listed["path"], listed["is_spec"], listed["errors"]) == ("greet.yaml", True, 0)
        read = await client.get("/v1/files/greet.yaml")
        assert read.json["text"] == GREET
        assert read.headers["etag"] == f'"{listed["etag"]}"'
        changed = GREET.replace("Hello", "Good day, é")
        saved = await put(client, "greet.yaml", changed, ("If-Match", read.headers["etag"]))
        assert saved.status == 200
        assert (tmp_path / "specs/greet.yaml").read_text(encoding="utf-8") == changed
        lost = await put(client, "greet.yaml", GREET, ("If-Match", read.headers["etag"]))
        assert (lost.status, lost.code) == (412, "file.changed")
        assert (lost.json["theirs"], lost.json["yours"]) == (changed, GREET)
        assert lost.json["etag"] == saved.json["etag"]
        new = await put(client, "more/other.yaml", GREET, ("If-None-Match", "*"))
        assert new.status == 200
        again = await put(client, "more/other.yaml", "", ("If-None-Match", "*"))
        assert (again.status, again.json["theirs"]) == (412, GREET)
        unseen = await put(client, "greet.yaml", GREET)
        assert (unseen.status, unseen.code) == (428, "file.unseen")
        gone = await put(client, "gone.yaml", GREET, ("If-Match", '"x"'))
        assert (gone.status, gone.json["theirs"]) == (412, None)
        assert sorted(one.name for one in (tmp_path / "specs").rglob("*") if one.is_file()) == [
            "greet.yaml",
            "other.yaml",
        ]
        audit = (await client.get("/v1/audit?action=save_file")).json["entries"]
        assert {(one["target"], one["result"]) for one in audit} >= {
            ("greet.yaml", "200"),
            ("greet.yaml", "file.changed"),
        }

    writing(use)


def test_of_two_who_save_at_once_one_is_told(writing: Writing) -> None:
    async def use(client: Client) -> None:
        seen = ("If-Match", (await client.get("/v1/files/greet.yaml")).headers["etag"])
        told = await asyncio.gather(*(put(client, "greet.yaml", f"{GREET}# {n}\n", seen) for n in range(8)))
        assert sorted(one.status for one in told) == [200] + [412] * 7

    writing(use)


OUTSIDE = [
    "../secret.yaml",
    "..%2fsecret.yaml",
    "%2e%2e/secret.yaml",
    "more/../../secret.yaml",
    "..\\secret.yaml",
    "/etc/passwd",
    "%2Fetc%2Fx.yaml",
    "greet.yaml%00.png",
    "linked.yaml",
    "linked/secret.yaml",
    ".git/x.yaml",
    ".wfc/x.yaml",
    ".hidden.yaml",
    "code.py",
    "pyproject.toml",
    "C:x.yaml",
    "nul.yaml",
    "a" * 150 + ".yaml",
    "a/" * 20 + "x.yaml",
    "\u202efile.yaml",
    "more",
    "greet.yaml/x.yaml",
]


def contents(folder: Path) -> dict[Path, bytes]:
    return {
        one: one.read_bytes() for one in folder.rglob("*.*") if one.is_file() and "runs.db" not in one.name
    }


def test_no_other_file_is_read_or_written(writing: Writing, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("secret: 1\n")
    specs = tmp_path / "specs"
    os.symlink(tmp_path / "secret.yaml", specs / "linked.yaml")
    os.symlink(tmp_path, specs / "linked")
    (specs / "code.py").write_text("print(1)\n")
    before = contents(tmp_path)

    async def use(client: Client) -> None:
        for path in OUTSIDE:
            sent = "".join(one if one.isascii() else "%E2%80%AE" for one in path)
            answer = await client.get(f"/v1/files/{sent}")
            assert answer.status == 404, (path, answer.body)
            assert b"secret: 1" not in answer.body
            for seen in (("If-None-Match", "*"), ("If-Match", '"x"')):
                assert (await put(client, sent, "mine", seen)).status in {404, 409}, path
            if "%" in path:
                continue
            for asked in ("check", "complete", "hover"):
                data = {"path": path, "text": GREET, **({} if asked == "check" else {"at": 3})}
                assert (await client.post(f"/v1/{asked}", data)).status == 404, path
            assert (await client.post("/v1/tests", {"path": path})).status == 404, path
        listed = (await client.get("/v1/files")).json["files"]
        assert [one["path"] for one in listed if "etag" in one] == ["greet.yaml"]

    writing(use)
    assert contents(tmp_path) == before


def test_a_file_that_is_no_text_or_too_large_is_told(writing: Writing, tmp_path: Path) -> None:
    (tmp_path / "specs/binary.yaml").write_bytes(b"\xff\xfe")
    (tmp_path / "specs/large.yaml").write_bytes(b"#" * 1_000_001)
    os.mkfifo(tmp_path / "specs/pipe.yaml")

    async def use(client: Client) -> None:
        assert (await client.get("/v1/files/binary.yaml")).code == "file.encoding"
        assert (await client.get("/v1/files/large.yaml")).code == "file.large"
        assert (await client.get("/v1/files/pipe.yaml")).code == "file.unknown"
        listed = {one["path"]: one.get("problem") for one in (await client.get("/v1/files")).json["files"]}
        assert listed["binary.yaml"] == "file.encoding"

    writing(use)


def test_what_editors_ask_is_told_in_places_as_javascript_counts_them(writing: Writing) -> None:
    async def use(client: Client) -> None:
        text = "# \U0001f600 é\n" + GREET.replace("${{ event.name }}", "${{ event.nmae }}")
        data = {"path": "greet.yaml", "text": text}
        (found,) = (await client.post("/v1/check", data)).json["findings"]
        units = text.encode("utf-16-le")
        assert units[2 * found["from"] : 2 * found["to"]].decode("utf-16-le") == "nmae"
        (edit,) = found["fix"]["edits"]
        mended = units[: 2 * edit["from"]].decode("utf-16-le") + edit["text"]
        mended += units[2 * edit["to"] :].decode("utf-16-le")
        assert (await client.post("/v1/check", data | {"text": mended})).json["findings"] == []
        at = len(text[: text.index("nmae")].encode("utf-16-le")) // 2
        told = (await client.post("/v1/complete", data | {"at": at})).json["proposals"]
        assert "name" in [one["label"] for one in told]
        assert all(one["from"] <= at == one["to"] for one in told)
        kind = len(text[: text.index("kind:")].encode("utf-16-le")) // 2
        shown = (await client.post("/v1/hover", data | {"text": mended, "at": kind + 1})).json
        assert "`kind`" in shown["said"] and (shown["from"], shown["to"]) == (kind, kind + 4)
        for at in (0, 10**6):
            assert (await client.post("/v1/complete", data | {"at": at})).status == 200
            assert (await client.post("/v1/hover", data | {"at": at})).status == 200
        for hostile in ("", "\0", "a: &a [*a]", "{" * 500, "\u202e", "wfc: 1\n" + "- " * 5000):
            answer = await client.post("/v1/check", data | {"text": hostile})
            assert answer.status in {200, 422}, answer.body

    writing(use)


def test_the_flow_has_called_workflows_within(writing: Writing) -> None:
    calls = "{kind: workflow, accepts: Asked, workflow: greet, with: {name: x}, emit: Done}"
    text = "wfc: 1\nworkflow: outer\nstart: Asked\nend: Done\nevents: {Asked: {}, Done: {text: string}}\n"

    async def use(client: Client) -> None:
        answer = await client.post(
            "/v1/draw", {"path": "outer.yaml", "text": f"{text}steps: {{ask: {calls}}}\n"}
        )
        assert answer.status == 200, answer.body
        drawn = answer.body.decode()
        assert 'data-opens="greet"' in drawn and drawn.count('<svg data-name="greet"') == 1
        assert "Greeted" in drawn

    writing(use)


def test_only_authors_may(writing: Writing) -> None:
    async def use(client: Client) -> None:
        paths = [("GET", "/v1/files"), ("GET", "/v1/files/greet.yaml"), ("PUT", "/v1/files/greet.yaml")]
        paths += [("POST", f"/v1/{one}") for one in ("check", "complete", "hover", "tests", "proposals")]
        paths += [("GET", "/v1/rehearsals/greet.yaml"), ("POST", "/v1/rehearsals")]
        paths += [("POST", f"/v1/{one}") for one in ("draw", "look", "patterns")]
        paths += [("GET", "/v1/proposals"), ("GET", "/v1/patterns")]
        for method, path in paths:
            for who in ("viewer", "starter", "answerer", "bob"):
                assert (await client.as_(who).send(method, path)).status == 403
            assert (await client.as_("").send(method, path)).status == 401
        described = (await client.get("/v1/openapi.json")).json["paths"]
        assert {path.replace("greet.yaml", "{path}") for _, path in paths} <= set(described)

    writing(use)


@pytest.mark.full
def test_tests_run_apart_without_our_secrets(
    writing: Writing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WFC_SERVER_KEY", "k" * 40)
    (tmp_path / "specs/spy.py").write_text(
        "import os\ndef look() -> str:\n    return str(sorted(os.environ))\n"
    )
    (tmp_path / "specs/json.py").write_text("raise SystemExit('this is not the json that was meant')\n")
    (tmp_path / "specs/spy.yaml").write_text(
        GREET.replace("workflow: greet", 'workflow: spy\ntools: {look: {python: "spy:look", output: string}}')
        .replace("kind: transform", "kind: tool\n    tool: look")
        .replace("Hello ${{ event.name }}", "${{ result }}")
        .replace("start: {name: Ann}, ", "start: {name: Ann}, real: [greet], ")
    )

    async def use(client: Client) -> None:
        told = (await client.post("/v1/tests", {"path": "greet.yaml"})).json
        assert told["passed"], told
        assert told["tests"] == [{"name": "it greets", "passed": True, "problem": ""}]
        wrong = await client.get("/v1/files/greet.yaml")
        text = GREET.replace("Hello Ann", "Hello Bob")
        await put(client, "greet.yaml", text, ("If-Match", wrong.headers["etag"]))
        told = (await client.post("/v1/tests", {"path": "greet.yaml"})).json
        assert not told["passed"]
        assert not told["tests"][0]["passed"] and "Hello Ann" in told["tests"][0]["problem"]
        spied = (await client.post("/v1/tests", {"path": "spy.yaml"})).json
        assert not spied["passed"]
        assert "PATH" in spied["tests"][0]["problem"]
        assert "WFC_SERVER_KEY" not in str(spied)

    writing(use)


@pytest.mark.full
def test_a_run_is_rehearsed_and_nothing_acts(writing: Writing, tmp_path: Path) -> None:
    acting = GREET.replace(
        "workflow: greet", "workflow: act\ntools: {act: {python: 'act:act', output: string}}"
    )
    acting = acting.replace("kind: transform", "kind: tool\n    tool: act").replace(
        "Hello ${{ event.name }}", "${{ result }}"
    )
    (tmp_path / "specs/act.yaml").write_text(
        acting.replace("start: {name: Ann}, ", "start: {name: Ann}, mock: {greet: Hello Ann}, ")
        + "  - {name: it acts, start: {name: Ann}, real: [greet], expect: {end: Greeted}}\n"
    )
    (tmp_path / "specs/act.py").write_text(
        "print('a module that talks')\ndef act() -> str:\n    open('acted', 'w')\n    return 'a'\n"
    )
    (tmp_path / "specs/broken.yaml").write_text(GREET.replace("end: Greeted\n", "end: Gone\n", 1))

    async def use(client: Client) -> None:
        known = (await client.get("/v1/rehearsals/act.yaml")).json
        assert [one["name"] for one in known["tests"]] == ["it greets", "it acts"]
        assert (
            known["tests"][0]["inputs"]
            == {"name": "Ann"}
            == dict.fromkeys(known["inputs"]["required"], "Ann")
        )
        wanted = {"path": "act.yaml", "test": "it greets"}
        told = (await client.post("/v1/rehearsals", {**wanted, "inputs": {"name": "Bo"}})).json
        assert told["result"] == {"event": "Greeted", "with": {"text": "Hello Ann"}}
        assert [(one["step"], one["status"], one["gave"]) for one in told["steps"]] == [
            ("greet", "done", "Greeted")
        ]
        assert told["messages"][0]["data"]["with"] == {"name": "Bo"}
        for change, status, said in (
            ({"test": "no such"}, 422, "has no test `no such`"),
            ({"test": "it acts"}, 422, "lets `greet` really act"),
            ({"inputs": {"name": 1}}, 422, "do not fit"),
            ({"path": "broken.yaml"}, 422, "it has errors"),
            ({"path": "../greet.yaml"}, 404, "there is no file"),
        ):
            refused = await client.post("/v1/rehearsals", {**wanted, **change})
            assert (refused.status, said in refused.json["detail"]) == (status, True), refused.json
            if "inputs" in change:
                assert refused.json["errors"][0]["pointer"] == "/inputs/name"

    writing(use)
    assert not list(tmp_path.rglob("acted"))


def test_what_takes_too_long_is_ended_with_all_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wfc.compiler.cli.authoring import trying
    from wfc.runtime.server.calls import Problem

    program = "import subprocess, sys; print(subprocess.Popen(['sleep', '99']).pid, flush=True); input() or 1"
    monkeypatch.setattr(trying, "_PROGRAM", program.replace("input() or 1", "import time; time.sleep(99)"))
    monkeypatch.setattr(trying, "ENDS_IN", 0.4)
    ended: list[int] = []
    before = trying._end
    monkeypatch.setattr(trying, "_end", lambda process: (ended.append(process.pid), before(process)))
    with pytest.raises(Problem, match="has not ended"):
        asyncio.run(Trials(str(tmp_path)).tested("greet.yaml"))
    (group,) = ended
    until = time.monotonic() + 120
    while is_there(group) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_there(group)


def is_there(group: int) -> bool:
    """Whether a group of processes has any that is no zombie."""
    found = subprocess.run(
        ["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    return any(line.split()[0] == str(group) and "Z" not in line.split()[1] for line in found.splitlines())


def git(folder: Path, *arguments: str) -> str:
    options = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    return subprocess.run(
        ["git", *options, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.full
def test_a_change_is_proposed_as_a_branch(writing: Writing, tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "add", "specs")
    git(tmp_path, "commit", "-qm", "first")
    hook = tmp_path / ".git/hooks/reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n")
    hook.chmod(0o755)
    changed = GREET.replace("{name: string}", "{name: string, title: string}").replace(
        "start: {name: Ann}", "start: {name: Ann, title: Dr}"
    )
    proposal = {"name": "titles", "about": "Take a title\n", "files": {"greet.yaml": changed}}

    async def use(client: Client) -> None:
        dry = await client.post("/v1/proposals?dry", proposal)
        assert dry.status == 200, dry.body
        assert "title" in json.dumps(dry.json["diff"]["changes"])
        assert git(tmp_path, "branch", "--list", "proposals/*") == ""
        made = await client.post("/v1/proposals", proposal)
        assert (made.status, made.json["branch"]) == (201, "proposals/titles")
        assert git(tmp_path, "show", "proposals/titles:specs/greet.yaml") == changed
        assert (specs / "greet.yaml").read_text() == GREET
        assert git(tmp_path, "log", "-1", "--format=%an|%s|%P", "proposals/titles").strip() == (
            f"user:ann|Take a title|{git(tmp_path, 'rev-parse', 'HEAD').strip()}"
        )
        assert git(tmp_path, "for-each-ref", "refs/wfc") == ""
        (listed,) = (await client.get("/v1/proposals")).json["proposals"]
        assert (listed["name"], listed["by"], listed["about"]) == ("titles", "user:ann", "Take a title")
        assert (await client.post("/v1/proposals", proposal)).code == "proposal.exists"
        for name in ("", "../x", "A", "x" * 61, "a b"):
            assert (await client.post("/v1/proposals", proposal | {"name": name})).code == "proposal.name"
        for path in ("../x.yaml", "code.py", 'a"b.yaml', "a\nM 100644 inline x.yaml"):
            answer = await client.post("/v1/proposals", proposal | {"files": {path: "a"}})
            assert answer.code == "file.unknown"
        assert (await client.post("/v1/proposals", proposal | {"files": {}})).code == "body.members"
        assert not (tmp_path / "owned").exists()

    writing(use)


def test_without_git_nothing_is_proposed(writing: Writing) -> None:
    async def use(client: Client) -> None:
        data = {"name": "a", "about": "b", "files": {"greet.yaml": "c"}}
        assert (await client.post("/v1/proposals", data)).code == "proposal.no_git"
        assert (await client.get("/v1/proposals")).code == "proposal.no_git"

    writing(use)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("greet.yaml", "--author"), "the folder whose specs are written"),
        ((".", "other", "--author"), "the folder whose specs are written"),
        ((".", "--author", "--host", "0.0.0.0"), "--author-remotely"),  # noqa: S104 - which is refused
    ],
)
def test_what_is_said_wrong_is_told(tmp_path: Path, wfc: Any, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "greet.yaml").write_text(GREET)
    done = wfc("serve", *arguments)
    assert done.status == 2
    assert said in done.err
