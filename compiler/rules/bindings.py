"""Problems with models, tools, requests and retry policies."""

from __future__ import annotations

from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import replace_text

__all__ = [
    "bad_python_tool",
    "delay_over_max_delay",
    "fallback_loop",
    "model_without_provider",
    "url_base_not_config",
]

PROVIDERS: Final = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "claude-": "anthropic",
    "gemini-": "google",
    "mistral-": "mistral",
}
"""Whose models have names that begin so."""


@problem
def fallback_loop(place: Place, name: str) -> Finding:
    """A model's `fallback` leads back to the model itself.

    `fallback` says which model is asked when one does not answer. If the way leads back, a model that
    does not answer would be asked again and again. Take one of the names out of its `fallback`.
    """
    return Finding("fallback-loop", f"the fallbacks of `{name}` lead back to it", place)


@problem
def model_without_provider(place: Place, use: str) -> Finding:
    """A model's `use` names a model, and not who provides it.

    Models of one name are offered by several services, so both are said: `use: "openai:gpt-4o-mini"` is the model
    `gpt-4o-mini` of `openai`. Write the provider's name and a colon before the model's.
    """
    provider = next((each for start, each in PROVIDERS.items() if use.startswith(start)), "")
    better = f"{provider or 'provider'}:{use}"
    return Finding(
        "model-without-provider",
        f"`{use}` does not say who provides the model",
        place,
        f'write `"{better}"`' if provider else f'write its provider before it, as in `"openai:{use}"`',
        fix=replace_text(place, better) if provider else None,
    )


@problem
def url_base_not_config(place: Place) -> Finding:
    """An address begins with something that is not a setting.

    To which server a request goes, with your keys in it, must not be decided by data that the workflow
    was sent. So an expression at the beginning of a `url` may use only `config`, whose values come from
    you: `${{ config.desk_url }}/orders`. Later parts of the address may come from anywhere; they are
    encoded.
    """
    return Finding(
        "url-base-not-config",
        "an expression that begins a `url` may use only `config`",
        place,
        "write the server's address, or put it under `config`",
    )


@problem
def bad_python_tool(place: Place, text: str) -> Finding:
    """A tool's `python` does not say which function is meant.

    It is written `module:function`: the name of the file beside the spec without `.py`, a colon, and the
    function's name, such as `orders:find`; or a module that the project's settings allow,
    `shop.orders:find`.
    """
    module, dot, function = text.rpartition(".")
    hint = f"write `{module}:{function}`" if dot and text.replace(".", "").isidentifier() else ""
    return Finding(
        "bad-python-tool",
        f"`{text}` is not of the form `module:function`",
        place,
        hint,
        fix=replace_text(place, f"{module}:{function}", applicability="safe") if hint else None,
    )


@problem
def delay_over_max_delay(place: Place) -> Finding:
    """A retry policy's first wait is longer than its longest.

    The wait begins at `delay`, grows by `backoff`, and is never longer than `max_delay`. Here every wait
    would be `max_delay`, so that `delay` means nothing. Make `max_delay` longer or `delay` shorter.
    """
    return Finding("delay-over-max-delay", "`delay` is longer than `max_delay`", place)
