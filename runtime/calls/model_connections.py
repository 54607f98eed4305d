"""Connections to the services of models: providers, their addresses and keys, and who shares a connection."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final
from weakref import WeakKeyDictionary

from pydantic_ai import exceptions
from pydantic_ai.models import Model as Connection
from pydantic_ai.models import infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, SettingsError

__all__ = ["KEY_VARIABLES", "connected"]

KEY_VARIABLES: Final = {
    "alibaba": ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY"),
    "azure": ("AZURE_OPENAI_API_KEY",),
    "bedrock": ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
    "cohere": ("CO_API_KEY",),
    "gateway/": ("PYDANTIC_AI_GATEWAY_API_KEY", "PAIG_API_KEY"),
    "github-copilot": ("GITHUB_COPILOT_API_KEY", "GITHUB_COPILOT_API_TOKEN", "COPILOT_GITHUB_TOKEN"),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "heroku": ("HEROKU_INFERENCE_KEY",),
    "huggingface": ("HF_TOKEN",),
    "snowflake": ("SNOWFLAKE_TOKEN",),
    "system-one": ("SYSTEM_ONE_API_KEY",),
    "vercel": ("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
}
"""The variables from which providers read a key, by the beginning of their names; all others read `NAME_API_KEY`."""

_ADDRESSES: Final = ("base_url", "api_base", "azure_endpoint")
"""What providers call the address of their service."""
_KEYS: Final = ("api_key", "token")


class _Shared:
    """A connection that several calls may use at the same time."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.users = 0


_SHARED: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str | None, str], _Shared]] = (
    WeakKeyDictionary()
)


@asynccontextmanager
async def connected(model: ModelOptions, revealed: Revealed) -> AsyncIterator[Connection]:
    """Return a connection to a model's service, which is closed when the last call that uses it ends.

    Raises:
        SettingsError: There is no such provider, it takes no address or no key, or the key is missing.
        MissingPackageError: The provider's package is not installed.
    """
    key = _key(model, revealed)
    # only its digest is kept; another key, another connection
    place = (model.use, model.base_url, hashlib.sha256(key.encode()).hexdigest() if key is not None else "")
    here = _SHARED.setdefault(asyncio.get_running_loop(), {})
    shared = here.get(place)
    if shared is None:
        shared = here[place] = _Shared(_connect(model, key, revealed))

    def leave() -> None:
        shared.users -= 1
        if not shared.users and here.get(place) is shared:
            del here[place]

    provider = shared.connection.provider
    shared.users += 1
    async with AsyncExitStack() as stack:
        try:
            if provider is not None:
                await stack.enter_async_context(provider)
            yield shared.connection
        finally:
            leave()  # before the provider closes, so that nobody else comes in


def _key(model: ModelOptions, revealed: Revealed) -> str | None:
    """Return the API key for a model's service; ``None``: the provider reads its usual variable."""
    if model.api_key is not None:
        return revealed.read(model.api_key)
    if model.base_url is not None:
        return "none"  # else a key from the environment would go to whoever answers there
    for variable in _usual_variables(model.use.partition(":")[0]):
        if os.environ.get(variable):
            revealed.read(Secret(variable))
    return None


def _usual_variables(provider: str) -> tuple[str, ...]:
    for beginning, variables in KEY_VARIABLES.items():
        if provider.startswith(beginning):
            return variables
    return (f"{provider.partition('-')[0].upper()}_API_KEY",)


def _connect(model: ModelOptions, key: str | None, revealed: Revealed) -> Connection:
    kind, _, name = model.use.partition(":")
    if not kind or not name:
        raise SettingsError(f"the model `{model.use}` is not written as `provider:name`")
    if kind == "openai" and model.base_url is not None:
        kind = "openai-chat"  # the protocol that every compatible server speaks
    try:
        return infer_model(f"{kind}:{name}", lambda _: _provider(kind, model, key))
    except ImportError as error:
        extra = re.search(r"pydantic-ai-slim\[[a-z-]+\]", str(error))
        named = extra[0] if extra else f"pydantic-ai-slim[{kind.partition('-')[0]}]"
        raise MissingPackageError(
            f"the model `{model.use}` needs its provider's package: pip install '{named}'"
        ) from error
    except (exceptions.UserError, ValueError) as error:
        said = revealed.hide(str(error))
        variable = re.search(r"\b[A-Z][A-Z0-9]*_(?:[A-Z]+_)*(?:KEY|TOKEN)\b", said)
        if variable:
            raise SettingsError(
                f"the model `{model.use}` needs a key: set the environment variable {variable[0]}, "
                "or give the model an `api_key`"
            ) from None
        raise SettingsError(f"the model `{model.use}` cannot be used: {said}") from None


def _provider(kind: str, model: ModelOptions, key: str | None) -> Provider[Any]:
    found = infer_provider_class(kind)
    known = inspect.signature(found).parameters
    given: dict[str, Any] = {}
    if key is not None:
        given[_named_there(kind, "api_key", _KEYS, known)] = key
    if model.base_url is None:
        return found(**given)
    if not any(name in known for name in _ADDRESSES) and "openai_client" in known:
        provider = found(**given)
        provider.client.base_url = model.base_url  # a provider of one address, through OpenAI's client
        return provider
    given[_named_there(kind, "base_url", _ADDRESSES, known)] = model.base_url
    return found(**given)


def _named_there(kind: str, name: str, names: tuple[str, ...], known: object) -> str:
    """Return what a provider calls a parameter of ours."""
    assert hasattr(known, "__contains__")
    found = next((each for each in names if each in known), None)
    if found is None:
        raise SettingsError(f"models of `{kind}` take no `{name}`")
    return found
