"""``wfc mcp``: tools for language models that write specs, driven by the official client, and by hostile ones."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from wfc.compiler.cli.drafting.asking import ask
from wfc.compiler.cli.drafting.looking import answer
from wfc.compiler.cli.skill import skill_text

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text(encoding="utf-8")
WRONG = GREET.replace("accepts: Asked", "accepts: Aksed")


def connected(folder: Path, mode: Any = "auto") -> Client:
    """A client of a server of its own, in a process as programs for agents start it."""
    program = "import sys; from wfc.compiler.cli import main; sys.exit(main(['mcp', sys.argv[1]]))"
    return Client(
        stdio_client(StdioServerParameters(command=sys.executable, args=["-c", program, str(folder)])),
        mode=mode,
    )


def test_a_client_leads_a_spec_from_a_finding_to_tests_that_pass(tmp_path: Path) -> None:
    async def talk() -> None:
        async with connected(tmp_path) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert set(tools) == {"check", "explain", "schema", "test", "diff", "graph", "fmt"}
            assert all(
                each.annotations is not None and each.annotations.read_only_hint for each in tools.values()
            )
            found = await client.call_tool("check", {"text": WRONG})
            assert found.structured_content["clean"] is False
            assert found.structured_content["findings"][0]["hint"] == "did you mean `Asked`?"
            assert "unknown-event" in found.content[0].text
            tested = await client.call_tool("test", {"text": GREET})
            assert (tested.structured_content["passed"], tested.structured_content["failed"]) == (1, 0)
            read = await client.read_resource("wfc://skill")
            assert read.contents[0].text == skill_text()
            refused = await client.call_tool("check", {"path": "../../etc/x.yaml"})
            assert refused.is_error
            assert (await client.call_tool("delete", {})).is_error
            with pytest.raises(MCPError):
                await client.read_resource("file:///etc/passwd")
            assert not (await client.call_tool("check", {"text": GREET})).is_error  # it goes on

    asyncio.run(talk())


@pytest.mark.full
def test_a_client_of_the_protocol_before_is_served_too(tmp_path: Path) -> None:
    (tmp_path / "greet.yaml").write_text(GREET, encoding="utf-8")

    async def talk() -> None:
        async with connected(tmp_path, mode="legacy") as client:
            calls: list[dict[str, str]] = [{"path": "greet.yaml"}, {"text": WRONG, "path": "greet.yaml"}]
            found = await asyncio.gather(*(client.call_tool("check", each) for each in calls * 3))
            assert [each.structured_content["clean"] for each in found] == [True, False] * 3
            drawn = await client.call_tool("graph", {"path": "greet.yaml"})
            assert "flowchart" in drawn.content[0].text
            said = await client.call_tool("explain", {"code": "unknown-event"})
            assert "\x1b" not in said.content[0].text

    asyncio.run(talk())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is served, with things around it that are none of the client's business."""
    (tmp_path / "outside.yaml").write_text(GREET, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("")  # the project's root lies above the folder
    served = tmp_path / "served"
    served.mkdir()
    (served / ".env").write_text("KEY=the-secret")
    (served / "greet.yaml").write_text(GREET, encoding="utf-8")
    (served / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (served / "folder").symlink_to(tmp_path)
    (served / "plain.yaml").symlink_to(served / ".env")
    monkeypatch.chdir(served)
    return served


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../outside.yaml",
            "/etc/passwd",
            "link.yaml",
            "folder/outside.yaml",
            "plain.yaml",
            ".env",
            "greet.yaml/..",
        ),
        *(
            "./../outside.yaml",
            "a/../../outside.yaml",
            "..\\outside.yaml",
            "C:x.yaml",
            "x\0.yaml",
            "a\nb.yaml",
        ),
        *(
            "x" * 600 + ".yaml",
            "",
            ".",
            "folder",
            "none.yaml",
            "\udc80.yaml",
            "greet.txt",
            "\u202egreet.yaml",
        ),
    ],
)
@pytest.mark.parametrize("name", ["check", "test", "graph"])
def test_paths_that_lead_elsewhere_are_refused(folder: Path, name: str, path: str) -> None:
    found = answer(name, {"path": path})
    assert list(found) == ["error"]
    assert found["error"].isprintable()
    assert "KEY" not in found["error"]


FILE = """\
wfc: 1
workflow: leaking
start: Asked
end: Told
texts: {leaked: {file: "PLACE"}}
events: {Asked: {}, Told: {text: string}}
steps:
  tell: {kind: transform, accepts: Asked, emit: {event: Told, with: {text: "{% use leaked %}"}}}
tests:
  - {name: what does it say, start: {}, expect: {end: Told, with: {text: x}}}
"""


@pytest.mark.parametrize(
    "place", [".env", "plain.yaml", "../outside.yaml", "folder/outside.yaml", "link.yaml"]
)
def test_no_spec_reads_what_is_hidden_or_outside(folder: Path, place: str) -> None:
    for name in ("check", "test"):
        found = answer(name, {"text": FILE.replace("PLACE", place)})
        assert "no-such-file" in found["report"] or "file-outside-project" in found["report"]
        assert "the-secret" not in str(found)
        assert "workflow: greet" not in str(found)


def test_what_lies_in_the_folder_is_read(folder: Path) -> None:
    (folder / "told.md").write_text("told")
    found = answer("test", {"text": FILE.replace("PLACE", "told.md")})
    assert "told" in found["tests"][0]["problems"][0]


ACTING = """\
wfc: 1
workflow: acting
start: Asked
end: Told
tools: {act: {python: "acting:act", output: string}}
events: {Asked: {}, Told: {text: string}}
steps:
  act: {kind: tool, accepts: Asked, tool: act, emit: {event: Told, with: {text: "${{ result }}"}}}
tests:
  - {name: mocked, start: {}, mock: {act: nothing}, expect: {end: Told}}
  - {name: real, start: {}, real: [act], expect: {end: Told}}
"""


def test_no_test_acts(folder: Path) -> None:
    (folder / "acting.py").write_text("open('acted', 'w')\ndef act(): open('acted', 'w')\n")
    found = answer("test", {"text": ACTING})
    assert [each["outcome"] for each in found["tests"]] == ["passed", "not run"]
    assert (found["passed"], found["failed"], found["not_run"]) == (1, 0, 1)
    assert not (folder / "acted").exists()


@pytest.mark.parametrize(
    "text",
    [
        *("", "\0", "\ud800", "{", "[" * 5000, "wfc: 1\n" + "x" * 5_000_000, "- " * 3000, "a: &a [*a]"),
        "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]),
        "wfc: 1\nworkflow: x\n" + "".join(f"k{n}: 1\n" for n in range(5000)),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_are_findings(folder: Path, text: str) -> None:
    found = answer("check", {"text": text})
    assert "error" in found or (found["findings"] and len(found["findings"]) <= 50)
    assert len(str(found)) < 400_000


def test_calls_that_do_not_fit_are_refused() -> None:
    from wfc.compiler.cli.drafting.mcp_server import problem_of

    assert problem_of("check", {"text": "a"}) == ""
    assert "there is no tool" in problem_of("rm", {})
    assert "takes no `x`" in problem_of("check", {"x": "y"})
    assert "is a text" in problem_of("check", {"text": 5})
    assert "needs `code`" in problem_of("explain", {})


def test_unknown_codes_and_parts_are_told(folder: Path) -> None:
    assert "no finding has the code" in answer("explain", {"code": "x\x1b[2J"})["error"]
    assert "there is no part" in answer("schema", {"name": "llm_stepp"})["error"]
    assert "llm_step" in answer("schema", {})["names"]


def test_a_change_is_told(folder: Path) -> None:
    found = answer("diff", {"old_path": "greet.yaml", "text": GREET.replace("Hello", "Good day")})
    assert any(each["rule"] == "filled-changed" for each in found["changes"])


def test_what_takes_too_long_is_given_up(tmp_path: Path) -> None:
    assert ask(tmp_path, "check", {"text": GREET}, seconds=0.01) == {"error": "it takes longer than 10 ms"}
    assert "more than" in ask(tmp_path, "check", {"text": "x" * 10_000_001})["error"]


@pytest.mark.full
def test_the_process_knows_no_secrets_and_trusts_no_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "the-secret")
    monkeypatch.setattr(sys, "executable", str(stand_in(tmp_path)))
    found = ask(tmp_path, "check", {"text": GREET})
    assert "no answer" in found["error"]
    assert "SOME_API_KEY" not in (tmp_path / "seen").read_text()
    assert "WFC_TRUST" not in (tmp_path / "seen").read_text()
    assert "PATH" in (tmp_path / "seen").read_text()


def stand_in(folder: Path) -> Path:
    """An executable that notes what it is given, in place of Python."""
    path = folder / "stand_in"
    path.write_text(f"#!/bin/sh\nenv > '{folder}/seen'\n")
    path.chmod(0o755)
    return path


def test_without_the_package_it_says_what_to_install(wfc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wfc.compiler.cli.mcp.find_spec", lambda name: None)
    done = wfc("mcp")
    assert done.status == 1
    assert "wfc-workflows[mcp]" in done.err
    assert wfc("mcp", "no_such_folder").status == 2
