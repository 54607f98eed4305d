"""Models under `models`, each declared after its fallbacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.expressions import Template
from wfc.compiler.model import Model, Secret
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations import call_limits, model_settings
from wfc.compiler.resolve.declarations.addresses import resolve_address
from wfc.compiler.resolve.declarations.requests import secret
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import durations
from wfc.compiler.resolve.values.reader import ValueReader, named_secret
from wfc.compiler.resolve.values.scopes import binding_scope
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.schema.expansion import schema
from wfc.compiler.slotted import replace
from wfc.compiler.types.long_form import check_plain

__all__ = ["declare_models"]

NOT_PLAIN: Final = frozenset(
    {"use", "base_url", "api_key", "timeout", "settings", "fallback", "rate", "at_once"}
)
"""The keys of a model that are more than a plain value. The schema's others are handed on as they are, to the field of
the same name in `Model` of `runtime/calls/bindings.py`."""


PROVIDERS: Final = frozenset(
    """
    alibaba anthropic azure azure-responses bedrock bedrock-mantle cerebras cohere crusoe deepseek fireworks github
    github-copilot google google-cloud google-decisions groq heroku huggingface litellm meta mistral moonshotai nebius
    ollama openai openai-chat openai-chatgpt openai-codex openai-decisions openai-responses openrouter ovhcloud
    sambanova snowflake system-one together typesafe vercel vllm xai zai
    """.split()
)
"""The providers of models that the runtime's library knows by name; a test compares them with the installed one."""


def declare_models(data: Data, declared: Declarations) -> None:
    """Declare the models under `models`, each after its fallbacks."""
    written: dict[str, tuple[Data, Address]] = {}
    for name, content, place in declared.new_entries("models", declared.models):
        if isinstance(content, Mapping):
            written[name] = (content, place.address)
            declared.models.nodes[name] = model(name, content, place, declared)
        else:
            declared.models.broken.add(name)
    for name in in_order(written, declared):
        content, address = written[name]
        declared.models.nodes[name] = replace(
            declared.models.nodes[name], fallback=fallbacks(content, Place(address), declared)
        )


def fallbacks(content: Data, place: Place, declared: Declarations) -> tuple[Model, ...]:
    found = (
        declared.models.find(str(each), place / "fallback" / index, declared.report)
        for index, each in enumerate(listed(content))
    )
    return tuple(each for each in found if each is not None)


def in_order(written: Mapping[str, tuple[Data, Address]], declared: Declarations) -> list[str]:
    """Return the names ordered so that each comes after its fallbacks; names in a cycle are reported and go
    last.
    """
    waiting = {
        name: [normal_form(str(each)) for each in listed(content)] for name, (content, _) in written.items()
    }
    order: dict[str, None] = {}
    for name in written:
        stack = [name]
        while stack:
            current = stack[-1]
            needed = [each for each in waiting.get(current, ()) if each in written and each not in order]
            loop = next((each for each in needed if each in stack), None)
            if loop is not None:
                index = waiting[current].index(loop)
                place = Place((*written[current][1], "fallback", index))
                declared.report(problems.fallback_loop(place, loop))
                waiting[current] = []
            elif needed:
                stack.append(needed[0])
            else:
                order[stack.pop()] = None
    return list(order)


def listed(content: Data) -> list[object]:
    names = content.get("fallback")
    return names if isinstance(names, list) else []


def model(name: str, data: Data, place: Place, declared: Declarations) -> Model:
    options = [key for key in schema()["$defs"]["model"]["properties"] if key not in NOT_PLAIN]
    settings: dict[str, object] = {key: data[key] for key in options if key in data}
    if "timeout" in data:
        settings["timeout"] = durations.duration(data["timeout"], place / "timeout", declared.report)
    own = data.get("settings")
    if isinstance(own, Mapping):
        settings["settings"] = dict(own)
        check_plain(own, place / "settings", "settings", declared.report)
        for option, value in own.items():
            if isinstance(value, Mapping) and (named := named_secret(value, declared.secrets.nodes)):
                declared.report(value_problems.secret_as_data(place / "settings" / str(option), named))
    base_url: Template | None = None
    if "base_url" in data:
        reader = ValueReader(declared.report)
        base_url = resolve_address(data["base_url"], place / "base_url", binding_scope(declared), reader)
    key: Secret | None = None
    if "api_key" in data:
        key = secret(data["api_key"], place / "api_key", declared)
    use = str(data.get("use", ""))
    if "use" in data and ":" not in use:
        is_secret = use in declared.secrets.nodes
        declared.report(problems.model_without_provider(place / "use", use, is_secret=is_secret))
    provider = use.partition(":")[0]
    if ":" in use and provider.removeprefix("gateway/") not in PROVIDERS:
        at = (place / "use").stretch(0, len(provider))
        declared.report(problems.unknown_provider(at, provider, PROVIDERS, "base_url" in data))
    if isinstance(own, Mapping):
        model_settings.check_settings(provider, own, place / "settings", declared.report)
    limit = (
        call_limits.resolve_limit(data, place, declared.report)
        if "rate" in data or "at_once" in data
        else None
    )
    return Model(name, use, base_url, key, settings, (), place.address, limit)
