"""Texts → lists of numbers: by a model's service, or by a function of one's own."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

from wfc.runtime.calls.bindings import ModelOptions, PythonTool
from wfc.runtime.calls.budget import listed_price
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import MissingPackageError, SettingsError, StepError, WorkflowError
from wfc.runtime.tracing import span_inside

__all__ = ["embed"]

_LONGEST = 30_000
"""How many characters of a text are embedded: services refuse texts of more than some 8,000 tokens."""


async def embed(
    host: Any, model: ModelOptions | PythonTool[list[list[float]]], texts: list[str], *, is_query: bool
) -> list[list[float]]:
    """Return a list of numbers for each text.

    Args:
        host: The step that calls; its run pays.
        is_query: Whether the texts are questions; some models embed those otherwise.

    Raises:
        StepError: ``model…``, ``http…``, ``timeout``, ``connection``, or ``python…``.
        SettingsError: A secret is missing, or the model's settings are wrong.
        MissingPackageError: The package of the model's provider is not installed.
    """
    shortened = [text[:_LONGEST] for text in texts]
    if isinstance(model, PythonTool):
        found: list[list[float]] = await _by_function(model, shortened)
        return found
    revealed = Revealed()
    try:
        host.afford(model.use, own_server=model.base_url is not None)
        async with host.in_turn(model.limit(), model.base_url):
            with span_inside("model", f"embed {model.use}", lambda: {"texts": len(texts)}):
                return await _asked(host, model, shortened, is_query, revealed)
    except WorkflowError:
        raise
    except Exception as error:
        from wfc.runtime.calls.model_failures import failure

        failed = failure(error, model, revealed)
    raise failed  # out of the handler: the client's own error may hold the request's headers


async def _by_function(model: PythonTool[list[list[float]]], texts: list[str]) -> Any:
    """Return what a function gives, unchecked: it is large, and `vectors` looks at all of it."""
    from wfc.runtime.calls.python_functions import load_function
    from wfc.runtime.calls.threads import in_thread
    from wfc.runtime.errors.raised import step_error

    function = load_function(model.function, model.beside)
    try:
        found = await in_thread(function, texts=texts)
        return await found if inspect.isawaitable(found) else found
    except WorkflowError:
        raise
    except Exception as error:
        raised = step_error(error)
        raise StepError(raised.name, f"`{model.function}` raised {raised.message}", also=("tool",)) from error


async def _asked(
    host: Any, model: ModelOptions, texts: list[str], is_query: bool, revealed: Revealed
) -> list[list[float]]:
    try:
        from pydantic_ai.embeddings import infer_embedding_model
        from pydantic_ai.exceptions import UserError

        from wfc.runtime.calls.model_connections import connected
    except ImportError:
        raise MissingPackageError(
            "an embedding model needs the package pydantic-ai-slim: pip install 'wfc-workflows[models]'"
        ) from None
    async with connected(model, revealed) as connection:
        provider = connection.provider
        if provider is None:
            raise SettingsError(f"the model `{model.use}` cannot embed")
        try:
            embedder = infer_embedding_model(model.use, provider_factory=lambda _: provider)
        except UserError as error:
            raise SettingsError(
                f"the model `{model.use}` cannot embed: {revealed.hide(str(error))}"
            ) from None
        if hasattr(provider.client, "max_retries"):
            provider.client.max_retries = 0  # retries belong to the step's policy, as of all models
        settings: Any = dict(model.settings)
        reply = await embedder.embed(
            texts, input_type="query" if is_query else "document", settings=settings or None
        )
    tokens = reply.usage.input_tokens
    price = None if model.base_url is not None else partial(listed_price, model.use, tokens, 0)
    host.spent(model.use, tokens, 0, price=price)
    found = [list(each) for each in reply.embeddings]
    if len(found) != len(texts):
        raise StepError(
            "knowledge.embedding",
            f"the model `{model.use}` was given {len(texts)} texts, and gave {len(found)} vectors",
        )
    return found
