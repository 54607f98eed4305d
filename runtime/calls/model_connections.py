"""Connections to the services of models: providers, their addresses and keys, and who shares a connection."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from pydantic_ai import exceptions
from pydantic_ai.models import Model as Connection
from pydantic_ai.models import create_async_httpx2_client, infer_model
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings

from wfc.runtime.authoring.resource.pools import pool_of_loop
from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.http.bounded import bound_replies
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, SettingsError

__all__ = ["KEY_VARIABLES", "connected", "settings_without_retries"]

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


_LONGEST: Final = 20 * 60
"""Seconds without a byte after which a call is given up, where neither the step nor the model says less."""

_OWN_CLIENTS: Final = frozenset({"huggingface"})
"""Providers that take no client of ours, though they have the parameter."""

_MOST_IDLE: Final = 20
"""How many connections that nobody uses are kept; the one that was used longest ago is closed."""


class _Shared:
    """A connection that several calls may use at the same time, and that is kept for later ones."""

    def __init__(self, connection: Connection, client: Any) -> None:
        self.connection = connection
        self.client = client  # what its provider sends requests by, if that is not its own
        self.users = 0
        self.is_open = False
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Open it for its first user; it stays open when the last one has left.

        Where that fails or is cut off, the next user tries anew.
        """
        provider = self.connection.provider
        if self.is_open or provider is None:
            return
        async with self._opening:
            if not self.is_open:
                await provider.__aenter__()  # what `close` undoes
                self.is_open = True

    async def close(self) -> None:
        """Close it."""
        provider = self.connection.provider
        if self.is_open and provider is not None:
            self.is_open = False
            await provider.__aexit__(None, None, None)
        if self.client is not None:
            await self.client.aclose()


_Place = tuple[str, str | None, str]
_SHARED: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Place, _Shared]] = WeakKeyDictionary()
"""The connections of each event loop, the one that was used last at the end."""


@asynccontextmanager
async def connected(model: ModelOptions, revealed: Revealed) -> AsyncIterator[Connection]:
    """Return a connection to a model's service; it is kept for later calls, until the event loop ends.

    Raises:
        SettingsError: There is no such provider, it takes no address or no key, or the key is missing.
        MissingPackageError: The provider's package is not installed.
    """
    key = _key(model, revealed)
    # only its digest is kept; another key, another connection
    place = (model.use, model.base_url, hashlib.sha256(key.encode()).hexdigest() if key is not None else "")
    here = await _connections()
    shared = here.pop(place, None) or _Shared(*_connect(model, key, revealed))
    here[place] = shared
    shared.users += 1
    try:
        await shared.open()
        yield shared.connection
    finally:
        shared.users -= 1
    idle = [each for each, one in here.items() if not one.users]
    for each in idle[: max(0, len(idle) - _MOST_IDLE)]:
        await here.pop(each).close()


async def _connections() -> dict[_Place, _Shared]:
    """Return the connections of the running event loop, which are closed when it ends."""
    loop = asyncio.get_running_loop()
    here = _SHARED.get(loop)
    if here is None:
        here = _SHARED[loop] = {}

        async def close() -> None:
            while here:
                await here.popitem()[1].close()

        await pool_of_loop().close_later("connections to models", close)
    return here


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


def _connect(model: ModelOptions, key: str | None, revealed: Revealed) -> tuple[Connection, Any]:
    """Return a connection, and the client that it sends requests by, if that is to be closed with it."""
    clients: list[Any] = []
    kind, _, name = model.use.partition(":")
    if not kind or not name:
        raise SettingsError(f"the model `{model.use}` is not written as `provider:name`")
    if kind == "openai" and model.base_url is not None:
        kind = "openai-chat"  # the protocol that every compatible server speaks
    try:
        found = infer_model(f"{kind}:{name}", lambda _: _provider(kind, model, key, clients))
        if _counts_retries(found):
            cast(Any, found).client.max_retries = 0
        if "pydantic_ai.models.openai" in sys.modules:
            _send_chats_as_written(found)
        return found, clients[0] if clients else None
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


def _send_chats_as_written(connection: Connection) -> None:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel

    from wfc.runtime.calls.chat_requests import send_as_written

    if isinstance(connection, OpenAIChatModel) and isinstance(connection.client, AsyncOpenAI):
        send_as_written(connection.client)


def settings_without_retries(connection: Connection) -> ModelSettings:
    """Return the setting by which a request is not repeated: retries belong to the step's policy, which counts them,
    waits as declared and tells the watcher.

    Clients that have the number themselves got it with their connection: by the setting, each request would have a
    client of its own, which costs a fifth of what a request costs.
    """
    return ModelSettings() if _counts_retries(connection) else ModelSettings(max_retries=0)


def _counts_retries(connection: Connection) -> bool:
    return isinstance(getattr(getattr(connection, "client", None), "max_retries", None), int)


def _provider(kind: str, model: ModelOptions, key: str | None, clients: list[Any]) -> Provider[Any]:
    found = infer_provider_class(kind)
    known = inspect.signature(found).parameters
    given: dict[str, Any] = {}
    if "http_client" in known and kind not in _OWN_CLIENTS:
        given["http_client"] = client = create_async_httpx2_client(timeout=_LONGEST)
        bound_replies(client)
        clients.append(client)
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
