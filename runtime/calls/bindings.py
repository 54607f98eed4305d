"""What a step calls: models, tools, services, and the secrets and settings they need.

``Context.llm``, ``Context.tool`` and ``Context.http`` call ``call_llm``, ``call_tool`` and ``call_http`` here,
which load the integration that does the work only then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from wfc.runtime.errors import SettingsError
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.tracing import conventions, span_inside

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from wfc.runtime.authoring.resource.kinds import Resource
    from wfc.runtime.calls.python_tools import ToolHost
    from wfc.runtime.records import Message

__all__ = [
    "Basic",
    "Bearer",
    "CallHost",
    "Model",
    "Output",
    "PythonTool",
    "Secret",
    "call_http",
    "call_llm",
    "call_tool",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret, an environment variable. Its value is read where it is used and kept nowhere."""

    name: str

    def reveal(self) -> str:
        """The value.

        Raises:
            SettingsError: The environment variable is not set, or is empty.
        """
        value = os.environ.get(self.name)
        if not value:
            raise SettingsError(
                f"the secret `{self.name}` is missing: set the environment variable {self.name} to its value"
            )
        return value


@dataclass(frozen=True, slots=True)
class Bearer:
    """Proves who sends a request by a secret token."""

    secret: Secret


@dataclass(frozen=True, slots=True)
class Basic:
    """Proves who sends a request by a user name and a secret."""

    user: str
    secret: Secret


@dataclass(frozen=True, slots=True)
class Output(Generic[T]):
    """A type that a result must have, for those that ``type[T]`` cannot hold, such as unions.

    The annotation tells a type checker what the argument tells the run::

        MOOD: Output[Literal["good", "bad"]] = Output(Literal["good", "bad"])
    """

    type: Any


NO_OPTIONS: Final = frozenset({"use", "base_url", "api_key", "settings", "fallback"})
"""The fields of a `Model` that are not sent as they are with each request."""


@dataclass(frozen=True)
class Model:
    """A model and how to call it.

    Args:
        use: ``provider:name``, such as ``openai:gpt-4o-mini``.
        base_url: Of a service that speaks the provider's protocol, or ``None`` for the provider's own.
        api_key: The secret that the service asks for; ``None``: the provider's usual variable, if it needs one.
        timeout: Seconds for one request.
        settings: The provider's own, passed as they are.
        fallback: Models tried in order once the step's retry policy has given up on this one.
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
    fallback: Sequence[Model] = ()

    def options(self) -> dict[str, object]:
        """Return what is sent with each request under the name that it has here, as far as it is given."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in NO_OPTIONS}
        return {name: value for name, value in found.items() if value is not None}

    def chain(self) -> tuple[Model, ...]:
        """This model, and those that are tried after it, each once."""
        found: list[Model] = []
        waiting: list[Model] = [self]
        while waiting:
            model = waiting.pop(0)
            if not any(model is one for one in found):
                found.append(model)
                waiting[:0] = model.fallback
        return tuple(found)

    async def ask(
        self,
        host: CallHost,
        prompt: str,
        *,
        system: str | None = None,
        output: Any = None,
        history: Sequence[Message] = (),
        stream: bool = False,
    ) -> Any:
        """One call of this model and no other. See ``call_llm``."""
        from wfc.runtime.calls.models import ask

        return await ask(host, self, prompt, system=system, output=output, history=history, stream=stream)


@dataclass(frozen=True, slots=True)
class PythonTool(Generic[T]):
    """A Python function, named as ``module:function``, from a module beside the spec or one that settings allow.

    Args:
        function: ``module:function``.
        output: The type of its result; ``Any`` takes everything.
        beside: A file in the folder that holds the module, or the folder.
        secrets: Keyword argument → secret, for what the function may know and the spec may not.
        resources: What the function is given for parameters of these names: made when first asked for, and shared.
    """

    function: str
    output: Any = Any
    beside: str | Path = "."
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    resources: Mapping[str, Resource[Any]] = field(default_factory=dict)


class CallHost(Protocol):
    """What the calls need of the context that they are made in."""

    def unmet(self, result: object) -> Sequence[str]:
        """What the step's requirements say of a result: a sentence for each that does not hold."""

    def choose_model(self, count: int) -> int:
        """Which of a model and its fallbacks is to be asked, from 0.

        It is the next one after the step's retry policy has given up on the one before.

        Args:
            count: How many there are.
        """

    def afford(self, model: str) -> None:
        """Says so if the run may not call this model, ``provider:name``, once more.

        Raises:
            LimitError: It has used up its tokens, or what it may cost.
        """

    def spent(self, model: str, tokens_in: int, tokens_out: int) -> None:
        """Counts what a call of a model has used."""

    def answering(self) -> AbstractContextManager[Callable[[str], None]]:
        """Shows one more reply of a model, piece by piece, to whoever watches the run."""


async def call_llm(
    host: CallHost,
    model: Model,
    prompt: str,
    *,
    system: str | None = None,
    output: Any = None,
    history: Sequence[Message] = (),
    stream: bool = False,
) -> Any:
    """One model call; the reply as text, or as a value of ``output``.

    Args:
        history: What was said before the prompt.
        stream: Whether the reply is shown to whoever watches while it comes.

    A reply that is not of that type, or that a requirement of the step refuses, is sent back with what is
    wrong, at most twice.

    Raises:
        StepError: ``model…``, ``http…`` (of the model's service), ``timeout``, ``connection``, ``requirement``.
        SettingsError: A secret is missing.
        MissingPackageError: The models' package is not installed.
    """
    models = model.chain()
    chosen = models[host.choose_model(len(models))]
    more: dict[str, Any] = {"history": history} if history else {}
    if stream:
        more["stream"] = True
    return await chosen.ask(host, prompt, system=system, output=_plain(output), **more)


async def call_tool(host: ToolHost, tool: PythonTool[T], args: Mapping[str, object]) -> T:
    """Calls a Python tool; its result, validated.

    Raises:
        StepError: ``python.<Class>`` (it raised that), or ``tool.…`` (it is not there, or its result is wrong).
        SettingsError: A secret is missing, or the module is neither beside the spec nor allowed.
    """
    from wfc.runtime.calls.python_tools import call

    name = tool.function.rpartition(":")[2]
    with span_inside("tool", name, lambda: _about_tool(name)) as span:
        result: T = await call(host, tool, args)
        if span is not None:
            span.content = {conventions.TOOL_ARGUMENTS: args, conventions.TOOL_RESULT: result}
            span.result = result
        return result


def _about_tool(name: str) -> dict[str, object]:
    return {
        conventions.OPERATION: conventions.EXECUTE_TOOL,
        conventions.TOOL_NAME: name,
        conventions.TOOL_TYPE: "function",
    }


async def call_http(
    method: str,
    url: str,
    *,
    query: Mapping[str, object] | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    auth: Bearer | Basic | None = None,
    body: object = None,
    output: Any = None,
    idempotency_key: str | None = None,
    wait: float | None = None,
) -> tuple[Any, HttpResponse]:
    """One request; its body, validated, and what came with it.

    Args:
        output: The body's type; ``str`` for its text, ``None`` for JSON data or text, whichever it is.
        wait: Seconds to wait for the reply, at most: the step's time-out; 300 without.

    Raises:
        StepError: ``http.<status>``, ``http.…``, ``timeout``, ``connection``.
        SettingsError: A secret is missing.
        MissingPackageError: The package for HTTP is not installed.
    """
    from wfc.runtime.calls.http import request

    with span_inside("http", method, lambda: _about_request(method, url)) as span:
        result, response = await request(
            method,
            url,
            query=query or {},
            headers=headers or {},
            auth=auth,
            body=body,
            output=_plain(output),
            idempotency_key=idempotency_key,
            wait=wait,
        )
        if span is not None:
            span.attributes[conventions.HTTP_STATUS] = response.status
            span.result = result
        return result, response


def _about_request(method: str, url: str) -> dict[str, object]:
    """What may be said of a request: its path and query may hold what is nobody's business."""
    found: dict[str, object] = {conventions.HTTP_METHOD: method}
    try:
        place = urlsplit(url)
        found |= {conventions.SERVER_ADDRESS: place.hostname or "", conventions.SERVER_PORT: place.port or ""}
    except ValueError:  # the request itself says what is wrong with it
        pass
    return {name: value for name, value in found.items() if value != ""}


def _plain(output: Any) -> Any:
    return output.type if isinstance(output, Output) else output
