"""Without an optional package, what needs it says how to install it; all else works."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, sys
sys.modules[{package!r}] = None  # as if it were not installed
from wfc.runtime import Context, McpServer, Model, StartEvent, StopEvent, Workflow, step

class Begun(StartEvent):
    pass

class Try(Workflow):
    @step
    async def act(self, ctx: Context, event: Begun) -> StopEvent:
        {call}
        return StopEvent()

async def main():
    await Try().run()

try:
    asyncio.run(main())
except Exception as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("package", "call", "said"),
    [
        ("httpx2", "await ctx.http('GET', 'http://127.0.0.1:9')", "pip install 'wfc-workflows[http]'"),
        pytest.param(
            "pydantic_ai",
            "await ctx.llm(Model('openai:gpt'), 'Hello')",
            "pip install 'wfc-workflows[models]'",
            marks=pytest.mark.full,
        ),
        pytest.param(
            "mcp",
            "await ctx.mcp(McpServer(url='http://127.0.0.1:9'), 'a', {})",
            "pip install 'wfc-workflows[mcp]'",
            marks=pytest.mark.full,
        ),
        pytest.param("pydantic_ai", "pass", "", marks=pytest.mark.full),
    ],
)
def test_a_missing_package_is_told_with_what_installs_it(package: str, call: str, said: str) -> None:
    program = PROGRAM.format(package=package, call=call)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said in done.stdout
    assert bool(done.stdout) is bool(said)
