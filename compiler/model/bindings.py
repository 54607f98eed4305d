"""The bindings that the steps of a workflow call: models, tools and requests; and their retry policies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.values import Secret, Value
from wfc.compiler.python.literals import snake_case
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Record, Type

LONGEST_DELAY: Final = 60.0
"""The seconds between two attempts at most, unless the first wait is longer."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A retry policy: ``min(max_delay, delay * backoff**(n-1)) + uniform(0, jitter)`` before attempt n+1.

    Its numbers and times may be expressions of config.
    """

    name: str  # of the policy in `retries`; made from the step's name for one written in place
    max_attempts: int | Expression
    delay: float | Expression
    backoff: float | Expression
    max_delay: float | Expression | None  # `None`: a minute, or `delay` where that is longer
    jitter: float | Expression
    within: float | Expression | None
    retry_on: tuple[str, ...]  # empty: any error
    never_on: tuple[str, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class CallLimit:
    """How often something may be called: so many calls in any stretch of so many seconds, and so many at once."""

    rate: tuple[int, float] | None
    at_once: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model binding.

    Args:
        settings: Plain values for the model's options, ``timeout`` in seconds among them, and the
            provider's own ``settings``.
        fallback: Models tried in order after this one.
        limit: How often it may be asked; ``None``: as often as one likes.
    """

    name: str
    use: str
    base_url: Template | None
    api_key: Secret | None
    settings: Mapping[str, object]
    fallback: tuple[Model, ...]
    address: Address
    limit: CallLimit | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NamedText:
    """A named text, whose expressions are resolved where it is used.

    Args:
        args: What it must be given there.
        place: Of the text: in the section, or in a file of its own.
        breaks: Of a file: where in ``text`` a line ends that ends with two characters in the file.
    """

    name: str
    text: str
    place: Place
    address: Address
    breaks: tuple[int, ...] = ()
    args: Record = field(default_factory=lambda: Record("args", role="namespace"))


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A Python object that tools ask for by the name of a parameter; ``python`` is ``module:function``.

    Args:
        file: The path of the file that declares it, as findings show it; the module lies beside that.
    """

    name: str
    python: str
    per: Literal["run", "process"]
    address: Address
    file: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """A header: a text, or a secret's value."""

    name: str
    value: Template | Secret


@dataclass(frozen=True, slots=True)
class Auth:
    """The authentication of a request: ``bearer`` (a secret), or ``basic`` (user and secret)."""

    scheme: Literal["bearer", "basic"]
    secret: Secret
    user: Template | None = None


@dataclass(frozen=True, slots=True)
class OAuth2:
    """Authentication by an access token, which this program gets for itself.

    Args:
        url: The address that gives tokens.
        user: The program's name there, ``None`` if ``body`` has it.
        password: The secret that proves it.
        scope: What the token is for.
        body: Further fields of the form that is sent for a token.
    """

    url: Template
    user: Template | None
    password: Secret | None
    scope: Template | None
    body: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class ChosenAddress:
    """An address from data.

    Args:
        given: The expression that gives it.
        only: What it must begin with; ``None``: it may be anything on the public internet.
    """

    given: Expression
    only: tuple[Template, ...] | None


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. What decides which server ``url`` asks is put in as it is; every other expression is encoded."""

    method: str
    url: Template | ChosenAddress
    query: tuple[tuple[str, Value], ...]
    headers: tuple[Header, ...]
    auth: Auth | OAuth2 | None
    body: Value | None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a command.

    Args:
        guarded: Whether its value must not begin with `-`, as data could make an option of it.
    """

    text: Template
    guarded: bool


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program that is started, and what it is given.

    Args:
        program: As the settings allow it; empty where it is wrong, which is reported.
        read_only: Whether it changes nothing anywhere.
    """

    program: str
    arguments: tuple[Argument, ...]
    stdin: Template | None
    env: tuple[Header, ...]
    read_only: bool


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server: a program that is started, or an address.

    Args:
        program: As the settings allow it, with its arguments; ``None`` for an address.
        url: Where it is; ``None`` for a program.
    """

    program: CommandLine | None
    url: Template | None
    headers: tuple[Header, ...]
    auth: Auth | OAuth2 | None


@dataclass(frozen=True, slots=True)
class McpOperation:
    """One tool of an MCP server.

    Args:
        name: As the server calls it.
        pinned: The digest of the tool as it was pinned; empty if its types were written by hand.
    """

    server: McpServer
    name: str
    pinned: str = ""


@dataclass(frozen=True, slots=True)
class OpenApiService:
    """How a service is asked that an OpenAPI description describes.

    Args:
        base_url: Where it is, as the spec says; ``None``: at ``server``, as the description says.
    """

    base_url: Template | None
    server: str
    headers: tuple[Header, ...]
    auth: Auth | OAuth2 | None


@dataclass(frozen=True, slots=True)
class OpenApiParameter:
    """A parameter of an operation.

    Args:
        arg: What the argument is called, in data outside.
        name: What the service calls it.
        place: Where it is sent: in the ``path``, the ``query`` or a ``header``.
    """

    arg: str
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class OpenApiOperation:
    """One operation of a service.

    Args:
        path: Its address after that of the service, with parameters in braces.
        body: The arguments that are the fields of what is sent, or the one that is all of it; ``None``: nothing is.
        service: How it is asked; ``None`` until that is known.
    """

    method: str
    path: str
    parameters: tuple[OpenApiParameter, ...]
    body: tuple[str, ...] | str | None
    service: OpenApiService | None = None


@dataclass(frozen=True, slots=True)
class Asks:
    """How a person is asked what a server asks in a call by an agent.

    Args:
        within: Seconds to wait for an answer.
    """

    assign: tuple[str, ...]
    within: float


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool binding.

    Args:
        python: ``module:function``, or ``None``.
        request: For an http tool (its expressions see ``args`` and ``config``), or ``None``.
        command: For a tool that starts a program (its expressions see ``args`` and ``config``), or ``None``.
        mcp: For a tool of an MCP server (whose expressions see ``config``), or ``None``.
        workflow: The name of the workflow that it is, or ``None``. What that takes and gives is known at its calls.
        file: The path of the file that declares it, as findings show it; a python tool's module lies beside that.
        args: What it takes; a record whose name is made from the tool's.
        declares_args: Whether it says what it takes; if not, a step may give it anything.
        output: What it returns; ``ANY`` if not declared.
        secrets: Keyword argument → secret, for a python tool.
        read_only: Whether calling it changes nothing anywhere.
        timeout: The seconds that a call by an agent may take, if it says it.
        limit: How often it may be called; ``None``: as often as one likes.
        openapi: For an operation of a service, or ``None``.
        ask: How a person is asked what an MCP server asks; ``None``: nobody is.
        group: For one of many that are declared together, the name of these.
        operations: What it stands for, if that are many; ``None`` for one that can be called.
        schema: The JSON Schema of what it takes, where others have written that.
        ends: For a workflow as a tool of an agent its end events, if there are several.
    """

    name: str
    python: str | None
    request: HttpRequest | None
    args: Record
    output: Type
    secrets: tuple[tuple[str, Secret], ...]
    read_only: bool
    description: str
    address: Address
    declares_args: bool = True
    workflow: str | None = None
    file: str = ""
    command: CommandLine | None = None
    mcp: McpOperation | None = None
    timeout: float | None = None
    limit: CallLimit | None = None
    openapi: OpenApiOperation | None = None
    ask: Asks | None = None
    group: str = ""
    operations: tuple[Tool, ...] | None = None
    schema: Mapping[str, object] | None = None
    ends: tuple[tuple[str, Record], ...] = ()

    @property
    def sends_request(self) -> bool:
        """Whether calling it sends an HTTP request, to which there is a reply."""
        return self.request is not None or self.openapi is not None

    @property
    def identifier(self) -> str:
        """Its name as names of functions and constants are made of it."""
        return snake_case(re.sub(r"\W+", "_", self.name)) if self.group else self.name


__all__ = [
    "Argument",
    "Asks",
    "Auth",
    "CallLimit",
    "ChosenAddress",
    "CommandLine",
    "Header",
    "HttpRequest",
    "McpOperation",
    "McpServer",
    "Model",
    "NamedText",
    "OAuth2",
    "OpenApiOperation",
    "OpenApiParameter",
    "OpenApiService",
    "Resource",
    "Retry",
    "Tool",
]
