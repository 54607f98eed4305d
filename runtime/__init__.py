"""What generated code and hand-written workflows import."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from wfc.runtime.authoring.decorators import (
    catch_error,
    pause,
    step,
    transform,
)
from wfc.runtime.authoring.output_format import (
    require_output_format,
)
from wfc.runtime.authoring.resource import (
    PythonResource,
    Resource,
    ResourceConfig,
    ResourceManager,
)
from wfc.runtime.authoring.retry import (
    RetryInfo,
    RetryPolicy,
)
from wfc.runtime.authoring.run_rules import (
    Limits,
    Receives,
    run_cancel,
    run_deadline,
    run_error,
    run_key,
    runs_per,
)
from wfc.runtime.calls.bindings import (
    Basic,
    Bearer,
    HttpResponse,
    Model,
    Output,
    PythonTool,
    Secret,
)
from wfc.runtime.calls.cache import (
    Cache,
)
from wfc.runtime.driver.context import (
    Context,
)
from wfc.runtime.driver.engine import (
    Engine,
    default_engine,
)
from wfc.runtime.driver.engine.messages import (
    Keep,
    Message,
)
from wfc.runtime.driver.handler import (
    WorkflowHandler,
)
from wfc.runtime.driver.run.breakpoints import (
    Breakpoint,
    Halt,
)
from wfc.runtime.driver.run.questions import (
    OpenQuestion,
)
from wfc.runtime.errors import (
    ContextStateError,
    ExpressionError,
    InvalidAnswerError,
    InvalidMessageError,
    LimitError,
    MissingPackageError,
    OutputFormatError,
    RunEndedError,
    RunExistsError,
    RunFailedError,
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
    WorkflowStepDoesNotExistError,
    WorkflowTimeoutError,
    WorkflowValidationError,
)
from wfc.runtime.events import (
    CacheHit,
    ChildEnd,
    ChildNote,
    Event,
    EventEmitted,
    HumanResponseEvent,
    InputRequiredEvent,
    InternalDispatchEvent,
    LateEvent,
    Moment,
    Number,
    ProgressText,
    Record,
    RunConfig,
    RunState,
    StartEvent,
    StepFailedEvent,
    StepState,
    StepStateChanged,
    StopEvent,
    TokenText,
    UnhandledEvent,
    WorkflowCancelledEvent,
    WorkflowFailedEvent,
    WorkflowTimedOutEvent,
)
from wfc.runtime.plan.collect import (
    Collect,
    Take,
)
from wfc.runtime.plan.joins import (
    AllOf,
    AtLeast,
    EachOf,
    FirstOf,
)
from wfc.runtime.plan.outcomes import (
    UNHANDLED,
    All,
    Batch,
    Fail,
    Inputs,
    Restart,
    RunInfo,
    Unhandled,
)
from wfc.runtime.plan.pauses import (
    SKIP,
    Child,
    Delay,
    Item,
    Items,
    Outside,
    Question,
    QuestionAsked,
    QuestionClosed,
    Skip,
    Until,
)
from wfc.runtime.values.formats import (
    Duration,
    Format,
)
from wfc.runtime.values.serializers import BaseSerializer, JsonSerializer, PickleSerializer
from wfc.runtime.workflow import (
    Workflow,
)

if TYPE_CHECKING:
    from wfc.runtime.values import filters

__all__ = [
    "SKIP",
    "UNHANDLED",
    "All",
    "AllOf",
    "AtLeast",
    "BaseSerializer",
    "Basic",
    "Batch",
    "Bearer",
    "Breakpoint",
    "Cache",
    "CacheHit",
    "Child",
    "ChildEnd",
    "ChildNote",
    "Collect",
    "Context",
    "ContextStateError",
    "Delay",
    "Duration",
    "EachOf",
    "Engine",
    "Event",
    "EventEmitted",
    "ExpressionError",
    "Fail",
    "FirstOf",
    "Format",
    "Halt",
    "HttpResponse",
    "HumanResponseEvent",
    "InputRequiredEvent",
    "Inputs",
    "InternalDispatchEvent",
    "InvalidAnswerError",
    "InvalidMessageError",
    "Item",
    "Items",
    "JsonSerializer",
    "Keep",
    "LateEvent",
    "LimitError",
    "Limits",
    "Message",
    "MissingPackageError",
    "Model",
    "Moment",
    "Number",
    "OpenQuestion",
    "Output",
    "OutputFormatError",
    "Outside",
    "PickleSerializer",
    "ProgressText",
    "PythonResource",
    "PythonTool",
    "Question",
    "QuestionAsked",
    "QuestionClosed",
    "Receives",
    "Record",
    "Resource",
    "ResourceConfig",
    "ResourceManager",
    "Restart",
    "RetryInfo",
    "RetryPolicy",
    "RunConfig",
    "RunEndedError",
    "RunExistsError",
    "RunFailedError",
    "RunInfo",
    "RunState",
    "RunUnknownError",
    "Secret",
    "SettingsError",
    "Skip",
    "SnapshotError",
    "StartEvent",
    "StepError",
    "StepFailedError",
    "StepFailedEvent",
    "StepState",
    "StepStateChanged",
    "StopEvent",
    "StuckError",
    "Take",
    "TokenText",
    "UndeclaredResultError",
    "Unhandled",
    "UnhandledEvent",
    "UnknownQuestionError",
    "Until",
    "Workflow",
    "WorkflowCancelledByUser",
    "WorkflowCancelledEvent",
    "WorkflowConfigurationError",
    "WorkflowError",
    "WorkflowFailedEvent",
    "WorkflowHandler",
    "WorkflowRuntimeError",
    "WorkflowStepDoesNotExistError",
    "WorkflowTimedOutEvent",
    "WorkflowTimeoutError",
    "WorkflowValidationError",
    "catch_error",
    "default_engine",
    "filters",
    "pause",
    "require_output_format",
    "run_cancel",
    "run_deadline",
    "run_error",
    "run_key",
    "runs_per",
    "step",
    "transform",
]


def __getattr__(name: str) -> Any:
    if name == "filters":  # which only generated code needs
        return importlib.import_module(f"{__name__}.values.{name}")
    if name.startswith("_") or importlib.util.find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # not an AttributeError, in whose place an import would put a sentence that helps nobody
    raise ImportError(
        f"wfc.runtime has no `{name}`: it is misspelt, or the installed wfc-workflows is older than this code; "
        f"`pip install --upgrade wfc-workflows` gets the newest"
    )
