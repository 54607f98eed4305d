"""Problems with models, tools, requests and retry policies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem, warning
from wfc.compiler.rules.fixes import correct_name, remove_entry, replace_text

__all__ = [
    "bad_python_tool",
    "bad_url",
    "body_of_get",
    "delay_over_max_delay",
    "fallback_loop",
    "model_without_provider",
    "not_of_this_server",
    "program_not_fixed",
    "program_or_address",
    "secret_to_any_address",
    "several_operations",
    "unknown_provider",
    "unknown_setting",
    "unread_setting",
    "url_base_not_config",
]

LONGEST_QUOTED: Final = 60

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
def model_without_provider(place: Place, use: str, *, is_secret: bool = False) -> Finding:
    """A model's `use` names a model, and not who provides it.

    Models of one name are offered by several services, so both are said: `use: "openai:gpt-4o-mini"` is the model
    `gpt-4o-mini` of `openai`. Write the provider's name and a colon before the model's.
    """
    provider = next((each for start, each in PROVIDERS.items() if use.startswith(start)), "")
    named = next(
        (each for each in PROVIDERS.values() if use.startswith((f"{each}/", f"{each} ", f"{each}."))), ""
    )
    provider, use_alone = named or provider, use[len(named) + 1 :].strip() if named else use
    better = f"{provider or 'provider'}:{use_alone}"
    hint = f'write `"{better}"`' if provider else f'write its provider before it, as in `"openai:{use}"`'
    of_router = bool(named) and use.startswith(f"{named}/")
    if of_router:
        hint += f', or `"openrouter:{use}"` if that is its name at OpenRouter'
    if is_secret:
        hint = (
            f"`{use}` is a secret, which stands under `api_key`; a model is named as in `openai:gpt-4o-mini`"
        )
    return Finding(
        "model-without-provider",
        f"`{use}` does not say who provides the model",
        place,
        hint,
        fix=replace_text(place, better) if provider and not of_router else None,
    )


@problem
def bad_rate(place: Place, text: str, why: str, better: str = "") -> Finding:
    """A rate is not written as one.

    A rate is a number of calls and a time: `60 per min`, `5 per s`, `1000 per day`, `10 per 5 min`. No more calls than
    that begin in any stretch of that time; further ones wait for their turn. The units are `s`, `min`, `h` and `day`;
    at most 100,000 calls are counted, for a day at most.
    """
    return Finding(
        "bad-rate",
        f"`{text}` is not a rate: {why}",
        place,
        f"write `{better}`" if better else "",
        fix=replace_text(place, better, old=text, applicability="safe") if better else None,
    )


OTHERWISE_CALLED: Final = {
    "aws": "bedrock",
    "azure_openai": "azure",
    "claude": "anthropic",
    "gemini": "google",
    "google-gla": "google",
    "google-vertex": "google-cloud",
    "gpt": "openai",
    "grok": "xai",
    "hf": "huggingface",
    "together_ai": "together",
    "vertex": "google-cloud",
    "vertexai": "google-cloud",
}
"""What providers are called elsewhere."""


@warning
def unknown_provider(place: Place, provider: str, known: Iterable[str], own_server: bool) -> Finding:
    """A model's `use` names a provider that is not known.

    Before the colon stands who provides the model, as the library calls it through which models are called: `openai`,
    `anthropic`, `google`, `mistral`, `ollama` … A server of your own that speaks OpenAI's protocol is `openai`, with
    its address as `base_url`. If a newer version of that library knows the provider, ignore this warning.
    """
    known = sorted(known)
    meant = OTHERWISE_CALLED.get(provider.lower(), "")
    hint = f"did you mean `{meant}`?" if meant else closest(provider, known)
    if not hint and own_server:
        hint = "a server that speaks OpenAI's protocol is `openai`"
    hint = (
        hint or f"known are {', '.join(f'`{each}`' for each in COMMON)} and {len(known) - len(COMMON)} others"
    )
    fix = replace_text(place, meant) if meant else correct_name(place, provider, known)
    return Finding("unknown-provider", f"no provider `{provider}` is known", place, hint, fix=fix)


COMMON: Final = ("anthropic", "azure", "bedrock", "google", "mistral", "ollama", "openai", "openrouter")


SETTINGS_ELSEWHERE: Final = {
    "budget_tokens": "thinking",
    "effort": "thinking",
    "extended_thinking": "thinking",
    "max_output_tokens": "max_tokens",
    "prompt_caching": "cache",
    "reasoning": "thinking",
    "reasoning_effort": "thinking",
    "stop": "stop_sequences",
    "thinking_budget": "thinking",
}
"""What settings are called in providers' own requests; what they hold may look different there."""


@warning
def unknown_setting(place: Place, name: str, provider: str, known: Iterable[str]) -> Finding:
    """A model's `settings` name something that its provider is not sent.

    Settings are sent under the names that the library has through which models are called. Those that several
    providers know have a plain name, `top_p`, `seed`, `stop_sequences`, `thinking`, `cache`; the others begin with
    their provider's: `openai_user`, `anthropic_effort`, `google_safety_settings`. Any other is dropped without a word.
    What the library has no name for goes into `extra_body`, for OpenAI and Anthropic. If a newer version of it knows
    the setting, ignore this warning.
    """
    known = sorted(known)
    message = f"models of `{provider}` are sent no `{name}`"
    full = f"{provider.partition('-')[0]}_{name}"
    if full in known:
        return Finding("unknown-setting", message, place, f"write `{full}`", fix=replace_text(place, full))
    meant = SETTINGS_ELSEWHERE.get(name)
    hint = f"did you mean `{meant}`?" if meant else closest(name, known)
    fix = None if meant else correct_name(place, name, known)
    return Finding("unknown-setting", message, place, hint, fix=fix)


@warning
def unread_setting(place: Place, name: str, instead: str) -> Finding:
    """A model's `settings` say something that is said elsewhere.

    How often a call is tried, how long is waited between, and whether another model is asked then, are decided by the
    step (`retry`, `timeout`) and by the model's `fallback`, so that every try is counted and told. The provider's own
    program tries once.
    """
    return Finding("unread-setting", f"`{name}` has no effect here", place, instead, fix=remove_entry(place))


@problem
def program_or_address(place: Place, both: bool) -> Finding:
    """An MCP server is neither a program nor an address, or both.

    A server is a program that is started when a tool of it is called, `mcp: {command: [mcp-server-time]}`, or it
    runs already and has an address, `mcp: {url: "https://booking.example/mcp"}`.
    """
    if both:
        return Finding(
            "program-or-address",
            "a server has a `command` or a `url`, not both",
            place,
            "take one of them out",
        )
    return Finding(
        "program-or-address", "it is not said which server that is", place, "write its `command` or its `url`"
    )


@problem
def not_of_this_server(place: Place, key: str, of_address: bool) -> Finding:
    """An MCP server is given something that servers of its kind do not have.

    A program that is started gets variables, `env`; a request to an address has `headers` and `auth`.
    """
    kind, hint = ("an address", "`headers` or `auth`") if of_address else ("a program", "`env`")
    return Finding(
        "not-of-this-server", f"{kind} has no `{key}`", place, f"it has {hint}", fix=remove_entry(place)
    )


@problem
def several_operations(place: Place, count: int) -> Finding:
    """A tool names several tools of an MCP server, or none.

    A step calls one tool, so one name stands under `only`: what the server calls it. For several tools of one server
    declare several tools here; the calls of a run share the server.
    """
    said = f"names {count} of the server's tools" if count else "names no tool of the server"
    return Finding(
        "several-operations", f"`only` {said}, and a step calls one", place, "declare a tool for each"
    )


@problem
def url_base_not_config(place: Place, words: str, *, begins: bool, glued: bool) -> Finding:
    """Data decides which server an address names.

    To which server a request goes, with your keys in it, must not be decided by data that the workflow was sent. So
    up to the first `/`, `?` or `#` after the server's name an address holds only what you have written or set under
    `config`. Data may choose among such values: `${{ config.desks[event.country] }}/orders`,
    `https://${{ "eu" if event.in_europe else "us" }}.desk.example/orders`. Later parts of the address may come from
    anywhere; they are encoded. If data holds a whole address, such as the `Location` of a reply, write what it may
    begin with: `url: {from: event.location, only: ["https://desk.example/orders"]}`.
    """
    # Args: glued: whether it stands right behind what may be the whole server.
    hint = "write it, or take it from `config`"
    if glued:
        hint += "; if the path begins here, a `/` is missing before it"
    if begins and len(words) < LONGEST_QUOTED and "=" not in words:
        hint += (
            f"; for an address that others give, `url: {{from: {words}, only: public}}`, or in place of `public` a "
            "list of what it may begin with"
        )
    return Finding("url-base-not-config", "which server is asked may not depend on data", place, hint)


@problem
def bad_url(place: Place, why: str, hint: str = "") -> Finding:
    """An address is not one that a request can be sent to.

    An address begins with `https://` or `http://` and a server's name, without a user, blanks or backslashes before
    the path: `https://desk.example/orders`. Or it begins with a value from `config` that does:
    `${{ config.desk_url }}/orders`. Whoever asks is said by `auth`. What `only` lists ends before a `?` or `#`; any
    address on the public internet is `only: public`. A `…` in an example stands for what is to be written there.
    """
    return Finding("bad-url", why, place, hint)


@problem
def secret_to_any_address(place: Place) -> Finding:
    """A request carries a secret to whatever address data gives.

    With `only: public` anybody who sends the workflow an address decides who gets the request. So such a request
    carries no `auth` and no secret. Take them away, or list the addresses that may have them: `only:
    ["https://desk.example/"]`.
    """
    return Finding(
        "secret-to-any-address",
        "with `only: public`, this secret would go to whatever address data gives",
        place,
        "leave it out, or list under `only` the addresses that may have it",
    )


@problem
def body_of_get(place: Place, method: str) -> Finding:
    """A request that only reads has a `body`.

    Services do not look at what a `GET` or a `HEAD` carries, and some refuse it. What they shall look at stands in the
    address, under `query`. If the service is to do something with what you send, the method is `POST`, `PUT` or
    `PATCH`.
    """
    return Finding(
        "body-of-get",
        f"a {method} request carries no `body`",
        place,
        "write it under `query`, or use the method that the service asks for",
    )


@problem
def program_not_fixed(place: Place) -> Finding:
    """Data decides which program a command starts.

    Which program is started is written out, as the first item of `command`, and allowed by the project's settings:
    `commands = ["git"]`. Data may be among its arguments: `[git, log, --, "${{ event.path }}"]`.
    """
    return Finding(
        "program-not-fixed",
        "the program that is started must be written out",
        place,
        "write its name; expressions may stand in its arguments",
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
