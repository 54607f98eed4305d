"""A step's calls of models, tools, services and resources; and the data of its run that those calls use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.bindings import Basic, Bearer, CallLimit, OAuth2, PythonTool, Secret
from wfc.runtime.calls.llm import Model, call_llm
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.driver.context.cached_calls import named
from wfc.runtime.driver.context.searches import Searches
from wfc.runtime.driver.loops import call_and_block
from wfc.runtime.driver.run.replies import ShownReply
from wfc.runtime.driver.run.spending import check_limits, count_call
from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.values.outputs import Output

if TYPE_CHECKING:
    from wfc.runtime.records import File, Message  # whose class pydantic takes a while to build

__all__ = ["Calling"]

T = TypeVar("T")


class Calling(Searches):
    """A context's calls, some of whose results may come from the cache."""

    __slots__ = ()

    async def resource(self, resource: Resource[T]) -> T:
        """Return the object of a resource, as for a step's parameter; it is created if there is none yet."""
        value: T = await self._started("resource").resources.get(resource)
        return value

    @overload
    async def llm(
        self,
        model: Model,
        prompt: str,
        *,
        system: str | None = None,
        history: Sequence[Message] = (),
        files: Sequence[File] = (),
        stream: bool = False,
        thinking: bool = False,
    ) -> str: ...
    @overload
    async def llm(
        self,
        model: Model,
        prompt: str,
        *,
        system: str | None = None,
        history: Sequence[Message] = (),
        files: Sequence[File] = (),
        output: type[T] | Output[T],
        thinking: bool = False,
        partial: bool = False,
    ) -> T: ...
    async def llm(
        self,
        model: Model,
        prompt: str,
        *,
        system: str | None = None,
        history: Sequence[Message] = (),
        files: Sequence[File] = (),
        output: Any = None,
        stream: bool = False,
        thinking: bool = False,
        partial: bool = False,
    ) -> Any:
        """Call a model; return the reply as text, or as a value of the type ``output``.

        Args:
            history: The messages before the prompt.
            files: Images and documents that the model is shown with the prompt.
            stream: Whether to show the reply, which must be text, to watchers as it arrives (``TokenText``).
            thinking: Whether to show them what the model thinks before it replies (``ThinkingText``).
            partial: Whether to show them the fields of the value that have arrived so far (``PartialResult``).

        Raises:
            StepError: The call failed; see ``call_llm``.
            WorkflowRuntimeError: The reply is to be streamed, but is not to be text, or the other way round.
        """
        step_run = self._inside("llm")
        _check_shown(is_text=output in (None, str), stream=stream, partial=partial)
        step_run.called = True
        is_asked = False

        async def call() -> Any:
            nonlocal is_asked
            is_asked = True
            return await call_llm(
                self,
                model,
                prompt,
                system=system,
                output=output,
                history=history,
                files=files,
                stream=stream,
                thinking=thinking,
                partial=partial,
            )

        asked: tuple[object, ...] = ("llm", model, prompt, system)
        if history:
            asked += (history,)
        if files:
            asked += ("files", files)
        result = await self._cached(asked, output or str, call)
        if stream and not is_asked:
            with self.answering() as tell:  # the cache had all of it
                tell(result)
        return result

    async def tool(self, tool: PythonTool[T], args: Mapping[str, object]) -> T:
        """Call a tool; return its result.

        Raises:
            StepError: The call failed; see ``call_tool``.
        """
        from wfc.runtime.calls.python_tools import call_tool

        self._inside("tool").called = True

        async def call() -> T:
            async with self.in_turn(tool.limit()):
                return await call_tool(self, tool, args)

        result: T = await self._cached(("tool", tool, args), tool.output, call)
        return result

    @overload
    async def http(
        self,
        method: str,
        url: str,
        *,
        server: str | None = None,
        only: Sequence[str] | Literal["public"] | None = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | OAuth2 | None = None,
        body: object = None,
        limit: CallLimit | None = None,
    ) -> Any: ...
    @overload
    async def http(
        self,
        method: str,
        url: str,
        *,
        server: str | None = None,
        only: Sequence[str] | Literal["public"] | None = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | OAuth2 | None = None,
        body: object = None,
        output: type[T] | Output[T],
        limit: CallLimit | None = None,
    ) -> T: ...
    async def http(
        self,
        method: str,
        url: str,
        *,
        server: str | None = None,
        only: Sequence[str] | Literal["public"] | None = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | OAuth2 | None = None,
        body: object = None,
        output: Any = None,
        limit: CallLimit | None = None,
    ) -> Any:
        """Send an HTTP request; return the response's body. Status and headers go to the step's tail.

        Args:
            limit: How often it may be sent; the settings may limit the requests to its host, too.
            server: The beginning of the address that names the server, where data follows it.
            only: The beginnings that an address from data may have, or ``public``; see ``call_http``.

        Raises:
            StepError: The call failed; see ``call_http``.
        """
        from wfc.runtime.calls.http import call_http

        step_run = self._inside("http")
        step_run.called = True

        async def call() -> Any:
            async with self.in_turn(limit, url):
                result, response = await call_http(
                    method,
                    url,
                    server=server,
                    only=only,
                    query=query,
                    headers=headers,
                    auth=auth,
                    body=body,
                    output=output,
                    idempotency_key=self.idempotency_key,
                    wait=self._started("http").execution.timeout_of(step_run.step),
                )
            step_run.response = response
            return result

        if method.upper() not in {"GET", "HEAD"}:
            return await call()  # it may do something
        asked = (
            "http",
            method,
            url,
            only,
            named(query),
            {name: repr(one) for name, one in (headers or {}).items()},
            auth,
            named(body),
        )
        return await self._cached(asked, output, call)

    @overload
    async def command(
        self,
        command: Sequence[str],
        *,
        stdin: str | None = None,
        env: Mapping[str, str | Secret] | None = None,
        limit: CallLimit | None = None,
    ) -> str: ...
    @overload
    async def command(
        self,
        command: Sequence[str],
        *,
        stdin: str | None = None,
        env: Mapping[str, str | Secret] | None = None,
        output: type[T] | Output[T],
        limit: CallLimit | None = None,
    ) -> T: ...
    async def command(
        self,
        command: Sequence[str],
        *,
        stdin: str | None = None,
        env: Mapping[str, str | Secret] | None = None,
        output: Any = str,
        limit: CallLimit | None = None,
    ) -> Any:
        """Start a program that the settings allow; return what it has printed.

        Args:
            command: The program and its arguments; no shell reads them.
            stdin: What it reads.
            env: Further variables of its environment.
            output: ``str`` for its text, ``list[str]`` for its lines, any other type for JSON.
            limit: How often it may be started.

        Raises:
            StepError: The call failed; see ``call_command``.
        """
        from wfc.runtime.calls.commands import call_command

        self._inside("command").called = True
        folder = settings_folder(type(self._started("command").workflow))

        async def call() -> Any:
            async with self.in_turn(limit):
                return await call_command(command, beside=folder, stdin=stdin, env=env, output=output)

        return await self._cached(("command", list(command), stdin, named(env)), output, call)

    # --- what those calls need of it

    def choose_model(self, count: int) -> int:
        """Return the index of the model to call, of a model and its ``count - 1`` fallbacks, from 0."""
        step_run = self._inside("choose_model")
        step_run.choices = count
        return step_run.choice

    def afford(self, model: str, *, own_server: bool = False) -> None:
        """Check that the run may call this model, ``provider:name``, once more.

        Args:
            own_server: Whether it is asked at an address of its own, where the provider's prices do not hold.

        Raises:
            LimitError: The run has used up its tokens or its budget.
            SettingsError: The run's cost is limited, and the model's price is unknown.
        """
        check_limits(self._started("afford"), model, own_server=own_server)

    def spent(
        self,
        model: str,
        tokens_in: int,
        tokens_out: int,
        *,
        cached: int = 0,
        price: Callable[[], float | None] | None = None,
    ) -> None:
        """Count the usage of a model call; its cost where the run limits it, or somebody watches.

        Args:
            cached: The number of the tokens that came from the provider's cache.
            price: Returns what the call has cost in US dollars, if that is known; asked where no settings say it.
        """
        run, step_run = self._started("spent"), self._inside("spent")
        count = partial(count_call, run, step_run, model, tokens_in, tokens_out, cached, price)
        call_and_block(run.loop, count)

    def used(self) -> tuple[int, float]:
        """Return the tokens that the models of this run have used by now, and what they have cost in US dollars."""
        execution = self._started("used").execution
        return execution.tokens, execution.cost_usd

    def answering(self) -> AbstractContextManager[ShownReply]:
        """Show a further model reply to the run's watchers; what is yielded takes each piece."""
        return self._started("answering").watchers.answering(self._inside("answering"))

    def state_now(self) -> Any:
        """Return the run's state, which must not be changed; of a run that is a step's action, that step's run's."""
        run: Any = self._started("state_now")
        while run is not None and run.workflow._wfc.is_part:
            run = run.above
        return None if run is None else run.execution.state


def _check_shown(*, is_text: bool, stream: bool, partial: bool) -> None:
    """Check that a reply can be shown as it comes in the way that is asked for."""
    if stream and not is_text:
        raise WorkflowRuntimeError(
            "`stream` shows texts as they come, and this reply is to be another `output`; `partial` shows that"
        )
    if partial and is_text:
        raise WorkflowRuntimeError(
            "`partial` shows values as they come, and this reply is a text; use `stream`"
        )
