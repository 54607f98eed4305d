"""What a step calls: models, tools, services and resources; and what those calls need of its run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from wfc.runtime.calls import bindings, budget
from wfc.runtime.calls.bindings import Basic, Bearer, Model, Output, PythonTool, Secret
from wfc.runtime.calls.cache import cached
from wfc.runtime.driver import about
from wfc.runtime.driver.context.messaging import Messaging
from wfc.runtime.errors import WorkflowRuntimeError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from wfc.runtime.authoring.resource.kinds import Resource
    from wfc.runtime.records import Message

__all__ = ["Calling"]

T = TypeVar("T")


class Calling(Messaging):
    """A context's calls. A call may report its progress, so that they come after messages."""

    __slots__ = ()

    async def resource(self, resource: Resource[T]) -> T:
        """The object of a resource, as a step's parameter would get it, made if there is none yet."""
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
        stream: bool = False,
    ) -> str: ...
    @overload
    async def llm(
        self,
        model: Model,
        prompt: str,
        *,
        system: str | None = None,
        history: Sequence[Message] = (),
        output: type[T] | Output[T],
    ) -> T: ...
    async def llm(
        self,
        model: Model,
        prompt: str,
        *,
        system: str | None = None,
        history: Sequence[Message] = (),
        output: Any = None,
        stream: bool = False,
    ) -> Any:
        """One model call: the reply as text, or as a value of the type ``output``.

        Args:
            history: What was said before the prompt.
            stream: Whether the reply, which must be a text, is shown while it comes to whoever watches (``TokenText``).

        Raises:
            StepError: It failed; see ``bindings.call_llm``.
            WorkflowRuntimeError: It is to be shown, and is to be something else than a text.
        """
        run, step_run = self._started("llm"), self._inside("llm")
        if stream and output not in (None, str):
            raise WorkflowRuntimeError(
                "`stream` shows texts as they come, and this reply is to be another `output`"
            )
        step_run.called = True
        is_asked = False

        async def call() -> Any:
            nonlocal is_asked
            is_asked = True
            return await bindings.call_llm(
                self, model, prompt, system=system, output=output, history=history, stream=stream
            )

        asked: tuple[object, ...] = ("llm", model, prompt, system)
        if history:
            asked += (history,)
        result = await cached(run, step_run, asked, output or str, call)
        if stream and not is_asked:
            with self.answering() as tell:  # the cache had all of it
                tell(result)
        return result

    async def tool(self, tool: PythonTool[T], args: Mapping[str, object]) -> T:
        """One call of a tool.

        Raises:
            StepError: It failed; see ``bindings.call_tool``.
        """
        run, step_run = self._started("tool"), self._inside("tool")
        step_run.called = True

        async def call() -> T:
            return await bindings.call_tool(self, tool, args)

        result: T = await cached(run, step_run, ("tool", tool, args), tool.output, call)
        return result

    @overload
    async def http(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | None = None,
        body: object = None,
    ) -> Any: ...
    @overload
    async def http(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | None = None,
        body: object = None,
        output: type[T] | Output[T],
    ) -> T: ...
    async def http(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | None = None,
        body: object = None,
        output: Any = None,
    ) -> Any:
        """One request: its body. Status and headers go to the step's tail.

        Raises:
            StepError: It failed; see ``bindings.call_http``.
        """
        run, step_run = self._started("http"), self._inside("http")
        step_run.called = True

        async def call() -> Any:
            result, response = await bindings.call_http(
                method,
                url,
                query=query,
                headers=headers,
                auth=auth,
                body=body,
                output=output,
                idempotency_key=self.idempotency_key,
                wait=step_run.step.timeout,
            )
            step_run.response = response
            return result

        if method.upper() not in {"GET", "HEAD"}:
            return await call()  # it may do something
        asked = (
            "http",
            method,
            url,
            query,
            {name: repr(one) for name, one in (headers or {}).items()},
            auth,
            body,
        )
        return await cached(run, step_run, asked, output, call)

    # --- what those calls need of it

    def unmet(self, result: object) -> list[str]:
        """What the step's requirements say of a result: a sentence for each that does not hold."""
        return about.unmet(self._started("unmet"), self._inside("unmet"), result)

    def choose_model(self, count: int) -> int:
        """Which of a model and its ``count - 1`` fallbacks is to be asked, from 0."""
        step_run = self._inside("choose_model")
        if not hasattr(step_run, "choice"):  # a step so plain that nothing was prepared for it
            step_run.choice = step_run.since = 0
            step_run.began = self._started("choose_model").loop.time()
        step_run.choices = count
        return step_run.choice

    def afford(self, model: str) -> None:
        """Says so if the run may not call this model, ``provider:name``, once more.

        Raises:
            LimitError: It has used up its tokens, or what it may cost.
            SettingsError: Its cost is bounded, and nobody knows the model's price.
        """
        budget.afford(self._started("afford"), model)

    def spent(self, model: str, tokens_in: int, tokens_out: int) -> None:
        """Counts what a call of a model has used."""
        self._in_loop(budget.spend, self._started("spent"), model, tokens_in, tokens_out)

    def answering(self) -> AbstractContextManager[Callable[[str], None]]:
        """Shows one more reply of a model, piece by piece, to whoever watches the run: calls of what it gives."""
        return self._started("answering").watchers.answering(self._inside("answering"))

    def state_now(self) -> Any:
        """The run's state, which must not be changed."""
        return self._started("state_now").execution.state
