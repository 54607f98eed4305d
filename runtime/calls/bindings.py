"""Bindings: the models, tools and proofs of identity that a step names for its calls, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.foreign_schemas import ForeignSchema
from wfc.runtime.calls.secrets import Secret

__all__ = [
    "Basic",
    "Bearer",
    "CallLimit",
    "McpServer",
    "ModelOptions",
    "OAuth2",
    "OpenApiOperation",
    "PythonTool",
    "Secret",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bearer:
    """Authentication of a request by a secret token."""

    secret: Secret


@dataclass(frozen=True, slots=True)
class Basic:
    """Authentication of a request by a user name and a secret."""

    user: str
    secret: Secret


@dataclass(frozen=True, slots=True)
class OAuth2:
    """Authentication of a request by an access token that this program gets for itself (client credentials).

    Args:
        url: The address that gives tokens.
        user: The program's name there (its client id), ``None`` if ``body`` has it.
        password: The secret that proves it.
        scope: What the token is for.
        body: Further fields of the form that is sent for a token.
    """

    url: str
    user: str | None = None
    password: Secret | None = None
    scope: str | None = None
    body: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallLimit:
    """How often something may be called, and how many of its calls may be under way at once.

    All calls in a store, or in an engine without one, that name the same thing are counted together.

    Args:
        name: What is called.
        rate: How many calls may begin in any stretch of so many seconds, as ``(60, 60.0)``; ``None``: any number.
        at_once: How many may be under way; ``None``: any number.
    """

    name: str
    rate: tuple[int, float] | None = None
    at_once: int | None = None


NOT_SENT: Final = frozenset({"use", "base_url", "api_key", "settings", "fallback", "rate", "at_once"})
"""The fields of a `Model` that are not sent as they are with each request."""


@dataclass(frozen=True)
class ModelOptions:
    """A model and how to call it.

    Args:
        use: ``provider:name``, such as ``openai:gpt-4o-mini``.
        base_url: The address of a service that speaks the provider's protocol; ``None``: the provider's own.
        api_key: The secret that the service asks for; ``None``: the provider's usual variable, if it needs one.
        timeout: Seconds for one request.
        settings: The provider's own settings, passed unchanged.
        rate: How many requests may begin in any stretch of so many seconds, as ``(60, 60.0)``.
        at_once: How many may be under way.
    """

    use: str
    base_url: str | None = None
    api_key: Secret | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    timeout: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    rate: tuple[int, float] | None = None
    at_once: int | None = None

    def limit(self) -> CallLimit | None:
        """Return what its requests are limited to, counted for each model, address and key; ``None``: nothing."""
        if self.rate is None and self.at_once is None:
            return None
        words = ["model", self.use]
        if self.base_url is not None:
            words += ["at", self.base_url]
        if self.api_key is not None:
            words += ["by", self.api_key.name]
        return CallLimit(" ".join(words), self.rate, self.at_once)

    def options(self) -> dict[str, object]:
        """Return the options that are set and are sent with each request under their names here."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in NOT_SENT}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server of tools that speaks the Model Context Protocol: a program that is started, or an address.

    Args:
        command: The program, as the settings allow it, and its arguments; it runs in the spec's folder.
        env: Further variables of its environment.
        beside: A file in the folder whose settings hold, or the folder.
        url: The address of one that runs already.
        headers: Of each request to that.
        auth: What proves who asks there.
    """

    command: Sequence[str] | None = None
    env: Mapping[str, str | Secret] = field(default_factory=dict)
    beside: str | Path = "."
    url: str | None = None
    headers: Mapping[str, str | Secret] = field(default_factory=dict)
    auth: Bearer | Basic | OAuth2 | None = None


@dataclass(frozen=True, slots=True)
class OpenApiOperation:
    """An operation of a service, as its OpenAPI description has it.

    Args:
        path: Its address after that of the service, with parameters in braces.
        schema: What its arguments have to be.
        parameters: The arguments that are parameters: what they are called here, what the service calls them, and
            where they are sent, ``path``, ``query`` or ``header``.
        body: The arguments that are the fields of what is sent, or the one that is all of it; ``None``: none.
    """

    method: str
    path: str
    schema: ForeignSchema
    parameters: Sequence[tuple[str, str, str]] = ()
    body: Sequence[str] | str | None = None


@dataclass(frozen=True, slots=True)
class PythonTool(Generic[T]):
    """A Python function, named as ``module:function``, from a module beside the spec or one that settings allow.

    Args:
        function: ``module:function``.
        output: The type of its result; ``Any`` takes everything.
        beside: A file in the folder that holds the module, or the folder.
        secrets: Secrets by keyword argument: values that the function receives and the spec does not contain.
        resources: What the function is given for parameters of these names: made when first asked for, and shared.
        rate: How many calls may begin in any stretch of so many seconds, as ``(60, 60.0)``.
        at_once: How many may be under way.
    """

    function: str
    output: Any = Any
    beside: str | Path = "."
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    resources: Mapping[str, Resource[Any]] = field(default_factory=dict)
    rate: tuple[int, float] | None = None
    at_once: int | None = None

    def limit(self) -> CallLimit | None:
        """Return what its calls are limited to, counted for each function; ``None``: nothing."""
        if self.rate is None and self.at_once is None:
            return None
        return CallLimit(f"python {self.function}", self.rate, self.at_once)
