"""Calls of the Python functions that a spec names as tools."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.host import ToolHost
from wfc.runtime.calls.python_functions import load_function
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.errors import StepError, WorkflowError
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import Event
from wfc.runtime.tracing import conventions, span_inside
from wfc.runtime.values.outputs import InvalidOutput, from_python, plain

__all__ = ["ToolContext", "call_function", "call_tool"]

T = TypeVar("T")

_NONE: Final[Mapping[str, Resource[Any]]] = {}


class ToolContext:
    """The value of a tool's parameter ``context``: it reports to the run's observers and reads its state.

    Safe to use from the thread that a plain (not async) tool runs in.
    """

    def __init__(self, host: ToolHost, revealed: Revealed) -> None:
        self._host = host
        self._revealed = revealed
        self._loop = asyncio.get_running_loop()
        host.state_now()  # made here, if nobody has asked for it yet: not in a thread while the run makes another

    def __repr__(self) -> str:
        return "ToolContext()"

    def report(self, text: str) -> None:
        """Report progress to the run's observers; other steps do not receive it."""
        self._in_loop(self._host.report, self._revealed.hide(str(text)))

    def stream(self, event: Event) -> None:
        """Send an event to the run's observers; other steps do not receive it.

        Raises:
            TypeError: It is not an event.
        """
        if not isinstance(event, Event):
            raise TypeError(f"only events can be streamed, not {type(event).__name__}; `report` takes text")
        self._in_loop(self._host.write_event_to_stream, event)

    @property
    def state(self) -> dict[str, Any]:
        """A copy of the run's current state, by the names in the spec."""
        state = plain(self._host.state_now())
        return dict(state) if isinstance(state, Mapping) else {}

    def _in_loop(self, function: Callable[[Any], None], argument: object) -> None:
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is self._loop:
            function(argument)
        elif not self._loop.is_closed():  # a thread may outlive the run that it was cut off from
            self._loop.call_soon_threadsafe(function, argument)


async def call_tool(host: ToolHost, tool: PythonTool[T], args: Mapping[str, object]) -> T:
    """Call a Python tool; return its result, validated.

    Raises:
        StepError: ``python.<Class>`` (raised by the tool), or ``tool.…`` (no such tool, or a wrong result).
        SettingsError: A secret is missing, or the module is neither beside the spec nor allowed.
    """
    return await _as_span(tool.function.rpartition(":")[2], args, lambda: _call(host, tool, args))


async def call_function(
    host: ToolHost,
    function: Callable[..., Any],
    name: str,
    args: Mapping[str, object],
    output: Any = Any,
    *,
    contexts: Sequence[str] = (),
    resources: Mapping[str, Resource[Any]] = _NONE,
) -> Any:
    """Call a Python function that a program has given as a tool; return its result, validated.

    Args:
        name: What it is called in messages.
        contexts: The parameters that take a ``ToolContext``.
        resources: What it is given for parameters of these names.

    Raises:
        StepError: ``python.<Class>`` (raised by the function), or ``tool.invalid_output``.
    """

    async def call() -> Any:
        revealed = Revealed()
        given = dict(args)
        if contexts:
            given |= dict.fromkeys(contexts, ToolContext(host, revealed))
        for parameter, resource in resources.items():
            given[parameter] = await host.resource(resource)
        return await _result(function, given, name, output, revealed)

    return await _as_span(name, args, call)


async def _as_span(name: str, args: Mapping[str, object], call: Callable[[], Awaitable[T]]) -> T:
    with span_inside("tool", name, lambda: _about_tool(name)) as span:
        result = await call()
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


async def _call(host: ToolHost, tool: PythonTool[T], args: Mapping[str, object]) -> T:
    revealed = Revealed()
    function = load_function(tool.function, tool.beside)
    given: dict[str, object] = {name: plain(value) for name, value in args.items()}
    given |= {name: revealed.read(secret) for name, secret in tool.secrets.items()}
    signature = inspect.signature(function)
    if "context" in signature.parameters and "context" not in given:
        given["context"] = ToolContext(host, revealed)
    for name, resource in tool.resources.items():
        if name in signature.parameters and name not in given:
            given[name] = await host.resource(resource)
    try:
        signature.bind(**given)
    except TypeError as error:
        raise StepError(
            "tool.arguments", f"`{tool.function}` cannot be called so: {revealed.hide(str(error))}"
        ) from None
    result: T = await _result(function, given, tool.function, tool.output, revealed)
    return result


async def _result(
    function: Callable[..., Any], given: Mapping[str, object], place: str, output: Any, revealed: Revealed
) -> Any:
    """Return a function's result, which has to be of a type; ``place`` is what the function is called in messages."""
    result, failure = await _run(function, given)
    if failure is not None:
        raise _told(failure, place, revealed)
    try:
        valid = from_python(output, revealed.hide_in_result(plain(result)))
    except InvalidOutput as error:
        said = f"something else than declared: {revealed.hide(str(error))}"
    except (RecursionError, TypeError):  # it contains itself, or has keys that are no texts
        said = "what cannot be written as JSON"
    else:
        return valid
    raise StepError("tool.invalid_output", f"`{place}` returned {said}")


async def _run(function: Callable[..., Any], given: Mapping[str, object]) -> tuple[Any, BaseException | None]:
    """Return a function's result, or its exception, as a thread's future cannot hold every exception.

    ``SystemExit`` and ``CancelledError`` raised by the tool count as failures like any other exception; only
    the cancellation of this task itself is a cancellation.
    """

    def call() -> tuple[Any, BaseException | None]:
        try:
            return function(**given), None
        except BaseException as error:
            return None, error

    if not inspect.iscoroutinefunction(function):
        result, failure = await in_thread(call)
        if failure is not None or not inspect.isawaitable(result):
            return result, failure
        waiting = result
    else:
        waiting = function(**given)
    try:
        return await waiting, None
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return None, error
    except (Exception, SystemExit) as error:
        return None, error


def _told(failure: BaseException, place: str, revealed: Revealed) -> WorkflowError:
    """Return a tool's exception as the error of the step that calls it."""
    if isinstance(failure, WorkflowError) and not isinstance(failure, StepError):
        return failure
    known = step_error(failure)
    told = StepError(
        known.name,
        revealed.hide(f"`{place}` raised {known.message}" if known is not failure else known.message),
        status=known.status,
        body=revealed.hide_in(known.body),
        retry_after=known.retry_after,
        also=(*known.also, "tool"),
    )
    shown = "".join(traceback.format_exception(failure))
    if revealed.hide(shown) == shown:
        told.__cause__ = failure  # its traceback helps, but not at the price of a secret
    return told
