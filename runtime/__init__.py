"""The words that authors of workflows import.

``__all__`` has the words for workflows that are written by hand. Modules that wfc generates import more
(``_GENERATED_CODE``), which is offered to them and listed nowhere. A name is loaded when it is first asked for, so that
whoever needs one room of this package does not load all others.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

# Names with `as` are offered to modules that wfc has generated, and not listed in `__all__`.
# Sorted by the tool, each of them would be a statement of its own.
# isort: off
if TYPE_CHECKING:
    from wfc.runtime.agents.definition import (
        Agent as Agent,
        AgentTool as AgentTool,
        Approval as Approval,
        WorkflowStyle as WorkflowStyle,
    )
    from wfc.runtime.agents.code_loop import (
        CodeLoop as CodeLoop,
    )
    from wfc.runtime.agents.events import (
        DoneCall as DoneCall,
        Worked as Worked,
    )
    from wfc.runtime.agents.loop import (
        AgentLoop as AgentLoop,
    )
    from wfc.runtime.agents.threaded_loop import (
        ThreadedLoop as ThreadedLoop,
    )
    from wfc.runtime.agents.threads import (
        KeptThread as KeptThread,
    )
    from wfc.runtime.agents.workflow_loop import (
        WorkflowLoop as WorkflowLoop,
    )
    from wfc.runtime.plan.run_rules import (
        Bounds as Bounds,
        Limits as Limits,
        Receives as Receives,
        RetryBounds as RetryBounds,
        StepBounds as StepBounds,
    )
    from wfc.runtime.authoring.run_rules import (
        run_bounds as run_bounds,
        run_cancel as run_cancel,
        run_deadline as run_deadline,
        run_error as run_error,
        run_key as run_key,
        runs_per as runs_per,
    )
    from wfc.runtime.authoring.output_format import (
        require_output_format as require_output_format,
    )
    from wfc.runtime.calls.knowledge.definition import Knowledge as Knowledge
    from wfc.runtime.calls.python_resources import (
        PythonResource as PythonResource,
    )
    from wfc.runtime.authoring.resource import (
        Resource,
        ResourceConfig,
        ResourceManager as ResourceManager,
    )
    from wfc.runtime.plan.retries import (
        RetryInfo,
    )
    from wfc.runtime.authoring.retry import (
        RetryPolicy,
    )
    from wfc.runtime.authoring.decorators import (
        catch_error,
        pause as pause,
        step,
        transform as transform,
    )
    from wfc.runtime.calls.asking import AskingTool as AskingTool
    from wfc.runtime.calls.bindings import (
        Basic as Basic,
        Bearer as Bearer,
        CallLimit as CallLimit,
        McpServer as McpServer,
        OAuth2 as OAuth2,
        OpenApiOperation as OpenApiOperation,
        PythonTool as PythonTool,
        Secret,
    )
    from wfc.runtime.calls.foreign_schemas import ForeignSchema as ForeignSchema
    from wfc.runtime.calls.llm import Model
    from wfc.runtime.calls.python_tools import ToolContext
    from wfc.runtime.plan.inputs import (
        HttpResponse,
    )
    from wfc.runtime.plan.caching import (
        Cache,
    )
    from wfc.runtime.driver.context import (
        Context,
    )
    from wfc.runtime.driver.engine import (
        Engine,
        default_engine,
    )
    from wfc.runtime.driver.messages import (
        EventData,
        Keep as Keep,
        Message as Message,
    )
    from wfc.runtime.driver.handler import (
        WorkflowHandler,
    )
    from wfc.runtime.driver.run.breakpoints import Breakpoint
    from wfc.runtime.driver.run.halts import Halt
    from wfc.runtime.driver.run.questions import (
        OpenQuestion,
    )
    from wfc.runtime.errors import (
        ContextStateError,
        ExpressionError as ExpressionError,
        InvalidAnswerError,
        InvalidMessageError,
        LimitError,
        MissingPackageError,
        OutputFormatError as OutputFormatError,
        RunEndedError,
        RunExistsError,
        RunFailedError as RunFailedError,
        RunUnknownError,
        SettingsError,
        SnapshotError,
        StepError,
        StepFailedError,
        StuckError,
        UndeclaredResultError,
        UnknownQuestionError,
        WorkflowCancelledByUser,
        WorkflowConfigurationError,
        WorkflowError,
        WorkflowRuntimeError,
        WorkflowStepDoesNotExistError as WorkflowStepDoesNotExistError,
        WorkflowTimeoutError,
        WorkflowValidationError,
    )
    from wfc.runtime.events import (
        ChildEnd as ChildEnd,
        ClosedFields as ClosedFields,
        Event,
        ErrorHandled as ErrorHandled,
        HumanResponseEvent,
        InputRequiredEvent,
        Moment as Moment,
        Number as Number,
        PartialResult as PartialResult,
        ProgressText,
        Record,
        RunConfig,
        RunState,
        StartEvent,
        StepFailedEvent,
        StopEvent,
        ThinkingText as ThinkingText,
        TokenText,
        WorkflowCancelledEvent,
        WorkflowFailedEvent,
        WorkflowTimedOutEvent,
    )
    from wfc.runtime.events.internal import (
        CacheHit as CacheHit,
        CallWaits as CallWaits,
        ChildNote as ChildNote,
        EventEmitted as EventEmitted,
        InternalDispatchEvent as InternalDispatchEvent,
        LateEvent as LateEvent,
        ModelCalled as ModelCalled,
        Searched as Searched,
        StepState as StepState,
        StepStateChanged as StepStateChanged,
        UnhandledEvent as UnhandledEvent,
    )
    from wfc.runtime.events.of_agents import (
        CallAnswered as CallAnswered,
        CallAsked as CallAsked,
        HandedOver as HandedOver,
    )
    from wfc.runtime.plan.collect import (
        Collect,
        Take,
    )
    from wfc.runtime.plan.joins import (
        AllOf as AllOf,
        AtLeast as AtLeast,
        EachOf as EachOf,
        FirstOf as FirstOf,
    )
    from wfc.runtime.plan.outcomes import (
        UNHANDLED as UNHANDLED,
        All,
        Batch as Batch,
        Fail as Fail,
        Restart as Restart,
        Unhandled as Unhandled,
    )
    from wfc.runtime.plan.inputs import (
        Inputs as Inputs,
        RunInfo as RunInfo,
    )
    from wfc.runtime.authoring.migrations import (
        run_migration as run_migration,
    )
    from wfc.runtime.authoring.triggers import (
        run_trigger as run_trigger,
    )
    from wfc.runtime.plan.triggers import (
        ScheduleTrigger as ScheduleTrigger,
        TopicTrigger as TopicTrigger,
        WebhookTrigger as WebhookTrigger,
    )
    from wfc.runtime.plan.pauses import (
        SKIP as SKIP,
        Child as Child,
        Delay as Delay,
        Items as Items,
        Outside as Outside,
        Question as Question,
        QuestionAsked as QuestionAsked,
        QuestionClosed as QuestionClosed,
        QuestionDelegated as QuestionDelegated,
        QuestionReminded as QuestionReminded,
        Skip as Skip,
        Until as Until,
    )
    from wfc.runtime.plan.inputs import (
        Item as Item,
        Loop as Loop,
    )
    from wfc.runtime.values import (
        filters as filters,
    )
    from wfc.runtime.values.formats import (
        Duration as Duration,
        Format as Format,
    )
    from wfc.runtime.values.outputs import Output as Output
    from wfc.runtime.values.serializers import (
        BaseSerializer,
    )
    from wfc.runtime.values.unmet import Unmet as Unmet
    from wfc.runtime.store.serializers import (
        JsonSerializer,
        PickleSerializer as PickleSerializer,
    )
    from wfc.runtime.workflow import (
        Workflow,
    )
# isort: on

__all__ = [
    "All",
    "BaseSerializer",
    "Breakpoint",
    "Cache",
    "Collect",
    "Context",
    "ContextStateError",
    "Engine",
    "Event",
    "EventData",
    "Halt",
    "HttpResponse",
    "HumanResponseEvent",
    "InputRequiredEvent",
    "InvalidAnswerError",
    "InvalidMessageError",
    "JsonSerializer",
    "LimitError",
    "MissingPackageError",
    "Model",
    "OpenQuestion",
    "ProgressText",
    "Record",
    "Resource",
    "ResourceConfig",
    "RetryInfo",
    "RetryPolicy",
    "RunConfig",
    "RunEndedError",
    "RunExistsError",
    "RunState",
    "RunUnknownError",
    "Secret",
    "SettingsError",
    "SnapshotError",
    "StartEvent",
    "StepError",
    "StepFailedError",
    "StepFailedEvent",
    "StopEvent",
    "StuckError",
    "Take",
    "TokenText",
    "ToolContext",
    "UndeclaredResultError",
    "UnknownQuestionError",
    "Workflow",
    "WorkflowCancelledByUser",
    "WorkflowCancelledEvent",
    "WorkflowConfigurationError",
    "WorkflowError",
    "WorkflowFailedEvent",
    "WorkflowHandler",
    "WorkflowRuntimeError",
    "WorkflowTimedOutEvent",
    "WorkflowTimeoutError",
    "WorkflowValidationError",
    "catch_error",
    "default_engine",
    "step",
]

_AUTHORS: Final = {
    "wfc.runtime.authoring.decorators": "catch_error step",
    "wfc.runtime.authoring.resource": "Resource ResourceConfig",
    "wfc.runtime.authoring.retry": "RetryPolicy",
    "wfc.runtime.calls.bindings": "Secret",
    "wfc.runtime.calls.llm": "Model",
    "wfc.runtime.calls.python_tools": "ToolContext",
    "wfc.runtime.driver.context": "Context",
    "wfc.runtime.driver.engine": "Engine default_engine",
    "wfc.runtime.driver.messages": "EventData",
    "wfc.runtime.driver.handler": "WorkflowHandler",
    "wfc.runtime.driver.run.breakpoints": "Breakpoint",
    "wfc.runtime.driver.run.halts": "Halt",
    "wfc.runtime.driver.run.questions": "OpenQuestion",
    "wfc.runtime.errors": (
        "ContextStateError InvalidAnswerError InvalidMessageError LimitError MissingPackageError "
        "RunEndedError RunExistsError RunUnknownError SettingsError SnapshotError StepError "
        "StepFailedError StuckError UndeclaredResultError UnknownQuestionError WorkflowCancelledByUser "
        "WorkflowConfigurationError WorkflowError WorkflowRuntimeError WorkflowTimeoutError "
        "WorkflowValidationError"
    ),
    "wfc.runtime.events": (
        "Event HumanResponseEvent InputRequiredEvent ProgressText Record RunConfig RunState StartEvent "
        "StepFailedEvent StopEvent TokenText WorkflowCancelledEvent WorkflowFailedEvent "
        "WorkflowTimedOutEvent"
    ),
    "wfc.runtime.plan.caching": "Cache",
    "wfc.runtime.plan.collect": "Collect Take",
    "wfc.runtime.plan.inputs": "HttpResponse",
    "wfc.runtime.plan.outcomes": "All",
    "wfc.runtime.plan.retries": "RetryInfo",
    "wfc.runtime.store.serializers": "JsonSerializer",
    "wfc.runtime.values.serializers": "BaseSerializer",
    "wfc.runtime.workflow": "Workflow",
}
_GENERATED_CODE: Final = {
    "wfc.runtime.agents.definition": "Agent AgentTool Approval WorkflowStyle",
    "wfc.runtime.agents.code_loop": "CodeLoop",
    "wfc.runtime.agents.events": "DoneCall Worked",
    "wfc.runtime.agents.loop": "AgentLoop",
    "wfc.runtime.agents.threaded_loop": "ThreadedLoop",
    "wfc.runtime.agents.threads": "KeptThread",
    "wfc.runtime.agents.workflow_loop": "WorkflowLoop",
    "wfc.runtime.authoring.decorators": "pause transform",
    "wfc.runtime.authoring.output_format": "require_output_format",
    "wfc.runtime.authoring.migrations": "run_migration",
    "wfc.runtime.authoring.resource": "ResourceManager",
    "wfc.runtime.authoring.run_rules": "run_bounds run_cancel run_deadline run_error run_key runs_per",
    "wfc.runtime.authoring.triggers": "run_trigger",
    "wfc.runtime.calls.asking": "AskingTool",
    "wfc.runtime.calls.bindings": "Basic Bearer CallLimit McpServer OAuth2 OpenApiOperation PythonTool",
    "wfc.runtime.calls.foreign_schemas": "ForeignSchema",
    "wfc.runtime.calls.knowledge.definition": "Knowledge",
    "wfc.runtime.calls.python_resources": "PythonResource",
    "wfc.runtime.driver.messages": "Keep Message",
    "wfc.runtime.errors": "ExpressionError OutputFormatError RunFailedError WorkflowStepDoesNotExistError",
    "wfc.runtime.events": "ChildEnd ClosedFields ErrorHandled Moment Number PartialResult ThinkingText",
    "wfc.runtime.events.internal": (
        "CacheHit CallWaits ChildNote EventEmitted InternalDispatchEvent LateEvent ModelCalled Searched StepState "
        "StepStateChanged UnhandledEvent"
    ),
    "wfc.runtime.events.of_agents": "CallAnswered CallAsked HandedOver",
    "wfc.runtime.plan.inputs": "Inputs Item Loop RunInfo",
    "wfc.runtime.plan.joins": "AllOf AtLeast EachOf FirstOf",
    "wfc.runtime.plan.outcomes": "Batch Fail Restart UNHANDLED Unhandled",
    "wfc.runtime.plan.pauses": (
        "Child Delay Items Outside Question QuestionAsked QuestionClosed QuestionDelegated QuestionReminded SKIP "
        "Skip Until"
    ),
    "wfc.runtime.plan.triggers": "ScheduleTrigger TopicTrigger WebhookTrigger",
    "wfc.runtime.plan.run_rules": "Bounds Limits Receives RetryBounds StepBounds",
    "wfc.runtime.store.serializers": "PickleSerializer",
    "wfc.runtime.values.filters": "filters",  # the module itself
    "wfc.runtime.values.formats": "Duration Format",
    "wfc.runtime.values.outputs": "Output",
    "wfc.runtime.values.unmet": "Unmet",
}
_MODULES: Final = {
    name: module
    for table in (_AUTHORS, _GENERATED_CODE)
    for module, names in table.items()
    for name in names.split()
}
"""In which module each name is."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        module = importlib.import_module(_MODULES[name])
        found = module if name == "filters" else getattr(module, name)
    elif name.startswith("_") or importlib.util.find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        # not an AttributeError, in whose place an import would put a sentence that helps nobody
        raise ImportError(
            f"wfc.runtime has no `{name}`: it is misspelt, or the installed wfc-workflows is older than this code; "
            f"`pip install --upgrade wfc-workflows` gets the newest"
        )
    globals()[name] = found  # the next time it is found without this function
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
