"""The server of `wfc mcp`: what may be asked of specs, as tools over the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from wfc.compiler.cli.drafting.asking import ask
from wfc.compiler.cli.skill import skill_text

__all__ = ["serve", "server_of"]

SKILL: Final = "wfc://skill"
AT_ONCE: Final = 2
"""How many questions are worked on side by side; the others wait."""

INSTRUCTIONS: Final = (
    "Tools for workflows written as wfc specs (YAML). Before you write one read the resource wfc://skill: it is the"
    " language. Give `check` the spec's text, mend every finding, then `test` it, until both find nothing."
)
TEXT: Final = {"type": "string", "description": "The spec itself, as YAML."}
PATH: Final = {
    "type": "string",
    "description": "A spec's file, relative to the folder; with `text`, where that would lie.",
}
CLEAN: Final = {"clean": {"type": "boolean"}, "summary": {"type": "string"}, "findings": {"type": "array"}}


def tool(name: str, says: str, gives: Mapping[str, Any], /, *required: str, **arguments: Any) -> types.Tool:
    """Return a tool that reads and changes nothing."""
    taken = {
        "type": "object",
        "properties": arguments,
        "required": list(required),
        "additionalProperties": False,
    }
    given = {"type": "object", "properties": {"report": {"type": "string"}, **gives}, "required": ["report"]}
    hints = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    return types.Tool(name=name, description=says, input_schema=taken, output_schema=given, annotations=hints)


TOOLS: Final = {
    each.name: each
    for each in (
        tool(
            "check",
            "Find everything that is wrong with a spec: each finding with its place, its code and how to mend it.",
            CLEAN,
            text=TEXT,
            path=PATH,
        ),
        tool(
            "explain",
            "Explain the code of a finding, such as `unknown-event`: why it matters, an example, what mends it.",
            {},
            "code",
            code={"type": "string"},
        ),
        tool(
            "schema",
            "The JSON Schema of a part of specs, such as `llm_step`; without a name, of the file, and all names.",
            {"schema": {"type": "object"}, "names": {"type": "array", "items": {"type": "string"}}},
            name={"type": "string"},
        ),
        tool(
            "test",
            "Run the tests written in a spec: offline, with what stands under `mock`, and a clock that jumps.",
            {"passed": {"type": "integer"}, "failed": {"type": "integer"}, "tests": {"type": "array"}},
            text=TEXT,
            path=PATH,
            only={"type": "string", "description": "Run only tests whose names hold these words."},
        ),
        tool(
            "diff",
            "Tell what a change of a spec means, for security, callers, operators and reviewers.",
            {"changes": {"type": "array"}},
            old_text={**TEXT, "description": "The spec as it was."},
            old_path=PATH,
            text=TEXT,
            path=PATH,
        ),
        tool(
            "graph",
            "Draw the flow of a spec, as text.",
            {"graph": {"type": "string"}},
            text=TEXT,
            path=PATH,
            form={"type": "string", "enum": ["mermaid", "dot"]},
        ),
        tool(
            "fmt",
            "Write a spec in its canonical form, in which it means the same.",
            {"text": {"type": "string"}},
            "text",
            text=TEXT,
        ),
    )
}


def server_of(folder: Path) -> Server[Any]:
    """Return the server for the specs of a folder."""
    limit = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(TOOLS.values()))

    async def call_tool(context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        if wrong := problem_of(params.name, arguments):
            return refusal(wrong)
        found = await anyio.to_thread.run_sync(
            partial(ask, folder, params.name, arguments), limiter=limit, abandon_on_cancel=True
        )
        if "error" in found:
            return refusal(found["error"])
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=found["report"])], structured_content=found
        )

    async def list_resources(context: object, params: object) -> types.ListResourcesResult:
        says = "The language of wfc specs, with examples and how to work."
        skill = types.Resource(uri=SKILL, name="skill", description=says, mime_type="text/markdown")
        return types.ListResourcesResult(resources=[skill])

    async def read_resource(
        context: object, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(params.uri) != SKILL:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource but {SKILL}")
        text = types.TextResourceContents(uri=SKILL, mime_type="text/markdown", text=skill_text())
        return types.ReadResourceResult(contents=[text])

    return Server(
        "wfc",
        version=version("wfc-workflows"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def problem_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return what is wrong with a call; empty if nothing is."""
    known = TOOLS.get(name)
    if known is None:
        return f"there is no tool `{name[:100]}`; there are {', '.join(TOOLS)}"
    taken = known.input_schema["properties"]
    for each, value in arguments.items():
        if each not in taken:
            return f"`{name}` takes no `{each[:100]}`; it takes {', '.join(taken)}"
        if not isinstance(value, str):
            return f"`{each}` is a text"
    if missing := [each for each in known.input_schema["required"] if each not in arguments]:
        return f"`{name}` needs `{missing[0]}`"
    return ""


def refusal(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def serve(folder: Path) -> None:
    """Serve whoever has started this process, over standard input and output, until that ends."""

    async def run() -> None:
        server = server_of(folder)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
