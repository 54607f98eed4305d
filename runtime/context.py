"""What a step may touch: state, events, the stream, and what it calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from wfc.runtime import about, bindings, budget
from wfc.runtime.advance.gathering import collect
from wfc.runtime.bindings import Basic, Bearer, Model, Output, PythonTool, Secret
from wfc.runtime.cache import cached
from wfc.runtime.current import CURRENT
from wfc.runtime.errors import ContextStateError, WorkflowRuntimeError
from wfc.runtime.events import Event, ProgressText
from wfc.runtime.resource.kinds import Resource
from wfc.runtime.retry import RetryInfo
from wfc.runtime.serializers import BaseSerializer, JsonSerializer, PickleSerializer
from wfc.runtime.store import StateStore

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from wfc.runtime.engine.messages import IfAbsent
    from wfc.runtime.execution import StepRun
    from wfc.runtime.records import Message
    from wfc.runtime.resource.kinds import Resource
    from wfc.runtime.run import Run
    from wfc.runtime.snapshots.resuming import Resumed
    from wfc.runtime.workflow import Workflow

if TYPE_CHECKING:
    # a bare `Context` means any state; `typing` knows defaults of type variables from Python 3.13 on
    from typing_extensions import TypeVar as TypeVarWithDefault

    S = TypeVarWithDefault("S", default=Any)
else:
    S = TypeVar("S")

__all__ = ["BaseSerializer", "Context", "JsonSerializer", "PickleSerializer", "StepContext", "Unstarted"]

T = TypeVar("T")
E = TypeVar("E", bound=Event)


class Unstarted:
    """What stands for the run before there is one: the state to begin with."""

    __slots__ = ("resumed", "state", "store", "workflow")

    def __init__(self, workflow: Workflow, resumed: Resumed | None = None) -> None:
        self.workflow = workflow
        self.resumed = resumed  # what it goes on with
        self.state = type(workflow).table().new_state() if resumed is None else resumed.state
        self.store: StateStore[Any] = StateStore(self)


class Context(Generic[S]):
    """A run as its steps, and those who started it, see it.

    ``Context(workflow)`` makes one before the run, for its state; ``workflow.run(ctx=…)`` goes on with it.
    """

    __slots__ = ("_run", "_step_run")

    _run: Run | Unstarted
    _step_run: StepRun | None

    def __init__(self, workflow: Workflow) -> None:
        self._run = Unstarted(workflow)
        self._step_run = None

    def attach(self, run: Run) -> None:
        """Makes it the context of a run, as those outside see it."""
        self._run = run
        self._step_run = None

    def to_dict(
        self, serializer: BaseSerializer | None = None, *, include_state: bool = True
    ) -> dict[str, Any]:
        """A snapshot: the run with all that is in flight or waits, as JSON data; of one that is over, its state.

        It costs what is under way, and not what has happened. Steps that are at work begin again when the run goes
        on; those that are done do not.

        Args:
            serializer: Writes values of classes that the workflow does not declare; see ``JsonSerializer``.
            include_state: Whether with the state.

        Raises:
            SnapshotError: Something cannot be written as JSON.
            ContextStateError: It is a step's own context: a step at work is no state that could be kept.
        """
        from wfc.runtime.snapshots.resuming import snapshot_of, snapshot_of_state

        run = self._run
        if self._step_run is not None:
            raise ContextStateError("inside a step there is no snapshot; the handler's context gives one")
        if not isinstance(run, Unstarted):
            return self._in_loop(lambda: snapshot_of(run, serializer, include_state=include_state))
        data = snapshot_of_state(run.workflow, run.state if include_state else None, serializer)
        return data if run.resumed is None else {**run.resumed.data, "state": data["state"]}

    @classmethod
    def from_dict(
        cls, workflow: Workflow, data: Mapping[str, Any], serializer: BaseSerializer | None = None
    ) -> Context[S]:
        """The context of a snapshot; ``workflow.run(ctx=…)`` goes on with its run, under its id.

        Args:
            serializer: As that which wrote it.

        Raises:
            SnapshotError: The snapshot is damaged, or of another workflow or version of it.
        """
        from wfc.runtime.snapshots.resuming import resumed

        found = resumed(workflow, data, serializer)
        made = cls(workflow)
        made._run = Unstarted(workflow, found)
        if found.execution is None:
            made._run.resumed = None
        return made

    @staticmethod
    def get_step_context() -> Context[Any]:
        """The context of the step that is running: for what a step calls, without handing the context on.

        Raises:
            WorkflowRuntimeError: It is called outside of a step.
        """
        current = CURRENT.get(None)
        run = None if current is None else current.run
        if current is None or run is None or current.step_run is None:
            raise WorkflowRuntimeError("`get_step_context` can only be called inside a step")
        return StepContext(run, current.step_run)

    @property
    def store(self) -> StateStore[S]:
        """The run's state."""
        return self._run.store

    @property
    def is_running(self) -> bool:
        """Whether the run has started and is not over."""
        return not isinstance(self._run, Unstarted) and not self._run.is_done

    async def running_steps(self) -> list[str]:
        """The names of the steps that are at work."""
        return self._started("running_steps").active_steps()

    def stream_events(self) -> AsyncGenerator[Event, None]:
        """What the run publishes, with what happens inside; see ``WorkflowHandler.stream_events``."""
        return self._started("stream_events").watchers.inner_stream().read()

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._started("run_id").run_id

    @property
    def step_name(self) -> str:
        """The name of the step that this context belongs to."""
        return self._inside("step_name").step.name

    @property
    def attempt(self) -> int:
        """Which attempt of the step this is, from 1."""
        return self._inside("attempt").attempt

    @property
    def idempotency_key(self) -> str:
        """The same in every attempt of this step run, and in no other step run."""
        return about.key_of(self._started("idempotency_key"), self._inside("idempotency_key"))

    # --- events

    def send_event(self, message: Event, step: str | None = None) -> None:
        """Sends an event to all steps that accept it, or to one. It goes out at once.

        Raises:
            UndeclaredResultError: No step accepts it, or the named one does not.
            WorkflowStepDoesNotExistError: There is no step of that name.
            ContextStateError: The run has not started yet.
        """
        run = self._started("send_event")
        self._in_loop(run.send, message, step, self._step_run)

    async def send(
        self,
        event: Event,
        to: str | None = None,
        *,
        key: object = None,
        run_id: str | None = None,
        if_absent: IfAbsent = None,
    ) -> None:
        """Delivers an event to another run: of the workflow ``to`` under a key, or of an id.

        An attempt that is made again sends nothing twice: the runs know this step run's messages by their order.

        Args:
            key: ``None``: it is in the field of the event that the workflow declares for that.
            if_absent: See ``Engine.deliver``.

        Raises:
            WorkflowRuntimeError: See ``Engine.deliver``.
        """
        run, message_id = self._message("send")
        await run.engine.deliver(
            event,
            run_id=run_id,
            workflow=to,
            key=key,
            message_id=message_id,
            if_absent=if_absent,
            beside=type(run.workflow),
        )

    async def publish(self, event: Event, topic: str) -> None:
        """Delivers an event to all live runs that declare to receive it, but for those that want another topic.

        Raises:
            InvalidMessageError: It does not fit what a run receives; all others have got it.
        """
        run, message_id = self._message("publish")
        await run.engine.publish(topic, event, message_id=message_id)

    def _message(self, what: str) -> tuple[Run, str]:
        run, step_run = self._started(what), self._inside(what)
        step_run.called = True
        return run, about.next_message(run, step_run)

    def collect_events(
        self, ev: Event, expected: list[type[Event]], buffer_id: str | None = None
    ) -> list[Event] | None:
        """Keeps an event until there is one for each entry of ``expected``; then all, in that order.

        Args:
            buffer_id: To keep apart what belongs apart; by itself each step has one buffer.
        """
        run, step_run = self._started("collect_events"), self._inside("collect_events")
        return self._in_loop(collect, run.execution, step_run, ev, expected, buffer_id)

    async def wait_for_event(
        self,
        event_type: type[E],
        waiter_event: Event | None = None,
        waiter_id: str | None = None,
        requirements: Mapping[str, Any] | None = None,
        timeout: float | None = 2000,  # noqa: ASYNC109 - llama-index-workflows' name
    ) -> E:
        """Waits for an event of a class, with these values in its fields. The body stays where it is.

        A further attempt of the step gets what the one before it has waited for, and nobody is asked again.

        Args:
            waiter_event: Published first, for whoever is to answer.
            waiter_id: Waits of one id publish ``waiter_event`` only once in a run.
            timeout: Seconds; ``None``: no bound.

        Raises:
            TimeoutError: It did not come in time.
        """
        run = self._started("wait_for_event")
        step_run = self._inside("wait_for_event")
        return await run.waits.wait(
            step_run, event_type, waiter_event, waiter_id, requirements or {}, timeout
        )

    def write_event_to_stream(self, ev: Event | None) -> None:
        """Shows an event to whoever watches the run; other steps do not get it."""
        if ev is not None:
            self._in_loop(self._started("write_event_to_stream").watchers.publish, ev)

    async def resource(self, resource: Resource[T]) -> T:
        """The object of a resource, as a step's parameter would get it, made if there is none yet."""
        value: T = await self._started("resource").resources.get(resource)
        return value

    def retry_info(self) -> RetryInfo:
        """How the attempts of this step run went so far."""
        return about.retry_info(self._started("retry_info"), self._inside("retry_info"))

    # --- what a step calls

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

    def report(self, text: str) -> None:
        """Tells whoever watches the run."""
        step_run = self._inside("report")
        self.write_event_to_stream(ProgressText(text=text, step=step_run.step.name, attempt=step_run.attempt))

    def state_now(self) -> Any:
        """The run's state, which must not be changed."""
        return self._started("state_now").execution.state

    # ---

    def _started(self, what: str) -> Run:
        run = self._run
        if isinstance(run, Unstarted):
            raise ContextStateError(
                f"`{what}` needs a run, and this one has not started: `workflow.run(ctx=…)`"
            )
        return run

    def _inside(self, what: str) -> StepRun:
        if self._step_run is None:
            raise ContextStateError(f"`{what}` can only be used inside a step")
        return self._step_run

    def _in_loop(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls in the run's event loop, also from the thread of a step that is a plain function."""
        loop = self._started("this").loop
        if asyncio._get_running_loop() is loop:
            return function(*arguments)

        outcome: Future[T] = Future()

        def call() -> None:
            try:
                outcome.set_result(function(*arguments))
            except BaseException as error:
                outcome.set_exception(error)

        loop.call_soon_threadsafe(call)  # no coroutine, which a loop that ends meanwhile would leave behind
        return outcome.result()


class StepContext(Context[Any]):
    """The context of one step run."""

    __slots__ = ()

    def __init__(
        self, run: Run, step_run: StepRun
    ) -> None:  # its own, and lean: one is made for each step run
        self._run = run
        self._step_run = step_run
