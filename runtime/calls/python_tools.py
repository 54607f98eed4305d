"""Calls of Python functions that a spec names: from modules beside it, or ones that the settings allow."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.beside import module_beside
from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.driver.threads import in_thread
from wfc.runtime.errors import SettingsError, StepError, WorkflowError, step_error
from wfc.runtime.events import Event
from wfc.runtime.values.outputs import InvalidOutput, from_python, plain
from wfc.runtime.values.redaction import Revealed

__all__ = ["ToolContext", "ToolHost", "call", "load"]

T = TypeVar("T")


class ToolHost(Protocol):
    """What a tool's call needs of the context that it is made in."""

    def report(self, text: str) -> None:
        """Tells whoever watches the run."""

    def write_event_to_stream(self, ev: Event | None) -> None:
        """Shows an event to whoever watches the run."""

    def state_now(self) -> Any:
        """The run's state, which must not be changed; ``None`` if it has none."""

    async def resource(self, resource: Resource[Any]) -> Any:
        """The object of a resource, made if there is none yet."""


class ToolContext:
    """What a tool's parameter named ``context`` is: a way to tell the watcher, and a look at the run's state.

    Safe to use from the thread that a plain (not async) tool runs in.
    """

    def __init__(self, host: ToolHost, revealed: Revealed) -> None:
        self._host = host
        self._revealed = revealed
        self._loop = asyncio.get_running_loop()

    def __repr__(self) -> str:
        return "ToolContext()"

    def report(self, text: str) -> None:
        """Tells whoever watches the run. Not for other steps."""
        self._in_loop(self._host.report, self._revealed.hide(str(text)))

    def stream(self, event: Event) -> None:
        """Shows an event to whoever watches the run. Not for other steps.

        Raises:
            TypeError: It is not an event.
        """
        if not isinstance(event, Event):
            raise TypeError(f"only events can be streamed, not {type(event).__name__}; `report` takes text")
        self._in_loop(self._host.write_event_to_stream, event)

    @property
    def state(self) -> dict[str, Any]:
        """The run's state at this moment, a copy, by the names that the spec gives."""
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


async def call(host: ToolHost, tool: PythonTool[T], args: Mapping[str, object]) -> T:
    """Calls a tool; its result, validated.

    Raises:
        StepError: ``python.<Class>``, which answers to ``tool`` too, ``tool.arguments``, ``tool.invalid_output``.
        SettingsError: A secret is missing, or the function, or a resource, cannot be loaded.
    """
    revealed = Revealed()
    function = load(tool)
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
    result, failure = await _run(function, given)
    if failure is not None:
        raise _told(failure, tool, revealed)
    try:
        valid: T = from_python(tool.output, revealed.hide_in_result(plain(result)))
    except InvalidOutput as error:
        said = revealed.hide(str(error))
        raise StepError(
            "tool.invalid_output", f"`{tool.function}` returned something else than declared: {said}"
        ) from None
    return valid


async def _run(function: Callable[..., Any], given: Mapping[str, object]) -> tuple[Any, BaseException | None]:
    """What a function returns, or what it raises: a thread's future cannot hold every exception.

    A tool that leaves the program (``sys.exit``) or gives itself up fails like one that raises anything else; only
    this task's own cancellation is one.
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


def _told(failure: BaseException, tool: PythonTool[Any], revealed: Revealed) -> WorkflowError:
    """What a tool raised, as the error of a step that calls it."""
    if isinstance(failure, WorkflowError) and not isinstance(failure, StepError):
        return failure
    known = step_error(failure)
    told = StepError(
        known.name,
        revealed.hide(f"`{tool.function}` raised {known.message}" if known is not failure else known.message),
        status=known.status,
        body=revealed.hide_in(known.body),
        retry_after=known.retry_after,
        also=(*known.also, "tool"),
    )
    shown = "".join(traceback.format_exception(failure))
    if revealed.hide(shown) == shown:
        told.__cause__ = failure  # its traceback helps, but not at the price of a secret
    return told


def load(tool: PythonTool[Any]) -> Callable[..., Any]:
    """The function that a tool names.

    Raises:
        SettingsError: There is no such module or function, or it may not be loaded.
    """
    module_name, _, function_name = tool.function.partition(":")
    parts = module_name.split(".")
    if not function_name.isidentifier() or not all(part.isidentifier() for part in parts):
        raise SettingsError(f"the tool `{tool.function}` is not written as `module:function`")
    folder = Path(tool.beside)
    folder = (folder if folder.is_dir() else folder.parent).resolve()
    module = _module(module_name, folder)
    function = getattr(module, function_name, None)
    if function is None:
        raise SettingsError(
            f"the module `{module_name}` ({module.__file__}) has no function `{function_name}`"
        )
    if not callable(function):
        raise SettingsError(f"`{tool.function}` is not a function")
    return function  # type: ignore[no-any-return]


def _module(name: str, folder: Path) -> Any:
    try:
        module = module_beside(folder, name)
        if module is not None:
            return module
        settings = settings_near(folder)
        if settings.allows_module(name):
            return settings.import_module(name)
    except SettingsError:
        raise
    except (Exception, SystemExit) as error:  # whatever a module does while it loads
        raise SettingsError(
            f"the module `{name}` cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    raise SettingsError(
        f"there is no module `{name}` in {folder}, and the settings ({settings.told_from}) do not allow it: "
        f'put it there, or add `modules = ["{name}"]` to the settings'
    )
