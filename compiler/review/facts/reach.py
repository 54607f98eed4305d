"""What a step reaches outside: hosts, programs, functions, models, tools, secrets, people, other workflows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wfc.compiler.expressions import Template
from wfc.compiler.model import (
    Action,
    Agent,
    AgentCall,
    AskPerson,
    Auth,
    ChosenAddress,
    CommandCall,
    CommandLine,
    Header,
    HttpCall,
    HttpRequest,
    Knowledge,
    LlmCall,
    MapItems,
    Model,
    OAuth2,
    RememberCall,
    RetrieveCall,
    Secret,
    SendEvent,
    Step,
    Tool,
    ToolCall,
    Value,
    WorkflowCall,
)
from wfc.compiler.model.agents import team_of
from wfc.compiler.review.facts.places import Fact

__all__ = ["host_named", "host_of", "reach_of"]

_HOST = r"\s*([A-Za-z][A-Za-z0-9+.-]*://)?([^/?#]*)"
_PROVIDERS = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}
_ANY_HOST = "any host on the internet"


def reach_of(step: Step) -> Fact:
    """Return what a step reaches, by sorts, each in the order of the alphabet."""
    found: dict[str, set[str]] = {}
    for sort, name in _action(step.action):
        found.setdefault(sort, set()).add(name)
    return {sort: sorted(names) for sort, names in sorted(found.items())}


def _action(action: Action | None) -> Iterator[tuple[str, str]]:
    match action:
        case MapItems():
            yield from _action(action.do)
        case LlmCall():
            yield from _model(action.model)
        case ToolCall():
            yield from _tool(action.tool)
        case HttpCall():
            yield from _request(action.request)
        case CommandCall():
            yield from _command(action.command)
        case WorkflowCall():
            yield from (("workflows", name) for name in action.workflows)
        case AgentCall():
            yield from _team(action.agent)
        case RetrieveCall():
            for each in action.knowledge:
                yield from _collection(each)
            if action.rerank is not None:
                yield from _model_or_function(action.rerank)
        case RememberCall():
            yield from _collection(action.knowledge)
        case AskPerson():
            yield from (("people", each.text) for each in action.assign)
        case SendEvent():
            yield "messages", f"topic {action.topic}" if action.to is None else action.to


def _team(agent: Agent) -> Iterator[tuple[str, str]]:
    for each in team_of(agent):
        if each.model is not None:
            yield from _model(each.model)
        if each.own_style is not None:
            yield "workflows", each.own_style.workflow
        for use in each.tools:
            if use.collection is not None:
                yield from _collection(use.collection.knowledge)
            if use.agent is None:
                yield from _tool(use.tool)


def _model(model: Model) -> Iterator[tuple[str, str]]:
    for each in (model, *model.fallback):
        yield "models", each.use
        if each.api_key is not None:
            yield "secrets", each.api_key.name
        provider = each.use.partition(":")[0]
        yield (
            "hosts",
            (
                host_of(each.base_url)
                if each.base_url is not None
                else _PROVIDERS.get(provider, f"the provider {provider}")
            ),
        )


def _collection(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Yield what a collection is made of that lies elsewhere, and what embeds it or builds its index."""
    yield from (("hosts", host_named(url)) for url in knowledge.urls)
    yield from (("secrets", where.name) for where, _ in knowledge.sql if isinstance(where, Secret))
    yield from (("functions", each) for each in (knowledge.loader, knowledge.python) if each)
    if knowledge.model is not None:
        yield from _model_or_function(knowledge.model)


def _model_or_function(given: Model | str) -> Iterator[tuple[str, str]]:
    if isinstance(given, Model):
        yield from _model(given)
    else:
        yield "functions", given


def _tool(tool: Tool) -> Iterator[tuple[str, str]]:
    yield "tools", tool.name
    yield from (("secrets", each.name) for _, each in tool.secrets)
    if tool.python is not None:
        yield "functions", tool.python
    if tool.request is not None:
        yield from _request(tool.request)
    if tool.command is not None:
        yield from _command(tool.command)
    if tool.workflow is not None:
        yield "workflows", tool.workflow
    if tool.mcp is not None:
        server = tool.mcp.server
        yield from _headers(server.headers)
        yield from _auth(server.auth)
        if server.program is not None:
            yield from _command(server.program)
        if server.url is not None:
            yield "hosts", host_of(server.url)
    if tool.openapi is not None and tool.openapi.service is not None:
        service = tool.openapi.service
        yield "hosts", host_named(service.server) if service.base_url is None else host_of(service.base_url)
        yield from _headers(service.headers)
        yield from _auth(service.auth)


def _request(request: HttpRequest) -> Iterator[tuple[str, str]]:
    if isinstance(request.url, Template):
        yield "hosts", host_of(request.url)
    elif request.url.only is None:
        yield "hosts", _ANY_HOST
    else:
        yield from (("hosts", host_of(each)) for each in _only(request.url))
    yield from _headers(request.headers)
    yield from _auth(request.auth)
    yield from _secrets([value for _, value in request.query])
    if request.body is not None:
        yield from _secrets([request.body])


def _only(url: ChosenAddress) -> Iterable[Template]:
    return url.only or ()


def host_of(url: Template) -> str:
    """Return the host that an address names; with the expressions that it is made of, where it is."""
    return host_named(url.constant if url.constant is not None else url.text)


def host_named(text: str) -> str:
    """Return the host that the text of an address names."""
    found = re.match(
        _HOST, re.sub(r"\$\{\{.*?\}\}", lambda hole: hole[0].replace("/", "\N{FRACTION SLASH}"), text)
    )
    host = found[2] if found is not None else text
    return host.rpartition("@")[2].replace("\N{FRACTION SLASH}", "/").strip().lower() if host else text


def _headers(headers: Iterable[Header]) -> Iterator[tuple[str, str]]:
    for each in headers:
        if isinstance(each.value, Secret):
            yield "secrets", each.value.name


def _auth(auth: Auth | OAuth2 | None) -> Iterator[tuple[str, str]]:
    if isinstance(auth, Auth):
        yield "secrets", auth.secret.name
    elif auth is not None:
        yield "hosts", host_of(auth.url)
        if auth.password is not None:
            yield "secrets", auth.password.name
        yield from _secrets([value for _, value in auth.body])


def _command(command: CommandLine) -> Iterator[tuple[str, str]]:
    yield "programs", command.program
    yield from _headers(command.env)


def _secrets(values: Iterable[Value]) -> Iterator[tuple[str, str]]:
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value.secret is not None:
            yield "secrets", value.secret.name
        waiting += value.items or ()
        waiting += [each for _, each in value.entries or ()]
