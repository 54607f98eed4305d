"""``wfc tools pin``."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.config_texts import ConfigTexts
from wfc.compiler.cli.declared_tools import DeclaredTools, declared_tools
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.expressions import Template
from wfc.compiler.model import Auth, Header, McpServer, OAuth2, Secret
from wfc.compiler.resolve.declarations.lock_files import server_identity
from wfc.compiler.workspace.writing import write_whole
from wfc.schemas.lock import FORMAT, lock_path, pinned_tool

if TYPE_CHECKING:
    from wfc.runtime import calls
    from wfc.runtime.calls import bindings

__all__ = ["command"]

MOST_SHOWN = 40
"""How many lines of a difference are shown."""


@click.command("pin", cls=Command)
@click.argument("spec")
@click.argument("names", metavar="[SERVER]...", nargs=-1)
def command(spec: str, names: tuple[str, ...]) -> int:
    """Ask the MCP servers of a SPEC for their tools, and keep the answer in a file beside it.

    The file, NAME.lock.json for NAME.yaml, is what checks and compiled workflows go by: names, descriptions and
    schemas of tools, with their digests. Commit it. A server whose tools are others when a workflow runs is refused.
    What has changed since the last time is shown: descriptions are prompts that a stranger writes. Without the names
    of SERVERs, under `tools` in the spec, all are asked. Programs are started as by `wfc run`, if you have agreed.
    """
    found = declared_tools(spec)
    servers = found.servers
    for name in names:
        if name not in servers:
            known = ", ".join(f"`{each}`" for each in servers) or "none"
            raise click.UsageError(
                printable(f"{spec} has no MCP server `{name}` to pin under `tools`; it has {known}")
            )
    before = entries_in(lock_path(spec))
    after = {name: entry for name, entry in before.items() if name in servers}
    for name in names or servers:
        tool = servers[name]
        assert tool.mcp is not None
        after[name] = ask(name, tool.mcp.server, found)
        for line in differences(name, before.get(name), after[name]):
            click.echo(printable(line))
    if not servers:
        click.echo(printable(f"{spec} has no MCP servers to pin"), err=True)
        return 0
    data = {"wfc_lock": FORMAT, "servers": dict(sorted(after.items()))}
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    write_whole({lock_path(spec): text.encode()})
    click.echo(printable(f"{lock_path(spec)}: {len(after)} pinned"), err=True)
    return 0


def entries_in(path: str) -> dict[str, Any]:
    """Return the servers in a file as it is; nothing of one that is not there or not as it was written."""
    try:
        data = json.loads(Path(path).read_bytes())
        servers = data["servers"] if data["wfc_lock"] == FORMAT else {}
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return {}
    return servers if isinstance(servers, dict) else {}


def ask(name: str, server: McpServer, found: DeclaredTools) -> dict[str, Any]:
    """Return what a server says of its tools, as it stands in the file.

    Raises:
        click.ClickException: It cannot be asked, or tells a secret that it was given.
    """
    import asyncio

    from wfc.runtime import WorkflowError
    from wfc.runtime.calls.mcp import tools_of
    from wfc.runtime.calls.secrets import Revealed

    revealed = Revealed()

    try:
        wanted = as_binding(server, ConfigTexts(found.declared.config, os.path.dirname(found.path)))
        called, tools = asyncio.run(tools_of(wanted, revealed=revealed))
    except WorkflowError as error:
        raise click.ClickException(printable(f"`{name}` cannot be asked for its tools: {error}")) from None
    pinned = {
        tool.name: pinned_tool(tool.description or "", tool.input_schema, tool.output_schema)
        for tool in sorted(tools, key=lambda tool: tool.name)
    }
    for tool, entry in pinned.items():
        if revealed.hide_in_result({tool: entry}) != {tool: entry}:
            said = revealed.hide(f"`{name}` tells a secret that it was given, in its tool `{tool}`")
            raise click.ClickException(printable(f"{said}: it is not pinned, as the file would hold it"))
    return {**server_identity(server), "server": called, "tools": pinned}


def as_binding(server: McpServer, texts: ConfigTexts) -> bindings.McpServer:
    """Return a server as the runtime has it, with the expressions of config in it worked out.

    Raises:
        SettingsError: A value of the config is missing.
        click.ClickException: An expression is more than a name.
    """
    from wfc.runtime.calls.bindings import McpServer as Binding

    if server.program is not None:
        words = [server.program.program, *(texts.text(each.text) for each in server.program.arguments)]
        return Binding(command=words, env=named(server.program.env, texts), beside=texts.folder)
    assert server.url is not None
    return Binding(
        url=texts.text(server.url),
        headers=named(server.headers, texts),
        auth=authentication(server.auth, texts),
        beside=texts.folder,
    )


def named(given: Sequence[Header], texts: ConfigTexts) -> dict[str, str | calls.secrets.Secret]:
    """Return headers, or variables, by name."""
    return {each.name: value(each.value, texts) for each in given}


def value(given: Template | Secret, texts: ConfigTexts) -> str | calls.secrets.Secret:
    from wfc.runtime.calls.secrets import Secret as Binding

    return Binding(given.name) if isinstance(given, Secret) else texts.text(given)


def authentication(given: Auth | OAuth2 | None, texts: ConfigTexts) -> Any:
    """Return how one proves who asks."""
    from wfc.runtime.calls.bindings import Basic, Bearer
    from wfc.runtime.calls.secrets import Secret as Binding

    if isinstance(given, OAuth2):
        told = "a server with `oauth2` cannot be pinned yet: declare `args` and `output` of its tools"
        raise click.ClickException(told)
    if given is None:
        return None
    secret = Binding(given.secret.name)
    return Bearer(secret) if given.user is None else Basic(texts.text(given.user), secret)


def differences(name: str, before: Any, after: Mapping[str, Any]) -> list[str]:
    """Return what is different about a server's tools, line by line."""
    old = before.get("tools", {}) if isinstance(before, dict) else {}
    new = after["tools"]
    said = [f"{name}: {after['server'] or 'a server without a name'}, {len(new)} tools"]
    for tool in sorted({*old, *new}):
        if tool not in new:
            said.append(f"- {tool} is gone")
        elif tool not in old:
            said += [
                f"+ {tool}",
                *(f"    {line}" for line in new[tool]["description"].strip().splitlines()[:3]),
            ]
        elif old[tool] != new[tool]:
            said.append(f"! {tool} has changed")
            said += changed_lines(old[tool], new[tool])[:MOST_SHOWN]
    return said


def changed_lines(old: object, new: object) -> list[str]:
    """Return the lines of a tool that are different now; its digest always is."""
    first, second = (json.dumps(each, indent=1, sort_keys=True).splitlines() for each in (old, new))
    found = difflib.unified_diff(first, second, n=0, lineterm="")
    return [f"    {line}" for line in found if line[:2] not in {"--", "++", "@@"} and '"sha256"' not in line]
