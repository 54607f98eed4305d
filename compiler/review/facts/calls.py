"""What steps call, as facts: models, tools, requests, programs, agents."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model import (
    Agent,
    Approval,
    Auth,
    CallLimit,
    ChosenAddress,
    CommandLine,
    Header,
    HttpRequest,
    McpOperation,
    Model,
    OAuth2,
    OpenApiOperation,
    Secret,
    Tool,
    ToolUse,
    Value,
)
from wfc.compiler.model.agents import HandOver
from wfc.compiler.review.facts.places import Fact, Places
from wfc.compiler.review.facts.texts import expression, secret, text, value
from wfc.compiler.review.facts.types import fields, shape
from wfc.compiler.types import show
from wfc.schemas.spans import span

__all__ = ["agent", "command", "model", "request", "tool", "values"]


def values(places: Places, given: tuple[tuple[str, Value], ...]) -> dict[str, Fact]:
    """Return named values."""
    return {name: value(places, each) for name, each in given}


def model(places: Places, given: Model) -> Fact:
    """Return a model's binding."""
    return {
        "at": places.at(given.address),
        "use": given.use,
        "base_url": None if given.base_url is None else text(places, given.base_url),
        "api_key": None if given.api_key is None else given.api_key.name,
        "settings": dict(given.settings),
        "fallback": [each.name for each in given.fallback],
        "limit": _limit(given.limit),
    }


def _limit(given: CallLimit | None) -> Fact | None:
    if given is None:
        return None
    return {"rate": None if given.rate is None else list(given.rate), "at_once": given.at_once}


def tool(places: Places, given: Tool) -> Fact:
    """Return a tool's binding."""
    return {
        "at": places.at(given.address),
        "binding": _binding(given),
        "python": given.python,
        "request": None if given.request is None else request(places, given.request, given.address),
        "command": None if given.command is None else command(places, given.command, given.address),
        "mcp": None if given.mcp is None else _operation(places, given.mcp, given.address),
        "openapi": None if given.openapi is None else _described(places, given.openapi),
        "workflow": given.workflow,
        "args": fields(places, given.args) if given.declares_args else None,
        "output": {"type": shape(given.output), "text": show(given.output)},
        "secrets": {name: each.name for name, each in given.secrets},
        "read_only": given.read_only,
        "description": given.description,
        "timeout": given.timeout,
        "limit": _limit(given.limit),
    }


def _binding(given: Tool) -> str:
    kinds = {
        "python": given.python,
        "http": given.request,
        "command": given.command,
        "mcp": given.mcp,
        "openapi": given.openapi,
    }
    return next((kind for kind, there in kinds.items() if there is not None), "workflow")


def _described(places: Places, given: OpenApiOperation) -> Fact:
    """Return an operation of a service that an OpenAPI description describes."""
    service = given.service
    found: Fact = {
        "method": given.method,
        "path": given.path,
        "parameters": {each.arg: f"{each.name} in the {each.place}" for each in given.parameters},
        "body": list(given.body) if isinstance(given.body, tuple) else given.body,
    }
    if service is not None:
        found["url"] = service.server if service.base_url is None else text(places, service.base_url)
        found |= {"headers": _headers(places, service.headers), "auth": _auth(places, service.auth)}
    return found


def _operation(places: Places, given: McpOperation, address: Address) -> Fact:
    server = given.server
    return {
        "name": given.name,
        "pinned": given.pinned,
        "program": None if server.program is None else command(places, server.program, address),
        "url": None if server.url is None else text(places, server.url),
        "headers": _headers(places, server.headers),
        "auth": _auth(places, server.auth),
    }


def request(places: Places, given: HttpRequest, address: Address) -> Fact:
    """Return a request."""
    return {
        "at": places.at(address),
        "method": given.method,
        "url": _address(places, given.url),
        "query": values(places, given.query),
        "headers": _headers(places, given.headers),
        "auth": _auth(places, given.auth),
        "body": None if given.body is None else value(places, given.body),
    }


def _address(places: Places, url: Template | ChosenAddress) -> Fact:
    if isinstance(url, Template):
        return text(places, url)
    only = None if url.only is None else [each.text for each in url.only]
    return {**expression(places, url.given), "only": only}


def _headers(places: Places, given: tuple[Header, ...]) -> dict[str, Fact]:
    return {
        each.name: secret(each.value) if isinstance(each.value, Secret) else text(places, each.value)
        for each in given
    }


def _auth(places: Places, given: Auth | OAuth2 | None) -> Fact | None:
    if given is None:
        return None
    if isinstance(given, Auth):
        user = None if given.user is None else text(places, given.user)
        return {"scheme": given.scheme, "secret": given.secret.name, "user": user}
    return {
        "scheme": "oauth2",
        "url": text(places, given.url),
        "user": None if given.user is None else text(places, given.user),
        "secret": None if given.password is None else given.password.name,
        "scope": None if given.scope is None else text(places, given.scope),
        "body": values(places, given.body),
    }


def command(places: Places, given: CommandLine, address: Address) -> Fact:
    """Return a program that is started, and what it is given."""
    return {
        "at": places.at(address),
        "program": given.program,
        "arguments": [text(places, each.text) for each in given.arguments],
        "stdin": None if given.stdin is None else text(places, given.stdin),
        "env": _headers(places, given.env),
        "read_only": given.read_only,
    }


# --- agents


def agent(places: Places, given: Agent) -> Fact:
    """Return an agent: its model, what it is told, and what it may use; other agents by their names."""
    return {
        "at": places.at(given.address),
        "name": given.name,
        "model": None if given.model is None else given.model.name,
        "system": None if given.system is None else text(places, given.system),
        "prompt": None if given.prompt is None else text(places, given.prompt),
        "description": given.description,
        "output": {"type": shape(given.output), "text": show(given.output)},
        "tools": {each.tool.name: _use(places, each) for each in given.tools},
        "handoffs": {each.agent.name: _handover(places, each) for each in given.handoffs},
        "bounds": _plain(places, given.bounds),
        "sees": given.sees,
    }


def _plain(places: Places, given: Mapping[str, object]) -> Fact:
    return {
        name: expression(places, each) if isinstance(each, Expression) else each
        for name, each in given.items()
    }


def _use(places: Places, given: ToolUse) -> Fact:
    return {
        "at": places.at(given.address),
        "bound": values(places, given.bound),
        "free": list(given.free.fields),
        "final": given.final,
        "agent": None if given.agent is None else given.agent.name,
        "approval": None if given.approval is None else _approval(places, given.approval),
    }


def _approval(places: Places, given: Approval) -> Fact:
    return {
        "when": None if given.when is None else expression(places, given.when),
        "assign": [text(places, each) for each in given.assign],
        "within": {"text": span(given.within), "value": given.within},
        "title": None if given.title is None else text(places, given.title),
        "show": None if given.show is None else text(places, given.show),
    }


def _handover(places: Places, given: HandOver) -> Fact:
    return {"at": places.at(given.address), "kept": list(given.kept), "free": list(given.free.fields)}
