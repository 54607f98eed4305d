"""A trial of ``wfc mcp``: ten plain briefs, and a scripted model that knows no right spec and mends by what it is told.

It begins with a draft of the kind that models write who have learnt other systems. It applies the fixes of findings as
they come over the protocol, writes a name that a hint gives, and only where a finding has neither does it know what
somebody knows who has read the explanation of its code. Nothing else leads it; so a finding that is missing, misplaced
or misleading leaves a brief without a spec that passes the tests, which were written from the words of the brief.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

FOLDER: Final = Path(__file__).parent
BRIEFS: Final = yaml.safe_load((FOLDER / "mcp_briefs.yaml").read_text(encoding="utf-8"))
TESTS: Final = yaml.safe_load((FOLDER / "mcp_briefs_tests.yaml").read_text(encoding="utf-8"))
MOST_ROUNDS: Final = 6

NAMED: Final = re.compile(r"(?:write|there is|did you mean) `([^`]+)`\??(?:; else .+)?")
"""A hint that begins with one name, which is to stand where the finding is, if nothing else is meant."""


class Author:
    """A scripted model before one brief.

    Args:
        call: Calls a tool of the server, and gives its structured answer.
    """

    def __init__(self, call: Any, brief: dict[str, Any]) -> None:
        self.call = call
        self.text: str = brief["draft"]
        self.knows: dict[str, list[str]] = dict(brief.get("knows", {}))
        self.by = {"fix": 0, "hint": 0, "knows": 0}

    async def write(self) -> str:
        """Return a spec without a finding; the draft as it stands when nothing leads further."""
        for _ in range(MOST_ROUNDS):
            checked = await self.call("check", text=self.text)
            if checked["clean"] or not await self.mend(checked["findings"]):
                break
        return self.text

    async def mend(self, findings: list[dict[str, Any]]) -> bool:
        """Change the draft by what findings say, from its end so that their places hold; return whether it changed."""
        edits: set[tuple[int, int, str]] = set()
        known: list[list[str]] = []
        for each in findings:
            stretch = each["start"]["offset"], each["end"]["offset"]
            if each["fix"] is not None:
                if each["fix"]["applicability"] != "display":  # which a person would have to finish
                    edits |= {
                        (one["start"]["offset"], one["end"]["offset"], one["text"])
                        for one in each["fix"]["edits"]
                    }
                    self.by["fix"] += 1
            elif named := NAMED.fullmatch(each["hint"]):
                edits.add((*stretch, named[1]))
                self.by["hint"] += 1
            elif each["code"] in self.knows:
                assert each["code"] in (await self.call("explain", code=each["code"]))["report"]
                known.append(self.knows.pop(each["code"]))
                self.by["knows"] += 1
        for start, end, new in sorted(edits, reverse=True):
            self.text = self.text[:start] + new + self.text[end:]
        for old, new in known:
            self.text = self.text.replace(old, new)
        return bool(edits or known)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(list(BRIEFS)[1:4], id="three"),
        pytest.param(list(BRIEFS), id="ten", marks=pytest.mark.full),
    ],
)
def test_briefs_become_specs_by_what_the_tools_say(names: list[str], tmp_path: Path) -> None:

    async def trial() -> list[tuple[str, dict[str, int]]]:
        program = "import sys; from wfc.compiler.cli import main; sys.exit(main(['mcp', sys.argv[1]]))"
        server = StdioServerParameters(command=sys.executable, args=["-c", program, str(tmp_path)])
        async with Client(stdio_client(server)) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                answer = await client.call_tool(tool, arguments)
                assert not answer.is_error, (tool, arguments, answer.content[0].text)
                return answer.structured_content

            assert "wfc: 1" in (await client.read_resource("wfc://skill")).contents[0].text
            return await asyncio.gather(*(tried(name, call) for name in names))

    outcomes = asyncio.run(trial())
    assert [problem for problem, _ in outcomes if problem] == []
    if len(names) < len(BRIEFS):
        return
    by = {way: sum(each[way] for _, each in outcomes) for way in ("fix", "hint", "knows")}
    assert by["fix"] >= 18, by
    assert by["hint"] >= 3, by
    assert by["knows"] <= 3, by  # whatever needs more knowledge than the tools give is a hint that is missing


async def tried(name: str, call: Any) -> tuple[str, dict[str, int]]:
    """Have one brief written; return what is wrong with the spec, or nothing, and by what it was led."""
    author = Author(call, BRIEFS[name])
    assert (await call("check", text=author.text))["clean"] is False, name
    spec = await author.write()
    tests = yaml.safe_dump({"tests": TESTS[name]}, sort_keys=False)
    judged = await call("test", text=f"{spec}{tests}")
    if (judged["passed"], judged["failed"], judged["not_run"]) != (len(TESTS[name]), 0, 0):
        return f"{name}:\n{spec}\n{judged['report']}", author.by
    drawn = (await call("graph", text=spec))["graph"]
    kinds = (await call("schema", name="step"))["report"]
    for step, said in yaml.safe_load(spec)["steps"].items():
        assert step in drawn, (name, step)
        assert f'"{said["kind"]}"' in kinds, (name, step)
    return "", author.by


def test_there_are_ten_and_their_tests_stand_apart() -> None:
    assert len(BRIEFS) == 10
    assert BRIEFS.keys() == TESTS.keys()
    assert all(TESTS[name] and "tests:" not in brief["draft"] for name, brief in BRIEFS.items())
